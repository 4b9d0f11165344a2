/* Elements of all kinds and orders: energy, forces, stiffness, mass, and meshes of other orders. */
#include "base/memory.h"
#include "base/random.h"
#include "fem/change_order.h"
#include "fem/curved_ball.h"
#include "fem/element_response.h"
#include "fem/elements.h"
#include "fem/lagrange.h"
#include "fem/tet4.h"
#include "math/eigen_dense.h"
#include "mesh/generate.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"
#include "test.h"

/* One element: the reference cell moved a little in a map of order q, basis of order p. */
typedef struct case_of {
    element_set set;
    int count; /* nodes of the basis */
    vec3 rest[CELL_MAX_NODES];
    int32_t blocks[CELL_MAX_NODES];
    double x[3 * CELL_MAX_NODES];
} case_of;

static vec3 curved(vec3 x, double amount)
{
    return (vec3){x.x + 0.3 * x.y + amount * x.y * x.y, 0.9 * x.y + amount * x.x * x.x * x.z,
                  x.z + amount * x.x * x.y};
}

static bool make_case(case_of *c, cell_kind kind, int p, int q, double bend, double move,
                      elastic_model model, random_state *r)
{
    vec3 shape[CELL_MAX_NODES];
    int lattice[CELL_MAX_NODES][3], n = cell_lattice(kind, q, lattice);
    abut_error err;
    for (int a = 0; a < n; a++) {
        vec3 x = {(double)lattice[a][0] / q, (double)lattice[a][1] / q, (double)lattice[a][2] / q};
        shape[a] = curved(x, bend);
        if (cell_dimension(kind) == 2) shape[a].z = 0;
    }
    bool affine = lagrange_is_affine(kind, q, shape);
    abut_status status = element_set_init(&c->set, kind, p, q, affine, &err);
    CHECK_OK(status, err);
    if (status != ABUT_OK) return false;
    c->count = cell_lattice(kind, p, lattice);
    for (int a = 0; a < c->count; a++) {
        double xi[3];
        for (int k = 0; k < 3; k++) xi[k] = (double)lattice[a][k] / p;
        c->rest[a] = lagrange_position(kind, q, shape, xi, NULL);
        c->blocks[a] = a;
        double at[3] = {c->rest[a].x, c->rest[a].y, c->rest[a].z};
        for (int k = 0; k < 3; k++)
            c->x[3 * a + k] = at[k] + (k < cell_dimension(kind) ? random_range(r, -move, move) : 0);
    }
    elastic_parameters material = elastic_from_young(model, 1e4, 0.3);
    status = element_set_add(&c->set, c->blocks, shape, q, &material, 1000, 0, &err);
    CHECK_OK(status, err);
    return status == ABUT_OK;
}

static double energy_of(const case_of *c, const double *x)
{
    return element_energy(&c->set, x, c->rest, NULL, 0, 1);
}

static void derivatives_of(const case_of *c, const double *x, bool project, double *g, double *h)
{
    element_derivatives(&c->set, x, c->rest, NULL, 1, project, 0, 1, g, h);
}

static double hessian_entry(const double *h, int nodes, int i, int j)
{
    int a = i / 3, b = j / 3;
    if (a > b) return hessian_entry(h, nodes, j, i);
    return h[9 * (a * (2 * nodes - a - 1) / 2 + b) + 3 * (i % 3) + j % 3];
}

typedef struct shape_case {
    cell_kind kind;
    int p, q;
} shape_case;

static const shape_case shapes[] = {
    {CELL_TET, 1, 1},      {CELL_TET, 2, 1},      {CELL_TET, 3, 1},      {CELL_TET, 4, 1},
    {CELL_TET, 2, 2},      {CELL_TET, 1, 4},      {CELL_TET, 2, 4},      {CELL_TET, 3, 3},
    {CELL_TET, 4, 4},      {CELL_TET, 4, 2},      {CELL_HEX, 1, 1},      {CELL_HEX, 2, 1},
    {CELL_HEX, 1, 2},      {CELL_HEX, 2, 2},      {CELL_QUAD, 1, 1},     {CELL_QUAD, 2, 2},
    {CELL_TRIANGLE, 1, 1}, {CELL_TRIANGLE, 2, 1}, {CELL_TRIANGLE, 3, 2}, {CELL_TRIANGLE, 4, 4}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Gradient and Hessian at c->x against central differences with the step d; the errors are relative
 * to the largest entry of the Hessian's diagonal. */
static void check_differences(case_of *c, double d, double gradient_error, double hessian_error)
{
    static double g[3 * CELL_MAX_NODES], low[3 * CELL_MAX_NODES], high[3 * CELL_MAX_NODES];
    static double h[9 * CELL_MAX_NODES * (CELL_MAX_NODES + 1) / 2];
    derivatives_of(c, c->x, false, g, h);
    int n = 3 * c->count;
    double scale = 0;
    for (int k = 0; k < n; k++) scale = fmax(scale, fabs(hessian_entry(h, c->count, k, k)));
    for (int k = 0; k < n; k++) {
        double at = c->x[k];
        c->x[k] = at - d;
        double before = energy_of(c, c->x);
        derivatives_of(c, c->x, false, low, NULL);
        c->x[k] = at + d;
        double after = energy_of(c, c->x);
        derivatives_of(c, c->x, false, high, NULL);
        c->x[k] = at;
        CHECK_NEAR(g[k], (after - before) / (2 * d), gradient_error * scale);
        for (int l = 0; l < n; l++)
            CHECK_NEAR(hessian_entry(h, c->count, k, l), (high[l] - low[l]) / (2 * d),
                       hessian_error * scale);
    }
}

/* Forces and stiffness against differences, for every combination of orders. */
TEST(derivatives)
{
    random_state r = {1};
    for (int i = 0; i < SHAPES; i++)
        for (int model = ELASTIC_NEO_HOOKEAN; model <= ELASTIC_SVK; model++) {
            static case_of c;
            double bend = i % 3 == 2 ? 0 : 0.15; /* some affine hexes */
            if (!make_case(&c, shapes[i].kind, shapes[i].p, shapes[i].q, bend, 0.02 / shapes[i].p,
                           (elastic_model)model, &r))
                continue;
            check_differences(&c, 1e-5, 3e-7, 2e-6);
            element_set_free(&c.set);
        }
}

/* With projection no eigenvalue is negative beyond rounding, far from rest. */
TEST(projected)
{
    random_state r = {2};
    for (int i = 0; i < SHAPES; i++) {
        static case_of c;
        if (!make_case(&c, shapes[i].kind, shapes[i].p, shapes[i].q, 0.1, 0.1 / shapes[i].p,
                       ELASTIC_SVK, &r))
            continue;
        static double h[9 * CELL_MAX_NODES * (CELL_MAX_NODES + 1) / 2];
        derivatives_of(&c, c.x, true, NULL, h);
        for (int trial = 0; trial < 20; trial++) {
            double v[3 * CELL_MAX_NODES], sum = 0, size = 0;
            int n = 3 * c.count;
            for (int k = 0; k < n; k++) v[k] = random_range(&r, -1, 1);
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++) {
                    sum += v[k] * hessian_entry(h, c.count, k, l) * v[l];
                    size += fabs(v[k] * hessian_entry(h, c.count, k, l) * v[l]);
                }
            CHECK(sum >= -1e-12 * size);
        }
        element_set_free(&c.set);
    }
}

/* A corner that is nearly turned inside out while all points of the quadrature are fine: the guard
 * there answers, its derivatives are right, and at the limit the energy is infinite. */
TEST(barrier_points)
{
    random_state r = {6};
    static const shape_case cases[] = {
        {CELL_TET, 2, 1}, {CELL_TET, 3, 3}, {CELL_TRIANGLE, 2, 1}, {CELL_HEX, 1, 1}};
    for (int i = 0; i < 4; i++) {
        static case_of c;
        if (!make_case(&c, cases[i].kind, cases[i].p, cases[i].q, 0.02, 0, ELASTIC_NEO_HOOKEAN, &r))
            continue;
        /* det F at corner 0 falls to about a fifth by moving the node next to it along an edge. */
        int corners = cell_corner_count(cases[i].kind);
        int next = cases[i].p == 1 ? 1 : corners;
        vec3 edge = vec3_sub(c.rest[1], c.rest[0]);
        double share = cases[i].p == 1 ? 0.82 : cases[i].p == 2 ? 0.19 : 0.09;
        double at = cases[i].p == 1 ? 1 : 1.0 / cases[i].p;
        vec3_store(c.x + 3 * next, vec3_mul_add(c.rest[0], at - share, edge));
        double u[3 * ELEMENT_MAX_STRIDE], barrier_point = INFINITY;
        element_gather(&c.set, 0, c.x, c.rest, u);
        for (int k = c.set.elastic_points; k < c.set.rule.count; k++)
            barrier_point =
                fmin(barrier_point, mat3_determinant(element_deformation(&c.set, 0, u, k)));
        CHECK(barrier_point > 0 && barrier_point < GUARD_BEGINS);
        check_differences(&c, 1e-6, 1e-6, 1e-5);
        vec3_store(c.x + 3 * next, vec3_mul_add(c.rest[0], at - 1.5 * share, edge));
        element_gather(&c.set, 0, c.x, c.rest, u);
        CHECK(energy_of(&c, c.x) == INFINITY);
        element_set_free(&c.set);
    }
}

/* What comes out for an element is the same to the last bit wherever a range begins and ends, with
 * elements in it whose guards act and of other materials; sums are those of the single ones. */
TEST(ranges)
{
    enum { COUNT = 7, BLOCKS = 20 * 21 / 2 };
    random_state r = {8};
    static case_of c;
    static double x[COUNT * 60], g[COUNT * 60], h[COUNT * 9 * BLOCKS], own_g[60], own_h[9 * BLOCKS];
    static vec3 rest[COUNT * 20];
    for (int order = 2; order <= 3; order++) {
        if (!make_case(&c, CELL_TET, order, 1, 0, 0.02, ELASTIC_NEO_HOOKEAN, &r)) return;
        int n = c.count;
        abut_error err;
        vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        elastic_parameters other = elastic_from_young(ELASTIC_SVK, 1e4, 0.3);
        for (int e = 0; e < COUNT; e++) {
            int32_t blocks[CELL_MAX_NODES];
            for (int a = 0; a < n; a++) {
                blocks[a] = e * n + a;
                rest[e * n + a] = c.rest[a];
                for (int k = 0; k < 3; k++)
                    x[3 * (e * n + a) + k] = (e == 2 ? (&rest[e * n + a].x)[k] : c.x[3 * a + k]) +
                                             random_range(&r, -0.003, 0.003);
            }
            if (e == 2) /* det F at its first corner is small */
                vec3_store(x + 3 * (e * n + 4), vec3_scale(order == 2 ? 0.3 : 0.245, c.rest[1]));
            if (e == 0) continue;
            elastic_parameters *material = e == 5 ? &other : &c.set.material.data[0];
            elastic_parameters copy = *material;
            CHECK_OK(element_set_add(&c.set, blocks, corners, 1, &copy, 1000, 0, &err), err);
        }
        double sum = 0, barrier_point = 1, u[3 * ELEMENT_MAX_STRIDE];
        element_gather(&c.set, 2, x, rest, u);
        for (int k = c.set.elastic_points; k < c.set.rule.count; k++)
            barrier_point =
                fmin(barrier_point, mat3_determinant(element_deformation(&c.set, 2, u, k)));
        CHECK(barrier_point > 0 && barrier_point < GUARD_BEGINS);
        element_derivatives(&c.set, x, rest, NULL, 2, true, 0, COUNT, g, h);
        size_t forces = 3 * (size_t)n, entries = 9 * (size_t)(n * (n + 1) / 2);
        for (size_t e = 0; e < COUNT; e++) {
            sum += element_energy(&c.set, x, rest, NULL, e, e + 1);
            element_derivatives(&c.set, x, rest, NULL, 2, true, e, e + 1, own_g, own_h);
            CHECK(memcmp(own_g, g + e * forces, forces * sizeof *g) == 0);
            CHECK(memcmp(own_h, h + e * entries, entries * sizeof *h) == 0);
            element_derivatives(&c.set, x, rest, NULL, 2, true, e, e + 1, own_g, NULL);
            CHECK(memcmp(own_g, g + e * forces, forces * sizeof *g) == 0);
        }
        CHECK(isfinite(sum) && sum == element_energy(&c.set, x, rest, NULL, 0, COUNT));
        element_set_free(&c.set);
    }
}

/* The linear tet is the one of fem/tet4.h. */
TEST(linear_tets_agree)
{
    random_state r = {3};
    static case_of c;
    if (!make_case(&c, CELL_TET, 1, 1, 0.1, 0.05, ELASTIC_NEO_HOOKEAN, &r)) return;
    tet4_rest rest;
    CHECK(tet4_rest_make(c.rest, &rest));
    vec3 x[4], force[4];
    mat3 blocks[TET4_BLOCKS];
    for (int a = 0; a < 4; a++) x[a] = vec3_load(c.x + 3 * a);
    double energy = tet4_evaluate(&rest, &c.set.material.data[0], x, true, force, blocks);
    double g[12], h[90];
    derivatives_of(&c, c.x, true, g, h);
    CHECK_NEAR(energy_of(&c, c.x), energy, 1e-12 * energy);
    CHECK_NEAR(element_volume(&c.set, 0), rest.volume, 1e-15);
    for (int k = 0; k < 12; k++) CHECK_NEAR(g[k], ((double *)force)[k], 1e-9);
    for (int k = 0; k < 90; k++) CHECK_NEAR(h[k], ((double *)blocks)[k], 1e-8);
    element_set_free(&c.set);
}

/* For p >= q rigid motions cost nothing and affine ones what their strain costs everywhere: the
 * patch test. For q > p a rotation is not in the space (but translations are). */
TEST(rigid_motions)
{
    random_state r = {4};
    mat3 turn = rotation_from_degrees((vec3){0, 0, 40});
    for (int i = 0; i < SHAPES; i++) {
        static case_of c;
        if (!make_case(&c, shapes[i].kind, shapes[i].p, shapes[i].q, 0.15, 0, ELASTIC_NEO_HOOKEAN,
                       &r))
            continue;
        double x[3 * CELL_MAX_NODES];
        for (int a = 0; a < c.count; a++)
            vec3_store(x + 3 * a,
                       vec3_add(mat3_mul_vec(turn, c.rest[a]),
                                (vec3){1, 2, cell_dimension(shapes[i].kind) == 2 ? 0 : 3}));
        double energy = energy_of(&c, x);
        if (shapes[i].p >= shapes[i].q)
            CHECK_NEAR(energy, 0, 1e-8);
        else
            CHECK(energy > 1e-3);
        for (int a = 0; a < c.count; a++)
            vec3_store(x + 3 * a, vec3_add(c.rest[a], (vec3){1, 2, 0}));
        CHECK_NEAR(energy_of(&c, x), 0, 1e-9);
        mat3 strain = {{{1.1, 0.2, 0}, {0.1, 0.9, 0}, {0, 0, 1}}};
        for (int a = 0; a < c.count; a++) vec3_store(x + 3 * a, mat3_mul_vec(strain, c.rest[a]));
        double density = elastic_energy(&c.set.material.data[0], strain);
        double volume = element_volume(&c.set, 0);
        if (shapes[i].p >= shapes[i].q)
            CHECK_NEAR(energy_of(&c, x), volume * density, 1e-10 * volume * density);
        element_set_free(&c.set);
    }
}

/* Entries sum to density x volume; products of linear functions are integrated exactly. */
TEST(mass)
{
    random_state r = {5};
    for (int i = 0; i < SHAPES; i++) {
        static case_of c;
        if (!make_case(&c, shapes[i].kind, shapes[i].p, shapes[i].q, 0.15, 0, ELASTIC_NEO_HOOKEAN,
                       &r))
            continue;
        double sum = 0;
        for (int a = 0; a < c.count; a++) {
            CHECK(element_mass(&c.set, 0, a, a) > 0);
            for (int b = 0; b < c.count; b++) {
                sum += element_mass(&c.set, 0, a, b);
                CHECK(element_mass(&c.set, 0, a, b) == element_mass(&c.set, 0, b, a));
            }
        }
        /* The volume comes from another rule, exact only for the det J of these maps. */
        CHECK_NEAR(sum, 1000 * element_volume(&c.set, 0), 1e-3 * sum);
        element_set_free(&c.set);
    }
    static case_of c;
    if (!make_case(&c, CELL_TET, 1, 1, 0, 0, ELASTIC_NEO_HOOKEAN, &r)) return;
    double m = 1000 * element_volume(&c.set, 0);
    CHECK_NEAR(element_mass(&c.set, 0, 0, 0), m / 10, 1e-12 * m);
    CHECK_NEAR(element_mass(&c.set, 0, 0, 3), m / 20, 1e-12 * m);
    element_set_free(&c.set);
}

TEST(inverted_elements_are_refused)
{
    element_set s;
    abut_error err;
    CHECK_OK(element_set_init(&s, CELL_TET, 2, 2, false, &err), err);
    vec3 shape[CELL_MAX_NODES];
    int lattice[CELL_MAX_NODES][3], n = cell_lattice(CELL_TET, 2, lattice);
    int32_t blocks[CELL_MAX_NODES];
    for (int a = 0; a < n; a++) {
        shape[a] = (vec3){lattice[a][0] / 2.0, lattice[a][1] / 2.0, lattice[a][2] / 2.0};
        blocks[a] = a;
    }
    elastic_parameters material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e4, 0.3);
    shape[4].x = 0.2; /* the node in the middle of the first edge, beyond a quarter */
    CHECK(element_set_add(&s, blocks, shape, 2, &material, 1, 0, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(strstr(err.message, "not positive everywhere") != NULL);
    shape[4].x = 0.4;
    CHECK_OK(element_set_add(&s, blocks, shape, 2, &material, 1, 0, &err), err);
    CHECK(s.count == 1);
    element_set_free(&s);
    CHECK(element_set_init(&s, CELL_HEX, 3, 1, true, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(element_set_init(&s, CELL_EDGE, 1, 1, true, &err) == ABUT_ERROR_UNSUPPORTED);
}

/* ---- meshes of other orders ---- */

/* Every node of every cell lies where the cell's lattice says: shared nodes fit all their cells. */
static void check_places(const mesh *m, double tolerance)
{
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        int lattice[CELL_MAX_NODES][3], n = cell_lattice(block->kind, block->order, lattice);
        for (size_t c = 0; c < block->count; c++) {
            vec3 corner[8];
            for (int k = 0; k < cell_corner_count(block->kind); k++)
                corner[k] = m->vertices[block->nodes[c * (size_t)n + (size_t)k]];
            for (int a = 0; a < n; a++) {
                double xi[3];
                for (int k = 0; k < 3; k++) xi[k] = (double)lattice[a][k] / block->order;
                vec3 x = lagrange_position(block->kind, 1, corner, xi, NULL);
                vec3 found = m->vertices[block->nodes[c * (size_t)n + (size_t)a]];
                CHECK(vec3_norm(vec3_sub(x, found)) <= tolerance);
            }
        }
    }
}

TEST(order_is_raised_and_lowered)
{
    mesh box, raised, back;
    abut_error err;
    CHECK_OK(generate_box((vec3){1, 2, 3}, (int[3]){2, 3, 2}, &box, &err), err);
    /* Nodes of order k on the grid of a Kuhn mesh: a finer grid. */
    for (int k = 1; k <= 4; k++) {
        int32_t *vertex_of = NULL;
        CHECK_OK(mesh_change_order(&box, k, &raised, &vertex_of, &err), err);
        CHECK(raised.vertex_count == (size_t)((2 * k + 1) * (3 * k + 1) * (2 * k + 1)));
        CHECK(mesh_order(&raised) == k);
        for (size_t v = 0; v < box.vertex_count; v++) CHECK(vertex_of[v] == (int32_t)v);
        check_places(&raised, 1e-14);
        CHECK_OK(mesh_validate(&raised, &err), err);
        mem_free(vertex_of);
        CHECK_OK(mesh_change_order(&raised, 1, &back, NULL, &err), err);
        CHECK(back.vertex_count == box.vertex_count);
        CHECK(memcmp(back.vertices, box.vertices, box.vertex_count * sizeof *box.vertices) == 0);
        CHECK(memcmp(back.blocks[0].nodes, box.blocks[0].nodes,
                     4 * box.blocks[0].count * sizeof(int32_t)) == 0);
        mesh_free(&back);
        mesh_free(&raised);
    }
    CHECK(mesh_change_order(&box, 5, &raised, NULL, &err) == ABUT_ERROR_UNSUPPORTED);
    for (int64_t fail = 0; fail < 12; fail++) {
        mem_fail_after(fail);
        abut_status status = mesh_change_order(&box, 3, &raised, NULL, &err);
        bool happened = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(!happened || status == ABUT_ERROR_MEMORY);
        if (status == ABUT_OK) mesh_free(&raised);
    }
    mesh_free(&box);
}

TEST(hexes_are_raised)
{
    mesh m, raised;
    abut_error err;
    CHECK_OK(mesh_init(&m, 12, &err), err);
    for (int k = 0; k < 12; k++) m.vertices[k] = (vec3){k % 3, k / 3 % 2, k / 6};
    cell_block *block;
    CHECK_OK(mesh_add_block(&m, CELL_HEX, 1, 2, true, &block, &err), err);
    static const int32_t nodes[16] = {0, 1, 4, 3, 6, 7, 10, 9, 5, 4, 1, 2, 11, 10, 7, 8};
    memcpy(block->nodes, nodes, sizeof nodes);
    block->tags[0] = 5;
    block->tags[1] = 6;
    CHECK_OK(mesh_change_order(&m, 2, &raised, NULL, &err), err);
    CHECK(raised.vertex_count == 5 * 3 * 3);
    CHECK(raised.blocks[0].tags[1] == 6);
    check_places(&raised, 1e-14);
    mesh_free(&raised);
    mesh_free(&m);
}

/* Volume of all tets of a mesh, by elements whose basis has another order. */
static double mesh_volume(const mesh *m, int p)
{
    const cell_block *tets = mesh_find(m, CELL_TET);
    element_set s;
    abut_error err;
    CHECK_OK(element_set_init(&s, CELL_TET, p, tets->order, false, &err), err);
    elastic_parameters material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1, 0.3);
    int32_t blocks[CELL_MAX_NODES] = {0};
    double volume = 0;
    for (size_t c = 0; c < tets->count; c++) {
        vec3 shape[CELL_MAX_NODES];
        for (int a = 0; a < tets->nodes_per_cell; a++)
            shape[a] = m->vertices[tets->nodes[c * (size_t)tets->nodes_per_cell + (size_t)a]];
        CHECK_OK(element_set_add(&s, blocks, shape, tets->order, &material, 1, 0, &err), err);
        double mass = 0;
        for (int a = 0; a < s.nodes; a++)
            for (int b = 0; b < s.nodes; b++) mass += element_mass(&s, c, a, b);
        CHECK_NEAR(element_volume(&s, c), mass, 1e-13);
        volume += element_volume(&s, c);
    }
    element_set_free(&s);
    return volume;
}

/* The ball of 30 tets that was published with the method, in orders 1 to 4 (radius 1). */
TEST(sphere_volumes)
{
    const char *folder = test_data_folder();
    if (!folder) return;
    static const char *const names[] = {"P1-coarse.msh", "P2-coarse.msh", "P3-coarse.msh",
                                        "P4-coarse.msh"};
    static const double expected[] = {2.862089, 4.11456856747, 4.190750607, 4.18885859058};
    static const double digits[] = {5e-7, 5e-12, 5e-10, 5e-12};
    for (int i = 0; i < 4; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/high-order-ipc/meshes/sphere/%s", folder, names[i]);
        mesh m;
        abut_error err;
        mesh_read_options options = {0};
        abut_status status = mesh_read(path, &options, &m, &err);
        CHECK_OK(status, err);
        if (status != ABUT_OK) continue;
        CHECK_NEAR(mesh_volume(&m, 1), expected[i], digits[i]);
        mesh_free(&m);
    }
}

/* Curved balls approach the volume of the sphere with their order. */
TEST(curved_balls)
{
    double exact = 4 * 3.14159265358979323846 / 3, before = INFINITY;
    for (int order = 1; order <= 4; order++) {
        mesh m;
        abut_error err;
        CHECK_OK(generate_curved_ball(1, 0, order, &m, &err), err);
        CHECK(mesh_order(&m) == order);
        CHECK_OK(mesh_validate(&m, &err), err);
        double off = fabs(mesh_volume(&m, 1) - exact);
        printf("  order %d: volume off by %.2e\n", order, off);
        CHECK(off < before);
        before = off;
        mesh_free(&m);
    }
    CHECK(before < 1e-2);
}

int main(void)
{
    RUN(derivatives);
    RUN(projected);
    RUN(barrier_points);
    RUN(ranges);
    RUN(linear_tets_agree);
    RUN(rigid_motions);
    RUN(mass);
    RUN(inverted_elements_are_refused);
    RUN(order_is_raised_and_lowered);
    RUN(hexes_are_raised);
    RUN(sphere_volumes);
    RUN(curved_balls);
    return TEST_END();
}

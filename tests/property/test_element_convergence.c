/* Manufactured solutions: errors fall with h^(p+1) in L2 and h^p in H1, for all orders, on straight
 * and on curved meshes, in space and in the plane.
 *
 * Linear elasticity with a given displacement, the body force that belongs to it, and the
 * displacement prescribed on the boundary. */
#include "base/memory.h"
#include "body/solid.h"
#include "fem/change_order.h"
#include "fem/lagrange.h"
#include "linear/solver.h"
#include "mesh/generate.h"
#include "solve/newton.h"
#include "solve/problem.h"
#include "support/evaluation.h"
#include "term/elastic.h"
#include "term/inertia.h"
#include "test.h"

static const double MU = 1.3, LAMBDA = 0.9;

/* u_i = a_i sin(b_i . x + c_i), all derivatives known. */
static const double amplitude[3] = {0.05, -0.04, 0.03};
static const vec3 wave[3] = {{1.1, 0.7, -0.4}, {-0.6, 1.2, 0.8}, {0.5, -0.9, 1.3}};
static const double phase[3] = {0.3, 1.1, -0.5};

static vec3 wave_of(int i, int dimension)
{
    vec3 b = wave[i];
    if (dimension == 2) b.z = 0;
    return b;
}

static vec3 solution(vec3 x, int dimension)
{
    double u[3] = {0};
    for (int i = 0; i < dimension; i++)
        u[i] = amplitude[i] * sin(vec3_dot(wave_of(i, dimension), x) + phase[i]);
    return vec3_load(u);
}

static mat3 solution_gradient(vec3 x, int dimension)
{
    mat3 g = mat3_zero();
    for (int i = 0; i < dimension; i++) {
        vec3 b = wave_of(i, dimension);
        double c = amplitude[i] * cos(vec3_dot(b, x) + phase[i]);
        for (int j = 0; j < 3; j++) g.m[i][j] = c * vec3_get(b, j);
    }
    return g;
}

/* -div sigma = -(mu lap u + (lambda + mu) grad div u) */
static vec3 body_force(vec3 x, int dimension)
{
    double f[3] = {0};
    for (int j = 0; j < dimension; j++) {
        vec3 b = wave_of(j, dimension);
        double second = -amplitude[j] * sin(vec3_dot(b, x) + phase[j]); /* times b b^T */
        f[j] -= MU * second * vec3_norm2(b);
        for (int i = 0; i < dimension; i++)
            f[i] -= (LAMBDA + MU) * second * vec3_get(b, i) * vec3_get(b, j);
    }
    return vec3_load(f);
}

typedef struct errors {
    double l2, h1;
    size_t nodes;
} errors;

/* Calls visit for every point of a fine rule in every element. */
typedef void (*visitor)(void *context, const element_set *s, size_t e, const double *value,
                        const double (*gradient)[3], vec3 x, double weight);

static void visit_points(const model *m, const mesh *shape, visitor visit, void *context)
{
    size_t next[CELL_HEX + 1][2] = {{0}}; /* elements seen per kind: curved, affine */
    int dimension = m->planar ? 2 : 3;
    for (int b = 0; b < shape->block_count; b++) {
        const cell_block *cells = &shape->blocks[b];
        if (cell_dimension(cells->kind) != dimension) continue;
        for (size_t c = 0; c < cells->count; c++) {
            vec3 node[CELL_MAX_NODES];
            for (int a = 0; a < cells->nodes_per_cell; a++)
                node[a] =
                    shape->vertices[cells->nodes[c * (size_t)cells->nodes_per_cell + (size_t)a]];
            bool affine = lagrange_is_affine(cells->kind, cells->order, node);
            const element_set *s = NULL;
            for (size_t i = 0; i < m->sets.count; i++)
                if (m->sets.data[i].kind == cells->kind && m->sets.data[i].affine == affine)
                    s = &m->sets.data[i];
            size_t e = next[cells->kind][affine]++;
            quadrature rule;
            CHECK(quadrature_make(cells->kind, 2 * s->order + 3, &rule, NULL) == ABUT_OK);
            for (int i = 0; i < rule.count; i++) {
                double value[CELL_MAX_NODES], gradient[CELL_MAX_NODES][3];
                mat3 j;
                vec3 x = lagrange_position(cells->kind, cells->order, node, rule.points[i], &j);
                if (dimension == 2) j.m[2][2] = 1;
                lagrange_evaluate(cells->kind, s->order, rule.points[i], value, gradient);
                mat3 inverse = mat3_inverse(j);
                for (int a = 0; a < s->nodes; a++)
                    vec3_store(gradient[a], mat3_tmul_vec(inverse, vec3_load(gradient[a])));
                visit(context, s, e, value, (const double(*)[3])gradient, x,
                      rule.weights[i] * mat3_determinant(j));
            }
            quadrature_free(&rule);
        }
    }
}

typedef struct visit_data {
    const model *m;
    const double *x;
    double *force;
    errors out;
} visit_data;

static void add_force(void *context, const element_set *s, size_t e, const double *value,
                      const double (*gradient)[3], vec3 x, double weight)
{
    (void)gradient;
    visit_data *d = context;
    vec3 f = body_force(x, s->dimension);
    for (int a = 0; a < s->nodes; a++) {
        double *to = d->force + 3 * s->blocks.data[e * (size_t)s->nodes + (size_t)a];
        vec3_store(to, vec3_mul_add(vec3_load(to), weight * value[a], f));
    }
}

static void add_error(void *context, const element_set *s, size_t e, const double *value,
                      const double (*gradient)[3], vec3 x, double weight)
{
    visit_data *d = context;
    vec3 u = {0};
    mat3 g = mat3_zero();
    for (int a = 0; a < s->nodes; a++) {
        int32_t block = s->blocks.data[e * (size_t)s->nodes + (size_t)a];
        vec3 ua = vec3_sub(vec3_load(d->x + 3 * block), d->m->rest.data[block]);
        u = vec3_mul_add(u, value[a], ua);
        g = mat3_add(g, mat3_outer(ua, vec3_load(gradient[a])));
    }
    d->out.l2 += weight * vec3_norm2(vec3_sub(u, solution(x, s->dimension)));
    d->out.h1 += weight * mat3_norm2(mat3_sub(g, solution_gradient(x, s->dimension)));
}

/* Fixes all nodes of the boundary (those of the collision surface with every node on it) at the
 * solution; in the plane also all z. */
static void prescribe(const model *m, uint8_t *fixed, double *x)
{
    for (size_t v = 0; v < m->surface.rows.count; v++) {
        int32_t blocks[ROW_MAX_BLOCKS];
        int count = surface_row_blocks(&m->surface, (int32_t)v, blocks);
        for (int k = 0; k < count; k++) {
            vec3 u = solution(m->rest.data[blocks[k]], m->planar ? 2 : 3);
            vec3_store(x + 3 * blocks[k], vec3_add(m->rest.data[blocks[k]], u));
            memset(fixed + 3 * blocks[k], 1, 3);
        }
    }
    for (size_t i = 0; m->planar && i < m->rest.count; i++) fixed[3 * i + 2] = 1;
}

static void solve(const model *m, const mesh *shape, double *x)
{
    abut_error err;
    inertia_term *load;
    elastic_term *elastic;
    problem p;
    linear_solver *linear;
    newton_solver newton;
    stage_timer timer;
    timer_start(&timer);
    size_t scalars = 3 * m->rest.count;
    uint8_t *fixed = mem_calloc(scalars, 1);
    CHECK_OK(inertia_create(m, &load, &err), err);
    CHECK_OK(elastic_create(m, &elastic, &err), err);
    CHECK_OK(problem_init(&p, model_block_count(m), &timer, &err), err);
    CHECK_OK(problem_add_term(&p, &load->base, &err), err);
    CHECK_OK(problem_add_term(&p, &elastic->base, &err), err);
    CHECK_OK(linear_create(&(linear_options){.name = "cholmod"}, &linear, &err), err);
    CHECK_OK(newton_init(&newton, &p, linear, NULL, &err), err);
    test_evaluation.mass_factor = 0;
    visit_data data = {.m = m, .force = load->force};
    visit_points(m, shape, add_force, &data);
    prescribe(m, fixed, x);
    CHECK_OK(problem_set_fixed(&p, fixed, &err), err);
    newton_options options = {.tolerance = 1e-12, .max_iterations = 20};
    newton_result result;
    CHECK_OK(newton_minimize(&newton, &test_evaluation, x, &options, NULL, &result, &err), err);
    newton_free(&newton);
    linear_destroy(linear);
    problem_free(&p);
    load->base.class->destroy(&load->base);
    elastic->base.class->destroy(&elastic->base);
    mem_free(fixed);
}

static errors errors_on(const mesh *shape, int order, bool planar)
{
    mesh nodes;
    abut_error err;
    model m = {.planar = planar};
    CHECK_OK(mesh_change_order(shape, order, &nodes, NULL, &err), err);
    solid_definition def = {.shape = shape,
                            .nodes = &nodes,
                            .density = 1,
                            .segments = order,
                            .material = {.model = ELASTIC_LINEAR, .mu = MU, .lambda = LAMBDA}};
    /* Densities per cell keep linear tets among the element sets. */
    size_t cells = 0;
    for (int b = 0; b < shape->block_count; b++) cells += shape->blocks[b].count;
    double *density = mem_alloc(cells, sizeof *density);
    for (size_t c = 0; c < cells; c++) density[c] = 1;
    def.cell_density = density;
    CHECK_OK(model_add_solid(&m, "body", &def, &err), err);
    CHECK_OK(model_finish(&m, &err), err);
    double *x = mem_alloc(3 * m.rest.count, sizeof *x);
    memcpy(x, m.rest.data, 3 * m.rest.count * sizeof *x);
    solve(&m, shape, x);
    visit_data data = {.m = &m, .x = x};
    visit_points(&m, shape, add_error, &data);
    errors out = {sqrt(data.out.l2), sqrt(data.out.h1), m.rest.count};
    mem_free(x);
    mem_free(density);
    mesh_free(&nodes);
    model_free(&m);
    return out;
}

static vec3 bent(vec3 x)
{
    return (vec3){x.x + 0.15 * sin(2 * x.y), x.y + 0.1 * x.x * x.x, x.z + 0.1 * sin(2 * x.x + x.y)};
}

static vec3 bent_in_plane(vec3 x)
{
    return (vec3){x.x + 0.15 * sin(2 * x.y), x.y + 0.1 * x.x * x.x, 0};
}

/* Tets of a cube with n cells per side; with q > 1 on curved cells of that order. */
static void make_tets(int n, int q, mesh *out)
{
    mesh box;
    abut_error err;
    CHECK_OK(generate_box((vec3){1, 1, 1}, (int[3]){n, n, n}, &box, &err), err);
    CHECK_OK(mesh_change_order(&box, q, out, NULL, &err), err);
    for (size_t v = 0; q > 1 && v < out->vertex_count; v++)
        out->vertices[v] = bent(out->vertices[v]);
    mesh_free(&box);
}

static void make_triangles(int n, int q, mesh *out)
{
    mesh grid;
    abut_error err;
    CHECK_OK(generate_grid(1, 1, (int[2]){n, n}, &grid, &err), err);
    for (size_t v = 0; v < grid.vertex_count; v++) /* facing +y becomes facing +z */
        grid.vertices[v] = (vec3){grid.vertices[v].x, -grid.vertices[v].z, 0};
    CHECK_OK(mesh_change_order(&grid, q, out, NULL, &err), err);
    for (size_t v = 0; q > 1 && v < out->vertex_count; v++)
        out->vertices[v] = bent_in_plane(out->vertices[v]);
    mesh_free(&grid);
}

/* Hexes (or quads) of a cube with n cells per side. */
static void make_cubes(int n, int q, bool planar, mesh *out)
{
    mesh grid;
    abut_error err;
    int layers = planar ? 1 : n + 1, row = n + 1;
    CHECK_OK(mesh_init(&grid, (size_t)(row * row * layers), &err), err);
    for (int v = 0; v < row * row * layers; v++)
        grid.vertices[v] = (vec3){(double)(v % row) / n - 0.5, (double)(v / row % row) / n - 0.5,
                                  planar ? 0 : (double)(v / row / row) / n - 0.5};
    cell_block *block;
    int count = n * n * (planar ? 1 : n);
    CHECK_OK(
        mesh_add_block(&grid, planar ? CELL_QUAD : CELL_HEX, 1, (size_t)count, false, &block, &err),
        err);
    for (int c = 0; c < count; c++) {
        int corner = c % n + row * (c / n % n) + row * row * (c / n / n);
        int32_t *to = block->nodes + c * (planar ? 4 : 8);
        for (int k = 0; k < (planar ? 1 : 2); k++) {
            int32_t at = corner + k * row * row;
            int32_t quad[4] = {at, at + 1, at + 1 + row, at + row};
            memcpy(to + 4 * k, quad, sizeof quad);
        }
    }
    CHECK_OK(mesh_change_order(&grid, q, out, NULL, &err), err);
    for (size_t v = 0; q > 1 && v < out->vertex_count; v++)
        out->vertices[v] = planar ? bent_in_plane(out->vertices[v]) : bent(out->vertices[v]);
    mesh_free(&grid);
}

typedef enum family { TETS, TRIANGLES, HEXES, QUADS } family;

static void check_orders(family kind, int p, int q, int coarse, int fine, double slack)
{
    errors e[2];
    int n[2] = {coarse, fine};
    for (int i = 0; i < 2; i++) {
        mesh m;
        if (kind == TETS) make_tets(n[i], q, &m);
        if (kind == TRIANGLES) make_triangles(n[i], q, &m);
        if (kind == HEXES || kind == QUADS) make_cubes(n[i], q, kind == QUADS, &m);
        e[i] = errors_on(&m, p, kind == TRIANGLES || kind == QUADS);
        mesh_free(&m);
    }
    double step = log((double)fine / coarse);
    double l2 = log(e[0].l2 / e[1].l2) / step, h1 = log(e[0].h1 / e[1].h1) / step;
    static const char *const names[] = {"tets", "triangles", "hexes", "quads"};
    printf("%-9s p %d q %d: L2 %.3e -> %.3e order %.2f, H1 %.3e -> %.3e order %.2f (%zu nodes)\n",
           names[kind], p, q, e[0].l2, e[1].l2, l2, e[0].h1, e[1].h1, h1, e[1].nodes);
    CHECK(l2 > p + 1 - slack);
    CHECK(h1 > p - slack);
    CHECK(e[1].l2 < 0.02);
}

TEST(straight_tets)
{
    check_orders(TETS, 1, 1, 3, 6, 0.2);
    check_orders(TETS, 2, 1, 2, 4, 0.2);
    check_orders(TETS, 3, 1, 2, 3, 0.25);
    check_orders(TETS, 4, 1, 1, 2, 0.3);
}

TEST(curved_tets)
{
    check_orders(TETS, 2, 2, 2, 4, 0.25);
    check_orders(TETS, 3, 3, 2, 3, 0.3);
    check_orders(TETS, 4, 4, 1, 2, 0.4);
    check_orders(TETS, 4, 2, 1, 2, 0.4); /* geometry of lower order than the basis */
}

TEST(plane)
{
    for (int p = 1; p <= 4; p++) {
        check_orders(TRIANGLES, p, 1, 8 / p, 16 / p, 0.2);
        if (p > 1) check_orders(TRIANGLES, p, p, 4, 8, 0.25);
    }
    check_orders(QUADS, 1, 1, 6, 12, 0.2);
    check_orders(QUADS, 2, 2, 4, 8, 0.25);
}

TEST(hexes)
{
    check_orders(HEXES, 1, 1, 3, 6, 0.2);
    check_orders(HEXES, 2, 1, 2, 4, 0.2);
    check_orders(HEXES, 2, 2, 2, 4, 0.25);
}

int main(void)
{
    RUN(straight_tets);
    RUN(curved_tets);
    RUN(plane);
    RUN(hexes);
    return TEST_END();
}

/* The L2 projection between arbitrary simplicial meshes, and the safe one of positions: constants
 * and linears, momentum, norms, equal and nested meshes, and never an intersection. */
#include "base/random.h"
#include "geometry/check.h"
#include "mesh/generate.h"
#include "mesh/refine.h"
#include "remesh/overlap.h"
#include "remesh/safe_project.h"
#include "remesh/volume_barrier.h"
#include "support/evaluation.h"
#include "test.h"

#include <math.h>

/* A unit square of n x n jittered squares, each cut along one diagonal. */
static void make_square(int n, double jitter, bool other, random_state *r, mesh *out)
{
    abut_error err;
    size_t across = (size_t)n + 1;
    CHECK_OK(mesh_init(out, across * across, &err), err);
    for (size_t j = 0; j < across; j++)
        for (size_t i = 0; i < across; i++) {
            bool inside = i > 0 && j > 0 && i < (size_t)n && j < (size_t)n;
            double dx = inside ? random_range(r, -jitter, jitter) : 0;
            double dy = inside ? random_range(r, -jitter, jitter) : 0;
            out->vertices[across * j + i] = (vec3){((double)i + dx) / n, ((double)j + dy) / n, 0};
        }
    cell_block *cells;
    CHECK_OK(mesh_add_block(out, CELL_TRIANGLE, 1, 2 * (size_t)n * (size_t)n, false, &cells, &err),
             err);
    int32_t *to = cells->nodes;
    for (size_t j = 0; j + 1 < across; j++)
        for (size_t i = 0; i + 1 < across; i++) {
            int32_t a = (int32_t)(across * j + i), b = a + 1, d = a + (int32_t)across, c = d + 1;
            int32_t first[2][3] = {{a, b, c}, {a, c, d}}, second[2][3] = {{a, b, d}, {b, c, d}};
            memcpy(to, other ? second : first, sizeof first);
            to += 6;
        }
}

static void make_box(int n, double jitter, random_state *r, mesh *out)
{
    abut_error err;
    int cells[3] = {n, n, n};
    CHECK_OK(generate_box((vec3){1, 1, 1}, cells, out, &err), err);
    for (size_t i = 0; i < out->vertex_count; i++) {
        double *x = (double *)&out->vertices[i];
        for (int k = 0; k < 3; k++)
            if (fabs(x[k]) < 0.5 - 1e-9) x[k] += random_range(r, -jitter, jitter) / n;
    }
}

static simplex_mesh view(const mesh *m, int dimension)
{
    const cell_block *b = mesh_find(m, dimension == 2 ? CELL_TRIANGLE : CELL_TET);
    return (simplex_mesh){dimension, m->vertex_count, m->vertices, b->count, b->nodes, NULL};
}

static double *values_of(size_t n) { return mem_calloc(3 * n + 3, sizeof(double)); }

static void fill(const simplex_mesh *m, vec3 (*f)(vec3), double *out)
{
    for (size_t i = 0; i < m->vertex_count; i++) vec3_store(out + 3 * i, f(m->vertices[i]));
}

static vec3 linear(vec3 x)
{
    return (vec3){1 + 2 * x.x - x.y + 0.5 * x.z, 3 * x.y - 4 * x.z, x.x - x.y};
}
static vec3 wavy(vec3 x)
{
    return (vec3){sin(7 * x.x + 3 * x.z), cos(5 * x.y - 2 * x.x), exp(x.x * x.y) + x.z * x.z};
}

/* int u dV and int X.u dV, int |u|^2. */
static void moments(const simplex_mesh *m, const double *u, double out[5])
{
    double *mu = values_of(m->vertex_count);
    simplex_mass_apply(m, u, mu);
    memset(out, 0, 5 * sizeof *out);
    for (size_t i = 0; i < m->vertex_count; i++) {
        for (int k = 0; k < 3; k++) out[k] += mu[3 * i + (size_t)k];
        out[3] += vec3_dot(m->vertices[i], vec3_load(mu + 3 * i));
        out[4] += vec3_dot(vec3_load(u + 3 * i), vec3_load(mu + 3 * i));
    }
    mem_free(mu);
}

static void check_pair_of_meshes(const simplex_mesh *from, const simplex_mesh *to)
{
    abut_error err;
    mesh_overlap o;
    CHECK_OK(mesh_overlap_make(from, to, &o, &err), err);
    CHECK(o.cut > to->cell_count && o.missing < 1e-11);
    size_t n = from->vertex_count > to->vertex_count ? from->vertex_count : to->vertex_count;
    double *old = values_of(n), *new = values_of(n), *exact = values_of(n);
    /* Row sums: A 1 = M 1. */
    for (size_t i = 0; i < 3 * n; i++) old[i] = 1;
    mesh_overlap_apply(&o, from, to, old, new);
    simplex_mass_apply(to, old, exact);
    for (size_t i = 0; i < 3 * to->vertex_count; i++)
        CHECK_NEAR(new[i], exact[i], 1e-12 * exact[i]);
    /* Linears come out as they are, from whatever start. */
    fill(from, linear, old);
    fill(to, linear, exact);
    memset(new, 0, 3 * n * sizeof *new);
    CHECK_OK(l2_project(&o, from, to, NULL, old, new, &err), err);
    for (size_t i = 0; i < 3 * to->vertex_count; i++) CHECK_NEAR(new[i], exact[i], 2e-12);
    /* Other fields: momentum and its first moment stay, the norm does not grow. */
    double before[5], after[5];
    fill(from, wavy, old);
    CHECK_OK(l2_project(&o, from, to, NULL, old, new, &err), err);
    moments(from, old, before);
    moments(to, new, after);
    for (int k = 0; k < 4; k++) CHECK_NEAR(after[k], before[k], 1e-12);
    CHECK(after[4] <= before[4] * (1 + 1e-12) && after[4] > 0.5 * before[4]);
    /* Fixed scalars keep what they had. */
    uint8_t *fixed = mem_calloc(3 * n, 1);
    memset(new, 0, 3 * n * sizeof *new);
    fixed[4] = 1;
    new[4] = 17;
    CHECK_OK(l2_project(&o, from, to, fixed, old, new, &err), err);
    CHECK(new[4] == 17);
    mem_free(fixed);
    mem_free(old);
    mem_free(new);
    mem_free(exact);
    mesh_overlap_free(&o);
}

TEST(planar_meshes)
{
    random_state r = {1};
    int sizes[][2] = {{3, 5}, {8, 3}, {6, 6}, {1, 7}, {12, 1}};
    for (size_t k = 0; k < 5; k++) {
        mesh a, b;
        make_square(sizes[k][0], 0.25, k % 2, &r, &a);
        make_square(sizes[k][1], 0.25, k % 3, &r, &b);
        simplex_mesh from = view(&a, 2), to = view(&b, 2);
        check_pair_of_meshes(&from, &to);
        mesh_free(&a);
        mesh_free(&b);
    }
}

TEST(spatial_meshes)
{
    random_state r = {2};
    int sizes[][2] = {{2, 3}, {4, 2}, {3, 3}, {1, 4}};
    for (size_t k = 0; k < 4; k++) {
        mesh a, b;
        make_box(sizes[k][0], 0.15, &r, &a);
        make_box(sizes[k][1], 0.15, &r, &b);
        simplex_mesh from = view(&a, 3), to = view(&b, 3);
        check_pair_of_meshes(&from, &to);
        mesh_free(&a);
        mesh_free(&b);
    }
}

/* On a finer nested mesh the projection is the interpolation, and the inverse gives the start. */
static void check_nested(mesh *coarse, int dimension)
{
    abut_error err;
    mesh fine;
    CHECK_OK(mesh_copy(coarse, &fine, &err), err);
    CHECK_OK(mesh_refine(&fine, &err), err);
    simplex_mesh from = view(coarse, dimension), to = view(&fine, dimension);
    double *old = values_of(from.vertex_count), *back = values_of(from.vertex_count);
    double *between = values_of(to.vertex_count), *new = values_of(to.vertex_count);
    fill(&from, wavy, old);
    interpolation rows;
    CHECK_OK(interpolation_make(&from, &to, &rows, &err), err);
    CHECK(rows.farthest < 1e-12);
    interpolate(&rows, &from, old, between);
    mesh_overlap up, down, same;
    CHECK_OK(mesh_overlap_make(&from, &to, &up, &err), err);
    CHECK_OK(mesh_overlap_make(&to, &from, &down, &err), err);
    CHECK_OK(mesh_overlap_make(&to, &to, &same, &err), err);
    CHECK_OK(l2_project(&up, &from, &to, NULL, old, new, &err), err);
    for (size_t i = 0; i < 3 * to.vertex_count; i++) CHECK_NEAR(new[i], between[i], 1e-12);
    CHECK_OK(l2_project(&down, &to, &from, NULL, between, back, &err), err);
    for (size_t i = 0; i < 3 * from.vertex_count; i++) CHECK_NEAR(back[i], old[i], 1e-11);
    /* Equal meshes: A is M, nothing is cut. */
    CHECK(same.cut == 0 && same.blocks.count == to.cell_count);
    double *a = values_of(to.vertex_count), *m = values_of(to.vertex_count);
    mesh_overlap_apply(&same, &to, &to, new, a);
    simplex_mass_apply(&to, new, m);
    for (size_t i = 0; i < 3 * to.vertex_count; i++) CHECK_NEAR(a[i], m[i], 1e-15);
    mem_free(a);
    mem_free(m);
    mem_free(old);
    mem_free(back);
    mem_free(between);
    mem_free(new);
    interpolation_free(&rows);
    mesh_overlap_free(&up);
    mesh_overlap_free(&down);
    mesh_overlap_free(&same);
    mesh_free(&fine);
}

TEST(nested_meshes)
{
    random_state r = {3};
    mesh m;
    make_square(4, 0.2, false, &r, &m);
    check_nested(&m, 2);
    mesh_free(&m);
    make_box(2, 0.1, &r, &m);
    check_nested(&m, 3);
    mesh_free(&m);
}

/* Momentum with a density that jumps inside of the body. */
TEST(two_densities)
{
    abut_error err;
    random_state r = {4};
    mesh a, b;
    make_square(6, 0, false, &r, &a);
    make_square(4, 0, true, &r, &b);
    simplex_mesh from = view(&a, 2), to = view(&b, 2);
    double *rho[2];
    for (int k = 0; k < 2; k++) {
        simplex_mesh *m = k ? &to : &from;
        rho[k] = mem_alloc(m->cell_count, sizeof(double));
        for (size_t c = 0; c < m->cell_count; c++)
            rho[k][c] = m->vertices[m->cells[3 * c]].x + m->vertices[m->cells[3 * c + 1]].x +
                                    m->vertices[m->cells[3 * c + 2]].x <
                                1.5
                            ? 1000
                            : 10;
        m->density = rho[k];
    }
    mesh_overlap o;
    CHECK_OK(mesh_overlap_make(&from, &to, &o, &err), err);
    double *old = values_of(from.vertex_count), *new = values_of(to.vertex_count);
    fill(&from, wavy, old);
    CHECK_OK(l2_project(&o, &from, &to, NULL, old, new, &err), err);
    double before[5], after[5];
    moments(&from, old, before);
    moments(&to, new, after);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after[k], before[k], 1e-9);
    CHECK(after[4] <= before[4] * (1 + 1e-12));
    mem_free(old);
    mem_free(new);
    mem_free(rho[0]);
    mem_free(rho[1]);
    mesh_overlap_free(&o);
    mesh_free(&a);
    mesh_free(&b);
}

TEST(other_regions_are_refused)
{
    abut_error err;
    random_state r = {5};
    mesh a, b;
    make_square(3, 0, false, &r, &a);
    make_square(4, 0, false, &r, &b);
    for (size_t i = 0; i < b.vertex_count; i++) b.vertices[i].x *= 1.01;
    simplex_mesh from = view(&a, 2), to = view(&b, 2);
    mesh_overlap o;
    CHECK(mesh_overlap_make(&from, &to, &o, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "do not cover the same region") != NULL);
    mesh_free(&a);
    mesh_free(&b);
}

/* ---- safe projection ---- */

enum { N = 2 };

/* Two cubes of side 1, one above the other, `gap` apart. */
static void make_pair(model *m, double gap)
{
    abut_error err;
    int cells[3] = {N, N, N};
    elastic_parameters material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.3);
    for (int k = 0; k < 2; k++) {
        mesh box;
        CHECK_OK(generate_box((vec3){1, 1, 1}, cells, &box, &err), err);
        for (size_t i = 0; i < box.vertex_count; i++) {
            box.vertices[i].y += k * (1 + gap);
            box.vertices[i].x += k * 0.13;
            box.vertices[i].z += k * 0.07;
        }
        CHECK_OK(model_add_deformable(m, k ? "upper" : "lower", &box, material, 1000, &err), err);
        m->bodies.data[k].consistent_mass = true;
        mesh_free(&box);
    }
    CHECK_OK(model_finish(m, &err), err);
}

static size_t intersections(const model *m, const double *x)
{
    abut_error err;
    size_t vertices = m->surface.rows.count, count = 0;
    vec3 *y = mem_alloc(vertices, sizeof *y);
    int32_t *points = mem_alloc(vertices, sizeof *points);
    uint8_t flags[2] = {0};
    int32_t groups[2] = {-1, -1};
    collision_surface_positions(&m->surface, x, y);
    for (size_t i = 0; i < vertices; i++) points[i] = (int32_t)i;
    check_surface s = {.vertices = y,
                       .vertex_count = vertices,
                       .triangles = (const int32_t(*)[3])m->surface.triangles.data,
                       .triangle_count = m->surface.triangles.count / 3,
                       .edges = (const int32_t(*)[2])m->surface.edges.data,
                       .edge_count = m->surface.edges.count / 2,
                       .points = points,
                       .point_count = vertices,
                       .body = m->surface.vertex_body.data,
                       .body_flags = flags,
                       .body_group = groups};
    check_pair *pairs;
    CHECK_OK(check_intersections(&s, &pairs, &count, &err), err);
    mem_free(pairs);
    mem_free(y);
    mem_free(points);
    return count;
}

static double gap_of(const model *m, const contact_options *options, const double *x)
{
    abut_error err;
    contact_term *c;
    CHECK_OK(contact_create(m, options, &c, &err), err);
    uint8_t *fixed = mem_calloc(3 * m->rest.count, 1);
    contact_set_fixed(c, fixed);
    CHECK_OK(c->base.class->update(&c->base, x, &err), err);
    double gap = c->min_gap;
    c->base.class->destroy(&c->base);
    mem_free(fixed);
    return gap;
}

/* Random goals that would intersect and invert: the result does neither, and comes near. */
TEST(never_intersects)
{
    abut_error err;
    random_state r = {6};
    linear_options direct = {.name = "direct", .reproducible = true};
    size_t wrong_goals = 0;
    for (int k = 0; k < 30; k++) {
        model m = {0};
        double gap = pow(10, random_range(&r, -7, -2));
        make_pair(&m, gap);
        contact_options options = {.dhat = 1e-3};
        contact_term *contact;
        CHECK_OK(contact_create(&m, &options, &contact, &err), err);
        size_t n = 3 * m.rest.count;
        uint8_t *fixed = mem_calloc(n, 1);
        double *goal = mem_alloc(n, sizeof *goal), *x = mem_alloc(n, sizeof *x);
        memcpy(x, m.rest.data, n * sizeof *x);
        double spread = random_range(&r, 0.02, 0.4);
        for (size_t i = 0; i < n; i++) goal[i] = x[i] + random_range(&r, -spread, spread);
        for (size_t i = 0; i < 9; i++) fixed[i] = 1;
        wrong_goals += intersections(&m, goal) > 0;
        safe_projection result;
        CHECK_OK(safe_project(&m, contact, &direct, fixed, goal, x, &result, &err), err);
        CHECK(intersections(&m, x) == 0);
        volume_barrier *volume;
        CHECK_OK(volume_barrier_create(&m, &volume, &err), err);
        CHECK(volume_barrier_smallest(volume, x) > 0);
        volume->base.class->destroy(&volume->base);
        CHECK(memcmp(x, m.rest.data, 9 * sizeof *x) == 0);
        CHECK(result.distance < 2 * spread);
        contact->base.class->destroy(&contact->base);
        mem_free(fixed);
        mem_free(goal);
        mem_free(x);
        model_free(&m);
    }
    CHECK(wrong_goals > 20);
}

/* Gaps far below dhat are left as they are: a goal that keeps them is met, and one that closes them
 * does not open them. */
TEST(gaps_are_not_pushed)
{
    abut_error err;
    linear_options direct = {.name = "direct", .reproducible = true};
    double gaps[] = {5e-4, 1e-4, 1e-6, 1e-8};
    for (int k = 0; k < 4; k++) {
        model m = {0};
        make_pair(&m, gaps[k]);
        contact_options options = {.dhat = 1e-3};
        contact_term *contact;
        CHECK_OK(contact_create(&m, &options, &contact, &err), err);
        size_t n = 3 * m.rest.count;
        uint8_t *fixed = mem_calloc(n, 1);
        double *goal = mem_alloc(n, sizeof *goal), *x = mem_alloc(n, sizeof *x);
        memcpy(x, m.rest.data, n * sizeof *x);
        /* Sideways, with a stretch, but the gap stays. */
        for (size_t i = 0; i < n; i++) goal[i] = x[i] * (i % 3 == 1 ? 1 : 1.05);
        safe_projection result;
        CHECK_OK(safe_project(&m, contact, &direct, fixed, goal, x, &result, &err), err);
        CHECK_NEAR(result.distance, 0, 1e-12);
        CHECK_NEAR(gap_of(&m, &options, x), gaps[k], 1e-15 + 1e-6 * gaps[k]);
        /* The upper one pressed down by ten gaps: the gap shrinks, it is not pushed to dhat. */
        memcpy(x, m.rest.data, n * sizeof *x);
        memcpy(goal, x, n * sizeof *x);
        for (size_t i = 0; i < m.rest.count; i++)
            if (m.body.data[i] == 1) goal[3 * i + 1] -= 10 * gaps[k];
        CHECK_OK(safe_project(&m, contact, &direct, fixed, goal, x, &result, &err), err);
        double left = gap_of(&m, &options, x);
        CHECK(left > 0 && left < gaps[k]);
        CHECK(intersections(&m, x) == 0);
        contact->base.class->destroy(&contact->base);
        mem_free(fixed);
        mem_free(goal);
        mem_free(x);
        model_free(&m);
    }
}

static double value_of(volume_barrier *t, const double *x)
{
    return t->base.class->value(&t->base, &test_evaluation, x);
}

TEST(volume_barrier_derivatives)
{
    abut_error err;
    random_state r = {7};
    model m = {0};
    make_pair(&m, 0.1);
    volume_barrier *t;
    CHECK_OK(volume_barrier_create(&m, &t, &err), err);
    t->limit = 0.9;
    size_t n = 3 * m.rest.count;
    double *x = mem_alloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = ((double *)m.rest.data)[i] * 0.85 + random_range(&r, -0.02, 0.02);
    size_t active = 0;
    for (size_t c = 0; c < t->size.count; c++) {
        double g[12], h[90], gp[12], gm[12], plus, minus;
        evaluation exact = test_evaluation;
        exact.exact = true;
        t->base.class->derivatives(&t->base, &exact, 0, x, c, c + 1, g, h);
        volume_barrier one = *t; /* this cell alone */
        one.cells.data += 4 * c;
        one.size.data += c;
        one.size.count = 1;
        for (size_t i = 0; i < 12; i++) {
            size_t at = 3 * (size_t)t->cells.data[4 * c + i / 3] + i % 3;
            double keep = x[at], step = 1e-6;
            x[at] = keep + step;
            plus = value_of(&one, x);
            t->base.class->derivatives(&t->base, &exact, 0, x, c, c + 1, gp, NULL);
            x[at] = keep - step;
            minus = value_of(&one, x);
            t->base.class->derivatives(&t->base, &exact, 0, x, c, c + 1, gm, NULL);
            x[at] = keep;
            for (size_t k = i / 3; k < 4; k++) /* the row of blocks (i / 3, k) */
                for (size_t j = 0; j < 3; j++) {
                    size_t block = 4 * (i / 3) - i / 3 * (i / 3 + 1) / 2 + k;
                    double entry = h[9 * block + 3 * (i % 3) + j];
                    CHECK_NEAR(entry, (gp[3 * k + j] - gm[3 * k + j]) / (2 * step), 1e-6);
                }
            CHECK_NEAR(g[i], (plus - minus) / (2 * step), 1e-7);
            active += g[i] != 0;
        }
    }
    CHECK(active > 100);
    t->base.class->destroy(&t->base);
    mem_free(x);
    model_free(&m);
}

/* One triangle in the plane; and a start of a projection that is inverted is called so. */
TEST(volume_barrier_in_the_plane)
{
    abut_error err;
    double x[9] = {0, 0, 0, 0.6, 0.1, 0, 0.2, 0.5, 0}, size = 0.5, g[9];
    int32_t cell[3] = {0, 1, 2};
    model m = {.planar = true};
    volume_barrier *t;
    CHECK_OK(volume_barrier_create(&m, &t, &err), err);
    for (int k = 0; k < 3; k++) CHECK(array_push(&t->cells, cell[k]));
    CHECK(array_push(&t->size, size));
    t->limit = 0.9;
    t->base.class->derivatives(&t->base, &test_evaluation, 0, x, 0, 1, g, NULL);
    for (int i = 0; i < 9; i++) {
        double keep = x[i], step = 1e-6, plus, minus;
        x[i] = keep + step;
        plus = value_of(t, x);
        x[i] = keep - step;
        minus = value_of(t, x);
        x[i] = keep;
        CHECK_NEAR(g[i], i % 3 == 2 ? 0 : (plus - minus) / (2 * step), 1e-7);
    }
    CHECK(g[0] != 0 && g[1] != 0);
    t->base.class->destroy(&t->base);

    model pair = {0};
    make_pair(&pair, 0.1);
    size_t n = 3 * pair.rest.count;
    double *inverted = mem_alloc(n, sizeof *inverted);
    uint8_t *fixed = mem_calloc(n, 1);
    for (size_t i = 0; i < n; i++) inverted[i] = -((const double *)pair.rest.data)[i];
    safe_projection result;
    const linear_options direct = {.name = "direct"};
    CHECK(safe_project(&pair, NULL, &direct, fixed, (const double *)pair.rest.data, inverted,
                       &result, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(strstr(err.message, "inverted") != NULL);
    mem_free(inverted);
    mem_free(fixed);
    model_free(&pair);
}

int main(void)
{
    RUN(volume_barrier_in_the_plane);
    RUN(planar_meshes);
    RUN(spatial_meshes);
    RUN(nested_meshes);
    RUN(two_densities);
    RUN(other_regions_are_refused);
    RUN(never_intersects);
    RUN(gaps_are_not_pushed);
    RUN(volume_barrier_derivatives);
    return TEST_END();
}

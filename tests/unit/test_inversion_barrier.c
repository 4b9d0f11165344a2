/* Inversion barriers: an element that is driven towards inversion between the points of its rule
 * gets a barrier on the Bernstein coefficients of its determinant. */
#include "base/random.h"
#include "fem/lagrange.h"
#include "support/differences.h"
#include "term/inversion_barrier.h"
#include "test.h"

#include <stdlib.h>

static abut_error err;
static stage_timer timer;

/* One cell of order p at rest in its reference shape. */
typedef struct world {
    model m;
    elastic_term *elastic;
    inversion_barrier_term *inversion_barrier;
    problem problem;
    double x[MAX_N], direction[MAX_N];
    int scalars;
} world;

static void make_world(world *w, cell_kind kind, int order)
{
    int lattice[CELL_MAX_NODES][3], count = cell_lattice(kind, order, lattice);
    int32_t blocks[CELL_MAX_NODES];
    vec3 shape[CELL_MAX_NODES];
    memset(w, 0, sizeof *w);
    element_set set;
    CHECK_OK(element_set_init(&set, kind, order, order, true, &err), err);
    for (int a = 0; a < count; a++) {
        blocks[a] = a;
        shape[a] = (vec3){(double)lattice[a][0] / order, (double)lattice[a][1] / order,
                          (double)lattice[a][2] / order};
        vec3_store(w->x + 3 * a, shape[a]);
        CHECK(array_push(&w->m.rest, shape[a]));
    }
    w->scalars = 3 * count;
    elastic_parameters material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e4, 0.3);
    CHECK_OK(element_set_add(&set, blocks, shape, order, &material, 1000, 0, &err), err);
    CHECK(array_push(&w->m.sets, set));
    CHECK(inversion_barrier_needed(&w->m));
    CHECK_OK(elastic_create(&w->m, &w->elastic, &err), err);
    CHECK_OK(inversion_barrier_create(&w->m, &w->inversion_barrier, &err), err);
    CHECK_OK(problem_init(&w->problem, count, &timer, &err), err);
    CHECK_OK(problem_add_term(&w->problem, &w->inversion_barrier->base, &err), err);
}

static void free_world(world *w)
{
    problem_free(&w->problem);
    w->inversion_barrier->base.class->destroy(&w->inversion_barrier->base);
    w->elastic->base.class->destroy(&w->elastic->base);
    element_set_free(&w->m.sets.data[0]);
    array_free(&w->m.sets);
    array_free(&w->m.rest);
}

/* One step along the direction as far as both terms allow it; returns its length. */
static double advance(world *w)
{
    step_bound bound;
    term *elastic = &w->elastic->base, *inversion_barrier = &w->inversion_barrier->base;
    CHECK_OK(elastic->class->max_step(elastic, w->x, w->direction, 1, &bound, &timer, &err), err);
    bound.by = elastic;
    inversion_barrier->class->note_bounds(inversion_barrier, w->x, w->direction, &bound, 1);
    step_bound guarded;
    CHECK_OK(inversion_barrier->class->max_step(inversion_barrier, w->x, w->direction, bound.alpha,
                                                &guarded, &timer, &err),
             err);
    double alpha = guarded.alpha;
    for (int i = 0; i < w->scalars; i++) w->x[i] += alpha * w->direction[i];
    CHECK(elastic_count_inverted(w->elastic, w->x) == 0);
    inversion_barrier->class->adapt(inversion_barrier, w->x);
    return alpha;
}

static void random_direction(world *w, random_state *r)
{
    for (int i = 0; i < w->scalars; i++)
        w->direction[i] =
            w->m.sets.data[0].dimension == 2 && i % 3 == 2 ? 0 : random_range(r, -10, 10);
}

/* Hessians by differences, and no direction of negative curvature in the projected one. */
static void check_hessians(world *w, random_state *r)
{
    int n = w->scalars;
    difference_hessian(&w->problem, w->x, 1e-7, expected_h);
    check_true_hessian(&w->problem, w->x, 1e-4);
    CHECK_OK(problem_update(&w->problem, &test_evaluation, w->x, &err), err);
    CHECK_OK(problem_derivatives(&w->problem, &test_evaluation, w->x, true, &err), err);
    dense_matrix(&w->problem.matrix, full);
    CHECK(largest_of(full, n * n) > 0);
    for (int round = 0; round < 20; round++) {
        double v[MAX_N], product = 0, size = 0;
        for (int i = 0; i < n; i++) v[i] = random_range(r, -1, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                product += v[i] * full[n * i + j] * v[j];
                size += fabs(v[i] * full[n * i + j] * v[j]);
            }
        CHECK(product >= -1e-12 * size);
    }
}

static void check_kind(cell_kind kind, int order)
{
    random_state r = {11};
    for (int round = 0; round < 4; round++) {
        world w;
        make_world(&w, kind, order);
        random_direction(&w, &r);
        CHECK(value_at(&w.problem, w.x) == 0);
        for (int i = 0; i < 3; i++) CHECK(advance(&w) < 0.2);
        CHECK(w.inversion_barrier->lists[0].elements.count == 1);
        CHECK(value_at(&w.problem, w.x) > 0);
        check_gradient(&w.problem, w.x, 1e-7, 1e-4);
        check_hessians(&w, &r);
        /* The barrier stands where the determinant falls: its force is against the motion. */
        double g[MAX_N], along = 0;
        gradient_at(&w.problem, w.x, g);
        for (int i = 0; i < w.scalars; i++) along += g[i] * w.direction[i];
        CHECK(along > 0);
        inversion_barrier_begin_step(w.inversion_barrier);
        CHECK(value_at(&w.problem, w.x) == 0);
        free_world(&w);
    }
}

TEST(simplices)
{
    check_kind(CELL_TET, 2);
    check_kind(CELL_TET, 3);
    check_kind(CELL_TRIANGLE, 3);
}

TEST(cubes) { check_kind(CELL_HEX, 1); }

/* A random point of the reference cell, or lattice point i where it is one. */
static void some_point(const element_set *s, const positivity_part *part, int i, random_state *r,
                       double xi[3])
{
    if (i < s->positive.count) {
        positivity_point(&s->positive, part, i, xi);
        return;
    }
    double eta[3], sum;
    do {
        for (int k = 0; k < 3; k++) eta[k] = random_range(r, 0, 1);
        sum = eta[0] + eta[1] + eta[2];
    } while (s->kind == CELL_TET && sum > 1);
    for (int k = 0; k < 3; k++) {
        xi[k] = part->corner[k];
        for (int a = 0; a < 3; a++) xi[k] += part->axes[a][k] * eta[a];
    }
}

/* The least det F that is seen at points of a part. */
static double least_seen(const world *w, const positivity_part *part, random_state *r)
{
    const element_set *s = &w->m.sets.data[0];
    vec3 now[CELL_MAX_NODES];
    double least = INFINITY;
    for (int a = 0; a < s->nodes; a++) now[a] = vec3_load(w->x + 3 * a);
    for (int i = 0; i < s->positive.count + 200; i++) {
        double xi[3];
        mat3 before, after;
        some_point(s, part, i, r, xi);
        lagrange_position(s->kind, s->order, w->m.rest.data, xi, &before);
        lagrange_position(s->kind, s->order, now, xi, &after);
        least = fmin(least, mat3_determinant(after) / mat3_determinant(before));
    }
    return least;
}

static void check_bounds(cell_kind kind, int order, random_state *r, size_t *parts)
{
    world w;
    make_world(&w, kind, order);
    const element_set *s = &w.m.sets.data[0];
    random_direction(&w, r);
    for (int i = 0; i < 3; i++) advance(&w);
    vec3 u[ELEMENT_MAX_NODES];
    for (int a = 0; a < s->nodes; a++) u[a] = vec3_sub(vec3_load(w.x + 3 * a), w.m.rest.data[a]);
    const guarded_element *e = &w.inversion_barrier->lists[0].elements.data[0];
    for (size_t q = 0; q < e->parts.count; q++) {
        double ratio[POSITIVITY_MAX_COUNT], least = INFINITY;
        determinant_bound_ratios(s, &e->parts.data[q], u, ratio);
        for (int k = 0; k < s->positive.count; k++) least = fmin(least, ratio[k]);
        double seen = least_seen(&w, &e->parts.data[q].part, r);
        CHECK(least > 0 && seen >= least * (1 - 1e-9));
        CHECK(least >= fmin(GUARD_BEGINS, 0.4 * seen)); /* and not far below */
    }
    *parts += e->parts.count;
    free_world(&w);
}

/* A determinant anywhere in a part is not below its coefficients. */
TEST(coefficients_bound_determinants)
{
    random_state r = {5};
    size_t parts = 0;
    for (int round = 0; round < 3; round++) {
        check_bounds(CELL_TET, 3, &r, &parts);
        check_bounds(CELL_HEX, 1, &r, &parts);
    }
    CHECK(parts > 20); /* whole cells do not bound it well */
}

/* Driven on and on against it, a guarded element keeps a fifth of its coefficients each time, and
 * its force grows without bound. */
TEST(barriers_hold)
{
    random_state r = {5};
    world w;
    make_world(&w, CELL_TET, 2);
    random_direction(&w, &r);
    for (int i = 0; i < 3; i++) advance(&w);
    double force = 0;
    for (int i = 0; i < 6; i++) {
        double g[MAX_N], along = 0;
        double alpha = advance(&w);
        CHECK(alpha > 0 && alpha < 1);
        gradient_at(&w.problem, w.x, g);
        for (int k = 0; k < w.scalars; k++) along += g[k] * w.direction[k];
        CHECK(along > 5 * force);
        force = along;
    }
    CHECK(w.inversion_barrier->lists[0].elements.count == 1);
    free_world(&w);
}

/* The least of the ratios of what guards the element, each by what it was before where given. */
static double least_ratio(const world *w, const double *x, double *before, bool note)
{
    const element_set *s = &w->m.sets.data[0];
    const guarded_element *e = &w->inversion_barrier->lists[0].elements.data[0];
    vec3 u[ELEMENT_MAX_NODES];
    double least = INFINITY;
    for (int a = 0; a < s->nodes; a++) u[a] = vec3_sub(vec3_load(x + 3 * a), w->m.rest.data[a]);
    for (size_t q = 0; q < e->parts.count; q++) {
        double ratio[POSITIVITY_MAX_COUNT], *of = before + q * POSITIVITY_MAX_COUNT;
        determinant_bound_ratios(s, &e->parts.data[q], u, ratio);
        for (int k = 0; k < s->positive.count; k++) {
            if (note) of[k] = ratio[k];
            if (ratio[k] < INFINITY) least = fmin(least, ratio[k] / of[k]);
        }
    }
    return least;
}

/* A step leaves every coefficient a fifth, and no more than that of one. */
TEST(steps_leave_a_fifth)
{
    enum { PARTS = 600 };
    random_state r = {5};
    world w;
    make_world(&w, CELL_TET, 2);
    random_direction(&w, &r);
    for (int i = 0; i < 3; i++) advance(&w);
    const term *t = &w.inversion_barrier->base;
    double *before = calloc(PARTS * POSITIVITY_MAX_COUNT, sizeof *before), x[MAX_N];
    CHECK(before && w.inversion_barrier->lists[0].elements.data[0].parts.count <= PARTS);
    least_ratio(&w, w.x, before, true);
    step_bound bound;
    CHECK_OK(t->class->max_step(t, w.x, w.direction, 1, &bound, &timer, &err), err);
    CHECK(bound.alpha > 0 && bound.alpha < 1);
    for (int i = 0; i < w.scalars; i++) x[i] = w.x[i] + bound.alpha * w.direction[i];
    CHECK_NEAR(least_ratio(&w, x, before, false), KEEP_GAP, 1e-6);
    free(before);
    free_world(&w);
}

/* Where the step was cut short far from inversion, there is nothing to guard. */
TEST(swollen_cells_need_none)
{
    random_state r = {6};
    world w;
    make_world(&w, CELL_TET, 2);
    for (int i = 0; i < w.scalars; i++) w.x[i] *= 20;
    random_direction(&w, &r);
    for (int i = 0; i < w.scalars; i++) w.direction[i] *= 20;
    CHECK(advance(&w) < 1);
    CHECK(elastic_min_volume_ratio(w.elastic, w.x) > GUARD_BEGINS);
    CHECK(value_at(&w.problem, w.x) == 0);
    free_world(&w);
}

int main(void)
{
    RUN(simplices);
    RUN(cubes);
    RUN(coefficients_bound_determinants);
    RUN(barriers_hold);
    RUN(steps_leave_a_fifth);
    RUN(swollen_cells_need_none);
    return TEST_END();
}

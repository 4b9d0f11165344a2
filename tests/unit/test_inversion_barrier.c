/* Inversion-barrier points: an element that is driven towards inversion between the points of its
 * rule gets a barrier where the determinant vanishes first. */
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

/* One step along the direction as far as it is allowed; returns its length. */
static double advance(world *w)
{
    step_bound bound;
    term *elastic = &w->elastic->base, *inversion_barrier = &w->inversion_barrier->base;
    CHECK_OK(elastic->class->max_step(elastic, w->x, w->direction, 1, &bound, &timer, &err), err);
    bound.by = elastic;
    inversion_barrier->class->note_bounds(inversion_barrier, w->x, w->direction, &bound, 1);
    double alpha = bound.alpha;
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

static void check_kind(cell_kind kind, int order)
{
    random_state r = {11};
    for (int round = 0; round < 4; round++) {
        world w;
        make_world(&w, kind, order);
        random_direction(&w, &r);
        CHECK(value_at(&w.problem, w.x) == 0);
        for (int i = 0; i < 3; i++) CHECK(advance(&w) < ELASTIC_CUT_SHORT);
        CHECK(w.inversion_barrier->lists[0].points.count > 0);
        CHECK(value_at(&w.problem, w.x) > 0);
        check_gradient(&w.problem, w.x, 1e-7, 1e-4);
        check_majorant(&w.problem, w.x, 1e-7, 1e-3);
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

/* A point that was too weak is made eight times as strong, in place of a second one beside it,
 * twice at most. */
TEST(weak_points_grow)
{
    random_state r = {5};
    world w;
    make_world(&w, CELL_TET, 2);
    random_direction(&w, &r);
    double x[MAX_N], before = 0;
    const inversion_point_list *list = &w.inversion_barrier->lists[0];
    for (int i = 0; i < 10 && list->points.count == 0; i++) { /* the first near inversion */
        memcpy(x, w.x, sizeof x);
        CHECK(advance(&w) < ELASTIC_CUT_SHORT);
    }
    for (int i = 0; i < 6 && list->points.count == 1; i++) {
        double measure = list->points.data[0].measure;
        if (i > 0) CHECK_NEAR(measure, (i < 3 ? 8 : 1) * before, 1e-12 * measure);
        before = measure;
        memcpy(w.x, x, sizeof x);
        CHECK(advance(&w) < ELASTIC_CUT_SHORT);
    }
    CHECK(list->points.count == 1);
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
    CHECK(advance(&w) < ELASTIC_CUT_SHORT);
    CHECK(elastic_min_volume_ratio(w.elastic, w.x) > GUARD_BEGINS);
    CHECK(w.inversion_barrier->lists[0].points.count == 0);
    free_world(&w);
}

int main(void)
{
    RUN(simplices);
    RUN(cubes);
    RUN(weak_points_grow);
    RUN(swollen_cells_need_none);
    return TEST_END();
}

/* Directions that know what stops them: points that are pulled to targets behind walls which the
 * energy does not show, alone or joined by springs. */
#include "support/evaluation.h"
#include "test.h"

#include "solve/newton.h"

#include <string.h>

enum { POINTS = 4 };

/* Every point is pulled to a target; springs between neighbours, where the flag says so. */
typedef struct pulled {
    term base;
    double target[POINTS], wall[POINTS]; /* of x; no wall: -INFINITY */
    bool joined;
    int queries;
} pulled;

static double value(const term *base, const evaluation *ev, const double *x)
{
    (void)ev;
    const pulled *t = (const pulled *)base;
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double d = x[3 * i] - t->target[i], e = x[3 * i + 1], f = x[3 * i + 2];
        sum += 0.5 * (d * d + e * e + f * f);
        if (!(x[3 * i] > t->wall[i])) return INFINITY;
    }
    for (int i = 0; t->joined && i + 1 < POINTS; i++)
        for (int c = 0; c < 3; c++) {
            double d = x[3 * i + 3 + c] - x[3 * i + c];
            sum += 0.5 * 10 * d * d;
        }
    return sum;
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)ev;
    const pulled *t = (const pulled *)base;
    for (size_t s = begin; s < end; s++)
        for (int i = 0; i < 3; i++) {
            size_t at = 3 * s + (size_t)i, k = s - begin;
            if (group == 0) {
                if (gradient) gradient[3 * k + (size_t)i] = x[at] - (i == 0 ? t->target[s] : 0);
                for (int j = 0; hessian && j < 3; j++)
                    hessian[9 * k + (size_t)(3 * i + j)] = i == j;
                continue;
            }
            double d = 10 * (x[at + 3] - x[at]);
            if (gradient) gradient[6 * k + (size_t)i] = -d;
            if (gradient) gradient[6 * k + 3 + (size_t)i] = d;
            for (int j = 0; hessian && j < 3; j++) {
                double *h = hessian + 27 * k + (size_t)(3 * i + j);
                h[0] = h[18] = i == j ? 10 : 0;
                h[9] = i == j ? -10 : 0;
            }
        }
}

/* Nine tenths of the distance to a wall may be gone. */
static double moment_of(const pulled *t, const double *x, const double *p, int i)
{
    double gap = x[3 * i] - t->wall[i];
    return -p[3 * i] > 0.9 * gap ? 0.9 * gap / -p[3 * i] : 1;
}

static abut_status max_step(const term *base, const double *x, const double *p, double limit,
                            step_bound *bound, stage_timer *timer, abut_error *err)
{
    (void)timer, (void)err;
    bound->alpha = limit;
    for (int i = 0; i < POINTS; i++)
        bound->alpha = fmin(bound->alpha, moment_of((const pulled *)base, x, p, i));
    return ABUT_OK;
}

static abut_status obstructions(const term *base, const double *x, const double *p,
                                obstruction_list *out, abut_error *err)
{
    const pulled *t = (const pulled *)base;
    ((pulled *)base)->queries++;
    for (int i = 0; i < POINTS; i++) {
        double moment = moment_of(t, x, p, i);
        if (moment >= 1) continue;
        obstruction row = {.first = out->blocks.count,
                           .count = 1,
                           .key = {0, i, -1, -1, -1},
                           .bound = -0.85 * (x[3 * i] - t->wall[i]),
                           .moment = moment};
        bool ok = array_push(&out->rows, row) && array_push(&out->blocks, i);
        for (int c = 0; c < 3; c++) ok = ok && array_push(&out->values, c == 0 ? 1.0 : 0.0);
        if (!ok) return error_memory(err, "listing walls");
    }
    return ABUT_OK;
}

static const term_class kind = {.name = "pulled",
                                .value = value,
                                .derivatives = derivatives,
                                .max_step = max_step,
                                .obstructions = obstructions};

typedef struct fixture {
    pulled t;
    problem p;
    stage_timer timer;
    linear_solver *linear;
    double x[3 * POINTS], right[3 * POINTS], direction[3 * POINTS];
} fixture;

static void set_up(fixture *f, bool joined, const double *target, const double *wall)
{
    static const int32_t single[POINTS] = {0, 1, 2, 3}, joints[6] = {0, 1, 1, 2, 2, 3};
    abut_error err;
    memset(f, 0, sizeof *f);
    f->t.base = (term){.class = &kind,
                       .group_count = joined ? 2 : 1,
                       .groups = {{1, POINTS, single}, {2, 3, joints}}};
    f->t.joined = joined;
    memcpy(f->t.target, target, sizeof f->t.target);
    memcpy(f->t.wall, wall, sizeof f->t.wall);
    const uint8_t fixed[3 * POINTS] = {0};
    CHECK_OK(problem_init(&f->p, POINTS, &f->timer, &err), err);
    CHECK_OK(problem_add_term(&f->p, &f->t.base, &err), err);
    CHECK_OK(linear_create(&(linear_options){.name = "direct"}, &f->linear, &err), err);
    CHECK_OK(problem_set_fixed(&f->p, fixed, &err), err);
}

static void tear_down(fixture *f)
{
    linear_destroy(f->linear);
    problem_free(&f->p);
}

/* Newton's direction from x = 0 and the one that looks ahead; the part of it that can be gone. */
static double look(fixture *f, bool *chosen)
{
    abut_error err;
    look_ahead l = {.fresh = true};
    double alpha = 1;
    CHECK_OK(problem_update(&f->p, &test_evaluation, f->x, &err), err);
    CHECK_OK(problem_derivatives(&f->p, &test_evaluation, f->x, true, &err), err);
    for (size_t i = 0; i < 3 * POINTS; i++) f->right[i] = -f->p.gradient[i];
    CHECK_OK(problem_solve(&f->p, f->linear, f->x, f->right, 0, f->direction, &err), err);
    CHECK_OK(problem_max_step(&f->p, &test_evaluation, f->x, f->direction, 1, &alpha, &err), err);
    CHECK_OK(look_ahead_direction(&l, &f->p, &test_evaluation, f->linear, f->x, f->right,
                                  f->direction, &alpha, chosen, &err),
             err);
    look_ahead_free(&l);
    return alpha;
}

static const double NONE = -1e300;

/* The model's minimum subject to the wall: the wall's neighbour goes with it, by the springs. */
TEST(joined_points_stop_at_the_wall_and_the_others_follow)
{
    fixture f;
    const double target[POINTS] = {-1, -1, -1, -1}, wall[POINTS] = {-0.1, NONE, NONE, NONE};
    bool chosen;
    set_up(&f, true, target, wall);
    double alpha = look(&f, &chosen);
    CHECK(chosen && alpha == 1);
    CHECK_NEAR(f.direction[0], -0.085, 1e-6);
    /* Equilibrium of the free points with the first one fixed. */
    for (int i = 1; i < POINTS; i++) {
        double q = f.direction[3 * i], force = q + 1 + 10 * (q - f.direction[3 * i - 3]);
        if (i + 1 < POINTS) force += 10 * (q - f.direction[3 * i + 3]);
        CHECK_NEAR(force, 0, 1e-6);
    }
    tear_down(&f);
}

/* What nothing joins goes all of its path, as far as the radius of the first look allows. */
TEST(islands_are_stopped_one_by_one)
{
    fixture f;
    const double target[POINTS] = {-1, -1, 2, -1}, wall[POINTS] = {-0.1, NONE, NONE, -0.2};
    bool chosen;
    set_up(&f, false, target, wall);
    double alpha = look(&f, &chosen);
    CHECK(chosen && alpha == 1);
    CHECK_NEAR(f.direction[0], -0.085, 1e-6);
    CHECK_NEAR(f.direction[9], -0.17, 1e-6);
    CHECK_NEAR(f.direction[3], -1, 1e-12);
    CHECK(f.direction[6] > 1.2 && f.direction[6] <= 2);
    tear_down(&f);
}

/* A wall that only the path of another direction would meet has no force. */
TEST(forces_only_push)
{
    fixture f;
    const double target[POINTS] = {-1, -1, -1, -1}, wall[POINTS] = {-0.1, -0.7, -0.12, -0.9};
    bool chosen;
    set_up(&f, true, target, wall);
    double alpha = look(&f, &chosen), slope = 0;
    for (size_t i = 0; i < 3 * POINTS; i++) slope += f.right[i] * f.direction[i];
    CHECK(chosen && alpha == 1 && slope > 0);
    /* Only the first and the third are fixed: the second would be pulled by its wall otherwise. */
    double q = f.direction[3], force = q + 1 + 10 * (2 * q - f.direction[0] - f.direction[6]);
    CHECK_NEAR(force, 0, 1e-4);
    tear_down(&f);
}

/* The same minimum as without, up to walls, in far fewer iterations. */
TEST(iterations_are_fewer)
{
    int count[2];
    for (int ahead = 0; ahead < 2; ahead++) {
        fixture f;
        const double target[POINTS] = {2, 2, 2, 2}, wall[POINTS] = {-0.1, -1e-4, -1e-6, NONE};
        newton_solver newton = {0};
        newton_result result;
        abut_error err;
        set_up(&f, true, target, wall);
        for (int i = 0; i < POINTS; i++) f.x[3 * i] = (i % 2 ? 1e-7 : 1) * (i + 1);
        newton_options options = {
            .tolerance = 1e-9, .max_iterations = 500, .look_ahead = ahead == 1};
        CHECK_OK(newton_init(&newton, &f.p, f.linear, NULL, &err), err);
        CHECK_OK(newton_minimize(&newton, &test_evaluation, f.x, &options, NULL, &result, &err),
                 err);
        CHECK(result.converged && (ahead || f.t.queries == 0));
        for (int i = 0; i < POINTS; i++) CHECK_NEAR(f.x[3 * i], 2, 1e-8);
        count[ahead] = result.iterations;
        newton_free(&newton);
        tear_down(&f);
    }
    CHECK(count[1] <= count[0]);
}

/* However often: radii follow the lengths of the paths that were looked at. */
TEST(radii_stay_at_the_scale_of_the_scene)
{
    fixture f;
    const double target[POINTS] = {-1, -1, 2, -1}, wall[POINTS] = {-0.1, NONE, NONE, -0.2};
    look_ahead l = {.fresh = true};
    bool chosen;
    abut_error err;
    set_up(&f, false, target, wall);
    look(&f, &chosen);
    for (int k = 0; k < 100; k++) {
        double alpha = 0.085;
        CHECK_OK(problem_solve(&f.p, f.linear, f.x, f.right, 0, f.direction, &err), err);
        CHECK_OK(look_ahead_direction(&l, &f.p, &test_evaluation, f.linear, f.x, f.right,
                                      f.direction, &alpha, &chosen, &err),
                 err);
        CHECK(chosen);
    }
    for (size_t i = 0; i < POINTS; i++) CHECK(l.radius.data[i] > 0.05 && l.radius.data[i] < 10);
    look_ahead_free(&l);
    tear_down(&f);
}

int main(void)
{
    RUN(joined_points_stop_at_the_wall_and_the_others_follow);
    RUN(islands_are_stopped_one_by_one);
    RUN(forces_only_push);
    RUN(radii_stay_at_the_scale_of_the_scene);
    RUN(iterations_are_fewer);
    return TEST_END();
}

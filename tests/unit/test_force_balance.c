/* Newton's method ends where forces balance, not where its direction is short: a spring and a load
 * on one block, with a Hessian that is far too stiff. */
#include "support/evaluation.h"
#include "test.h"

#include "solve/newton.h"

#include <math.h>

/* |x - rest|^2 / 2 - load x_0; its stencils are the spring and the load. */
static double rest, load, stiffness;

static double value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    double sum = -load * x[0];
    for (int i = 0; i < 3; i++) sum += 0.5 * (x[i] - rest) * (x[i] - rest);
    return sum;
}

static void derivatives(const term *t, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)t, (void)ev, (void)group;
    for (size_t s = begin; s < end; s++, gradient += 3, hessian += hessian ? 9 : 0)
        for (int i = 0; i < 3; i++) {
            gradient[i] = s == 0 ? x[i] - rest : i == 0 ? -load : 0;
            for (int k = 0; hessian && k < 3; k++)
                hessian[3 * i + k] = i == k && s == 0 ? stiffness : 0;
        }
}

typedef struct bed {
    term spring;
    problem problem;
    stage_timer timer;
} bed;

static const int32_t same[2] = {0, 0};
static const uint8_t none[3];

/* blocks: of the spring and of the load. */
static void set_up(bed *b, const int32_t blocks[2], const uint8_t *fixed, abut_error *err)
{
    static const term_class kind = {"spring", .value = value, .derivatives = derivatives};
    *b = (bed){.spring = {.class = &kind, .group_count = 1, .groups = {{1, 2, blocks}}}};
    CHECK_OK(problem_init(&b->problem, blocks[1] + 1, &b->timer, err), *err);
    CHECK_OK(problem_add_term(&b->problem, &b->spring, err), *err);
    CHECK_OK(problem_set_fixed(&b->problem, fixed, err), *err);
}

static newton_result minimize(double *x, double tolerance, double force_tolerance)
{
    bed b;
    linear_solver *linear = NULL;
    newton_solver newton = {0};
    newton_options options = {tolerance, force_tolerance, .max_iterations = 1000};
    newton_result result = {0};
    abut_error err;
    set_up(&b, same, none, &err);
    CHECK_OK(linear_create(&(linear_options){.name = "direct"}, &linear, &err), err);
    CHECK_OK(newton_init(&newton, &b.problem, linear, NULL, &err), err);
    CHECK_OK(newton_minimize(&newton, &test_evaluation, x, &options, NULL, &result, &err), err);
    newton_free(&newton);
    linear_destroy(linear);
    problem_free(&b.problem);
    return result;
}

/* The first direction is a twentieth of the distance. */
TEST(short_directions_are_no_balance)
{
    rest = 0, load = 1, stiffness = 20;
    double x[3] = {0};
    newton_result result = minimize(x, 0.1, 0);
    CHECK(result.converged && result.iterations == 1 && result.unbalanced == 0);
    CHECK_NEAR(x[0], 0.05, 1e-12);
    for (double share = 1e-2; share > 1e-9; share /= 10) {
        x[0] = 0;
        result = minimize(x, 0.1, share);
        CHECK(result.converged && !result.at_noise && result.unbalanced <= share);
        CHECK(result.unbalanced > 0.9 * share); /* and not much longer */
        CHECK_NEAR(x[0], 1, 2 * share);         /* spring and load: 1 + 1 */
    }
}

/* Where nothing acts at the end, every force is unbalanced: rounding ends it, and says so. */
TEST(free_bodies_end_at_rounding)
{
    rest = 0.1, load = 0, stiffness = 1.5;
    double x[3] = {0.7, 0.1, 0.1};
    newton_result result = minimize(x, 0.01, 1e-6);
    CHECK(result.converged && result.iterations < 60);
    CHECK(result.at_noise || result.unbalanced == 0);
    CHECK_NEAR(x[0], rest, 1e-15);
}

static double measure(const int32_t blocks[2], const uint8_t *fixed, const double *levers,
                      const double *x)
{
    bed b;
    force_balance balance = {0};
    abut_error err;
    double share = -1;
    set_up(&b, blocks, fixed, &err);
    b.problem.lengths = levers;
    CHECK_OK(problem_derivatives(&b.problem, &test_evaluation, x, true, &err), err);
    CHECK_OK(force_balance_measure(&balance, &b.problem, &test_evaluation, x, &share, &err), err);
    force_balance_free(&balance);
    problem_free(&b.problem);
    return share;
}

/* Sums of what single stencils contribute, also of those that cancel. */
TEST(forces_that_cancel_count)
{
    static const double at[3] = {3, 1, 1};
    rest = 1, load = 1.5, stiffness = 1;
    CHECK_NEAR(measure(same, none, NULL, at), 0.5 / 3.5, 1e-15); /* |2 - 1.5| of 2 + 1.5 */
}

/* The largest force is the moment 2 of the spring on the prescribed block, by its lever. */
TEST(supports_and_levers_count)
{
    static const double at[6] = {3, 1, 1, 0, 0, 0}, levers[2] = {0.5, 2};
    static const int32_t blocks[2] = {0, 1};
    static const uint8_t fixed[6] = {1, 1, 1, 0, 0, 0};
    rest = 1, load = 1.5, stiffness = 1;
    CHECK_NEAR(measure(blocks, fixed, NULL, at), 1.5 / 2, 1e-15);
    CHECK_NEAR(measure(blocks, fixed, levers, at), 1.5 / 2 / 4, 1e-15);
}

int main(void)
{
    RUN(short_directions_are_no_balance);
    RUN(free_bodies_end_at_rounding);
    RUN(forces_that_cancel_count);
    RUN(supports_and_levers_count);
    return TEST_END();
}

/* Parts of Newton's method, on energies of one block: how long a direction is, when it is short
 * enough, which positions are accepted, steps that leap over the minimum, lies about the slope. */
#include "support/evaluation.h"
#include "test.h"

#include "solve/newton.h"

#include <string.h>

/* |x|^2 / 2, with a Hessian and a gradient that are off by factors. */
static double hessian_factor = 1, gradient_factor = 1;

static double value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    return 0.5 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static void derivatives(const term *t, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)t, (void)ev, (void)group;
    for (size_t s = begin; s < end; s++)
        for (int i = 0; i < 3; i++) {
            if (gradient) gradient[i] = gradient_factor * x[i];
            for (int k = 0; hessian && k < 3; k++) hessian[3 * i + k] = i == k ? hessian_factor : 0;
        }
}

static bool accepts(term *t, const double *x)
{
    (void)t;
    return x[0] >= 0.5;
}

static const term_class plain = {.name = "plain", .value = value, .derivatives = derivatives};

static abut_status minimize(const term_class *kind, double *x, const double *lengths,
                            const uint8_t fixed[3], const newton_options *options,
                            newton_result *result)
{
    static const int32_t blocks[1] = {0};
    term t = {.class = kind, .group_count = 1, .groups = {{1, 1, blocks}}};
    problem p = {0};
    stage_timer timer = {0};
    linear_solver *linear = NULL;
    newton_solver newton = {0};
    abut_error err;
    CHECK_OK(problem_init(&p, 1, &timer, &err), err);
    CHECK_OK(problem_add_term(&p, &t, &err), err);
    CHECK_OK(linear_create(&(linear_options){.name = "direct"}, &linear, &err), err);
    CHECK_OK(newton_init(&newton, &p, linear, NULL, &err), err);
    CHECK_OK(problem_set_fixed(&p, fixed, &err), err);
    p.lengths = lengths;
    abut_status status = newton_minimize(&newton, &test_evaluation, x, options, NULL, result, &err);
    newton_free(&newton);
    linear_destroy(linear);
    problem_free(&p);
    return status;
}

static const uint8_t none[3] = {0};

/* Rotations count as the lengths that they move points by. */
TEST(directions_are_lengths)
{
    double x[3] = {1, -2, 0}, length = 0.01;
    newton_result result;
    newton_options options = {.tolerance = 1e-6, .max_iterations = 50};
    CHECK(minimize(&plain, x, &length, none, &options, &result) == ABUT_OK);
    CHECK_NEAR(result.first_direction, 0.02, 1e-15);
    x[0] = 1, x[1] = -2;
    CHECK(minimize(&plain, x, NULL, none, &options, &result) == ABUT_OK);
    CHECK_NEAR(result.first_direction, 2, 1e-15);
}

/* Directions that halve from one iteration to the next: one below the tolerance ends it by the
 * largest entry, three by the mean. */
TEST(measures)
{
    hessian_factor = 2;
    double x[3] = {1, 0, 0};
    newton_result result;
    newton_options options = {.tolerance = 0.1, .max_iterations = 50};
    CHECK(minimize(&plain, x, NULL, none, &options, &result) == ABUT_OK);
    CHECK(result.converged && result.iterations == 4);
    options.measure = NEWTON_RMS;
    x[0] = 1;
    CHECK(minimize(&plain, x, NULL, none, &options, &result) == ABUT_OK);
    CHECK(result.converged && result.iterations == 6);
    hessian_factor = 1;
}

/* What a term does not accept is never a result, however low its energy. */
TEST(refused_positions)
{
    static const term_class kind = {
        .name = "wall", .value = value, .derivatives = derivatives, .accepts = accepts};
    double x[3] = {1, 1, 1};
    newton_result result;
    newton_options options = {.tolerance = 1e-6, .max_iterations = 50};
    minimize(&kind, x, NULL, none, &options, &result);
    CHECK(x[0] >= 0.5 && x[0] < 1);
}

/* Steps that leap over the minimum to nearly the same height behind it are shortened. */
TEST(leaps)
{
    hessian_factor = 0.55;
    double x[3] = {1, 0, 0};
    newton_result result;
    newton_options options = {.tolerance = 1e-9, .max_iterations = 200};
    CHECK(minimize(&plain, x, NULL, none, &options, &result) == ABUT_OK);
    CHECK(result.converged && result.iterations < 40 && result.halvings > 0);
    hessian_factor = 1;
}

/* A gradient that points uphill: the energy rises along every direction, and that is no
 * convergence. */
TEST(energies_that_rise)
{
    gradient_factor = -1;
    double x[3] = {1, 0, 0};
    newton_result result;
    newton_options options = {.tolerance = 1e-6, .max_iterations = 50};
    CHECK(minimize(&plain, x, NULL, none, &options, &result) == ABUT_ERROR_NOT_CONVERGED);
    CHECK(!result.converged && result.stalled && x[0] == 1);
    gradient_factor = 1;
}

/* The same with a direction below the tolerance: x stays where it is, and the end is marked. */
TEST(short_directions_that_rise_leave_x)
{
    gradient_factor = -1;
    double x[3] = {1e-7, 0, 0};
    newton_result result;
    newton_options options = {.tolerance = 1e-6, .max_iterations = 50};
    CHECK(minimize(&plain, x, NULL, none, &options, &result) == ABUT_OK);
    CHECK(result.converged && result.at_noise && x[0] == 1e-7);
    gradient_factor = 1;
    CHECK(minimize(&plain, x, NULL, none, &options, &result) == ABUT_OK);
    CHECK(result.converged && !result.at_noise);
}

/* Gradients of which nothing is left but rounding: directions as long as before, for ever, and an
 * energy that shows nothing. */
static double flat_value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev, (void)x;
    return 1;
}

static double shrink = 1; /* of directions, from one to the next */

static void jumping_derivatives(const term *t, const evaluation *ev, int group, const double *x,
                                size_t begin, size_t end, double *gradient, double *hessian)
{
    derivatives(t, ev, group, x, begin, end, gradient, hessian);
    if (gradient) gradient[0] = (1 + shrink) * x[0], gradient[1] = gradient[2] = 0;
}

TEST(iterations_that_rounding_hides_end)
{
    static const term_class kind = {
        .name = "rounding", .value = flat_value, .derivatives = jumping_derivatives};
    double x[3] = {1e-8, 0, 0};
    newton_result result;
    newton_options options = {.tolerance = 1e-12, .max_iterations = 500};
    CHECK(minimize(&kind, x, NULL, none, &options, &result) == ABUT_OK);
    CHECK(result.converged && result.at_noise && result.iterations > 53);
    CHECK(result.iterations < 60);
    shrink = 0.9; /* slow, but they do become shorter: to the tolerance */
    x[0] = 1e-8;
    CHECK(minimize(&kind, x, NULL, none, &options, &result) == ABUT_OK);
    CHECK(result.converged && !result.at_noise && result.iterations > 80 && fabs(x[0]) < 1e-12);
    shrink = 1;
}

/* Where the slope promises less than the rounding of a large energy, the energy may not rise by
 * more than that rounding: 1e12 + 1e6 x^2, with a slope of 1e-3 that is not there. */
static double high_value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    return 1e12 + 1e6 * x[0] * x[0];
}

static void high_derivatives(const term *t, const evaluation *ev, int group, const double *x,
                             size_t begin, size_t end, double *gradient, double *hessian)
{
    derivatives(t, ev, group, x, begin, end, gradient, hessian);
    if (gradient) gradient[0] = -1e-3, gradient[1] = gradient[2] = 0;
    if (hessian) hessian[0] = 1e-3;
}

TEST(noise_is_bounded)
{
    static const term_class kind = {
        .name = "high", .value = high_value, .derivatives = high_derivatives};
    double x[3] = {0, 0, 0};
    newton_result result;
    newton_options options = {.tolerance = 1e-9, .max_iterations = 1};
    minimize(&kind, x, NULL, none, &options, &result);
    CHECK(fabs(x[0]) < 0.01 && result.halvings > 0);
}

/* One fixed coordinate of a block stays, whichever it is, and the others move. */
TEST(fixed_coordinates)
{
    for (int axis = 0; axis < 3; axis++) {
        uint8_t fixed[3] = {axis == 0, axis == 1, axis == 2};
        double x[3] = {1, 1, 1};
        newton_result result;
        newton_options options = {.tolerance = 1e-9, .max_iterations = 50};
        CHECK(minimize(&plain, x, NULL, fixed, &options, &result) == ABUT_OK);
        for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], i == axis, 1e-12);
    }
}

/* A double well, from near its ridge, with a matrix of 10 where the true curvature is -1: along the
 * latter there is no minimum, and the step goes as far as it is trusted, downhill. */
static double well_value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    double well = x[0] * x[0] - 1;
    return 0.25 * well * well + 0.5 * (x[1] * x[1] + x[2] * x[2]);
}

static void well_derivatives(const term *t, const evaluation *ev, int group, const double *x,
                             size_t begin, size_t end, double *gradient, double *hessian)
{
    derivatives(t, ev, group, x, begin, end, gradient, hessian);
    if (gradient) gradient[0] = x[0] * (x[0] * x[0] - 1);
    if (hessian) hessian[0] = ev->exact ? 3 * x[0] * x[0] - 1 : 10;
}

TEST(ridges)
{
    static const term_class kind = {
        .name = "well", .value = well_value, .derivatives = well_derivatives};
    double x[3] = {0.01, 0, 0};
    newton_result result;
    newton_options options = {.tolerance = 1e-8, .max_iterations = 200, .hessian = NEWTON_ADAPTIVE};
    CHECK(minimize(&kind, x, NULL, none, &options, &result) == ABUT_OK);
    CHECK(result.converged && result.iterations < 40);
    CHECK_NEAR(x[0], 1, 1e-7);
}

static bool adapts(term *t, const double *x)
{
    (void)t;
    return x[0] > 1;
}

/* One term that has changed its parameters is enough, wherever it stands. */
TEST(terms_that_adapt_are_told)
{
    static const int32_t blocks[1] = {0};
    static const term_class changing = {
        .name = "changing", .value = value, .derivatives = derivatives, .adapt = adapts};
    term first = {.class = &changing, .group_count = 1, .groups = {{1, 1, blocks}}}, second = first;
    second.class = &plain;
    problem p = {0};
    stage_timer timer = {0};
    abut_error err;
    CHECK_OK(problem_init(&p, 1, &timer, &err), err);
    CHECK_OK(problem_add_term(&p, &first, &err), err);
    CHECK_OK(problem_add_term(&p, &second, &err), err);
    CHECK(problem_adapt(&p, &test_evaluation, (double[3]){2, 0, 0}));
    CHECK(!problem_adapt(&p, &test_evaluation, (double[3]){0, 2, 0}));
    problem_free(&p);
}

int main(void)
{
    RUN(terms_that_adapt_are_told);
    RUN(ridges);
    RUN(directions_are_lengths);
    RUN(measures);
    RUN(refused_positions);
    RUN(leaps);
    RUN(energies_that_rise);
    RUN(short_directions_that_rise_leave_x);
    RUN(iterations_that_rounding_hides_end);
    RUN(noise_is_bounded);
    RUN(fixed_coordinates);
    return TEST_END();
}

/* Newton's method on an energy that is infinite beyond a bound of which no term tells the line
 * search. */
#include "support/evaluation.h"
#include "test.h"

#include "solve/newton.h"

#include <string.h>

/* Sum over the scalars of 5 x - ln x: its minimum is at 0.2, and Newton's step from 1 leads to -3.
 */
static double value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += x[i] > 0 ? 5 * x[i] - log(x[i]) : INFINITY;
    return sum;
}

static void derivatives(const term *t, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)t, (void)ev, (void)group;
    for (size_t s = begin; s < end; s++)
        for (int i = 0; i < 3; i++) {
            if (gradient) gradient[i] = 5 - 1 / x[i];
            for (int k = 0; hessian && k < 3; k++)
                hessian[3 * i + k] = i == k ? 1 / (x[i] * x[i]) : 0;
        }
}

/* Minimises the sum of a term on one block from x, with the direct solver. */
static abut_status try_options(const term_class *kind, double *x, const newton_options *options,
                               const newton_hooks *hooks, newton_result *result, abut_error *error)
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
    const uint8_t fixed[3] = {0};
    CHECK_OK(problem_set_fixed(&p, fixed, &err), err);
    abut_status status =
        newton_minimize(&newton, &test_evaluation, x, options, hooks, result, error);
    newton_free(&newton);
    linear_destroy(linear);
    problem_free(&p);
    return status;
}

static abut_status try_minimize(const term_class *kind, double *x, int max_iterations,
                                newton_result *result, abut_error *error)
{
    newton_options options = {
        .tolerance = 1e-10, .max_iterations = max_iterations, .hessian = NEWTON_ADAPTIVE};
    return try_options(kind, x, &options, NULL, result, error);
}

static void minimize(const term_class *kind, double *x, int max_iterations, newton_result *result)
{
    abut_error err;
    CHECK_OK(try_minimize(kind, x, max_iterations, result, &err), err);
}

TEST(infinite_energies_are_never_accepted)
{
    static const term_class kind = {
        .name = "logarithm", .value = value, .derivatives = derivatives};
    double x[3] = {1, 0.7, 0.1};
    newton_result result;
    minimize(&kind, x, 50, &result);
    CHECK(result.converged && result.halvings > 0 && isfinite(result.energy));
    for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], 0.2, 1e-9);
}

/* Sum of x^2/2 with a matrix that is 10, 20 and 40 times too stiff, as projections make it. */
static double soft_value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    return 0.5 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static void soft_derivatives(const term *t, const evaluation *ev, int group, const double *x,
                             size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)t, (void)ev, (void)group;
    for (size_t s = begin; s < end; s++)
        for (int i = 0; i < 3; i++) {
            if (gradient) gradient[i] = x[i];
            for (int k = 0; hessian && k < 3; k++) hessian[3 * i + k] = i == k ? 10 << i : 0;
        }
}

/* One step after the other shrinks the error by 1 - 1/40 only, which is 770 of them. Where the true
 * Hessian can be had, the first of its steps that the trust region does not cut is the last one. */
static void honest_derivatives(const term *t, const evaluation *ev, int group, const double *x,
                               size_t begin, size_t end, double *gradient, double *hessian)
{
    soft_derivatives(t, ev, group, x, begin, end, gradient, hessian);
    for (size_t i = 0; hessian && ev->exact && i < 9; i++) hessian[i] = i % 4 == 0;
}

TEST(true_hessians_help_where_projected_ones_are_too_stiff)
{
    static const term_class kind = {
        .name = "soft", .value = soft_value, .derivatives = honest_derivatives};
    double x[3] = {1, 1, 1};
    newton_result result;
    minimize(&kind, x, 10000, &result);
    CHECK(result.converged && result.iterations < 15);
    for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], 0, 1e-8);
    newton_options projected = {
        .tolerance = 1e-10, .max_iterations = 2000, .hessian = NEWTON_PROJECTED};
    for (int i = 0; i < 3; i++) x[i] = 1;
    abut_error err;
    CHECK_OK(try_options(&kind, x, &projected, NULL, &result, &err), err);
    CHECK(result.converged && result.iterations > 100);
}

/* A scalar that is 1e24 times as stiff as the others, one in a double well, whose curvature is
 * negative between its bottoms, and a spring: 1e24 x^2/2 + (y^2 - 1)^2/4 + (z - 3)^2/2. */
static const double HUGE_ENTRY = 1e24;

static double well_value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    double well = x[1] * x[1] - 1, spring = x[2] - 3;
    return 0.5 * HUGE_ENTRY * x[0] * x[0] + 0.25 * well * well + 0.5 * spring * spring;
}

static void well_derivatives(const term *t, const evaluation *ev, int group, const double *x,
                             size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)t, (void)ev, (void)group;
    if (begin == end) return;
    if (gradient) {
        gradient[0] = HUGE_ENTRY * x[0];
        gradient[1] = x[1] * (x[1] * x[1] - 1);
        gradient[2] = x[2] - 3;
    }
    if (!hessian) return;
    memset(hessian, 0, 9 * sizeof *hessian);
    hessian[0] = HUGE_ENTRY;
    hessian[4] = 3 * x[1] * x[1] - 1;
    hessian[8] = 1;
}

/* A shift that is a share of the largest entry would make steps of 1e-12 of the others, below every
 * tolerance. */
TEST(one_huge_entry_does_not_freeze_the_others)
{
    static const term_class kind = {
        .name = "well", .value = well_value, .derivatives = well_derivatives};
    double x[3] = {0, 0.1, 0}, before = well_value(NULL, NULL, x);
    newton_result result;
    minimize(&kind, x, 50, &result);
    CHECK(result.converged && result.energy < before);
    CHECK_NEAR(x[0], 0, 1e-12);
    CHECK_NEAR(x[1], 1, 1e-9);
    CHECK_NEAR(x[2], 3, 1e-9);
}

static void projected_well_derivatives(const term *t, const evaluation *ev, int group,
                                       const double *x, size_t begin, size_t end, double *gradient,
                                       double *hessian)
{
    well_derivatives(t, ev, group, x, begin, end, gradient, hessian);
    if (hessian && !ev->exact && hessian[4] < 0) hessian[4] = 1;
}

/* Close to the ridge between two wells, the true Hessian leads onto the ridge, the projected one
 * down. */
TEST(true_hessians_first_end_on_ridges)
{
    static const term_class kind = {
        .name = "well", .value = well_value, .derivatives = projected_well_derivatives};
    for (int first = 0; first < 2; first++) {
        newton_options options = {
            .tolerance = 1e-10, .max_iterations = 100, .true_first = first == 1};
        double x[3] = {0, 1e-9, 0};
        newton_result result;
        abut_error err;
        CHECK_OK(try_options(&kind, x, &options, NULL, &result, &err), err);
        CHECK(result.converged);
        CHECK_NEAR(x[1], first ? 0 : 1, 1e-9);
        CHECK_NEAR(x[2], 3, 1e-9);
    }
}

/* A slope without curvature has no minimum, and every matrix has to be shifted: by its only
 * entries, which are huge. The steps are short, and prove nothing. */
static double slope_value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    return 0.5 * HUGE_ENTRY * (x[0] * x[0] + x[2] * x[2]) + 1e-4 * x[1];
}

static void slope_derivatives(const term *t, const evaluation *ev, int group, const double *x,
                              size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)t, (void)ev, (void)group;
    if (begin == end) return;
    for (int i = 0; gradient && i < 3; i++) gradient[i] = i == 1 ? 1e-4 : HUGE_ENTRY * x[i];
    for (int i = 0; hessian && i < 9; i++) hessian[i] = i == 0 || i == 8 ? HUGE_ENTRY : 0;
}

TEST(short_shifted_directions_prove_nothing)
{
    static const term_class kind = {
        .name = "slope", .value = slope_value, .derivatives = slope_derivatives};
    double x[3] = {0, 1, 0}, before = slope_value(NULL, NULL, x);
    newton_result result;
    abut_error err;
    CHECK(try_minimize(&kind, x, 20, &result, &err) == ABUT_ERROR_NOT_CONVERGED);
    CHECK(!result.converged && result.energy <= before && result.direction < 1e-10);
    CHECK(strstr(err.message, "singular"));
}

/* A chain of blocks, each bound to the origin and to the next one. The matrix is right but for a
 * few blocks, of which it is 40 times too stiff: those are far from rest long after all others. */
enum { CHAIN = 1500, SLOW = 5, STIFF = 40 };

static double chain_value(const term *t, const evaluation *ev, const double *x)
{
    (void)t, (void)ev;
    double sum = 0;
    for (int i = 0; i < 3 * CHAIN; i++) sum += 0.5 * x[i] * x[i];
    for (int i = 3; i < 3 * CHAIN; i++) sum += 0.5 * (x[i] - x[i - 3]) * (x[i] - x[i - 3]);
    return sum;
}

static void chain_derivatives(const term *t, const evaluation *ev, int group, const double *x,
                              size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)ev;
    int width = t->groups[group].width, blocks = width * (width + 1) / 2;
    for (size_t s = begin; s < end; s++) {
        double *g = gradient + 3 * (size_t)width * (s - begin);
        double *h = hessian ? hessian + 9 * (size_t)blocks * (s - begin) : NULL;
        if (h) memset(h, 0, 9 * (size_t)blocks * sizeof *h);
        for (size_t c = 0; c < 3; c++) {
            double between = width == 2 ? x[3 * s + c] - x[3 * s + 3 + c] : 0;
            g[c] = width == 2 ? between : x[3 * s + c];
            if (width == 2) g[3 + c] = -between;
            for (int b = 0; h && b < blocks; b++)
                h[9 * b + 4 * (int)c] = b == 1 ? -1 : width == 1 && s < SLOW ? STIFF : 1;
        }
    }
}

static newton_result minimize_chain(double *x, bool local, int *subset_solves)
{
    static const term_class kind = {
        .name = "chain", .value = chain_value, .derivatives = chain_derivatives};
    static int32_t single[CHAIN], pairs[2 * CHAIN - 2];
    for (int32_t i = 0; i < CHAIN; i++) single[i] = i;
    for (int32_t i = 0; i < 2 * CHAIN - 2; i++) pairs[i] = (i + 1) / 2;
    term t = {
        .class = &kind, .group_count = 2, .groups = {{1, CHAIN, single}, {2, CHAIN - 1, pairs}}};
    problem p = {0};
    stage_timer timer = {0};
    linear_solver *linear = NULL;
    newton_solver newton = {0};
    newton_result result;
    abut_error err;
    CHECK_OK(problem_init(&p, CHAIN, &timer, &err), err);
    CHECK_OK(problem_add_term(&p, &t, &err), err);
    CHECK_OK(linear_create(&(linear_options){.name = "direct"}, &linear, &err), err);
    CHECK_OK(newton_init(&newton, &p, linear, NULL, &err), err);
    newton_options options = {.tolerance = 1e-8, .max_iterations = 2000, .local = local};
    CHECK_OK(newton_minimize(&newton, &test_evaluation, x, &options, NULL, &result, &err), err);
    CHECK(result.converged && p.free_count == CHAIN && !p.restricted);
    *subset_solves = (int)newton.subset_solves;
    newton_free(&newton);
    linear_destroy(linear);
    problem_free(&p);
    return result;
}

TEST(a_few_that_are_far_from_rest_are_a_subset_solve)
{
    static double x[3 * CHAIN], y[3 * CHAIN];
    for (int i = 0; i < 3 * CHAIN; i++) x[i] = y[i] = sin(i);
    int none, some;
    newton_result all = minimize_chain(x, false, &none), part = minimize_chain(y, true, &some);
    CHECK(all.iterations > 30 && none == 0);
    CHECK(some > 20 && part.iterations < all.iterations / 2);
    for (int i = 0; i < 3 * CHAIN; i++) {
        CHECK_NEAR(x[i], 0, 1e-6);
        CHECK_NEAR(y[i], 0, 1e-6);
    }
}

/* Directions of the iterations, one after the other. */
typedef struct directions {
    double length[64];
    int count;
} directions;

static abut_status note_direction(void *context, const double *x, double direction, bool *changed,
                                  bool *may_stop, abut_error *err)
{
    (void)x, (void)changed, (void)may_stop, (void)err;
    directions *d = context;
    d->length[d->count++] = direction;
    return ABUT_OK;
}

/* Newton's method ends with the first direction whose largest entry is below the tolerance. */
TEST(ends_with_the_first_direction_below_the_tolerance)
{
    static const term_class kind = {
        .name = "logarithm", .value = value, .derivatives = derivatives};
    for (double tolerance = 1e-2; tolerance > 1e-11; tolerance /= 10) {
        double x[3] = {1, 0.7, 0.1};
        directions d = {.count = 0};
        newton_hooks hooks = {&d, note_direction};
        newton_result result;
        abut_error err;
        newton_options options = {.tolerance = tolerance, .max_iterations = 50};
        CHECK_OK(try_options(&kind, x, &options, &hooks, &result, &err), err);
        CHECK(result.converged && d.count == result.iterations && d.count > 2);
        for (int i = 0; i < d.count; i++) CHECK((d.length[i] <= tolerance) == (i + 1 == d.count));
    }
}

int main(void)
{
    RUN(infinite_energies_are_never_accepted);
    RUN(true_hessians_help_where_projected_ones_are_too_stiff);
    RUN(one_huge_entry_does_not_freeze_the_others);
    RUN(true_hessians_first_end_on_ridges);
    RUN(ends_with_the_first_direction_below_the_tolerance);
    RUN(short_shifted_directions_prove_nothing);
    RUN(a_few_that_are_far_from_rest_are_a_subset_solve);
    return TEST_END();
}

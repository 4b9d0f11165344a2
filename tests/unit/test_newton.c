/* Newton's method on an energy that is infinite beyond a bound of which no term tells the line
 * search. */
#include "test.h"

#include "solve/newton.h"

/* Sum over the scalars of 5 x - ln x: its minimum is at 0.2, and Newton's step from 1 leads to -3.
 */
static double value(term *t, const double *x)
{
    (void)t;
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += x[i] > 0 ? 5 * x[i] - log(x[i]) : INFINITY;
    return sum;
}

static void derivatives(const term *t, int group, const double *x, size_t begin, size_t end,
                        double *gradient, double *hessian)
{
    (void)t, (void)group;
    for (size_t s = begin; s < end; s++)
        for (int i = 0; i < 3; i++) {
            if (gradient) gradient[i] = 5 - 1 / x[i];
            for (int k = 0; hessian && k < 3; k++)
                hessian[3 * i + k] = i == k ? 1 / (x[i] * x[i]) : 0;
        }
}

TEST(infinite_energies_are_never_accepted)
{
    static const int32_t blocks[1] = {0};
    static const term_class kind = {
        .name = "logarithm", .value = value, .derivatives = derivatives};
    term t = {
        .class = &kind, .weight = 1, .enabled = true, .group_count = 1, .groups = {{1, 1, blocks}}};
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
    double x[3] = {1, 0.7, 0.1};
    newton_result result;
    newton_options options = {.tolerance = 1e-10, .max_iterations = 50};
    CHECK_OK(newton_minimize(&newton, x, &options, NULL, &result, &err), err);
    CHECK(result.converged && result.halvings > 0 && isfinite(result.energy));
    for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], 0.2, 1e-9);
    newton_free(&newton);
    linear_destroy(linear);
    problem_free(&p);
}

int main(void)
{
    RUN(infinite_energies_are_never_accepted);
    return TEST_END();
}

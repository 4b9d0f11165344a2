/* Backward differences of all orders: order of accuracy with an exact start, orders that grow at
 * the start, and what is saved. */
#include "step/integrator.h"
#include "test.h"

static const integrator kinds[] = {INTEGRATE_IMPLICIT_EULER, INTEGRATE_BDF2, INTEGRATE_BDF3,
                                   INTEGRATE_BDF4,           INTEGRATE_BDF5, INTEGRATE_BDF6};

/* One step of x'' = -x: the minimiser of 1/2 (x - x_tilde)^2 + s x^2/2. */
static void step(motion_state *s, double h)
{
    double x_tilde, factor = motion_force_factor(s, h);
    motion_predict(s, h, &x_tilde);
    double x = x_tilde / (1 + factor);
    motion_advance(s, h, &x_tilde, &x);
}

static void start_exactly(motion_state *s, int order, double h)
{
    s->x[0] = 1;
    s->v[0] = 0;
    s->x_old[0] = cos(-h);
    s->v_old[0] = -sin(-h);
    for (int k = 2; k < order; k++) {
        s->x_older[k - 2][0] = cos(-k * h);
        s->v_older[k - 2][0] = -sin(-k * h);
    }
    s->steps = order - 1;
}

static double error_after(integrator kind, int order, int steps)
{
    motion_state s;
    abut_error err;
    double h = 1.0 / steps;
    CHECK_OK(motion_init(&s, kind, 0.25, 0.5, 1, &err), err);
    start_exactly(&s, order, h);
    for (int i = 0; i < steps; i++) step(&s, h);
    double error = hypot(s.x[0] - cos(1), s.v[0] + sin(1));
    motion_free(&s);
    return error;
}

TEST(orders)
{
    for (int k = 0; k < 6; k++) {
        double coarse = error_after(kinds[k], k + 1, 12), fine = error_after(kinds[k], k + 1, 24);
        double order = log2(coarse / fine);
        printf("  BDF%d: error %.2e -> %.2e, order %.2f\n", k + 1, coarse, fine, order);
        CHECK(order > k + 1 - 0.25 && order < k + 1 + 0.6);
    }
}

/* The history must be exact for polynomials of the order of the method. */
TEST(polynomials_are_exact)
{
    for (int k = 1; k < 6; k++) {
        motion_state s;
        abut_error err;
        double h = 0.1, x_tilde;
        int order = k + 1;
        CHECK_OK(motion_init(&s, kinds[k], 0.25, 0.5, 1, &err), err);
        for (int i = 0; i < order; i++) { /* x = t^order - t, v and a its derivatives */
            double t = -i * h;
            double *x = i == 0 ? s.x : i == 1 ? s.x_old : s.x_older[i - 2];
            double *v = i == 0 ? s.v : i == 1 ? s.v_old : s.v_older[i - 2];
            *x = pow(t, order) - t;
            *v = order * pow(t, order - 1) - 1;
        }
        s.steps = order - 1;
        motion_predict(&s, h, &x_tilde);
        double a = order * (order - 1) * pow(h, order - 2);
        double x = x_tilde + motion_force_factor(&s, h) * a;
        CHECK_NEAR(x, pow(h, order) - h, 1e-13);
        motion_advance(&s, h, &x_tilde, &x);
        CHECK_NEAR(s.v[0], order * pow(h, order - 1) - 1, 1e-12);
        CHECK_NEAR(s.a[0], a, 1e-9);
        motion_free(&s);
    }
}

/* From rest without history: the first step is Euler's, the second BDF2's, and so on. */
TEST(orders_grow_at_the_start)
{
    for (int k = 1; k < 6; k++) {
        motion_state s, lower;
        abut_error err;
        CHECK_OK(motion_init(&s, kinds[k], 0.25, 0.5, 1, &err), err);
        CHECK_OK(motion_init(&lower, kinds[k - 1], 0.25, 0.5, 1, &err), err);
        s.x[0] = lower.x[0] = 1;
        for (int i = 0; i < k; i++) {
            step(&s, 0.1);
            step(&lower, 0.1);
            CHECK(s.x[0] == lower.x[0] && s.v[0] == lower.v[0]);
        }
        step(&s, 0.1);
        step(&lower, 0.1);
        CHECK(s.x[0] != lower.x[0]);
        motion_free(&s);
        motion_free(&lower);
    }
}

TEST(state_is_complete)
{
    motion_state s, t;
    abut_error err;
    state_array a[32], b[32];
    CHECK_OK(motion_init(&s, INTEGRATE_BDF5, 0.25, 0.5, 1, &err), err);
    CHECK_OK(motion_init(&t, INTEGRATE_BDF5, 0.25, 0.5, 1, &err), err);
    s.x[0] = 1;
    for (int i = 0; i < 9; i++) step(&s, 0.1);
    size_t count = motion_arrays(&s, "", a, 32);
    CHECK(count == 11 && motion_arrays(&t, "", b, 32) == count);
    CHECK(strcmp(a[5].name, "x_old2") == 0 && strcmp(a[10].name, "v_old4") == 0);
    for (size_t i = 0; i < count; i++) b[i].doubles[0] = a[i].doubles[0];
    t.steps = s.steps;
    step(&s, 0.1);
    step(&t, 0.1);
    CHECK(s.x[0] == t.x[0] && s.v[0] == t.v[0] && s.a[0] == t.a[0]);
    motion_free(&s);
    motion_free(&t);
}

int main(void)
{
    RUN(orders);
    RUN(polynomials_are_exact);
    RUN(orders_grow_at_the_start);
    RUN(state_is_complete);
    return TEST_END();
}

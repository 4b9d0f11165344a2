/* The time integrators of the papers: implicit Euler, Newmark, backward differences, and steps
 * without time. */
#include "step/integrator.h"

/* --- implicit Euler --- */

static double euler_factor(const integrator_rule *rule, const motion_state *s, double h)
{
    (void)rule, (void)s;
    return h * h;
}

static double euler_predict(const integrator_rule *rule, const motion_state *s, double h, size_t i)
{
    (void)rule;
    return s->x[i] + h * s->v[i];
}

static void euler_finish(const integrator_rule *rule, const motion_state *s, double h,
                         double x_tilde, double x, size_t i, double *v, double *a)
{
    (void)rule, (void)x_tilde;
    *v = (x - s->x[i]) / h;
    *a = (*v - s->v[i]) / h;
}

const integrator_rule implicit_euler_rule = {
    .order = 1, .force_factor = euler_factor, .predict = euler_predict, .finish = euler_finish};
const integrator_rule bdf1_rule = {
    .order = 1, .force_factor = euler_factor, .predict = euler_predict, .finish = euler_finish};

/* --- Newmark --- */

static double newmark_factor(const integrator_rule *rule, const motion_state *s, double h)
{
    (void)rule;
    return s->beta * h * h;
}

static double newmark_predict(const integrator_rule *rule, const motion_state *s, double h,
                              size_t i)
{
    (void)rule;
    return s->x[i] + h * s->v[i] + (0.5 - s->beta) * h * h * s->a[i];
}

static void newmark_finish(const integrator_rule *rule, const motion_state *s, double h,
                           double x_tilde, double x, size_t i, double *v, double *a)
{
    (void)rule;
    *a = (x - x_tilde) / (s->beta * h * h);
    *v = s->v[i] + h * ((1 - s->gamma) * s->a[i] + s->gamma * *a);
}

const integrator_rule newmark_rule = {.order = 1,
                                      .has_accelerations = true,
                                      .force_factor = newmark_factor,
                                      .predict = newmark_predict,
                                      .finish = newmark_finish};

/* --- backward differences: x' = sum a_i x_i + b h v', the same for v and a --- */

static double bdf2_factor(const integrator_rule *rule, const motion_state *s, double h)
{
    (void)rule, (void)s;
    return 4.0 / 9.0 * h * h;
}

static double bdf2_predict(const integrator_rule *rule, const motion_state *s, double h, size_t i)
{
    (void)rule;
    return (4 * s->x[i] - s->x_old[i]) / 3 + 2 * h / 9 * (4 * s->v[i] - s->v_old[i]);
}

static void bdf2_finish(const integrator_rule *rule, const motion_state *s, double h,
                        double x_tilde, double x, size_t i, double *v, double *a)
{
    (void)rule;
    *a = 9 / (4 * h * h) * (x - x_tilde);
    *v = (4 * s->v[i] - s->v_old[i]) / 3 + 2 * h / 3 * *a;
}

const integrator_rule bdf2_rule = {.order = 2,
                                   .lower = &implicit_euler_rule,
                                   .force_factor = bdf2_factor,
                                   .predict = bdf2_predict,
                                   .finish = bdf2_finish};

/* sum a_i y_i over the old values of positions or velocities. */
static double old_sum(const integrator_rule *rule, const double *now, const double *old,
                      double *const *older, size_t i)
{
    double sum = rule->a[0] * now[i] + rule->a[1] * old[i];
    for (int k = 2; k < rule->order; k++) sum += rule->a[k] * older[k - 2][i];
    return sum;
}

static double bdf_factor(const integrator_rule *rule, const motion_state *s, double h)
{
    (void)s;
    double b = rule->b * h;
    return b * b;
}

static double bdf_predict(const integrator_rule *rule, const motion_state *s, double h, size_t i)
{
    return old_sum(rule, s->x, s->x_old, s->x_older, i) +
           rule->b * h * old_sum(rule, s->v, s->v_old, s->v_older, i);
}

static void bdf_finish(const integrator_rule *rule, const motion_state *s, double h, double x_tilde,
                       double x, size_t i, double *v, double *a)
{
    *a = (x - x_tilde) / (rule->b * h * rule->b * h);
    *v = old_sum(rule, s->v, s->v_old, s->v_older, i) + rule->b * h * *a;
}

#define BDF .force_factor = bdf_factor, .predict = bdf_predict, .finish = bdf_finish

const integrator_rule bdf3_rule = {
    .order = 3, .lower = &bdf2_rule, .a = {18.0 / 11, -9.0 / 11, 2.0 / 11}, .b = 6.0 / 11, BDF};
const integrator_rule bdf4_rule = {.order = 4,
                                   .lower = &bdf3_rule,
                                   .a = {48.0 / 25, -36.0 / 25, 16.0 / 25, -3.0 / 25},
                                   .b = 12.0 / 25,
                                   BDF};
const integrator_rule bdf5_rule = {
    .order = 5,
    .lower = &bdf4_rule,
    .a = {300.0 / 137, -300.0 / 137, 200.0 / 137, -75.0 / 137, 12.0 / 137},
    .b = 60.0 / 137,
    BDF};
const integrator_rule bdf6_rule = {
    .order = 6,
    .lower = &bdf5_rule,
    .a = {360.0 / 147, -450.0 / 147, 400.0 / 147, -225.0 / 147, 72.0 / 147, -10.0 / 147},
    .b = 60.0 / 147,
    BDF};

/* --- without time --- */

static double static_factor(const integrator_rule *rule, const motion_state *s, double h)
{
    (void)rule, (void)s, (void)h;
    return 1;
}

static double static_predict(const integrator_rule *rule, const motion_state *s, double h, size_t i)
{
    (void)rule, (void)h;
    return s->x[i];
}

static void static_finish(const integrator_rule *rule, const motion_state *s, double h,
                          double x_tilde, double x, size_t i, double *v, double *a)
{
    (void)rule, (void)s, (void)h, (void)x_tilde, (void)x, (void)i;
    *v = *a = 0;
}

const integrator_rule quasi_static_rule = {.order = 1,
                                           .is_static = true,
                                           .force_factor = static_factor,
                                           .predict = static_predict,
                                           .finish = static_finish};

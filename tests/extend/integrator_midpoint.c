/* A time integrator that abut does not have: the implicit midpoint rule with forces at the end of
 * the step, x' = x + h (v + v')/2, v' = v + h a(x'). One step, no damping of its own in free
 * flight. This file, and one row of integrators.h, is all that it takes. */
#include "step/integrator.h"

static double factor(const integrator_rule *rule, const motion_state *s, double h)
{
    (void)rule, (void)s;
    return 0.5 * h * h;
}

static double predict(const integrator_rule *rule, const motion_state *s, double h, size_t i)
{
    (void)rule;
    return s->x[i] + h * s->v[i];
}

static void finish(const integrator_rule *rule, const motion_state *s, double h, double x_tilde,
                   double x, size_t i, double *v, double *a)
{
    (void)rule;
    *a = (x - x_tilde) / (0.5 * h * h);
    *v = s->v[i] + h * *a;
}

const integrator_rule midpoint_rule = {
    .order = 1, .force_factor = factor, .predict = predict, .finish = finish};

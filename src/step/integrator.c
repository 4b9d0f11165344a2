#include "step/integrator.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int bdf_order(integrator kind);

abut_status motion_init(motion_state *s, integrator kind, double beta, double gamma, size_t scalars,
                        abut_error *err)
{
    *s = (motion_state){.kind = kind, .beta = beta, .gamma = gamma, .scalars = scalars};
    s->x = mem_calloc(scalars, sizeof *s->x);
    s->v = mem_calloc(scalars, sizeof *s->v);
    s->a = mem_calloc(scalars, sizeof *s->a);
    s->x_old = mem_calloc(scalars, sizeof *s->x_old);
    s->v_old = mem_calloc(scalars, sizeof *s->v_old);
    bool ok = s->x && s->v && s->a && s->x_old && s->v_old;
    for (int k = 0; ok && k < bdf_order(kind) - 2; k++) {
        s->x_older[k] = mem_calloc(scalars, sizeof(double));
        s->v_older[k] = mem_calloc(scalars, sizeof(double));
        ok = s->x_older[k] && s->v_older[k];
    }
    if (ok) return ABUT_OK;
    motion_free(s);
    return error_memory(err, "setting up the state");
}

void motion_free(motion_state *s)
{
    mem_free(s->x);
    mem_free(s->v);
    mem_free(s->a);
    mem_free(s->x_old);
    mem_free(s->v_old);
    for (int k = 0; k < BDF_MAX_ORDER - 2; k++) {
        mem_free(s->x_older[k]);
        mem_free(s->v_older[k]);
    }
    memset(s, 0, sizeof *s);
}

/* Backward differences: x' = sum a_i x_i + b h v', the same for v and a. */
typedef struct bdf_formula {
    double a[BDF_MAX_ORDER], b;
} bdf_formula;

static const bdf_formula bdf_formulas[BDF_MAX_ORDER + 1] = {
    [3] = {{18.0 / 11, -9.0 / 11, 2.0 / 11}, 6.0 / 11},
    [4] = {{48.0 / 25, -36.0 / 25, 16.0 / 25, -3.0 / 25}, 12.0 / 25},
    [5] = {{300.0 / 137, -300.0 / 137, 200.0 / 137, -75.0 / 137, 12.0 / 137}, 60.0 / 137},
    [6] = {{360.0 / 147, -450.0 / 147, 400.0 / 147, -225.0 / 147, 72.0 / 147, -10.0 / 147},
           60.0 / 147},
};

/* Order of backward differences that a kind asks for; 0 for other kinds. */
static int bdf_order(integrator kind)
{
    return kind >= INTEGRATE_BDF2 && kind <= INTEGRATE_BDF6 ? 2 + (int)(kind - INTEGRATE_BDF2) : 0;
}

/* Backward differences need as many old states as their order: the first steps have lower orders.
 */
static integrator effective(const motion_state *s)
{
    int order = bdf_order(s->kind);
    if (order == 0 || s->steps + 1 >= order) return s->kind;
    return s->steps == 0 ? INTEGRATE_IMPLICIT_EULER
                         : (integrator)(INTEGRATE_BDF2 + (int)(s->steps - 1));
}

/* sum a_i y_i over the old values of positions or velocities. */
static double old_sum(const bdf_formula *f, int order, const double *now, const double *old,
                      double *const *older, size_t i)
{
    double sum = f->a[0] * now[i] + f->a[1] * old[i];
    for (int k = 2; k < order; k++) sum += f->a[k] * older[k - 2][i];
    return sum;
}

double motion_force_factor(const motion_state *s, double h)
{
    integrator kind = effective(s);
    switch (kind) {
    case INTEGRATE_IMPLICIT_EULER: return h * h;
    case INTEGRATE_NEWMARK: return s->beta * h * h;
    case INTEGRATE_BDF2: return 4.0 / 9.0 * h * h;
    case INTEGRATE_BDF3:
    case INTEGRATE_BDF4:
    case INTEGRATE_BDF5:
    case INTEGRATE_BDF6: {
        double b = bdf_formulas[bdf_order(kind)].b * h;
        return b * b;
    }
    case INTEGRATE_QUASI_STATIC: return 1.0;
    }
    return 1.0;
}

static double predict(const motion_state *s, integrator kind, double h, size_t i)
{
    int order = bdf_order(kind);
    const bdf_formula *f = &bdf_formulas[order];
    switch (kind) {
    case INTEGRATE_IMPLICIT_EULER: return s->x[i] + h * s->v[i];
    case INTEGRATE_NEWMARK: return s->x[i] + h * s->v[i] + (0.5 - s->beta) * h * h * s->a[i];
    case INTEGRATE_BDF2:
        return (4 * s->x[i] - s->x_old[i]) / 3 + 2 * h / 9 * (4 * s->v[i] - s->v_old[i]);
    case INTEGRATE_BDF3:
    case INTEGRATE_BDF4:
    case INTEGRATE_BDF5:
    case INTEGRATE_BDF6:
        return old_sum(f, order, s->x, s->x_old, s->x_older, i) +
               f->b * h * old_sum(f, order, s->v, s->v_old, s->v_older, i);
    case INTEGRATE_QUASI_STATIC: return s->x[i];
    }
    return s->x[i];
}

void motion_predict(const motion_state *s, double h, double *x_tilde)
{
    integrator kind = effective(s);
    for (size_t i = 0; i < s->scalars; i++) x_tilde[i] = predict(s, kind, h, i);
}

/* Velocity and acceleration at the end of a step. */
static void finish(const motion_state *s, integrator kind, double h, double x_tilde, double x,
                   size_t i, double *v, double *a)
{
    int order = bdf_order(kind);
    const bdf_formula *f = &bdf_formulas[order];
    switch (kind) {
    case INTEGRATE_IMPLICIT_EULER:
        *v = (x - s->x[i]) / h;
        *a = (*v - s->v[i]) / h;
        break;
    case INTEGRATE_NEWMARK:
        *a = (x - x_tilde) / (s->beta * h * h);
        *v = s->v[i] + h * ((1 - s->gamma) * s->a[i] + s->gamma * *a);
        break;
    case INTEGRATE_BDF2:
        *a = 9 / (4 * h * h) * (x - x_tilde);
        *v = (4 * s->v[i] - s->v_old[i]) / 3 + 2 * h / 3 * *a;
        break;
    case INTEGRATE_BDF3:
    case INTEGRATE_BDF4:
    case INTEGRATE_BDF5:
    case INTEGRATE_BDF6:
        *a = (x - x_tilde) / (f->b * h * f->b * h);
        *v = old_sum(f, order, s->v, s->v_old, s->v_older, i) + f->b * h * *a;
        break;
    case INTEGRATE_QUASI_STATIC: *v = *a = 0; break;
    }
}

void motion_advance(motion_state *s, double h, const double *x_tilde, const double *x_new)
{
    integrator kind = effective(s);
    int kept = bdf_order(s->kind) - 2;
    for (size_t i = 0; i < s->scalars; i++) {
        double v = 0, a = 0;
        finish(s, kind, h, x_tilde[i], x_new[i], i, &v, &a);
        for (int k = kept - 1; k >= 0; k--) {
            s->x_older[k][i] = k == 0 ? s->x_old[i] : s->x_older[k - 1][i];
            s->v_older[k][i] = k == 0 ? s->v_old[i] : s->v_older[k - 1][i];
        }
        s->x_old[i] = s->x[i];
        s->v_old[i] = s->v[i];
        s->x[i] = x_new[i];
        s->v[i] = v;
        s->a[i] = a;
    }
    s->steps++;
}

static void name_array(state_array *out, const char *prefix, const char *name, int number)
{
    if (number > 0)
        snprintf(out->name, sizeof out->name, "%s%s%d", prefix, name, number);
    else
        snprintf(out->name, sizeof out->name, "%s%s", prefix, name);
}

size_t motion_arrays(motion_state *s, const char *prefix, state_array *out, size_t capacity)
{
    static const char *const names[] = {"x", "v", "a", "x_old", "v_old"};
    double *arrays[] = {s->x, s->v, s->a, s->x_old, s->v_old};
    size_t count = 0;
    for (; count < sizeof arrays / sizeof arrays[0] && count < capacity; count++) {
        out[count] = (state_array){.doubles = arrays[count], .count = s->scalars};
        name_array(&out[count], prefix, names[count], 0);
    }
    for (int k = 0; k < 2 * (bdf_order(s->kind) - 2) && count < capacity; k++, count++) {
        double *data = k % 2 ? s->v_older[k / 2] : s->x_older[k / 2];
        out[count] = (state_array){.doubles = data, .count = s->scalars};
        name_array(&out[count], prefix, k % 2 ? "v_old" : "x_old", k / 2 + 2);
    }
    return count;
}

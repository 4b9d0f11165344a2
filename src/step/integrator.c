#include "step/integrator.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

abut_status motion_init(motion_state *s, integrator kind, double beta, double gamma, size_t scalars,
                        abut_error *err)
{
    *s = (motion_state){.kind = kind, .beta = beta, .gamma = gamma, .scalars = scalars};
    s->x = mem_calloc(scalars, sizeof *s->x);
    s->v = mem_calloc(scalars, sizeof *s->v);
    s->a = mem_calloc(scalars, sizeof *s->a);
    s->x_old = mem_calloc(scalars, sizeof *s->x_old);
    s->v_old = mem_calloc(scalars, sizeof *s->v_old);
    if (s->x && s->v && s->a && s->x_old && s->v_old) return ABUT_OK;
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
    memset(s, 0, sizeof *s);
}

/* BDF2 needs two old states; its first step is implicit Euler. */
static integrator effective(const motion_state *s)
{
    return s->kind == INTEGRATE_BDF2 && s->steps == 0 ? INTEGRATE_IMPLICIT_EULER : s->kind;
}

double motion_force_factor(const motion_state *s, double h)
{
    switch (effective(s)) {
    case INTEGRATE_IMPLICIT_EULER: return h * h;
    case INTEGRATE_NEWMARK: return s->beta * h * h;
    case INTEGRATE_BDF2: return 4.0 / 9.0 * h * h;
    case INTEGRATE_QUASI_STATIC: return 1.0;
    }
    return 1.0;
}

void motion_predict(const motion_state *s, double h, double *x_tilde)
{
    for (size_t i = 0; i < s->scalars; i++) switch (effective(s)) {
        case INTEGRATE_IMPLICIT_EULER: x_tilde[i] = s->x[i] + h * s->v[i]; break;
        case INTEGRATE_NEWMARK:
            x_tilde[i] = s->x[i] + h * s->v[i] + (0.5 - s->beta) * h * h * s->a[i];
            break;
        case INTEGRATE_BDF2:
            x_tilde[i] = (4 * s->x[i] - s->x_old[i]) / 3 + 2 * h / 9 * (4 * s->v[i] - s->v_old[i]);
            break;
        case INTEGRATE_QUASI_STATIC: x_tilde[i] = s->x[i]; break;
        }
}

void motion_advance(motion_state *s, double h, const double *x_tilde, const double *x_new)
{
    for (size_t i = 0; i < s->scalars; i++) {
        double x = x_new[i], v = 0, a = 0;
        switch (effective(s)) {
        case INTEGRATE_IMPLICIT_EULER:
            v = (x - s->x[i]) / h;
            a = (v - s->v[i]) / h;
            break;
        case INTEGRATE_NEWMARK:
            a = (x - x_tilde[i]) / (s->beta * h * h);
            v = s->v[i] + h * ((1 - s->gamma) * s->a[i] + s->gamma * a);
            break;
        case INTEGRATE_BDF2:
            a = 9 / (4 * h * h) * (x - x_tilde[i]);
            v = (4 * s->v[i] - s->v_old[i]) / 3 + 2 * h / 3 * a;
            break;
        case INTEGRATE_QUASI_STATIC: break;
        }
        s->x_old[i] = s->x[i];
        s->v_old[i] = s->v[i];
        s->x[i] = x;
        s->v[i] = v;
        s->a[i] = a;
    }
    s->steps++;
}

size_t motion_arrays(motion_state *s, const char *prefix, state_array *out, size_t capacity)
{
    struct {
        const char *name;
        double *data;
    } arrays[] = {{"x", s->x}, {"v", s->v}, {"a", s->a}, {"x_old", s->x_old}, {"v_old", s->v_old}};
    size_t count = 0;
    for (; count < sizeof arrays / sizeof arrays[0] && count < capacity; count++) {
        out[count] = (state_array){.doubles = arrays[count].data, .count = s->scalars};
        snprintf(out[count].name, sizeof out[count].name, "%s%s", prefix, arrays[count].name);
    }
    return count;
}

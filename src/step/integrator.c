#include "step/integrator.h"

#include "base/memory.h"

#include <stdbool.h>
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
    bool ok = s->x && s->v && s->a && s->x_old && s->v_old;
    for (int k = 0; ok && k < integrator_rules[kind]->order - 2; k++) {
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
    for (int k = 0; k < MOTION_MAX_ORDER - 2; k++) {
        mem_free(s->x_older[k]);
        mem_free(s->v_older[k]);
    }
    memset(s, 0, sizeof *s);
}

/* Rules of several steps need as many old states as their order: the first steps have lower orders,
 * sub-steps order 1. */
static const integrator_rule *effective(const motion_state *s)
{
    const integrator_rule *rule = motion_rule(s);
    while (rule->lower && (s->in_substeps || s->steps + 1 < rule->order)) rule = rule->lower;
    return rule;
}

double motion_force_factor(const motion_state *s, double h)
{
    const integrator_rule *rule = effective(s);
    return rule->force_factor(rule, s, h);
}

void motion_predict(const motion_state *s, double h, double *x_tilde)
{
    const integrator_rule *rule = effective(s);
    for (size_t i = 0; i < s->scalars; i++) x_tilde[i] = rule->predict(rule, s, h, i);
}

/* The present state becomes the first of the old ones. */
static void keep_state(motion_state *s, size_t i)
{
    for (int k = motion_rule(s)->order - 3; k >= 0; k--) {
        s->x_older[k][i] = k == 0 ? s->x_old[i] : s->x_older[k - 1][i];
        s->v_older[k][i] = k == 0 ? s->v_old[i] : s->v_older[k - 1][i];
    }
    s->x_old[i] = s->x[i];
    s->v_old[i] = s->v[i];
}

void motion_begin_substeps(motion_state *s)
{
    for (size_t i = 0; i < s->scalars; i++) keep_state(s, i);
    s->in_substeps = true;
}

void motion_end_substeps(motion_state *s)
{
    s->in_substeps = false;
    s->steps++;
}

void motion_advance(motion_state *s, double h, const double *x_tilde, const double *x_new)
{
    const integrator_rule *rule = effective(s);
    for (size_t i = 0; i < s->scalars; i++) {
        double v = 0, a = 0;
        rule->finish(rule, s, h, x_tilde[i], x_new[i], i, &v, &a);
        if (!s->in_substeps) keep_state(s, i);
        s->x[i] = x_new[i];
        s->v[i] = v;
        s->a[i] = a;
    }
    if (!s->in_substeps) s->steps++;
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
    for (int k = 0; k < 2 * (motion_rule(s)->order - 2) && count < capacity; k++, count++) {
        double *data = k % 2 ? s->v_older[k / 2] : s->x_older[k / 2];
        out[count] = (state_array){.doubles = data, .count = s->scalars};
        name_array(&out[count], prefix, k % 2 ? "v_old" : "x_old", k / 2 + 2);
    }
    return count;
}

/* Implicit time integrators as incremental potentials (IPC 2.1): a step minimises
 *     1/2 |x - x_tilde|_M^2 + s (elastic energy - loads),
 * and the integrator says what x_tilde and s are, and how velocity and acceleration follow from x.
 */
#ifndef STEP_INTEGRATOR_H
#define STEP_INTEGRATOR_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of the integrators: rows of the tables integrator_rules and integrator_words. */
typedef enum integrator {
#define INTEGRATOR(constant, row, word) INTEGRATE_##constant,
#include "step/integrator_list.h"
    INTEGRATOR_COUNT
} integrator;

enum { MOTION_MAX_ORDER = 6 };

/* Scalars per array: 3 per coordinate block. */
typedef struct motion_state {
    integrator kind;
    double beta, gamma; /* Newmark */
    size_t scalars;
    int64_t steps;    /* done so far; rules of several steps start with orders 1, 2, ... */
    bool in_substeps; /* a step is being divided: steps are its sub-steps, of order 1 */
    double *x, *v, *a;
    double *x_old, *v_old; /* one step earlier */
    /* Two to five steps earlier, as many as the order of the rule needs. */
    double *x_older[MOTION_MAX_ORDER - 2], *v_older[MOTION_MAX_ORDER - 2];
} motion_state;

/* An integrator. `rule` is itself, i a scalar. */
typedef struct integrator_rule integrator_rule;
struct integrator_rule {
    int order;                     /* states that it needs, the present one included */
    const integrator_rule *lower;  /* for as long as there are fewer; NULL: order 1 */
    bool is_static;                /* no inertia: positions balance the forces */
    bool has_accelerations;        /* steps begin from those at the end of the last one */
    double a[MOTION_MAX_ORDER], b; /* coefficients, where the rule has such */
    double (*force_factor)(const integrator_rule *rule, const motion_state *s, double h);
    double (*predict)(const integrator_rule *rule, const motion_state *s, double h, size_t i);
    /* Velocity and acceleration at the end of a step. */
    void (*finish)(const integrator_rule *rule, const motion_state *s, double h, double x_tilde,
                   double x, size_t i, double *v, double *a);
};

extern const integrator_rule *const integrator_rules[];
extern const char *const integrator_words[]; /* in scenes; ends with NULL */

/* A part of the state, for saving and loading. */
typedef struct state_array {
    char name[32];
    double *doubles; /* or */
    int32_t *ints;
    size_t count;
    bool optional;       /* checkpoints of earlier versions lack it */
    const char *earlier; /* its name in those, or NULL */
} state_array;

abut_status motion_init(motion_state *s, integrator kind, double beta, double gamma, size_t scalars,
                        abut_error *err);
void motion_free(motion_state *s);

/* The rule of a state. */
static inline const integrator_rule *motion_rule(const motion_state *s)
{
    return integrator_rules[s->kind];
}
/* Factor on forces in the incremental potential of the next step of size h. */
double motion_force_factor(const motion_state *s, double h);
/* Predictor of the next step. */
void motion_predict(const motion_state *s, double h, double *x_tilde);
/* A step in sub-steps. The old states of rules of several steps stay those at the ends of whole
 * steps: the present one joins them when the step begins, and the sub-steps, which have none at
 * their own spacing, are steps of the rule of order 1 at the end of the chain of `lower`. */
void motion_begin_substeps(motion_state *s);
void motion_end_substeps(motion_state *s);
/* Takes x_new as the result of the step. */
void motion_advance(motion_state *s, double h, const double *x_tilde, const double *x_new);

/* The arrays of the state as `prefix`x, `prefix`v, ...; returns their number, at most capacity. */
size_t motion_arrays(motion_state *s, const char *prefix, state_array *out, size_t capacity);

#endif

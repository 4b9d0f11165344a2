/* Implicit time integrators as incremental potentials (IPC 2.1): a step minimises
 *     1/2 |x - x_tilde|_M^2 + s (elastic energy - loads),
 * and the integrator says what x_tilde and s are, and how velocity and acceleration follow from x.
 */
#ifndef STEP_INTEGRATOR_H
#define STEP_INTEGRATOR_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum integrator {
    INTEGRATE_IMPLICIT_EULER,
    INTEGRATE_NEWMARK,
    INTEGRATE_BDF2,
    INTEGRATE_BDF3,
    INTEGRATE_BDF4,
    INTEGRATE_BDF5,
    INTEGRATE_BDF6,
    INTEGRATE_QUASI_STATIC
} integrator;

enum { BDF_MAX_ORDER = 6 };

/* Scalars per array: 3 per coordinate block. */
typedef struct motion_state {
    integrator kind;
    double beta, gamma; /* Newmark */
    size_t scalars;
    int64_t steps; /* done so far; backward differences start with orders 1, 2, ... */
    double *x, *v, *a;
    double *x_old, *v_old; /* one step earlier */
    /* Two to five steps earlier, as many as the order of backward differences needs. */
    double *x_older[BDF_MAX_ORDER - 2], *v_older[BDF_MAX_ORDER - 2];
} motion_state;

/* A part of the state, for saving and loading. */
typedef struct state_array {
    char name[32];
    double *doubles; /* or */
    int32_t *ints;
    size_t count;
    bool optional; /* checkpoints of earlier versions lack it */
} state_array;

abut_status motion_init(motion_state *s, integrator kind, double beta, double gamma, size_t scalars,
                        abut_error *err);
void motion_free(motion_state *s);

/* Factor on forces in the incremental potential of the next step of size h. */
double motion_force_factor(const motion_state *s, double h);
/* Predictor of the next step. */
void motion_predict(const motion_state *s, double h, double *x_tilde);
/* Takes x_new as the result of the step. */
void motion_advance(motion_state *s, double h, const double *x_tilde, const double *x_new);

/* The arrays of the state as `prefix`x, `prefix`v, ...; returns their number, at most capacity. */
size_t motion_arrays(motion_state *s, const char *prefix, state_array *out, size_t capacity);

#endif

/* Parameters of kind "key": any number of a scene, through whatever it enters.
 *
 * Two twins of the simulation are built with the number a little more and a little less. On every
 * step they are given the recorded state, lags and stiffnesses, and what differs between their
 * potentials, targets and objectives is the derivative of these by the number: the run itself is
 * never repeated. The step of the difference is so small that the error is below 1e-8 of the
 * derivative where the potential changes over a hundredth of the number, and so large that rounding
 * is, too. */
#ifndef GRADIENT_TWIN_H
#define GRADIENT_TWIN_H

#include "gradient/session.h"

typedef struct twin {
    const parameter *parameter;
    built_scene side[2]; /* less, more */
    double difference;   /* of the number between the two */
    /* Differences of the first states: positions, velocities, accelerations of the nodes, then of
     * the rotations. */
    ARRAY(double) start;
} twin;

void twin_free(twin *t);
abut_status twin_make(const abut_gradient *g, const double *values, const parameter *p, twin *out,
                      abut_error *err);

/* Both at the start of a step. */
abut_status twin_open(twin *t, const tape_step *step, abut_error *err);
/* Each adds the part of the derivative that it is about to *out. */
abut_status twin_pass(twin *t, const tape_step *step, size_t pass, const double *w, double *out,
                      abut_error *err);
/* The same by rows of constraints; after twin_pass. c: of the run itself. */
abut_status twin_rows(twin *t, const tape_step *step, size_t pass, const constrained_solver *c,
                      double *out, abut_error *err);
abut_status twin_objectives(twin *t, const abut_gradient *g, const tape_step *step,
                            const objective_state *at, double *out, abut_error *err);
void twin_targets(const twin *t, const double *target, double *out);
/* acceleration: of the step's end, M a = f - dE at x in the run itself. */
void twin_accelerations(twin *t, const double *x, const double *acceleration, const double *z,
                        double *out);
void twin_start(const twin *t, const state_bar *bar, double *out);

#endif

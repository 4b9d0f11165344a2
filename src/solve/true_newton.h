/* Newton's direction with the true Hessian.
 *
 * Projected Hessians are too stiff where the true one has, or nearly has, negative curvature: rods
 * that buckle, contacts that slide around each other under load. Newton's method then creeps with
 * whole steps that are many times too short. Conjugate gradients on the true Hessian,
 * preconditioned by the factor of the projected one, begin with the projected direction and lead to
 * the true one in a few cheap iterations; they end where the curvature is negative or the direction
 * leaves the trust region (Steihaug 1983), so that the result is always a descent direction. */
#ifndef SOLVE_TRUE_NEWTON_H
#define SOLVE_TRUE_NEWTON_H

#include "linear/minres.h"
#include "linear/solver.h"
#include "solve/problem.h"

typedef struct true_newton {
    ARRAY(double) residual, preconditioned, search, product;
    double trust; /* longest direction, in lengths of the projected one; 0: of no use here */
    minres stationary;
} true_newton;

static const double TRUE_NEWTON_TRUST = 2; /* to begin with */

void true_newton_free(true_newton *t);

/* step: the solution of the projected system at x with this right side, which `linear` has just
 * solved. `direction` receives the result; the trust is 0 when it is the projected one. Overwrites
 * the matrix of the problem. */
abut_status true_newton_direction(true_newton *t, problem *p, const evaluation *ev,
                                  linear_solver *linear, const double *x, const double *right,
                                  const double *step, double *direction, abut_error *err);

/* The direction to where the gradient vanishes by the true Hessian, be that a minimum or a saddle.
 * *found: whether there is one and it is a descent direction; then `direction` is it. Overwrites
 * the matrix of the problem. */
abut_status true_newton_stationary(true_newton *t, problem *p, const evaluation *ev,
                                   linear_solver *linear, const double *x, const double *right,
                                   double *direction, bool *found, abut_error *err);

/* After the line search along the direction: whether the full step was taken. */
void true_newton_learn(true_newton *t, bool whole);

#endif

/* The true Hessian, where it is wanted instead of the projected one.
 *
 * Directions to where the gradient vanishes by it, be that a minimum or a saddle
 * (`solver.true_hessian_first`), by minimal residuals with the factor of the projected one. */
#ifndef SOLVE_TRUE_NEWTON_H
#define SOLVE_TRUE_NEWTON_H

#include "linear/minres.h"
#include "linear/solver.h"
#include "solve/problem.h"

typedef struct true_newton {
    minres stationary;
} true_newton;

void true_newton_free(true_newton *t);

/* Into the matrix of the problem. A factor of the projected one is not touched by this. */
abut_status true_newton_assemble(problem *p, const evaluation *ev, const double *x,
                                 abut_error *err);

/* The direction to where the gradient vanishes by the true Hessian, be that a minimum or a saddle.
 * *found: whether there is one and it is a descent direction; then `direction` is it. Overwrites
 * the matrix of the problem. */
abut_status true_newton_stationary(true_newton *t, problem *p, const evaluation *ev,
                                   linear_solver *linear, const double *x, const double *right,
                                   double *direction, bool *found, abut_error *err);

#endif

/* The linear systems of derivatives: the true Hessian of the potential of a step at its minimum,
 * over the unknowns.
 *
 * At a strict minimum it is positive definite, so that it is factorised as it is, and the solution
 * refined until the residual is rounding; a direction in which it has no curvature but rounding is
 * refused. Where it is not (saddles, steps that were not solved
 * well enough), minimal residuals with the projected matrix as preconditioner solve for it. */
#ifndef GRADIENT_EXACT_SOLVE_H
#define GRADIENT_EXACT_SOLVE_H

#include "linear/minres.h"
#include "step/stepper.h"

typedef struct exact_solver {
    ARRAY(double) right, step, residual, correction, weakest;
    minres indefinite;
    bool at_saddle; /* the last matrix was indefinite; the factor is that of the projected one */
    /* Of all solves so far. */
    double worst_residual;  /* relative */
    double least_curvature; /* relative to the diagonal */
    size_t solves, saddles;
} exact_solver;

void exact_solver_free(exact_solver *e);

/* w (3 per block, 0 where prescribed) with H w = right over the unknowns, H the Hessian at x, for
 * which the terms were updated. right: 3 per block. */
abut_status exact_solve(exact_solver *e, stepper *s, const double *x, const double *right,
                        double *w, abut_error *err);

/* With another right side, and the matrix of the last solve. */
abut_status exact_solve_again(exact_solver *e, stepper *s, const double *right, double *w,
                              abut_error *err);

/* What hessian_times is asked for. */
typedef struct hessian_part {
    const term *term;     /* NULL: all that count */
    const evaluation *ev; /* of the step, or others */
    const uint8_t *rows;  /* only stencils with one of these scalars (3 per block); NULL: all */
} hessian_part;

/* out += H w over all coordinates, prescribed ones too, at the x of the last update. */
abut_status hessian_times(const stepper *s, const hessian_part *part, const double *x,
                          const double *w, double *out, abut_error *err);

#endif

/* Minimal residuals (Paige and Saunders 1975) for symmetric matrices that may be indefinite, with a
 * definite preconditioner, in whose norm the residual is measured. */
#ifndef LINEAR_MINRES_H
#define LINEAR_MINRES_H

#include "linear/conjugate.h"

typedef struct minres {
    ARRAY(double) work; /* seven vectors */
} minres;

void minres_free(minres *m);

/* x from 0. ABUT_ERROR_NOT_CONVERGED: the residual is above the tolerance after `limit` products,
 * or something was not a number. */
abut_status minres_solve(minres *m, const conjugate_operators *o, size_t n, const double *b,
                         double *x, double tolerance, size_t limit, abut_error *err);

#endif

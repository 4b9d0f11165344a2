/* Derivatives forwards, for few scalars: the linearised run is made beside the run itself, without
 * a tape. Costs two evaluations of forces and one solve per scalar and pass, and two models of
 * memory; gives the matrix of least squares as well, which the adjoint does not. */
#ifndef GRADIENT_FORWARD_H
#define GRADIENT_FORWARD_H

#include "gradient/constrained_solve.h"
#include "gradient/session.h"

enum { FORWARD_MOST_SCALARS = 200 };

/* slope: one per scalar. square: J^T J of the residuals r of an objective sum |r|^2 / 2, scalars x
 * scalars; NULL: not wanted. */
abut_status forward_evaluate(abut_gradient *g, const double *values, double *value, double *slope,
                             double *square, abut_error *err);

#endif

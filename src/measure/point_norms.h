/* Norms of a displacement as PolyFEM takes them: with the points of the quadrature of elasticity,
 * for linear elements the centre. Coarser than the exact norms of the polynomials, but comparable
 * with what that program stores with its scenes. */
#ifndef MEASURE_POINT_NORMS_H
#define MEASURE_POINT_NORMS_H

#include "body/model.h"
#include "output/summary.h"

displacement_norms point_norms_measure(const model *m, const double *x);

#endif

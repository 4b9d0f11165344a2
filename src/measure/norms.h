/* Norms of the displacement from the rest positions: exact integrals of its polynomials over the
 * elements of solid bodies. */
#ifndef MEASURE_NORMS_H
#define MEASURE_NORMS_H

#include "body/model.h"
#include "output/summary.h"

displacement_norms norms_measure(const model *m, const double *x);

#endif

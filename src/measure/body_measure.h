/* Bounds and centre of mass of a body. */
#ifndef MEASURE_BODY_MEASURE_H
#define MEASURE_BODY_MEASURE_H

#include "body/model.h"
#include "output/summary.h"

/* Of body b of the model at x; y: positions of the surface's vertices. */
void body_measure(const model *m, const double *x, const vec3 *y, size_t b, body_summary *out);

#endif

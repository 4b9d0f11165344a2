/* A barrier that keeps linear simplices from turning inside out during a projection: the sum of
 * - stiffness V (J/Jhat - 1)^2 ln(J/Jhat) over cells with 0 < J < Jhat, J the ratio of the present
 * to the rest size V (In-timestep remeshing, equation 6.8; relative sizes, so that it means the
 * same for cells of any size). */
#ifndef REMESH_VOLUME_BARRIER_H
#define REMESH_VOLUME_BARRIER_H

#include "base/array.h"
#include "body/model.h"
#include "term/term.h"

typedef struct volume_barrier {
    term base;
    int dimension;
    ARRAY(int32_t) cells; /* dimension + 1 blocks each */
    ARRAY(double) size;   /* at rest */
    double limit;         /* Jhat */
    double stiffness;
} volume_barrier;

/* All linear simplices of the model. */
abut_status volume_barrier_create(const model *m, volume_barrier **out, abut_error *err);
/* Smallest J at x; INFINITY without cells. */
double volume_barrier_smallest(const volume_barrier *t, const double *x);

#endif

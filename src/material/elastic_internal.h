/* What the files of this folder share. */
#ifndef MATERIAL_ELASTIC_INTERNAL_H
#define MATERIAL_ELASTIC_INTERNAL_H

#include "material/elastic.h"

/* Principal stretches, their signs included, and what belongs to them. */
typedef struct principal {
    double s[3];
    mat3 u, v;
} principal;

static inline mat3 compose(const principal *p, const double d[3])
{
    mat3 left = p->u;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) left.m[i][k] *= d[k];
    return mat3_mul(left, mat3_transpose(p->v));
}

/* Fills the spectrum from the eigenvalues of the 2x2 blocks (see elastic.c), clamped with project;
 * the diagonal block is there already. */
void finish_spectrum(const double plus[3], const double minus[3], bool project,
                     elastic_spectrum *spectrum);

/* The answer for J <= 0 (infinite energy) or J not a number. */
void evaluate_inverted(double j, double *energy, mat3 *stress, elastic_spectrum *spectrum);

/* The energy below the ratio of volumes where it is extrapolated; false above it. */
bool evaluate_extrapolated(const elastic_parameters *m, mat3 f, bool project, double *energy,
                           mat3 *stress, elastic_spectrum *spectrum);

#endif

/* Spectra of Hessians (material/elastic.h) written out as matrices of nine padded rows, in other
 * coordinates: the one form in which Hessians of several frames can be added. */
#ifndef MATERIAL_SPECTRUM_H
#define MATERIAL_SPECTRUM_H

#include "material/elastic.h"
#include "math/pack4.h"

/* Nine doubles, padded with zeros. */
typedef struct row9 {
    pack4 part[3];
} row9;

static inline row9 row9_scale(double s, const row9 *a)
{
    return (row9){{s * a->part[0], s * a->part[1], s * a->part[2]}};
}

static inline row9 row9_add(row9 sum, double s, const row9 *a)
{
    for (int k = 0; k < 3; k++) sum.part[k] += s * a->part[k];
    return sum;
}

/* As elastic_spectrum_expand, in fewer operations; u and v need not be rotations: with v = T V the
 * result is the Hessian by H where F depends on H T. */
void spectrum_expand(const elastic_spectrum *spectrum, row9 out[9]);

#endif

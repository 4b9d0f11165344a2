/* Elastic energies of shells: membrane (material/membrane.h) and bending of hinges (fem/hinge.h);
 * and measures of their stretch. */
#ifndef TERM_SHELL_H
#define TERM_SHELL_H

#include "term/element.h"

abut_status membrane_create(const model *m, term **out, abut_error *err);
abut_status bending_create(const model *m, term **out, abut_error *err);

typedef struct stretch_range {
    double largest, smallest; /* singular values over all triangles; 1, 1 without shells */
    double mean_largest;      /* over the triangles with sigma > 1; 1 when there are none */
    double mean_smallest;     /* over those with sigma < 1 */
} stretch_range;

stretch_range shell_stretch(const model *m, const double *x);

#endif

/* Four linear tetrahedra (fem/tet4.h) side by side, one in each lane of the vector registers. With
 * the derivative of the stress in reference coordinates (fem/element_response.h) nothing is left to
 * multiply: its entries are those of the stiffness of nodes 1 to 3. Neo-Hookean elements are
 * computed like this, others one
 * by one, those with parts (material/point.h) here only; what comes out for an element does not
 * depend on the others of the four. */
#ifndef FEM_TET4_FOUR_H
#define FEM_TET4_FOUR_H

#include "fem/tet4.h"
#include "material/point.h"

#include <stddef.h>

typedef struct tet4_four {
    size_t count; /* 1 to 4; entries beyond it are ignored */
    tet4_rest rest[4];
    const elastic_parameters *material[4];
    vec3 x[4][4];            /* positions of the nodes of each */
    material_point point[4]; /* of materials with parts */
    bool exact;              /* not projected, where all materials have parts */
} tet4_four;

void tet4_four_energy(const tet4_four *t, double energy[4]);
/* Projected unless `exact`; gradients (12 doubles each) and Hessians (90 each) one after the other,
 * either may be NULL. Volumes in `rest` may be weighted. */
void tet4_four_derivatives(const tet4_four *t, double *gradient, double *hessian);

#endif

/* Fibres of one family at a point (Holzapfel, Gasser, Ogden, with dispersion kappa):
 *   W(E) = k1/(2 k2) (exp(2 k2 w(E)) - 1),  E = kappa (|F|^2 - 3) + (1 - 3 kappa) (|F a|^2 - 1),
 * w(E) = E^2/2 for stretched fibres, 0 for pressed ones, with a smooth passage between E = 0 and
 * FIBRE_PASSAGE, so that the Hessian is continuous; and an active tension T, T (|F a| - 1). Both
 * are convex in F: their Hessians need no projection. */
#ifndef MATERIAL_FIBRE_H
#define MATERIAL_FIBRE_H

#include "material/parts.h"
#include "material/spectrum.h"

static const double FIBRE_PASSAGE = 1e-3;
/* Exponents go on quadratically from here: a fibre this stiff is at its end. */
static const double FIBRE_MAX_EXPONENT = 50;

/* Adds to energy, stress P by F and Hessian by H with F = .. + H turn^T^-1, that is gradients N at
 * rest turned into turn N, times `weight`; each where not NULL. */
typedef struct fibre_sums {
    double *energy;
    mat3 *stress;
    row9 *hessian; /* nine rows */
} fibre_sums;

void fibre_add(const fibre_family *family, vec3 direction, double tension, mat3 f, mat3 turn,
               const fibre_sums *out);

/* W and its first two derivatives by E. */
void fibre_energy(const fibre_family *family, double e, double out[3]);

#endif

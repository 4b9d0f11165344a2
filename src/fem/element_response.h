/* Derivative of the stress of a neo-Hookean material at four points at once, in reference
 * coordinates: the decomposition of F, the projection and the way back are the same operations for
 * each, so that they fill the lanes of vector registers. */
#ifndef FEM_ELEMENT_RESPONSE_H
#define FEM_ELEMENT_RESPONSE_H

#include "material/elastic.h"

/* Doubles per row of the result: nine, padded. */
enum { RESPONSE_STRIDE = 12 };

bool element_response_possible(const elastic_parameters *material);
/* c[l]: nine rows; entry (3 i + k, 3 j + m) is the derivative of the stress (i, k) by the gradient
 * (j, m), times measure[l], for i <= j only. Returns a bit for each point that was done; others are
 * inverted, very distorted, or need a projection of another kind. */
int element_response4(const elastic_parameters *material, const mat3 f[4], const mat3 inverse[4],
                      const double measure[4], bool project, double *c[4]);

#endif

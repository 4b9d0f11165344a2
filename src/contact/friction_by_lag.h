/* Derivatives of friction forces by what is lagged: normal forces, normals and closest-point
 * weights at the positions of the lag, displacements from the start of the step. For gradients of
 * whole steps; within a step friction holds them fixed.
 *
 * Only the projector P = I - n n^T of a tangent frame enters, never its two columns, which are a
 * choice. The contraction with a direction per vertex is made first, so that each contact is one
 * scalar function of the positions of its vertices, whose derivative is exact (dual numbers). */
#ifndef CONTACT_FRICTION_BY_LAG_H
#define CONTACT_FRICTION_BY_LAG_H

#include "contact/friction_term.h"

/* out[vertex] += d(sum of direction . force gradient) / d(positions of the lag). The contact term
 * is updated at the positions of the lag; kappa: the stiffness there; moved: displacements of the
 * vertices since the start. */
void friction_by_lag(const friction_term *t, double kappa, const vec3 *moved, const vec3 *direction,
                     vec3 *out);
/* out[vertex] += the same by the positions at the start of the step, from which displacements are
 * counted; t was lagged as in the step. */
void friction_by_start(const friction_term *t, const vec3 *moved, const vec3 *direction, vec3 *out);

#endif

/* How much pairs count by the inertia behind them.
 *
 * One kappa for all pairs is wrong by the ratio of the masses: what makes a barrier of a heavy body
 * stops a grain in a thin shell below dhat, which Newton's method hardly hits, and what suits the
 * grain lets the heavy body come so near that every step is stopped by collisions. The natural
 * measure is the acceleration that a force on a vertex gives it, its compliance
 *
 *     c = 1/3 tr(T M^-1 T^T),   T = dy/dx
 *
 * (1/m of a node; 1/m + 1/3 tr([r] I^-1 [r]^T) at the arm r of a rigid body; 1/m + r J^-1 r of an
 * affine one; 0 of an obstacle). A
 * pair counts 1/c of its softer side, by the mean mass that kappa is made for. These weights are
 * made once, from the masses: they remember nothing, and the energy stays one function. */
#ifndef CONTACT_PAIR_STIFFNESS_H
#define CONTACT_PAIR_STIFFNESS_H

#include "body/model.h"

/* Compliance of every vertex of the surface at rest, times mean_mass. */
void vertex_compliances(const model *m, double mean_mass, double *out);

#endif

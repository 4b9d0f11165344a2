/* The stiffness of the barrier as PolyFEM chooses it, for scenes of that program: norms of short
 * runs with contact depend on it. It differs from our own rule (stiffness.h) in what counts:
 *
 * - all coordinates balance, prescribed ones too, before they have moved;
 * - obstacles are part of the size of the scene, and of the number of nodes in the mean mass;
 * - only inertia, elasticity and loads count as other forces;
 * - pairs count once each in the balance, however they are weighed otherwise; the result is then
 *   scaled by the ratio of the two potentials.
 */
#ifndef CONTACT_STIFFNESS_POLYFEM_H
#define CONTACT_STIFFNESS_POLYFEM_H

#include "contact/contact_term.h"

/* kappa at x; sets its bounds. other_gradient: of the other forces over all coordinates;
 * bounds_factor: on the bounds (1 unless the potential is scaled differently there). Obstacles must
 * be the only vertices that are marked as fixed. */
abut_status contact_polyfem_stiffness(contact_term *t, const double *x, double mean_mass,
                                      double bounds_factor, const double *other_gradient,
                                      double *work, size_t scalars, double *kappa, abut_error *err);

#endif

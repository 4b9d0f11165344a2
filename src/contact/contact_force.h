/* Forces of contact and friction on the vertices of the collision surface at the state that the
 * terms were updated for, for output. Nothing of the terms changes. */
#ifndef CONTACT_CONTACT_FORCE_H
#define CONTACT_CONTACT_FORCE_H

#include "contact/friction_term.h"

/* force[vertex] += minus the gradient, divided by `factor`: what the integrator multiplies forces
 * with. friction may be NULL. */
void contact_add_forces(const contact_term *contact, const friction_term *friction,
                        const evaluation *ev, double factor, vec3 *force);
/* The two parts of it: the barrier's, and that of friction, which may not count in `ev`. */
void contact_add_normal_forces(const contact_term *contact, const evaluation *ev, double factor,
                               vec3 *force);
void contact_add_friction_forces(const friction_term *friction, const evaluation *ev, double factor,
                                 vec3 *force);

/* What a half-space feels: minus the sum of its forces on the vertices, and its moment about the
 * origin. */
typedef struct contact_resultant {
    vec3 force, moment;
} contact_resultant;
contact_resultant contact_plane_resultant(const contact_term *contact,
                                          const friction_term *friction, const evaluation *ev,
                                          double factor, int32_t plane);

/* Per vertex: the smallest gap beyond the thickness of a pair, where that is below dhat; NaN
 * elsewhere. */
void contact_vertex_gaps(const contact_term *contact, double *gap);
/* Per vertex: 0 without friction, 1 where all its contacts stick (they slide by less than eps_v h
 * in the step), 2 where one slips. */
void friction_vertex_states(const friction_term *friction, const evaluation *ev, double *state);

#endif

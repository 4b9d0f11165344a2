/* Forces of contact and friction on the vertices of the collision surface at the state that the
 * terms were updated for, for output. Nothing of the terms changes. */
#ifndef CONTACT_CONTACT_FORCE_H
#define CONTACT_CONTACT_FORCE_H

#include "contact/friction_term.h"

/* force[vertex] += minus the gradient, divided by `factor`: what the integrator multiplies forces
 * with. friction may be NULL. */
void contact_add_forces(const contact_term *contact, const friction_term *friction,
                        const evaluation *ev, double factor, vec3 *force);

#endif

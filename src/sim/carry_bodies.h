/* The state of a stepper carried to one of another scene: body by body, by name. */
#ifndef SIM_CARRY_BODIES_H
#define SIM_CARRY_BODIES_H

#include "step/stepper.h"

/* Bodies that both have keep positions, velocities, what their conditions and joints remember, and
 * what the caller has set (targets, forces, energies); others start as their scene says. Refused by
 * name: bodies with another mesh or type, energies on bodies that are gone, twisted rods, motions
 * that should have begun. `from` stays as it is. */
abut_status carry_bodies(stepper *from, stepper *to, abut_error *err);

/* What the caller has set, from a stepper to one of the same bodies. */
abut_status carry_settings(const stepper *from, stepper *to, abut_error *err);

#endif

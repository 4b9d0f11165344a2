/* Reactions: the forces that keep prescribed coordinates where they are.
 *
 * At the end of a step the derivative of the potential vanishes in all unknowns. What is left of it
 * in the prescribed scalars is the force of the support, multiplied like all forces by the
 * integrator's factor. */
#ifndef STEP_REACTIONS_H
#define STEP_REACTIONS_H

#include "step/stepper.h"

/* A force and its moment about the origin. */
typedef struct reaction {
    vec3 force, moment; /* N, N m */
} reaction;

/* With options.reactions. What a condition (its number among those of nodes, or of rigid and affine
 * bodies) does to its body; 0 when it is not active, and before the first step. */
reaction stepper_condition_reaction(const stepper *s, size_t condition);
reaction stepper_rigid_condition_reaction(const stepper *s, size_t condition);

#endif

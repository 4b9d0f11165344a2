/* Building rigid and affine bodies: mass, prescribed coordinates, forces and torques. */
#ifndef SCENE_BUILD_RIGID_H
#define SCENE_BUILD_RIGID_H

#include "scene/scene.h"
#include "step/stepper.h"

rigid_options build_rigid_options(const body_def *def);
/* Conditions, motion, poses, loads and initial velocity of a body that was added to the model as
 * number `built`. place: its error place. */
abut_status build_rigid_conditions(const scene_def *scene, const body_def *def, size_t built,
                                   const char *place, stepper *s, double *velocity,
                                   abut_error *err);

#endif

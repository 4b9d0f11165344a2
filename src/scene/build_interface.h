/* From the interfaces of a scene to those of friction. */
#ifndef SCENE_BUILD_INTERFACE_H
#define SCENE_BUILD_INTERFACE_H

#include "scene/scene.h"
#include "step/stepper.h"

/* Adds an interface of contacts whose coefficient at rest is that, and returns its number. */
abut_status build_interface(const scene_def *scene, const interface_def *def, double coefficient,
                            stepper *s, int32_t *number, abut_error *err);

/* Adhesion of it, NULL: it has none. Pairs of bodies or half-spaces are for the caller to add. */
abut_status build_adhesion(const interface_def *def, stepper *s, adhesion_term **out,
                           abut_error *err);

#endif

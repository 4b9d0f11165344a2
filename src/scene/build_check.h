/* What can be wrong with a scene although every field of it is right: nodes without mass, and
 * conditions that contradict each other. */
#ifndef SCENE_BUILD_CHECK_H
#define SCENE_BUILD_CHECK_H

#include "base/log.h"
#include "scene/scene.h"
#include "step/stepper.h"

/* Every node that a deformable body's mesh uses must have a mass: only inertia keeps the Newton
 * matrix definite, whatever touches the node. ABUT_ERROR_INPUT names the first one that has none;
 * vertices that no cell uses are left out with a warning. */
abut_status check_masses(const mesh *shape, const model *m, const model_body *body,
                         const char *place, const logger *log, abut_error *err);

/* Two conditions may prescribe the same node, or rigid body, at the same time only if their targets
 * agree. ABUT_ERROR_INPUT names node, conditions, time and targets. To be called after
 * stepper_start. */
abut_status check_conditions(const scene_def *scene, stepper *s, abut_error *err);

/* Quasi-static scenes: warns of bodies that no condition ever fixes. */
abut_status warn_of_free_bodies(const scene_def *scene, const stepper *s, const logger *log,
                                abut_error *err);

/* What cannot carry materials with parts (material/parts.h) is refused by name. */
abut_status check_material_parts(const scene_def *scene, const model *m, abut_error *err);
/* The same of elements whose change of volume counts by its mean. */
abut_status check_dilatation(const scene_def *scene, const model *m, abut_error *err);

#endif

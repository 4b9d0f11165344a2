/* From the joints and attachments of a scene to those of the model. */
#ifndef SCENE_BUILD_JOINT_H
#define SCENE_BUILD_JOINT_H

#include "body/model.h"
#include "scene/scene.h"
#include "step/stepper.h"

/* After the bodies; meshes: one per body of the scene. */
abut_status build_joints(const scene_def *scene, const mesh *meshes, model *m, const logger *log,
                         abut_error *err);

/* Tells which joints are redundant at the start, and warns of them; what contradicts each other is
 * found by the steps. After stepper_start. */
abut_status report_joints(const stepper *s, const logger *log, abut_error *err);

#endif

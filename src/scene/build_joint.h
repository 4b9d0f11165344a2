/* From the joints and attachments of a scene to those of the model. */
#ifndef SCENE_BUILD_JOINT_H
#define SCENE_BUILD_JOINT_H

#include "body/model.h"
#include "scene/scene.h"

/* After the bodies; meshes: one per body of the scene. */
abut_status build_joints(const scene_def *scene, const mesh *meshes, model *m, const logger *log,
                         abut_error *err);

#endif

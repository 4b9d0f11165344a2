/* From a scene's definitions to a stepper that is ready to go. */
#ifndef SCENE_BUILD_H
#define SCENE_BUILD_H

#include "scene/scene.h"
#include "step/stepper.h"

/* Loads the meshes, builds bodies, conditions and loads. The logger must outlive the stepper. */
abut_status scene_build(const scene_def *scene, const logger *log, stepper **out, abut_error *err);

#endif

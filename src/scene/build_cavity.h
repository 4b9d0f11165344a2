/* From the cavities of a scene to those of the model. */
#ifndef SCENE_BUILD_CAVITY_H
#define SCENE_BUILD_CAVITY_H

#include "body/model.h"
#include "scene/scene.h"

/* After the bodies. */
abut_status build_cavities(const scene_def *scene, model *m, abut_error *err);

#endif

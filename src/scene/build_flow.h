/* From the air and the water of a scene to those of the model. */
#ifndef SCENE_BUILD_FLOW_H
#define SCENE_BUILD_FLOW_H

#include "body/model.h"
#include "scene/scene.h"

abut_status build_flows(const scene_def *scene, model *m, abut_error *err);

#endif

/* Shells, rods and particles of a scene as bodies of the model. */
#ifndef SCENE_BUILD_THIN_H
#define SCENE_BUILD_THIN_H

#include "body/model.h"
#include "scene/scene.h"

abut_status build_thin_body(const body_def *def, const mesh *shape, model *m, abut_error *err);

#endif

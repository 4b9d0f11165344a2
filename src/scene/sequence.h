/* Prescribed positions of a body from numbered mesh files. */
#ifndef SCENE_SEQUENCE_H
#define SCENE_SEQUENCE_H

#include "body/model.h"
#include "scene/scene.h"
#include "step/dirichlet_data.h"

/* Reads the files of body i into the condition, whose nodes are all blocks of the body in order:
 * one per step until the scene ends or a file is missing (the first one must be there). */
abut_status sequence_load(const scene_def *scene, size_t i, const model_body *body, condition *c,
                          abut_error *err);

#endif

/* Which nodes of a mesh a condition applies to. */
#ifndef SCENE_SELECT_H
#define SCENE_SELECT_H

#include "scene/scene.h"

/* Indices of the selected vertices, sorted and without repetition (mem_free). `m` is the
 * transformed mesh of the body. An index of a list that the mesh does not have is ABUT_ERROR_INPUT;
 * selecting nothing is not an error. */
abut_status select_nodes(const selector_def *selector, const body_def *body, const mesh *m,
                         int32_t **nodes, size_t *count, abut_error *err);

#endif

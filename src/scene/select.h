/* Which nodes of a mesh a condition applies to. */
#ifndef SCENE_SELECT_H
#define SCENE_SELECT_H

#include "fem/sides.h"
#include "scene/scene.h"

/* Indices of the selected vertices, sorted and without repetition (mem_free). `m` is the
 * transformed mesh of the body. An index of a list that the mesh does not have is ABUT_ERROR_INPUT;
 * selecting nothing is not an error. */
abut_status select_nodes(const selector_def *selector, const body_def *body, const mesh *m,
                         int32_t **nodes, size_t *count, abut_error *err);

/* The boundary sides of a body that its part `number` takes (NULL: all of them). */
abut_status select_sides(const body_def *body, const mesh *m, const int32_t *number, side_list *out,
                         abut_error *err);
/* True when a point is in the region that a part describes. */
bool boundary_contains(const boundary_def *b, vec3 p);

#endif

/* Loads on bodies whose meshes change: the part of each node. */
#ifndef SCENE_BODY_SHAPES_H
#define SCENE_BODY_SHAPES_H

#include "fem/sides.h"
#include "scene/build.h"

/* Spreads the total force of a load by the area at rest of the boundary facets whose corners are
 * all in the set; equal parts when there is no such facet. l->force is the mean over the nodes. */
abut_status share_by_area(const body_shape *now, bool planar, size_t set, load *l, abut_error *err);

/* Area at rest; in the plane, length. */
double side_area(const mesh *m, const cell_side *side, bool planar);
/* Boundary facets whose corners are all in a set. */
abut_status remembered_sides(const body_shape *now, bool planar, size_t set, side_list *out,
                             abut_error *err);

#endif

/* The connected pieces of a mesh, as meshes of their own. */
#ifndef MESH_COMPONENTS_H
#define MESH_COMPONENTS_H

#include "mesh/mesh.h"

/* Number of pieces that are connected by cells; without cells, every vertex is one. */
abut_status mesh_count_components(const mesh *m, size_t *count, abut_error *err);
/* Leaves piece number `which` only, in the order of their first vertices. Rest shapes and stitches
 * are dropped. */
abut_status mesh_keep_component(mesh *m, size_t which, abut_error *err);

#endif

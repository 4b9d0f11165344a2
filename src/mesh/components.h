/* The connected pieces of a mesh, as meshes of their own. */
#ifndef MESH_COMPONENTS_H
#define MESH_COMPONENTS_H

#include "mesh/mesh.h"

/* Number of pieces that are connected by cells; without cells, every vertex is one. */
abut_status mesh_count_components(const mesh *m, size_t *count, abut_error *err);
/* All pieces, in the order of their first vertices, with their tags; rest shapes and stitches are
 * dropped. To be freed by mesh_pieces_free. */
typedef struct mesh_pieces {
    mesh *meshes;
    size_t count;
} mesh_pieces;
abut_status mesh_split(const mesh *m, mesh_pieces *out, abut_error *err);
void mesh_pieces_free(mesh_pieces *pieces);

#endif

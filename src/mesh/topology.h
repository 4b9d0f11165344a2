/* Surfaces, edges, components and orientation of meshes. Results are in a deterministic order. */
#ifndef MESH_TOPOLOGY_H
#define MESH_TOPOLOGY_H

#include "mesh/mesh.h"

/* Boundary triangles of tets (their corner nodes), oriented outward. *triangles is allocated with
 * mem_alloc: 3 indices each. The order follows the tets. A face of more than two tets, or two tets
 * with the same vertices, are input errors that name the tets. */
abut_status surface_of_tets(const int32_t *tets, int nodes_per_tet, size_t tet_count,
                            int32_t (**triangles)[3], size_t *count, abut_error *err);

/* Unique edges (lower index first, sorted) of triangles and of extra given edges. */
abut_status unique_edges(const int32_t (*triangles)[3], size_t triangle_count,
                         const int32_t (*extra)[2], size_t extra_count, int32_t (**edges)[2],
                         size_t *count, abut_error *err);

/* Component index of every vertex under the connectivity of all cells; returns the number. Vertices
 * without a cell are components of their own. component has m->vertex_count entries. */
abut_status connected_components(const mesh *m, int32_t *component, size_t *count, abut_error *err);

/* Makes the orientation of the triangles (of any order) consistent within each component and, where
 * it is closed, outward; an open component changes as few triangles as possible. Orientation does
 * not cross edges of more than two triangles. Reports how many were flipped and whether all
 * components are orientable; those that are not stay as they are. */
abut_status orient_triangles(mesh *m, size_t *flipped, bool *orientable, abut_error *err);

/* Reverses every tet (of any order) whose corners span a negative volume; returns how many. */
size_t orient_tets(mesh *m);
/* Signed volume, positive when b-a, c-a, d-a are right-handed. */
double tet_volume(vec3 a, vec3 b, vec3 c, vec3 d);

/* Vertices in no cell; edges in no triangle or tet; etc. — the codimensional parts of a mesh:
 * surface triangles, edges not part of a triangle, points not part of an edge. */
typedef struct surface_parts {
    int32_t (*triangles)[3];
    size_t triangle_count;
    int32_t (*edges)[2]; /* all unique edges: of the triangles and free ones */
    size_t edge_count;
    size_t free_edge_first; /* edges from here on belong to no triangle */
    int32_t *points; /* all vertices of triangles and edges, and free points: sorted, unique */
    size_t point_count;
} surface_parts;

/* The collision surface of a mesh: boundary of tets and hexes, triangles and quads that are not
 * faces of a solid (quads cut in two), free edges, free points. Cells of higher order count by
 * their corners. Vertices that no cell uses count as free points only when the mesh has no cells at
 * all.
 */
abut_status mesh_surface(const mesh *m, surface_parts *out, abut_error *err);
void surface_parts_free(surface_parts *s);

/* The collision surface as a mesh of its own: linear triangles, free edges and free points, without
 * the vertices that are not on it. Rest shape and stitches stay with their vertices; tags do not.
 */
abut_status mesh_extract_surface(const mesh *m, mesh *out, abut_error *err);

#endif

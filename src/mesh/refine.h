/* Uniform refinement of linear meshes. */
#ifndef MESH_REFINE_H
#define MESH_REFINE_H

#include "mesh/mesh.h"

/* Cuts every tetrahedron into 8, triangle into 4 and edge into 2 at the middles of the edges; tags
 * and rest shapes are kept. The inner octahedron of a tetrahedron is cut along its shortest
 * diagonal. Cells of other kinds or orders are ABUT_ERROR_UNSUPPORTED; on failure m is unchanged.
 */
abut_status mesh_refine(mesh *m, abut_error *err);

#endif

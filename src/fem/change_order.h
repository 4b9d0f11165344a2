/* The same cells with nodes of another order: the mesh of the nodes of a basis. */
#ifndef FEM_CHANGE_ORDER_H
#define FEM_CHANGE_ORDER_H

#include "mesh/mesh.h"

/* Gives all cells of `from` (edges, triangles, tets of order 1 to 4; quads, hexes of order 1 to 2)
 * the order asked for (quads and hexes at most 2). Nodes are shared by topology: two cells have the
 * same node on a corner, edge or face that they share, whatever its orientation; coordinates are
 * never compared. New nodes lie on the image of the old cell. Corners, nodes of cells that have the
 * order already, and vertices that no cell uses, come first and keep their order; `vertex_of` (may
 * be NULL) receives for every old vertex its new number or -1 (allocated). Tags are kept; stitches
 * and rest shapes are not. */
abut_status mesh_change_order(const mesh *from, int order, mesh *out, int32_t **vertex_of,
                              abut_error *err);

/* Largest order of the cells of a mesh; 1 for a mesh without cells. */
int mesh_order(const mesh *m);

#endif

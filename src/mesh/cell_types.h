/* The numbers that Gmsh and VTK give to kinds of cells, and how the two order the nodes of cells of
 * higher order: both list corners, edges, faces and the interior, but not the same edges first. */
#ifndef MESH_CELL_TYPES_H
#define MESH_CELL_TYPES_H

#include "mesh/mesh.h"

typedef enum cell_type_status {
    CELL_TYPE_KNOWN,
    CELL_TYPE_UNSUPPORTED, /* exists in that program, but not here: *name says what it is */
    CELL_TYPE_UNKNOWN
} cell_type_status;

cell_type_status gmsh_cell_type(int64_t type, cell_kind *kind, int *order, const char **name);
int gmsh_type_of(cell_kind kind, int order); /* 0 when Gmsh has none */

/* Only cells with a fixed kind; strips, polylines, pixels and voxels are the reader's business.
 * The order of Lagrange cells follows from the number of nodes. */
cell_type_status vtk_cell_type(int64_t type, size_t node_count, cell_kind *kind, int *order,
                               const char **name);
int vtk_type_of(cell_kind kind, int order);

enum { CELL_MAX_NODES = 35 };

/* Node i of a cell in Gmsh's order is node place[i] in VTK's. `old_hexahedron` is for Lagrange
 * hexahedra of files written before VTK 9, which had two edges exchanged. */
void vtk_node_places(cell_kind kind, int order, bool old_hexahedron, int place[CELL_MAX_NODES]);

#endif

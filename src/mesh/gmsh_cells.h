/* The numbers that Gmsh gives to kinds of cells. Its order of nodes is ours. */
#ifndef MESH_GMSH_CELLS_H
#define MESH_GMSH_CELLS_H

#include "mesh/mesh.h"

typedef enum gmsh_status {
    GMSH_KNOWN,
    GMSH_UNSUPPORTED, /* exists in Gmsh, but not here: *name says what it is */
    GMSH_UNKNOWN
} gmsh_status;

gmsh_status gmsh_cell_kind(int64_t type, cell_kind *kind, int *order, const char **name);
/* 0 when Gmsh has no such cell. */
int gmsh_cell_type(cell_kind kind, int order);

#endif

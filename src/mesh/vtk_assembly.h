/* Cells of VTK's kinds, as legacy VTK and VTU files list them, put into the blocks of a mesh: node
 * orders are converted, polylines cut into edges, strips and polygons into triangles. */
#ifndef MESH_VTK_ASSEMBLY_H
#define MESH_VTK_ASSEMBLY_H

#include "mesh/read.h"
#include "mesh/vtk_cells.h"

typedef struct vtk_assembly {
    scan *s;
    mesh_builder *b;
    bool old_hexahedra; /* files from before VTK 9 exchange two edges of Lagrange hexahedra */
    /* What the last cell was, since most cells are like the one before. */
    int64_t type;
    size_t count;
    builder_block *block;
    int permutation[VTK_MAX_NODES];
} vtk_assembly;

enum { VTK_POLYVERTEX = 2, VTK_POLYLINE = 4, VTK_STRIP = 6, VTK_POLYGON = 7 };

/* Adds a cell; the nodes are indices of vertices, already checked. Errors are reported at `at`. */
abut_status vtk_add_cell(vtk_assembly *a, const char *at, int64_t type, const int32_t *nodes,
                         size_t count, int32_t tag);

#endif

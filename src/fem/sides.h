/* The sides of cells: faces of solid cells, in the plane the edges of triangles and quads. A side
 * is itself a cell, of one dimension less and the same order; its nodes are those of its cell that
 * lie on it. */
#ifndef FEM_SIDES_H
#define FEM_SIDES_H

#include "base/array.h"
#include "base/status.h"
#include "mesh/cell.h"

typedef struct cell_side {
    int32_t corner[4]; /* vertices, ascending; -1 behind */
    int32_t block, face;
    size_t cell;
} cell_side;
typedef ARRAY(cell_side) side_list;

int side_count(cell_kind kind);
cell_kind side_kind(cell_kind kind);
/* Local corners of a side, counter-clockwise seen from outside; returns their number. */
int side_corners(cell_kind kind, int face, int corners[4]);

/* Sides that belong to one cell only of those with a dimension (2 or 3), in the order of the cells.
 * Sides of more than two cells are input errors. */
abut_status boundary_sides(const mesh *m, int dimension, side_list *out, abut_error *err);

/* Local nodes of a side in the order of the nodes of its own kind; returns their number. Seen from
 * outside the side is counter-clockwise. */
int side_nodes(cell_kind kind, int order, int face, int nodes[CELL_MAX_NODES]);

#endif

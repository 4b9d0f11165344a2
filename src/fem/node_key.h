/* A lattice point of a cell by what it lies on, the same for all cells that share it: how nodes and
 * sampled points are welded without looking at coordinates. */
#ifndef FEM_NODE_KEY_H
#define FEM_NODE_KEY_H

#include "mesh/cell.h"

/* The corners of the edge, face or cell that the point is inside of, ascending, and the steps that
 * the point is from the opposite of each: on edges and simplices its barycentric coordinates times
 * the number of steps; on quads and hexes products of the steps along the axes. */
typedef struct node_key {
    int32_t corner[8];
    int32_t steps[8];
    int32_t count;
} node_key;

/* For a lattice with `order` steps per edge; corners: the global numbers of the cell's corners. */
node_key node_key_make(cell_kind kind, int order, const int *point, const int32_t *corners);
/* Fewer corners first, then by corners, then by steps. */
int node_key_compare(const node_key *a, const node_key *b);

#endif

/* Facts about single cells in Gmsh's node order: where the nodes lie, which corners make a face,
 * how the nodes are renumbered when the orientation is reversed. */
#ifndef MESH_CELL_H
#define MESH_CELL_H

#include "mesh/mesh.h"

enum { CELL_MAX_NODES = 35 };

/* The order of a cell with so many nodes; 0: there is none. */
int cell_order(cell_kind kind, int node_count);

/* Reference position of each node as integers: the coordinates divided by the order, u >= 0, v >=
 * 0, w >= 0 and, for edges, triangles and tets, u + v + w <= order. Returns the number of nodes, 0
 * for a kind and order that do not exist. */
int cell_lattice(cell_kind kind, int order, int lattice[CELL_MAX_NODES][3]);

/* permutation[i] is the node that takes place i in the same cell with reversed orientation. Points
 * and edges: edges swap their ends. Returns the number of nodes. */
int cell_reversal(cell_kind kind, int order, int permutation[CELL_MAX_NODES]);

/* Reverses cell c of a block in place, with a permutation from cell_reversal. */
void cell_reverse(cell_block *block, size_t c, const int *permutation);

/* Faces of tets and hexes by their corners, counter-clockwise seen from outside (the fourth corner
 * of a triangle is -1), and edges of all kinds by their corners. */
int cell_face_count(cell_kind kind);
const int *cell_face(cell_kind kind, int face);
int cell_edge_count(cell_kind kind);
const int *cell_edge(cell_kind kind, int edge);

#endif

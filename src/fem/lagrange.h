/* Lagrange bases of any order on the reference cells.
 *
 * Nodes are the points of the lattice of a cell (mesh/cell.h), in Gmsh's order; functions are 1 at
 * their own node and 0 at the others. On simplices a function is the product of Silvester's
 * polynomials of the barycentric coordinates, on quads and hexes of one polynomial per axis. */
#ifndef FEM_LAGRANGE_H
#define FEM_LAGRANGE_H

#include "mesh/cell.h"

/* Dimension of the reference cell: 0 for points, 1 for edges, ... */
int cell_dimension(cell_kind kind);

/* Values (may be NULL) and reference gradients (may be NULL; components beyond the dimension are 0)
 * of all functions at a point of the reference cell: the unit simplex or the unit cube. The point
 * may lie outside. */
void lagrange_evaluate(cell_kind kind, int order, const double xi[3], double *value,
                       double (*gradient)[3]);

/* The position of the point, and optionally the Jacobian dx/dxi, of a cell with the given nodes. */
vec3 lagrange_position(cell_kind kind, int order, const vec3 *nodes, const double xi[3],
                       mat3 *jacobian);

/* True when the map of a cell with these nodes is affine to within round-off. */
bool lagrange_is_affine(cell_kind kind, int order, const vec3 *nodes);

#endif

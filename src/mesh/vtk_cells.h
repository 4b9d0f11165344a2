/* Cells of VTK's file formats: type numbers, and the permutation between VTK's node order and ours
 * (Gmsh's) for elements of order 1 to 4. Readers and writers of VTK and VTU files share it. */
#ifndef MESH_VTK_CELLS_H
#define MESH_VTK_CELLS_H

#include "mesh/mesh.h"

enum { VTK_MAX_NODES = 35 }; /* a tet of order 4 */

/* VTK's type of a cell of this kind and order (Lagrange cells from order 3 on); 0 = there is none.
 */
int vtk_cell_type(cell_kind kind, int order);

/* Kind and order of a VTK cell type with that many nodes; false when abut has no such cell. */
bool vtk_cell_kind(int type, int node_count, cell_kind *kind, int *order);

/* permutation[i] = index in our cell of VTK's i-th node. */
void vtk_node_order(cell_kind kind, int order, int permutation[VTK_MAX_NODES]);

/* Where our nodes of a triangle or tet of order 1 to 4 lie: node i is the sum of its counts,
 * divided by the order, times the vertices. Returns the number of nodes. */
int simplex_node_counts(cell_kind kind, int order, int counts[VTK_MAX_NODES][4]);

#endif

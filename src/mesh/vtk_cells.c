#include "mesh/vtk_cells.h"

#include <string.h>

static const struct {
    cell_kind kind;
    int order, type;
} cell_types[] = {
    {CELL_POINT, 1, 1},     {CELL_EDGE, 1, 3},     {CELL_EDGE, 2, 21},     {CELL_EDGE, 3, 68},
    {CELL_EDGE, 4, 68},     {CELL_TRIANGLE, 1, 5}, {CELL_TRIANGLE, 2, 22}, {CELL_TRIANGLE, 3, 69},
    {CELL_TRIANGLE, 4, 69}, {CELL_QUAD, 1, 9},     {CELL_QUAD, 2, 28},     {CELL_TET, 1, 10},
    {CELL_TET, 2, 24},      {CELL_TET, 3, 71},     {CELL_TET, 4, 71},      {CELL_HEX, 1, 12},
    {CELL_HEX, 2, 29},
};
enum { CELL_TYPE_COUNT = sizeof cell_types / sizeof *cell_types };

int vtk_cell_type(cell_kind kind, int order)
{
    if (kind == CELL_POINT) return 1;
    for (int i = 0; i < CELL_TYPE_COUNT; i++)
        if (cell_types[i].kind == kind && cell_types[i].order == order) return cell_types[i].type;
    return 0;
}

static int simplex_nodes(int dimension, int order)
{
    int edge = order + 1;
    if (dimension == 1) return edge;
    return dimension == 2 ? edge * (edge + 1) / 2 : edge * (edge + 1) * (edge + 2) / 6;
}

/* Order 1..4 of a simplex with that many nodes, 0 when there is none. */
static int simplex_order(int dimension, int node_count)
{
    for (int order = 1; order <= 4; order++)
        if (simplex_nodes(dimension, order) == node_count) return order;
    return 0;
}

bool vtk_cell_kind(int type, int node_count, cell_kind *kind, int *order)
{
    switch (type) {
    case 1: *kind = CELL_POINT, *order = 1; return node_count == 1;
    case 3: *kind = CELL_EDGE, *order = 1; return node_count == 2;
    case 5: *kind = CELL_TRIANGLE, *order = 1; return node_count == 3;
    case 9: *kind = CELL_QUAD, *order = 1; return node_count == 4;
    case 10: *kind = CELL_TET, *order = 1; return node_count == 4;
    case 12: *kind = CELL_HEX, *order = 1; return node_count == 8;
    case 21: *kind = CELL_EDGE, *order = 2; return node_count == 3;
    case 22: *kind = CELL_TRIANGLE, *order = 2; return node_count == 6;
    case 24: *kind = CELL_TET, *order = 2; return node_count == 10;
    case 28: *kind = CELL_QUAD, *order = 2; return node_count == 9;
    case 29: *kind = CELL_HEX, *order = 2; return node_count == 27;
    case 68: *kind = CELL_EDGE, *order = simplex_order(1, node_count); return *order > 0;
    case 69: *kind = CELL_TRIANGLE, *order = simplex_order(2, node_count); return *order > 0;
    case 70:
        *kind = CELL_QUAD, *order = node_count == 9 ? 2 : 1;
        return node_count == 4 || *order > 1;
    case 71: *kind = CELL_TET, *order = simplex_order(3, node_count); return *order > 0;
    case 72:
        *kind = CELL_HEX, *order = node_count == 27 ? 2 : 1;
        return node_count == 8 || *order > 1;
    default: return false;
    }
}

/* How a format numbers the nodes of a simplex after its vertices: nodes of an edge run from the
 * first vertex to the second; inner nodes of a face lie near these vertices, in turn. */
typedef struct node_convention {
    int vertex_count, edge_count, face_count;
    int edges[6][2];
    int faces[4][3];
} node_convention;

static const node_convention gmsh_tet = {
    4,
    6,
    4,
    {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}},
    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}},
};
static const node_convention vtk_tet = {
    4,
    6,
    4,
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
    {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}},
};
static const node_convention triangle = {3, 3, 1, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1, 2}}};

/* Vertices, edge nodes, face nodes and, in a tet of order 4, the node in the middle. */
static int list_nodes(const node_convention *c, int order, int counts[VTK_MAX_NODES][4])
{
    int n = 0;
    for (int i = 0; i < VTK_MAX_NODES; i++)
        for (int k = 0; k < 4; k++) counts[i][k] = 0;
    for (int v = 0; v < c->vertex_count; v++) counts[n++][v] = order;
    for (int e = 0; e < c->edge_count; e++)
        for (int i = 1; i < order; i++, n++) {
            counts[n][c->edges[e][0]] = order - i;
            counts[n][c->edges[e][1]] = i;
        }
    for (int f = 0; f < c->face_count && order >= 3; f++)
        for (int i = 0; i < (order == 3 ? 1 : 3); i++, n++) {
            for (int k = 0; k < 3; k++) counts[n][c->faces[f][k]] = 1;
            counts[n][c->faces[f][i]] = order - 2;
        }
    if (c->vertex_count == 4 && order == 4) {
        for (int k = 0; k < 4; k++) counts[n][k] = 1;
        n++;
    }
    return n;
}

int simplex_node_counts(cell_kind kind, int order, int counts[VTK_MAX_NODES][4])
{
    return list_nodes(kind == CELL_TET ? &gmsh_tet : &triangle, order, counts);
}

static void tet_order(int order, int *permutation)
{
    int ours[VTK_MAX_NODES][4], theirs[VTK_MAX_NODES][4];
    int n = list_nodes(&gmsh_tet, order, ours);
    list_nodes(&vtk_tet, order, theirs);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (memcmp(theirs[i], ours[j], sizeof ours[j]) == 0) permutation[i] = j;
}

void vtk_node_order(cell_kind kind, int order, int permutation[VTK_MAX_NODES])
{
    static const int hex27[27] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                  19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26};
    for (int i = 0; i < VTK_MAX_NODES; i++) permutation[i] = i;
    if (kind == CELL_TET && order > 1) tet_order(order, permutation);
    if (kind == CELL_HEX && order == 2)
        for (int i = 0; i < 27; i++) permutation[i] = hex27[i];
}

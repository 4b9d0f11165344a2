#include "mesh/vtk_cells.h"

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
    default: return false;
    }
}

/* A node of a tet of some order as four barycentric counts that add up to the order. */
typedef struct bary {
    int count[4];
} bary;

typedef struct tet_convention {
    int edges[6][2]; /* nodes run from the first vertex to the second */
    int faces[4][3]; /* inner nodes: corners of the inner triangle near these vertices, in turn */
} tet_convention;

static const tet_convention gmsh_tet = {
    {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}},
    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}},
};
static const tet_convention vtk_tet = {
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
    {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}},
};

/* Vertices, edge nodes, face nodes and, at order 4, the node in the middle. */
static int list_tet_nodes(const tet_convention *convention, int order, bary nodes[VTK_MAX_NODES])
{
    int n = 0;
    for (int i = 0; i < VTK_MAX_NODES; i++) nodes[i] = (bary){{0}};
    for (int v = 0; v < 4; v++) nodes[n++].count[v] = order;
    for (int e = 0; e < 6; e++)
        for (int i = 1; i < order; i++, n++) {
            nodes[n].count[convention->edges[e][0]] = order - i;
            nodes[n].count[convention->edges[e][1]] = i;
        }
    for (int f = 0; f < 4 && order >= 3; f++)
        for (int i = 0; i < (order == 3 ? 1 : 3); i++, n++) {
            for (int k = 0; k < 3; k++) nodes[n].count[convention->faces[f][k]] = 1;
            nodes[n].count[convention->faces[f][i]] = order - 2;
        }
    if (order == 4) nodes[n++] = (bary){{1, 1, 1, 1}};
    return n;
}

static bool same_node(const bary *a, const bary *b)
{
    return a->count[0] == b->count[0] && a->count[1] == b->count[1] && a->count[2] == b->count[2];
}

static void tet_order(int order, int *permutation)
{
    bary ours[VTK_MAX_NODES], theirs[VTK_MAX_NODES];
    int n = list_tet_nodes(&gmsh_tet, order, ours);
    list_tet_nodes(&vtk_tet, order, theirs);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (same_node(&theirs[i], &ours[j])) permutation[i] = j;
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

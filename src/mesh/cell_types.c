#include "mesh/cell_types.h"

#include <string.h>

typedef struct cell_type {
    int type;
    const char *name;
    int kind; /* -1: unsupported */
    int order;
} cell_type;

static const cell_type gmsh_types[] = {
    {15, "point", CELL_POINT, 1},
    {1, "line", CELL_EDGE, 1},
    {8, "line of order 2", CELL_EDGE, 2},
    {26, "line of order 3", CELL_EDGE, 3},
    {27, "line of order 4", CELL_EDGE, 4},
    {28, "line of order 5", -1, 5},
    {2, "triangle", CELL_TRIANGLE, 1},
    {9, "triangle of order 2", CELL_TRIANGLE, 2},
    {20, "incomplete triangle of order 3", -1, 3},
    {21, "triangle of order 3", CELL_TRIANGLE, 3},
    {22, "incomplete triangle of order 4", -1, 4},
    {23, "triangle of order 4", CELL_TRIANGLE, 4},
    {24, "incomplete triangle of order 5", -1, 5},
    {25, "triangle of order 5", -1, 5},
    {3, "quadrangle", CELL_QUAD, 1},
    {10, "quadrangle of order 2", CELL_QUAD, 2},
    {16, "incomplete quadrangle of order 2", -1, 2},
    {36, "quadrangle of order 3", -1, 3},
    {37, "quadrangle of order 4", -1, 4},
    {4, "tetrahedron", CELL_TET, 1},
    {11, "tetrahedron of order 2", CELL_TET, 2},
    {29, "tetrahedron of order 3", CELL_TET, 3},
    {30, "tetrahedron of order 4", CELL_TET, 4},
    {31, "tetrahedron of order 5", -1, 5},
    {5, "hexahedron", CELL_HEX, 1},
    {12, "hexahedron of order 2", CELL_HEX, 2},
    {17, "incomplete hexahedron of order 2", -1, 2},
    {92, "hexahedron of order 3", -1, 3},
    {93, "hexahedron of order 4", -1, 4},
    {6, "prism", -1, 1},
    {13, "prism of order 2", -1, 2},
    {18, "incomplete prism of order 2", -1, 2},
    {7, "pyramid", -1, 1},
    {14, "pyramid of order 2", -1, 2},
    {19, "incomplete pyramid of order 2", -1, 2},
};

/* Order 0: Lagrange cells, whose order follows from the number of nodes. */
static const cell_type vtk_types[] = {
    {1, "vertex", CELL_POINT, 1},
    {3, "line", CELL_EDGE, 1},
    {5, "triangle", CELL_TRIANGLE, 1},
    {9, "quad", CELL_QUAD, 1},
    {10, "tetra", CELL_TET, 1},
    {12, "hexahedron", CELL_HEX, 1},
    {13, "wedge", -1, 1},
    {14, "pyramid", -1, 1},
    {15, "pentagonal prism", -1, 1},
    {16, "hexagonal prism", -1, 1},
    {21, "quadratic edge", CELL_EDGE, 2},
    {22, "quadratic triangle", CELL_TRIANGLE, 2},
    {23, "quadratic quad of 8 nodes", -1, 2},
    {24, "quadratic tetra", CELL_TET, 2},
    {25, "quadratic hexahedron of 20 nodes", -1, 2},
    {26, "quadratic wedge", -1, 2},
    {27, "quadratic pyramid", -1, 2},
    {28, "biquadratic quad", CELL_QUAD, 2},
    {29, "triquadratic hexahedron", CELL_HEX, 2},
    {35, "cubic line", CELL_EDGE, 3},
    {42, "polyhedron", -1, 1},
    {68, "Lagrange curve", CELL_EDGE, 0},
    {69, "Lagrange triangle", CELL_TRIANGLE, 0},
    {70, "Lagrange quadrilateral", CELL_QUAD, 0},
    {71, "Lagrange tetrahedron", CELL_TET, 0},
    {72, "Lagrange hexahedron", CELL_HEX, 0},
    {73, "Lagrange wedge", -1, 0},
    {74, "Lagrange pyramid", -1, 0},
    {75, "Bezier curve", -1, 0},
    {76, "Bezier triangle", -1, 0},
    {77, "Bezier quadrilateral", -1, 0},
    {78, "Bezier tetrahedron", -1, 0},
    {79, "Bezier hexahedron", -1, 0},
};

static const cell_type *find_type(const cell_type *list, size_t count, int64_t type)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].type == type) return &list[i];
    return NULL;
}

cell_type_status gmsh_cell_type(int64_t type, cell_kind *kind, int *order, const char **name)
{
    const cell_type *found = find_type(gmsh_types, sizeof gmsh_types / sizeof *gmsh_types, type);
    if (!found) return CELL_TYPE_UNKNOWN;
    *name = found->name;
    if (found->kind < 0) return CELL_TYPE_UNSUPPORTED;
    *kind = (cell_kind)found->kind;
    *order = found->order;
    return CELL_TYPE_KNOWN;
}

int gmsh_type_of(cell_kind kind, int order)
{
    for (size_t i = 0; i < sizeof gmsh_types / sizeof *gmsh_types; i++)
        if (gmsh_types[i].kind == (int)kind && gmsh_types[i].order == order)
            return gmsh_types[i].type;
    return 0;
}

cell_type_status vtk_cell_type(int64_t type, size_t node_count, cell_kind *kind, int *order,
                               const char **name)
{
    const cell_type *found = find_type(vtk_types, sizeof vtk_types / sizeof *vtk_types, type);
    if (!found) return CELL_TYPE_UNKNOWN;
    *name = found->name;
    if (found->kind < 0) return CELL_TYPE_UNSUPPORTED;
    *kind = (cell_kind)found->kind;
    *order = found->order;
    if (found->order > 0) return CELL_TYPE_KNOWN;
    for (*order = 1; *order <= 4; ++*order)
        if ((size_t)cell_node_count(*kind, *order) == node_count) return CELL_TYPE_KNOWN;
    return CELL_TYPE_UNSUPPORTED;
}

int vtk_type_of(cell_kind kind, int order)
{
    int lagrange = 0;
    for (size_t i = 0; i < sizeof vtk_types / sizeof *vtk_types; i++) {
        const cell_type *t = &vtk_types[i];
        if (t->kind != (int)kind || t->type == 35) continue;
        if (t->order == order) return t->type;
        if (t->order == 0) lagrange = t->type;
    }
    return lagrange;
}

/* ---- node orders --------------------------------------------------------------------------- */

/* A node of a tet by its barycentric coordinates times the order. */
typedef struct lattice_point {
    int b[4];
} lattice_point;

typedef struct tet_convention {
    int edges[6][2];
    int faces[4][3];
} tet_convention;

static const tet_convention gmsh_tet = {
    {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}},
    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}},
};
static const tet_convention vtk_tet = {
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
    {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}},
};

/* The nodes of a tet up to order 4: corners, along the edges, faces (whose inner nodes, up to
 * three, follow the corners of the face), centre. */
static void tet_points(const tet_convention *convention, int p, lattice_point *points)
{
    int n = 0;
    memset(points, 0, CELL_MAX_NODES * sizeof *points);
    for (int c = 0; c < 4; c++) points[n++].b[c] = p;
    for (int e = 0; e < 6; e++)
        for (int k = 1; k < p; k++, n++) {
            points[n].b[convention->edges[e][0]] = p - k;
            points[n].b[convention->edges[e][1]] = k;
        }
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < (p == 3 ? 1 : p == 4 ? 3 : 0); k++, n++)
            for (int c = 0; c < 3; c++)
                points[n].b[convention->faces[f][c]] = p == 4 && c == k ? 2 : 1;
    if (p == 4)
        for (int c = 0; c < 4; c++) points[n].b[c] = 1;
}

void vtk_node_places(cell_kind kind, int order, bool old_hexahedron, int place[CELL_MAX_NODES])
{
    static const int hex27[27] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 16, 9,  17, 10,
                                  18, 19, 12, 15, 13, 14, 24, 22, 20, 21, 23, 25, 26};
    int nodes = cell_node_count(kind, order);
    for (int i = 0; i < nodes; i++) place[i] = i;
    if (kind == CELL_HEX && order == 2) {
        memcpy(place, hex27, sizeof hex27);
        if (old_hexahedron) {
            place[14] = 19;
            place[15] = 18;
        }
    }
    if (kind != CELL_TET) return;
    lattice_point ours[CELL_MAX_NODES], theirs[CELL_MAX_NODES];
    tet_points(&gmsh_tet, order, ours);
    tet_points(&vtk_tet, order, theirs);
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++)
            if (memcmp(&ours[i], &theirs[j], sizeof ours[i]) == 0) place[i] = j;
}

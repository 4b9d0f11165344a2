#include "mesh/gmsh_cells.h"

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

static const cell_type *find_type(int64_t type)
{
    for (size_t i = 0; i < sizeof gmsh_types / sizeof *gmsh_types; i++)
        if (gmsh_types[i].type == type) return &gmsh_types[i];
    return NULL;
}

gmsh_status gmsh_cell_kind(int64_t type, cell_kind *kind, int *order, const char **name)
{
    const cell_type *found = find_type(type);
    if (!found) return GMSH_UNKNOWN;
    *name = found->name;
    if (found->kind < 0) return GMSH_UNSUPPORTED;
    *kind = (cell_kind)found->kind;
    *order = found->order;
    return GMSH_KNOWN;
}

int gmsh_cell_type(cell_kind kind, int order)
{
    for (size_t i = 0; i < sizeof gmsh_types / sizeof *gmsh_types; i++)
        if (gmsh_types[i].kind == (int)kind && gmsh_types[i].order == order)
            return gmsh_types[i].type;
    return 0;
}

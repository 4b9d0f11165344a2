#include "mesh/vtk_assembly.h"

static const char *type_name(int64_t type)
{
    static const struct {
        int type;
        const char *name;
    } names[] = {{13, "wedge"},
                 {14, "pyramid"},
                 {15, "pentagonal prism"},
                 {16, "hexagonal prism"},
                 {23, "quadratic quad of 8 nodes"},
                 {25, "quadratic hexahedron of 20 nodes"},
                 {26, "quadratic wedge"},
                 {27, "quadratic pyramid"},
                 {42, "polyhedron"},
                 {68, "Lagrange curve"},
                 {69, "Lagrange triangle"},
                 {70, "Lagrange quadrilateral"},
                 {71, "Lagrange tetrahedron"},
                 {72, "Lagrange hexahedron"},
                 {73, "Lagrange wedge"},
                 {74, "Lagrange pyramid"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].type == type) return names[i].name;
    return NULL;
}

static abut_status refuse(vtk_assembly *a, const char *at, int64_t type, size_t count)
{
    static const unsigned char sizes[] = {
        [1] = 1,  [3] = 2,  [5] = 3,  [8] = 4,   [9] = 4,  [10] = 4, [11] = 8,
        [12] = 8, [21] = 3, [22] = 6, [24] = 10, [28] = 9, [29] = 27};
    if (type > 0 && type < (int64_t)sizeof sizes && sizes[type])
        return scan_fail(a->s, at, "a cell of VTK type %lld has %zu nodes; it must have %d",
                         (long long)type, count, sizes[type]);
    const char *name = type_name(type);
    if (name)
        return scan_unsupported(a->s, at,
                                "cells of VTK type %lld (%s) with %zu nodes cannot be used",
                                (long long)type, name, count);
    return scan_fail(a->s, at, "cells of VTK type %lld with %zu nodes are not known",
                     (long long)type, count);
}

static abut_status add_pieces(vtk_assembly *a, const char *at, int64_t type, const int32_t *nodes,
                              size_t count, int32_t tag)
{
    cell_kind kind = type == VTK_POLYVERTEX ? CELL_POINT
                     : type == VTK_POLYLINE ? CELL_EDGE
                                            : CELL_TRIANGLE;
    size_t corners = (size_t)cell_corner_count(kind);
    if (count < corners)
        return scan_fail(a->s, at, "a cell of VTK type %lld has %zu nodes; at least %zu are needed",
                         (long long)type, count, corners);
    builder_block *block = builder_find(a->b, kind, 1);
    if (!block) return scan_unsupported(a->s, at, "more than %d types of cells", MESH_MAX_BLOCKS);
    for (size_t k = 0; k + corners <= count; k++) {
        int32_t *to = builder_cell(block, tag);
        if (!to) return scan_memory(a->s);
        for (size_t i = 0; i < corners; i++) to[i] = nodes[k + i];
        if (type == VTK_POLYGON) to[0] = nodes[0];
        if (type == VTK_STRIP && k % 2 == 1) { /* every other triangle runs backwards */
            to[0] = nodes[k + 1];
            to[1] = nodes[k];
        }
    }
    return ABUT_OK;
}

/* Finds the block and the node order of a kind of cell. Pixels and voxels are quads and hexahedra
 * whose nodes run along the axes. */
static abut_status choose(vtk_assembly *a, const char *at, int64_t type, size_t count)
{
    cell_kind kind;
    int order, like = type == 8 ? 9 : type == 11 ? 12 : (int)type;
    if (type < 0 || type > 255 || count > VTK_MAX_NODES ||
        !vtk_cell_kind(like, (int)count, &kind, &order))
        return refuse(a, at, type, count);
    a->block = builder_find(a->b, kind, order);
    if (!a->block)
        return scan_unsupported(a->s, at, "more than %d types of cells", MESH_MAX_BLOCKS);
    vtk_node_order(kind, order, a->permutation);
    int *p = a->permutation;
    if (type == 8 || type == 11)
        for (int i = 2; i < (int)count; i += 4) p[i] = i + 1, p[i + 1] = i;
    if (type == 72 && order == 2 && a->old_hexahedra) {
        int swap = p[18];
        p[18] = p[19];
        p[19] = swap;
    }
    a->type = type;
    a->count = count;
    return ABUT_OK;
}

abut_status vtk_add_cell(vtk_assembly *a, const char *at, int64_t type, const int32_t *nodes,
                         size_t count, int32_t tag)
{
    if (type == 0 && count == 0) return ABUT_OK; /* VTK's empty cell */
    if (type == VTK_POLYVERTEX || type == VTK_POLYLINE || type == VTK_STRIP || type == VTK_POLYGON)
        return add_pieces(a, at, type, nodes, count, tag);
    if (!a->block || a->type != type || a->count != count) TRY(choose(a, at, type, count));
    int32_t *to = builder_cell(a->block, tag);
    if (!to) return scan_memory(a->s);
    for (size_t i = 0; i < count; i++) to[a->permutation[i]] = nodes[i];
    return ABUT_OK;
}

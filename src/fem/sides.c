#include "fem/sides.h"

#include "fem/lagrange.h"

#include <stdlib.h>

cell_kind side_kind(cell_kind kind)
{
    return cell_dimension(kind) == 2 ? CELL_EDGE : kind == CELL_TET ? CELL_TRIANGLE : CELL_QUAD;
}

int side_corners(cell_kind kind, int face, int corners[4])
{
    if (cell_dimension(kind) == 2) {
        const int *edge = cell_edge(kind, face);
        corners[0] = edge[0];
        corners[1] = edge[1];
        return 2;
    }
    const int *list = cell_face(kind, face);
    int count = list[3] < 0 ? 3 : 4;
    for (int k = 0; k < count; k++) corners[k] = list[k];
    return count;
}

int side_count(cell_kind kind)
{
    return cell_dimension(kind) == 2 ? cell_edge_count(kind) : cell_face_count(kind);
}

static int compare_corners(const cell_side *a, const cell_side *b)
{
    for (int k = 0; k < 4; k++)
        if (a->corner[k] != b->corner[k]) return a->corner[k] < b->corner[k] ? -1 : 1;
    return 0;
}

static int compare_sides(const void *left, const void *right)
{
    const cell_side *a = left, *b = right;
    int order = compare_corners(a, b);
    if (order) return order;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

static int compare_order(const void *left, const void *right)
{
    const cell_side *a = left, *b = right;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
    return a->face - b->face;
}

static cell_side make_side(const cell_block *block, int32_t number, size_t cell, int face)
{
    cell_side s = {{-1, -1, -1, -1}, number, face, cell};
    int corners[4], count = side_corners(block->kind, face, corners);
    for (int k = 0; k < count; k++) {
        int32_t v = block->nodes[cell * (size_t)block->nodes_per_cell + (size_t)corners[k]];
        int at = k;
        for (; at > 0 && s.corner[at - 1] > v; at--) s.corner[at] = s.corner[at - 1];
        s.corner[at] = v;
    }
    return s;
}

abut_status boundary_sides(const mesh *m, int dimension, side_list *out, abut_error *err)
{
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        if (cell_dimension(block->kind) != dimension) continue;
        for (size_t c = 0; c < block->count; c++)
            for (int f = 0; f < side_count(block->kind); f++)
                if (!array_push(out, make_side(block, b, c, f)))
                    return error_memory(err, "finding the boundary");
    }
    if (out->count == 0) return ABUT_OK;
    qsort(out->data, out->count, sizeof *out->data, compare_sides);
    size_t kept = 0;
    for (size_t i = 0, end; i < out->count; i = end) {
        for (end = i + 1; end < out->count && compare_corners(&out->data[i], &out->data[end]) == 0;)
            end++;
        if (end - i > 2)
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "the face with the vertices %d %d %d belongs to %zu cells",
                             out->data[i].corner[0], out->data[i].corner[1], out->data[i].corner[2],
                             end - i);
        if (end - i == 1) out->data[kept++] = out->data[i];
    }
    out->count = kept;
    qsort(out->data, kept, sizeof *out->data, compare_order);
    return ABUT_OK;
}

int side_nodes(cell_kind kind, int order, int face, int nodes[CELL_MAX_NODES])
{
    int corners[4], cell[CELL_MAX_NODES][3], whole[CELL_MAX_NODES][3], own[CELL_MAX_NODES][3];
    int corner_count = side_corners(kind, face, corners);
    int cell_nodes = cell_lattice(kind, order, whole);
    int count = cell_lattice(side_kind(kind), order, own);
    cell_lattice(kind, 1, cell);
    for (int n = 0; n < count; n++) {
        /* The side is flat in its reference cell: two edges from the first corner span it. */
        const int *first = cell[corners[0]], *second = cell[corners[1]];
        const int *last = cell[corners[corner_count - 1]];
        int at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = order * first[k] + own[n][0] * (second[k] - first[k]);
            if (corner_count > 2) at[k] += own[n][1] * (last[k] - first[k]);
        }
        for (int i = 0; i < cell_nodes; i++)
            if (whole[i][0] == at[0] && whole[i][1] == at[1] && whole[i][2] == at[2]) nodes[n] = i;
    }
    return count;
}

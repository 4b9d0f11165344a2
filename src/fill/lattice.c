#include "fill/lattice.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

double region_value(const fill_region *region, vec3 x, double near)
{
    double distance = winding_distance(region->tree, x, near);
    return winding_inside(region->tree, x, region->threshold) ? distance + region->offset
                                                              : region->offset - distance;
}

void lattice_free(lattice *l)
{
    mem_free(l->value);
    mem_free(l->level);
    *l = (lattice){0};
}

/* ---- values ---- */

enum { BLOCK = 4 }; /* cubes along the side of a block */

typedef struct value_work {
    lattice *l;
    const fill_region *region;
    int32_t blocks[3];
} value_work;

/* Values of the nodes of one lattice within a block. free_distance: no triangle is nearer to any of
 * them; 0 where there may be one. */
static void fill_nodes(const value_work *w, const int32_t block[3], int odd, vec3 center,
                       double center_distance, double free_distance, bool inside)
{
    lattice *l = w->l;
    const fill_region *region = w->region;
    int32_t end[3];
    for (int k = 0; k < 3; k++) {
        int32_t most = l->cells[k] + !odd;
        end[k] = (block[k] + 1) * BLOCK < most ? (block[k] + 1) * BLOCK : most;
    }
    for (int32_t z = block[2] * BLOCK; z < end[2]; z++)
        for (int32_t y = block[1] * BLOCK; y < end[1]; y++)
            for (int32_t x = block[0] * BLOCK; x < end[0]; x++) {
                size_t node = lattice_node(l, (int32_t[3]){2 * x + odd, 2 * y + odd, 2 * z + odd});
                vec3 at = lattice_position(l, node);
                double value;
                if (free_distance > 0) {
                    bool in = region->closed ? inside
                                             : winding_inside(region->tree, at, region->threshold);
                    value = (in ? free_distance : -free_distance) + region->offset;
                } else {
                    double far = center_distance + vec3_norm(vec3_sub(at, center));
                    value = region_value(region, at, 1.0001 * far);
                }
                l->value[node] = (float)value;
            }
}

static void fill_blocks(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    const lattice *l = w->l;
    double radius = 0.5 * sqrt(3) * BLOCK * l->side;
    for (size_t b = begin; b < end; b++) {
        int32_t block[3] = {(int32_t)(b % (size_t)w->blocks[0]),
                            (int32_t)(b / (size_t)w->blocks[0] % (size_t)w->blocks[1]),
                            (int32_t)(b / (size_t)w->blocks[0] / (size_t)w->blocks[1])};
        vec3 middle = {block[0] + 0.5, block[1] + 0.5, block[2] + 0.5};
        vec3 center = vec3_mul_add(l->origin, BLOCK * l->side, middle);
        double distance = winding_distance(w->region->tree, center, INFINITY);
        double free = distance - radius > 1.001 * w->region->offset ? distance - radius : 0;
        bool inside = free > 0 && w->region->closed &&
                      winding_inside(w->region->tree, center, w->region->threshold);
        for (int odd = 0; odd < 2; odd++) fill_nodes(w, block, odd, center, distance, free, inside);
    }
}

abut_status lattice_init(lattice *l, const fill_region *region, vec3 low, vec3 high, double side,
                         abut_error *err)
{
    /* Two cubes beyond the solid, and a shift that no design follows: nodes in the planes of
     * triangles would be inside by chance. */
    static const double shift[3] = {0.5772156649, 0.3678794412, 0.4342944819};
    *l = (lattice){.side = side};
    double total = 1, origin[3], from[3], to[3];
    vec3_store(from, low);
    vec3_store(to, high);
    for (int k = 0; k < 3; k++) {
        origin[k] = from[k] - region->offset - (1 + shift[k]) * side;
        double count = ceil((to[k] + region->offset - origin[k]) / side) + 1;
        total *= count;
        if (!(total <= LATTICE_MOST_CELLS))
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "cells of size %.3g need a lattice of more than %d cubes; ask for "
                             "larger or fewer cells",
                             side, (int)LATTICE_MOST_CELLS);
        l->cells[k] = (int32_t)count;
    }
    l->origin = vec3_load(origin);
    l->cell_count = lattice_cell(l, 0, 0, l->cells[2]);
    l->corner_count = lattice_corner(l, 0, 0, l->cells[2] + 1);
    l->value = mem_alloc(lattice_node_count(l), sizeof *l->value);
    l->level = mem_calloc(l->cell_count, sizeof *l->level);
    if (!l->value || !l->level) {
        lattice_free(l);
        return error_memory(err, "filling a surface");
    }
    value_work w = {.l = l, .region = region};
    size_t blocks = 1;
    for (int k = 0; k < 3; k++) {
        w.blocks[k] = (l->cells[k] + BLOCK) / BLOCK;
        blocks *= (size_t)w.blocks[k];
    }
    parallel_for(blocks, 4, fill_blocks, &w);
    return ABUT_OK;
}

/* ---- merging ---- */

/* Marks cubes with an edge that leaves the solid: between their nodes, or between their centre and
 * that of a neighbour. */
static void mark_crossed(const lattice *l, uint8_t *mark)
{
    for (int32_t k = 0; k < l->cells[2]; k++)
        for (int32_t j = 0; j < l->cells[1]; j++)
            for (int32_t i = 0; i < l->cells[0]; i++) {
                size_t cell = lattice_cell(l, i, j, k);
                const float *center = l->value + l->corner_count;
                bool inside = center[cell] > 0;
                for (int c = 0; c < 8; c++) {
                    size_t corner = lattice_corner(l, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                    if ((l->value[corner] > 0) != inside) mark[cell] = 1;
                }
                int32_t at[3] = {i, j, k};
                for (int a = 0; a < 3; a++) {
                    if (at[a] + 1 >= l->cells[a]) continue;
                    size_t next = lattice_cell(l, i + (a == 0), j + (a == 1), k + (a == 2));
                    if ((center[next] > 0) != inside) mark[cell] = mark[next] = 1;
                }
            }
}

/* Marks the neighbours along one axis of what is marked: nodes that move are ends of crossed edges,
 * and every tetrahedron at such a node lies between two cubes that hold it. */
static void spread_along(const lattice *l, uint8_t *mark, uint8_t *line, int axis)
{
    enum { REACH = 1 };
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    int32_t at[3], n = l->cells[axis];
    for (at[c] = 0; at[c] < l->cells[c]; at[c]++)
        for (at[b] = 0; at[b] < l->cells[b]; at[b]++) {
            for (int32_t i = 0; i < n; i++) {
                at[axis] = i;
                line[i] = mark[lattice_cell(l, at[0], at[1], at[2])];
            }
            for (int32_t i = 0; i < n; i++) {
                uint8_t any = 0;
                for (int32_t d = -REACH; d <= REACH; d++)
                    if (i + d >= 0 && i + d < n) any |= line[i + d];
                at[axis] = i;
                mark[lattice_cell(l, at[0], at[1], at[2])] = any;
            }
        }
}

/* Whether all cubes of the block at `at` (of 2^level cubes along a side) are merged at least to
 * `least`. */
static bool block_has_level(const lattice *l, const int32_t at[3], int level, int least)
{
    int32_t half = 1 << (level - 1);
    for (int c = 0; c < 8; c++) {
        int32_t i = at[0] + (c & 1) * half, j = at[1] + (c >> 1 & 1) * half,
                k = at[2] + (c >> 2) * half;
        if (i < 0 || j < 0 || k < 0 || i >= l->cells[0] || j >= l->cells[1] || k >= l->cells[2])
            return false;
        if (l->level[lattice_cell(l, i, j, k)] < least) return false;
    }
    return true;
}

static bool can_merge(const lattice *l, const uint8_t *mark, const int32_t at[3], int level)
{
    int32_t size = 1 << level;
    for (int k = 0; k < 3; k++)
        if (at[k] + size > l->cells[k]) return false;
    if (!block_has_level(l, at, level, level - 1)) return false;
    for (int c = 0; level == 1 && c < 8; c++) {
        size_t cell = lattice_cell(l, at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2));
        if (mark[cell] || !(l->value[l->corner_count + cell] > 0)) return false;
    }
    for (int n = 0; n < 27; n++) {
        int32_t near[3] = {at[0] + (n % 3 - 1) * size, at[1] + (n / 3 % 3 - 1) * size,
                           at[2] + (n / 9 - 1) * size};
        if (!block_has_level(l, near, level, level - 1)) return false;
    }
    return true;
}

static void set_level(lattice *l, const int32_t at[3], int level)
{
    int32_t size = 1 << level;
    for (int32_t k = 0; k < size; k++)
        for (int32_t j = 0; j < size; j++)
            memset(l->level + lattice_cell(l, at[0], at[1] + j, at[2] + k), level, (size_t)size);
}

abut_status lattice_merge(lattice *l, abut_error *err)
{
    int32_t longest = l->cells[0];
    for (int k = 1; k < 3; k++) longest = l->cells[k] > longest ? l->cells[k] : longest;
    uint8_t *mark = mem_calloc(l->cell_count, sizeof *mark);
    uint8_t *line = mem_alloc((size_t)longest, sizeof *line);
    if (!mark || !line) {
        mem_free(mark);
        mem_free(line);
        return error_memory(err, "filling a surface");
    }
    mark_crossed(l, mark);
    for (int axis = 0; axis < 3; axis++) spread_along(l, mark, line, axis);
    bool merged = true;
    for (int level = 1; merged && (1 << level) <= longest; level++) {
        int32_t size = 1 << level, at[3];
        merged = false;
        for (at[2] = 0; at[2] < l->cells[2]; at[2] += size)
            for (at[1] = 0; at[1] < l->cells[1]; at[1] += size)
                for (at[0] = 0; at[0] < l->cells[0]; at[0] += size) {
                    if (!can_merge(l, mark, at, level)) continue;
                    set_level(l, at, level);
                    merged = true;
                }
    }
    mem_free(mark);
    mem_free(line);
    return ABUT_OK;
}

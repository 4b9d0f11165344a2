/* The lattice that a cage is cut from: a grid of cubes, their corners and their centres, which
 * together are a body-centred cubic lattice. The solid is where a value at the nodes is positive.
 * Cubes that are deep inside are merged into larger ones, two to one next to each other. */
#ifndef FILL_LATTICE_H
#define FILL_LATTICE_H

#include "fill/winding.h"

/* The solid within a surface, grown by `offset` in all directions. */
typedef struct fill_region {
    const winding_tree *tree;
    double threshold; /* of the winding number */
    double offset;
    bool closed; /* the winding number changes at triangles only */
} fill_region;

/* Positive inside: the distance of the surface with the sign of the winding number, plus the
 * offset. `near` is a distance of the surface that is known not to be exceeded, or INFINITY. It
 * jumps in holes; its sign is what counts. */
double region_value(const fill_region *region, vec3 x, double near);

enum { LATTICE_MOST_CELLS = 8000000 };

typedef struct lattice {
    vec3 origin;
    double side; /* of a cube */
    int32_t cells[3];
    size_t corner_count, cell_count;
    float *value;   /* at the corners, then at the centres of the cubes */
    uint8_t *level; /* per cube: it is part of a merged one of 2^level cubes along each side */
} lattice;

/* Values at all nodes, levels 0. ABUT_ERROR_INPUT when there would be too many cubes. */
abut_status lattice_init(lattice *l, const fill_region *region, vec3 low, vec3 high, double side,
                         abut_error *err);
void lattice_free(lattice *l);
/* Merges cubes that are at least one cube away from every edge of the lattice that leaves the
 * solid. */
abut_status lattice_merge(lattice *l, abut_error *err);

/* Nodes are numbered: the corners, then the centres. */
static inline size_t lattice_node_count(const lattice *l)
{
    return l->corner_count + l->cell_count;
}
static inline bool lattice_is_center(const lattice *l, size_t node)
{
    return node >= l->corner_count;
}

static inline size_t lattice_corner(const lattice *l, int32_t i, int32_t j, int32_t k)
{
    return (size_t)i +
           (size_t)(l->cells[0] + 1) * ((size_t)j + (size_t)(l->cells[1] + 1) * (size_t)k);
}

static inline size_t lattice_cell(const lattice *l, int32_t i, int32_t j, int32_t k)
{
    return (size_t)i + (size_t)l->cells[0] * ((size_t)j + (size_t)l->cells[1] * (size_t)k);
}

/* Its position in half sides from the origin: all even for corners, all odd for centres. */
static inline void lattice_place(const lattice *l, size_t node, int32_t at[3])
{
    int odd = lattice_is_center(l, node);
    size_t nx = (size_t)l->cells[0] + !odd, ny = (size_t)l->cells[1] + !odd;
    if (odd) node -= l->corner_count;
    at[0] = 2 * (int32_t)(node % nx) + odd;
    at[1] = 2 * (int32_t)(node / nx % ny) + odd;
    at[2] = 2 * (int32_t)(node / nx / ny) + odd;
}

/* The node at a position; its coordinates are all even or all odd. */
static inline size_t lattice_node(const lattice *l, const int32_t at[3])
{
    return at[0] & 1 ? l->corner_count + lattice_cell(l, at[0] >> 1, at[1] >> 1, at[2] >> 1)
                     : lattice_corner(l, at[0] >> 1, at[1] >> 1, at[2] >> 1);
}

static inline vec3 lattice_position(const lattice *l, size_t node)
{
    int32_t at[3];
    lattice_place(l, node, at);
    return vec3_mul_add(l->origin, 0.5 * l->side, (vec3){at[0], at[1], at[2]});
}

#endif

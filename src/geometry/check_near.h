/* Which parts of space more than one body reaches, for the independent checker: most of the surface
 * of bodies that do not collide with themselves is far from everything else and need not be
 * searched.
 *
 * Space is cut into cells; every cell remembers the only body that reaches it, or that there are
 * several. Two boxes that meet share a point, hence a cell, so that both are found to be near.
 * Boxes that cover many cells are kept in a list instead. */
#ifndef GEOMETRY_CHECK_NEAR_H
#define GEOMETRY_CHECK_NEAR_H

#include "geometry/box_tree.h"

typedef struct near_cell {
    int64_t cell[3];
    int32_t body; /* or one of the codes of check_near.c */
} near_cell;

typedef struct near_box {
    tree_box box;
    int32_t body;
} near_box;

typedef struct check_near {
    double cells_per_length; /* a power of two */
    near_cell *cells;        /* open addressing; the number is a power of two */
    size_t mask, used;
    ARRAY(near_box) large;
    bool useless; /* too many large boxes: everything counts as near */
} check_near;

/* cell: a length, about that of a typical box. */
abut_status check_near_init(check_near *n, double cell, size_t expected, abut_error *err);
void check_near_free(check_near *n);
/* Marks a box that a body reaches. Coordinates must be finite. */
abut_status check_near_mark(check_near *n, tree_box box, int32_t body, abut_error *err);
/* Whether another body may reach the box. */
bool check_near_test(const check_near *n, tree_box box, int32_t body);

#endif

/* Stencils whose vertices do not all own a coordinate block: which blocks they touch, and the chain
 * rule through the rows of the collision surface.
 *
 * A stencil that follows n different blocks goes to the narrowest group of at least that width; the
 * slots left over are block -1, which assembly drops. */
#ifndef TERM_ROW_STENCILS_H
#define TERM_ROW_STENCILS_H

#include "body/collision_surface.h"
#include "math/vec3.h"
#include "term/term.h"

enum { ROW_GROUPS = 13, ROW_MAX_WIDTH = TERM_MAX_WIDTH };
extern const int row_group_width[ROW_GROUPS];

/* A stencil of the owner: entry `index` of its list `list`. */
typedef struct row_item {
    int32_t list, index;
} row_item;

typedef struct row_stencils {
    ARRAY(row_item) items[ROW_GROUPS];
    ARRAY(int32_t) blocks[ROW_GROUPS];
} row_stencils;

void row_stencils_free(row_stencils *r);
void row_stencils_clear(row_stencils *r);
/* Adds a stencil of `count` vertices. */
abut_status row_stencils_add(row_stencils *r, const collision_surface *s, row_item item,
                             const int32_t *vertex, int count, abut_error *err);
/* Fills the groups of a term, from group `first` on. */
void row_stencils_publish(const row_stencils *r, term *t, int first);

/* True when every vertex owns its block. */
static inline bool vertices_are_nodes(const collision_surface *s, const int32_t *vertex, int count)
{
    for (int k = 0; k < count; k++)
        if (s->rows.data[vertex[k]].kind != ROW_NODE) return false;
    return true;
}

/* Derivatives of the rotations of all rigid frames at x. */
typedef struct pose_derivatives {
    mat3 first[3], second[3][3];
} pose_derivatives;
typedef ARRAY(pose_derivatives) rigid_pose_list;
abut_status rigid_pose_list_update(rigid_pose_list *poses, const collision_surface *s,
                                   const double *x, abut_error *err);

/* The chain rule for one stencil: g (3 count) and h (dense, 3 count square; NULL: gradient only)
 * with respect to the vertices become the parts of a term for `width` blocks. With project
 * the result is positive semi-definite when h is. */
void row_chain_rule(const collision_surface *s, const rigid_pose_list *poses, const int32_t *vertex,
                    int count, const int32_t *blocks, int width, const double *g, const double *h,
                    bool project, double *gradient, double *hessian);

#endif

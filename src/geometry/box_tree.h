/* A tree over boxes that do not move: which of them meet a box, and how near the nearest content
 * is. Halved at the median along the longest axis; leaves hold up to BOX_TREE_LEAF boxes. It finds
 * cells of meshes and serves the independent checker; the solver has its own broad phase
 * (broad/bvh.h), which shares nothing with this. */
#ifndef GEOMETRY_BOX_TREE_H
#define GEOMETRY_BOX_TREE_H

#include "base/array.h"
#include "base/status.h"
#include "math/vec3.h"

enum { BOX_TREE_LEAF = 4 };

typedef struct tree_box {
    vec3 low, high;
} tree_box;

typedef ARRAY(int32_t) box_list;

typedef struct box_tree {
    ARRAY(tree_box) boxes; /* to fill before box_tree_build */
    box_list order;        /* numbers of boxes; a node is a range of them */
    ARRAY(tree_box) nodes; /* node i has the children 2 i + 1 and 2 i + 2 */
} box_tree;

void box_tree_free(box_tree *t);
abut_status box_tree_build(box_tree *t, abut_error *err);

/* Appends the numbers of the boxes that meet `where` and stand at `from` or later in the order of
 * the tree, in that order; false when out of memory. With from = p + 1 for the box at p, every pair
 * of boxes that meet is found once. */
bool box_tree_collect(const box_tree *t, const tree_box *where, size_t from, box_list *out);
/* Numbers of the boxes that meet [low, high], ascending. */
abut_status box_tree_find(const box_tree *t, vec3 low, vec3 high, box_list *out, abut_error *err);

/* Smallest of distance(context, i) over all boxes i, which must not be smaller than the distance
 * of v from box i; INFINITY without boxes. */
double box_tree_nearest(const box_tree *t, vec3 v,
                        double (*distance)(const void *context, size_t i), const void *context);

#endif

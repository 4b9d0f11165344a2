/* Walking two trees (or one tree against itself) down at the same time to find all pairs of
 * primitives whose boxes overlap. The first levels are walked breadth first, which yields tasks for
 * the threads; each task then goes down depth first, eight boxes at a time. */
#ifndef BROAD_WALK_H
#define BROAD_WALK_H

#include "broad/bvh.h"
#include "broad/pairs.h"
#include "broad/vertex_boxes.h"

/* Trees a and b have the same number of levels; they may be the same tree (pairs of equal kind). */
typedef struct walk_trees {
    const bvh *a, *b;
} walk_trees;

typedef struct walk_task {
    int32_t i, j; /* packets of trees a and b */
    int16_t kind, level;
} walk_task;

typedef struct walk {
    walk_trees trees[PAIR_KINDS]; /* NULL for a kind that is not wanted */
    const broad_query *query;
    /* Pairs of bodies that do not meet (broad_pair), ascending, and the body of every vertex. */
    const uint64_t *excluded;
    size_t excluded_count;
    const int32_t *body;
    pair_collector *collector;
    ARRAY(walk_task) tasks, next;
} walk;

void walk_free(walk *w);
/* Adds all pairs to the collector, repeating when it must grow. */
abut_status walk_run(walk *w, abut_error *err);

#endif

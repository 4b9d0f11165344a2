/* What stops a step before its end, as linear inequalities on the direction: for small steps a
 * stencil stays feasible as long as
 *
 *     sum over its blocks of value . q[block]  >=  bound,      bound < 0
 *
 * The inequality is the linearised gap at the moment at which the stencil would stop the step. */
#ifndef TERM_OBSTRUCTION_H
#define TERM_OBSTRUCTION_H

#include "base/array.h"

#include <stdint.h>

typedef struct obstruction {
    size_t first;   /* of its blocks */
    int32_t count;  /* number of its blocks */
    int32_t key[5]; /* kind and vertices: the same stencil has the same key */
    double bound;
    double moment; /* part of the path after which it stops the step */
} obstruction;

typedef struct obstruction_list {
    ARRAY(obstruction) rows;
    ARRAY(int32_t) blocks;
    ARRAY(double) values; /* 3 per block */
} obstruction_list;

static inline void obstruction_list_clear(obstruction_list *l)
{
    array_clear(&l->rows);
    array_clear(&l->blocks);
    array_clear(&l->values);
}

static inline void obstruction_list_free(obstruction_list *l)
{
    array_free(&l->rows);
    array_free(&l->blocks);
    array_free(&l->values);
}

#endif

/* Rows of obstructions for quantities that must stay positive, such as a volume or the room below a
 * strain limit: linearised where they stop the step. */
#ifndef TERM_OBSTRUCTION_ROWS_H
#define TERM_OBSTRUCTION_ROWS_H

#include "math/vec3.h"
#include "term/obstruction.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Kinds in keys, besides those of contact (ccd_kind, and -1 for half-spaces). */
enum { OBSTRUCTION_STRAIN_LIMIT = -2, OBSTRUCTION_TET = -3, OBSTRUCTION_ELEMENT = -4 };

/* The share of a quantity that a step should leave: a little more than line searches insist on. */
static const double OBSTRUCTION_AIM = 0.25;

/* A row for a quantity that is `at_moment` after the part `moment` of the path, where its gradient
 * over `count` blocks is `gradient`; along: gradient . path. Nothing is added when the line through
 * that moment does not begin positive. False: out of memory. */
static inline bool obstruction_add(obstruction_list *out, const int32_t key[5], int count,
                                   const int32_t *blocks, const vec3 *gradient, double at_moment,
                                   double along, double moment)
{
    double now = at_moment - moment * along;
    if (!(now > 0) || !isfinite(now)) return true;
    obstruction row = {.first = out->blocks.count,
                       .count = count,
                       .bound = (OBSTRUCTION_AIM - 1) * now,
                       .moment = moment};
    memcpy(row.key, key, sizeof row.key);
    for (int k = 0; k < count; k++)
        if (!array_push(&out->blocks, blocks[k]) || !array_push(&out->values, gradient[k].x) ||
            !array_push(&out->values, gradient[k].y) || !array_push(&out->values, gradient[k].z))
            return false;
    return array_push(&out->rows, row);
}

#endif

/* The way of a step. A step goes from its start to its end through the iterates of Newton's method,
 * along straight lines of the coordinates (curves in space where bodies turn), and collision
 * detection guarantees every one of these pieces. The direct way from start to end need not be
 * free: a rolling body, moved on by interpolating its pose, dips into the ground.
 *
 * After the step, where bodies turn, pieces are joined wherever the direct line is found free as
 * well, mostly all of them (without such bodies verify/path_near.h chooses point by point). What is
 * left is kept with the frames, so that the guarantee can be checked by others. */
#ifndef STEP_WAY_H
#define STEP_WAY_H

#include "base/array.h"
#include "solve/problem.h"

typedef struct step_way {
    bool enabled, joins;   /* the latter: pieces are joined after a step */
    size_t scalars;        /* of one place: all coordinates */
    ARRAY(double) places;  /* one after the other, the start of the step first */
    ARRAY(double) scratch; /* a direction */
    ARRAY(uint8_t) kept;
} step_way;

void step_way_free(step_way *w);
static inline size_t step_way_count(const step_way *w)
{
    return w->scalars > 0 ? w->places.count / w->scalars : 0;
}

/* The way starts at x. */
abut_status step_way_begin(step_way *w, const double *x, size_t scalars, abut_error *err);
/* It goes on to x; nothing when it is there already, or the way is not enabled. */
abut_status step_way_add(step_way *w, const double *x, abut_error *err);
/* Joins pieces. The problem's terms are asked about other positions on the way and need an update
 * before they are used again. */
abut_status step_way_join(step_way *w, problem *p, const evaluation *ev, abut_error *err);

#endif

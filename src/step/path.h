/* The path of a step. A step goes from its start to its end through the iterates of Newton's
 * method, along straight lines of the coordinates (curves in space where bodies turn), and
 * collision detection guarantees every one of these pieces. The direct path from start to end need
 * not be free: a rolling body, moved on by interpolating its pose, dips into the ground.
 *
 * After the step its pieces become one wherever the direct line is found free as well, mostly all
 * of them. Where bodies turn, halves are tried when the whole is not free; without such bodies
 * verify/path_near.h then chooses point by point. What is left is kept with the frames, so that the
 * guarantee can be checked by others. */
#ifndef STEP_PATH_H
#define STEP_PATH_H

#include "base/array.h"
#include "contact/contact_step.h"

typedef struct step_path {
    bool enabled, joins;          /* the latter: also parts of a step */
    size_t scalars;               /* of one configuration: all coordinates */
    ARRAY(double) configurations; /* one after the other, the start of the step first */
    ARRAY(double) scratch;        /* a direction */
    ARRAY(uint8_t) kept;
} step_path;

void step_path_free(step_path *w);
static inline size_t step_path_count(const step_path *w)
{
    return w->scalars > 0 ? w->configurations.count / w->scalars : 0;
}

/* The path starts at x. */
abut_status step_path_begin(step_path *w, const double *x, size_t scalars, abut_error *err);
/* It goes on to x; nothing when it is there already, or the path is not enabled. */
abut_status step_path_add(step_path *w, const double *x, abut_error *err);
/* Joins pieces. The contact term is asked about other positions on the path and needs an update
 * before it is used again. */
abut_status step_path_join(step_path *w, const contact_term *contact, stage_timer *timer,
                           abut_error *err);

#endif

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
    /* Where pieces follow each other without a break: the first of each such stretch. Between two
     * of them the bodies stay, but their coordinates may be others (rotation vectors that differ by
     * whole turns). Of the stretches, those of finished sub-steps. */
    ARRAY(size_t) stretches;
    size_t finished;
    ARRAY(double) scratch; /* a direction */
    ARRAY(uint8_t) kept;
} step_path;

void step_path_free(step_path *w);
static inline size_t step_path_count(const step_path *w)
{
    return w->scalars > 0 ? w->configurations.count / w->scalars : 0;
}

/* The path starts at x; after finished sub-steps it goes on there with a new stretch. */
abut_status step_path_begin(step_path *w, const double *x, size_t scalars, abut_error *err);
/* The bodies are where they were, in other coordinates: a new stretch begins. */
abut_status step_path_break(step_path *w, const double *x, abut_error *err);
/* The step has ended, or a sub-step. */
void step_path_finish(step_path *w, bool substep);
/* Number of configurations of a stretch. */
size_t step_path_stretch(const step_path *w, size_t stretch);
/* It goes on to x; nothing when it is there already, or the path is not enabled. */
abut_status step_path_add(step_path *w, const double *x, abut_error *err);
/* Joins pieces. The contact term is asked about other positions on the path and needs an update
 * before it is used again. */
abut_status step_path_join(step_path *w, const contact_term *contact, stage_timer *timer,
                           abut_error *err);

#endif

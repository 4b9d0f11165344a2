/* Angles of twisted rods in a step (term/twist.h): which of their scalars are prescribed, and how
 * the sections of clamped edges turn. An edge is clamped when one condition prescribes both of its
 * nodes: its section turns with the condition's rotation. */
#ifndef STEP_TWIST_MOTION_H
#define STEP_TWIST_MOTION_H

#include "body/model.h"
#include "step/dirichlet_data.h"

/* How far the surface of the rod moves per radian. */
void twist_set_lengths(const model *m, double *lengths);
/* Marks prescribed scalars of the angles and sets their targets for the step from `time` to `end`,
 * after those of the nodes. condition_of: scratch, one per block. */
void twist_prescribe(const model *m, const condition *conditions, size_t condition_count,
                     const double *x, double time, double end, int32_t *condition_of,
                     uint8_t *fixed, double *target);

#endif

/* What acts along a coordinate y of a joint, as a potential V(y) of the step in J: limits, springs,
 * friction, damping and drives. u = y - y_t is the change since the start of the step.
 *
 *   limit    kappa b(g / ghat) on each side, b(s) = -(s - 1)^2 ln s below 1: infinite at the limit
 *   spring   k/2 (y - rest)^2
 *   friction T f0(|u|), f0 = u^2/e - u^3/(3 e^2) + e/3 below e = h eps, |u| above
 *   damping  c u^2 / (2 h)
 *   drive    K/2 (y - y0)^2 with K = kp + kd/h, or, where its effort has a limit T, the
 *            potential T w (sqrt(1 + ((y - y0)/w)^2) - 1), w = T/K, whose slope tends to T;
 *            of an effort: -tau y */
#ifndef CONSTRAINT_AXIS_LAW_H
#define CONSTRAINT_AXIS_LAW_H

#include "constraint/joint_rows.h"

typedef struct law_value {
    double energy, first, second; /* V, dV/dy, d2V/dy2 */
} law_value;

/* Sum of all of them; the energy is INFINITY at and beyond a limit. */
law_value axis_law(const joint_axis *axis, joint_coordinate which, const joint_step *step,
                   double y);
/* The effort of the drive alone: -dV/dy. */
double axis_drive_effort(const joint_axis *axis, joint_coordinate which, const joint_step *step,
                         double y);
bool axis_law_needed(const joint_axis *axis);
/* Distance to the nearer limit. */
double axis_gap(const joint_axis *axis, double y);
/* Where the barrier of the limits begins. */
double axis_limit_range(const joint_axis *axis, joint_coordinate which, double length_scale);

#endif

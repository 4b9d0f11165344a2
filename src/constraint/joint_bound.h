/* How far a step may go for a joint, and the masses that its rows see. */
#ifndef CONSTRAINT_JOINT_BOUND_H
#define CONSTRAINT_JOINT_BOUND_H

#include "constraint/joint_item.h"

/* Largest step, at most `limit`, along which no limit of the joint is reached and no angle changes
 * by more than half a turn (turns could not be counted then). */
double joint_max_step(const joint_set *set, size_t joint, const double *x, const double *p,
                      double limit);

/* Effective mass (kg) of rows in m and inertia (kg m^2) of rows without unit, at x. */
void joint_masses(const model *m, size_t joint, const double *x, double *mass, double *inertia);

#endif

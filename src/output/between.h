/* Moments between two frames of a run. Every body is carried by the rotation and translation that
 * fit its motion best, so that a rigid body turns about its centre along a curve, and what is left
 * of its motion (all of a deformation) is interpolated linearly in the turning frame. */
#ifndef OUTPUT_BETWEEN_H
#define OUTPUT_BETWEEN_H

#include "output/frame.h"

/* Positions of all points at the part s of the path from one frame to the other, 0 <= s <= 1. Both
 * must have the same points; without the field of bodies all points are one body. */
abut_status frame_between(const frame *from, const frame *to, double s, vec3 *points,
                          abut_error *err);

#endif

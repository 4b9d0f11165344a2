/* What a body transmits across a plane. */
#ifndef MEASURE_CUT_H
#define MEASURE_CUT_H

#include "step/stepper.h"

/* Force and moment about the origin (fx fy fz mx my mz; N, N m) that the part of the body behind
 * the plane through `point` at rest exerts on the part in front of it (where the normal points to).
 * By the energies of its elements: no inertia, contact or load is in it. */
abut_status cut_resultant(const stepper *s, int32_t body, vec3 point, vec3 normal, double out[6],
                          abut_error *err);

#endif

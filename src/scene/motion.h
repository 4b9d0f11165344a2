/* Prescribed motion as the step takes it: radians, a centre, axes as bits. */
#ifndef SCENE_MOTION_H
#define SCENE_MOTION_H

#include "scene/scene.h"
#include "step/dirichlet_data.h"

static const double DEGREE = 3.14159265358979323846 / 180;

/* center: of the rotation, where the definition gives none. */
static inline motion motion_of(const motion_def *def, vec3 center)
{
    return (motion){.from = def->from,
                    .until = def->until,
                    .velocity = def->velocity,
                    .angular_velocity = vec3_scale(DEGREE, def->angular_velocity),
                    .center = def->center_given ? def->center : center};
}

static inline int axis_bits(const bool axes[3])
{
    return (axes[0] ? 1 : 0) | (axes[1] ? 2 : 0) | (axes[2] ? 4 : 0);
}

#endif

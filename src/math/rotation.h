/* Rotations from rotation vectors and from Euler angles. */
#ifndef MATH_ROTATION_H
#define MATH_ROTATION_H

#include "math/vec3.h"

/* exp([w]x): rotation by |w| radians about w (Rodrigues). */
static inline mat3 rotation_from_vector(vec3 w)
{
    double angle2 = vec3_norm2(w), angle = sqrt(angle2);
    /* Series below 1e-4: the next terms are under rounding. */
    double a = angle > 1e-4 ? sin(angle) / angle : 1 - angle2 / 6;
    double half = angle > 1e-4 ? sin(angle / 2) / (angle / 2) : 1 - angle2 / 24;
    double b = 0.5 * half * half; /* (1 - cos) / angle^2 without cancellation */
    mat3 k = mat3_cross(w);
    return mat3_add(mat3_identity(), mat3_add(mat3_scale(a, k), mat3_scale(b, mat3_mul(k, k))));
}

#endif

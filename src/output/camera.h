/* The camera of a picture, and the matrices for OpenGL (column by column). */
#ifndef OUTPUT_CAMERA_H
#define OUTPUT_CAMERA_H

#include "math/vec3.h"

typedef struct matrix4 {
    float m[16];
} matrix4;

typedef struct camera {
    vec3 eye, right, up, forward;
    double tangent_x, tangent_y; /* of half the opening angles */
    double near, far;
} camera;

/* Looks along the direction given by the angles (degrees) at a box, from the smallest distance at
 * which all of it is visible, times `distance`. `world` holds the axes right, up and front. */
camera camera_fit(const mat3 *world, double yaw, double pitch, double distance, double aspect,
                  vec3 low, vec3 high);

/* World to clip space, moved by a fraction of the picture (-1..1 is all of it). */
matrix4 camera_matrix(const camera *c, double shift_x, double shift_y);

/* World to clip space of parallel light from `direction` on a ball. */
matrix4 light_matrix(vec3 direction, vec3 center, double radius);

#endif

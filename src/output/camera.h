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

/* A direction of view and how far the things to be seen reach in it. */
typedef struct camera_view {
    vec3 right, up, forward;
    double tangent_x, tangent_y, left_margin;
    double reach[4];          /* largest x - z tx, -x - z tx, y - z ty, -y - z ty of all points */
    double nearest, farthest; /* range of z */
} camera_view;

/* `world` holds the axes right, up and front; angles in degrees; `left_margin` is the part of the
 * picture's width that is to stay free (see camera_matrix for the shift that goes with it). */
void view_start(camera_view *view, const mat3 *world, double yaw, double pitch, double aspect,
                double left_margin);
void view_add(camera_view *view, vec3 point);

/* The camera nearest to the points that has all of them, each with a ball of this radius, in the
 * picture; then moved away to `distance` times its distance from their middle. */
camera camera_fit(const camera_view *view, double radius, double distance);

/* The camera on a circle around `center` at an angle, `distance` away from it. */
camera camera_orbit(const mat3 *world, double yaw, double pitch, vec3 center, double distance,
                    double aspect, double reach);
/* The least distance at which a point of this offset from the middle is in the picture, whatever
 * the angle: the points of a turntable. */
double camera_orbit_distance(const mat3 *world, double pitch, double aspect, vec3 offset);

/* World to clip space, moved by a fraction of the picture (-1..1 is all of it). For a left margin,
 * move by that margin. */
matrix4 camera_matrix(const camera *c, double shift_x, double shift_y);

/* World to clip space of parallel light from `direction` on a ball. */
matrix4 light_matrix(vec3 direction, vec3 center, double radius);

#endif

/* Rotations written as rotation vectors (axis times angle in radians): the matrix, its first and
 * second derivatives, and the inverse map (Rigid IPC, section 4.2.1 and appendix D). */
#ifndef MATH_ROTATION_H
#define MATH_ROTATION_H

#include "math/vec3.h"

typedef struct quaternion {
    double w, x, y, z;
} quaternion;

/* exp([theta]x): rotation by |theta| radians about theta (Rodrigues). */
mat3 rotation_matrix(vec3 theta);

/* d[k] = dR / dtheta_k. */
void rotation_first(vec3 theta, mat3 d[3]);

/* d2[k][l] = d2R / dtheta_k dtheta_l; symmetric in k and l. */
void rotation_second(vec3 theta, mat3 d2[3][3]);

/* Unit quaternion of a rotation matrix, w >= 0. Small deviations from orthogonality are forgiven.
 */
quaternion rotation_quaternion(mat3 r);
mat3 rotation_from_quaternion(quaternion q); /* of any length but zero */

/* The rotation vector with |theta| <= pi of a rotation matrix, accurate near 0 and near pi. */
vec3 rotation_vector(mat3 r);

/* Angles (radians) of rotations about the fixed axes x, then y, then z that make up r. The first
 * follows from the last, so that they fit together where they are not unique. */
vec3 rotation_angles(mat3 r);

/* The rotation vector of r nearest to a given one: |theta| may be larger than pi. This is the
 * branch along which a path from `near` is shortest. */
vec3 rotation_vector_near(mat3 r, vec3 near);

/* The same rotation with |theta| <= pi. Away from there the map is singular: its derivative loses
 * rank at |theta| = 2 pi, 4 pi, ... */
vec3 rotation_wrap(vec3 theta);

#endif

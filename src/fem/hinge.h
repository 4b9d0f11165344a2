/* The hinge of two triangles: the angle theta between their normals, for the bending energy of
 * Discrete Shells (Grinspun and others, 2003).
 *
 * Vertices: x[1], x[2] span the common edge, x[0] and x[3] are the opposite corners. theta is 0
 * when flat and grows to +-pi when folded; smooth in between. */
#ifndef FEM_HINGE_H
#define FEM_HINGE_H

#include "math/vec3.h"

double hinge_angle(const vec3 x[4]);
/* Angle and its gradient. */
double hinge_gradient(const vec3 x[4], vec3 gradient[4]);
/* Angle, gradient, and the symmetric Hessian (row-major 12x12). */
double hinge_hessian(const vec3 x[4], vec3 gradient[4], double hessian[144]);

enum { HINGE_BLOCKS = 10 };

/* Semi-definite Hessian of k/2 (theta - rest)^2 with moment = k (theta - rest): the blocks a <= b
 * of the upper triangle. In the relative motions of the hinge the Hessian falls into two 4x4
 * blocks, whose negative eigenvalues are dropped; it differs from the Hessian by a semi-definite
 * matrix. */
void hinge_semidefinite(const vec3 x[4], double stiffness, double moment,
                        mat3 blocks[HINGE_BLOCKS]);

/* k in the energy k/2 (theta - rest)^2 for the bending rigidity D = E t^3 / (12 (1 - nu^2)) of a
 * plate: D |e|^2 / (A1 + A2) with the rest edge and areas, which gives a sheet that is bent to a
 * cylinder the energy D/2 curvature^2 per area. (The width of a hinge as in the papers, a third of
 * the mean height, would make it three times as stiff.) False when an area is zero. */
bool hinge_stiffness(const vec3 rest[4], double rigidity, double *stiffness);

#endif

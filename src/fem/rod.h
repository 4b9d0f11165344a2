/* Elastic energies of thin rods with circular section: stretch of a segment and bending at a node
 * (Bergou and others, Discrete Elastic Rods, 2008; without twist, straight at rest). */
#ifndef FEM_ROD_H
#define FEM_ROD_H

#include "math/vec3.h"

/* Stretch: E A l0 / 2 (l / l0 - 1)^2. stiffness: E A / l0. */
double segment_energy(const vec3 x[2], double rest_length, double stiffness);
/* Gradient on the two ends and blocks (0,0) (0,1) (1,1) of factor times the energy, where not NULL.
 */
void segment_evaluate(const vec3 x[2], double rest_length, double stiffness, double factor,
                      bool project, vec3 gradient[2], mat3 hessian[3]);

/* Bending at x[1] between the segments x0 x1 and x1 x2: stiffness |kb|^2 with the curvature
 * binormal kb = 2 e0 x e1 / (|e0||e1| + e0 e1); stiffness: E I / (l0_a + l0_b), I = pi d^4 / 64.
 * Infinite when folded back. */
double bend_energy(const vec3 x[3], double stiffness);
/* Gradient on the three nodes, and the full symmetric Hessian (row-major 9x9). */
void bend_evaluate(const vec3 x[3], double stiffness, vec3 gradient[3], double *hessian);

#endif

/* Twist of rods with circular section (Bergou and others, Discrete Elastic Rods, 2008, and Discrete
 * Viscous Threads, 2010, with time-parallel reference frames).
 *
 * The section of every edge has an angle theta about the edge, measured against a reference frame
 * that is carried along with the edge without turning about it. At a joint the frames of its two
 * edges differ by the reference twist psi, and the energy of the joint is
 *
 *     stiffness / 2 (theta_b - theta_a + psi)^2,     stiffness = G J / (half the length of both
 * edges)
 *
 * with J = pi d^4 / 32. psi changes when the joint moves: by the area on the unit sphere between
 * the path of the tangents and the arcs from one tangent to the other. Frames are carried from the
 * start of a step straight to where the edges are, so that the energy of a step is a function of
 * positions and angles, and derivatives below are exact. */
#ifndef FEM_TWIST_H
#define FEM_TWIST_H

#include "math/vec3.h"

/* How much psi grows when the edges with unit tangents before[0], before[1] become e[0], e[1]
 * (radians). Where asked for (not NULL): gradient by e[0] and e[1]; blocks (0,0) (0,1) (1,1) of the
 * Hessian. */
double twist_change(const vec3 before[2], const vec3 e[2], vec3 gradient[2], mat3 hessian[3]);

/* Angle by which the rotation turns a frame about the unit tangent t beyond carrying it from t to
 * r t; for rotations by less than 180 degrees. */
double twist_of_rotation(mat3 r, vec3 t);

#endif

/* Exact signs of orientation determinants of points with double coordinates: a floating-point
 * filter with a rigorous error bound, then integer arithmetic of as many bits as it takes. Right
 * for every finite input, subnormal numbers and the largest ones included. */
#ifndef GEOMETRY_PREDICATES_H
#define GEOMETRY_PREDICATES_H

#include "math/vec3.h"

/* Sign of ((b - a) x (c - a)) . (d - a): +1 when the tetrahedron a b c d has positive volume, 0
 * when the four points lie in one plane. */
int orient3d(vec3 a, vec3 b, vec3 c, vec3 d);

/* Sign of (b - a) x (c - a): +1 when a, b, c turn to the left, 0 when they are collinear. */
int orient2d(double ax, double ay, double bx, double by, double cx, double cy);

/* orient2d of the points with one coordinate left out: 0 drops x (leaving y z), 1 drops y (z x),
 * 2 drops z (x y), so that it is the sign of that component of (b - a) x (c - a). */
int orient2d_dropped(int axis, vec3 a, vec3 b, vec3 c);

/* The exact signs without the filter, for tests. */
int orient3d_exact(vec3 a, vec3 b, vec3 c, vec3 d);
int orient2d_exact(double ax, double ay, double bx, double by, double cx, double cy);

#endif

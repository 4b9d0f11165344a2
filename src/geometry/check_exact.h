/* Exact signs and intersections for the independent checker: a floating-point filter, then integers
 * of a fixed width, then of as many bits as the result has. On purpose not shared with
 * geometry/predicates.h and geometry/intersect.h, which the solver uses. Right for every finite
 * input. */
#ifndef GEOMETRY_CHECK_EXACT_H
#define GEOMETRY_CHECK_EXACT_H

#include "math/vec3.h"

/* Sign of ((b - a) x (c - a)) . (d - a), the volume of the tet a b c d. */
int check_volume_sign(vec3 a, vec3 b, vec3 c, vec3 d);
/* Sign of one component of (b - a) x (c - a). */
int check_area_sign(int axis, vec3 a, vec3 b, vec3 c);
/* Sign of n . ((1 - t) p + t q) for p = a0 - b0, q = a1 - b1; 0 <= t <= 1, and 1 - t must be exact.
 */
int check_motion_sign(vec3 n, const vec3 a[2], const vec3 b[2], double t);

/* Closed sets that touch intersect; flat triangles and segments without length are welcome. */
bool check_point_on_segment(vec3 p, vec3 a, vec3 b);
bool check_point_on_triangle(vec3 p, const vec3 t[3]);
bool check_segments_meet(const vec3 a[2], const vec3 b[2]);
bool check_segment_meets_triangle(const vec3 s[2], const vec3 t[3]);

#endif

/* Exact intersection tests of points, segments and triangles as closed sets: touching counts as
 * intersecting. Degenerate input (flat triangles, segments without length) is decided exactly too.
 * All coordinates must be finite. */
#ifndef GEOMETRY_INTERSECT_H
#define GEOMETRY_INTERSECT_H

#include "math/vec3.h"

bool point_on_segment(vec3 p, vec3 a, vec3 b);
bool point_on_triangle(vec3 p, vec3 t0, vec3 t1, vec3 t2);
bool segment_hits_segment(vec3 a0, vec3 a1, vec3 b0, vec3 b1);
bool segment_hits_triangle(vec3 p, vec3 q, vec3 t0, vec3 t1, vec3 t2);
bool triangle_hits_triangle(const vec3 a[3], const vec3 b[3]);

#endif

/* Distances of points, segments and triangles for the independent checker: written for plainness,
 * in extended precision, and on purpose not shared with geometry/distance.h. */
#ifndef GEOMETRY_CHECK_GAP_H
#define GEOMETRY_CHECK_GAP_H

#include "math/vec3.h"

double gap_point_point(vec3 a, vec3 b);
double gap_point_segment(vec3 p, vec3 a, vec3 b);
double gap_segment_segment(const vec3 a[2], const vec3 b[2]);
double gap_point_triangle(vec3 p, const vec3 t[3]);
/* About the unit direction from b to a where they are nearest to each other: two points, a point
 * and a segment or a triangle, or two segments. Zero when they touch. */
vec3 gap_direction(const vec3 *a, int na, const vec3 *b, int nb);

#endif

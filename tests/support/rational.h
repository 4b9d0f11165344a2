/* Exact rational geometry for tests (GMP): distances, orientation signs and intersections of
 * points, segments and triangles whose coordinates are doubles. Slow, simple, and never wrong;
 * degenerate input is welcome. */
#ifndef SUPPORT_RATIONAL_H
#define SUPPORT_RATIONAL_H

#include "math/vec3.h"

#include <gmp.h>

/* A point with rational coordinates. */
typedef struct rational3 {
    mpq_t c[3];
} rational3;

void rational3_init(rational3 *a);
void rational3_clear(rational3 *a);
void rational3_set(rational3 *a, vec3 value);
void rational3_sub(rational3 *out, const rational3 *a, const rational3 *b);
/* out = a + t b */
void rational3_mul_add(rational3 *out, const rational3 *a, const mpq_t t, const rational3 *b);
void rational3_cross(rational3 *out, const rational3 *a, const rational3 *b); /* out differs */
void rational3_dot(mpq_t out, const rational3 *a, const rational3 *b);

/* Squared distances of closed sets. */
void rational_point_segment(mpq_t out, const rational3 *p, const rational3 *a, const rational3 *b);
void rational_point_triangle(mpq_t out, const rational3 *p, const rational3 t[3]);
void rational_segment_segment(mpq_t out, const rational3 a[2], const rational3 b[2]);

/* The same for doubles, rounded to the nearest double. */
double rational_point_segment_d(vec3 p, vec3 a, vec3 b);
double rational_point_triangle_d(vec3 p, vec3 t0, vec3 t1, vec3 t2);
double rational_segment_segment_d(vec3 a0, vec3 a1, vec3 b0, vec3 b1);

/* Squared distance by the formula of an unbounded feature: n = 2 points, 3 point-line, 4 with
 * edges = false point-plane, with edges = true line-line. False where the feature is degenerate. */
bool rational_feature(mpq_t out, const vec3 *x, int n, bool edges);

/* Sign of ((b - a) x (c - a)).(d - a), and of the 2D determinant (b - a) x (c - a). */
int rational_orient3d(vec3 a, vec3 b, vec3 c, vec3 d);
int rational_orient2d(double ax, double ay, double bx, double by, double cx, double cy);

/* Closed sets that touch intersect. */
bool rational_segment_hits_triangle(vec3 p, vec3 q, vec3 t0, vec3 t1, vec3 t2);

#endif

/* What the distance kernels share: the perpendicular between a point and a line, a point and a
 * plane, two lines, with the coordinates of its feet. Internal to geometry. */
#ifndef GEOMETRY_GAP_H
#define GEOMETRY_GAP_H

#include "math/vec3.h"

/* Point against the line e0 + t e: r is the perpendicular from the line to the point. */
typedef struct line_gap {
    vec3 e, r;
    double e2, t;
} line_gap;

/* r = (e x w) x e / |e|^2 is orthogonal to e even when w is much longer than r. */
static inline line_gap line_gap_of(vec3 p, vec3 e0, vec3 e1)
{
    line_gap g;
    vec3 w = vec3_sub(p, e0);
    g.e = vec3_sub(e1, e0);
    g.e2 = vec3_norm2(g.e);
    g.t = vec3_dot(w, g.e) / g.e2;
    g.r = vec3_scale(1.0 / g.e2, vec3_cross(vec3_cross(g.e, w), g.e));
    return g;
}

/* Normal of the directions u and v. The rounding of a cross product of nearly parallel vectors
 * leaves a component along them, of size eps/sine after normalisation, which would multiply the
 * long part of w in w.N. Taking it out keeps w.N exact to eps |w| down to tiny angles; what remains
 * is a rotation about u, harmless since w is short across it. */
static inline vec3 normal_of(vec3 u, double uu, vec3 v)
{
    vec3 n = vec3_cross(u, v);
    return vec3_mul_add(n, -vec3_dot(n, u) / uu, u);
}

/* Plane spanned by u and v at distance d from the point w (d N is the perpendicular part of w);
 * a and b are its coordinates: w = a u + b v + d N. */
typedef struct plane_gap {
    vec3 u, v, n; /* n has length sqrt(n2) */
    double n2, a, b, d, inverse_norm;
} plane_gap;

static inline plane_gap plane_gap_of(vec3 u, vec3 v, vec3 w)
{
    plane_gap g = {.u = u, .v = v};
    g.n = normal_of(u, vec3_norm2(u), v);
    g.n2 = vec3_norm2(g.n);
    double inverse = 1.0 / g.n2;
    g.inverse_norm = 1.0 / sqrt(g.n2);
    g.a = vec3_dot(vec3_cross(w, v), g.n) * inverse;
    g.b = vec3_dot(vec3_cross(u, w), g.n) * inverse;
    g.d = vec3_dot(w, g.n) * g.inverse_norm;
    return g;
}

/* Dual basis in the plane: du.u = dv.v = 1, du.v = dv.u = 0. */
static inline void plane_dual(const plane_gap *g, vec3 *du, vec3 *dv)
{
    double inverse = g->inverse_norm * g->inverse_norm;
    *du = vec3_scale(inverse, vec3_cross(g->v, g->n));
    *dv = vec3_scale(inverse, vec3_cross(g->n, g->u));
}

static inline plane_gap triangle_gap(vec3 p, vec3 t0, vec3 t1, vec3 t2, double weight[4])
{
    plane_gap g = plane_gap_of(vec3_sub(t1, t0), vec3_sub(t2, t0), vec3_sub(p, t0));
    weight[0] = 1.0;
    weight[1] = g.a + g.b - 1.0;
    weight[2] = -g.a;
    weight[3] = -g.b;
    return g;
}

/* The dual basis spread over p t0 t1 t2: E_i = derivative of the plane's edges by vertex i. */
static inline void triangle_dual(const plane_gap *g, vec3 dual[4])
{
    dual[0] = vec3_make(0.0, 0.0, 0.0);
    plane_dual(g, &dual[2], &dual[3]);
    dual[1] = vec3_neg(vec3_add(dual[2], dual[3]));
}

/* a0 + s u and b0 + t v are closest where a0 - b0 = -s u + t v + d N. */
static inline plane_gap lines_gap(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double weight[4])
{
    plane_gap g = plane_gap_of(vec3_sub(a1, a0), vec3_sub(b1, b0), vec3_sub(a0, b0));
    weight[0] = 1.0 + g.a;
    weight[1] = -g.a;
    weight[2] = g.b - 1.0;
    weight[3] = -g.b;
    return g;
}

/* The dual basis spread over a0 a1 b0 b1. */
static inline void lines_dual(const plane_gap *g, vec3 dual[4])
{
    plane_dual(g, &dual[1], &dual[3]);
    dual[0] = vec3_neg(dual[1]);
    dual[2] = vec3_neg(dual[3]);
}

#endif

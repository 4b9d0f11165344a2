/* Where a cell of a pair is nearest to touching at one moment, and the direction that keeps it
 * apart best. Nothing here has to be exact: these are the guesses that ccd/tight_inclusion.c then
 * proves or drops. Internal to src/ccd. */
#ifndef CCD_NEAREST_H
#define CCD_NEAREST_H

#include "math/vec3.h"

#include <stdbool.h>

/* F = base + a gu + b gv on the cell. */
typedef struct nearest {
    vec3 base, gu, gv;
    double a, b;                  /* where F is nearest to zero */
    bool free_a, free_b, free_ab; /* it may move along gu, along gv, along gv - gu */
    vec3 point;                   /* F there */
} nearest;

/* Without the library call that fmax is, and the cost of mixing it with vector code. */
static inline double max_abs(vec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    x = x > y ? x : y;
    return x > z ? x : z;
}

static inline double clamp01(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

/* 0 <= a, b <= 1: the closest points of two segments. Degenerate and parallel ones are fine. */
static inline void nearest_on_square(nearest *k)
{
    double uu = vec3_dot(k->gu, k->gu), uv = vec3_dot(k->gu, k->gv), vv = vec3_dot(k->gv, k->gv);
    double ub = vec3_dot(k->gu, k->base), vb = vec3_dot(k->gv, k->base);
    double det = uu * vv - uv * uv;
    double a = det > 0x1p-40 * uu * vv ? clamp01((uv * vb - vv * ub) / det)
               : uu > 0.0              ? clamp01(-(ub + 0.5 * uv) / uu)
                                       : 0.0;
    double b = vv > 0.0 ? -(vb + a * uv) / vv : 0.0;
    if (b < 0.0 || b > 1.0) {
        b = clamp01(b);
        a = uu > 0.0 ? clamp01(-(ub + b * uv) / uu) : 0.0;
    }
    k->a = a;
    k->b = b;
    k->free_a = a > 0.0 && a < 1.0;
    k->free_b = b > 0.0 && b < 1.0;
    k->free_ab = false;
}

/* a, b >= 0, a + b <= 1: inside, or the best of the three edges. */
static inline void nearest_on_triangle(nearest *k)
{
    double uu = vec3_dot(k->gu, k->gu), uv = vec3_dot(k->gu, k->gv), vv = vec3_dot(k->gv, k->gv);
    double ub = vec3_dot(k->gu, k->base), vb = vec3_dot(k->gv, k->base);
    double det = uu * vv - uv * uv;
    double a = uv * vb - vv * ub, b = uv * ub - uu * vb; /* times det */
    k->free_a = k->free_b = k->free_ab = false;
    if (det > 0x1p-40 * uu * vv && a > 0.0 && b > 0.0 && a + b < det) {
        k->a = a / det;
        k->b = b / det;
        k->free_a = k->free_b = true;
        return;
    }
    /* Squared distances, less that of the base, of the best points of the edges. */
    double s0 = uu > 0.0 ? clamp01(-ub / uu) : 0.0, d0 = s0 * (2.0 * ub + s0 * uu);
    double s1 = vv > 0.0 ? clamp01(-vb / vv) : 0.0, d1 = s1 * (2.0 * vb + s1 * vv);
    double ww = uu - 2.0 * uv + vv; /* along gv - gu from the corner (1, 0) */
    double wb = vb - ub + uv - uu;
    double s2 = ww > 0.0 ? clamp01(-wb / ww) : 0.0, d2 = 2.0 * ub + uu + s2 * (2.0 * wb + s2 * ww);
    if (d0 <= d1 && d0 <= d2) {
        k->a = s0;
        k->b = 0.0;
        k->free_a = s0 > 0.0 && s0 < 1.0;
    } else if (d1 <= d2) {
        k->a = 0.0;
        k->b = s1;
        k->free_b = s1 > 0.0 && s1 < 1.0;
    } else {
        k->a = 1.0 - s2;
        k->b = s2;
        k->free_ab = s2 > 0.0 && s2 < 1.0;
    }
}

/* A nearest point that may move along both sides lies along gu x gv. When that product is mere
 * rounding noise (nearly parallel sides), only the longer side counts. */
static inline void drop_parallel_side(nearest *k)
{
    vec3 n = vec3_cross(k->gu, k->gv);
    double uu = vec3_norm2(k->gu), vv = vec3_norm2(k->gv), nn = vec3_norm2(n);
    double pp = vec3_norm2(k->point), np = vec3_dot(n, k->point);
    if (nn > 0x1p-60 * uu * vv && (np * np > 0.25 * nn * pp || pp < 0x1p-80 * (uu + vv))) return;
    k->free_a = uu >= vv;
    k->free_b = !k->free_a;
}

/* Fills in everything from base, gu and gv. */
static inline void find_nearest(nearest *k, bool triangle)
{
    if (triangle)
        nearest_on_triangle(k);
    else
        nearest_on_square(k);
    k->point = vec3_mul_add(vec3_mul_add(k->base, k->a, k->gu), k->b, k->gv);
    if (k->free_a && k->free_b) drop_parallel_side(k);
}

/* The direction to separate along, given the generators along which the nearest point may move (at
 * the present or at another time): perpendicular to the free ones, on the side of that point. */
static inline vec3 contact_normal(const nearest *k, vec3 gu, vec3 gv)
{
    if (k->free_a && k->free_b) {
        vec3 n = vec3_cross(gu, gv);
        if (vec3_norm2(n) > 0x1p-60 * vec3_norm2(gu) * vec3_norm2(gv))
            return vec3_dot(n, k->point) < 0.0 ? vec3_neg(n) : n;
        if (vec3_norm2(gv) > vec3_norm2(gu)) gu = gv;
    } else if (k->free_b) {
        gu = gv;
    } else if (k->free_ab) {
        gu = vec3_sub(gv, gu);
    } else if (!k->free_a) {
        return k->point;
    }
    double size = vec3_norm2(gu);
    if (!(size > 0.0)) return k->point;
    return vec3_mul_add(k->point, -vec3_dot(k->point, gu) / size, gu);
}

static inline double norm1(vec3 a) { return fabs(a.x) + fabs(a.y) + fabs(a.z); }

/* Directions that separate a triangle or parallelogram from a cube, if any direction does: the axes
 * of the cube, the normal of the cell, and products of the sides of the two. */
enum { CUBE_DIRECTIONS = 13 };

static inline vec3 cube_direction(int which, vec3 gu, vec3 gv)
{
    if (which == 3) return vec3_cross(gu, gv);
    vec3 side = which < 7 ? gu : which < 10 ? gv : vec3_sub(gv, gu);
    int axis = which < 3 ? which : (which - 4) % 3;
    if (which < 3) return (vec3){axis == 0, axis == 1, axis == 2};
    if (axis == 0) return (vec3){0.0, side.z, -side.y};
    if (axis == 1) return (vec3){-side.z, 0.0, side.x};
    return (vec3){side.y, -side.x, 0.0};
}

/* Which of the directions keeps the cell farthest from the cube |F| <= cube, and its sign. *margin
 * is how much larger the cube could be: the distance in the maximum norm, less cube. */
static inline int best_cube_direction(const nearest *k, bool triangle, double cube, double *sign,
                                      double *margin)
{
    int best = 0;
    double most = -INFINITY;
    for (int which = 0; which < (triangle ? CUBE_DIRECTIONS : CUBE_DIRECTIONS - 3); which++) {
        vec3 n = cube_direction(which, k->gu, k->gv);
        double size = norm1(n);
        if (!(size > 0.0)) continue;
        double f = vec3_dot(n, k->base), u = vec3_dot(n, k->gu), v = vec3_dot(n, k->gv);
        double low = u < v ? u : v, high = u > v ? u : v;
        if (!triangle) {
            low = (u < 0.0 ? u : 0.0) + (v < 0.0 ? v : 0.0);
            high = (u > 0.0 ? u : 0.0) + (v > 0.0 ? v : 0.0);
        }
        low = f + (low < 0.0 ? low : 0.0);
        high = f + (high > 0.0 ? high : 0.0);
        double size_free = (low > -high ? low : -high) / size;
        if (size_free > most) {
            most = size_free;
            best = which;
            *sign = low > -high ? 1.0 : -1.0;
        }
    }
    *margin = most - cube;
    return best;
}

/* A point of the cell inside the cube |F| <= half, if there is one: clips the cell by the six
 * faces. Fills in a, b and point. */
static inline bool point_in_cube(nearest *k, bool triangle, double half)
{
    enum { MOST = 12 };
    double a[2][MOST] = {{0.0, 1.0, triangle ? 0.0 : 1.0, 0.0}};
    double b[2][MOST] = {{0.0, 0.0, 1.0, 1.0}};
    int count = triangle ? 3 : 4, from = 0;
    for (int face = 0; face < 6 && count > 0; face++) {
        double sign = face < 3 ? 1.0 : -1.0;
        double f = sign * vec3_get(k->base, face % 3), u = sign * vec3_get(k->gu, face % 3);
        double v = sign * vec3_get(k->gv, face % 3);
        int kept = 0, to = 1 - from;
        for (int i = 0; i < count; i++) {
            int j = i + 1 < count ? i + 1 : 0;
            double here = half - (f + u * a[from][i] + v * b[from][i]);
            double there = half - (f + u * a[from][j] + v * b[from][j]);
            if (here >= 0.0) {
                a[to][kept] = a[from][i];
                b[to][kept++] = b[from][i];
            }
            if ((here < 0.0) != (there < 0.0)) {
                double s = here / (here - there);
                a[to][kept] = a[from][i] + s * (a[from][j] - a[from][i]);
                b[to][kept++] = b[from][i] + s * (b[from][j] - b[from][i]);
            }
        }
        count = kept;
        from = to;
    }
    if (count == 0) return false;
    double sum_a = 0.0, sum_b = 0.0;
    for (int i = 0; i < count; i++) {
        sum_a += a[from][i];
        sum_b += b[from][i];
    }
    k->a = clamp01(sum_a / count);
    k->b = clamp01(sum_b / count);
    if (triangle && k->a + k->b > 1.0) k->b = 1.0 - k->a;
    k->point = vec3_mul_add(vec3_mul_add(k->base, k->a, k->gu), k->b, k->gv);
    return true;
}

#endif

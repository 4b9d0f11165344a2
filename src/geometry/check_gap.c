#include "geometry/check_gap.h"

typedef long double real;

typedef struct real3 {
    real c[3];
} real3;

static real3 minus(vec3 a, vec3 b)
{
    return (real3){{(real)a.x - b.x, (real)a.y - b.y, (real)a.z - b.z}};
}

static real dot(real3 a, real3 b) { return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2]; }

/* a - s b */
static real3 less(real3 a, real s, real3 b)
{
    return (real3){{a.c[0] - s * b.c[0], a.c[1] - s * b.c[1], a.c[2] - s * b.c[2]}};
}

static real length(real3 a) { return sqrtl(dot(a, a)); }

static real3 negative(real3 a) { return (real3){{-a.c[0], -a.c[1], -a.c[2]}}; }

/* From the nearest point of the segment to p. */
static real3 point_segment(vec3 p, vec3 a, vec3 b)
{
    real3 w = minus(p, a), e = minus(b, a);
    real along = dot(w, e), e2 = dot(e, e);
    if (!(along > 0)) return w;
    if (along >= e2) return minus(p, b);
    return less(w, along / e2, e);
}

/* Splits w into coordinates along u and v and a rest orthogonal to both, by orthogonalisation;
 * false when u and v are parallel. */
static bool split(real3 u, real3 v, real3 w, real *a, real *b, real3 *rest)
{
    real uu = dot(u, u);
    if (!(uu > 0)) return false;
    real slope = dot(v, u) / uu;
    real3 across = less(v, slope, u);
    across = less(across, dot(across, u) / uu, u);
    real cc = dot(across, across);
    if (!(cc > 1e-34L * dot(v, v))) return false;
    real along = dot(w, u) / uu;
    *rest = less(w, along, u);
    *b = dot(*rest, across) / cc;
    *rest = less(*rest, *b, across);
    *a = along - *b * slope;
    return true;
}

static void shorten(real3 *best, real3 other)
{
    if (dot(other, other) < dot(*best, *best)) *best = other;
}

/* From the second set to the first, where they are nearest to each other. */
static real3 segment_segment(const vec3 a[2], const vec3 b[2])
{
    real3 best = point_segment(a[0], b[0], b[1]), rest;
    real s, t;
    shorten(&best, point_segment(a[1], b[0], b[1]));
    shorten(&best, negative(point_segment(b[0], a[0], a[1])));
    shorten(&best, negative(point_segment(b[1], a[0], a[1])));
    if (split(minus(a[0], a[1]), minus(b[1], b[0]), minus(a[0], b[0]), &s, &t, &rest) && s >= 0 &&
        s <= 1 && t >= 0 && t <= 1)
        shorten(&best, rest);
    return best;
}

static real3 point_triangle(vec3 p, const vec3 t[3])
{
    real3 best = point_segment(p, t[0], t[1]), rest;
    real a, b;
    shorten(&best, point_segment(p, t[1], t[2]));
    shorten(&best, point_segment(p, t[2], t[0]));
    if (split(minus(t[1], t[0]), minus(t[2], t[0]), minus(p, t[0]), &a, &b, &rest) && a >= 0 &&
        b >= 0 && a + b <= 1)
        shorten(&best, rest);
    return best;
}

double gap_point_point(vec3 a, vec3 b) { return (double)length(minus(a, b)); }

double gap_point_segment(vec3 p, vec3 a, vec3 b) { return (double)length(point_segment(p, a, b)); }

double gap_segment_segment(const vec3 a[2], const vec3 b[2])
{
    return (double)length(segment_segment(a, b));
}

double gap_point_triangle(vec3 p, const vec3 t[3]) { return (double)length(point_triangle(p, t)); }

vec3 gap_direction(const vec3 *a, int na, const vec3 *b, int nb)
{
    real3 d = na == 2   ? segment_segment(a, b)
              : nb == 3 ? point_triangle(a[0], b)
              : nb == 2 ? point_segment(a[0], b[0], b[1])
                        : minus(a[0], b[0]);
    real size = length(d);
    if (!(size > 0)) return vec3_make(0, 0, 0);
    return vec3_make((double)(d.c[0] / size), (double)(d.c[1] / size), (double)(d.c[2] / size));
}

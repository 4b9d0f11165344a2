#include "support/curved_oracle.h"

#include "math/interval.h"

typedef long double real;

static void subtract(const real *a, const real *b, real *out)
{
    for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}
static real dot(const real *a, const real *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* y + s p + R(theta + s dtheta) arm by Rodrigues' formula. */
static void at(const ccd_path *path, real s, real *x)
{
    const real y[3] = {path->y.x, path->y.y, path->y.z}, p[3] = {path->p.x, path->p.y, path->p.z};
    for (int i = 0; i < 3; i++) x[i] = y[i] + s * p[i];
    if (!path->curved) return;
    const real t0[3] = {path->theta.x, path->theta.y, path->theta.z};
    const real dt[3] = {path->dtheta.x, path->dtheta.y, path->dtheta.z};
    const real v[3] = {path->arm.x, path->arm.y, path->arm.z};
    real w[3], angle = 0;
    for (int i = 0; i < 3; i++) {
        w[i] = t0[i] + s * dt[i];
        angle += w[i] * w[i];
    }
    angle = sqrtl(angle);
    real a = angle > 1e-5L ? sinl(angle) / angle : 1 - angle * angle / 6;
    real half = angle > 1e-5L ? sinl(angle / 2) / (angle / 2) : 1 - angle * angle / 24;
    real b = half * half / 2;
    real c1[3] = {w[1] * v[2] - w[2] * v[1], w[2] * v[0] - w[0] * v[2], w[0] * v[1] - w[1] * v[0]};
    real c2[3] = {w[1] * c1[2] - w[2] * c1[1], w[2] * c1[0] - w[0] * c1[2],
                  w[0] * c1[1] - w[1] * c1[0]};
    for (int i = 0; i < 3; i++) x[i] += v[i] + a * c1[i] + b * c2[i];
}

static real point_segment(const real *p, const real *a, const real *b)
{
    real e[3], w[3];
    subtract(b, a, e);
    subtract(p, a, w);
    real length = dot(e, e), t = length > 0 ? dot(w, e) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int i = 0; i < 3; i++) w[i] -= t * e[i];
    return dot(w, w);
}

/* Squared distance; the two families with two parameters also look at the inside. */
static real squared_distance(ccd_kind kind, real x[4][3])
{
    if (kind == CCD_POINT_POINT) return point_segment(x[0], x[1], x[1]);
    if (kind == CCD_POINT_EDGE) return point_segment(x[0], x[1], x[2]);
    bool triangle = kind == CCD_POINT_TRIANGLE;
    real u[3], v[3], w[3], best;
    if (triangle) {
        best = fminl(point_segment(x[0], x[1], x[2]), point_segment(x[0], x[2], x[3]));
        best = fminl(best, point_segment(x[0], x[3], x[1]));
        subtract(x[2], x[1], u);
        subtract(x[3], x[1], v);
        subtract(x[0], x[1], w);
    } else {
        best = fminl(point_segment(x[0], x[2], x[3]), point_segment(x[1], x[2], x[3]));
        best = fminl(best, point_segment(x[2], x[0], x[1]));
        best = fminl(best, point_segment(x[3], x[0], x[1]));
        subtract(x[0], x[1], u); /* -(b - a), so that the difference is w - a u - b v as above */
        subtract(x[3], x[2], v);
        subtract(x[0], x[2], w);
    }
    real uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
    real det = uu * vv - uv * uv;
    if (!(det > 1e-15L * uu * vv)) return best;
    real a = (vv * uw - uv * vw) / det, b = (uu * vw - uv * uw) / det;
    if (a < 0 || b < 0 || (triangle ? a + b > 1 : a > 1 || b > 1)) return best;
    for (int i = 0; i < 3; i++) w[i] -= a * u[i] + b * v[i];
    return fminl(best, dot(w, w));
}

double oracle_curved_distance(ccd_kind kind, const ccd_path *path, double s)
{
    real x[4][3];
    for (int i = 0; i < ccd_vertex_count(kind); i++) at(&path[i], s, x[i]);
    return (double)sqrtl(squared_distance(kind, x));
}

double oracle_curved_smallest(ccd_kind kind, const ccd_path *path, double end, int samples)
{
    double smallest = INFINITY, where = 0;
    for (int i = 0; i <= samples; i++) {
        double s = end * i / samples, d = oracle_curved_distance(kind, path, s);
        if (!(d < smallest)) continue;
        smallest = d;
        where = s;
    }
    double low = fmax(0.0, where - end / samples), high = fmin(end, where + end / samples);
    for (int i = 0; i < 60; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        double da = oracle_curved_distance(kind, path, a);
        double db = oracle_curved_distance(kind, path, b);
        smallest = fmin(smallest, fmin(da, db));
        if (da < db)
            high = b;
        else
            low = a;
    }
    return smallest;
}

static interval3 box_over(const ccd_path *path, interval s)
{
    interval3 x =
        interval3_add(interval3_point(path->y), interval3_scale(s, interval3_point(path->p)));
    if (!path->curved) return x;
    interval3 theta = interval3_add(interval3_point(path->theta),
                                    interval3_scale(s, interval3_point(path->dtheta)));
    return interval3_add(x, interval3_rotate(theta, interval3_point(path->arm)));
}

/* Distance of the primitives on the middles of the boxes, less what the boxes may add. */
static double lower_bound(ccd_kind kind, const ccd_path *path, interval s)
{
    real x[4][3];
    double reach[2] = {0, 0}, size = 0;
    int first = kind == CCD_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < ccd_vertex_count(kind); i++) {
        interval3 box = box_over(&path[i], s);
        const interval axis[3] = {box.x, box.y, box.z};
        double radius = 0;
        for (int k = 0; k < 3; k++) {
            double half = 0.5 * interval_width(axis[k]) * (1 + 1e-12);
            x[i][k] = interval_middle(axis[k]);
            radius += half * half;
            size = fmax(size, fabs(axis[k].low) + fabs(axis[k].high));
        }
        reach[i >= first] = fmax(reach[i >= first], sqrt(radius));
    }
    double d = (double)sqrtl(squared_distance(kind, x));
    return d - (reach[0] + reach[1]) * (1 + 1e-12) - 1e-15 * size;
}

bool oracle_curved_proves(ccd_kind kind, const ccd_path *path, double end, double bound, long most)
{
    double t = 0, length = end;
    for (long n = 0; n < most; n++) {
        double next = t + length < end ? t + length : end;
        if (lower_bound(kind, path, interval_make(t, next)) > bound) {
            t = next;
            if (t >= end) return true;
            length *= 2;
        } else {
            length *= 0.5;
            if (t + length == t) return false;
        }
    }
    return false;
}

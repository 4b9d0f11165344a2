#include "support/quad.h"

enum { QUAD_MAX = 12 };

static quad moved(quad_function f, int n, const double *x, int i, quad hi, int j, quad hj)
{
    quad y[QUAD_MAX];
    for (int k = 0; k < n; k++) y[k] = x[k];
    y[i] += hi;
    y[j] += hj;
    return f(y);
}

void quad_derivatives(quad_function f, int n, const double *x, double step, double *gradient,
                      double *hessian)
{
    quad h = step;
    for (int i = 0; i < n; i++) {
        gradient[i] =
            (double)((moved(f, n, x, i, h, i, 0) - moved(f, n, x, i, -h, i, 0)) / (2 * h));
        for (int j = 0; j < n; j++)
            hessian[n * i + j] =
                (double)((moved(f, n, x, i, h, j, h) - moved(f, n, x, i, h, j, -h) -
                          moved(f, n, x, i, -h, j, h) + moved(f, n, x, i, -h, j, -h)) /
                         (4 * h * h));
    }
}

static void sub(quad *out, const quad *a, const quad *b)
{
    for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

static quad dot(const quad *a, const quad *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(quad *out, const quad *a, const quad *b)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

quad quad_point_point(const quad *x)
{
    quad d[3];
    sub(d, x, x + 3);
    return dot(d, d);
}

quad quad_point_line(const quad *x)
{
    quad e[3], w[3], n[3];
    sub(e, x + 6, x + 3);
    sub(w, x, x + 3);
    cross(n, e, w);
    return dot(n, n) / dot(e, e);
}

static quad plane(const quad *u, const quad *v, const quad *w)
{
    quad n[3];
    cross(n, u, v);
    quad along = dot(w, n);
    return along * along / dot(n, n);
}

quad quad_point_plane(const quad *x)
{
    quad u[3], v[3], w[3];
    sub(u, x + 6, x + 3);
    sub(v, x + 9, x + 3);
    sub(w, x, x + 3);
    return plane(u, v, w);
}

quad quad_line_line(const quad *x)
{
    quad u[3], v[3], w[3];
    sub(u, x + 3, x);
    sub(v, x + 9, x + 6);
    sub(w, x, x + 6);
    return plane(u, v, w);
}

quad quad_cross2(const quad *x)
{
    quad u[3], v[3], n[3];
    sub(u, x + 3, x);
    sub(v, x + 9, x + 6);
    cross(n, u, v);
    return dot(n, n);
}

#include "math/spline.h"

#include "base/memory.h"

#include <math.h>

/* Solves a dense system of n equations with the right side in column n, with pivots by column. */
static void solve(double *a, size_t n, double *out)
{
    size_t stride = n + 1;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t r = k + 1; r < n; r++)
            if (fabs(a[r * stride + k]) > fabs(a[pivot * stride + k])) pivot = r;
        for (size_t c = 0; c <= n; c++) {
            double t = a[k * stride + c];
            a[k * stride + c] = a[pivot * stride + c];
            a[pivot * stride + c] = t;
        }
        for (size_t r = k + 1; r < n; r++) {
            double factor = a[r * stride + k] / a[k * stride + k];
            for (size_t c = k; c <= n; c++) a[r * stride + c] -= factor * a[k * stride + c];
        }
    }
    for (size_t k = n; k-- > 0;) {
        out[k] = a[k * stride + n];
        for (size_t c = k + 1; c < n; c++) out[k] -= a[k * stride + c] * out[c];
        out[k] /= a[k * stride + k];
    }
}

/* With h the length and d the secant of a piece, its second derivatives are
 * (6 d - 4 s0 - 2 s1)/h at its first end and (2 s0 + 4 s1 - 6 d)/h at its last one. These add
 * +-half of the first one to an equation. */
static void add_first(double *row, size_t n, size_t i, const double *x, const double *y, double by)
{
    double h = x[i + 1] - x[i], d = (y[i + 1] - y[i]) / h;
    row[i] -= by * 2 / h;
    row[i + 1] -= by / h;
    row[n] -= by * 3 * d / h;
}

static void add_last(double *row, size_t n, size_t i, const double *x, const double *y, double by)
{
    double h = x[i + 1] - x[i], d = (y[i + 1] - y[i]) / h;
    row[i] += by / h;
    row[i + 1] += by * 2 / h;
    row[n] += by * 3 * d / h;
}

bool spline_slopes(size_t count, const double *x, const double *y, spline_ends ends, double *slope)
{
    size_t n = count, stride = n + 1;
    double *a = mem_calloc(n * stride, sizeof *a);
    if (!a) return false;
    for (size_t i = 1; i + 1 < n; i++) { /* one second derivative from both sides */
        add_last(a + i * stride, n, i - 1, x, y, 1);
        add_first(a + i * stride, n, i, x, y, -1);
    }
    double *first = a, *last = a + (n - 1) * stride;
    if (ends == SPLINE_FLAT) {
        first[0] = last[n - 1] = 1;
    } else if (ends == SPLINE_NATURAL) {
        add_first(first, n, 0, x, y, 1);
        add_last(last, n, n - 2, x, y, 1);
    } else {
        first[0] = 1;
        first[n - 1] = -1;
        add_last(last, n, n - 2, x, y, 1);
        add_first(last, n, 0, x, y, -1);
    }
    solve(a, n, slope);
    mem_free(a);
    return true;
}

void spline_piece(const double x[2], const double y[2], const double slope[2], double c[3])
{
    double h = x[1] - x[0], d = (y[1] - y[0]) / h;
    c[0] = slope[0];
    c[1] = (3 * d - 2 * slope[0] - slope[1]) / h;
    c[2] = (slope[0] + slope[1] - 2 * d) / (h * h);
}

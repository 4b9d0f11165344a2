/* Householder tridiagonalisation and implicit QL with Wilkinson's shift for n <= 24.
 *
 * All loops run over whole padded rows of a width known at compile time (4, 8, ..., 24), so that
 * the compiler turns them into a few vector instructions; eigenvectors are kept as rows because a
 * rotation of QL then combines two contiguous rows. */
#include "math/eigen_dense.h"
#include "math/pack4.h"

#include <assert.h>

enum { MAX_ITERATIONS = 50 };

/* Off-diagonals below this (of a matrix of size 1) are zero: their squares are far below one ulp.
 */
#define TINY 0x1p-120
/* Squared off-diagonals below this part of the squared norm count as zero. */
#define NEGLIGIBLE (0x1p-52 * 0x1p-52)

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* y += s x */
ALWAYS_INLINE void row_add(int width, double *y, double s, const double *x)
{
    pack4 *target = (pack4 *)y;
    const pack4 *source = (const pack4 *)x;
    for (int j = 0; j < width / 4; j++) target[j] += s * source[j];
}

ALWAYS_INLINE void row_scale(int width, double *x, double s)
{
    for (int j = 0; j < width / 4; j++) ((pack4 *)x)[j] *= s;
}

/* sum = sum of factors[i] times row i of m, begin <= i < end. */
ALWAYS_INLINE void rows_combine(int width, double *sum, const double *factors, const double *m,
                                int begin, int end)
{
    pack4 total[EIGEN_MAX / 4];
    for (int j = 0; j < width / 4; j++) total[j] = (pack4){0.0};
    for (int i = begin; i < end; i++) {
        const pack4 *row = (const pack4 *)(m + i * width);
        for (int j = 0; j < width / 4; j++) total[j] += factors[i] * row[j];
    }
    for (int j = 0; j < width / 4; j++) ((pack4 *)sum)[j] = total[j];
}

ALWAYS_INLINE double row_dot(int width, const double *x, const double *y)
{
    pack4 sum = (pack4){0.0};
    for (int j = 0; j < width / 4; j++) sum += ((const pack4 *)x)[j] * ((const pack4 *)y)[j];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* (lower, upper) = (c lower - s upper, s lower + c upper) */
ALWAYS_INLINE void rows_rotate(int width, double *lower, double *upper, double c, double s)
{
    pack4 *low = (pack4 *)lower, *high = (pack4 *)upper;
    for (int j = 0; j < width / 4; j++) {
        pack4 x = low[j], y = high[j];
        high[j] = s * x + c * y;
        low[j] = c * x - s * y;
    }
}

/* Windows into these give the vectors with ones from position k on, and with a single one at k. */
static const double from_here[2 * EIGEN_MAX] = {
    [EIGEN_MAX] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const double only_here[2 * EIGEN_MAX] = {[EIGEN_MAX] = 1};

/* v = the reflector that maps entries k + 1 .. n - 1 of row to (e, 0, ..., 0): I - beta v v^T.
 * Returns beta, 0 when nothing is to be done. */
ALWAYS_INLINE double reflector(int width, int k, const double *row, double *v, double *e)
{
    const pack4_loose *mask = (const pack4_loose *)(from_here + EIGEN_MAX - (k + 2));
    const pack4_loose *unit = (const pack4_loose *)(only_here + EIGEN_MAX - (k + 1));
    pack4 part[EIGEN_MAX / 4], sum = (pack4){0.0};
    for (int j = 0; j < width / 4; j++) {
        part[j] = ((const pack4 *)row)[j] * mask[j];
        sum += part[j] * part[j];
    }
    double rest = (sum[0] + sum[2]) + (sum[1] + sum[3]), alpha = row[k + 1];
    *e = alpha;
    if (rest <= TINY * TINY) return 0.0;
    double length = sqrt(alpha * alpha + rest);
    *e = -copysign(length, alpha);
    double head = alpha - *e;
    for (int j = 0; j < width / 4; j++) ((pack4 *)v)[j] = part[j] + head * unit[j];
    return 1.0 / (length * (length + fabs(alpha)));
}

/* Reduces a to tridiagonal form: diagonal d, off-diagonal e[k] between k and k + 1. Reflector k,
 * I - beta[k] v v^T with v = row k of vectors, acts on entries k + 1 .. n - 1. */
ALWAYS_INLINE void tridiagonalize(int n, int width, double *a, double *d, double *e,
                                  double *vectors, double *beta)
{
    for (int k = 0; k + 2 < n; k++) {
        double *v = vectors + k * width;
        d[k] = a[k * width + k];
        beta[k] = reflector(width, k, a + k * width, v, &e[k]);
        if (beta[k] == 0.0) continue;
        /* w = beta A v - (beta^2 / 2) (v . A v) v, then A -= v w^T + w v^T. */
        _Alignas(32) double w[EIGEN_MAX];
        rows_combine(width, w, v, a, k + 1, n);
        double half = 0.5 * beta[k] * row_dot(width, w, v);
        for (int j = 0; j < width / 4; j++)
            ((pack4 *)w)[j] = beta[k] * (((pack4 *)w)[j] - half * ((pack4 *)v)[j]);
        for (int i = k + 1; i < n; i++) {
            pack4 *target = (pack4 *)(a + i * width);
            for (int j = 0; j < width / 4; j++)
                target[j] -= v[i] * ((const pack4 *)w)[j] + w[i] * ((const pack4 *)v)[j];
        }
    }
    for (int k = n > 2 ? n - 2 : 0; k < n; k++) {
        d[k] = a[k * width + k];
        if (k + 1 < n) e[k] = a[k * width + k + 1];
    }
}

/* rows = Q^T for Q = H_0 H_1 ... H_{n-3}; q is scratch. */
ALWAYS_INLINE void accumulate(int n, int width, const double *vectors, const double *beta,
                              double *q, double *rows)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < width / 4; j++)
            ((pack4 *)(q + i * width))[j] = ((const pack4_loose *)(only_here + EIGEN_MAX - i))[j];
    for (int k = n - 3; k >= 0; k--) {
        if (beta[k] == 0.0) continue;
        const double *v = vectors + k * width;
        _Alignas(32) double sum[EIGEN_MAX];
        rows_combine(width, sum, v, q, k + 1, n);
        for (int i = k + 1; i < n; i++) row_add(width, q + i * width, -beta[k] * v[i], sum);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) rows[i * width + j] = q[j * width + i];
        for (int j = n; j < width; j++) rows[i * width + j] = 0.0;
    }
}

/* Eigenvalue of the leading 2x2 block of what is left, the one nearer to its first entry. */
ALWAYS_INLINE double wilkinson_shift(double d0, double d1, double e2)
{
    double delta = 0.5 * (d1 - d0);
    return d0 - e2 / (delta + copysign(sqrt(delta * delta + e2), delta));
}

/* One implicit QL step with the given shift on entries first .. n - 1, in the form of Pal, Walker
 * and Kahan: the recurrence carries only squares (e2 of the off-diagonals, c2 and s2 of cosine and
 * sine), so that it has no square root in its chain of dependences, and is arranged to have one
 * division there. The rotations of the vectors need the roots, but nothing waits for them.
 * Off-diagonals are kept non-negative: all sines are, the cosine changes sign with gamma, and the
 * first vector is turned around when the first off-diagonal comes out negative. */
ALWAYS_INLINE void ql_step(int n, int width, double *d, double *e2, double *rows, int first,
                           double shift)
{
    double gamma = d[n - 1] - shift, p = gamma * gamma;
    double sign = 1.0, s2 = 0.0, c2 = 1.0;
    for (int i = n - 2; i >= first; i--) {
        if (p < TINY * TINY) { /* a zero pivot: any tiny one does, in proportion */
            gamma = copysign(TINY * sqrt(c2), gamma);
            p = TINY * TINY;
        }
        sign = copysign(1.0, gamma * sign);
        double r = p + e2[i], inverse = 1.0 / r;
        double numerator = p * (d[i] - shift) - e2[i] * gamma;
        e2[i + 1] = s2 * r;
        s2 = e2[i] / r;
        c2 = p / r;
        p = numerator * numerator / (r * p);
        double next = numerator * inverse;
        d[i + 1] = gamma + (d[i] - next);
        gamma = next;
        rows_rotate(width, rows + i * width, rows + (i + 1) * width, sign * sqrt(c2), sqrt(s2));
    }
    e2[first] = s2 * p;
    d[first] = shift + gamma;
    row_scale(width, rows + first * width, copysign(1.0, gamma * sign));
}

/* Makes the off-diagonals non-negative by changing signs of vectors, squares them, and returns the
 * square of the size below which one of them is negligible. */
ALWAYS_INLINE double square_off_diagonal(int n, int width, const double *d, const double *e,
                                         double *e2, double *rows)
{
    bool flip = false;
    double size = fabs(d[n - 1]);
    for (int i = 0; i + 1 < n; i++) {
        e2[i] = e[i] * e[i];
        size = fmax(size, fabs(d[i]) + fabs(e[i]));
        flip ^= e[i] < 0.0;
        row_scale(width, rows + (i + 1) * width, flip ? -1.0 : 1.0);
    }
    e2[n - 1] = 0.0;
    return NEGLIGIBLE * size * size;
}

/* Eigenvalues of the tridiagonal matrix into d, turning the rows along. */
ALWAYS_INLINE void ql_iterate(int n, int width, double *d, double *e, double *rows)
{
    double e2[EIGEN_MAX];
    double negligible = square_off_diagonal(n, width, d, e, e2, rows);
    for (int first = 0; first + 1 < n; first++)
        for (int iteration = 0; iteration < MAX_ITERATIONS && e2[first] > negligible; iteration++)
            ql_step(n, width, d, e2, rows, first,
                    wilkinson_shift(d[first], d[first + 1], e2[first]));
}

ALWAYS_INLINE void eigen_rows_width(int n, int width, double *a, double *values, double *rows)
{
    _Alignas(32) double vectors[EIGEN_MAX * EIGEN_MAX];
    double e[EIGEN_MAX], beta[EIGEN_MAX];
    tridiagonalize(n, width, a, values, e, vectors, beta);
    accumulate(n, width, vectors, beta, a, rows);
    ql_iterate(n, width, values, e, rows);
}

void eigen_rows(int n, eigen_matrix *a, double *values, eigen_matrix *rows)
{
    switch (eigen_width(n)) {
    case 4: eigen_rows_width(n, 4, a->m, values, rows->m); break;
    case 8: eigen_rows_width(n, 8, a->m, values, rows->m); break;
    case 12: eigen_rows_width(n, 12, a->m, values, rows->m); break;
    case 16: eigen_rows_width(n, 16, a->m, values, rows->m); break;
    case 20: eigen_rows_width(n, 20, a->m, values, rows->m); break;
    default: eigen_rows_width(n, 24, a->m, values, rows->m); break;
    }
}

double eigen_scale(double magnitude)
{
    if (!(magnitude > 0.0)) return 1.0;
    int exponent = -ilogb(magnitude);
    return scalbn(1.0, exponent > 1000 ? 1000 : exponent);
}

double eigen_magnitude(int n, const double *a)
{
    double largest[4] = {0.0}, check[4] = {0.0}; /* four chains, for speed */
    int count = n * n, k = 0;
    for (; k + 4 <= count; k += 4)
        for (int l = 0; l < 4; l++) {
            double size = fabs(a[k + l]);
            largest[l] = size > largest[l] ? size : largest[l];
            check[l] += a[k + l] * 0.0;
        }
    for (; k < count; k++) {
        largest[0] = fmax(largest[0], fabs(a[k]));
        check[0] += a[k] * 0.0;
    }
    return fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3])) +
           ((check[0] + check[1]) + (check[2] + check[3]));
}

void eigen_matrix_load(int n, const double *a, double scale, eigen_matrix *out)
{
    int width = eigen_width(n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            out->m[i * width + j] = out->m[j * width + i] = scale * a[i * n + j];
        for (int j = n; j < width; j++) out->m[i * width + j] = 0.0;
    }
}

void eigen_symmetric(int n, const double *a, double *values, double *vectors)
{
    assert(n >= 1 && n <= EIGEN_MAX);
    double magnitude = eigen_magnitude(n, a);
    if (!isfinite(magnitude)) {
        for (int i = 0; i < n; i++) {
            values[i] = NAN;
            for (int j = 0; j < n; j++) vectors[i * n + j] = i == j ? 1.0 : 0.0;
        }
        return;
    }
    double scale = eigen_scale(magnitude), unsorted[EIGEN_MAX];
    eigen_matrix work, rows;
    eigen_matrix_load(n, a, scale, &work);
    eigen_rows(n, &work, unsorted, &rows);
    int order[EIGEN_MAX], width = eigen_width(n);
    for (int k = 0; k < n; k++) {
        int slot = k;
        for (; slot > 0 && unsorted[order[slot - 1]] > unsorted[k]; slot--)
            order[slot] = order[slot - 1];
        order[slot] = k;
    }
    for (int k = 0; k < n; k++) {
        values[k] = unsorted[order[k]] / scale;
        for (int i = 0; i < n; i++) vectors[i * n + k] = rows.m[order[k] * width + i];
    }
}

/* Projection to positive semi-definite matrices: a factorisation first, which finds the matrices
 * that need no change, eigenvectors otherwise. */
#include "math/eigen_dense.h"
#include "math/pack4.h"

#include <assert.h>
#include <float.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Gaussian elimination on the symmetric matrix w (destroyed). Returns true when w differs from a
 * product L D L^T with D >= 0 by at most tolerance per entry. A pivot that is zero up to the
 * tolerance is passed over when its row is zero too, so singular matrices (contact Hessians do not
 * see translations) are recognised as well. */
ALWAYS_INLINE bool is_semidefinite_width(int n, int width, double *w, double tolerance)
{
    for (int k = 0; k < n; k++) {
        const double *row = w + k * width;
        double pivot = row[k];
        if (pivot <= tolerance) {
            double largest = 0.0;
            for (int j = k + 1; j < n; j++) largest = fmax(largest, fabs(row[j]));
            if (pivot >= -tolerance && largest <= tolerance) continue;
            if (pivot <= 0.0) return false;
        }
        double inverse = 1.0 / pivot;
        for (int i = k + 1; i < n; i++) {
            double factor = row[i] * inverse;
            pack4 *target = (pack4 *)(w + i * width);
            for (int j = 0; j < width / 4; j++) target[j] -= factor * ((const pack4 *)row)[j];
        }
    }
    return true;
}

static bool is_semidefinite(int n, double *w, double tolerance)
{
    switch (eigen_width(n)) {
    case 4: return is_semidefinite_width(n, 4, w, tolerance);
    case 8: return is_semidefinite_width(n, 8, w, tolerance);
    case 12: return is_semidefinite_width(n, 12, w, tolerance);
    case 16: return is_semidefinite_width(n, 16, w, tolerance);
    case 20: return is_semidefinite_width(n, 20, w, tolerance);
    default: return is_semidefinite_width(n, 24, w, tolerance);
    }
}

/* Replaces a matrix that is not exactly symmetric by its symmetric part. */
static void symmetrize(int n, double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (a[i * n + j] != a[j * n + i])
                a[i * n + j] = a[j * n + i] = 0.5 * a[i * n + j] + 0.5 * a[j * n + i];
}

/* sum += weight x x^T, rows of length width. */
static void add_outer(int n, int width, double *sum, double weight, const double *x)
{
    for (int i = 0; i < n; i++) {
        double factor = weight * x[i];
        pack4 *target = (pack4 *)(sum + i * width);
        for (int j = 0; j < width / 4; j++) target[j] += factor * ((const pack4 *)x)[j];
    }
}

/* The projection by eigenvectors: either the negative part is taken away or the positive part is
 * put together, whichever has fewer terms. False when there is nothing to change. */
static bool clamp_eigenvalues(int n, double *a, double scale)
{
    eigen_matrix work, rows, sum;
    double values[EIGEN_MAX], largest = 0.0;
    int width = eigen_width(n), negative = 0, positive = 0;
    eigen_matrix_load(n, a, scale, &work);
    eigen_rows(n, &work, values, &rows);
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(values[k]));
    double tolerance = 2.0 * n * DBL_EPSILON * largest;
    for (int k = 0; k < n; k++) {
        negative += values[k] < -tolerance;
        positive += values[k] > tolerance;
    }
    if (negative == 0) return false;
    bool take_away = negative <= positive;
    eigen_matrix_load(n, a, take_away ? scale : 0.0, &sum);
    for (int k = 0; k < n; k++)
        if (take_away ? values[k] < -tolerance : values[k] > tolerance)
            add_outer(n, width, sum.m, take_away ? -values[k] : values[k], rows.m + k * width);
    double back = 1.0 / scale;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = sum.m[i * width + j] * back;
    return true;
}

void psd_project(int n, double *a)
{
    assert(n >= 1 && n <= EIGEN_MAX);
    symmetrize(n, a);
    double magnitude = eigen_magnitude(n, a);
    if (!isfinite(magnitude) || magnitude == 0.0) return;
    eigen_matrix work;
    double scale = eigen_scale(magnitude);
    bool diagonal_ok = true;
    double tolerance = 2.0 * n * DBL_EPSILON;
    for (int i = 0; i < n; i++) diagonal_ok &= a[i * n + i] * scale >= -tolerance;
    if (diagonal_ok) {
        eigen_matrix_load(n, a, scale, &work);
        if (is_semidefinite(n, work.m, tolerance)) return;
    }
    clamp_eigenvalues(n, a, scale);
}

enum { MAX_POINTS = 4, MAX_STENCIL = 3 * MAX_POINTS };

/* Orthonormal bases of the combinations of points whose weights sum to zero. */
static const double differences[MAX_POINTS + 1][MAX_POINTS - 1][MAX_POINTS] = {
    [2] = {{0.7071067811865476, -0.7071067811865476}},
    [3] = {{0.7071067811865476, -0.7071067811865476, 0.0},
           {0.408248290463863, 0.408248290463863, -0.816496580927726}},
    [4] = {{0.5, 0.5, -0.5, -0.5}, {0.5, -0.5, 0.5, -0.5}, {0.5, -0.5, -0.5, 0.5}}};

/* out[o] = sum over k of weight(o, k) in[k], each item being `length` numbers; transposed swaps the
 * indices of the weights. */
ALWAYS_INLINE void combine(int points, bool transposed, int length, const double *in, double *out)
{
    int from = transposed ? points - 1 : points, to = transposed ? points : points - 1;
    for (int o = 0; o < to; o++)
        for (int j = 0; j < length; j++) {
            double sum = 0.0;
            for (int k = 0; k < from; k++)
                sum += (transposed ? differences[points][k][o] : differences[points][o][k]) *
                       in[k * length + j];
            out[o * length + j] = sum;
        }
}

ALWAYS_INLINE void transpose(int rows, int columns, const double *in, double *out)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) out[j * rows + i] = in[i * columns + j];
}

/* b = q a q^T on blocks: b has one point less. */
ALWAYS_INLINE void restrict_blocks(int points, const double *a, double *b)
{
    double t[MAX_STENCIL * MAX_STENCIL], s[MAX_STENCIL * MAX_STENCIL];
    int n = 3 * points, m = n - 3;
    combine(points, false, 3 * n, a, t);
    transpose(m, n, t, s);
    combine(points, false, 3 * m, s, b);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++) b[j * m + i] = b[i * m + j];
}

/* a += q^T b q on blocks. */
ALWAYS_INLINE void extend_blocks(int points, const double *b, double *a)
{
    double t[MAX_STENCIL * MAX_STENCIL], s[MAX_STENCIL * MAX_STENCIL];
    int n = 3 * points, m = n - 3;
    combine(points, true, 3 * m, b, t);
    transpose(n, m, t, s);
    combine(points, true, 3 * n, s, t);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) a[j * n + i] = a[i * n + j] += t[i * n + j];
}

/* The Hessian of a stencil is semi-definite exactly when the part of all points but one is. */
ALWAYS_INLINE bool is_semidefinite_stencil(int points, const double *a, double scale)
{
    int n = 3 * points, m = n - 3, width = eigen_width(m);
    _Alignas(32) double w[MAX_STENCIL * MAX_STENCIL];
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) w[i * width + j] = scale * a[i * n + j];
        for (int j = m; j < width; j++) w[i * width + j] = 0.0;
    }
    return is_semidefinite_width(m, width, w, 2.0 * n * DBL_EPSILON);
}

ALWAYS_INLINE void project_stencil(int points, double *a)
{
    double b[(MAX_STENCIL - 3) * (MAX_STENCIL - 3)], change[(MAX_STENCIL - 3) * (MAX_STENCIL - 3)];
    int n = 3 * points, m = n - 3;
    symmetrize(n, a);
    double magnitude = eigen_magnitude(n, a);
    if (!isfinite(magnitude) || magnitude == 0.0) return;
    double scale = eigen_scale(magnitude);
    if (is_semidefinite_stencil(points, a, scale)) return;
    restrict_blocks(points, a, b);
    for (int k = 0; k < m * m; k++) change[k] = b[k];
    if (!clamp_eigenvalues(m, change, scale)) return;
    for (int k = 0; k < m * m; k++) change[k] -= b[k];
    extend_blocks(points, change, a);
}

void psd_project_stencil(int points, double *a)
{
    assert(points >= 2 && points <= MAX_POINTS);
    switch (points) {
    case 2: project_stencil(2, a); break;
    case 3: project_stencil(3, a); break;
    default: project_stencil(4, a); break;
    }
}

void psd_project2(double *a, double *b, double *c)
{
    double values[2], cs, sn;
    if (*a >= 0.0 && *c >= 0.0) {
        /* b^2 <= a c without overflow or underflow */
        double large = fmax(*a, *c), small = fmin(*a, *c);
        if (*b == 0.0 || (large > 0.0 && fabs(*b) * (fabs(*b) / large) <= small)) return;
    }
    eigen2(*a, *b, *c, values, &cs, &sn);
    if (!(values[0] < 0.0)) return;
    double top = fmax(values[1], 0.0);
    *a = top * sn * sn;
    *b = -(top * sn) * cs;
    *c = top * cs * cs;
}

/* True when the pivots of a are clearly positive; false says nothing. */
static bool is_definite3(const mat3 *a)
{
    double p0 = a->m[0][0];
    if (!(p0 > 0.0)) return false;
    double f1 = a->m[1][0] / p0, f2 = a->m[2][0] / p0;
    double p1 = a->m[1][1] - f1 * a->m[1][0], off = a->m[2][1] - f1 * a->m[2][0];
    if (!(p1 > 8.0 * DBL_EPSILON * a->m[1][1])) return false;
    double p2 = (a->m[2][2] - f2 * a->m[2][0]) - off * (off / p1);
    return p2 > 8.0 * DBL_EPSILON * a->m[2][2];
}

void psd_project3(mat3 *a)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (a->m[i][j] != a->m[j][i])
                a->m[i][j] = a->m[j][i] = 0.5 * a->m[i][j] + 0.5 * a->m[j][i];
    if (is_definite3(a)) return;
    double values[3];
    mat3 vectors;
    eigen3(*a, values, &vectors);
    double tolerance = 4.0 * DBL_EPSILON * fmax(fabs(values[0]), fabs(values[2]));
    if (!(values[0] < -tolerance)) return;
    bool take_away = !(values[1] < 0.0);
    mat3 sum = take_away ? *a : mat3_zero();
    int column = take_away ? 0 : 2;
    double weight = take_away ? -values[0] : fmax(values[2], 0.0);
    vec3 x = mat3_column(vectors, column);
    mat3 outer = mat3_outer(vec3_scale(weight, x), x);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) sum.m[i][j] = sum.m[j][i] = sum.m[i][j] + outer.m[i][j];
    *a = sum;
}

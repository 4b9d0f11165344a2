#include "math/eigen.h"

#include <float.h>

/* Magnitudes outside [2^-200, 2^200] are brought near 1 by a power of two, which is exact, so that
 * squares and products neither overflow nor vanish. Returns the factor (1 when none is needed). */
static double safe_scale(double magnitude)
{
    if (magnitude >= 0x1p-200 && magnitude <= 0x1p200) return 1.0;
    if (magnitude == 0.0) return 1.0;
    int exponent = -ilogb(magnitude);
    return scalbn(1.0, exponent > 1000 ? 1000 : exponent);
}

/* Rotation that diagonalises [[a, b], [b, c]], in no particular order: the matrix becomes
 * diag(a - t b, c + t b) for t = sn / cs, |t| <= 1. Entries must be of moderate size. */
static inline double jacobi_rotation(double a, double b, double c, double *cs, double *sn)
{
    double d = c - a, e = 2.0 * b;
    double r = sqrt(d * d + e * e);
    double denominator = fabs(d) + r;
    if (!(denominator > 0.0)) {
        *cs = 1.0;
        *sn = 0.0;
        return 0.0;
    }
    double t = copysign(1.0, d) * e / denominator;
    *cs = 1.0 / sqrt(1.0 + t * t);
    *sn = *cs * t;
    return t;
}

/* eigen2 without care for the size of the entries. */
static inline void eigen2_moderate(double a, double b, double c, double values[2], double *cs,
                                   double *sn)
{
    double rc, rs;
    double t = jacobi_rotation(a, b, c, &rc, &rs);
    /* With cs = rc, sn = -rs the first column is (rc, -rs), of eigenvalue a - t b. */
    double first = a - t * b, second = c + t * b;
    bool swap = first > second;
    values[0] = swap ? second : first;
    values[1] = swap ? first : second;
    *cs = swap ? rs : rc;
    *sn = swap ? rc : -rs;
}

void eigen2(double a, double b, double c, double values[2], double *cs, double *sn)
{
    double magnitude = fmax(fabs(a), fmax(fabs(b), fabs(c)));
    if (!isfinite(a) || !isfinite(b) || !isfinite(c)) {
        values[0] = values[1] = NAN;
        *cs = 1.0;
        *sn = 0.0;
        return;
    }
    double scale = safe_scale(magnitude);
    eigen2_moderate(a * scale, b * scale, c * scale, values, cs, sn);
    values[0] /= scale;
    values[1] /= scale;
}

/* Largest root of x^3 - 3 x - 2 h for 0 <= h <= 1: it runs smoothly from sqrt(3) to 2 and is the
 * one well separated from the other two, so a fit of degree 5 (error 1.4e-6) and one step of
 * Halley's third-order iteration reach full accuracy. */
static inline double isolated_root(double h)
{
    double h2 = h * h;
    double x = (1.7320521221176663 + h * 0.3332377130300705) +
               h2 * ((h * 0.0437992546902847 - 0.0950500278648677) +
                     h2 * (h * 0.0038946032208318 - 0.0179329024003109));
    double x2 = x * x;
    double f = x * (x2 - 3.0) - 2.0 * h, slope = 3.0 * (x2 - 1.0);
    return x - f * slope / (slope * slope - 3.0 * x * f);
}

/* Unit vector of the null space of a symmetric matrix of rank 2 whose non-zero eigenvalues are of
 * size 1: the longest of the cross products of its rows (chosen by index, without a branch). */
static inline vec3 null_vector(vec3 r0, vec3 r1, vec3 r2)
{
    vec3 candidates[3] = {vec3_cross(r0, r1), vec3_cross(r1, r2), vec3_cross(r2, r0)};
    double n0 = vec3_norm2(candidates[0]), n1 = vec3_norm2(candidates[1]);
    double n2 = vec3_norm2(candidates[2]);
    double norm2 = n1 > n0 ? n1 : n0;
    int best = n2 > norm2 ? 2 : n1 > n0;
    norm2 = n2 > norm2 ? n2 : norm2;
    return vec3_scale(1.0 / sqrt(norm2), candidates[best]);
}

/* Completes the unit vector w to a right-handed basis (u, v, w) without a branch (T. Duff and
 * others, Building an orthonormal basis, revisited, 2017). */
static inline void complete_basis(vec3 w, vec3 *u, vec3 *v)
{
    double sign = copysign(1.0, w.z), a = -1.0 / (sign + w.z), b = w.x * w.y * a;
    *u = vec3_make(1.0 + sign * (w.x * w.x) * a, sign * b, -sign * w.x);
    *v = vec3_make(b, sign + w.y * w.y * a, -w.y);
}

/* Eigenvalues of the matrix with rows r0, r1, r2 (not read above the diagonal), of moderate size.
 *
 * With a = q I + p B, tr B = 0 and |B|^2 = 6, the eigenvalues of B are the roots of
 * x^3 - 3 x - det B. One of them is at least sqrt(3) away from both others. Its eigenvector is well
 * conditioned and comes from a cross product; the other two solve a 2x2 problem in the
 * perpendicular plane, where a small gap does no harm. */
static void eigen3_moderate(const mat3 *a, double values[3], vec3 vectors[3])
{
    double a00 = a->m[0][0], a10 = a->m[1][0], a20 = a->m[2][0];
    double a11 = a->m[1][1], a21 = a->m[2][1], a22 = a->m[2][2];
    double q = (a00 + a11 + a22) * (1.0 / 3.0);
    /* Differences of the diagonal, not a_ii - q: near a multiple of the identity the rounding of q
     * would leave a trace in B that is not small. */
    double x01 = a00 - a11, x02 = a00 - a22, x12 = a11 - a22;
    double d0 = (x01 + x02) * (1.0 / 3.0), d1 = (x12 - x01) * (1.0 / 3.0);
    double d2 = -(x02 + x12) * (1.0 / 3.0);
    double off = a10 * a10 + a20 * a20 + a21 * a21;
    double p2 = ((d0 * d0 + d1 * d1 + d2 * d2) + 2.0 * off) * (1.0 / 6.0);
    if (!(p2 > 0x1p-900)) { /* a multiple of the identity, or so small that it is one */
        values[0] = values[1] = values[2] = q;
        vectors[0] = vec3_make(1, 0, 0);
        vectors[1] = vec3_make(0, 1, 0);
        vectors[2] = vec3_make(0, 0, 1);
        return;
    }
    double p = sqrt(p2), inverse = 1.0 / p;
    d0 *= inverse;
    d1 *= inverse;
    d2 *= inverse;
    double b10 = a10 * inverse, b20 = a20 * inverse, b21 = a21 * inverse;
    double h = 0.5 * (d0 * (d1 * d2 - b21 * b21) - b10 * (b10 * d2 - b21 * b20) +
                      b20 * (b10 * b21 - d1 * b20));
    double root = copysign(isolated_root(fmin(fabs(h), 1.0)), h);
    vec3 w = null_vector(vec3_make(d0 - root, b10, b20), vec3_make(b10, d1 - root, b21),
                         vec3_make(b20, b21, d2 - root));
    vec3 u, v;
    complete_basis(w, &u, &v);
    vec3 bu = vec3_make(d0 * u.x + b10 * u.y + b20 * u.z, b10 * u.x + d1 * u.y + b21 * u.z,
                        b20 * u.x + b21 * u.y + d2 * u.z);
    vec3 bv = vec3_make(d0 * v.x + b10 * v.y + b20 * v.z, b10 * v.x + d1 * v.y + b21 * v.z,
                        b20 * v.x + b21 * v.y + d2 * v.z);
    double pair[2], cs, sn;
    eigen2_moderate(vec3_dot(u, bu), vec3_dot(u, bv), vec3_dot(v, bv), pair, &cs, &sn);
    vec3 low = vec3_mul_add(vec3_scale(cs, u), sn, v);
    vec3 high = vec3_mul_add(vec3_scale(cs, v), -sn, u);
    /* (u, v, w) is right-handed, so (low, high, w) and (w, low, high) are. */
    int shift = signbit(h) != 0;
    int isolated = shift ? 0 : 2;
    values[shift] = q + p * pair[0];
    values[shift + 1] = q + p * pair[1];
    values[isolated] = q + p * root;
    vectors[shift] = low;
    vectors[shift + 1] = high;
    vectors[isolated] = w;
}

void eigen3(mat3 a, double values[3], mat3 *vectors)
{
    double magnitude = 0.0, check = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            magnitude = fmax(magnitude, fabs(a.m[i][j]));
            check += a.m[i][j] * 0.0; /* NaN unless every entry is finite */
        }
    if (check != 0.0) {
        values[0] = values[1] = values[2] = NAN;
        *vectors = mat3_identity();
        return;
    }
    double scale = safe_scale(magnitude);
    if (scale != 1.0) a = mat3_scale(scale, a);
    vec3 columns[3];
    eigen3_moderate(&a, values, columns);
    *vectors = mat3_from_columns(columns[0], columns[1], columns[2]);
    if (scale != 1.0)
        for (int k = 0; k < 3; k++) values[k] /= scale;
}

#include "math/svd.h"

#include "math/eigen.h"

#include <float.h>

/* Two columns count as orthogonal when the squared cosine between them is below this. */
#define ORTHOGONAL 0x1p-101
/* Columns shorter than this part of the longest (squared) have no direction of their own. */
#define NEGLIGIBLE 0x1p-600

enum { MAX_SWEEPS = 12 };

/* One rotation of one-sided Jacobi: makes columns p and q orthogonal and turns vp, vq along. The
 * squared lengths and the inner product are given. */
static inline void rotate_columns(vec3 *p, vec3 *q, vec3 *vp, vec3 *vq, double pp, double qq,
                                  double pq)
{
    double zeta = (qq - pp) / (2.0 * pq);
    double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    double cs = 1.0 / sqrt(1.0 + t * t), sn = cs * t;
    vec3 new_p = vec3_mul_add(vec3_scale(cs, *p), -sn, *q);
    *q = vec3_mul_add(vec3_scale(cs, *q), sn, *p);
    *p = new_p;
    vec3 new_vp = vec3_mul_add(vec3_scale(cs, *vp), -sn, *vq);
    *vq = vec3_mul_add(vec3_scale(cs, *vq), sn, *vp);
    *vp = new_vp;
}

/* Rotates columns i and j unless they are orthogonal; says whether it did. */
static inline bool orthogonalize(vec3 *b, vec3 *v, int i, int j)
{
    double pp = vec3_norm2(b[i]), qq = vec3_norm2(b[j]), pq = vec3_dot(b[i], b[j]);
    if (pq * pq <= ORTHOGONAL * (pp * qq)) return false;
    rotate_columns(&b[i], &b[j], &v[i], &v[j], pp, qq, pq);
    return true;
}

/* True when dropping the inner products of the columns (the first being the longest) changes the
 * matrix by no more than a few ulps of its norm, and the second column is long enough to give an
 * accurate direction. */
static inline bool almost_orthogonal(const vec3 *b)
{
    double n0 = vec3_norm2(b[0]), n1 = vec3_norm2(b[1]);
    double d01 = fabs(vec3_dot(b[0], b[1])), d02 = fabs(vec3_dot(b[0], b[2]));
    double d12 = vec3_dot(b[1], b[2]), limit = 0x1p-50 * n0;
    return n1 > 0x1p-40 * n0 && d01 <= limit && d02 <= limit && d12 * d12 <= 0x1p-100 * n0 * n1;
}

/* Exchanges two columns, negating one so that the matrix stays a rotation. */
static inline void exchange(vec3 *p, vec3 *q)
{
    vec3 t = *p;
    *p = *q;
    *q = vec3_neg(t);
}

static inline void sort_columns(vec3 b[3], vec3 v[3], double n[3])
{
    static const int order[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int k = 0; k < 3; k++) {
        int i = order[k][0], j = order[k][1];
        if (n[i] >= n[j]) continue;
        double t = n[i];
        n[i] = n[j];
        n[j] = t;
        exchange(&b[i], &b[j]);
        exchange(&v[i], &v[j]);
    }
}

static vec3 perpendicular(vec3 w)
{
    vec3 axis = fabs(w.x) <= fabs(w.y) && fabs(w.x) <= fabs(w.z) ? vec3_make(1, 0, 0)
                : fabs(w.y) <= fabs(w.z)                         ? vec3_make(0, 1, 0)
                                                                 : vec3_make(0, 0, 1);
    return vec3_normalize(vec3_cross(w, axis));
}

/* Unit vector along b made orthogonal to u0; b is nearly orthogonal to u0 or negligible. */
static inline vec3 second_direction(vec3 u0, vec3 b, double length2, double longest2)
{
    if (!(length2 > NEGLIGIBLE * longest2)) return perpendicular(u0);
    vec3 u1 = vec3_scale(1.0 / sqrt(length2), b);
    return vec3_mul_add(u1, -vec3_dot(u0, u1), u0); /* the length changes by less than an ulp */
}

/* Largest magnitude among the entries; NaN when one of them is not finite. */
static inline double magnitude_of(const double *entries, int count)
{
    double largest = 0.0, check = 0.0;
    for (int k = 0; k < count; k++) {
        double e = fabs(entries[k]);
        largest = e > largest ? e : largest;
        check += entries[k] * 0.0;
    }
    return largest + check;
}

/* A power of two that brings entries of extreme size near 1. */
static inline double scale_for(double magnitude)
{
    if ((magnitude >= 0x1p-40 && magnitude <= 0x1p40) || magnitude == 0.0) return 1.0;
    int exponent = -ilogb(magnitude);
    return scalbn(1.0, exponent > 1000 ? 1000 : exponent);
}

/* The eigenvectors of a^T a are right singular vectors up to an error of eps |a|^2, too large for
 * small singular values but a very good start: b = a V has nearly orthogonal columns, and one-sided
 * Jacobi, which works on the columns themselves, removes the rest in one or two sweeps (none at all
 * for a well conditioned matrix). */
void svd3(mat3 a, mat3 *u, double s[3], mat3 *v)
{
    double magnitude = magnitude_of(&a.m[0][0], 9);
    if (!isfinite(magnitude)) {
        s[0] = s[1] = s[2] = NAN;
        *u = *v = mat3_identity();
        return;
    }
    double scale = scale_for(magnitude);
    if (scale != 1.0) a = mat3_scale(scale, a);
    vec3 c0 = mat3_column(a, 0), c1 = mat3_column(a, 1), c2 = mat3_column(a, 2);
    mat3 gram = mat3_zero(), w;
    gram.m[0][0] = vec3_norm2(c0);
    gram.m[1][0] = vec3_dot(c1, c0);
    gram.m[1][1] = vec3_norm2(c1);
    gram.m[2][0] = vec3_dot(c2, c0);
    gram.m[2][1] = vec3_dot(c2, c1);
    gram.m[2][2] = vec3_norm2(c2);
    double unused[3];
    eigen3(gram, unused, &w);
    /* Descending order; the sign keeps it a rotation. */
    vec3 vs[3] = {mat3_column(w, 2), mat3_column(w, 1), vec3_neg(mat3_column(w, 0))};
    vec3 b[3];
    for (int k = 0; k < 3; k++)
        b[k] = vec3_mul_add(vec3_mul_add(vec3_scale(vs[k].x, c0), vs[k].y, c1), vs[k].z, c2);
    if (!almost_orthogonal(b))
        for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
            bool turned = orthogonalize(b, vs, 0, 1);
            turned |= orthogonalize(b, vs, 0, 2);
            turned |= orthogonalize(b, vs, 1, 2);
            if (!turned) break;
        }
    double n[3] = {vec3_norm2(b[0]), vec3_norm2(b[1]), vec3_norm2(b[2])};
    sort_columns(b, vs, n);
    s[0] = sqrt(n[0]);
    s[1] = sqrt(n[1]);
    vec3 u0 = n[0] > 0.0 ? vec3_scale(1.0 / s[0], b[0]) : vec3_make(1, 0, 0);
    vec3 u1 = second_direction(u0, b[1], n[1], n[0]);
    vec3 u2 = vec3_cross(u0, u1);
    s[2] = vec3_dot(u2, b[2]);
    s[2] = copysign(fmin(fabs(s[2]), s[1]), s[2]);
    *u = mat3_from_columns(u0, u1, u2);
    *v = mat3_from_columns(vs[0], vs[1], vs[2]);
    if (scale != 1.0)
        for (int k = 0; k < 3; k++) s[k] /= scale;
}

void svd32(vec3 c0, vec3 c1, mat3 *u, double s[2], double v[4])
{
    double entries[6] = {c0.x, c0.y, c0.z, c1.x, c1.y, c1.z};
    double magnitude = magnitude_of(entries, 6);
    if (!isfinite(magnitude)) {
        s[0] = s[1] = NAN;
        *u = mat3_identity();
        v[0] = v[3] = 1.0;
        v[1] = v[2] = 0.0;
        return;
    }
    double scale = scale_for(magnitude);
    vec3 b[2] = {vec3_scale(scale, c0), vec3_scale(scale, c1)};
    vec3 vs[2] = {vec3_make(1, 0, 0), vec3_make(0, 1, 0)};
    for (int k = 0; k < MAX_SWEEPS; k++)
        if (!orthogonalize(b, vs, 0, 1)) break;
    double n0 = vec3_norm2(b[0]), n1 = vec3_norm2(b[1]);
    if (n0 < n1) {
        exchange(&b[0], &b[1]);
        exchange(&vs[0], &vs[1]);
        double t = n0;
        n0 = n1;
        n1 = t;
    }
    s[0] = sqrt(n0) / scale;
    s[1] = sqrt(n1) / scale;
    vec3 u0 = n0 > 0.0 ? vec3_scale(1.0 / sqrt(n0), b[0]) : vec3_make(1, 0, 0);
    vec3 u1 = second_direction(u0, b[1], n1, n0);
    *u = mat3_from_columns(u0, u1, vec3_cross(u0, u1));
    v[0] = vs[0].x;
    v[1] = vs[1].x;
    v[2] = vs[0].y;
    v[3] = vs[1].y;
}

/* Eigenvalues of the 2x2 Gram matrix; the smaller one from the area, which has no cancellation. */
void svd32_values(vec3 c0, vec3 c1, double s[2])
{
    double g00 = vec3_norm2(c0), g11 = vec3_norm2(c1), g01 = vec3_dot(c0, c1);
    double apart = 0.5 * (g00 - g11);
    s[0] = sqrt(0.5 * (g00 + g11) + sqrt(apart * apart + g01 * g01));
    s[1] = s[0] > 0.0 ? vec3_norm(vec3_cross(c0, c1)) / s[0] : s[0];
    if (s[1] > s[0]) s[1] = s[0];
}

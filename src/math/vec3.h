/* Three-component vectors and 3x3 matrices as small values, passed and returned by value. */
#ifndef MATH_VEC3_H
#define MATH_VEC3_H

#include <math.h>
#include <stdbool.h>

typedef struct vec3 {
    double x, y, z;
} vec3;

typedef struct mat3 {
    double m[3][3]; /* m[row][column] */
} mat3;

static inline vec3 vec3_make(double x, double y, double z) { return (vec3){x, y, z}; }
static inline vec3 vec3_load(const double *p) { return (vec3){p[0], p[1], p[2]}; }
static inline void vec3_store(double *p, vec3 a)
{
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}
static inline vec3 vec3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 vec3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 vec3_neg(vec3 a) { return (vec3){-a.x, -a.y, -a.z}; }
static inline vec3 vec3_scale(double s, vec3 a) { return (vec3){s * a.x, s * a.y, s * a.z}; }
/* a + s b */
static inline vec3 vec3_mul_add(vec3 a, double s, vec3 b)
{
    return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec3_norm2(vec3 a) { return vec3_dot(a, a); }
static inline double vec3_norm(vec3 a) { return sqrt(vec3_norm2(a)); }
static inline double vec3_max_abs(vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }
/* Written as comparisons, which are one instruction each; fmin and fmax are function calls. */
static inline vec3 vec3_min(vec3 a, vec3 b)
{
    return (vec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
static inline vec3 vec3_max(vec3 a, vec3 b)
{
    return (vec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
/* Unit vector; the zero vector stays zero. */
static inline vec3 vec3_normalize(vec3 a)
{
    double n = vec3_norm(a);
    return n > 0.0 ? vec3_scale(1.0 / n, a) : a;
}
static inline bool vec3_is_finite(vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline double vec3_get(vec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

static inline mat3 mat3_zero(void) { return (mat3){{{0.0}}}; }
static inline mat3 mat3_identity(void) { return (mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline mat3 mat3_from_columns(vec3 a, vec3 b, vec3 c)
{
    return (mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}
static inline vec3 mat3_column(mat3 a, int j) { return (vec3){a.m[0][j], a.m[1][j], a.m[2][j]}; }
static inline vec3 mat3_row(mat3 a, int i) { return (vec3){a.m[i][0], a.m[i][1], a.m[i][2]}; }
static inline vec3 mat3_mul_vec(mat3 a, vec3 v)
{
    return (vec3){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                  a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                  a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
/* a^T v */
static inline vec3 mat3_tmul_vec(mat3 a, vec3 v)
{
    return (vec3){a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
                  a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
                  a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z};
}
static inline mat3 mat3_mul(mat3 a, mat3 b)
{
    mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}
static inline mat3 mat3_transpose(mat3 a)
{
    mat3 t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t.m[i][j] = a.m[j][i];
    return t;
}
static inline mat3 mat3_add(mat3 a, mat3 b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] += b.m[i][j];
    return a;
}
static inline mat3 mat3_sub(mat3 a, mat3 b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] -= b.m[i][j];
    return a;
}
static inline mat3 mat3_scale(double s, mat3 a)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] *= s;
    return a;
}
static inline double mat3_determinant(mat3 a)
{
    return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
           a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
           a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}
/* Matrix of cofactors: det(a) a^-T, defined for singular matrices too. */
static inline mat3 mat3_cofactor(mat3 a)
{
    vec3 r0 = mat3_row(a, 0), r1 = mat3_row(a, 1), r2 = mat3_row(a, 2);
    vec3 c0 = vec3_cross(r1, r2), c1 = vec3_cross(r2, r0), c2 = vec3_cross(r0, r1);
    return (mat3){{{c0.x, c0.y, c0.z}, {c1.x, c1.y, c1.z}, {c2.x, c2.y, c2.z}}};
}
/* The caller makes sure that the determinant is not zero. */
static inline mat3 mat3_inverse(mat3 a)
{
    return mat3_scale(1.0 / mat3_determinant(a), mat3_transpose(mat3_cofactor(a)));
}
static inline double mat3_norm2(mat3 a)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += a.m[i][j] * a.m[i][j];
    return sum;
}
/* a b^T */
static inline mat3 mat3_outer(vec3 a, vec3 b)
{
    return (mat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                   {a.y * b.x, a.y * b.y, a.y * b.z},
                   {a.z * b.x, a.z * b.y, a.z * b.z}}};
}
/* [a]x, the matrix of the cross product a x . */
static inline mat3 mat3_cross(vec3 a)
{
    return (mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

#endif

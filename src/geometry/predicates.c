#include "geometry/predicates.h"

#include <stdint.h>
#include <string.h>

/* ---- Integers of any size that can occur ----
 *
 * The coordinates along one axis are multiples of one power of two between 2^-1074 and 2^1023,
 * hence integers of at most 2098 bits; their differences have at most 2099, products of three of
 * these and sums of six such products less than 6304 bits. Scaling an axis does not change the sign
 * of a determinant, so each axis has its own unit. */

enum { LIMBS = 100 };

typedef struct big_integer {
    int sign; /* -1, 0, 1 */
    int count;
    uint64_t limb[LIMBS]; /* magnitude, lowest first, no leading zeros */
} big_integer;

__extension__ typedef unsigned __int128 wide;

/* m 2^exponent of a nonzero double, m odd; returns m. */
static uint64_t odd_mantissa(double x, int *exponent)
{
    uint64_t m = (uint64_t)ldexp(fabs(frexp(x, exponent)), 53);
    int zeros = __builtin_ctzll(m);
    *exponent += zeros - 53;
    return m >> zeros;
}

/* Exponent of the lowest set bit among n numbers; INT32_MAX when all are zero. */
static int common_exponent(int n, const double *x)
{
    int lowest = INT32_MAX;
    for (int i = 0; i < n; i++) {
        if (x[i] == 0.0) continue;
        int exponent;
        odd_mantissa(x[i], &exponent);
        if (exponent < lowest) lowest = exponent;
    }
    return lowest;
}

/* x / 2^unit, an integer. */
static void big_set(big_integer *out, double x, int unit)
{
    out->sign = (x > 0.0) - (x < 0.0);
    out->count = 0;
    if (out->sign == 0) return;
    int exponent;
    uint64_t m = odd_mantissa(x, &exponent);
    int shift = exponent - unit, limb = shift / 64, bit = shift % 64;
    memset(out->limb, 0, sizeof(uint64_t) * (size_t)limb);
    out->limb[limb] = m << bit;
    out->count = limb + 1;
    if (bit && m >> (64 - bit)) out->limb[out->count++] = m >> (64 - bit);
}

static int compare_magnitude(const big_integer *a, const big_integer *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* |a| + |b|; out may be a or b. */
static void add_magnitude(big_integer *out, const big_integer *a, const big_integer *b)
{
    const big_integer *longer = a->count >= b->count ? a : b, *shorter = longer == a ? b : a;
    int count = longer->count, common = shorter->count;
    wide carry = 0;
    for (int i = 0; i < count; i++) {
        carry += longer->limb[i];
        if (i < common) carry += shorter->limb[i];
        out->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    out->count = count;
    if (carry) out->limb[out->count++] = (uint64_t)carry;
}

/* |a| - |b| for |a| > |b|; out may be a or b. */
static void sub_magnitude(big_integer *out, const big_integer *a, const big_integer *b)
{
    uint64_t borrow = 0;
    int count = a->count, common = b->count;
    for (int i = 0; i < count; i++) {
        uint64_t x = a->limb[i], y = i < common ? b->limb[i] : 0, difference = x - y;
        out->limb[i] = difference - borrow;
        borrow = (x < y) | (difference < borrow);
    }
    while (count > 0 && out->limb[count - 1] == 0) count--;
    out->count = count;
}

/* out = a + factor b with factor = +1 or -1; out may be a or b. */
static void big_add(big_integer *out, const big_integer *a, const big_integer *b, int factor)
{
    int sign_a = a->sign, sign_b = b->sign * factor;
    if (sign_a == 0 || sign_b == 0 || sign_a == sign_b) {
        add_magnitude(out, a, b);
        out->sign = sign_a ? sign_a : sign_b;
        return;
    }
    int order = compare_magnitude(a, b);
    if (order > 0)
        sub_magnitude(out, a, b);
    else if (order < 0)
        sub_magnitude(out, b, a);
    else
        out->count = 0;
    out->sign = order > 0 ? sign_a : order < 0 ? sign_b : 0;
}

/* out differs from a and b. */
static void big_mul(big_integer *out, const big_integer *a, const big_integer *b)
{
    out->sign = a->sign * b->sign;
    out->count = 0;
    if (out->sign == 0) return;
    memset(out->limb, 0, sizeof(uint64_t) * (size_t)(a->count + b->count));
    for (int i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b->count; j++) {
            wide sum = (wide)a->limb[i] * b->limb[j] + out->limb[i + j] + carry;
            out->limb[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        out->limb[i + b->count] = carry;
    }
    out->count = a->count + b->count;
    if (out->limb[out->count - 1] == 0) out->count--;
}

/* Differences x[1..n] - x[0] along one axis, in a unit of their own. */
static void axis_differences(int n, const double *x, big_integer *out)
{
    int unit = common_exponent(n + 1, x);
    big_integer origin;
    big_set(&origin, x[0], unit);
    for (int i = 0; i < n; i++) {
        big_set(&out[i], x[i + 1], unit);
        big_add(&out[i], &out[i], &origin, -1);
    }
}

/* a d - b c */
static void big_determinant2(big_integer *out, const big_integer *a, const big_integer *b,
                             const big_integer *c, const big_integer *d)
{
    big_integer product;
    big_mul(out, a, d);
    big_mul(&product, b, c);
    big_add(out, out, &product, -1);
}

int orient3d_exact(vec3 a, vec3 b, vec3 c, vec3 d)
{
    big_integer x[3], y[3], z[3], minor, product, sum = {0};
    axis_differences(3, (const double[]){a.x, b.x, c.x, d.x}, x);
    axis_differences(3, (const double[]){a.y, b.y, c.y, d.y}, y);
    axis_differences(3, (const double[]){a.z, b.z, c.z, d.z}, z);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        big_determinant2(&minor, &x[j], &y[j], &x[k], &y[k]);
        big_mul(&product, &minor, &z[i]);
        big_add(&sum, &sum, &product, 1);
    }
    return sum.sign;
}

int orient2d_exact(double ax, double ay, double bx, double by, double cx, double cy)
{
    big_integer x[2], y[2], det;
    axis_differences(2, (const double[]){ax, bx, cx}, x);
    axis_differences(2, (const double[]){ay, by, cy}, y);
    big_determinant2(&det, &x[0], &y[0], &x[1], &y[1]);
    return det.sign;
}

/* ---- Filters ---- */

static inline int sign_of(double x) { return (x > 0.0) - (x < 0.0); }

/* The rounding errors of the determinant are below 7.78e-16 times the same sum with absolute values
 * (the bound of Shewchuk, 1997). That holds without underflow and overflow; with factors below
 * 1e100 what underflow can add is below 1e-220. */
int orient3d(vec3 a, vec3 b, vec3 c, vec3 d)
{
    vec3 u = vec3_sub(b, a), v = vec3_sub(c, a), w = vec3_sub(d, a);
    if ((u.x == 0.0 && v.x == 0.0 && w.x == 0.0) || (u.y == 0.0 && v.y == 0.0 && w.y == 0.0) ||
        (u.z == 0.0 && v.z == 0.0 && w.z == 0.0))
        return 0;
    double uv = u.x * v.y, vu = v.x * u.y, vw = v.x * w.y, wv = w.x * v.y, wu = w.x * u.y,
           uw = u.x * w.y;
    double det = w.z * (uv - vu) + u.z * (vw - wv) + v.z * (wu - uw);
    double permanent = fabs(w.z) * (fabs(uv) + fabs(vu)) + fabs(u.z) * (fabs(vw) + fabs(wv)) +
                       fabs(v.z) * (fabs(wu) + fabs(uw));
    double largest = fmax(vec3_max_abs(u), fmax(vec3_max_abs(v), vec3_max_abs(w)));
    double bound = 7.78e-16 * permanent;
    if (fabs(det) > bound && bound > 1e-200 && largest < 1e100) return sign_of(det);
    return orient3d_exact(a, b, c, d);
}

int orient2d(double ax, double ay, double bx, double by, double cx, double cy)
{
    double ux = bx - ax, uy = by - ay, vx = cx - ax, vy = cy - ay;
    if ((ux == 0.0 && vx == 0.0) || (uy == 0.0 && vy == 0.0)) return 0;
    double left = ux * vy, right = uy * vx, det = left - right;
    double bound = 3.34e-16 * (fabs(left) + fabs(right));
    if (fabs(det) > bound && bound > 1e-200 && bound < 1e300) return sign_of(det);
    return orient2d_exact(ax, ay, bx, by, cx, cy);
}

int orient2d_dropped(int axis, vec3 a, vec3 b, vec3 c)
{
    if (axis == 0) return orient2d(a.y, a.z, b.y, b.z, c.y, c.z);
    if (axis == 1) return orient2d(a.z, a.x, b.z, b.x, c.z, c.x);
    return orient2d(a.x, a.y, b.x, b.y, c.x, c.y);
}

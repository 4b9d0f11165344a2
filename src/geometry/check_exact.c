#include "geometry/check_exact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- Integers ---- */

/* sign * sum of word[i] 2^(32 (low + i)). A double has bits from 2^-1074 to 2^1023, a difference
 * one more, a product of three of them three times as many; a few are added up. */
enum { WORDS = 3 * (2100 / 32 + 2) + 4 };

typedef struct exact {
    int sign, low, count;
    uint32_t word[WORDS];
} exact;

static void trim(exact *x)
{
    int zeros = 0;
    while (x->count > 0 && x->word[x->count - 1] == 0) x->count--;
    while (zeros < x->count && x->word[zeros] == 0) zeros++;
    if (x->count == 0) x->sign = 0;
    if (zeros == 0) return;
    for (int i = zeros; i < x->count; i++) x->word[i - zeros] = x->word[i];
    x->count -= zeros;
    x->low += zeros;
}

static exact from_double(double value)
{
    exact out;
    int power;
    out.sign = (value > 0) - (value < 0);
    uint64_t digits = (uint64_t)ldexp(frexp(fabs(value), &power), 53);
    power += 32 * 64 - 53; /* positive, so that division rounds down */
    out.low = power / 32 - 64;
    int shift = power % 32;
    out.word[0] = (uint32_t)(digits << shift);
    out.word[1] = (uint32_t)(digits >> (32 - shift));
    out.word[2] = shift > 0 ? (uint32_t)(digits >> 32 >> (32 - shift)) : 0;
    out.count = 3;
    trim(&out);
    return out;
}

static uint32_t word_at(const exact *x, int index)
{
    int i = index - x->low;
    return i >= 0 && i < x->count ? x->word[i] : 0;
}

/* Whether |a| < |b|, for words from low up to top. */
static bool is_less(const exact *a, const exact *b, int low, int top)
{
    for (int index = top; index >= low; index--)
        if (word_at(a, index) != word_at(b, index)) return word_at(a, index) < word_at(b, index);
    return false;
}

static exact copy_of(const exact *x)
{
    exact out;
    out.sign = x->sign;
    out.low = x->low;
    out.count = x->count;
    for (int i = 0; i < x->count; i++) out.word[i] = x->word[i];
    return out;
}

/* Whether a - b is a double, as it mostly is for neighbours: what rounding has taken off either of
 * them is nothing. */
static bool is_exact_difference(double a, double b)
{
    double d = a - b, back = a - d;
    return a - (d + back) == 0 && back - b == 0;
}

static exact sum(const exact *a, const exact *b)
{
    exact out; /* the words are left as they are: most are never used */
    if (a->sign == 0) return copy_of(b);
    if (b->sign == 0) return copy_of(a);
    int low = a->low < b->low ? a->low : b->low;
    int top_a = a->low + a->count, top_b = b->low + b->count, top = top_a > top_b ? top_a : top_b;
    bool swapped = is_less(a, b, low, top);
    const exact *large = swapped ? b : a, *small = swapped ? a : b;
    out.sign = large->sign;
    out.low = low;
    out.count = top - low + 1;
    int64_t carry = 0;
    for (int index = low; index <= top; index++) {
        int64_t other = word_at(small, index);
        carry += (int64_t)word_at(large, index) + (a->sign == b->sign ? other : -other);
        out.word[index - low] = (uint32_t)carry;
        carry = carry < 0 ? -1 : carry >> 32;
    }
    trim(&out);
    return out;
}

static exact product(const exact *a, const exact *b)
{
    exact out;
    out.sign = a->sign * b->sign;
    out.low = a->low + b->low;
    out.count = out.sign == 0 ? 0 : a->count + b->count;
    for (int i = 0; i < out.count; i++) out.word[i] = 0;
    for (int i = 0; i < a->count && out.sign != 0; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b->count; j++) {
            carry += (uint64_t)a->word[i] * b->word[j] + out.word[i + j];
            out.word[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out.word[i + b->count] = (uint32_t)carry;
    }
    trim(&out);
    return out;
}

static exact difference(double a, double b)
{
    if (is_exact_difference(a, b)) return from_double(a - b);
    exact x = from_double(a), y = from_double(-b);
    return sum(&x, &y);
}

/* a b - c d */
static exact minor_of(const exact *a, const exact *b, const exact *c, const exact *d)
{
    exact first = product(a, b), second = product(c, d);
    second.sign = -second.sign;
    return sum(&first, &second);
}

/* ---- Integers of a fixed width ----
 *
 * Neighbours have coordinates of about the same size. Multiplied by a power of two for each axis,
 * which changes no sign, they are integers of at most FIXED_BITS bits: differences have one bit
 * more, products of two of them fit into 128 bits, those of three into 192. */

enum { FIXED_BITS = 60, MOST_POINTS = 4 };

__extension__ typedef __int128 wide;

/* False where the coordinates are too far apart in size, or next to the limits of doubles. */
static bool fixed_coordinates(int axis, const vec3 *points, int count, int64_t *out)
{
    double coordinate[MOST_POINTS], largest = 0;
    for (int i = 0; i < count; i++) {
        coordinate[i] = vec3_get(points[i], axis);
        double size = fabs(coordinate[i]);
        largest = size > largest ? size : largest;
    }
    if (!(largest > 0x1p-900 && largest < 0x1p900)) return false;
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    bits = (uint64_t)(2 * 1023 + FIXED_BITS - 1 - (int)(bits >> 52)) << 52;
    double scale; /* 2^(FIXED_BITS - 1) over the power of two in the largest */
    memcpy(&scale, &bits, sizeof scale);
    for (int i = 0; i < count; i++) {
        double scaled = coordinate[i] * scale;
        out[i] = (int64_t)scaled;
        if ((double)out[i] != scaled) return false;
        if (out[i] == 0 && coordinate[i] != 0) return false; /* underflow */
    }
    return true;
}

static int sign_of(wide value) { return (value > 0) - (value < 0); }

/* The sign of the determinant of b - a, c - a, d - a, or 2 where the width is not enough. */
static int fixed_volume_sign(const vec3 points[4])
{
    int64_t x[3][4], e[3][3];
    for (int k = 0; k < 3; k++) {
        if (!fixed_coordinates(k, points, 4, x[k])) return 2;
        for (int i = 0; i < 3; i++) e[i][k] = x[k][i + 1] - x[k][0];
    }
    wide low = 0, high = 0; /* low + 2^64 high */
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        wide area = (wide)e[0][l] * e[1][m] - (wide)e[0][m] * e[1][l];
        low += (wide)(uint64_t)area * e[2][k];
        high += (wide)(int64_t)(area >> 64) * e[2][k];
    }
    high += low >> 64;
    return high != 0 ? sign_of(high) : (uint64_t)low != 0;
}

static int fixed_area_sign(int l, int m, const vec3 points[3])
{
    int64_t x[3], y[3];
    if (!fixed_coordinates(l, points, 3, x) || !fixed_coordinates(m, points, 3, y)) return 2;
    return sign_of((wide)(x[1] - x[0]) * (y[2] - y[0]) - (wide)(y[1] - y[0]) * (x[2] - x[0]));
}

/* ---- Signs ---- */

/* Rounding errors of the sums of products below are less than eight units of 2^-53 of the sum of
 * the absolute values, and absolutely less than FLOOR where products underflow. */
static const double ROUNDING = 1e-15, FLOOR = 1e-290;

/* The sign where rounding cannot have changed it, otherwise 2. */
static int certain_sign(double value, double magnitude)
{
    double error = ROUNDING * magnitude + FLOOR;
    return value > error ? 1 : value < -error ? -1 : 2;
}

static int exact_volume_sign(vec3 a, const vec3 x[3])
{
    exact e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) e[i][k] = difference(vec3_get(x[i], k), vec3_get(a, k));
    exact total = {.count = 0};
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        exact area = minor_of(&e[0][l], &e[1][m], &e[0][m], &e[1][l]);
        exact part = product(&area, &e[2][k]);
        total = sum(&total, &part);
    }
    return total.sign;
}

/* Differences of doubles are 0 only for equal ones: what lies in a plane across an axis, as much of
 * a mesh of boxes does, needs no long numbers to be found flat. */
static bool lies_across_an_axis(vec3 u, vec3 v, vec3 w)
{
    for (int k = 0; k < 3; k++)
        if (vec3_get(u, k) == 0 && vec3_get(v, k) == 0 && vec3_get(w, k) == 0) return true;
    return false;
}

int check_volume_sign(vec3 a, vec3 b, vec3 c, vec3 d)
{
    vec3 u = vec3_sub(b, a), v = vec3_sub(c, a), w = vec3_sub(d, a);
    if (lies_across_an_axis(u, v, w)) return 0;
    double value = 0, magnitude = 0;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        double p = vec3_get(u, l) * vec3_get(v, m), q = vec3_get(u, m) * vec3_get(v, l);
        value += (p - q) * vec3_get(w, k);
        magnitude += (fabs(p) + fabs(q)) * fabs(vec3_get(w, k));
    }
    /* a product that underflows is off by a factor times w */
    int sign = certain_sign(value, magnitude + FLOOR * vec3_max_abs(w) / ROUNDING);
    if (sign != 2) return sign;
    const vec3 points[4] = {a, b, c, d};
    sign = fixed_volume_sign(points);
    return sign != 2 ? sign : exact_volume_sign(a, points + 1);
}

int check_area_sign(int axis, vec3 a, vec3 b, vec3 c)
{
    int l = (axis + 1) % 3, m = (axis + 2) % 3;
    double al = vec3_get(a, l), am = vec3_get(a, m);
    double p = (vec3_get(b, l) - al) * (vec3_get(c, m) - am);
    double q = (vec3_get(b, m) - am) * (vec3_get(c, l) - al);
    int sign = certain_sign(p - q, fabs(p) + fabs(q));
    if (sign != 2) return sign;
    double ul0 = vec3_get(b, l) - al, um0 = vec3_get(b, m) - am;
    double vl0 = vec3_get(c, l) - al, vm0 = vec3_get(c, m) - am;
    if ((ul0 == 0 && vl0 == 0) || (um0 == 0 && vm0 == 0)) return 0; /* along an axis */
    const vec3 points[3] = {a, b, c};
    sign = fixed_area_sign(l, m, points);
    if (sign != 2) return sign;
    exact ul = difference(vec3_get(b, l), al), um = difference(vec3_get(b, m), am);
    exact vl = difference(vec3_get(c, l), al), vm = difference(vec3_get(c, m), am);
    return minor_of(&ul, &vm, &um, &vl).sign;
}

int check_motion_sign(vec3 n, const vec3 a[2], const vec3 b[2], double t)
{
    const double part[2] = {1 - t, t};
    double value = 0, magnitude = 0;
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 2; s++) {
            double add = vec3_get(n, k) * (part[s] * (vec3_get(a[s], k) - vec3_get(b[s], k)));
            value += add;
            magnitude += fabs(add);
        }
    int sign = certain_sign(value, magnitude);
    if (sign != 2) return sign;
    exact total = {.count = 0};
    for (int k = 0; k < 3; k++)
        for (int s = 0; s < 2; s++) {
            exact d = difference(vec3_get(a[s], k), vec3_get(b[s], k));
            exact weight = from_double(part[s]), along = from_double(vec3_get(n, k));
            exact first = product(&d, &weight), second = product(&first, &along);
            total = sum(&total, &second);
        }
    return total.sign;
}

/* ---- Intersections ----
 *
 * Sets that lie in one plane are looked at along the three axes. Seen along an axis that is not
 * parallel to the plane they meet exactly when they do in space; along the others they may seem to
 * meet, never seem to be apart when they are not. So they meet when they do in all three views. */

static bool opposite(int a, int b) { return a * b < 0; }

static bool all_on_one_side(int a, int b, int c)
{
    return !opposite(a, b) && !opposite(b, c) && !opposite(c, a);
}

static bool ranges_meet(const vec3 a[2], const vec3 b[2], int axis)
{
    double a0 = vec3_get(a[0], axis), a1 = vec3_get(a[1], axis);
    double b0 = vec3_get(b[0], axis), b1 = vec3_get(b[1], axis);
    return fmax(a0, a1) >= fmin(b0, b1) && fmax(b0, b1) >= fmin(a0, a1);
}

static bool segments_meet_along(int axis, const vec3 a[2], const vec3 b[2])
{
    int s = check_area_sign(axis, a[0], a[1], b[0]), t = check_area_sign(axis, a[0], a[1], b[1]);
    int u = check_area_sign(axis, b[0], b[1], a[0]), v = check_area_sign(axis, b[0], b[1], a[1]);
    if (s * t > 0 || u * v > 0) return false;
    if (s || t || u || v) return true;
    return ranges_meet(a, b, (axis + 1) % 3) && ranges_meet(a, b, (axis + 2) % 3);
}

static bool point_in_triangle_along(int axis, vec3 p, const vec3 t[3])
{
    return all_on_one_side(check_area_sign(axis, t[0], t[1], p),
                           check_area_sign(axis, t[1], t[2], p),
                           check_area_sign(axis, t[2], t[0], p));
}

static bool segment_meets_triangle_along(int axis, const vec3 s[2], const vec3 t[3])
{
    if (point_in_triangle_along(axis, s[0], t) || point_in_triangle_along(axis, s[1], t))
        return true;
    for (int k = 0; k < 3; k++) {
        const vec3 edge[2] = {t[k], t[(k + 1) % 3]};
        if (segments_meet_along(axis, s, edge)) return true;
    }
    return false;
}

static bool is_flat(const vec3 t[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (check_area_sign(axis, t[0], t[1], t[2]) != 0) return false;
    return true;
}

bool check_point_on_segment(vec3 p, vec3 a, vec3 b)
{
    const vec3 point[2] = {p, p}, segment[2] = {a, b};
    return check_segments_meet(point, segment);
}

bool check_segments_meet(const vec3 a[2], const vec3 b[2])
{
    if (check_volume_sign(a[0], a[1], b[0], b[1]) != 0) return false;
    for (int axis = 0; axis < 3; axis++)
        if (!segments_meet_along(axis, a, b)) return false;
    return true;
}

bool check_point_on_triangle(vec3 p, const vec3 t[3])
{
    const vec3 point[2] = {p, p};
    return check_segment_meets_triangle(point, t);
}

bool check_segment_meets_triangle(const vec3 s[2], const vec3 t[3])
{
    int first = check_volume_sign(t[0], t[1], t[2], s[0]);
    int second = check_volume_sign(t[0], t[1], t[2], s[1]);
    if (first * second > 0) return false;
    if (first != 0 || second != 0)
        return all_on_one_side(check_volume_sign(s[0], s[1], t[0], t[1]),
                               check_volume_sign(s[0], s[1], t[1], t[2]),
                               check_volume_sign(s[0], s[1], t[2], t[0]));
    bool flat = is_flat(t);
    for (int k = 0; k < 3 && flat; k++) {
        const vec3 edge[2] = {t[k], t[(k + 1) % 3]};
        if (check_segments_meet(s, edge)) return true;
    }
    for (int axis = 0; axis < 3 && !flat; axis++)
        if (!segment_meets_triangle_along(axis, s, t)) return false;
    return !flat;
}

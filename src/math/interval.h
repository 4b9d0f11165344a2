/* Interval arithmetic with outward rounding: every operation contains all values that exact
 * arithmetic gives for operands within the operands. For oracles, and for the published root
 * finders that the curved collision detection is compared with; nothing fast depends on it. */
#ifndef MATH_INTERVAL_H
#define MATH_INTERVAL_H

#include "math/vec3.h"

typedef struct interval {
    double low, high;
} interval;

typedef struct interval3 {
    interval x, y, z;
} interval3;

/* One operation is off by at most half a unit in the last place; two units and the smallest normal
 * number are plenty. */
static inline double interval_down(double x) { return x - (fabs(x) * 0x1p-51 + 0x1p-1021); }
static inline double interval_up(double x) { return x + (fabs(x) * 0x1p-51 + 0x1p-1021); }

static inline interval interval_point(double x) { return (interval){x, x}; }
static inline interval interval_make(double low, double high) { return (interval){low, high}; }
static inline double interval_middle(interval a) { return 0.5 * a.low + 0.5 * a.high; }
static inline double interval_width(interval a) { return a.high - a.low; }
static inline bool interval_contains(interval a, double x) { return a.low <= x && x <= a.high; }
static inline interval interval_hull(interval a, interval b)
{
    return (interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static inline interval interval_add(interval a, interval b)
{
    return (interval){interval_down(a.low + b.low), interval_up(a.high + b.high)};
}
static inline interval interval_sub(interval a, interval b)
{
    return (interval){interval_down(a.low - b.high), interval_up(a.high - b.low)};
}
static inline interval interval_mul(interval a, interval b)
{
    double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
    double low = fmin(fmin(p, q), fmin(r, s)), high = fmax(fmax(p, q), fmax(r, s));
    return (interval){interval_down(low), interval_up(high)};
}
static inline interval interval_scale(double s, interval a)
{
    return interval_mul(interval_point(s), a);
}
/* a^2, which unlike a * a is never negative. */
static inline interval interval_square(interval a)
{
    double p = a.low * a.low, q = a.high * a.high;
    double low = interval_contains(a, 0.0) ? 0.0 : interval_down(fmin(p, q));
    return (interval){low > 0.0 ? low : 0.0, interval_up(fmax(p, q))};
}
static inline interval interval_sqrt(interval a)
{
    double low = a.low > 0.0 ? interval_down(sqrt(a.low)) : 0.0;
    return (interval){low > 0.0 ? low : 0.0, interval_up(sqrt(a.high > 0.0 ? a.high : 0.0))};
}

/* cos on any interval: ends, and the extremes k pi inside (found with slack). */
static inline interval interval_cos(interval a)
{
    const double pi = 3.14159265358979323846;
    if (!(a.high - a.low < 2.0 * pi)) return (interval){-1.0, 1.0};
    double p = cos(a.low), q = cos(a.high), low = fmin(p, q) - 0x1p-50, high = fmax(p, q) + 0x1p-50;
    double slack = 1e-12 * (1.0 + fabs(a.low) + fabs(a.high));
    for (double k = ceil((a.low - slack) / pi); k <= floor((a.high + slack) / pi); k++) {
        if (fmod(k, 2.0) == 0.0)
            high = 1.0;
        else
            low = -1.0;
    }
    return (interval){low > -1.0 ? low : -1.0, high < 1.0 ? high : 1.0};
}
static inline interval interval_sin(interval a)
{
    const interval quarter = {1.57079632679489655799, 1.57079632679489678004};
    return interval_cos(interval_sub(a, quarter));
}

/* sin x / x for 0 <= x. It falls up to its first minimum at 4.4934...; beyond, plain division. */
static inline interval interval_sinc(interval a)
{
    const double first_minimum = 4.4934094579;
    interval result = {INFINITY, -INFINITY};
    double low = a.low > 0.0 ? a.low : 0.0;
    if (low < first_minimum) {
        double high = a.high < first_minimum ? a.high : first_minimum;
        double at_low = low > 1e-4 ? sin(low) / low : 1.0 - low * low / 6.0;
        double at_high = high > 1e-4 ? sin(high) / high : 1.0 - high * high / 6.0;
        result = (interval){at_high - 0x1p-49, fmin(1.0, at_low + 0x1p-49)};
        low = first_minimum;
    }
    if (a.high > first_minimum) {
        interval part = {low, a.high};
        interval reciprocal = {interval_down(1.0 / a.high), interval_up(1.0 / low)};
        part = interval_mul(interval_sin(part), reciprocal);
        result = result.high < result.low ? part : interval_hull(result, part);
    }
    return result;
}

static inline interval3 interval3_point(vec3 a)
{
    return (interval3){interval_point(a.x), interval_point(a.y), interval_point(a.z)};
}
static inline interval3 interval3_add(interval3 a, interval3 b)
{
    return (interval3){interval_add(a.x, b.x), interval_add(a.y, b.y), interval_add(a.z, b.z)};
}
static inline interval3 interval3_sub(interval3 a, interval3 b)
{
    return (interval3){interval_sub(a.x, b.x), interval_sub(a.y, b.y), interval_sub(a.z, b.z)};
}
static inline interval3 interval3_scale(interval s, interval3 a)
{
    return (interval3){interval_mul(s, a.x), interval_mul(s, a.y), interval_mul(s, a.z)};
}
static inline interval3 interval3_cross(interval3 a, interval3 b)
{
    return (interval3){interval_sub(interval_mul(a.y, b.z), interval_mul(a.z, b.y)),
                       interval_sub(interval_mul(a.z, b.x), interval_mul(a.x, b.z)),
                       interval_sub(interval_mul(a.x, b.y), interval_mul(a.y, b.x))};
}
static inline interval interval3_dot(interval3 a, interval3 b)
{
    return interval_add(interval_add(interval_mul(a.x, b.x), interval_mul(a.y, b.y)),
                        interval_mul(a.z, b.z));
}

/* R(theta) v for rotation vectors within theta: v + sinc theta x v + ... (Rodrigues). */
static inline interval3 interval3_rotate(interval3 theta, interval3 v)
{
    interval square = interval_add(interval_add(interval_square(theta.x), interval_square(theta.y)),
                                   interval_square(theta.z));
    interval angle = interval_sqrt(square);
    interval a = interval_sinc(angle);
    interval b = interval_scale(0.5, interval_square(interval_sinc(interval_scale(0.5, angle))));
    interval3 once = interval3_cross(theta, v), twice = interval3_cross(theta, once);
    return interval3_add(v, interval3_add(interval3_scale(a, once), interval3_scale(b, twice)));
}

#endif

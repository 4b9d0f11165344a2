#include "math/polynomial.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { MAX_STEPS = 200 };

/* Lower bound of c0 + c1 t + c2 t^2 + c3 t^3 for t >= 0. Horner's rule makes an error of at most 3
 * ulps of the sum of the magnitudes of the terms; 8 leave room for what else is inexact (arguments
 * of extrema). */
static inline double lower_bound(const double c[4], double t)
{
    double value = c[0] + t * (c[1] + t * (c[2] + t * c[3]));
    double size = fabs(c[0]) + t * (fabs(c[1]) + t * (fabs(c[2]) + t * fabs(c[3])));
    return value - 8.0 * DBL_EPSILON * size;
}

/* Extrema in (0, 1), ascending; returns how many. The coefficients are at most 1 in magnitude. */
static int extrema(const double c[4], double out[2])
{
    double discriminant = c[2] * c[2] - 3.0 * c[3] * c[1];
    if (!(discriminant > 0.0)) return 0;
    double q = -(c[2] + copysign(sqrt(discriminant), c[2]));
    double candidates[2] = {c[1] / q, q / (3.0 * c[3])};
    int count = 0;
    for (int k = 0; k < 2; k++)
        if (candidates[k] > 0.0 && candidates[k] < 1.0) out[count++] = candidates[k];
    if (count == 2 && out[0] > out[1]) {
        double t = out[0];
        out[0] = out[1];
        out[1] = t;
    }
    return count;
}

/* The lower bound is positive at low and not at high. Regula falsi (Illinois variant) with
 * bisection when it is slow; returns the safe end. */
static double refine(const double c[4], double low, double high)
{
    double at_low = lower_bound(c, low), at_high = lower_bound(c, high);
    double width = high - low;
    int side = 0;
    for (int step = 0; step < MAX_STEPS && high - low > 4.0 * DBL_EPSILON * high; step++) {
        double t = low + (high - low) * (at_low / (at_low - at_high));
        if (step % 3 == 2) {
            if (high - low > 0.5 * width) t = 0.5 * (low + high);
            width = high - low;
        }
        if (!(t > low && t < high)) t = 0.5 * (low + high);
        if (!(t > low && t < high)) break;
        double value = lower_bound(c, t);
        if (value > 0.0) {
            low = t;
            at_low = value;
            if (side == 1) at_high *= 0.5;
            side = 1;
        } else {
            high = t;
            at_high = value;
            if (side == -1) at_low *= 0.5;
            side = -1;
        }
    }
    return low;
}

double cubic_first_root(const double coefficients[4])
{
    double largest = 0.0, check = 0.0, c[4];
    for (int k = 0; k < 4; k++) {
        largest = fmax(largest, fabs(coefficients[k]));
        check += coefficients[k] * 0.0;
    }
    if (check != 0.0 || coefficients[0] == 0.0) return 0.0;
    /* Scaled exactly to size 1 and to start positive. */
    int exponent = -ilogb(largest);
    double scale = scalbn(coefficients[0] > 0.0 ? 1.0 : -1.0, exponent > 1000 ? 1000 : exponent);
    for (int k = 0; k < 4; k++) c[k] = scale * coefficients[k];
    double falls = fmin(c[1], 0.0) + fmin(c[2], 0.0) + fmin(c[3], 0.0);
    if (c[0] + falls > 64.0 * DBL_EPSILON) return INFINITY;
    if (c[0] < 0x1p-960) return 0.0; /* below this the error bound could underflow */
    /* Between extrema p is monotone: positive at both ends is positive everywhere. */
    double ends[3], low = 0.0;
    int count = extrema(c, ends);
    ends[count] = 1.0;
    for (int k = 0; k <= count; k++) {
        if (!(lower_bound(c, ends[k]) > 0.0)) return refine(c, low, ends[k]);
        low = ends[k];
    }
    return INFINITY;
}

double quadratic_first_root(const double c[3])
{
    const double cubic[4] = {c[0], c[1], c[2], 0.0};
    return cubic_first_root(cubic);
}

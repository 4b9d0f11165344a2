/* Functions of four doubles at a time (math/pack4.h), for kernels that treat four equal things side
 * by side. */
#ifndef MATH_PACK4_MATH_H
#define MATH_PACK4_MATH_H

#include "math/pack4.h"

#include <math.h>

/* Comparisons of packs give all ones or all zeros per lane. */
typedef long long pack4_mask __attribute__((vector_size(32)));
typedef unsigned long long pack4_unsigned __attribute__((vector_size(32)));

static inline pack4 pack4_all(double x) { return (pack4){x, x, x, x}; }

static inline pack4 pack4_root(pack4 x)
{
    return (pack4){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}

static inline pack4 pack4_select(pack4_mask yes, pack4 a, pack4 b)
{
    return (pack4)((yes & (pack4_mask)a) | (~yes & (pack4_mask)b));
}

static inline pack4 pack4_max(pack4 a, pack4 b) { return pack4_select(a > b, a, b); }
static inline pack4 pack4_min(pack4 a, pack4 b) { return pack4_select(a < b, a, b); }

/* A bit per lane. */
static inline int pack4_bits(pack4_mask m)
{
    return (int)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}

/* Four packs as a 4x4 matrix, transposed in place. */
static inline void pack4_transpose(pack4 *a, pack4 *b, pack4 *c, pack4 *d)
{
    pack4 low = __builtin_shufflevector(*a, *b, 0, 4, 2, 6);
    pack4 high = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    pack4 low2 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6);
    pack4 high2 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(low, low2, 0, 1, 4, 5);
    *b = __builtin_shufflevector(high, high2, 0, 1, 4, 5);
    *c = __builtin_shufflevector(low, low2, 2, 3, 6, 7);
    *d = __builtin_shufflevector(high, high2, 2, 3, 6, 7);
}

/* ln(y + rest) for normal y > 0 and |rest| below the spacing of y, to about one unit in the last
 * place; other lanes come out as any number. With y = 2^n (1 + f), f between sqrt(1/2) - 1 and
 * sqrt(2) - 1, and s = f/(2 + f): ln(1 + f) = 2 atanh s = f - f^2/2 + s (f^2/2 + R),  R = 2 (s^2/3
 * + s^4/5 + ...), where the small last part is the only one that is rounded much. */
static inline pack4 pack4_log(pack4 y, pack4 rest)
{
    static const double tail[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                                  2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    /* The high part has zeros at its end, so that its product with an exponent is exact. */
    const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    const unsigned long long root_half = 0x3fe6a09e667f3bcd, mantissa = 0x000fffffffffffff;
    pack4_unsigned bits = (pack4_unsigned)y - root_half;
    pack4_mask exponent = (pack4_mask)bits >> 52;
    pack4 f = (pack4)((bits & mantissa) + root_half) - 1.0;
    /* Integers of up to 51 bits become doubles through the mantissa of 1.5 x 2^52. */
    const pack4 shift = pack4_all(0x1.8p52);
    pack4 n = (pack4)(exponent + (pack4_mask)shift) - shift;
    pack4 s = f / (2.0 + f), z = s * s, half = 0.5 * f * f, r = pack4_all(tail[9]);
    for (int k = 8; k >= 0; k--) r = r * z + tail[k];
    pack4 small = s * (half + z * r) + (n * ln2_low + rest / y);
    return n * ln2_high + (f - (half - small));
}

#endif

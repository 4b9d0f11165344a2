/* Eight axis-aligned boxes side by side, and the test of one box against eight at once.
 *
 * The boxes hold floats, yet no pair is ever lost. A coordinate x is stored as g(x), where g is
 * subtraction of an origin, scaling, clamping and rounding to float: each of these is monotone, so
 *     a <= b  implies  g(a) <= g(b),   and   g(a) < g(b)  implies  a < b.
 * Two boxes that overlap (low <= high' on all axes, in both directions) therefore overlap after g
 * as well, and boxes that overlap strictly after g overlap indeed. Only where g(a) = g(b) must the
 * doubles be asked. No outward rounding is needed, and g may be any such map: its choice affects
 * speed, never the answer. */
#ifndef BROAD_BOX8_H
#define BROAD_BOX8_H

#include <stdint.h>

#ifdef __AVX__
#include <immintrin.h>
#endif

enum { BOX8_WIDTH = 8 };

typedef struct box8 {
    _Alignas(64) float low[3][BOX8_WIDTH];
    float high[3][BOX8_WIDTH];
} box8;

/* Bounds along the six directions x+y, x-y, x+z, x-z, y+z, y-z: together with the boxes they cut
 * off the corners that slanted edges and triangles leave empty. */
enum { DIAGONAL_COUNT = 6 };

typedef struct diagonals8 {
    _Alignas(64) float low[DIAGONAL_COUNT][BOX8_WIDTH];
    float high[DIAGONAL_COUNT][BOX8_WIDTH];
} diagonals8;

/* Stored bounds lie within +-BOX8_LIMIT, so that an empty lane (below) overlaps nothing. */
#define BOX8_LIMIT 3e38f

/* Makes a lane that overlaps no box. */
static inline void box8_clear_lane(box8 *b, int lane)
{
    for (int d = 0; d < 3; d++) {
        b->low[d][lane] = __builtin_inff();
        b->high[d][lane] = -__builtin_inff();
    }
}

/* Bit k of the result is set when lane `lane` of q and lane k of p overlap; touching counts. Bit k
 * of *strict is set when they do more than touch.
 *
 * The largest of the six gaps is positive for boxes apart, zero for touching boxes and negative for
 * overlapping ones. A difference of floats has the right sign, or is zero where tiny numbers are
 * flushed, which counts as touching. */
static inline unsigned meet_along(const float (*q_low)[BOX8_WIDTH],
                                  const float (*q_high)[BOX8_WIDTH], int lane,
                                  const float (*p_low)[BOX8_WIDTH],
                                  const float (*p_high)[BOX8_WIDTH], int directions,
                                  unsigned *strict)
{
#ifdef __AVX__
    __m256 gap = _mm256_set1_ps(-__builtin_inff());
    for (int d = 0; d < directions; d++) {
        __m256 below =
            _mm256_sub_ps(_mm256_broadcast_ss(&q_low[d][lane]), _mm256_load_ps(p_high[d]));
        __m256 above =
            _mm256_sub_ps(_mm256_load_ps(p_low[d]), _mm256_broadcast_ss(&q_high[d][lane]));
        gap = _mm256_max_ps(gap, _mm256_max_ps(below, above));
    }
    *strict = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(gap, _mm256_setzero_ps(), _CMP_LT_OQ));
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(gap, _mm256_setzero_ps(), _CMP_LE_OQ));
#else
    unsigned touching = 0, overlapping = 0;
    for (int k = 0; k < BOX8_WIDTH; k++) {
        int touch = 1, overlap = 1;
        for (int d = 0; d < directions; d++) {
            touch &= (q_low[d][lane] <= p_high[d][k]) & (q_high[d][lane] >= p_low[d][k]);
            overlap &= (q_low[d][lane] < p_high[d][k]) & (q_high[d][lane] > p_low[d][k]);
        }
        touching |= (unsigned)touch << k;
        overlapping |= (unsigned)overlap << k;
    }
    *strict = overlapping;
    return touching;
#endif
}

static inline unsigned box8_meet(const box8 *q, int lane, const box8 *p, unsigned *strict)
{
    return meet_along(q->low, q->high, lane, p->low, p->high, 3, strict);
}

static inline unsigned diagonals8_meet(const diagonals8 *q, int lane, const diagonals8 *p,
                                       unsigned *strict)
{
    return meet_along(q->low, q->high, lane, p->low, p->high, DIAGONAL_COUNT, strict);
}

/* Only the result of box8_meet, a little faster. */
static inline unsigned box8_overlap(const box8 *q, int lane, const box8 *p)
{
#ifdef __AVX__
    __m256 hit = _mm256_cmp_ps(_mm256_broadcast_ss(&q->low[0][lane]), _mm256_load_ps(p->high[0]),
                               _CMP_LE_OQ);
    for (int d = 1; d < 3; d++)
        hit = _mm256_and_ps(hit, _mm256_cmp_ps(_mm256_broadcast_ss(&q->low[d][lane]),
                                               _mm256_load_ps(p->high[d]), _CMP_LE_OQ));
    for (int d = 0; d < 3; d++)
        hit = _mm256_and_ps(hit, _mm256_cmp_ps(_mm256_broadcast_ss(&q->high[d][lane]),
                                               _mm256_load_ps(p->low[d]), _CMP_GE_OQ));
    return (unsigned)_mm256_movemask_ps(hit);
#else
    unsigned strict;
    return box8_meet(q, lane, p, &strict);
#endif
}

/* Bit k is set when values[k] == value. */
static inline unsigned int8_equal(const int32_t *values, int32_t value)
{
#ifdef __AVX2__
    __m256i same = _mm256_cmpeq_epi32(_mm256_load_si256((const __m256i *)(const void *)values),
                                      _mm256_set1_epi32(value));
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same));
#else
    unsigned mask = 0;
    for (int k = 0; k < BOX8_WIDTH; k++) mask |= (unsigned)(values[k] == value) << k;
    return mask;
#endif
}

#endif

/* Eight axis-aligned boxes side by side, and the test of one box against eight at once.
 *
 * The boxes hold floats, yet no pair is ever lost. A coordinate x is stored as g(x), where g is
 * subtraction of an origin, scaling, clamping and rounding to float: each of these is monotone, so
 *     a <= b  implies  g(a) <= g(b),   and   g(a) < g(b)  implies  a < b.
 * Two boxes that overlap (low <= high' on all axes, both ways) therefore overlap after g as well,
 * and boxes that overlap strictly after g overlap indeed. Only where g(a) = g(b) must the doubles
 * be asked. No outward rounding is needed, and g may be any such map: its choice affects speed,
 * never the answer. */
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

#ifdef __AVX__

/* Bit k is set when lane `lane` of q and lane k of p overlap; touching counts. */
static inline unsigned box8_overlap(const box8 *q, int lane, const box8 *p)
{
    __m256 hit = _mm256_cmp_ps(_mm256_broadcast_ss(&q->low[0][lane]), _mm256_load_ps(p->high[0]),
                               _CMP_LE_OQ);
    for (int d = 1; d < 3; d++)
        hit = _mm256_and_ps(hit, _mm256_cmp_ps(_mm256_broadcast_ss(&q->low[d][lane]),
                                               _mm256_load_ps(p->high[d]), _CMP_LE_OQ));
    for (int d = 0; d < 3; d++)
        hit = _mm256_and_ps(hit, _mm256_cmp_ps(_mm256_broadcast_ss(&q->high[d][lane]),
                                               _mm256_load_ps(p->low[d]), _CMP_GE_OQ));
    return (unsigned)_mm256_movemask_ps(hit);
}

/* The same for strict overlap: touching does not count. */
static inline unsigned box8_overlap_strictly(const box8 *q, int lane, const box8 *p)
{
    __m256 hit = _mm256_cmp_ps(_mm256_broadcast_ss(&q->low[0][lane]), _mm256_load_ps(p->high[0]),
                               _CMP_LT_OQ);
    for (int d = 1; d < 3; d++)
        hit = _mm256_and_ps(hit, _mm256_cmp_ps(_mm256_broadcast_ss(&q->low[d][lane]),
                                               _mm256_load_ps(p->high[d]), _CMP_LT_OQ));
    for (int d = 0; d < 3; d++)
        hit = _mm256_and_ps(hit, _mm256_cmp_ps(_mm256_broadcast_ss(&q->high[d][lane]),
                                               _mm256_load_ps(p->low[d]), _CMP_GT_OQ));
    return (unsigned)_mm256_movemask_ps(hit);
}

#else

static inline unsigned box8_overlap(const box8 *q, int lane, const box8 *p)
{
    unsigned mask = 0;
    for (int k = 0; k < BOX8_WIDTH; k++) {
        int hit = 1;
        for (int d = 0; d < 3; d++)
            hit &= (q->low[d][lane] <= p->high[d][k]) & (q->high[d][lane] >= p->low[d][k]);
        mask |= (unsigned)hit << k;
    }
    return mask;
}

static inline unsigned box8_overlap_strictly(const box8 *q, int lane, const box8 *p)
{
    unsigned mask = 0;
    for (int k = 0; k < BOX8_WIDTH; k++) {
        int hit = 1;
        for (int d = 0; d < 3; d++)
            hit &= (q->low[d][lane] < p->high[d][k]) & (q->high[d][lane] > p->low[d][k]);
        mask |= (unsigned)hit << k;
    }
    return mask;
}

#endif

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

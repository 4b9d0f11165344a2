/* A small reproducible random number generator (SplitMix64) for tests, generators and benchmarks.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

typedef struct random_state {
    uint64_t state;
} random_state;

static inline uint64_t random_u64(random_state *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double random_unit(random_state *r)
{
    return (double)(random_u64(r) >> 11) * 0x1p-53;
}

/* Uniform in [low, high). */
static inline double random_range(random_state *r, double low, double high)
{
    return low + (high - low) * random_unit(r);
}

/* Uniform in 0 .. n-1. */
static inline uint64_t random_below(random_state *r, uint64_t n) { return random_u64(r) % n; }

#endif

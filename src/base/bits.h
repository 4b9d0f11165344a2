/* Sets of small numbers as bits: words of 64 one after the other, as many as the largest number
 * needs. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words for the numbers below count; at least one. */
static inline size_t bits_words(size_t count) { return count > 64 ? (count + 63) / 64 : 1; }

static inline bool bits_have(const uint64_t *set, size_t number)
{
    return set[number / 64] >> number % 64 & 1;
}

static inline void bits_add(uint64_t *set, size_t number)
{
    set[number / 64] |= UINT64_C(1) << number % 64;
}

#endif

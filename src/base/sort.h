/* Sorting of integer keys, in linear time and with a result that does not depend on threads. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Ascending radix sort of n keys. `spare` has room for n keys and is overwritten. */
void sort_u64(uint64_t *keys, uint64_t *spare, size_t n);

/* The same with a value that travels with its key; equal keys keep the order of their values
 * (stable). */
void sort_u64_with_u32(uint64_t *keys, uint32_t *values, uint64_t *spare_keys,
                       uint32_t *spare_values, size_t n);

/* Sorts and drops repeated keys; returns how many are left. */
size_t sort_unique_u64(uint64_t *keys, uint64_t *spare, size_t n);

/* The first of n ascending keys that is not below `key`; n: all are. */
static inline size_t sorted_place_u64(const uint64_t *keys, size_t n, uint64_t key)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same between begin and end of a list. */
static inline int32_t sorted_place_i32(const int32_t *keys, int32_t begin, int32_t end, int32_t key)
{
    while (begin < end) {
        int32_t middle = begin + (end - begin) / 2;
        if (keys[middle] < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Ascending order for qsort. */
int compare_int32(const void *a, const void *b);
int compare_uint64(const void *a, const void *b);
int compare_double(const void *a, const void *b);

#endif

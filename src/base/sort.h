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

/* Ascending order for qsort. */
int compare_int32(const void *a, const void *b);
int compare_uint64(const void *a, const void *b);
int compare_double(const void *a, const void *b);

#endif

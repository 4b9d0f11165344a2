#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

enum { DIGITS = 8, DIGIT_VALUES = 256 };

static void insertion_sort(uint64_t *keys, uint32_t *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        uint32_t value = values ? values[i] : 0;
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
            if (values) values[j] = values[j - 1];
        }
        keys[j] = key;
        if (values) values[j] = value;
    }
}

/* Least significant digit first. A digit that is the same in all keys needs no pass. */
static void radix_sort(uint64_t *keys, uint32_t *values, uint64_t *spare_keys,
                       uint32_t *spare_values, size_t n)
{
    size_t counts[DIGITS][DIGIT_VALUES];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++) counts[d][keys[i] >> (8 * d) & 255]++;
    uint64_t *from = keys, *to = spare_keys;
    uint32_t *from_values = values, *to_values = spare_values;
    for (int d = 0; d < DIGITS; d++) {
        if (counts[d][from[0] >> (8 * d) & 255] == n) continue;
        size_t next[DIGIT_VALUES], sum = 0;
        for (int v = 0; v < DIGIT_VALUES; v++) {
            next[v] = sum;
            sum += counts[d][v];
        }
        for (size_t i = 0; i < n; i++) {
            size_t index = next[from[i] >> (8 * d) & 255]++;
            to[index] = from[i];
            if (values) to_values[index] = from_values[i];
        }
        uint64_t *keys_swap = from;
        from = to;
        to = keys_swap;
        uint32_t *values_swap = from_values;
        from_values = to_values;
        to_values = values_swap;
    }
    if (from == keys) return;
    memcpy(keys, from, n * sizeof *keys);
    if (values) memcpy(values, from_values, n * sizeof *values);
}

void sort_u64_with_u32(uint64_t *keys, uint32_t *values, uint64_t *spare_keys,
                       uint32_t *spare_values, size_t n)
{
    if (n < 64)
        insertion_sort(keys, values, n);
    else
        radix_sort(keys, values, spare_keys, spare_values, n);
}

void sort_u64(uint64_t *keys, uint64_t *spare, size_t n)
{
    sort_u64_with_u32(keys, NULL, spare, NULL, n);
}

size_t sort_unique_u64(uint64_t *keys, uint64_t *spare, size_t n)
{
    sort_u64(keys, spare, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || keys[i] != keys[kept - 1]) keys[kept++] = keys[i];
    return kept;
}

#define COMPARE(type)                                                                              \
    type x = *(const type *)a, y = *(const type *)b;                                               \
    return (x > y) - (x < y)

int compare_int32(const void *a, const void *b) { COMPARE(int32_t); }
int compare_uint64(const void *a, const void *b) { COMPARE(uint64_t); }
int compare_double(const void *a, const void *b) { COMPARE(double); }

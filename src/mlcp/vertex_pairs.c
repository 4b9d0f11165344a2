#include "mlcp/vertex_pairs.h"

#include <string.h>

/* Never 0, which marks a free slot. */
static uint64_t key_of(int32_t a, int32_t b)
{
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    return (low << 32 | high) + 1;
}

static size_t slot_of(const vertex_pairs *set, uint64_t key)
{
    size_t mask = set->slots.count - 1, at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & mask;
    while (set->slots.data[at] != 0 && set->slots.data[at] != key) at = (at + 1) & mask;
    return at;
}

void vertex_pairs_clear(vertex_pairs *set)
{
    if (set->count > 0) memset(set->slots.data, 0, set->slots.count * sizeof *set->slots.data);
    set->count = 0;
}

bool vertex_pairs_contain(const vertex_pairs *set, int32_t a, int32_t b)
{
    uint64_t key = key_of(a, b);
    return set->count > 0 && set->slots.data[slot_of(set, key)] == key;
}

static bool grow(vertex_pairs *set)
{
    vertex_pairs larger = {0};
    size_t size = set->slots.count > 0 ? 2 * set->slots.count : 256;
    if (!array_resize(&larger.slots, size)) return false;
    memset(larger.slots.data, 0, size * sizeof *larger.slots.data);
    for (size_t i = 0; i < set->slots.count; i++)
        if (set->slots.data[i] != 0)
            larger.slots.data[slot_of(&larger, set->slots.data[i])] = set->slots.data[i];
    larger.count = set->count;
    array_free(&set->slots);
    *set = larger;
    return true;
}

bool vertex_pairs_add(vertex_pairs *set, int32_t a, int32_t b)
{
    if (2 * (set->count + 1) > set->slots.count && !grow(set)) return false;
    uint64_t key = key_of(a, b);
    size_t at = slot_of(set, key);
    if (set->slots.data[at] == key) return true;
    set->slots.data[at] = key;
    set->count++;
    return true;
}

void vertex_pairs_free(vertex_pairs *set)
{
    array_free(&set->slots);
    set->count = 0;
}

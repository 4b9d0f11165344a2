#include "remesh/flag_sets.h"

#include <string.h>

enum { FIRST_SLOTS = 16 }; /* a power of two */

static size_t count_of(const flag_sets *s) { return s->bits.count / s->words; }

static size_t hash_of(const flag_sets *s, const uint64_t *bits)
{
    uint64_t h = 0;
    for (size_t i = 0; i < s->words; i++) {
        h = (h ^ bits[i]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return (size_t)h;
}

/* The slot of a combination, or the free one where it belongs. */
static size_t slot_of(const flag_sets *s, const uint64_t *bits)
{
    size_t mask = s->slots.count - 1, at = hash_of(s, bits) & mask;
    while (s->slots.data[at] >= 0 &&
           memcmp(flag_sets_bits(s, s->slots.data[at]), bits, s->words * sizeof *bits) != 0)
        at = (at + 1) & mask;
    return at;
}

static bool set_slots(flag_sets *s, size_t slots)
{
    if (!array_resize(&s->slots, slots)) return false;
    for (size_t i = 0; i < slots; i++) s->slots.data[i] = -1;
    for (size_t k = 0; k < count_of(s); k++)
        s->slots.data[slot_of(s, flag_sets_bits(s, (flag_set)k))] = (int32_t)k;
    return true;
}

bool flag_sets_init(flag_sets *s, size_t words)
{
    *s = (flag_sets){.words = words};
    bool ok = array_resize(&s->build, words) && array_resize(&s->bits, words);
    if (ok) memset(s->bits.data, 0, words * sizeof *s->bits.data);
    return ok && set_slots(s, FIRST_SLOTS);
}

void flag_sets_free(flag_sets *s)
{
    array_free(&s->bits);
    array_free(&s->slots);
    array_free(&s->build);
}

bool flag_sets_copy(const flag_sets *from, flag_sets *to)
{
    *to = (flag_sets){.words = from->words, .failed = from->failed};
    if (!array_resize(&to->build, from->words) || !array_resize(&to->bits, from->bits.count))
        return false;
    memcpy(to->bits.data, from->bits.data, from->bits.count * sizeof *to->bits.data);
    return set_slots(to, from->slots.count);
}

flag_set flag_sets_add(flag_sets *s, const uint64_t *bits)
{
    size_t slot = slot_of(s, bits), at = s->bits.count, number = count_of(s);
    if (s->slots.data[slot] >= 0) return s->slots.data[slot];
    bool ok = number < INT32_MAX && array_resize(&s->bits, at + s->words);
    if (ok) {
        memcpy(s->bits.data + at, bits, s->words * sizeof *bits);
        s->slots.data[slot] = (int32_t)number;
        ok = 2 * (number + 1) < s->slots.count || set_slots(s, 2 * s->slots.count);
    }
    s->failed = s->failed || !ok;
    return ok ? (flag_set)number : 0;
}

flag_set flag_sets_common(flag_sets *s, flag_set a, flag_set b)
{
    if (a == b || a == 0 || b == 0) return a == b ? a : 0;
    const uint64_t *p = flag_sets_bits(s, a), *q = flag_sets_bits(s, b);
    for (size_t i = 0; i < s->words; i++) s->build.data[i] = p[i] & q[i];
    return flag_sets_add(s, s->build.data);
}

flag_set flag_sets_union(flag_sets *s, flag_set a, flag_set b)
{
    if (a == b || a == 0 || b == 0) return a == 0 ? b : a;
    const uint64_t *p = flag_sets_bits(s, a), *q = flag_sets_bits(s, b);
    for (size_t i = 0; i < s->words; i++) s->build.data[i] = p[i] | q[i];
    return flag_sets_add(s, s->build.data);
}

/* Combinations of flags. A vertex of a local mesh has a flag for each Dirichlet condition, load or
 * selection that it belongs to. There may be any number of flags, but few combinations of them
 * occur. Each is kept once, so that a vertex has one number, and equal numbers mean equal flags. */
#ifndef REMESH_FLAG_SETS_H
#define REMESH_FLAG_SETS_H

#include "base/array.h"
#include "base/bits.h"

typedef int32_t flag_set; /* number of a combination; 0: no flags */

typedef struct flag_sets {
    size_t words;          /* of a combination (base/bits.h) */
    ARRAY(uint64_t) bits;  /* of all combinations */
    ARRAY(int32_t) slots;  /* hash table: number of the combination, -1: free */
    ARRAY(uint64_t) build; /* a combination in the making */
    bool failed;           /* memory has run out; what was found since is not right */
} flag_sets;

/* Of a number of words for each combination. False: memory has run out. */
bool flag_sets_init(flag_sets *s, size_t words);
void flag_sets_free(flag_sets *s);
bool flag_sets_copy(const flag_sets *from, flag_sets *to);

/* The number of a combination, a new one where it has none. After a failure: 0, and `failed`. */
flag_set flag_sets_add(flag_sets *s, const uint64_t *bits);
flag_set flag_sets_common(flag_sets *s, flag_set a, flag_set b);
flag_set flag_sets_union(flag_sets *s, flag_set a, flag_set b);

static inline const uint64_t *flag_sets_bits(const flag_sets *s, flag_set a)
{
    return s->bits.data + (size_t)a * s->words;
}
static inline bool flag_sets_have(const flag_sets *s, flag_set a, size_t flag)
{
    return a != 0 && bits_have(flag_sets_bits(s, a), flag);
}

#endif

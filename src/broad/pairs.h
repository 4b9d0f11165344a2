/* Collecting pairs of primitives from several threads and putting them into one fixed order.
 *
 * Each thread appends to small blocks, one chain of blocks per kind of pair and per range of the
 * first index. Afterwards every range is sorted on its own (counting by first index, then by second
 * index), so the sorted lists depend on the set of pairs alone: not on threads, nor on the order in
 * which a tree was walked. All memory is kept from call to call. */
#ifndef BROAD_PAIRS_H
#define BROAD_PAIRS_H

#include "base/array.h"
#include "base/status.h"

#include <stdatomic.h>

typedef struct index_pair {
    int32_t first, second;
} index_pair;

typedef ARRAY(index_pair) pair_list;

/* Two bodies as one number, whatever their order. */
static inline uint64_t broad_pair(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

enum {
    PAIR_KINDS = 4,
    PAIR_RANGES = 64,
    PAIR_BLOCK = 127,
    PAIR_MAX_BLOCKS = 1 << 24, /* about 2 10^9 pairs; a scene that has more is not simulated */
};

typedef struct pair_block {
    int32_t count;    /* set when collecting has ended */
    int32_t previous; /* block that was filled before in this chain, or -1 */
    index_pair pairs[PAIR_BLOCK];
} pair_block;

typedef struct pair_chain {
    index_pair *next, *end; /* free slots of the block that is being filled */
    pair_block *block;      /* NULL before the first pair */
    int32_t index;          /* its number, or -1 when it is the overflow block */
    int32_t closed;         /* full blocks before it */
} pair_chain;

/* What one thread writes to. */
typedef struct pair_sink {
    pair_chain chains[PAIR_KINDS][PAIR_RANGES];
    pair_block overflow; /* takes the pairs for which there was no block */
} pair_sink;

typedef struct pair_collector {
    ARRAY(pair_block) blocks;
    atomic_size_t used; /* may exceed the number of blocks: then collecting must be repeated */
    ARRAY(pair_sink) sinks;
    int32_t index_count[PAIR_KINDS]; /* first indices are below this */
    int shift[PAIR_KINDS];           /* range = first index >> shift */
    ARRAY(int32_t) cursors[PAIR_KINDS];
    size_t range_begin[PAIR_KINDS][PAIR_RANGES + 1];
} pair_collector;

void pairs_free(pair_collector *c);

/* Starts a collection by at most `threads` threads. */
abut_status pairs_begin(pair_collector *c, const size_t index_count[PAIR_KINDS], int threads,
                        abut_error *err);

/* Takes a fresh block for a full chain. */
void pairs_next_block(pair_collector *c, pair_sink *sink, pair_chain *chain);

static inline void pairs_add(pair_collector *c, pair_sink *sink, int kind, int32_t first,
                             int32_t second)
{
    pair_chain *chain = &sink->chains[kind][first >> c->shift[kind]];
    if (chain->next == chain->end) pairs_next_block(c, sink, chain);
    *chain->next++ = (index_pair){first, second};
}

/* True when there are more pairs than can ever be handled, so that collecting may stop. */
static inline bool pairs_too_many(pair_collector *c)
{
    return atomic_load_explicit(&c->used, memory_order_relaxed) > PAIR_MAX_BLOCKS;
}

/* *repeat tells that pairs were lost for lack of blocks. More have then been allocated, and the
 * same pairs must be collected again. */
abut_status pairs_must_repeat(pair_collector *c, bool *repeat, abut_error *err);

/* Writes the sorted lists. */
abut_status pairs_finish(pair_collector *c, pair_list *const lists[PAIR_KINDS], abut_error *err);

#endif

#include "broad/pairs.h"

#include "base/parallel.h"

#include <string.h>

void pairs_free(pair_collector *c)
{
    array_free(&c->blocks);
    array_free(&c->sinks);
    for (int kind = 0; kind < PAIR_KINDS; kind++) array_free(&c->cursors[kind]);
}

/* ---- collecting ----------------------------------------------------------------------------- */

static void clear_sink(pair_sink *sink)
{
    memset(sink->chains, 0, sizeof sink->chains);
    sink->overflow.count = 0;
}

/* Smallest shift that brings all indices below PAIR_RANGES, with ranges of 64 indices at least. */
static int range_shift(size_t index_count)
{
    int shift = 6;
    while (index_count > 0 && (index_count - 1) >> shift >= PAIR_RANGES) shift++;
    return shift;
}

abut_status pairs_begin(pair_collector *c, const size_t index_count[PAIR_KINDS], int threads,
                        abut_error *err)
{
    if (!array_resize(&c->sinks, (size_t)threads))
        return error_memory(err, "listing candidate pairs");
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        c->index_count[kind] = (int32_t)index_count[kind];
        c->shift[kind] = range_shift(index_count[kind]);
        if (!array_resize(&c->cursors[kind], index_count[kind]))
            return error_memory(err, "listing candidate pairs");
    }
    for (size_t t = 0; t < c->sinks.count; t++) clear_sink(&c->sinks.data[t]);
    atomic_store(&c->used, 0);
    return ABUT_OK;
}

void pairs_next_block(pair_collector *c, pair_sink *sink, pair_chain *chain)
{
    size_t index = atomic_fetch_add_explicit(&c->used, 1, memory_order_relaxed);
    int32_t previous = -1;
    if (chain->block) {
        chain->closed++;
        previous = chain->index;
    }
    chain->index = index < c->blocks.capacity ? (int32_t)index : -1;
    chain->block = chain->index >= 0 ? &c->blocks.data[index] : &sink->overflow;
    chain->block->count = PAIR_BLOCK;
    chain->block->previous = previous;
    chain->next = chain->block->pairs;
    chain->end = chain->next + PAIR_BLOCK;
}

abut_status pairs_must_repeat(pair_collector *c, bool *repeat, abut_error *err)
{
    size_t used = atomic_load(&c->used);
    *repeat = used > c->blocks.capacity;
    if (!*repeat) return ABUT_OK;
    if (pairs_too_many(c)) return error_memory(err, "listing more than 2 10^9 candidate pairs");
    /* The blocks hold nothing worth keeping: free first, so that both need not fit. */
    size_t wanted = used + used / 4;
    array_free(&c->blocks);
    if (!array_reserve(&c->blocks, wanted)) return error_memory(err, "listing candidate pairs");
    for (size_t t = 0; t < c->sinks.count; t++) clear_sink(&c->sinks.data[t]);
    atomic_store(&c->used, 0);
    return ABUT_OK;
}

/* ---- sorting -------------------------------------------------------------------------------- */

static void sift_down(index_pair *p, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && p[child].second < p[child + 1].second) child++;
        if (p[root].second >= p[child].second) return;
        index_pair t = p[root];
        p[root] = p[child];
        p[child] = t;
    }
}

/* Ranks of up to RANK_LIMIT different numbers by comparing all with all: quadratic, but eight at a
 * time and without a branch that depends on the data, so it beats sorting for short runs. */
enum { RANK_LIMIT = 64, MAX_SPLITS = 40 };

typedef int32_t lanes8 __attribute__((vector_size(32)));

static void sort_by_rank(index_pair *p, size_t count)
{
    _Alignas(32) int32_t second[RANK_LIMIT], rank[RANK_LIMIT];
    const int32_t first = p[0].first;
    for (size_t i = 0; i < count; i++) second[i] = p[i].second;
    for (size_t i = 0; i < count; i += 8) {
        lanes8 values, ranks = {0};
        memcpy(&values, second + i, sizeof values);
        for (size_t j = 0; j < count; j++) ranks -= values > second[j]; /* true is -1 */
        memcpy(rank + i, &ranks, sizeof ranks);
    }
    for (size_t i = 0; i < count; i++) p[rank[i]] = (index_pair){first, second[i]};
}

static void sort_by_heap(index_pair *p, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) sift_down(p, i, count);
    for (size_t last = count - 1; last > 0; last--) {
        index_pair t = p[0];
        p[0] = p[last];
        p[last] = t;
        sift_down(p, 0, last);
    }
}

/* Moves the pairs whose second index is below `pivot` to the front; returns how many there are.
 * Every pair is written to both positions it may belong to, so that there is no branch to predict.
 */
static size_t split(index_pair *p, size_t count, int32_t pivot)
{
    size_t low = 0;
    for (size_t i = 0; i < count; i++) {
        index_pair here = p[i];
        p[i] = p[low];
        p[low] = here;
        low += here.second < pivot;
    }
    return low;
}

static int32_t median3(int32_t a, int32_t b, int32_t c)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Sorts pairs with the same first index by the second, in place; the second indices differ. After
 * `splits` splits heaps keep the time in bounds. */
static void sort_by_second(index_pair *p, size_t count, int splits)
{
    if (count <= RANK_LIMIT) {
        if (count > 1) sort_by_rank(p, count);
    } else if (splits == 0) {
        sort_by_heap(p, count);
    } else {
        /* The median of three is neither the least nor the largest: both sides get something. */
        size_t low =
            split(p, count, median3(p[0].second, p[count / 2].second, p[count - 1].second));
        sort_by_second(p, low, splits - 1);
        sort_by_second(p + low, count - low, splits - 1);
    }
}

typedef struct sort_context {
    pair_collector *collector;
    pair_list *const *lists;
} sort_context;

static const pair_block *first_block(const pair_chain *chain) { return chain->block; }

static const pair_block *next_block(const pair_collector *c, const pair_block *block)
{
    return block->previous >= 0 ? &c->blocks.data[block->previous] : NULL;
}

static void count_firsts(const pair_collector *c, int kind, int range, int32_t *cursors)
{
    for (size_t t = 0; t < c->sinks.count; t++)
        for (const pair_block *b = first_block(&c->sinks.data[t].chains[kind][range]); b;
             b = next_block(c, b))
            for (int32_t i = 0; i < b->count; i++) cursors[b->pairs[i].first]++;
}

static void place_pairs(const pair_collector *c, int kind, int range, int32_t *cursors,
                        index_pair *out)
{
    for (size_t t = 0; t < c->sinks.count; t++)
        for (const pair_block *b = first_block(&c->sinks.data[t].chains[kind][range]); b;
             b = next_block(c, b))
            for (int32_t i = 0; i < b->count; i++) out[cursors[b->pairs[i].first]++] = b->pairs[i];
}

static void sort_range(sort_context *s, int kind, int range)
{
    pair_collector *c = s->collector;
    if (c->range_begin[kind][range] == c->range_begin[kind][range + 1]) return;
    index_pair *out = s->lists[kind]->data + c->range_begin[kind][range];
    int32_t *cursors = c->cursors[kind].data;
    int32_t begin = range << c->shift[kind], end = (range + 1) << c->shift[kind];
    if (end > c->index_count[kind]) end = c->index_count[kind];
    memset(cursors + begin, 0, (size_t)(end - begin) * sizeof *cursors);
    count_firsts(c, kind, range, cursors);
    int32_t sum = 0;
    for (int32_t i = begin; i < end; i++) {
        int32_t count = cursors[i];
        cursors[i] = sum;
        sum += count;
    }
    place_pairs(c, kind, range, cursors, out);
    for (int32_t i = begin, from = 0; i < end; from = cursors[i++])
        sort_by_second(out + from, (size_t)(cursors[i] - from), MAX_SPLITS);
}

static void sort_ranges(void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        sort_range(context, (int)(i / PAIR_RANGES), (int)(i % PAIR_RANGES));
}

/* Ends a chain; returns the number of its pairs. */
static size_t close_chain(pair_chain *chain)
{
    if (!chain->block) return 0;
    chain->block->count = (int32_t)(chain->next - chain->block->pairs);
    return (size_t)chain->closed * PAIR_BLOCK + (size_t)chain->block->count;
}

/* Adds up the ranges of one kind; returns the blocks that any division over threads may need. */
static size_t measure_ranges(pair_collector *c, int kind)
{
    size_t sum = 0, blocks = 0;
    for (int range = 0; range < PAIR_RANGES; range++) {
        c->range_begin[kind][range] = sum;
        size_t before = sum;
        for (size_t t = 0; t < c->sinks.count; t++)
            sum += close_chain(&c->sinks.data[t].chains[kind][range]);
        if (sum > before) blocks += (sum - before) / PAIR_BLOCK + c->sinks.count;
    }
    c->range_begin[kind][PAIR_RANGES] = sum;
    return blocks;
}

abut_status pairs_finish(pair_collector *c, pair_list *const lists[PAIR_KINDS], abut_error *err)
{
    size_t blocks = 0, total = 0;
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        blocks += measure_ranges(c, kind);
        total += c->range_begin[kind][PAIR_RANGES];
        if (!array_resize(lists[kind], c->range_begin[kind][PAIR_RANGES]))
            return error_memory(err, "listing candidate pairs");
    }
    sort_context s = {c, lists};
    parallel_for((size_t)PAIR_KINDS * PAIR_RANGES, total < 4096 ? PAIR_KINDS * PAIR_RANGES : 4,
                 sort_ranges, &s);
    /* The same pairs shared out to threads differently must not need more memory. */
    if (blocks > c->blocks.capacity) {
        array_free(&c->blocks);
        if (!array_reserve(&c->blocks, blocks)) return error_memory(err, "listing candidate pairs");
    }
    return ABUT_OK;
}

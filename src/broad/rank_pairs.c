#include "broad/rank_pairs.h"

#include "base/ranks.h"

#include <string.h>

static bool comes_before(index_pair a, index_pair b)
{
    return a.first != b.first ? a.first < b.first : a.second < b.second;
}

/* Merges the sorted runs [begin, middle) and [middle, end). */
static void merge_runs(const index_pair *from, size_t begin, size_t middle, size_t end,
                       index_pair *to)
{
    size_t a = begin, b = middle;
    for (size_t i = begin; i < end; i++) {
        bool left = b == end || (a < middle && comes_before(from[a], from[b]));
        to[i] = left ? from[a++] : from[b++];
    }
}

/* Runs start[0..count] are merged two by two until one is left; true when that is in `from`. */
static bool merge_all(index_pair *from, index_pair *to, size_t *start, size_t count)
{
    bool swapped = false;
    while (count > 1) {
        size_t kept = 0;
        for (size_t r = 0; r < count; r += 2) {
            size_t middle = start[r + 1], end = r + 2 <= count ? start[r + 2] : middle;
            merge_runs(from, start[r], middle, end, to);
            start[kept++] = start[r];
        }
        start[kept] = start[count];
        count = kept;
        index_pair *swap = from;
        from = to;
        to = swap;
        swapped = !swapped;
    }
    return !swapped;
}

abut_status rank_pairs_gather(pair_list *list, pair_list *scratch, abut_error *err)
{
    size_t ranks = (size_t)ranks_count(), own = list->count;
    size_t *start = mem_alloc(ranks + 1, sizeof *start);
    if (!start) return error_memory(err, "gathering candidate pairs");
    ranks_gather_starts(own, start);
    size_t total = start[ranks];
    bool ok = total == 0 || (array_resize(list, total) && array_resize(scratch, total));
    if (ok && total > 0) {
        memmove(list->data + start[ranks_index()], list->data, own * sizeof *list->data);
        ranks_gather(list->data, sizeof *list->data, start);
        if (!merge_all(list->data, scratch->data, start, ranks))
            memcpy(list->data, scratch->data, total * sizeof *list->data);
    }
    mem_free(start);
    return ok ? ABUT_OK : error_memory(err, "gathering candidate pairs");
}

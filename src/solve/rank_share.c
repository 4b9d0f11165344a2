#include "solve/rank_share.h"

#include "base/ranks.h"
#include "base/signals.h"

#include <metis.h>
#include <string.h>

/* Fewer blocks per rank than this are dealt out in order. */
enum { FEW_BLOCKS = 16 };

void rank_share_free(rank_share *s)
{
    array_free(&s->home);
    array_free(&s->owner);
    array_free(&s->work);
    array_free(&s->static_work);
    array_free(&s->first);
    array_free(&s->row);
    array_free(&s->unknown);
    array_free(&s->mask);
    array_free(&s->rows);
    array_free(&s->position);
    row_matrix_free(&s->matrix);
    memset(s, 0, sizeof *s);
}

void stencil_graph_free(stencil_graph *g)
{
    array_free(&g->keys);
    array_free(&g->weight);
}

abut_status stencil_graph_begin(stencil_graph *g, int32_t block_count, abut_error *err)
{
    memset(g, 0, sizeof *g);
    if (!array_resize(&g->weight, (size_t)block_count))
        return error_memory(err, "dividing the scene over ranks");
    for (int32_t i = 0; i < block_count; i++) g->weight.data[i] = 1;
    return ABUT_OK;
}

abut_status stencil_graph_add(stencil_graph *g, const stencil_group *group, abut_error *err)
{
    for (size_t i = 0; i < group->count * (size_t)group->width; i++)
        if (group->blocks[i] >= 0) g->weight.data[group->blocks[i]] += group->width;
    size_t distinct = g->keys.count, width = (size_t)group->width;
    for (size_t at = 0; at < group->count; at += KEY_PIECE) {
        size_t n = group->count - at < KEY_PIECE ? group->count - at : KEY_PIECE;
        TRY(scatter_append_keys(&g->keys, group->width, n, group->blocks + at * width, err));
        TRY(key_list_thin(&g->keys, &distinct, err));
    }
    key_list_unique(&g->keys);
    return ABUT_OK;
}

/* Both directions of every key. */
static void list_neighbours(const key_list *keys, idx_t n, idx_t *start, idx_t *neighbours)
{
    for (size_t k = 0; k < keys->count; k++) {
        start[(keys->data[k] >> 32) + 2]++;
        start[(keys->data[k] & 0xffffffffu) + 2]++;
    }
    for (idx_t j = 0; j < n; j++) start[j + 2] += start[j + 1];
    for (size_t k = 0; k < keys->count; k++) {
        idx_t a = (idx_t)(keys->data[k] >> 32), b = (idx_t)(keys->data[k] & 0xffffffffu);
        neighbours[start[a + 1]++] = b;
        neighbours[start[b + 1]++] = a;
    }
}

abut_status rank_share_divide(stencil_graph *g, int32_t block_count, int32_t *owner,
                              abut_error *err)
{
    idx_t n = block_count, parts = ranks_count(), constraints = 1, cut;
    if (parts == 1 || n < FEW_BLOCKS * parts || g->keys.count == 0) {
        for (int32_t i = 0; i < n; i++) owner[i] = (int32_t)((int64_t)i * parts / n);
        return ABUT_OK;
    }
    idx_t *start = mem_calloc((size_t)n + 2, sizeof *start);
    idx_t *neighbours = mem_alloc(2 * g->keys.count, sizeof *neighbours);
    bool ok = start && neighbours;
    if (ok) {
        list_neighbours(&g->keys, n, start, neighbours);
        idx_t options[METIS_NOPTIONS];
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;
        signal_guard guard;
        signal_guard_begin(&guard);
        ok = METIS_PartGraphKway(&n, &constraints, start, neighbours, g->weight.data, NULL, NULL,
                                 &parts, NULL, NULL, options, &cut, owner) == METIS_OK;
        signal_guard_end(&guard);
    }
    mem_free(start);
    mem_free(neighbours);
    return ok ? ABUT_OK : error_memory(err, "dividing the scene over ranks");
}

void rank_share_add_work(const int32_t *owner, const stencil_group *group, double *work)
{
    int width = group->width;
    for (size_t i = 0; i < group->count; i++) {
        const int32_t *item = group->blocks + i * (size_t)width;
        for (int a = 0; a < width; a++) {
            bool seen = item[a] < 0;
            for (int b = 0; b < a && !seen; b++)
                seen = item[b] >= 0 && owner[item[b]] == owner[item[a]];
            if (!seen) work[owner[item[a]]] += width * width;
        }
    }
}

double rank_share_imbalance(const double *work)
{
    double most = 0, sum = 0;
    for (int r = 0; r < ranks_count(); r++) {
        most = work[r] > most ? work[r] : most;
        sum += work[r];
    }
    return sum > 0 ? most * ranks_count() / sum : 1;
}

abut_status rank_share_number(rank_share *s, int32_t free_count, const int32_t *free_block,
                              const uint8_t *mask, abut_error *err)
{
    size_t n = (size_t)free_count, ranks = (size_t)ranks_count();
    if (!array_resize(&s->first, ranks + 1) || !array_resize(&s->row, n) ||
        !array_resize(&s->unknown, n) || !array_resize(&s->mask, 3 * n) ||
        !array_resize(&s->rows, 3 * n))
        return error_memory(err, "numbering the unknowns");
    size_t *first = s->first.data;
    memset(first, 0, (ranks + 1) * sizeof *first);
    for (size_t k = 0; k < n; k++) first[s->owner.data[free_block[k]] + 1]++;
    for (size_t r = 0; r < ranks; r++) first[r + 1] += first[r];
    for (size_t k = 0; k < n; k++) {
        size_t row = first[s->owner.data[free_block[k]]]++;
        s->row.data[k] = (int32_t)row;
        s->unknown.data[row] = (int32_t)k;
        memcpy(s->mask.data + 3 * row, mask + 3 * k, 3);
    }
    for (size_t r = ranks; r > 0; r--) first[r] = first[r - 1];
    first[0] = 0;
    return ABUT_OK;
}

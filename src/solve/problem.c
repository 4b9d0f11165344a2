#include "solve/problem.h"

#include "base/parallel.h"
#include "base/ranks.h"

#include <math.h>
#include <string.h>

/* Elements per task when a chunk's derivatives are computed. */
enum { TASK = 32 };

abut_status problem_init(problem *p, int32_t block_count, stage_timer *timer, abut_error *err)
{
    memset(p, 0, sizeof *p);
    size_t n = (size_t)block_count;
    p->block_count = block_count;
    p->timer = timer;
    p->free_index = mem_alloc(n, sizeof *p->free_index);
    p->free_block = mem_alloc(n, sizeof *p->free_block);
    p->fixed = mem_calloc(3 * n, 1);
    p->mask = mem_calloc(3 * n, 1);
    p->gradient = mem_calloc(3 * n, sizeof *p->gradient);
    if (!p->free_index || !p->free_block || !p->fixed || !p->mask || !p->gradient) {
        problem_free(p);
        return error_memory(err, "setting up the problem");
    }
    for (size_t i = 0; i < n; i++) p->free_index[i] = p->free_block[i] = (int32_t)i;
    p->free_count = block_count;
    return ABUT_OK;
}

void problem_free(problem *p)
{
    low_rank_free(&p->low);
    for (int t = 0; t < p->term_count; t++) {
        for (int g = 0; g < TERM_MAX_GROUPS; g++) {
            scatter_map_free(&p->maps[t][g].gradient);
            scatter_map_free(&p->maps[t][g].matrix);
            array_free(&p->maps[t][g].free_blocks);
            array_free(&p->maps[t][g].items);
        }
        mem_free(p->maps[t]);
    }
    mem_free(p->free_index);
    mem_free(p->free_block);
    mem_free(p->fixed);
    mem_free(p->mask);
    array_free(&p->whole);
    mem_free(p->gradient);
    block_matrix_free(&p->matrix);
    array_free(&p->keys);
    array_free(&p->static_keys);
    array_free(&p->missing);
    array_free(&p->recent);
    array_free(&p->buffer);
    array_free(&p->position);
    array_free(&p->own_blocks);
    if (p->share) rank_share_free(p->share);
    mem_free(p->share);
    memset(p, 0, sizeof *p);
}

abut_status problem_add_term(problem *p, term *t, abut_error *err)
{
    if (p->term_count == PROBLEM_MAX_TERMS)
        return error_set(err, ABUT_ERROR_INTERNAL, "", "more than %d energy terms",
                         PROBLEM_MAX_TERMS);
    for (int k = 0; k < t->group_count; k++)
        if (t->groups[k].width > TERM_MAX_WIDTH)
            return error_set(err, ABUT_ERROR_INTERNAL, "", "a stencil of %d blocks, more than %d",
                             t->groups[k].width, TERM_MAX_WIDTH);
    group_maps *maps = mem_calloc(TERM_MAX_GROUPS, sizeof *maps);
    if (!maps) return error_memory(err, "setting up the problem");
    p->maps[p->term_count] = maps;
    p->terms[p->term_count++] = t;
    t->number = p->term_count;
    p->pattern_complete = false;
    return ABUT_OK;
}

abut_status problem_set_fixed(problem *p, const uint8_t *fixed, abut_error *err)
{
    (void)err;
    size_t n = (size_t)p->block_count;
    if (memcmp(p->fixed, fixed, 3 * n) == 0) return ABUT_OK;
    memcpy(p->fixed, fixed, 3 * n);
    p->free_count = 0;
    p->any_mask = false;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *f = fixed + 3 * i;
        if (f[0] && f[1] && f[2]) {
            p->free_index[i] = -1;
            continue;
        }
        int32_t k = p->free_count++;
        p->free_index[i] = k;
        p->free_block[k] = (int32_t)i;
        memcpy(p->mask + 3 * (size_t)k, f, 3);
        if (f[0] || f[1] || f[2]) p->any_mask = true;
    }
    p->pattern_complete = false;
    p->recent.count = 0;
    return ABUT_OK;
}

static abut_status restrict_terms(problem *p, const uint8_t *fixed, abut_error *err)
{
    for (int t = 0; t < p->term_count; t++)
        if (p->terms[t]->class->restrict_to)
            TRY(p->terms[t]->class->restrict_to(p->terms[t], fixed, err));
    return ABUT_OK;
}

abut_status problem_restrict(problem *p, const uint8_t *chosen, abut_error *err)
{
    size_t n = 3 * (size_t)p->block_count;
    if (!array_resize(&p->whole, 2 * n)) return error_memory(err, "choosing unknowns");
    uint8_t *fixed = p->whole.data + n;
    if (!p->restricted) memcpy(p->whole.data, p->fixed, n);
    memcpy(fixed, p->fixed, n);
    for (size_t k = 0; k < (size_t)p->free_count; k++)
        if (!chosen[k]) memset(fixed + 3 * (size_t)p->free_block[k], 1, 3);
    p->restricted = true;
    TRY(restrict_terms(p, fixed, err));
    return problem_set_fixed(p, fixed, err);
}

abut_status problem_lift_restriction(problem *p, abut_error *err)
{
    if (!p->restricted) return ABUT_OK;
    p->restricted = false;
    TRY(restrict_terms(p, NULL, err));
    return problem_set_fixed(p, p->whole.data, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Pattern and maps                                                                               */

/* True when one of the stencil's unknowns is a row of this rank. */
static bool touches_share(const problem *p, const int32_t *item, int width)
{
    int32_t first = rank_share_first(p->share, ranks_index());
    int32_t end = rank_share_first(p->share, ranks_index() + 1);
    for (int a = 0; a < width; a++) {
        int32_t unknown = item[a] >= 0 ? p->free_index[item[a]] : -1;
        if (unknown >= 0 && p->share->row.data[unknown] >= first &&
            p->share->row.data[unknown] < end)
            return true;
    }
    return false;
}

static bool has_unknown(const problem *p, const int32_t *item, int width)
{
    for (int a = 0; a < width; a++)
        if (item[a] >= 0 && p->free_index[item[a]] >= 0) return true;
    return false;
}

/* Whether only some stencils of each group are computed here. */
static bool is_partial(const problem *p) { return p->share || p->restricted; }

/* Room for n numbers; maps of others are of no use any more. */
static abut_status resize_numbers(group_maps *maps, size_t n, abut_error *err)
{
    if (n != maps->free_blocks.count) maps->mapped = false;
    return array_resize(&maps->free_blocks, n) ? ABUT_OK : error_memory(err, "numbering stencils");
}

static inline void set_number(group_maps *maps, size_t at, int32_t unknown)
{
    if (maps->mapped && maps->free_blocks.data[at] == unknown) return;
    maps->free_blocks.data[at] = unknown;
    maps->mapped = false;
}

static abut_status number_some(problem *p, group_maps *maps, const stencil_group *g,
                               abut_error *err)
{
    size_t width = (size_t)g->width;
    array_clear(&maps->items);
    for (size_t i = 0; i < g->count; i++) {
        const int32_t *item = g->blocks + i * width;
        bool here = p->share ? touches_share(p, item, g->width) : has_unknown(p, item, g->width);
        if (here && !array_push(&maps->items, (int32_t)i))
            return error_memory(err, "numbering stencils");
    }
    maps->count = maps->items.count;
    TRY(resize_numbers(maps, maps->count * width, err));
    for (size_t k = 0; k < maps->count; k++)
        for (size_t a = 0; a < width; a++) {
            int32_t block = g->blocks[(size_t)maps->items.data[k] * width + a];
            int32_t unknown = block >= 0 ? p->free_index[block] : -1;
            if (unknown >= 0 && p->share) unknown = p->share->row.data[unknown];
            set_number(maps, k * width + a, unknown);
        }
    return ABUT_OK;
}

static abut_status number_group(problem *p, group_maps *maps, const stencil_group *g,
                                abut_error *err)
{
    if (is_partial(p)) return number_some(p, maps, g, err);
    size_t n = g->count * (size_t)g->width;
    maps->count = g->count;
    TRY(resize_numbers(maps, n, err));
    for (size_t i = 0; i < n; i++)
        set_number(maps, i, g->blocks[i] >= 0 ? p->free_index[g->blocks[i]] : -1);
    return ABUT_OK;
}

static abut_status append_keys(problem *p, key_list *keys, const stencil_group *g,
                               const group_maps *maps, abut_error *err)
{
    size_t distinct = keys->count;
    for (size_t at = 0; at < maps->count; at += KEY_PIECE) {
        size_t n = maps->count - at < KEY_PIECE ? maps->count - at : KEY_PIECE;
        const int32_t *blocks = maps->free_blocks.data + at * (size_t)g->width;
        if (p->share) {
            int32_t first = rank_share_first(p->share, ranks_index());
            int32_t end = rank_share_first(p->share, ranks_index() + 1);
            TRY(scatter_append_row_keys(keys, g->width, n, blocks, first, end - first, err));
        } else {
            TRY(scatter_append_keys(keys, g->width, n, blocks, err));
        }
        TRY(key_list_thin(keys, &distinct, err));
    }
    return ABUT_OK;
}

/* Gradient entries of other ranks' rows are dropped. */
static abut_status map_divided_gradient(problem *p, group_maps *maps, int width, abut_error *err)
{
    size_t n = maps->count * (size_t)width;
    int32_t first = rank_share_first(p->share, ranks_index());
    int32_t end = rank_share_first(p->share, ranks_index() + 1);
    if (!array_resize(&p->own_blocks, n + 1)) return error_memory(err, "numbering stencils");
    for (size_t i = 0; i < n; i++) {
        int32_t row = maps->free_blocks.data[i];
        p->own_blocks.data[i] = row >= first && row < end ? row : -1;
    }
    return scatter_map_gradient(&maps->gradient, width, maps->count, p->own_blocks.data, err);
}

static abut_status map_divided(problem *p, group_maps *maps, int width, bool with_matrix,
                               abut_error *err)
{
    TRY(map_divided_gradient(p, maps, width, err));
    if (!with_matrix) return ABUT_OK;
    return scatter_map_rows(&maps->matrix, width, maps->count, maps->free_blocks.data,
                            &p->share->matrix, &p->missing, err);
}

/* Contacts are often the same ones as in the assembly before. */
static abut_status map_group(problem *p, group_maps *maps, int width, bool with_matrix,
                             abut_error *err)
{
    const int32_t *blocks = maps->free_blocks.data;
    if (!maps->mapped) {
        TRY(scatter_map_gradient(&maps->gradient, width, maps->count, blocks, err));
        maps->mapped = true;
        maps->mapped_pattern = 0;
    }
    if (!with_matrix || maps->mapped_pattern == p->matrix.pattern_stamp) return ABUT_OK;
    size_t missing = p->missing.count;
    TRY(scatter_map_matrix(&maps->matrix, width, maps->count, blocks, &p->matrix, &p->missing,
                           err));
    maps->mapped_pattern = p->missing.count == missing ? p->matrix.pattern_stamp : 0;
    return ABUT_OK;
}

static bool counts(const evaluation *ev, const term *t) { return !(ev->without & term_bit(t)); }

/* Visits all groups of the static terms, or those of the dynamic terms that count. */
#define FOR_EACH_GROUP(p, ev, t, g, is_dynamic)                                                    \
    for (int t = 0; t < (p)->term_count; t++)                                                      \
        for (int g = 0; g < (p)->terms[t]->group_count; g++)                                       \
            if ((p)->terms[t]->dynamic == (is_dynamic) &&                                          \
                (!(is_dynamic) || counts(ev, (p)->terms[t])))

static abut_status map_groups(problem *p, const evaluation *ev, bool dynamic, bool with_matrix,
                              abut_error *err)
{
    FOR_EACH_GROUP(p, ev, t, g, dynamic)
    {
        const stencil_group *group = &p->terms[t]->groups[g];
        group_maps *maps = &p->maps[t][g];
        if (dynamic) TRY(number_group(p, maps, group, err));
        if (p->share)
            TRY(map_divided(p, maps, group->width, with_matrix, err));
        else
            TRY(map_group(p, maps, group->width, with_matrix, err));
    }
    return ABUT_OK;
}

/* Short lists get room to be sorted in linear time. */
static abut_status make_room_to_sort(key_list *keys, abut_error *err)
{
    enum { SHORT_LIST = 1 << 18 };
    if (keys->count > SHORT_LIST || array_reserve(keys, 2 * keys->count)) return ABUT_OK;
    return error_memory(err, "listing matrix entries");
}

/* Sorted unique keys of all dynamic terms into p->keys. */
static abut_status collect_dynamic_keys(problem *p, const evaluation *ev, abut_error *err)
{
    p->keys.count = 0;
    FOR_EACH_GROUP(p, ev, t, g, true)
    {
        const stencil_group *group = &p->terms[t]->groups[g];
        TRY(number_group(p, &p->maps[t][g], group, err));
        TRY(append_keys(p, &p->keys, group, &p->maps[t][g], err));
    }
    TRY(make_room_to_sort(&p->keys, err));
    key_list_unique(&p->keys);
    return ABUT_OK;
}

/* to <- union of both lists, all sorted and without repetitions. */
static abut_status add_keys(key_list *to, const key_list *from, abut_error *err)
{
    size_t a = to->count, b = from->count, end = a + b, first = end;
    if (b == 0) return ABUT_OK;
    if (!array_reserve(to, end)) return error_memory(err, "building the sparse matrix");
    while (b > 0) { /* from the back, so that nothing is overwritten before it was read */
        uint64_t key = from->data[b - 1];
        if (a > 0 && to->data[a - 1] >= key) {
            if (to->data[a - 1] == key) b--;
            key = to->data[--a];
        } else {
            b--;
        }
        to->data[--first] = key;
    }
    memmove(to->data + a, to->data + first, (end - first) * sizeof *to->data);
    to->count = a + end - first;
    return ABUT_OK;
}

static abut_status set_divided_pattern(problem *p, abut_error *err)
{
    int32_t first = rank_share_first(p->share, ranks_index());
    int32_t end = rank_share_first(p->share, ranks_index() + 1);
    return row_matrix_set_pattern(&p->share->matrix, first, end - first, p->free_count,
                                  p->keys.data, p->keys.count, err);
}

/* New matrix pattern: static keys, current dynamic keys, and the dynamic keys of the last pattern,
 * so that contacts which come and go do not cause an analysis each time. */
static abut_status rebuild_pattern(problem *p, const evaluation *ev, abut_error *err)
{
    if (!p->pattern_complete) {
        p->static_keys.count = 0;
        FOR_EACH_GROUP(p, ev, t, g, false)
        {
            const stencil_group *group = &p->terms[t]->groups[g];
            TRY(number_group(p, &p->maps[t][g], group, err));
            TRY(append_keys(p, &p->static_keys, group, &p->maps[t][g], err));
        }
        TRY(make_room_to_sort(&p->static_keys, err));
        key_list_unique(&p->static_keys);
        TRY(key_list_trim(&p->static_keys, err));
    }
    TRY(collect_dynamic_keys(p, ev, err));
    size_t current = p->keys.count;
    /* The union with the recent set is kept while the pattern is changing quickly. */
    if (p->assemblies_since_pattern < 8) {
        if (p->recent.count > 0) TRY(add_keys(&p->keys, &p->recent, err));
        if (p->keys.count > 2 * current + 64) /* too much of it is stale: start afresh */
            TRY(collect_dynamic_keys(p, ev, err));
    }
    p->recent.count = 0;
    TRY(add_keys(&p->recent, &p->keys, err));
    TRY(add_keys(&p->keys, &p->static_keys, err));
    if (p->share)
        TRY(set_divided_pattern(p, err));
    else
        TRY(block_matrix_set_pattern(&p->matrix, p->free_count, p->keys.data, p->keys.count, err));
    p->missing.count = 0;
    TRY(map_groups(p, ev, false, true, err));
    TRY(map_groups(p, ev, true, true, err));
    p->pattern_complete = true;
    p->assemblies_since_pattern = 0;
    return p->missing.count == 0
               ? ABUT_OK
               : error_set(err, ABUT_ERROR_INTERNAL, "", "the matrix pattern misses its own keys");
}

static bool same_keys(const key_list *a, const key_list *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->data, b->data, a->count * sizeof *a->data) == 0);
}

/* Chooses the owners of the blocks for this step, from its start only: those of the meshes, unless
 * the contacts would make a rank wait for another. */
static abut_status divide_work(problem *p, const evaluation *ev, abut_error *err)
{
    static const double TOLERATED = 1.25;
    rank_share *s = p->share;
    size_t ranks = (size_t)ranks_count(), blocks = (size_t)p->block_count;
    bool first = s->home.count == 0;
    if (!array_resize(&s->home, blocks) || !array_resize(&s->owner, blocks) ||
        !array_resize(&s->work, ranks) || !array_resize(&s->static_work, ranks))
        return error_memory(err, "dividing the scene over ranks");
    stencil_graph graph;
    abut_status status = ABUT_OK;
    if (first) {
        TRY(stencil_graph_begin(&graph, p->block_count, err));
        FOR_EACH_GROUP(p, ev, t, g, false)
        if (status == ABUT_OK) status = stencil_graph_add(&graph, &p->terms[t]->groups[g], err);
        if (status == ABUT_OK)
            status = rank_share_divide(&graph, p->block_count, s->home.data, err);
        stencil_graph_free(&graph);
        TRY(status);
        memset(s->static_work.data, 0, ranks * sizeof *s->static_work.data);
        FOR_EACH_GROUP(p, ev, t, g, false)
        rank_share_add_work(s->home.data, &p->terms[t]->groups[g], s->static_work.data);
    }
    memcpy(s->work.data, s->static_work.data, ranks * sizeof *s->work.data);
    FOR_EACH_GROUP(p, ev, t, g, true)
    rank_share_add_work(s->home.data, &p->terms[t]->groups[g], s->work.data);
    bool changed = first;
    if (rank_share_imbalance(s->work.data) >
        TOLERATED * rank_share_imbalance(s->static_work.data)) {
        TRY(stencil_graph_begin(&graph, p->block_count, err));
        for (int dynamic = 0; dynamic < 2; dynamic++) FOR_EACH_GROUP(p, ev, t, g, dynamic)
        if (status == ABUT_OK) status = stencil_graph_add(&graph, &p->terms[t]->groups[g], err);
        if (status == ABUT_OK)
            status = rank_share_divide(&graph, p->block_count, s->owner.data, err);
        stencil_graph_free(&graph);
        TRY(status);
        changed = true;
    } else if (first || memcmp(s->owner.data, s->home.data, blocks * sizeof *s->home.data) != 0) {
        memcpy(s->owner.data, s->home.data, blocks * sizeof *s->home.data);
        changed = true;
    }
    if (changed) p->pattern_complete = false;
    if (p->pattern_complete) return ABUT_OK;
    p->recent.count = 0;
    return rank_share_number(s, p->free_count, p->free_block, p->mask, err);
}

/* Patterns are made anew by all ranks or none. */
static bool any_rank(const problem *p, bool here) { return p->share ? ranks_any(here) : here; }

static abut_status prepare_maps(problem *p, const evaluation *ev, bool with_matrix, abut_error *err)
{
    bool first = p->new_step;
    p->new_step = false;
    if (p->share && (first || !p->pattern_complete)) TRY(divide_work(p, ev, err));
    if (!p->pattern_complete) return rebuild_pattern(p, ev, err);
    if (first) {
        TRY(collect_dynamic_keys(p, ev, err));
        if (any_rank(p, !same_keys(&p->keys, &p->recent))) {
            p->recent.count = 0;
            return rebuild_pattern(p, ev, err);
        }
    }
    p->missing.count = 0;
    TRY(map_groups(p, ev, true, with_matrix, err));
    if (any_rank(p, p->missing.count > 0)) return rebuild_pattern(p, ev, err);
    p->assemblies_since_pattern = first ? 0 : p->assemblies_since_pattern + 1;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Evaluation                                                                                     */

void problem_begin_step(problem *p) { p->new_step = true; }

abut_status problem_update(problem *p, const evaluation *ev, const double *x, abut_error *err)
{
    stage before = timer_switch(p->timer, STAGE_ACTIVE_SET);
    abut_status status = ABUT_OK;
    for (int t = 0; status == ABUT_OK && t < p->term_count; t++)
        if (counts(ev, p->terms[t]) && p->terms[t]->class->update)
            status = p->terms[t]->class->update(p->terms[t], x, err);
    timer_switch(p->timer, before);
    return status;
}

double problem_value(const problem *p, const evaluation *ev, const double *x)
{
    double sum = 0;
    for (int t = 0; t < p->term_count; t++)
        if (counts(ev, p->terms[t])) sum += p->terms[t]->class->value(p->terms[t], ev, x);
    return sum;
}

typedef struct chunk_work {
    const term *t;
    const evaluation *ev;
    int group;
    const double *x;
    const int32_t *items; /* NULL: all, in order */
    size_t first;
    double *gradient, *hessian;
} chunk_work;

static void evaluate_tasks(void *context, size_t begin, size_t end)
{
    const chunk_work *w = context;
    size_t width = (size_t)w->t->groups[w->group].width, pairs = width * (width + 1) / 2;
    for (size_t i = begin, next; i < end; i = next) {
        double *gradient = w->gradient + i * 3 * width;
        double *hessian = w->hessian ? w->hessian + i * 9 * pairs : NULL;
        size_t item = w->items ? (size_t)w->items[w->first + i] : w->first + i;
        /* Stencils that follow each other are handled together. */
        next = w->items ? i + 1 : end;
        while (next < end && (size_t)w->items[w->first + next] == item + (next - i)) next++;
        w->t->class->derivatives(w->t, w->ev, w->group, w->x, item, item + (next - i), gradient,
                                 hessian);
    }
}

static abut_status add_group(problem *p, const evaluation *ev, int t, int g, const double *x,
                             bool with_matrix, abut_error *err)
{
    const stencil_group *group = &p->terms[t]->groups[g];
    size_t width = (size_t)group->width, pairs = width * (width + 1) / 2;
    group_maps *maps = &p->maps[t][g];
    size_t size = scatter_chunk(group->width), count = maps->count;
    size_t room = count < size ? count : size;
    if (!array_resize(&p->buffer, room * (3 * width + 9 * pairs)))
        return error_memory(err, "assembling");
    double *gradient = p->share ? p->share->rows.data : p->gradient;
    for (size_t first = 0, chunk = 0; first < count; first += size, chunk++) {
        size_t n = count - first < size ? count - first : size;
        const int32_t *items = is_partial(p) ? maps->items.data : NULL;
        chunk_work work = {p->terms[t], ev, g, x, items, first, p->buffer.data, NULL};
        if (with_matrix) work.hessian = p->buffer.data + room * 3 * width;
        parallel_for(n, TASK, evaluate_tasks, &work);
        scatter_add_gradient(&maps->gradient, chunk, work.gradient, gradient);
        if (with_matrix && p->share)
            scatter_add_rows(&maps->matrix, chunk, work.hessian, &p->share->matrix);
        else if (with_matrix)
            scatter_add_matrix(&maps->matrix, chunk, work.hessian, &p->matrix);
    }
    return ABUT_OK;
}

static void clear_gradient(problem *p)
{
    size_t n = 3 * (size_t)p->free_count;
    memset(p->gradient, 0, n * sizeof *p->gradient);
    if (p->share && n) memset(p->share->rows.data, 0, n * sizeof *p->share->rows.data);
}

/* Every rank has computed its rows; all get all. */
static void gather_gradient(problem *p)
{
    rank_share *s = p->share;
    ranks_gather(s->rows.data, 3 * sizeof *s->rows.data, s->first.data);
    for (size_t k = 0; k < (size_t)p->free_count; k++)
        memcpy(p->gradient + 3 * k, s->rows.data + 3 * (size_t)s->row.data[k],
               3 * sizeof *p->gradient);
}

static void mask_gradient(problem *p)
{
    for (size_t i = 0; p->any_mask && i < 3 * (size_t)p->free_count; i++)
        if (p->mask[i]) p->gradient[i] = 0;
}

/* The vectors of terms that couple many blocks with each other. */
static abut_status add_low_rank(problem *p, const evaluation *ev, const double *x, abut_error *err)
{
    p->low.count = 0;
    for (int t = 0; t < p->term_count; t++) {
        const term *of = p->terms[t];
        if (!counts(ev, of) || !of->class->low_rank) continue;
        size_t n = 3 * (size_t)p->free_count;
        if (p->low.count == 0) TRY(low_rank_begin(&p->low, n, 3 * (size_t)p->block_count, err));
        for (int k = 0; p->low.count < LOW_RANK_MOST; k++) {
            if (!of->class->low_rank(of, ev, k, x, p->low.full.data)) break;
            double *u = p->low.u.data + n * (size_t)p->low.count++;
            for (size_t i = 0; i < n; i++) {
                size_t from = 3 * (size_t)p->free_block[i / 3] + i % 3;
                u[i] = p->any_mask && p->mask[i] ? 0 : p->low.full.data[from];
            }
        }
    }
    return ABUT_OK;
}

abut_status problem_derivatives(problem *p, const evaluation *ev, const double *x, bool with_matrix,
                                abut_error *err)
{
    TRY(prepare_maps(p, ev, with_matrix, err));
    clear_gradient(p);
    if (with_matrix && p->share)
        row_matrix_clear(&p->share->matrix);
    else if (with_matrix)
        block_matrix_clear(&p->matrix);
    for (int t = 0; t < p->term_count; t++) {
        if (!counts(ev, p->terms[t])) continue;
        for (int g = 0; g < p->terms[t]->group_count; g++)
            TRY(add_group(p, ev, t, g, x, with_matrix, err));
    }
    if (p->share) gather_gradient(p);
    mask_gradient(p);
    if (p->any_mask && with_matrix && p->share)
        row_matrix_mask(&p->share->matrix, p->share->mask.data);
    else if (p->any_mask && with_matrix)
        block_matrix_mask(&p->matrix, p->mask);
    return with_matrix ? add_low_rank(p, ev, x, err) : ABUT_OK;
}

abut_status problem_term_gradient(problem *p, const term *t, const evaluation *ev, const double *x,
                                  abut_error *err)
{
    TRY(prepare_maps(p, ev, false, err));
    clear_gradient(p);
    for (int k = 0; k < p->term_count; k++)
        for (int g = 0; p->terms[k] == t && g < t->group_count; g++)
            TRY(add_group(p, ev, k, g, x, false, err));
    if (p->share) gather_gradient(p);
    mask_gradient(p);
    return ABUT_OK;
}

abut_status problem_max_step(problem *p, const evaluation *ev, const double *x,
                             const double *direction, double limit, double *alpha, abut_error *err)
{
    *alpha = limit;
    for (int t = 0; t < p->term_count; t++) {
        const term *of = p->terms[t];
        p->bounds[t] = (step_bound){*alpha, -1, of};
        if (!counts(ev, of) || !of->class->max_step) continue;
        TRY(of->class->max_step(of, x, direction, *alpha, &p->bounds[t], p->timer, err));
        p->bounds[t].by = of;
        if (p->bounds[t].alpha < *alpha) *alpha = p->bounds[t].alpha;
    }
    return ABUT_OK;
}

void problem_note_bounds(problem *p, const evaluation *ev, const double *x, const double *direction)
{
    for (int t = 0; t < p->term_count; t++)
        if (counts(ev, p->terms[t]) && p->terms[t]->class->note_bounds)
            p->terms[t]->class->note_bounds(p->terms[t], x, direction, p->bounds, p->term_count);
}

bool problem_adapt(problem *p, const evaluation *ev, const double *x)
{
    bool changed = false;
    for (int t = 0; t < p->term_count; t++)
        if (counts(ev, p->terms[t]) && p->terms[t]->class->adapt &&
            p->terms[t]->class->adapt(p->terms[t], x))
            changed = true;
    return changed;
}

bool problem_accepts(problem *p, const evaluation *ev, const double *x)
{
    for (int t = 0; t < p->term_count; t++)
        if (counts(ev, p->terms[t]) && p->terms[t]->class->accepts &&
            !p->terms[t]->class->accepts(p->terms[t], x))
            return false;
    return true;
}

void problem_expand(const problem *p, const double *free_vector, double *full_vector)
{
    memset(full_vector, 0, 3 * (size_t)p->block_count * sizeof *full_vector);
    for (size_t k = 0; k < (size_t)p->free_count; k++)
        memcpy(full_vector + 3 * (size_t)p->free_block[k], free_vector + 3 * k,
               3 * sizeof *full_vector);
}

abut_status problem_divide(problem *p, abut_error *err)
{
    if (p->share) return ABUT_OK;
    p->share = mem_calloc(1, sizeof *p->share);
    if (!p->share) return error_memory(err, "dividing the scene over ranks");
    p->pattern_complete = false;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Solving                                                                                        */

/* The position of an unknown; what is no point is marked. */
static void set_position(const problem *p, const double *x, size_t unknown, double *out)
{
    size_t block = (size_t)p->free_block[unknown];
    bool point = !p->points || p->points[block];
    for (size_t c = 0; c < 3; c++) out[c] = point ? x[3 * block + c] : INFINITY;
}

static abut_status solve_divided(problem *p, linear_solver *solver, const double *x,
                                 const double *right, double tolerance, double *step,
                                 abut_error *err)
{
    rank_share *s = p->share;
    size_t first = s->first.data[ranks_index()], own = s->first.data[ranks_index() + 1] - first;
    if (!array_resize(&s->position, 3 * own + 1) || !array_resize(&p->buffer, 3 * own + 1))
        return error_memory(err, "solving");
    for (size_t i = 0; i < own; i++) {
        size_t unknown = (size_t)s->unknown.data[first + i];
        set_position(p, x, unknown, s->position.data + 3 * i);
        memcpy(p->buffer.data + 3 * i, right + 3 * unknown, 3 * sizeof *right);
    }
    linear_system system = {.rows = &s->matrix,
                            .b = p->buffer.data,
                            .tolerance = tolerance,
                            .position = s->position.data,
                            .mask = p->any_mask ? s->mask.data + 3 * first : NULL};
    TRY(linear_solve_system(solver, &system, s->rows.data + 3 * first, err));
    ranks_gather(s->rows.data, 3 * sizeof *s->rows.data, s->first.data);
    for (size_t k = 0; k < (size_t)p->free_count; k++)
        memcpy(step + 3 * k, s->rows.data + 3 * (size_t)s->row.data[k], 3 * sizeof *step);
    return ABUT_OK;
}

abut_status problem_solve(problem *p, linear_solver *solver, const double *x, const double *right,
                          double tolerance, double *step, abut_error *err)
{
    if (p->share) return solve_divided(p, solver, x, right, tolerance, step, err);
    size_t n = (size_t)p->free_count;
    if (!array_resize(&p->position, 3 * n + 1)) return error_memory(err, "solving");
    for (size_t k = 0; k < n; k++) set_position(p, x, k, p->position.data + 3 * k);
    linear_system system = {.a = &p->matrix,
                            .b = right,
                            .tolerance = tolerance,
                            .position = p->position.data,
                            .mask = p->any_mask ? p->mask : NULL};
    TRY(linear_solve_system(solver, &system, step, err));
    return p->low.count > 0 ? low_rank_solve(&p->low, solver, &system, step, err) : ABUT_OK;
}

/* Entry c of diagonal block j. */
static double *diagonal_entry(block_matrix *m, int32_t j, size_t c)
{
    return &m->value[block_matrix_offset(m, j, m->column_start[j]) +
                     c * (size_t)block_matrix_stride(m, j) + c];
}

void problem_shift_diagonal(problem *p, double share)
{
    if (p->share) {
        double least = ranks_minimum(row_matrix_least_diagonal(&p->share->matrix));
        row_matrix_shift(&p->share->matrix, share, least);
        return;
    }
    block_matrix *m = &p->matrix;
    double least = INFINITY;
    for (int32_t j = 0; j < m->size; j++)
        for (size_t c = 0; c < 3; c++) {
            double size = fabs(*diagonal_entry(m, j, c));
            if (size > 0) least = fmin(least, size);
        }
    for (int32_t j = 0; j < m->size; j++)
        for (size_t c = 0; c < 3; c++) {
            double *entry = diagonal_entry(m, j, c);
            *entry = shifted_diagonal(*entry, share, least);
        }
}

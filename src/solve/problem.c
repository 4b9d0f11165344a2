#include "solve/problem.h"

#include "base/parallel.h"

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
    for (int t = 0; t < PROBLEM_MAX_TERMS; t++)
        for (int g = 0; g < TERM_MAX_GROUPS; g++) {
            scatter_map_free(&p->maps[t][g].gradient);
            scatter_map_free(&p->maps[t][g].matrix);
            array_free(&p->maps[t][g].free_blocks);
        }
    mem_free(p->free_index);
    mem_free(p->free_block);
    mem_free(p->fixed);
    mem_free(p->mask);
    mem_free(p->gradient);
    block_matrix_free(&p->matrix);
    array_free(&p->keys);
    array_free(&p->static_keys);
    array_free(&p->missing);
    array_free(&p->recent);
    array_free(&p->buffer);
    memset(p, 0, sizeof *p);
}

abut_status problem_add_term(problem *p, term *t, abut_error *err)
{
    if (p->term_count == PROBLEM_MAX_TERMS)
        return error_set(err, ABUT_ERROR_INTERNAL, "", "more than %d energy terms",
                         PROBLEM_MAX_TERMS);
    p->terms[p->term_count++] = t;
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

/* ---------------------------------------------------------------------------------------------- */
/* Pattern and maps                                                                               */

static abut_status number_group(problem *p, group_maps *maps, const stencil_group *g,
                                abut_error *err)
{
    size_t n = g->count * (size_t)g->width;
    if (!array_resize(&maps->free_blocks, n)) return error_memory(err, "numbering stencils");
    for (size_t i = 0; i < n; i++)
        maps->free_blocks.data[i] = g->blocks[i] >= 0 ? p->free_index[g->blocks[i]] : -1;
    return ABUT_OK;
}

/* Visits all groups of the static terms, or those of the enabled dynamic terms. */
#define FOR_EACH_GROUP(p, t, g, is_dynamic)                                                        \
    for (int t = 0; t < (p)->term_count; t++)                                                      \
        for (int g = 0; g < (p)->terms[t]->group_count; g++)                                       \
            if ((p)->terms[t]->dynamic == (is_dynamic) && (!(is_dynamic) || (p)->terms[t]->enabled))

static abut_status map_groups(problem *p, bool dynamic, bool with_matrix, abut_error *err)
{
    FOR_EACH_GROUP(p, t, g, dynamic)
    {
        const stencil_group *group = &p->terms[t]->groups[g];
        group_maps *maps = &p->maps[t][g];
        if (dynamic) TRY(number_group(p, maps, group, err));
        const int32_t *blocks = maps->free_blocks.data;
        TRY(scatter_map_gradient(&maps->gradient, group->width, group->count, blocks, err));
        if (with_matrix)
            TRY(scatter_map_matrix(&maps->matrix, group->width, group->count, blocks, &p->matrix,
                                   &p->missing, err));
    }
    return ABUT_OK;
}

/* Sorted unique keys of all dynamic terms into p->keys. */
static abut_status collect_dynamic_keys(problem *p, abut_error *err)
{
    p->keys.count = 0;
    FOR_EACH_GROUP(p, t, g, true)
    {
        const stencil_group *group = &p->terms[t]->groups[g];
        TRY(number_group(p, &p->maps[t][g], group, err));
        TRY(scatter_append_keys(&p->keys, group->width, group->count,
                                p->maps[t][g].free_blocks.data, err));
    }
    key_list_unique(&p->keys);
    return ABUT_OK;
}

/* to <- union of both lists, sorted. */
static abut_status add_keys(key_list *to, const key_list *from, abut_error *err)
{
    if (from->count == 0) return ABUT_OK;
    if (!array_reserve(to, to->count + from->count))
        return error_memory(err, "building the sparse matrix");
    memcpy(to->data + to->count, from->data, from->count * sizeof *to->data);
    to->count += from->count;
    key_list_unique(to);
    return ABUT_OK;
}

/* New matrix pattern: static keys, current dynamic keys, and the dynamic keys of the last pattern,
 * so that contacts which come and go do not cause an analysis each time. */
static abut_status rebuild_pattern(problem *p, abut_error *err)
{
    if (!p->pattern_complete) {
        p->static_keys.count = 0;
        FOR_EACH_GROUP(p, t, g, false)
        {
            const stencil_group *group = &p->terms[t]->groups[g];
            TRY(number_group(p, &p->maps[t][g], group, err));
            TRY(scatter_append_keys(&p->static_keys, group->width, group->count,
                                    p->maps[t][g].free_blocks.data, err));
        }
        key_list_unique(&p->static_keys);
    }
    TRY(collect_dynamic_keys(p, err));
    size_t current = p->keys.count;
    /* The union with the recent set is kept while the pattern is changing quickly. */
    if (p->assemblies_since_pattern < 8) {
        if (p->recent.count > 0) TRY(add_keys(&p->keys, &p->recent, err));
        if (p->keys.count > 2 * current + 64) /* too much of it is stale: start afresh */
            TRY(collect_dynamic_keys(p, err));
    }
    p->recent.count = 0;
    TRY(add_keys(&p->recent, &p->keys, err));
    TRY(add_keys(&p->keys, &p->static_keys, err));
    TRY(block_matrix_set_pattern(&p->matrix, p->free_count, p->keys.data, p->keys.count, err));
    p->missing.count = 0;
    TRY(map_groups(p, false, true, err));
    TRY(map_groups(p, true, true, err));
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

static abut_status prepare_maps(problem *p, bool with_matrix, abut_error *err)
{
    bool first = p->new_step;
    p->new_step = false;
    if (!p->pattern_complete) return rebuild_pattern(p, err);
    if (first) {
        TRY(collect_dynamic_keys(p, err));
        if (!same_keys(&p->keys, &p->recent)) {
            p->recent.count = 0;
            return rebuild_pattern(p, err);
        }
    }
    p->missing.count = 0;
    TRY(map_groups(p, true, with_matrix, err));
    if (p->missing.count > 0) return rebuild_pattern(p, err);
    p->assemblies_since_pattern = first ? 0 : p->assemblies_since_pattern + 1;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Evaluation                                                                                     */

void problem_begin_step(problem *p) { p->new_step = true; }

abut_status problem_update(problem *p, const double *x, abut_error *err)
{
    stage before = timer_switch(p->timer, STAGE_ACTIVE_SET);
    abut_status status = ABUT_OK;
    for (int t = 0; status == ABUT_OK && t < p->term_count; t++)
        if (p->terms[t]->enabled && p->terms[t]->class->update)
            status = p->terms[t]->class->update(p->terms[t], x, err);
    timer_switch(p->timer, before);
    return status;
}

double problem_value(problem *p, const double *x)
{
    double sum = 0;
    for (int t = 0; t < p->term_count; t++)
        if (p->terms[t]->enabled) sum += p->terms[t]->class->value(p->terms[t], x);
    return sum;
}

typedef struct chunk_work {
    const term *t;
    int group;
    const double *x;
    size_t first;
    double *gradient, *hessian;
} chunk_work;

static void evaluate_tasks(void *context, size_t begin, size_t end)
{
    const chunk_work *w = context;
    size_t width = (size_t)w->t->groups[w->group].width;
    double *gradient = w->gradient + begin * 3 * width;
    double *hessian = w->hessian ? w->hessian + begin * 9 * (width * (width + 1) / 2) : NULL;
    w->t->class->derivatives(w->t, w->group, w->x, w->first + begin, w->first + end, gradient,
                             hessian);
}

static abut_status add_group(problem *p, int t, int g, const double *x, bool with_matrix,
                             abut_error *err)
{
    const stencil_group *group = &p->terms[t]->groups[g];
    size_t width = (size_t)group->width, pairs = width * (width + 1) / 2;
    size_t size = scatter_chunk(group->width);
    size_t room = group->count < size ? group->count : size;
    if (!array_resize(&p->buffer, room * (3 * width + 9 * pairs)))
        return error_memory(err, "assembling");
    for (size_t first = 0, chunk = 0; first < group->count; first += size, chunk++) {
        size_t n = group->count - first < size ? group->count - first : size;
        chunk_work work = {p->terms[t], g, x, first, p->buffer.data, NULL};
        if (with_matrix) work.hessian = p->buffer.data + room * 3 * width;
        parallel_for(n, TASK, evaluate_tasks, &work);
        scatter_add_gradient(&p->maps[t][g].gradient, chunk, work.gradient, p->gradient);
        if (with_matrix) scatter_add_matrix(&p->maps[t][g].matrix, chunk, work.hessian, &p->matrix);
    }
    return ABUT_OK;
}

static void mask_gradient(problem *p)
{
    for (size_t i = 0; p->any_mask && i < 3 * (size_t)p->free_count; i++)
        if (p->mask[i]) p->gradient[i] = 0;
}

abut_status problem_derivatives(problem *p, const double *x, bool with_matrix, abut_error *err)
{
    TRY(prepare_maps(p, with_matrix, err));
    memset(p->gradient, 0, 3 * (size_t)p->free_count * sizeof *p->gradient);
    if (with_matrix) block_matrix_clear(&p->matrix);
    for (int t = 0; t < p->term_count; t++) {
        if (!p->terms[t]->enabled) continue;
        for (int g = 0; g < p->terms[t]->group_count; g++)
            TRY(add_group(p, t, g, x, with_matrix, err));
    }
    mask_gradient(p);
    if (p->any_mask && with_matrix) block_matrix_mask(&p->matrix, p->mask);
    return ABUT_OK;
}

abut_status problem_term_gradient(problem *p, const term *t, const double *x, abut_error *err)
{
    TRY(prepare_maps(p, false, err));
    memset(p->gradient, 0, 3 * (size_t)p->free_count * sizeof *p->gradient);
    for (int k = 0; k < p->term_count; k++)
        for (int g = 0; p->terms[k] == t && g < t->group_count; g++)
            TRY(add_group(p, k, g, x, false, err));
    mask_gradient(p);
    return ABUT_OK;
}

abut_status problem_max_step(problem *p, const double *x, const double *direction, double limit,
                             double *alpha, abut_error *err)
{
    *alpha = limit;
    for (int t = 0; t < p->term_count; t++) {
        if (!p->terms[t]->enabled || !p->terms[t]->class->max_step) continue;
        double bound = *alpha;
        TRY(p->terms[t]->class->max_step(p->terms[t], x, direction, *alpha, &bound, p->timer, err));
        if (bound < *alpha) *alpha = bound;
    }
    return ABUT_OK;
}

bool problem_accepts(problem *p, const double *x)
{
    for (int t = 0; t < p->term_count; t++)
        if (p->terms[t]->enabled && p->terms[t]->class->accepts &&
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

#include "term/inversion_barrier.h"
#include "term/term_row.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "term/element_energy.h"

#include <math.h>
#include <string.h>

static void displacements(const inversion_barrier_term *t, int set, int32_t element,
                          const double *x, vec3 *u)
{
    const element_set *s = &t->model->sets.data[set];
    const int32_t *blocks = s->blocks.data + (size_t)element * (size_t)s->nodes;
    for (int a = 0; a < s->nodes; a++)
        u[a] = vec3_sub(vec3_load(x + 3 * (size_t)blocks[a]), t->model->rest.data[blocks[a]]);
}

/* ---- energy ---- */

typedef struct range_work {
    const inversion_barrier_term *t;
    int set;
    const double *x, *p;
    double limit;
} range_work;

/* (1 - j)^3 / j with j = ratio / GUARD_BEGINS below it, else 0. A logarithm is too weak: where
 * other forces push hard its minimum lies at ratios of 1e-6, and steps that each leave a fifth of a
 * ratio need many iterations to get there (docs/theory/high-order.md). */
static double barrier(double ratio, double *first, double *second)
{
    double j = ratio / GUARD_BEGINS, left = 1 - j, over = left / j;
    if (first) *first = 0;
    if (second) *second = 0;
    if (j >= 1) return 0;
    if (!(j > 0)) return INFINITY;
    if (first) *first = -left * over * (3 + over) / GUARD_BEGINS;
    if (second) *second = over * (6 + 6 * over + 2 * over * over) / (GUARD_BEGINS * GUARD_BEGINS);
    return left * left * over;
}

/* Weight of one coefficient. Not less for smaller parts: what holds the element open there must be
 * as strong. */
static double share(const element_set *s, int32_t element)
{
    return s->material.data[element].mu * element_volume(s, (size_t)element) / s->positive.count;
}

static double part_energy(const element_set *s, const guarded_element *e,
                          const determinant_bound *b, const vec3 *u)
{
    double ratio[POSITIVITY_MAX_COUNT], sum = 0;
    determinant_bound_ratios(s, b, u, ratio);
    for (int k = 0; k < s->positive.count; k++) sum += barrier(ratio[k], NULL, NULL);
    return share(s, e->element) * sum;
}

static double energy_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    const element_set *s = &w->t->model->sets.data[w->set];
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const guarded_element *e = &w->t->lists[w->set].elements.data[i];
        vec3 u[ELEMENT_MAX_NODES];
        displacements(w->t, w->set, e->element, w->x, u);
        for (size_t q = 0; q < e->parts.count; q++) sum += part_energy(s, e, &e->parts.data[q], u);
    }
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    range_work work = {.t = (const inversion_barrier_term *)base, .x = x};
    double sum = 0;
    for (work.set = 0; work.set < base->group_count; work.set++)
        sum += ranks_sum_of(base->groups[work.set].count, energy_range, &work);
    return ev->force_factor * sum;
}

static void part_derivatives(const element_set *s, const guarded_element *e,
                             const determinant_bound *b, const vec3 *u, const evaluation *ev,
                             double *gradient, double *hessian)
{
    double first[POSITIVITY_MAX_COUNT] = {0}, second[POSITIVITY_MAX_COUNT] = {0};
    double scale = ev->force_factor * share(s, e->element), ratio[POSITIVITY_MAX_COUNT];
    bool active = false;
    determinant_bound_ratios(s, b, u, ratio);
    for (int k = 0; k < s->positive.count; k++) {
        if (!(barrier(ratio[k], &first[k], &second[k]) > 0)) continue;
        first[k] *= scale;
        second[k] *= scale;
        active = true;
    }
    if (active) determinant_bound_derivatives(s, b, u, first, second, ev->exact, gradient, hessian);
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const inversion_barrier_term *t = (const inversion_barrier_term *)base;
    const element_set *s = &t->model->sets.data[group];
    size_t width = (size_t)s->nodes, pairs = width * (width + 1) / 2;
    if (gradient) memset(gradient, 0, 3 * width * (end - begin) * sizeof *gradient);
    if (hessian) memset(hessian, 0, 9 * pairs * (end - begin) * sizeof *hessian);
    for (size_t i = begin; i < end; i++) {
        const guarded_element *e = &t->lists[group].elements.data[i];
        vec3 u[ELEMENT_MAX_NODES];
        displacements(t, group, e->element, x, u);
        for (size_t q = 0; q < e->parts.count; q++)
            part_derivatives(s, e, &e->parts.data[q], u, ev,
                             gradient ? gradient + 3 * width * (i - begin) : NULL,
                             hessian ? hessian + 9 * pairs * (i - begin) : NULL);
    }
}

/* ---- steps ---- */

static double step_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    const element_set *s = &w->t->model->sets.data[w->set];
    double alpha = w->limit;
    for (size_t i = begin; i < end; i++) {
        const guarded_element *e = &w->t->lists[w->set].elements.data[i];
        vec3 u[ELEMENT_MAX_NODES], p[ELEMENT_MAX_NODES];
        const int32_t *blocks = s->blocks.data + (size_t)e->element * (size_t)s->nodes;
        displacements(w->t, w->set, e->element, w->x, u);
        for (int a = 0; a < s->nodes; a++) p[a] = vec3_load(w->p + 3 * (size_t)blocks[a]);
        for (size_t q = 0; q < e->parts.count; q++)
            alpha = determinant_bound_max_step(s, &e->parts.data[q], u, p, alpha, KEEP_GAP);
    }
    return alpha;
}

static abut_status max_step(const term *base, const double *x, const double *p, double limit,
                            step_bound *bound, stage_timer *timer, abut_error *err)
{
    (void)timer;
    (void)err;
    range_work work = {.t = (const inversion_barrier_term *)base, .x = x, .p = p, .limit = limit};
    *bound = (step_bound){.alpha = limit, .group = -1};
    for (work.set = 0; work.set < base->group_count; work.set++)
        bound->alpha =
            fmin(bound->alpha, ranks_min_of(base->groups[work.set].count, step_range, &work));
    return ABUT_OK;
}

/* ---- choice of elements ---- */

typedef struct choice {
    const model *m;
    const element_set *s;
    const double *x, *p;
    double within;
    uint8_t *limits;
} choice;

static void choose_range(void *context, size_t begin, size_t end)
{
    const choice *c = context;
    for (size_t e = begin; e < end; e++) {
        vec3 now[CELL_MAX_NODES], direction[CELL_MAX_NODES];
        if (!elastic_forbids_inversion(&c->s->material.data[e])) continue;
        element_map_nodes(c->s, e, c->x, c->m->rest.data, now);
        element_map_direction(c->s, e, c->p, direction);
        c->limits[e] =
            positivity_max_step(&c->s->positive, now, direction, c->within, KEEP_GAP) < c->within;
    }
}

/* Where the elastic term cuts the step, notes the elements that allow less than twice as much. Out
 * of memory there are none, and steps stay short. */
static void note_bounds(term *base, const double *x, const double *p, const step_bound *bounds,
                        int count)
{
    enum { CHUNK = 16 };
    inversion_barrier_term *t = (inversion_barrier_term *)base;
    const step_bound *elastic = NULL;
    for (int i = 0; i < count; i++)
        if (bounds[i].by && is_elastic_term(bounds[i].by)) elastic = &bounds[i];
    array_clear(&t->pending);
    t->pending_set = -1;
    if (!elastic || elastic->group < ELASTIC_SET_GROUP) return;
    int set = elastic->group - ELASTIC_SET_GROUP;
    const element_set *s = &t->model->sets.data[set];
    choice work = {t->model, s, x, p, fmin(1, 2 * elastic->alpha), mem_calloc(s->count, 1)};
    if (!work.limits) return;
    parallel_for(s->count, CHUNK, choose_range, &work);
    for (size_t e = 0; e < s->count; e++)
        if (work.limits[e] && !array_push(&t->pending, (int32_t)e)) break;
    mem_free(work.limits);
    t->pending_set = set;
}

static void show_lists(inversion_barrier_term *t)
{
    for (int i = 0; i < t->base.group_count; i++)
        t->base.groups[i] = (stencil_group){t->model->sets.data[i].nodes,
                                            t->lists[i].elements.count, t->lists[i].blocks.data};
}

static void free_parts(guarded_element *e)
{
    for (size_t i = 0; i < e->parts.count; i++) determinant_bound_free(&e->parts.data[i]);
    array_free(&e->parts);
}

static bool same_parts(const guarded_element *a, const guarded_element *b)
{
    bool same = a->parts.count == b->parts.count;
    for (size_t i = 0; same && i < a->parts.count; i++)
        same = memcmp(&a->parts.data[i].part, &b->parts.data[i].part, sizeof(positivity_part)) == 0;
    return same;
}

/* Puts the element into the list, in place of what guarded it before. */
static bool put(const element_set *s, guarded_list *list, guarded_element *made)
{
    size_t nodes = (size_t)s->nodes, first = list->blocks.count, at = 0;
    while (at < list->elements.count && list->elements.data[at].element != made->element) at++;
    if (at < list->elements.count) {
        guarded_element *old = &list->elements.data[at];
        if (same_parts(old, made)) return false;
        free_parts(old);
        *old = *made;
        *made = (guarded_element){0};
        return true;
    }
    if (!array_resize(&list->blocks, first + nodes)) return false;
    memcpy(list->blocks.data + first, s->blocks.data + (size_t)made->element * nodes,
           nodes * sizeof *list->blocks.data);
    if (!array_push(&list->elements, *made)) {
        list->blocks.count = first;
        return false;
    }
    *made = (guarded_element){0};
    return true;
}

/* Guards an element by bounds that fit its shape at x; out of memory it does not. */
static bool guard(inversion_barrier_term *t, int set, int32_t element, const double *x)
{
    const element_set *s = &t->model->sets.data[set];
    guarded_element made = {.element = element};
    abut_error err;
    bool changed = determinant_bound_make(s, (size_t)element, x, t->model->rest.data, &made.parts,
                                          &err) == ABUT_OK &&
                   put(s, &t->lists[set], &made);
    free_parts(&made);
    return changed;
}

static bool adapt(term *base, const double *x)
{
    inversion_barrier_term *t = (inversion_barrier_term *)base;
    bool changed = false;
    for (size_t i = 0; i < t->pending.count; i++)
        changed |= guard(t, t->pending_set, t->pending.data[i], x);
    array_clear(&t->pending);
    show_lists(t);
    return changed;
}

void inversion_barrier_begin_step(inversion_barrier_term *t)
{
    t->pending_set = -1;
    array_clear(&t->pending);
    for (int i = 0; i < t->base.group_count; i++) {
        guarded_list *list = &t->lists[i];
        for (size_t e = 0; e < list->elements.count; e++) free_parts(&list->elements.data[e]);
        array_clear(&list->elements);
        array_clear(&list->blocks);
    }
    show_lists(t);
}

static void begin_step(term *base, const term_step *at)
{
    (void)at;
    inversion_barrier_begin_step((inversion_barrier_term *)base);
}

/* ---- creation ---- */

bool inversion_barrier_needed(const model *m)
{
    for (size_t i = 0; i < m->sets.count; i++)
        if (m->sets.data[i].rule.count > m->sets.data[i].elastic_points) return true;
    return false;
}

static void destroy(term *base)
{
    inversion_barrier_term *t = (inversion_barrier_term *)base;
    if (t->lists) inversion_barrier_begin_step(t);
    for (int i = 0; t->lists && i < base->group_count; i++) {
        array_free(&t->lists[i].elements);
        array_free(&t->lists[i].blocks);
    }
    array_free(&t->pending);
    mem_free(t->lists);
    mem_free(t);
}

static const term_class inversion_barrier_class = {.name = "inversion barrier",
                                                   .value = value,
                                                   .derivatives = derivatives,
                                                   .max_step = max_step,
                                                   .note_bounds = note_bounds,
                                                   .adapt = adapt,
                                                   .begin_step = begin_step,
                                                   .destroy = destroy};

abut_status inversion_barrier_create(const model *m, inversion_barrier_term **out, abut_error *err)
{
    inversion_barrier_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating inversion barriers");
    t->base = (term){
        .class = &inversion_barrier_class, .dynamic = true, .group_count = (int)m->sets.count};
    t->model = m;
    t->lists = mem_calloc(m->sets.count, sizeof *t->lists);
    if (!t->lists) {
        mem_free(t);
        return error_memory(err, "creating inversion barriers");
    }
    inversion_barrier_begin_step(t);
    *out = t;
    return ABUT_OK;
}

static abut_status create_term(const model *m, term **out, abut_error *err)
{
    inversion_barrier_term *t = NULL;
    TRY(inversion_barrier_create(m, &t, err));
    *out = &t->base;
    return ABUT_OK;
}

const term_row inversion_barrier_row = {.needed = inversion_barrier_needed, .create = create_term};

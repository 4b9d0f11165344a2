#include "term/inversion_barrier.h"
#include "term/term_row.h"

#include "base/memory.h"
#include "base/ranks.h"
#include "fem/lagrange.h"
#include "term/element_energy.h"

#include <math.h>
#include <string.h>

/* The worst point is looked for around the one that stopped the step, from this distance in the
 * reference cell, which is halved so often: determinants near zero change fast. */
static const double SEARCH = 1.0 / 32;
enum { HALVINGS = 16 };

/* A point this near another one replaces it, with a stronger barrier. */
static const double APART = 1.0 / 2048, STRONGER = 8;

static mat3 deformation(const inversion_point *point, const element_set *s, const model *m,
                        const double *x)
{
    mat3 f = mat3_identity();
    const int32_t *blocks = s->blocks.data + (size_t)point->element * (size_t)s->nodes;
    for (int a = 0; a < s->nodes; a++) {
        vec3 u = vec3_sub(vec3_load(x + 3 * (size_t)blocks[a]), m->rest.data[blocks[a]]);
        f = mat3_add(f, mat3_outer(u, point->gradient[a]));
    }
    return f;
}

/* ---- energy ---- */

typedef struct range_work {
    const inversion_barrier_term *t;
    int set;
    const double *x;
} range_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    const element_set *s = &w->t->model->sets.data[w->set];
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const inversion_point *point = &w->t->lists[w->set].points.data[i];
        mat3 f = deformation(point, s, w->t->model, w->x);
        sum += point->measure * barrier_point_energy(&s->material.data[point->element], f);
    }
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    range_work work = {(const inversion_barrier_term *)base, 0, x};
    double sum = 0;
    for (work.set = 0; work.set < base->group_count; work.set++)
        sum += ranks_sum_of(base->groups[work.set].count, energy_range, &work);
    return ev->force_factor * sum;
}

static void evaluate(const inversion_point *point, const element_set *s, mat3 f, double scale,
                     bool project, double *gradient, double *hessian)
{
    elastic_spectrum spectrum;
    mat3 stress;
    double c[81];
    size_t width = (size_t)s->nodes;
    bool active = barrier_point_response(&s->material.data[point->element], f, project, &stress,
                                         hessian ? &spectrum : NULL);
    if (gradient) memset(gradient, 0, 3 * width * sizeof *gradient);
    if (hessian) memset(hessian, 0, 9 * (width * (width + 1) / 2) * sizeof *hessian);
    if (!active) return;
    for (size_t a = 0; gradient && a < width; a++)
        vec3_store(gradient + 3 * a, vec3_scale(scale, mat3_mul_vec(stress, point->gradient[a])));
    if (!hessian) return;
    elastic_spectrum_expand(&spectrum, c);
    for (int a = 0; a < s->nodes; a++)
        for (int b = a; b < s->nodes; b++, hessian += 9) {
            mat3 block = elastic_between(c, point->gradient[a], point->gradient[b]);
            for (int i = 0; i < 9; i++) hessian[i] = scale * block.m[i / 3][i % 3];
        }
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const inversion_barrier_term *t = (const inversion_barrier_term *)base;
    const element_set *s = &t->model->sets.data[group];
    size_t width = (size_t)s->nodes, pairs = width * (width + 1) / 2;
    for (size_t i = begin; i < end; i++) {
        const inversion_point *point = &t->lists[group].points.data[i];
        evaluate(point, s, deformation(point, s, t->model, x), ev->force_factor * point->measure,
                 !ev->exact, gradient ? gradient + 3 * width * (i - begin) : NULL,
                 hessian ? hessian + 9 * pairs * (i - begin) : NULL);
    }
}

/* ---- choice of the point ---- */

typedef struct search {
    const element_set *s;
    vec3 rest[CELL_MAX_NODES], now[CELL_MAX_NODES];
    double least; /* det F */
    double xi[3];
} search;

static bool is_cube(const element_set *s) { return s->kind == CELL_QUAD || s->kind == CELL_HEX; }

static bool inside(const element_set *s, const double xi[3])
{
    for (int k = 0; k < 3; k++)
        if (xi[k] < 0 || xi[k] > 1) return false;
    return is_cube(s) || xi[0] + xi[1] + xi[2] <= 1;
}

static void try_point(search *q, const double xi[3])
{
    if (!inside(q->s, xi)) return;
    const positivity *map = &q->s->positive;
    mat3 before, after;
    lagrange_position(map->kind, map->order, q->rest, xi, &before);
    lagrange_position(map->kind, map->order, q->now, xi, &after);
    if (q->s->dimension == 2) before.m[2][2] = after.m[2][2] = 1;
    double ratio = mat3_determinant(after) / mat3_determinant(before);
    if (!(ratio < q->least)) return;
    q->least = ratio;
    memcpy(q->xi, xi, sizeof q->xi);
}

/* Visits the neighbours in the lattice of this distance. */
static void try_around(search *q, const double start[3], double step)
{
    int depth = q->s->dimension > 2;
    for (int k = -depth; k <= depth; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++)
                try_point(
                    q, (double[3]){start[0] + step * i, start[1] + step * j, start[2] + step * k});
}

static void search_around(search *q, const double xi[3])
{
    try_point(q, xi);
    double step = SEARCH;
    for (int n = 0; n < HALVINGS; n++, step /= 2)
        try_around(q, (double[3]){q->xi[0], q->xi[1], q->xi[2]}, step);
}

/* Gradients in rest coordinates and the measure of the point at xi. */
static void describe(inversion_point *point, const search *q)
{
    const element_set *s = q->s;
    double reference[CELL_MAX_NODES][3], volume = 0;
    mat3 jacobian;
    memcpy(point->xi, q->xi, sizeof point->xi);
    lagrange_position(s->positive.kind, s->positive.order, q->rest, q->xi, &jacobian);
    if (s->dimension == 2) jacobian.m[2][2] = 1;
    mat3 turn = mat3_transpose(mat3_inverse(jacobian));
    lagrange_evaluate(s->kind, s->order, q->xi, NULL, reference);
    for (int a = 0; a < s->nodes; a++)
        point->gradient[a] =
            mat3_mul_vec(turn, (vec3){reference[a][0], reference[a][1], reference[a][2]});
    for (int i = 0; i < s->elastic_points; i++) volume += s->rule.weights[i];
    int barrier_points = s->rule.count - s->elastic_points;
    point->measure =
        mat3_determinant(jacobian) * volume / (barrier_points > 0 ? barrier_points : 1);
}

/* The inversion-barrier point beside this point, or -1. */
static int stands_beside(const inversion_point_list *list, const inversion_point *point)
{
    for (size_t i = 0; i < list->points.count; i++) {
        const inversion_point *other = &list->points.data[i];
        double away = 0;
        for (int k = 0; k < 3; k++) away = fmax(away, fabs(other->xi[k] - point->xi[k]));
        if (other->element == point->element && away < APART) return (int)i;
    }
    return -1;
}

/* Where the elastic term cuts the step, finds out at which point. */
static void note_bounds(term *base, const double *x, const double *p, const step_bound *bounds,
                        int count)
{
    inversion_barrier_term *t = (inversion_barrier_term *)base;
    const model *m = t->model;
    const step_bound *elastic = NULL;
    for (int i = 0; i < count; i++)
        if (bounds[i].by && is_elastic_term(bounds[i].by)) elastic = &bounds[i];
    t->pending_set = -1;
    if (!elastic || elastic->group < ELASTIC_SET_GROUP) return;
    int set = elastic->group - ELASTIC_SET_GROUP;
    search q = {.s = &m->sets.data[set], .least = INFINITY};
    double step = elastic->alpha;
    int64_t e = elements_holding(m, q.s, x, p, step, KEEP_GAP);
    if (e < 0) return;
    vec3 direction[CELL_MAX_NODES];
    double weak[3];
    element_map_nodes(q.s, (size_t)e, (const double *)m->rest.data, m->rest.data, q.rest);
    element_map_nodes(q.s, (size_t)e, x, m->rest.data, q.now);
    element_map_direction(q.s, (size_t)e, p, direction);
    if (!positivity_weak_point(&q.s->positive, q.now, direction, 2 * step, KEEP_GAP, weak)) return;
    for (int a = 0; a < q.s->positive.nodes; a++)
        q.now[a] = vec3_mul_add(q.now[a], step, direction[a]);
    search_around(&q, weak);
    if (!(q.least > 0) || q.least >= GUARD_BEGINS) return;
    t->pending.element = (int32_t)e;
    describe(&t->pending, &q);
    t->pending_set = set;
}

static void show_lists(inversion_barrier_term *t)
{
    for (int i = 0; i < t->base.group_count; i++)
        t->base.groups[i] = (stencil_group){t->model->sets.data[i].nodes, t->lists[i].points.count,
                                            t->lists[i].blocks.data};
}

/* Out of memory the point is not added, and the step stays short. */
static bool adapt(term *base, const double *x)
{
    (void)x;
    inversion_barrier_term *t = (inversion_barrier_term *)base;
    if (t->pending_set < 0) return false;
    const element_set *s = &t->model->sets.data[t->pending_set];
    inversion_point_list *list = &t->lists[t->pending_set];
    size_t nodes = (size_t)s->nodes, first = list->blocks.count;
    t->pending_set = -1;
    int beside = stands_beside(list, &t->pending);
    if (beside >= 0) {
        double most = STRONGER * STRONGER * t->pending.measure;
        t->pending.measure = fmin(STRONGER * list->points.data[beside].measure, most);
        list->points.data[beside] = t->pending;
        return true;
    }
    if (!array_resize(&list->blocks, first + nodes)) return false;
    memcpy(list->blocks.data + first, s->blocks.data + (size_t)t->pending.element * nodes,
           nodes * sizeof *list->blocks.data);
    bool added = array_push(&list->points, t->pending);
    if (!added) list->blocks.count = first;
    show_lists(t);
    return added;
}

void inversion_barrier_begin_step(inversion_barrier_term *t)
{
    t->pending_set = -1;
    for (int i = 0; i < t->base.group_count; i++) {
        array_clear(&t->lists[i].points);
        array_clear(&t->lists[i].blocks);
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
    for (int i = 0; t->lists && i < base->group_count; i++) {
        array_free(&t->lists[i].points);
        array_free(&t->lists[i].blocks);
    }
    mem_free(t->lists);
    mem_free(t);
}

static const term_class inversion_barrier_class = {.name = "inversion barrier",
                                                   .value = value,
                                                   .derivatives = derivatives,
                                                   .note_bounds = note_bounds,
                                                   .adapt = adapt,
                                                   .begin_step = begin_step,
                                                   .destroy = destroy};

abut_status inversion_barrier_create(const model *m, inversion_barrier_term **out, abut_error *err)
{
    inversion_barrier_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating inversion-barrier points");
    t->base = (term){
        .class = &inversion_barrier_class, .dynamic = true, .group_count = (int)m->sets.count};
    t->model = m;
    t->lists = mem_calloc(m->sets.count, sizeof *t->lists);
    if (!t->lists) {
        mem_free(t);
        return error_memory(err, "creating inversion-barrier points");
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

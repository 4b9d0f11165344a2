#include "term/elastic.h"

#include "base/ranks.h"
#include "fem/tet4_four.h"
#include "math/svd.h"
#include "term/elastic_by.h"
#include "term/element_energy.h"

#include <math.h>
#include <string.h>

static void element_positions(const model *m, const double *x, size_t e, vec3 *out)
{
    for (size_t k = 0; k < 4; k++) out[k] = vec3_load(x + 3 * (size_t)m->tets.data[4 * e + k]);
}

static const elastic_parameters *element_material(const model *m, size_t e)
{
    return &m->bodies.data[m->tet_body.data[e]].material;
}

/* Up to four tets from e, with their volumes times the factor on forces. */
static void load_four(const elastic_term *t, const double *x, size_t e, size_t end,
                      const evaluation *ev, tet4_four *out)
{
    const model *m = t->model;
    const point_states *states = elastic_state_of(&t->state, 0);
    out->exact = ev->exact;
    out->count = end - e < 4 ? end - e : 4;
    for (size_t l = 0; l < out->count; l++) {
        tet4_rest room;
        out->rest[l] = *model_tet_rest(m, e + l, &room);
        out->rest[l].volume *= ev->force_factor;
        out->material[l] = element_material(m, e + l);
        element_positions(m, x, e + l, out->x[l]);
        if (states) out->point[l] = point_state(states, out->material[l], e + l, 0);
    }
}

typedef struct range_work {
    const elastic_term *t;
    const double *x, *p;
    double limit;
} range_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    const evaluation unit = evaluation_unit();
    double sum = 0, energy[4];
    for (size_t e = begin; e < end; e += 4) {
        tet4_four four;
        load_four(w->t, w->x, e, end, &unit, &four);
        tet4_four_energy(&four, energy);
        for (size_t l = 0; l < four.count; l++) sum += energy[l];
    }
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    range_work work = {(const elastic_term *)base, x, NULL, 0};
    const model *m = work.t->model;
    double sum = ranks_sum_of(m->tet_count, energy_range, &work);
    for (size_t i = 0; i < m->sets.count; i++)
        sum += elements_energy(m, &m->sets.data[i], x,
                               elastic_state_of(&work.t->state, ELASTIC_SET_GROUP + (int)i));
    return ev->force_factor * sum;
}

/* One tet without parts, the Hessian not projected. */
static void exact_derivatives(const elastic_term *t, const evaluation *ev, const double *x,
                              size_t e, double *gradient, double *hessian)
{
    vec3 p[4];
    tet4_rest rest;
    rest = *model_tet_rest(t->model, e, &rest);
    rest.volume *= ev->force_factor;
    element_positions(t->model, x, e, p);
    tet4_evaluate(&rest, element_material(t->model, e), p, false, (vec3 *)gradient,
                  (mat3 *)hessian);
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const elastic_term *t = (const elastic_term *)base;
    const model *m = t->model;
    if (group >= ELASTIC_SET_GROUP) {
        elements_derivatives(m, &m->sets.data[group - ELASTIC_SET_GROUP], x,
                             elastic_state_of(&t->state, group), ev->force_factor, !ev->exact,
                             begin, end, gradient, hessian);
        return;
    }
    size_t many = ev->exact ? 1 : 4; /* tets without parts do not go together there */
    for (size_t e = begin; e < end; e += many) {
        double *g = gradient ? gradient + 12 * (e - begin) : NULL;
        double *h = hessian ? hessian + 90 * (e - begin) : NULL;
        if (ev->exact && !element_material(m, e)->parts) {
            exact_derivatives(t, ev, x, e, g, h);
            continue;
        }
        tet4_four four;
        load_four(t, x, e, many == 1 ? e + 1 : end, ev, &four);
        tet4_four_derivatives(&four, g, h);
    }
}

static double step_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    double alpha = w->limit;
    for (size_t e = begin; e < end; e++) {
        vec3 x[4], p[4];
        element_positions(w->t->model, w->x, e, x);
        element_positions(w->t->model, w->p, e, p);
        if (!elastic_forbids_inversion(element_material(w->t->model, e))) continue;
        alpha = fmin(alpha, tet4_max_step(x, p, KEEP_GAP));
    }
    return alpha;
}

static abut_status max_step(const term *base, const double *x, const double *p, double limit,
                            step_bound *bound, stage_timer *timer, abut_error *err)
{
    (void)timer;
    (void)err;
    const elastic_term *t = (const elastic_term *)base;
    range_work work = {t, x, p, limit};
    *bound = (step_bound){.alpha = limit, .group = -1};
    if (!t->keeps_volume) return ABUT_OK;
    const model *m = t->model;
    bound->alpha = fmin(limit, ranks_min_of(m->tet_count, step_range, &work));
    for (size_t i = 0; i < m->sets.count; i++) {
        double before = bound->alpha;
        bound->alpha = elements_max_step(m, &m->sets.data[i], x, p, before, KEEP_GAP);
        if (bound->alpha < before) bound->group = ELASTIC_SET_GROUP + (int)i;
    }
    return ABUT_OK;
}

double elastic_volume_ratio(const elastic_term *t, const double *x, size_t element)
{
    vec3 p[4];
    element_positions(t->model, x, element, p);
    mat3 ds = mat3_from_columns(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]), vec3_sub(p[3], p[0]));
    tet4_rest room;
    return mat3_determinant(ds) / (6 * model_tet_rest(t->model, element, &room)->volume);
}

static double volume_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    double least = INFINITY;
    for (size_t e = begin; e < end; e++) least = fmin(least, elastic_volume_ratio(w->t, w->x, e));
    return least;
}

double elastic_min_volume_ratio(const elastic_term *t, const double *x)
{
    range_work work = {t, x, NULL, 0};
    const model *m = t->model;
    double least = ranks_min_of(m->tet_count, volume_range, &work);
    for (size_t i = 0; i < m->sets.count; i++)
        least = fmin(least, elements_min_volume_ratio(m, &m->sets.data[i], x));
    return least < INFINITY ? least : 1.0;
}

static double stretch_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    const model *m = w->t->model;
    double largest = 0;
    for (size_t e = begin; e < end; e++) {
        vec3 corners[4];
        element_positions(m, w->x, e, corners);
        mat3 u, v;
        double s[3];
        tet4_rest room;
        svd3(tet4_deformation(model_tet_rest(m, e, &room), corners), &u, s, &v);
        largest = fmax(largest, s[0]);
    }
    return largest;
}

double elastic_max_stretch(const elastic_term *t, const double *x)
{
    range_work work = {t, x, NULL, 0};
    const model *m = t->model;
    double largest = ranks_max_of(m->tet_count, stretch_range, &work);
    for (size_t i = 0; i < m->sets.count; i++)
        largest = fmax(largest, elements_max_stretch(m, &m->sets.data[i], x));
    return largest > -INFINITY ? largest : 1.0;
}

size_t elastic_count_inverted(const elastic_term *t, const double *x)
{
    size_t count = 0;
    for (size_t i = 0; i < t->model->sets.count; i++)
        count += elements_count_inverted(t->model, &t->model->sets.data[i], x);
    return count;
}

static abut_status update(term *base, const double *x, abut_error *err)
{
    (void)x;
    const elastic_term *t = (const elastic_term *)base;
    return elastic_state_check(&t->state, t->model, err);
}

static void begin_step(term *base, const term_step *at)
{
    elastic_state_begin(&((elastic_term *)base)->state, at);
}

static void end_step(term *base, const double *x)
{
    elastic_term *t = (elastic_term *)base;
    elastic_state_advance(&t->state, t->model, x);
}

static void restart(term *base, const double *x)
{
    (void)x;
    elastic_state_restart(&((elastic_term *)base)->state);
}

static term_state kept_state(term *base)
{
    elastic_term *t = (elastic_term *)base;
    return (term_state){"material_state", t->state.values.data, t->state.values.count};
}

static void destroy(term *base)
{
    elastic_state_free(&((elastic_term *)base)->state);
    mem_free(base);
}

static const term_class elastic_class = {.name = "elastic",
                                         .update = update,
                                         .value = value,
                                         .derivatives = derivatives,
                                         .max_step = max_step,
                                         .begin_step = begin_step,
                                         .end_step = end_step,
                                         .restart = restart,
                                         .state = kept_state,
                                         .obstructions = elastic_obstructions,
                                         .by_parameter = elastic_by_parameter,
                                         .by_rest = elastic_by_rest,
                                         .destroy = destroy};

bool is_elastic_term(const term *t) { return t->class == &elastic_class; }

abut_status elastic_create(const model *m, elastic_term **out, abut_error *err)
{
    elastic_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the elastic term");
    t->base = (term){.class = &elastic_class, .group_count = 1};
    t->base.groups[0] = (stencil_group){4, m->tet_count, m->tets.data};
    t->model = m;
    for (size_t i = 0; i < m->bodies.count; i++)
        if (m->bodies.data[i].tet_count && elastic_forbids_inversion(&m->bodies.data[i].material))
            t->keeps_volume = true;
    for (size_t i = 0; i < m->sets.count; i++) {
        const element_set *s = &m->sets.data[i];
        t->base.groups[t->base.group_count++] = (stencil_group){s->nodes, s->count, s->blocks.data};
        for (size_t e = 0; e < s->count; e++)
            if (elastic_forbids_inversion(&s->material.data[e])) t->keeps_volume = true;
    }
    abut_status status = elastic_state_init(&t->state, m, err);
    if (status != ABUT_OK)
        destroy(&t->base);
    else
        *out = t;
    return status;
}

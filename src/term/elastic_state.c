#include "term/elastic_state.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { MOMENT_NUMBERS = 3 + MATERIAL_MAX_FAMILIES };
/* A growth beyond these is an error of units or of sign. */
static const double LEAST_GROWTH = 0.01, MOST_GROWTH = 100;

/* ---- elements of one kind ---- */

static size_t element_count(const model *m, int group)
{
    return group == 0 ? m->tet_count : m->sets.data[group - 1].count;
}

static const elastic_parameters *material_of(const model *m, int group, size_t e)
{
    return group == 0 ? &m->bodies.data[m->tet_body.data[e]].material
                      : &m->sets.data[group - 1].material.data[e];
}

static int32_t body_of(const model *m, int group, size_t e)
{
    return group == 0 ? m->tet_body.data[e] : m->sets.data[group - 1].body.data[e];
}

static int point_count(const model *m, int group)
{
    return group == 0 ? 1 : m->sets.data[group - 1].elastic_points;
}

/* Mean of the nodes at rest. */
static vec3 center(const model *m, int group, size_t e)
{
    int nodes = group == 0 ? 4 : m->sets.data[group - 1].nodes;
    const int32_t *blocks = group == 0 ? m->tets.data : m->sets.data[group - 1].blocks.data;
    vec3 sum = {0};
    for (size_t k = 0; k < (size_t)nodes; k++)
        sum = vec3_add(sum, m->rest.data[blocks[e * (size_t)nodes + k]]);
    return vec3_scale(1.0 / nodes, sum);
}

static double volume_at(const model *m, int group, size_t e, int point)
{
    tet4_rest room;
    return group == 0 ? model_tet_rest(m, e, &room)->volume
                      : element_measure(&m->sets.data[group - 1], e, point);
}

/* ---- lifecycle ---- */

static void end_moments(elastic_state *s);

/* The number of a material, which is new where it was not met before; -1: out of memory. */
static int32_t moment_of(elastic_state *s, const material_parts *parts, int32_t body)
{
    for (size_t i = 0; i < s->parts.count; i++)
        if (s->parts.data[i] == parts) return (int32_t)i;
    bool ok = array_push(&s->parts, parts) && array_push(&s->body, body) &&
              array_push(&s->moments, (material_moment){0});
    return ok ? (int32_t)s->parts.count - 1 : -1;
}

static bool any_parts(const model *m, int group)
{
    for (size_t e = 0; e < element_count(m, group); e++)
        if (material_of(m, group, e)->parts) return true;
    return false;
}

static abut_status place_group(elastic_state *s, const model *m, int group, size_t *total,
                               abut_error *err)
{
    size_t count = element_count(m, group);
    if (!array_resize(&s->places[group], count)) return error_memory(err, "making material states");
    for (size_t e = 0; e < count; e++) {
        const material_parts *parts = material_of(m, group, e)->parts;
        state_place place = {*total, 0};
        if (parts) {
            place.moment = moment_of(s, parts, body_of(m, group, e));
            if (place.moment < 0) return error_memory(err, "making material states");
            *total += (size_t)point_count(m, group) * material_state_size(parts);
        }
        s->places[group].data[e] = place;
    }
    return ABUT_OK;
}

static abut_status init_points(elastic_state *s, const model *m, int group, abut_error *err)
{
    for (size_t e = 0; e < s->places[group].count; e++) {
        const material_parts *parts = material_of(m, group, e)->parts;
        size_t size = parts ? material_state_size(parts) : 0;
        vec3 at = center(m, group, e);
        for (int i = 0; parts && i < point_count(m, group); i++)
            if (!material_state_init(
                    parts, at, s->values.data + s->places[group].data[e].first + size * (size_t)i))
                return error_set(err, ABUT_ERROR_INPUT, m->bodies.data[body_of(m, group, e)].name,
                                 "material.fibres: the direction has no length at (%g, %g, %g)",
                                 at.x, at.y, at.z);
    }
    return ABUT_OK;
}

abut_status elastic_state_init(elastic_state *s, const model *m, abut_error *err)
{
    bool needed = false;
    int groups = 1 + (int)m->sets.count;
    memset(s, 0, sizeof *s);
    for (int g = 0; !needed && g < groups; g++) needed = any_parts(m, g);
    if (!needed) return ABUT_OK;
    size_t total = 0;
    for (int g = 0; g < groups; g++) TRY(place_group(s, m, g, &total, err));
    size_t first = MOMENT_NUMBERS * s->parts.count;
    if (!array_resize(&s->values, first + total))
        return error_memory(err, "making material states");
    for (int g = 0; g < groups; g++) {
        for (size_t e = 0; e < s->places[g].count; e++) s->places[g].data[e].first += first;
        s->of[g] = (point_states){s->places[g].data, s->moments.data, s->values.data};
        TRY(init_points(s, m, g, err));
    }
    elastic_state_begin(s, &(term_step){0});
    end_moments(s);
    return elastic_state_check(s, m, err);
}

void elastic_state_free(elastic_state *s)
{
    array_free(&s->values);
    array_free(&s->parts);
    array_free(&s->body);
    array_free(&s->moments);
    for (int g = 0; g < ELASTIC_GROUPS; g++) array_free(&s->places[g]);
}

const point_states *elastic_state_of(const elastic_state *s, int group)
{
    return s->parts.count > 0 ? &s->of[group] : NULL;
}

/* ---- steps ---- */

static void set_bad(elastic_state *s, const char *key, size_t material, double value, double time)
{
    if (!s->bad.key) s->bad = (bad_moment){key, value, time, s->body.data[material]};
}

void elastic_state_begin(elastic_state *s, const term_step *at)
{
    s->bad = (bad_moment){0};
    for (size_t i = 0; i < s->parts.count; i++) {
        const material_parts *parts = s->parts.data[i];
        material_moment *now = &s->moments.data[i];
        now->h = at->h;
        for (int k = 0; k < 3; k++) {
            double g = parts->growth[k] ? expression_value(parts->growth[k], 0, 0, 0, at->end) : 1;
            if (!(g >= LEAST_GROWTH && g <= MOST_GROWTH)) set_bad(s, "growth", i, g, at->end);
            now->growth[k] = g;
        }
        for (size_t k = 0; k < parts->family_count; k++) {
            const expression *active = parts->family[k].active;
            double tension = active ? expression_value(active, 0, 0, 0, at->end) : 0;
            if (!(tension >= 0 && isfinite(tension))) set_bad(s, "active", i, tension, at->end);
            now->tension[k] = tension;
        }
    }
}

/* Between steps: nothing flows, and growth and tensions are what the step ended with. */
static void end_moments(elastic_state *s)
{
    for (size_t i = 0; i < s->moments.count; i++) {
        material_moment *now = &s->moments.data[i];
        double *numbers = s->values.data + MOMENT_NUMBERS * i;
        now->h = 0;
        memcpy(numbers, now->growth, sizeof now->growth);
        memcpy(numbers + 3, now->tension, sizeof now->tension);
    }
}

abut_status elastic_state_check(const elastic_state *s, const model *m, abut_error *err)
{
    if (!s->bad.key) return ABUT_OK;
    bool growth = strcmp(s->bad.key, "growth") == 0;
    return error_set(err, ABUT_ERROR_INPUT, m->bodies.data[s->bad.body].name,
                     "material.%s is %g at t = %g s; it must be %s", s->bad.key, s->bad.value,
                     s->bad.time, growth ? "a stretch from 0.01 to 100" : "0 Pa or more");
}

void elastic_state_restart(elastic_state *s)
{
    for (size_t i = 0; i < s->moments.count; i++) {
        const double *numbers = s->values.data + MOMENT_NUMBERS * i;
        s->moments.data[i].h = 0;
        memcpy(s->moments.data[i].growth, numbers, sizeof s->moments.data[i].growth);
        memcpy(s->moments.data[i].tension, numbers + 3, sizeof s->moments.data[i].tension);
    }
}

typedef struct advance_work {
    elastic_state *s;
    const model *m;
    const double *x;
    int group;
} advance_work;

static void advance_range(void *context, size_t begin, size_t end)
{
    const advance_work *w = context;
    const model *m = w->m;
    double u[3 * ELEMENT_MAX_STRIDE];
    for (size_t e = begin; e < end; e++) {
        const elastic_parameters *material = material_of(m, w->group, e);
        if (!material->parts) continue;
        const state_place *place = &w->s->places[w->group].data[e];
        double *state = w->s->values.data + place->first;
        const element_set *set = w->group > 0 ? &m->sets.data[w->group - 1] : NULL;
        if (set) element_gather(set, e, w->x, m->rest.data, u);
        for (int i = 0; i < point_count(m, w->group); i++) {
            mat3 f = set ? element_deformation(set, e, u, i) : model_tet_deformation(m, e, w->x);
            material_state_advance(material, &w->s->moments.data[place->moment], f, state);
            state += material_state_size(material->parts);
        }
    }
}

void elastic_state_advance(elastic_state *s, const model *m, const double *x)
{
    if (s->parts.count == 0) return;
    for (int g = 0; g <= (int)m->sets.count; g++) {
        advance_work work = {s, m, x, g};
        parallel_for(s->places[g].count, 64, advance_range, &work);
    }
    end_moments(s);
}

double elastic_state_dissipated(const elastic_state *s, const model *m)
{
    double sum = 0;
    for (int g = 0; s->parts.count > 0 && g <= (int)m->sets.count; g++)
        for (size_t e = 0; e < s->places[g].count; e++)
            for (int i = 0; material_of(m, g, e)->parts && i < point_count(m, g); i++)
                sum += volume_at(m, g, e, i) *
                       point_state(&s->of[g], material_of(m, g, e), e, i).state[STATE_DISSIPATED];
    return sum;
}

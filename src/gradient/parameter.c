#include "gradient/parameter.h"

#include "gradient/objective.h"

#include "term/elastic_by.h"

#include <math.h>
#include <string.h>

static const model_body *body_of(const parameter *p, const stepper *s)
{
    return &s->model->bodies.data[p->body];
}

static size_t first_scalar(const parameter *p, const stepper *s)
{
    return 3 * (size_t)body_of(p, s)->first_block;
}

/* ---- start positions and velocities: 3 per block ---- */

static abut_status count_blocks(const stepper *s, int32_t body, size_t *out, abut_error *err)
{
    (void)err;
    *out = 3 * (size_t)s->model->bodies.data[body].block_count;
    return ABUT_OK;
}

static void read_positions(const parameter *p, const stepper *s, double *values)
{
    memcpy(values, s->state.x + first_scalar(p, s), p->count * sizeof *values);
}

static abut_status apply_positions(const parameter *p, stepper *s, const double *values,
                                   abut_error *err)
{
    (void)err;
    memcpy(s->state.x + first_scalar(p, s), values, p->count * sizeof *values);
    return ABUT_OK;
}

static void start_positions(const parameter *p, const stepper *s, const motion_state *bar,
                            double *out)
{
    for (size_t i = 0; i < p->count; i++) out[i] += bar->x[first_scalar(p, s) + i];
}

static void read_velocities(const parameter *p, const stepper *s, double *values)
{
    memcpy(values, s->state.v + first_scalar(p, s), p->count * sizeof *values);
}

static abut_status apply_velocities(const parameter *p, stepper *s, const double *values,
                                    abut_error *err)
{
    (void)err;
    memcpy(s->state.v + first_scalar(p, s), values, p->count * sizeof *values);
    return ABUT_OK;
}

static void start_velocities(const parameter *p, const stepper *s, const motion_state *bar,
                             double *out)
{
    for (size_t i = 0; i < p->count; i++) out[i] += bar->v[first_scalar(p, s) + i];
}

/* ---- constant forces on nodes ---- */

static void read_forces(const parameter *p, const stepper *s, double *values)
{
    for (size_t i = 0; i < p->count; i++)
        values[i] = s->loads.user ? s->loads.user[first_scalar(p, s) + i] : 0;
}

static abut_status apply_forces(const parameter *p, stepper *s, const double *values,
                                abut_error *err)
{
    if (!s->loads.user) s->loads.user = mem_calloc(s->state.scalars, sizeof *s->loads.user);
    if (!s->loads.user) return error_memory(err, "setting forces");
    memcpy(s->loads.user + first_scalar(p, s), values, p->count * sizeof *values);
    return ABUT_OK;
}

static abut_status pass_forces(const parameter *p, const parameter_pass *at, double *out,
                               abut_error *err)
{
    (void)err;
    for (size_t i = 0; i < p->count; i++)
        out[i] += at->ev->load_factor * at->w[first_scalar(p, at->s) + i];
    return ABUT_OK;
}

/* ---- Young's modulus and Poisson's ratio, one per element of a solid ---- */

static size_t count_elements(const stepper *s, int32_t body)
{
    const model *m = s->model;
    size_t n = m->bodies.data[body].tet_count;
    for (size_t i = 0; i < m->sets.count; i++)
        for (size_t e = 0; e < m->sets.data[i].count; e++)
            n += m->sets.data[i].body.data[e] == body;
    return n;
}

static abut_status count_moduli(const stepper *s, int32_t body, size_t *out, abut_error *err)
{
    *out = count_elements(s, body);
    if (*out > 0) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "parameter",
                     "body \"%s\" has no solid elements; its moduli are parameters of kind "
                     "\"key\"",
                     s->model->bodies.data[body].name);
}

static double modulus_of(const elastic_parameters *material, term_parameter by)
{
    double young, poisson;
    elastic_moduli(material, &young, &poisson);
    return by == TERM_YOUNG ? young : poisson;
}

static void read_moduli(const parameter *p, const stepper *s, term_parameter by, double *values)
{
    const model *m = s->model;
    const model_body *b = body_of(p, s);
    size_t n = 0;
    for (; n < b->tet_count; n++) values[n] = modulus_of(&b->material, by);
    for (size_t i = 0; i < m->sets.count; i++)
        for (size_t e = 0; e < m->sets.data[i].count; e++)
            if (m->sets.data[i].body.data[e] == p->body)
                values[n++] = modulus_of(&m->sets.data[i].material.data[e], by);
}

static void read_young(const parameter *p, const stepper *s, double *values)
{
    read_moduli(p, s, TERM_YOUNG, values);
}

static void read_poisson(const parameter *p, const stepper *s, double *values)
{
    read_moduli(p, s, TERM_POISSON, values);
}

/* Numbers that the law has of its own stay. */
static void change_material(elastic_parameters *material, term_parameter by, double value)
{
    double before, poisson;
    elastic_moduli(material, &before, &poisson);
    if (by == TERM_POISSON) {
        elastic_parameters made = elastic_from_young(material->model, before, value);
        material->mu = made.mu;
        material->lambda = made.lambda;
        material->bulk = made.bulk;
        return;
    }
    double factor = value / before;
    material->mu *= factor;
    material->lambda *= factor;
    material->bulk *= factor;
    for (int k = 0; k < material->terms; k++) material->coefficient[k] *= factor;
}

/* Linear tets of a body share one material. */
static abut_status apply_moduli(const parameter *p, stepper *s, term_parameter by,
                                const double *values, abut_error *err)
{
    const char *name = p->row->name;
    model *m = s->model;
    model_body *b = &m->bodies.data[p->body];
    size_t n = b->tet_count;
    double least = by == TERM_YOUNG ? 0 : -1, most = by == TERM_YOUNG ? INFINITY : 0.5;
    for (size_t e = 1; e < n; e++)
        if (values[e] != values[0])
            return error_set(
                err, ABUT_ERROR_UNSUPPORTED, name,
                "body \"%s\": linear tetrahedra of a body have one material; give them "
                "`regions` or `order` 2",
                b->name);
    for (size_t e = 0; e < p->count; e++)
        if (!(values[e] > least && values[e] < most))
            return error_set(err, ABUT_ERROR_INFEASIBLE, name,
                             "body \"%s\": %g is not between %g and %g", b->name, values[e], least,
                             most);
    if (n > 0) change_material(&b->material, by, values[0]);
    for (size_t i = 0; i < m->sets.count; i++)
        for (size_t e = 0; e < m->sets.data[i].count; e++)
            if (m->sets.data[i].body.data[e] == p->body)
                change_material(&m->sets.data[i].material.data[e], by, values[n++]);
    return ABUT_OK;
}

static abut_status apply_young(const parameter *p, stepper *s, const double *values,
                               abut_error *err)
{
    return apply_moduli(p, s, TERM_YOUNG, values, err);
}

static abut_status apply_poisson(const parameter *p, stepper *s, const double *values,
                                 abut_error *err)
{
    return apply_moduli(p, s, TERM_POISSON, values, err);
}

static abut_status pass_moduli(const parameter *p, const parameter_pass *at, term_parameter by,
                               double *out, abut_error *err)
{
    const term *t = &at->s->elastic->base;
    const model *m = at->s->model;
    size_t n = 0;
    for (int g = 0; g < t->group_count; g++) {
        size_t count = t->groups[g].count;
        double *each = mem_calloc(count + 1, sizeof *each);
        if (!each) return error_memory(err, "differentiating by a modulus");
        abut_status status = t->class->by_parameter(t, at->ev, g, at->x, by, at->w, each, err);
        const int32_t *body =
            g == 0 ? m->tet_body.data : m->sets.data[g - ELASTIC_SET_GROUP].body.data;
        for (size_t e = 0; status == ABUT_OK && e < count; e++)
            if (body[e] == p->body) out[n++] -= each[e];
        mem_free(each);
        TRY(status);
    }
    return ABUT_OK;
}

static abut_status pass_young(const parameter *p, const parameter_pass *at, double *out,
                              abut_error *err)
{
    return pass_moduli(p, at, TERM_YOUNG, out, err);
}

static abut_status pass_poisson(const parameter *p, const parameter_pass *at, double *out,
                                abut_error *err)
{
    return pass_moduli(p, at, TERM_POISSON, out, err);
}

/* ---- rest shapes of linear tetrahedra ---- */

static abut_status count_rest(const stepper *s, int32_t body, size_t *out, abut_error *err)
{
    const model_body *b = &s->model->bodies.data[body];
    *out = 3 * (size_t)b->block_count;
    bool weighted = s->contact && s->options.contact_options.area_weighted;
    if (b->tet_count > 0 && count_elements(s, body) == b->tet_count && !weighted) return ABUT_OK;
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "rest_positions",
                     "body \"%s\": rest shapes are parameters of solids of linear tetrahedra, with "
                     "contact pairs that are not weighted by area",
                     b->name);
}

static void read_rest(const parameter *p, const stepper *s, double *values)
{
    const model_body *b = body_of(p, s);
    for (int32_t i = 0; i < b->block_count; i++)
        vec3_store(values + 3 * (size_t)i, s->model->rest.data[b->first_block + i]);
}

/* Masses of the nodes of a body from the volumes of its tets. */
static void weigh_again(model *m, inertia_term *inertia, const model_body *b)
{
    for (int32_t i = b->first_block; i < b->first_block + b->block_count; i++)
        m->mass.data[i] = model_added_mass(m, (size_t)i);
    for (size_t e = b->first_tet; e < b->first_tet + b->tet_count; e++)
        for (size_t k = 0; k < 4; k++)
            m->mass.data[m->tets.data[4 * e + k]] += b->density * m->tet_rest.data[e].volume / 4;
    for (int32_t i = b->first_block; i < b->first_block + b->block_count; i++) {
        m->load_mass.data[i] = m->mass.data[i];
        if (!b->consistent_mass) inertia->lumped.data[i] = m->mass.data[i];
    }
    for (size_t e = 0, n = 0; e < m->tet_count; e++) {
        const model_body *of = &m->bodies.data[m->tet_body.data[e]];
        if (of->consistent_mass)
            inertia->tet_mass.data[n++] = of->density * m->tet_rest.data[e].volume;
    }
}

static abut_status apply_rest(const parameter *p, stepper *s, const double *values, abut_error *err)
{
    model *m = s->model;
    const model_body *b = body_of(p, s);
    for (int32_t i = 0; i < b->block_count; i++)
        m->rest.data[b->first_block + i] = vec3_load(values + 3 * (size_t)i);
    for (size_t e = b->first_tet; e < b->first_tet + b->tet_count; e++) {
        vec3 x[4];
        for (size_t k = 0; k < 4; k++) x[k] = m->rest.data[m->tets.data[4 * e + k]];
        if (!tet4_rest_make(x, &m->tet_rest.data[e]))
            return error_set(err, ABUT_ERROR_INFEASIBLE, "rest_positions",
                             "body \"%s\": element %zu of the rest shape is inverted", b->name,
                             e - b->first_tet);
    }
    weigh_again(m, s->inertia, b);
    return ABUT_OK;
}

/* Acceleration of the loads that act by mass on a node: its load is mass times this. */
static vec3 load_acceleration(const stepper *s, int32_t node)
{
    vec3 sum = s->options.gravity;
    for (size_t k = 0; k < s->loads.nodes.count; k++) {
        const load *l = &s->loads.nodes.data[k];
        if (!time_within(s->time, l->from, l->until)) continue;
        for (size_t i = 0; i < l->nodes.count; i++)
            if (l->nodes.data[i] == node) sum = vec3_add(sum, l->acceleration);
    }
    return sum;
}

/* w . d(M push - loads)/d(mass of the element), per kg. */
static double mass_work(const parameter_pass *at, const model_body *b, const int32_t *nodes)
{
    double sum = 0;
    vec3 w[4], push[4], total_w = {0}, total_push = {0};
    for (int k = 0; k < 4; k++) {
        w[k] = vec3_load(at->w + 3 * (size_t)nodes[k]);
        push[k] = vec3_load(at->push + 3 * (size_t)nodes[k]);
        total_w = vec3_add(total_w, w[k]);
        total_push = vec3_add(total_push, push[k]);
        sum -= at->ev->load_factor / 4 * vec3_dot(load_acceleration(at->s, nodes[k]), w[k]);
        double share = b->consistent_mass ? 1.0 / 20 : 1.0 / 4;
        sum += at->ev->mass_factor * share * vec3_dot(push[k], w[k]);
    }
    if (b->consistent_mass) sum += at->ev->mass_factor / 20 * vec3_dot(total_push, total_w);
    return sum;
}

static abut_status pass_rest(const parameter *p, const parameter_pass *at, double *out,
                             abut_error *err)
{
    const model *m = at->s->model;
    const model_body *b = body_of(p, at->s);
    double *all = mem_calloc(at->s->state.scalars + 1, sizeof *all);
    if (!all) return error_memory(err, "differentiating by a rest shape");
    elastic_by_rest(&at->s->elastic->base, at->ev, 0, at->x, at->w, all);
    for (size_t e = b->first_tet; e < b->first_tet + b->tet_count; e++) {
        const int32_t *nodes = m->tets.data + 4 * e;
        const tet4_rest *rest = &m->tet_rest.data[e];
        double factor = b->density * rest->volume * mass_work(at, b, nodes);
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) { /* dV/dX_a = V g_a */
                all[3 * (size_t)nodes[k + 1] + (size_t)c] += factor * rest->dm_inverse.m[k][c];
                all[3 * (size_t)nodes[0] + (size_t)c] -= factor * rest->dm_inverse.m[k][c];
            }
    }
    for (size_t i = 0; i < p->count; i++) out[i] -= all[first_scalar(p, at->s) + i];
    mem_free(all);
    return ABUT_OK;
}

static abut_status apply_shape(const parameter *p, stepper *s, const double *values,
                               abut_error *err)
{
    TRY(apply_rest(p, s, values, err));
    return apply_positions(p, s, values, err);
}

/* ---- the table ---- */

const parameter_row parameter_key = {.name = "key"};

static const parameter_row rows[] = {
    {"initial_positions", count_blocks, read_positions, apply_positions, NULL, start_positions,
     false, 0},
    {"initial_velocities", count_blocks, read_velocities, apply_velocities, NULL, start_velocities,
     false, 0},
    {"forces", count_blocks, read_forces, apply_forces, pass_forces, NULL, false, 0},
    {"young", count_moduli, read_young, apply_young, pass_young, NULL, false,
     OBJECTIVE_READS_MATERIAL},
    {"poisson", count_moduli, read_poisson, apply_poisson, pass_poisson, NULL, false,
     OBJECTIVE_READS_MATERIAL},
    {"rest_positions", count_rest, read_rest, apply_rest, pass_rest, NULL, true,
     OBJECTIVE_READS_MASS | OBJECTIVE_READS_SHAPE},
    {"shape", count_rest, read_rest, apply_shape, pass_rest, start_positions, true,
     OBJECTIVE_READS_MASS | OBJECTIVE_READS_SHAPE},
};

const parameter_row *parameter_find(const char *name)
{
    if (strcmp(name, parameter_key.name) == 0) return &parameter_key;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

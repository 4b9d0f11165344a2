#include "gradient/objective.h"

#include "contact/contact_force.h"
#include "material/elastic.h"
#include "term/element.h"

#include <math.h>
#include <string.h>

void objective_free(objective *o)
{
    array_free(&o->target);
    array_free(&o->times);
}

/* First block and end of the blocks that an objective looks at. */
typedef struct block_range {
    size_t begin, end;
} block_range;

static block_range range_of(const model *m, int32_t body)
{
    if (body < 0) return (block_range){0, m->rest.count};
    const model_body *b = &m->bodies.data[body];
    return (block_range){(size_t)b->first_block, (size_t)(b->first_block + b->block_count)};
}

static vec3 target_of(const objective *o, size_t index)
{
    if (o->target.count == 0) return (vec3){0};
    return vec3_load(o->target.data + (o->target.count == 3 ? 0 : 3 * index));
}

/* ---- squared distances of positions and velocities ---- */

static double distances(const objective *o, const model *m, const double *x, double *by)
{
    block_range r = range_of(m, o->body);
    double sum = 0;
    for (size_t i = r.begin; i < r.end; i++) {
        if (!model_block_is_position(m, i)) continue;
        vec3 d = vec3_sub(vec3_load(x + 3 * i), target_of(o, i - r.begin));
        sum += 0.5 * vec3_norm2(d);
        if (by) vec3_store(by + 3 * i, vec3_mul_add(vec3_load(by + 3 * i), o->weight, d));
    }
    return sum;
}

static abut_status positions(const objective *o, stepper *s, const objective_state *at,
                             double *value, double *by_x, double *by_v, abut_error *err)
{
    (void)by_v, (void)err;
    *value = distances(o, s->model, at->x, by_x);
    return ABUT_OK;
}

static abut_status velocities(const objective *o, stepper *s, const objective_state *at,
                              double *value, double *by_x, double *by_v, abut_error *err)
{
    (void)by_x, (void)err;
    *value = distances(o, s->model, at->v, by_v);
    return ABUT_OK;
}

/* ---- distance to a cloud of points ---- */

static vec3 nearest_of(const objective *o, vec3 x)
{
    vec3 best = vec3_load(o->target.data);
    for (size_t k = 3; k + 2 < o->target.count; k += 3) {
        vec3 point = vec3_load(o->target.data + k);
        if (vec3_norm2(vec3_sub(x, point)) < vec3_norm2(vec3_sub(x, best))) best = point;
    }
    return best;
}

static abut_status cloud(const objective *o, stepper *s, const objective_state *at, double *value,
                         double *by_x, double *by_v, abut_error *err)
{
    (void)by_v, (void)err;
    block_range r = range_of(s->model, o->body);
    *value = 0;
    for (size_t i = r.begin; i < r.end; i++) {
        if (!model_block_is_position(s->model, i)) continue;
        vec3 x = vec3_load(at->x + 3 * i), d = vec3_sub(x, nearest_of(o, x));
        *value += 0.5 * vec3_norm2(d);
        if (by_x) vec3_store(by_x + 3 * i, vec3_mul_add(vec3_load(by_x + 3 * i), o->weight, d));
    }
    return ABUT_OK;
}

/* From its target to the centre of mass. */
static vec3 center_offset(const objective *o, const model *m, const double *x, double *mass)
{
    block_range r = range_of(m, o->body);
    vec3 sum = {0};
    *mass = 0;
    for (size_t i = r.begin; i < r.end; i++) {
        if (!model_block_is_position(m, i)) continue;
        sum = vec3_mul_add(sum, m->load_mass.data[i], vec3_load(x + 3 * i));
        *mass += m->load_mass.data[i];
    }
    return vec3_sub(vec3_scale(1 / *mass, sum), target_of(o, 0));
}

static abut_status center(const objective *o, stepper *s, const objective_state *at, double *value,
                          double *by_x, double *by_v, abut_error *err)
{
    (void)by_v, (void)err;
    const model *m = s->model;
    block_range r = range_of(m, o->body);
    double mass;
    vec3 d = center_offset(o, m, at->x, &mass);
    *value = 0.5 * vec3_norm2(d);
    for (size_t i = r.begin; by_x && i < r.end; i++) {
        if (!model_block_is_position(m, i)) continue;
        double share = o->weight * m->load_mass.data[i] / mass;
        vec3_store(by_x + 3 * i, vec3_mul_add(vec3_load(by_x + 3 * i), share, d));
    }
    return ABUT_OK;
}

/* ---- energies ---- */

static abut_status kinetic(const objective *o, stepper *s, const objective_state *at, double *value,
                           double *by_x, double *by_v, abut_error *err)
{
    (void)by_x;
    size_t n = s->state.scalars;
    double *momentum = mem_alloc(n, sizeof *momentum);
    if (!momentum) return error_memory(err, "computing an objective");
    inertia_multiply(s->inertia, at->v, momentum);
    *value = 0;
    for (size_t i = 0; i < n; i++) {
        *value += 0.5 * momentum[i] * at->v[i];
        if (by_v) by_v[i] += o->weight * momentum[i];
    }
    mem_free(momentum);
    return ABUT_OK;
}

static void add_energy(const term *t, double weight, const double *x, double *value, double *by_x)
{
    evaluation unit = evaluation_unit(), weighted = unit;
    weighted.force_factor = weight;
    *value += t->class->value(t, &unit, x);
    if (by_x) term_add_gradient(t, &weighted, x, by_x);
}

static abut_status elastic(const objective *o, stepper *s, const objective_state *at, double *value,
                           double *by_x, double *by_v, abut_error *err)
{
    (void)by_v, (void)err;
    *value = 0;
    add_energy(&s->elastic->base, o->weight, at->x, value, by_x);
    for (size_t i = 0; i < s->terms.count; i++)
        if (!s->terms.data[i].row->is_limit)
            add_energy(s->terms.data[i].term, o->weight, at->x, value, by_x);
    return ABUT_OK;
}

/* ---- stress ---- */

/* The mean of |P|^8 over the volume, to the power 1/8: near the largest, and smooth. P is the first
 * Piola-Kirchhoff stress, |P| the root of the sum of squares; its derivative by F is H : P / |P|.
 */
enum { STRESS_POWER = 8 };

static mat3 tet_stress(const stepper *s, size_t e, const double *x, tet4_rest *rest, mat3 *change)
{
    const model *m = s->model;
    const elastic_parameters *material = &m->bodies.data[m->tet_body.data[e]].material;
    vec3 position[4];
    double hessian[81];
    *rest = *model_tet_rest(m, e, rest);
    for (size_t k = 0; k < 4; k++) position[k] = vec3_load(x + 3 * (size_t)m->tets.data[4 * e + k]);
    mat3 f = tet4_deformation(rest, position), p = elastic_stress(material, f);
    if (!change) return p;
    elastic_hessian(material, f, false, hessian);
    for (int i = 0; i < 9; i++) {
        change->m[i / 3][i % 3] = 0;
        for (int k = 0; k < 9; k++)
            change->m[i / 3][i % 3] += hessian[9 * i + k] * p.m[k / 3][k % 3];
    }
    return p;
}

static double size_of(mat3 p)
{
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += p.m[i / 3][i % 3] * p.m[i / 3][i % 3];
    return sqrt(sum);
}

/* Adds factor times the derivative by F, H : P, through the gradients of the nodes at rest. */
static void add_tet(const int32_t *nodes, const tet4_rest *rest, double factor, mat3 by_f,
                    double *by_x)
{
    for (int a = 0; a < 3; a++) {
        vec3 g = {rest->dm_inverse.m[a][0], rest->dm_inverse.m[a][1], rest->dm_inverse.m[a][2]};
        vec3 part = vec3_scale(factor, mat3_mul_vec(by_f, g));
        double *at = by_x + 3 * (size_t)nodes[a + 1], *first = by_x + 3 * (size_t)nodes[0];
        vec3_store(at, vec3_add(vec3_load(at), part));
        vec3_store(first, vec3_sub(vec3_load(first), part));
    }
}

static abut_status stress(const objective *o, stepper *s, const objective_state *at, double *value,
                          double *by_x, double *by_v, abut_error *err)
{
    (void)by_v, (void)err;
    const model_body *b = &s->model->bodies.data[o->body];
    double sum = 0, volume = 0;
    tet4_rest rest;
    for (size_t e = b->first_tet; e < b->first_tet + b->tet_count; e++) {
        double size = size_of(tet_stress(s, e, at->x, &rest, NULL));
        sum += rest.volume * pow(size, STRESS_POWER);
        volume += rest.volume;
    }
    *value = pow(sum / volume, 1.0 / STRESS_POWER);
    if (!by_x || !(sum > 0)) return ABUT_OK;
    for (size_t e = b->first_tet; e < b->first_tet + b->tet_count; e++) {
        mat3 change;
        double size = size_of(tet_stress(s, e, at->x, &rest, &change));
        double factor =
            o->weight * rest.volume / volume * pow(size / *value, STRESS_POWER - 2) / *value;
        add_tet(s->model->tets.data + 4 * e, &rest, factor, change, by_x);
    }
    return ABUT_OK;
}

/* With S^8 = A/W, A = sum of V |P|^8, W = sum of V: dV = V g_a . dX_a, and F = Ds Dm^-1 changes by
 * -F dX_a g_a^T, so that P . dP = -(F^T H:P) g_a . dX_a. */
static void stress_by_rest(const objective *o, stepper *s, const objective_state *at, double *out)
{
    const model *m = s->model;
    const model_body *b = &m->bodies.data[o->body];
    double sum = 0, volume = 0;
    tet4_rest rest;
    for (size_t e = b->first_tet; e < b->first_tet + b->tet_count; e++) {
        double size = size_of(tet_stress(s, e, at->x, &rest, NULL));
        sum += rest.volume * pow(size, STRESS_POWER);
        volume += rest.volume;
    }
    double part = o->weight * pow(sum / volume, 1.0 / STRESS_POWER) / STRESS_POWER;
    for (size_t e = b->first_tet; sum > 0 && e < b->first_tet + b->tet_count; e++) {
        mat3 change;
        vec3 position[4];
        const int32_t *nodes = m->tets.data + 4 * e;
        double size = size_of(tet_stress(s, e, at->x, &rest, &change));
        for (size_t k = 0; k < 4; k++) position[k] = vec3_load(at->x + 3 * (size_t)nodes[k]);
        mat3 f = tet4_deformation(&rest, position);
        double spread = part * (pow(size, STRESS_POWER) / sum - 1 / volume) * rest.volume;
        double turn = -part * STRESS_POWER * pow(size, STRESS_POWER - 2) / sum * rest.volume;
        mat3 by = mat3_scale(turn, mat3_mul(mat3_transpose(f), change));
        for (int i = 0; i < 3; i++) by.m[i][i] += spread;
        add_tet(nodes, &rest, 1, by, out);
    }
}

/* ---- contact forces ---- */

/* Sum of the barrier's forces on the vertices of a body. */
static vec3 force_on(const stepper *s, int32_t body, double factor, vec3 *each)
{
    const body_surface *surface = &s->model->bodies.data[body].surface;
    vec3 sum = {0};
    contact_add_normal_forces(s->contact, &s->evaluation, factor, each);
    for (size_t v = 0; v < surface->vertex_count; v++)
        sum = vec3_add(sum, each[surface->first_vertex + v]);
    return sum;
}

/* Weights of a vertex add up to 1, so that the sum over the vertices of a body is that over its
 * positions. */
static abut_status contact_force(const objective *o, stepper *s, const objective_state *at,
                                 double *value, double *by_x, double *by_v, abut_error *err)
{
    (void)by_v;
    const model *m = s->model;
    block_range r = range_of(m, o->body);
    size_t n = s->state.scalars;
    double factor = stepper_contact_factor(s);
    double *work = mem_calloc(2 * n, sizeof *work);
    vec3 *each = mem_calloc(m->surface.rows.count + 1, sizeof *each);
    if (!work || !each) {
        mem_free(work);
        mem_free(each);
        return error_memory(err, "computing an objective");
    }
    hessian_part part = {&s->contact->base, &s->evaluation, NULL};
    vec3 force = force_on(s, o->body, factor, each);
    vec3 d = vec3_sub(force, target_of(o, 0));
    *value = 0.5 * vec3_norm2(d);
    abut_status status = ABUT_OK;
    if (by_x) {
        for (size_t i = r.begin; i < r.end; i++)
            if (model_block_is_position(m, i))
                vec3_store(work + 3 * i, vec3_scale(-o->weight / factor, d));
        status = hessian_times(s, &part, at->x, work, work + n, err);
        for (size_t i = 0; i < n; i++) by_x[i] += work[n + i];
    }
    mem_free(work);
    mem_free(each);
    return status;
}

/* ---- what is squared ---- */

static abut_status push_residual(const objective *o, vec3 d, residual_list *out, abut_error *err)
{
    double part[3], factor = sqrt(o->weight);
    vec3_store(part, d);
    for (int c = 0; c < 3; c++)
        if (!array_push(&out->values, factor * part[c]))
            return error_memory(err, "computing an objective");
    return ABUT_OK;
}

static abut_status residuals_of(const objective *o, const model *m, const double *x,
                                residual_list *out, abut_error *err)
{
    block_range r = range_of(m, o->body);
    for (size_t i = r.begin; i < r.end; i++) {
        if (!model_block_is_position(m, i)) continue;
        vec3 at = vec3_load(x + 3 * i), to = target_of(o, i - r.begin);
        if (o->kind == ABUT_OBJECTIVE_CLOUD) to = nearest_of(o, at);
        TRY(push_residual(o, vec3_sub(at, to), out, err));
    }
    return ABUT_OK;
}

static abut_status position_residuals(const objective *o, stepper *s, const objective_state *at,
                                      residual_list *out, abut_error *err)
{
    return residuals_of(o, s->model, at->x, out, err);
}

static abut_status velocity_residuals(const objective *o, stepper *s, const objective_state *at,
                                      residual_list *out, abut_error *err)
{
    return residuals_of(o, s->model, at->v, out, err);
}

static abut_status center_residuals(const objective *o, stepper *s, const objective_state *at,
                                    residual_list *out, abut_error *err)
{
    double mass;
    return push_residual(o, center_offset(o, s->model, at->x, &mass), out, err);
}

static abut_status force_residuals(const objective *o, stepper *s, const objective_state *at,
                                   residual_list *out, abut_error *err)
{
    (void)at;
    vec3 *each = mem_calloc(s->model->surface.rows.count + 1, sizeof *each);
    if (!each) return error_memory(err, "computing an objective");
    vec3 force = force_on(s, o->body, stepper_contact_factor(s), each);
    mem_free(each);
    return push_residual(o, vec3_sub(force, target_of(o, 0)), out, err);
}

/* ---- of the caller ---- */

static bool finite_sum(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

static abut_status function(const objective *o, stepper *s, const objective_state *at,
                            double *value, double *by_x, double *by_v, abut_error *err)
{
    size_t n = s->state.scalars;
    double *work = by_x ? mem_calloc(2 * n, sizeof *work) : NULL;
    if (by_x && !work) return error_memory(err, "computing an objective");
    *value = o->function(o->user, at->time, n, at->x, at->v, work, work ? work + n : NULL);
    bool ok = isfinite(*value) && (!work || finite_sum(work, 2 * n));
    for (size_t i = 0; ok && work && i < n; i++) {
        by_x[i] += o->weight * work[i];
        by_v[i] += o->weight * work[n + i];
    }
    mem_free(work);
    if (ok) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "objective",
                     "the function of the caller returned something that is no number at %g s",
                     at->time);
}

/* ---- the table ---- */

typedef struct objective_row {
    const char *name;
    unsigned reads;     /* besides the state: OBJECTIVE_READS_... */
    bool one_target;    /* 3 numbers; else 3 per node, or 3 for all */
    bool needs_contact; /* and a body */
    bool needs_nodes;   /* rigid bodies have no nodes for it */
    bool any_target;    /* as many points as one likes, at least one */
    bool needs_tets;    /* the body has linear tetrahedra */
    abut_status (*evaluate)(const objective *o, stepper *s, const objective_state *at,
                            double *value, double *by_x, double *by_v, abut_error *err);
    /* Adds derivatives by rest positions, weight included (3 per block); NULL: there is none. */
    void (*by_rest)(const objective *o, stepper *s, const objective_state *at, double *out);
    /* Appends what is squared; NULL: it is no half sum of squares. */
    abut_status (*residuals)(const objective *o, stepper *s, const objective_state *at,
                             residual_list *out, abut_error *err);
} objective_row;

static const objective_row rows[] = {
    [ABUT_OBJECTIVE_POSITIONS] = {"positions", .evaluate = positions,
                                  .residuals = position_residuals},
    [ABUT_OBJECTIVE_VELOCITIES] = {"velocities", .evaluate = velocities,
                                   .residuals = velocity_residuals},
    [ABUT_OBJECTIVE_CENTER] = {"center", OBJECTIVE_READS_MASS, .one_target = true,
                               .evaluate = center, .residuals = center_residuals},
    [ABUT_OBJECTIVE_KINETIC] = {"kinetic", OBJECTIVE_READS_MASS, .one_target = true,
                                .needs_nodes = true, .evaluate = kinetic},
    [ABUT_OBJECTIVE_ELASTIC] = {"elastic", OBJECTIVE_READS_MATERIAL | OBJECTIVE_READS_SHAPE,
                                .one_target = true, .needs_nodes = true, .evaluate = elastic},
    [ABUT_OBJECTIVE_CONTACT_FORCE] = {"contact_force", OBJECTIVE_READS_CONTACT, .one_target = true,
                                      .needs_contact = true, .evaluate = contact_force,
                                      .residuals = force_residuals},
    [ABUT_OBJECTIVE_FUNCTION] = {"function", .evaluate = function},
    [ABUT_OBJECTIVE_CLOUD] = {"cloud", .needs_nodes = true, .any_target = true, .evaluate = cloud,
                              .residuals = position_residuals},
    [ABUT_OBJECTIVE_STRESS] = {"stress", OBJECTIVE_READS_MATERIAL | OBJECTIVE_READS_SHAPE,
                               .one_target = true, .needs_tets = true, .evaluate = stress,
                               .by_rest = stress_by_rest},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

bool objective_find(const char *name, abut_objective_kind *out)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *out = (abut_objective_kind)i;
            return true;
        }
    return false;
}

unsigned objective_reads(const objective *o) { return rows[o->kind].reads; }

const char *objective_name(const objective *o) { return rows[o->kind].name; }

static abut_status find_body(const model *m, const char *name, int32_t *out, abut_error *err)
{
    *out = -1;
    for (size_t i = 0; name && i < m->bodies.count; i++)
        if (strcmp(m->bodies.data[i].name, name) == 0) *out = (int32_t)i;
    if (!name || *out >= 0) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "objective.body", "there is no body \"%s\"", name);
}

static abut_status copy_numbers(const double *from, size_t count, double *to, abut_error *err)
{
    if (count) memcpy(to, from, count * sizeof *to);
    return finite_sum(to, count) ? ABUT_OK
                                 : error_set(err, ABUT_ERROR_INPUT, "objective", "not a number");
}

static abut_status take_targets(const abut_objective *from, const objective_row *row,
                                const model *m, objective *out, abut_error *err)
{
    block_range r = range_of(m, out->body);
    size_t moments = from->time_count ? from->time_count : 1;
    size_t most = row->one_target ? 3 : 3 * (r.end - r.begin), count = from->target_count;
    out->part = count / moments;
    bool fits = row->any_target ? count > 0 && out->part % 3 == 0
                                : count == 0 || out->part == 3 || out->part == most;
    if (!fits || out->part * moments != count)
        return error_set(err, ABUT_ERROR_INPUT, "objective.target",
                         "%zu numbers for %zu times; 3 or %zu for each fit", count, moments, most);
    if (from->time_count && count == 0)
        return error_set(err, ABUT_ERROR_INPUT, "objective.target", "times need targets");
    for (size_t i = 1; i < from->time_count; i++)
        if (!(from->times[i] > from->times[i - 1]))
            return error_set(err, ABUT_ERROR_INPUT, "objective.times", "%g s after %g s",
                             from->times[i], from->times[i - 1]);
    if (!isfinite(from->weight))
        return error_set(err, ABUT_ERROR_INPUT, "objective.weight", "not a number");
    if (!array_resize(&out->target, count) || !array_resize(&out->times, from->time_count))
        return error_memory(err, "an objective");
    TRY(copy_numbers(from->times, from->time_count, out->times.data, err));
    return copy_numbers(from->target, count, out->target.data, err);
}

abut_status objective_make(const abut_objective *from, const stepper *s, objective *out,
                           abut_error *err)
{
    *out = (objective){.kind = from->kind,
                       .weight = from->weight,
                       .from = from->from,
                       .until = from->until,
                       .last = from->last,
                       .function = from->function,
                       .user = from->user};
    if ((size_t)from->kind >= ROWS)
        return error_set(err, ABUT_ERROR_INPUT, "objective", "no such kind");
    const objective_row *row = &rows[from->kind];
    TRY(find_body(s->model, from->body, &out->body, err));
    if (row->needs_contact && (!s->contact || out->body < 0))
        return error_set(err, ABUT_ERROR_INPUT, "objective",
                         "\"%s\" needs a body, and contact in the scene", row->name);
    if (row->needs_tets && (out->body < 0 || s->model->bodies.data[out->body].tet_count == 0))
        return error_set(err, ABUT_ERROR_INPUT, "objective",
                         "\"%s\" needs a body of linear tetrahedra", row->name);
    if (row->needs_nodes && s->model->rigids.count > 0)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "objective",
                         "\"%s\" has no derivative with rigid or affine bodies", row->name);
    if (from->kind == ABUT_OBJECTIVE_FUNCTION && !from->function)
        return error_set(err, ABUT_ERROR_INPUT, "objective", "there is no function");
    return take_targets(from, row, s->model, out, err);
}

/* Whether an objective counts at the end of a step, and with which targets: *now is it then. */
static bool counts(const objective *o, const stepper *s, const objective_state *at, objective *now)
{
    *now = *o;
    if (o->times.count == 0)
        return o->last ? at->is_last : at->time >= o->from - 1e-12 && at->time <= o->until + 1e-12;
    double half = 0.5 * s->options.h; /* of two steps that are as near, the first */
    for (size_t k = 0; k < o->times.count; k++) {
        double late = at->time - o->times.data[k];
        if (late < -half * (1 + 1e-9) || late > half * (1 - 1e-9)) continue;
        now->target.data += k * o->part;
        now->target.count = o->part;
        return true;
    }
    return false;
}

abut_status objective_value(const objective *o, stepper *s, const objective_state *at,
                            double *value, abut_error *err)
{
    objective now;
    *value = 0;
    if (!counts(o, s, at, &now)) return ABUT_OK;
    TRY(rows[o->kind].evaluate(&now, s, at, value, NULL, NULL, err));
    *value *= o->weight;
    return ABUT_OK;
}

abut_status objective_derivative(const objective *o, stepper *s, const objective_state *at,
                                 double *by_x, double *by_v, abut_error *err)
{
    double value;
    objective now;
    if (!counts(o, s, at, &now)) return ABUT_OK;
    return rows[o->kind].evaluate(&now, s, at, &value, by_x, by_v, err);
}

bool objective_is_square(const objective *o)
{
    return rows[o->kind].residuals != NULL && o->weight >= 0;
}

abut_status objective_residuals(const objective *o, stepper *s, const objective_state *at,
                                residual_list *out, abut_error *err)
{
    objective now;
    if (!counts(o, s, at, &now)) return ABUT_OK;
    return rows[o->kind].residuals(&now, s, at, out, err);
}

bool objective_has_rest(const objective *o) { return rows[o->kind].by_rest != NULL; }

void objective_by_rest(const objective *o, stepper *s, const objective_state *at, double *out)
{
    objective now;
    if (rows[o->kind].by_rest && counts(o, s, at, &now)) rows[o->kind].by_rest(&now, s, at, out);
}

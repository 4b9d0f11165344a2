#include "sim/remesh_carry.h"

#include "remesh/safe_project.h"

#include <math.h>
#include <string.h>

enum { MAX_ARRAYS = STEPPER_MAX_ARRAYS };

size_t built_body(const scene_def *scene, size_t i)
{
    size_t index = 0;
    for (size_t k = 0; k < i; k++) index += scene->bodies[k].enabled;
    return index;
}

void body_change_free(body_change *c)
{
    mesh_free(&c->now.shape);
    mem_free(c->now.sets);
    mem_free(c->next);
    mem_free(c->safe);
    for (size_t i = 0; i < CARRY_MAX_FIELDS; i++) mem_free(c->field[i]);
    memset(c, 0, sizeof *c);
}

simplex_mesh simplex_view(const mesh *shape, bool planar)
{
    const cell_block *cells = mesh_find(shape, planar ? CELL_TRIANGLE : CELL_TET);
    return (simplex_mesh){.dimension = planar ? 2 : 3,
                          .vertex_count = shape->vertex_count,
                          .vertices = shape->vertices,
                          .cell_count = cells->count,
                          .cells = cells->nodes};
}

/* motion_arrays: x, v, a, x_old, v_old, x_old2, v_old2, ... */
static bool is_position(size_t field) { return field == 0 || (field >= 3 && field % 2 == 1); }

bool carried_position(const motion_state *s, size_t field)
{
    if (!is_position(field)) return false;
    if (field == 0) return true;
    return motion_rule(s)->order > 1 && s->steps >= (int64_t)(field - 1) / 2;
}

abut_status body_change_interpolate(const stepper *s, const body_shape *old, size_t built,
                                    body_change *c, abut_error *err)
{
    bool planar = s->model->planar;
    simplex_mesh from = simplex_view(&old->shape, planar), to = simplex_view(&c->now.shape, planar);
    interpolation rows;
    TRY(interpolation_make(&from, &to, &rows, err));
    state_array arrays[CARRY_MAX_FIELDS];
    motion_state state = s->state; /* only read */
    c->field_count = motion_arrays(&state, "", arrays, CARRY_MAX_FIELDS);
    size_t first = 3 * (size_t)s->model->bodies.data[built].first_block;
    bool ok = true;
    for (size_t k = 0; ok && k <= c->field_count; k++) {
        double *out = mem_alloc(3 * to.vertex_count + 1, sizeof *out);
        ok = out != NULL;
        if (k == c->field_count)
            c->next = out;
        else
            c->field[k] = out;
        const double *values = k == c->field_count ? s->x : arrays[k].doubles;
        if (ok) interpolate(&rows, &from, values + first, out);
    }
    interpolation_free(&rows);
    return ok ? ABUT_OK : error_memory(err, "carrying a state over");
}

/* ---- conditions ---- */

/* Where the new nodes of a condition were when it began: means of their neighbours of the old mesh
 * that belong to it. */
static void carry_starts(const condition *new, const interpolation *rows, const simplex_mesh *from,
                         int32_t new_first, const double *rest, const double *old_start_of)
{
    for (size_t i = 0; i < new->nodes.count; i++) {
        const interpolation_row *row = &rows->rows.data[new->nodes.data[i] - new_first];
        const int32_t *corner = from->cells + (size_t)row->cell * (size_t)(from->dimension + 1);
        vec3 sum = {0};
        double weight = 0;
        for (int k = 0; k <= from->dimension; k++) {
            const double *start = old_start_of + 3 * (size_t)corner[k];
            if (!(row->weight[k] > 1e-9) || !isfinite(start[0])) continue;
            sum = vec3_mul_add(sum, row->weight[k], vec3_load(start));
            weight += row->weight[k];
        }
        if (weight > 0)
            vec3_store(new->start + 3 * i, vec3_scale(1 / weight, sum));
        else
            vec3_store(new->start + 3 * i, vec3_load(rest + 3 * (size_t) new->nodes.data[i]));
    }
}

static abut_status carry_changed_condition(const condition *old, const condition *new,
                                           const interpolation *rows, const simplex_mesh *from,
                                           int32_t old_first, int32_t new_first, const double *rest,
                                           abut_error *err)
{
    double *start = mem_alloc(3 * from->vertex_count + 1, sizeof *start);
    if (!start) return error_memory(err, "carrying conditions over");
    for (size_t i = 0; i < 3 * from->vertex_count; i++) start[i] = INFINITY;
    for (size_t i = 0; i < old->nodes.count; i++)
        memcpy(start + 3 * (size_t)(old->nodes.data[i] - old_first), old->start + 3 * i,
               3 * sizeof *start);
    carry_starts(new, rows, from, new_first, rest, start);
    mem_free(start);
    return ABUT_OK;
}

/* Conditions come in the order of the bodies, those of body i first its `fix`, then its motion. */
static abut_status carry_conditions(const stepper *from, stepper *to, const scene_def *scene,
                                    const body_shapes *old, const body_change *changes,
                                    abut_error *err)
{
    size_t at = 0;
    for (size_t i = 0; i < scene->body_count; i++) {
        const body_def *def = &scene->bodies[i];
        if (!def->enabled || body_rows[def->type]->whole) continue;
        size_t count = def->dirichlet.fix_count +
                       (body_rows[def->type]->obstacle || def->sequence.given ? 1 : 0);
        size_t b = built_body(scene, i);
        interpolation rows = {0};
        simplex_mesh source = {0};
        abut_status status = ABUT_OK;
        if (changes[i].changed && count > 0) {
            simplex_mesh target = simplex_view(&changes[i].now.shape, from->model->planar);
            source = simplex_view(&old->bodies[i].shape, from->model->planar);
            status = interpolation_make(&source, &target, &rows, err);
        }
        for (size_t k = 0; status == ABUT_OK && k < count; k++, at++) {
            const condition *a = &from->dirichlet.conditions.data[at],
                            *c = &to->dirichlet.conditions.data[at];
            *c->began = *a->began;
            if (!*a->began) continue;
            if (changes[i].changed)
                status = carry_changed_condition(a, c, &rows, &source,
                                                 from->model->bodies.data[b].first_block,
                                                 to->model->bodies.data[b].first_block,
                                                 (const double *)to->model->rest.data, err);
            else
                memcpy(c->start, a->start, 3 * a->nodes.count * sizeof *a->start);
        }
        interpolation_free(&rows);
        TRY(status);
    }
    return ABUT_OK;
}

/* ---- fields ---- */

enum { FIELD_NEXT = CARRY_MAX_FIELDS, FIELD_SAFE };

static const double *changed_field(const body_change *c, size_t field)
{
    if (field == FIELD_SAFE && c->safe) return c->safe;
    return field >= FIELD_NEXT ? c->next : c->field[field];
}

/* Blocks of every body that has kept its mesh; the others from their changes. */
static void copy_blocks(const stepper *from, const stepper *to, const scene_def *scene,
                        const body_change *changes, size_t field, const double *old, double *new)
{
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!scene->bodies[i].enabled) continue;
        size_t b = built_body(scene, i);
        const model_body *x = &from->model->bodies.data[b], *y = &to->model->bodies.data[b];
        const double *source = old + 3 * (size_t)x->first_block;
        if (changes[i].changed) source = changed_field(&changes[i], field);
        memcpy(new + 3 * (size_t)y->first_block, source,
               3 * (size_t)(y->block_count + y->angle_count) * sizeof *new);
    }
}

/* Prescribed scalars, which a projection leaves as they are. */
static void mark_fixed(const stepper *s, uint8_t *fixed)
{
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++) {
        const condition *c = &s->dirichlet.conditions.data[k];
        if (!condition_active(c, s->time)) continue;
        for (size_t i = 0; i < c->nodes.count; i++)
            for (int axis = 0; axis < 3; axis++)
                if (c->axes & 1 << axis) fixed[3 * (size_t)c->nodes.data[i] + (size_t)axis] = 1;
    }
    for (size_t i = 0; s->model->planar && i < s->model->rest.count; i++) fixed[3 * i + 2] = 1;
}

/* Densities of the cells of a body, in the order of its mesh. */
static abut_status cell_densities(const scene_def *scene, size_t i, const mesh *shape, bool planar,
                                  double **out, abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    const cell_block *cells = mesh_find(shape, planar ? CELL_TRIANGLE : CELL_TET);
    *out = mem_alloc(cells->count + 1, sizeof **out);
    if (!*out) return error_memory(err, "projecting");
    for (size_t c = 0; c < cells->count; c++) {
        int32_t region = cells->tags && def->solid.region_count > 0 ? cells->tags[c] : 0;
        (*out)[c] =
            region > 0 ? def->solid.regions[region - 1].material.density : def->material.density;
    }
    return ABUT_OK;
}

/* Projects the fields of one body; of positions, the goals go to `goal` (one array per field). */
static abut_status project_body(const stepper *from, stepper *to, const scene_def *scene, size_t i,
                                const body_shapes *old, const body_change *change,
                                const uint8_t *fixed, double **goal, abut_error *err)
{
    bool planar = from->model->planar;
    simplex_mesh source = simplex_view(&old->bodies[i].shape, planar);
    simplex_mesh target = simplex_view(&change->now.shape, planar);
    size_t b = built_body(scene, i);
    size_t old_first = 3 * (size_t)from->model->bodies.data[b].first_block;
    size_t new_first = 3 * (size_t)to->model->bodies.data[b].first_block;
    double *density[2] = {NULL, NULL};
    mesh_overlap overlap = {0};
    abut_status status = cell_densities(scene, i, &old->bodies[i].shape, planar, &density[0], err);
    if (status == ABUT_OK)
        status = cell_densities(scene, i, &change->now.shape, planar, &density[1], err);
    source.density = density[0];
    target.density = density[1];
    if (status == ABUT_OK) status = mesh_overlap_make(&source, &target, &overlap, err);
    state_array before[CARRY_MAX_FIELDS], after[CARRY_MAX_FIELDS];
    motion_state state = from->state; /* only read */
    size_t count = motion_arrays(&state, "", before, CARRY_MAX_FIELDS);
    motion_arrays(&to->state, "", after, CARRY_MAX_FIELDS);
    for (size_t k = 0; status == ABUT_OK && k < count; k++) {
        double *out = goal[k] ? goal[k] : after[k].doubles;
        status = l2_project(&overlap, &source, &target, fixed + new_first,
                            before[k].doubles + old_first, out + new_first, err);
    }
    mesh_overlap_free(&overlap);
    mem_free(density[0]);
    mem_free(density[1]);
    return status;
}

/* Projections of all bodies that need them; positions of all of them together. */
static abut_status project_fields(const stepper *from, stepper *to, const scene_def *scene,
                                  const body_shapes *old, const body_change *changes,
                                  size_t *projections, abut_error *err)
{
    size_t scalars = to->state.scalars;
    state_array after[CARRY_MAX_FIELDS];
    size_t count = motion_arrays(&to->state, "", after, CARRY_MAX_FIELDS);
    double *goal[CARRY_MAX_FIELDS] = {NULL};
    uint8_t *fixed = mem_calloc(scalars + 1, 1), *still = mem_alloc(scalars + 1, 1);
    abut_status status = fixed && still ? ABUT_OK : error_memory(err, "projecting");
    for (size_t k = 0; status == ABUT_OK && k < count; k++) {
        if (!carried_position(&to->state, k)) continue;
        goal[k] = mem_alloc(scalars + 1, sizeof(double));
        if (!goal[k])
            status = error_memory(err, "projecting");
        else
            memcpy(goal[k], after[k].doubles, scalars * sizeof(double));
    }
    if (status == ABUT_OK) {
        mark_fixed(to, fixed);
        memset(still, 1, scalars);
    }
    for (size_t i = 0; status == ABUT_OK && i < scene->body_count; i++) {
        if (!changes[i].changed || changes[i].nested) continue;
        const model_body *body = &to->model->bodies.data[built_body(scene, i)];
        size_t first = 3 * (size_t)body->first_block, n = 3 * (size_t)body->block_count;
        memcpy(still + first, fixed + first, n);
        status = project_body(from, to, scene, i, old, &changes[i], fixed, goal, err);
    }
    for (size_t k = 0; status == ABUT_OK && k < count; k++) {
        if (!goal[k]) continue;
        safe_projection result;
        status = safe_project(to->model, to->contact, &to->options.linear, still, goal[k],
                              after[k].doubles, &result, err);
        if (status == ABUT_OK) ++*projections;
    }
    for (size_t k = 0; k < CARRY_MAX_FIELDS; k++) mem_free(goal[k]);
    mem_free(fixed);
    mem_free(still);
    return status;
}

/* Arrays that do not belong to nodes: of rigid bodies, and stiffnesses. */
static void copy_others(state_array *before, size_t n, state_array *after, size_t m)
{
    for (size_t i = 0; i < n; i++) {
        if (strncmp(before[i].name, "linear_", 7) == 0 ||
            strncmp(before[i].name, "condition_", 10) == 0)
            continue;
        for (size_t k = 0; k < m; k++) {
            if (strcmp(before[i].name, after[k].name) != 0) continue;
            if (before[i].count != after[k].count) continue;
            if (before[i].doubles)
                memcpy(after[k].doubles, before[i].doubles, before[i].count * sizeof(double));
            else
                memcpy(after[k].ints, before[i].ints, before[i].count * sizeof(int32_t));
        }
    }
}

void carry_safe_positions(const stepper *from, const stepper *to, const scene_def *scene,
                          const body_change *changes, double *out)
{
    copy_blocks(from, to, scene, changes, FIELD_SAFE, from->x, out);
}

abut_status carry_state(stepper *from, stepper *to, const scene_def *scene, const body_shapes *old,
                        const body_change *changes, double *guess, size_t *projections,
                        abut_error *err)
{
    state_array *before = mem_calloc(MAX_ARRAYS, sizeof *before);
    state_array *after = mem_calloc(MAX_ARRAYS, sizeof *after);
    if (!before || !after) {
        mem_free(before);
        mem_free(after);
        return error_memory(err, "carrying a state over");
    }
    size_t nodal = motion_arrays(&from->state, "", before, MAX_ARRAYS);
    size_t n = stepper_state(from, before, MAX_ARRAYS), m = stepper_state(to, after, MAX_ARRAYS);
    copy_others(before + nodal, n - nodal, after + nodal, m - nodal);
    for (size_t k = 0; k < nodal; k++)
        copy_blocks(from, to, scene, changes, k, before[k].doubles, after[k].doubles);
    copy_blocks(from, to, scene, changes, FIELD_NEXT, from->x, guess);
    to->state.steps = from->state.steps;
    to->rigid.turn.steps = from->rigid.turn.steps;
    to->state.in_substeps = to->rigid.turn.in_substeps = from->state.in_substeps;
    to->time = from->time;
    to->scratch.span = from->scratch.span;
    stepper_restart_terms(to);
    memcpy(to->timer.seconds, from->timer.seconds, sizeof to->timer.seconds);
    abut_status status = stepper_restore_poses(to, err);
    if (status == ABUT_OK) status = carry_conditions(from, to, scene, old, changes, err);
    bool project = false;
    for (size_t i = 0; i < scene->body_count; i++)
        project = project || (changes[i].changed && !changes[i].nested);
    if (status == ABUT_OK && project)
        status = project_fields(from, to, scene, old, changes, projections, err);
    mem_free(before);
    mem_free(after);
    return status;
}

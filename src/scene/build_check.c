#include "scene/build_check.h"

#include "base/ranks.h"
#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- */
/* Masses                                                                                         */

enum { UNUSED, USED_BY_POINTS, USED };

static void mark_used(const mesh *shape, uint8_t *use)
{
    for (int b = 0; b < shape->block_count; b++) {
        const cell_block *block = &shape->blocks[b];
        uint8_t by = block->kind == CELL_POINT ? USED_BY_POINTS : USED;
        for (size_t i = 0; i < block->count * (size_t)block->nodes_per_cell; i++)
            if (use[block->nodes[i]] < by) use[block->nodes[i]] = by;
    }
}

abut_status check_masses(const mesh *shape, const model *m, const model_body *body,
                         const char *place, const logger *log, abut_error *err)
{
    uint8_t *use = mem_calloc(shape->vertex_count + 1, 1);
    if (!use) return error_memory(err, "checking masses");
    mark_used(shape, use);
    size_t left_out = 0, first = 0;
    abut_status status = ABUT_OK;
    for (size_t i = 0; status == ABUT_OK && i < shape->vertex_count; i++) {
        int32_t block = body->block_of_vertex[i];
        if (block >= 0 && !(m->mass.data[block] > 0 && isfinite(m->mass.data[block])))
            status = error_set(err, ABUT_ERROR_INPUT, place,
                               "node %zu of \"%.60s\" has the mass %g kg; masses must be positive",
                               i, body->name, m->mass.data[block]);
        if (block < 0 && use[i] == USED)
            status = error_set(err, ABUT_ERROR_INPUT, place,
                               "node %zu of \"%.60s\" has no mass: it belongs to edges or faces of "
                               "the mesh, but to none of its tetrahedra",
                               i, body->name);
        if (block < 0 && left_out++ == 0) first = i;
    }
    mem_free(use);
    if (status == ABUT_OK && left_out > 0)
        log_message(log, ABUT_LOG_WARNING,
                    "%s: %zu vert%s of \"%.60s\" belong%s to no tetrahedron and %s left out, the "
                    "first is %zu",
                    place, left_out, left_out == 1 ? "ex" : "ices", body->name,
                    left_out == 1 ? "s" : "", left_out == 1 ? "is" : "are", first);
    return status;
}

/* ---------------------------------------------------------------------------------------------- */
/* Conditions                                                                                     */

enum { SAMPLES = 8 };

/* Times that no period hits: multiples of the golden ratio, and the end. k from 1. */
static double sample_time(double from, double until, int k)
{
    double whole, part = modf(0.6180339887498949 * k, &whole);
    return from + (until - from) * (k == SAMPLES ? 1 : part);
}

/* Node `item` of a condition, and the one before in the list of the same block. */
typedef struct prescription {
    int32_t condition, item;
    int32_t previous; /* -1: none */
} prescription;

typedef struct holders {
    ARRAY(prescription) list;
    int32_t *last; /* per block, -1: none */
} holders;

static vec3 target_from(condition *c, int32_t item, vec3 start, double time)
{
    double kept[3];
    memcpy(kept, c->start + 3 * (size_t)item, sizeof kept);
    vec3_store(c->start + 3 * (size_t)item, start);
    vec3 to = condition_node_target(c, (size_t)item, time);
    memcpy(c->start + 3 * (size_t)item, kept, sizeof kept);
    return to;
}

static void describe(const condition *c, char *text, size_t size)
{
    if (c->source < 0)
        snprintf(text, size, "the motion of the body");
    else
        snprintf(text, size, "fix[%d]", c->source);
}

/* Compares the targets of two conditions on a node while both are active. */
static abut_status compare(const scene_def *scene, stepper *s, int32_t block, const prescription *p,
                           const prescription *q, abut_error *err)
{
    condition *a = &s->dirichlet.conditions.data[p->condition],
              *b = &s->dirichlet.conditions.data[q->condition];
    if (b->takes_over) return ABUT_OK; /* the last one counts (set_targets) */
    bool swap = b->from < a->from;
    condition *early = swap ? b : a, *late = swap ? a : b;
    int32_t early_item = swap ? q->item : p->item, late_item = swap ? p->item : q->item;
    double from = late->from, until = fmin(fmin(a->until, b->until), scene->end_time);
    int axes = a->axes & b->axes;
    if (!axes || from >= until) return ABUT_OK;
    vec3 rest = s->model->rest.data[block];
    vec3 begin = early->from < from ? target_from(early, early_item, rest, from) : rest;
    for (int k = 1; k <= SAMPLES; k++) {
        double t = sample_time(from, until, k);
        vec3 x = target_from(early, early_item, rest, t),
             y = target_from(late, late_item, begin, t);
        for (int axis = 0; axis < 3; axis++) {
            if (!(axes & 1 << axis)) continue;
            if (fabs(vec3_get(x, axis) - vec3_get(y, axis)) <= 1e-9 * s->model->extent) continue;
            const model_body *body = &s->model->bodies.data[s->model->body.data[block]];
            char first[40], second[40];
            describe(early, first, sizeof first);
            describe(late, second, sizeof second);
            return error_set(
                err, ABUT_ERROR_INPUT, scene->path,
                "body \"%.60s\": node %d is prescribed by %s and by %s, which contradict "
                "each other: at %.6g s its %c is to be %.6g and %.6g",
                body->name, block - body->first_block, first, second, t, "xyz"[axis],
                vec3_get(x, axis), vec3_get(y, axis));
        }
    }
    return ABUT_OK;
}

static abut_status add_holders(const scene_def *scene, stepper *s, holders *h, abut_error *err)
{
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++) {
        const condition *c = &s->dirichlet.conditions.data[k];
        for (size_t i = 0; i < c->nodes.count; i++) {
            int32_t block = c->nodes.data[i];
            prescription now = {(int32_t)k, (int32_t)i, h->last[block]};
            for (int32_t j = now.previous; j >= 0; j = h->list.data[j].previous)
                if (h->list.data[j].condition != now.condition)
                    TRY(compare(scene, s, block, &h->list.data[j], &now, err));
            h->last[block] = (int32_t)h->list.count;
            if (!array_push(&h->list, now)) return error_memory(err, "checking conditions");
        }
    }
    return ABUT_OK;
}

/* ---- rigid and affine bodies ---- */

static void pose_from(const rigid_motion *all, rigid_condition *c, const rigid_body *b, vec3 center,
                      mat3 frame, double time, vec3 *to_center, mat3 *to_frame)
{
    double kept[RIGID_CONDITION_START];
    memcpy(kept, c->start, sizeof kept);
    vec3_store(c->start, center);
    memcpy(c->start + 3, frame.m, sizeof frame.m);
    rigid_condition_pose(all, c, b, time, to_center, to_frame);
    memcpy(c->start, kept, sizeof kept);
}

static abut_status report_rigid(const scene_def *scene, const stepper *s, const rigid_condition *a,
                                const rigid_condition *b, const char *what, double time, double one,
                                double other, abut_error *err)
{
    char first[40], second[40];
    describe(&a->path, first, sizeof first);
    describe(&b->path, second, sizeof second);
    const rigid_body *r = &s->model->rigids.data[a->rigid];
    return error_set(err, ABUT_ERROR_INPUT, scene->path,
                     "body \"%.60s\" is moved by %s and by %s, which contradict each other: at "
                     "%.6g s %s is to be %.6g and %.6g",
                     s->model->bodies.data[r->body].name, first, second, time, what, one, other);
}

/* Compares the targets of two conditions on a body while both are active. */
static abut_status compare_rigid(const scene_def *scene, stepper *s, rigid_condition *a,
                                 rigid_condition *b, abut_error *err)
{
    static const char *const centers[] = {"x of its centre", "y of its centre", "z of its centre"};
    static const char *const turns[] = {"its rotation about x (rad)", "its rotation about y (rad)",
                                        "its rotation about z (rad)"};
    const rigid_body *r = &s->model->rigids.data[a->rigid];
    rigid_condition *early = b->path.from < a->path.from ? b : a, *late = early == a ? b : a;
    double from = late->path.from;
    double until = fmin(fmin(a->path.until, b->path.until), scene->end_time);
    int axes = a->path.axes & b->path.axes, rotations = a->rotation_axes & b->rotation_axes;
    if (!(axes | rotations) || from >= until) return ABUT_OK;
    vec3 begin = r->center, x, y;
    mat3 frame = mat3_identity(), p, q;
    if (early->path.from < from) pose_from(&s->rigid, early, r, begin, frame, from, &begin, &frame);
    for (int k = 1; k <= SAMPLES; k++) {
        double t = sample_time(from, until, k);
        pose_from(&s->rigid, early, r, r->center, mat3_identity(), t, &x, &p);
        pose_from(&s->rigid, late, r, begin, frame, t, &y, &q);
        vec3 turn = rotation_vector(p), other = rotation_vector_near(q, turn);
        for (int axis = 0; axis < 3; axis++) {
            double d = vec3_get(x, axis) - vec3_get(y, axis);
            double w = vec3_get(turn, axis) - vec3_get(other, axis);
            if (axes & 1 << axis && fabs(d) > 1e-9 * s->model->extent)
                return report_rigid(scene, s, early, late, centers[axis], t, vec3_get(x, axis),
                                    vec3_get(y, axis), err);
            if (r->turns && rotations & 1 << axis && fabs(w) > 1e-6)
                return report_rigid(scene, s, early, late, turns[axis], t, vec3_get(turn, axis),
                                    vec3_get(other, axis), err);
        }
    }
    return ABUT_OK;
}

/* Conditions of one body follow each other in the list. */
static abut_status check_rigid(const scene_def *scene, stepper *s, abut_error *err)
{
    for (size_t i = 0; i < s->rigid.conditions.count; i++)
        for (size_t k = i + 1;
             k < s->rigid.conditions.count &&
             s->rigid.conditions.data[k].rigid == s->rigid.conditions.data[i].rigid;
             k++)
            TRY(compare_rigid(scene, s, &s->rigid.conditions.data[i], &s->rigid.conditions.data[k],
                              err));
    return ABUT_OK;
}

/* ---- bodies that no condition fixes ---- */

abut_status warn_of_free_bodies(const scene_def *scene, const stepper *s, const logger *log,
                                abut_error *err)
{
    const model *m = s->model;
    if (scene->options.integrator != INTEGRATE_QUASI_STATIC) return ABUT_OK;
    bool *fixed = mem_calloc(m->bodies.count + 1, sizeof *fixed);
    if (!fixed) return error_memory(err, "checking conditions");
    for (size_t k = 0; k < s->dirichlet.conditions.count; k++)
        for (size_t i = 0; s->dirichlet.conditions.data[k].axes &&
                           i < s->dirichlet.conditions.data[k].nodes.count;
             i++)
            fixed[m->body.data[s->dirichlet.conditions.data[k].nodes.data[i]]] = true;
    for (size_t k = 0; k < s->rigid.conditions.count; k++)
        fixed[m->rigids.data[s->rigid.conditions.data[k].rigid].body] = true;
    for (size_t b = 0; b < m->bodies.count; b++)
        if (!fixed[b] && !body_rows[m->bodies.data[b].kind]->obstacle)
            log_message(log, ABUT_LOG_WARNING,
                        "%s: no condition fixes body \"%.60s\": in quasi-static steps only contact "
                        "can say where it is",
                        scene->path, m->bodies.data[b].name);
    mem_free(fixed);
    return ABUT_OK;
}

abut_status check_conditions(const scene_def *scene, stepper *s, abut_error *err)
{
    TRY(check_rigid(scene, s, err));
    holders h = {.last = mem_alloc(s->model->rest.count + 1, sizeof *h.last)};
    if (!h.last) return error_memory(err, "checking conditions");
    for (size_t i = 0; i < s->model->rest.count; i++) h.last[i] = -1;
    abut_status status = add_holders(scene, s, &h, err);
    array_free(&h.list);
    mem_free(h.last);
    return status;
}

/* ---------------------------------------------------------------------------------------------- */
/* Materials with parts                                                                           */

static const char *first_with_parts(const model *m)
{
    for (size_t i = 0; i < m->bodies.count; i++)
        if (m->bodies.data[i].material.parts) return m->bodies.data[i].name;
    for (size_t i = 0; i < m->sets.count; i++)
        for (size_t e = 0; e < m->sets.data[i].count; e++)
            if (m->sets.data[i].material.data[e].parts)
                return m->bodies.data[m->sets.data[i].body.data[e]].name;
    return NULL;
}

abut_status check_material_parts(const scene_def *scene, const model *m, abut_error *err)
{
    const char *name = first_with_parts(m), *what = NULL, *field = "";
    if (!name) return ABUT_OK;
    if (scene->options.use_mlcp) {
        field = "stepper";
        what = "the stepper \"mlcp\"";
    } else if (scene->remesh.on) {
        field = "remesh";
        what = "remeshing";
    } else if (ranks_divided()) {
        field = "solver.linear";
        what = "a run on several ranks";
    }
    if (!what) return ABUT_OK;
    char place[300];
    snprintf(place, sizeof place, "%.200s: %s", scene->path, field);
    return error_set(err, ABUT_ERROR_UNSUPPORTED, place,
                     "%s cannot carry viscous, plastic, fibre or growing materials, such as that "
                     "of \"%.60s\"",
                     what, name);
}

/* ---------------------------------------------------------------------------------------------- */
/* Elements with a mean dilatation                                                                */

/* What keeps cells from having one; NULL: nothing. */
static const char *no_mean_of_cells(const element_set *s)
{
    bool simplex = s->kind == CELL_TET || s->kind == CELL_TRIANGLE;
    if (s->order > 2) return "cells of order 3 and 4 do not need it";
    return simplex && s->order == 1
               ? "its cells are linear tetrahedra or triangles, which lock all "
                 "the same: give the body \"order\": 2"
               : NULL;
}

static const char *no_mean_of_material(const elastic_parameters *m)
{
    if (m->model != ELASTIC_NEO_HOOKEAN && m->model != ELASTIC_LINEAR && m->model != ELASTIC_HENCKY)
        return "the models are neo-hookean, linear and hencky";
    if (m->parts && m->parts->growth[0]) return "not with growth";
    return m->mean_lambda > 0 ? NULL : "Poisson's ratio must be above 0";
}

/* Of an element of the body whose material has it. */
static const char *first_without_mean(const model *m, int32_t *body)
{
    for (size_t e = 0; e < m->tet_count; e++) {
        *body = m->tet_body.data[e];
        if (m->bodies.data[*body].material.mean_lambda != 0)
            return no_mean_of_cells(&(element_set){.kind = CELL_TET, .order = 1});
    }
    for (size_t i = 0; i < m->sets.count; i++)
        for (size_t e = 0; e < m->sets.data[i].count; e++) {
            const elastic_parameters *material = &m->sets.data[i].material.data[e];
            if (material->mean_lambda == 0) continue;
            *body = m->sets.data[i].body.data[e];
            const char *why = no_mean_of_material(material);
            if (!why) why = no_mean_of_cells(&m->sets.data[i]);
            if (why) return why;
        }
    return NULL;
}

static bool has_means(const scene_def *scene)
{
    for (size_t i = 0; i < scene->body_count; i++) {
        const body_def *def = &scene->bodies[i];
        if (def->material.dilatation == DILATATION_MEAN) return true;
        for (size_t r = 0; r < def->solid.region_count; r++)
            if (def->solid.regions[r].material.dilatation == DILATATION_MEAN) return true;
    }
    return false;
}

abut_status check_dilatation(const scene_def *scene, const model *m, abut_error *err)
{
    if (!has_means(scene)) return ABUT_OK;
    char place[300];
    snprintf(place, sizeof place, "%.200s: materials.dilatation", scene->path);
    const char *what = scene->options.use_mlcp ? "the stepper \"mlcp\""
                       : scene->remesh.on      ? "remeshing"
                       : ranks_divided()       ? "a run on several ranks"
                                               : NULL;
    if (what) return error_set(err, ABUT_ERROR_UNSUPPORTED, place, "\"mean\": not with %s", what);
    int32_t body = 0;
    const char *why = first_without_mean(m, &body);
    return why ? error_set(err, ABUT_ERROR_INPUT, place, "\"mean\" of the body \"%.60s\": %s",
                           m->bodies.data[body].name, why)
               : ABUT_OK;
}

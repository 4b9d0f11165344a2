#include "scene/build_check.h"

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

/* Node `item` of a condition, and the one before in the list of the same block. */
typedef struct holder {
    int32_t condition, item;
    int32_t previous; /* -1: none */
} holder;

typedef struct holders {
    ARRAY(holder) list;
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

/* Compares where two conditions want a node while both hold it. */
static abut_status compare(const scene_def *scene, stepper *s, int32_t block, const holder *p,
                           const holder *q, abut_error *err)
{
    condition *a = &s->conditions.data[p->condition], *b = &s->conditions.data[q->condition];
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
        double t = from + (until - from) * k / SAMPLES;
        vec3 x = target_from(early, early_item, rest, t),
             y = target_from(late, late_item, begin, t);
        for (int axis = 0; axis < 3; axis++) {
            if (!(axes & 1 << axis)) continue;
            if (fabs(vec3_get(x, axis) - vec3_get(y, axis)) <= 1e-9 * s->model->extent) continue;
            const model_body *body = &s->model->bodies.data[s->model->body.data[block]];
            char first[40], second[40];
            describe(early, first, sizeof first);
            describe(late, second, sizeof second);
            return error_set(err, ABUT_ERROR_INPUT, scene->path,
                             "body \"%.60s\": node %d is held by %s and by %s, which contradict "
                             "each other: at %.6g s its %c is to be %.6g and %.6g",
                             body->name, block - body->first_block, first, second, t, "xyz"[axis],
                             vec3_get(x, axis), vec3_get(y, axis));
        }
    }
    return ABUT_OK;
}

static abut_status add_holders(const scene_def *scene, stepper *s, holders *h, abut_error *err)
{
    for (size_t k = 0; k < s->conditions.count; k++) {
        const condition *c = &s->conditions.data[k];
        for (size_t i = 0; i < c->nodes.count; i++) {
            int32_t block = c->nodes.data[i];
            holder now = {(int32_t)k, (int32_t)i, h->last[block]};
            for (int32_t j = now.previous; j >= 0; j = h->list.data[j].previous)
                if (h->list.data[j].condition != now.condition)
                    TRY(compare(scene, s, block, &h->list.data[j], &now, err));
            h->last[block] = (int32_t)h->list.count;
            if (!array_push(&h->list, now)) return error_memory(err, "checking conditions");
        }
    }
    return ABUT_OK;
}

abut_status check_conditions(const scene_def *scene, stepper *s, abut_error *err)
{
    holders h = {.last = mem_alloc(s->model->rest.count + 1, sizeof *h.last)};
    if (!h.last) return error_memory(err, "checking conditions");
    for (size_t i = 0; i < s->model->rest.count; i++) h.last[i] = -1;
    abut_status status = add_holders(scene, s, &h, err);
    array_free(&h.list);
    mem_free(h.last);
    return status;
}

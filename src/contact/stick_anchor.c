#include "contact/stick_anchor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void stick_anchors_free(stick_anchors *a)
{
    array_free(&a->list);
    array_free(&a->next);
    array_free(&a->continued);
    array_free(&a->uses);
    array_free(&a->ints);
    array_free(&a->reals);
}

static int compare_keys(int32_t plane, const int32_t *vertex, const stick_anchor *b)
{
    if (plane != b->plane) return plane < b->plane ? -1 : 1;
    for (int k = 0; k < 4; k++)
        if (vertex[k] != b->vertex[k]) return vertex[k] < b->vertex[k] ? -1 : 1;
    return 0;
}

static int compare_anchors(const void *left, const void *right)
{
    const stick_anchor *a = left;
    return compare_keys(a->plane, a->vertex, right);
}

static int compare_uses(const void *left, const void *right)
{
    const anchor_use *a = left, *b = right;
    if (a->vertex != b->vertex) return a->vertex < b->vertex ? -1 : 1;
    if (a->anchor != b->anchor) return a->anchor < b->anchor ? -1 : 1;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

static int32_t plane_of(const friction_stencil *s) { return s->frame.count == 1 ? s->plane : -1; }

static void vertices_of(const friction_stencil *s, int32_t vertex[4])
{
    for (int k = 0; k < 4; k++) vertex[k] = k < s->frame.count ? s->vertex[k] : -1;
}

/* The anchor of exactly this contact. */
static ptrdiff_t find(const stick_anchors *a, const friction_stencil *s)
{
    int32_t vertex[4], plane = plane_of(s);
    size_t begin = 0, end = a->list.count;
    vertices_of(s, vertex);
    while (begin < end) {
        size_t middle = (begin + end) / 2;
        if (compare_keys(plane, vertex, &a->list.data[middle]) > 0)
            begin = middle + 1;
        else
            end = middle;
    }
    bool found = begin < a->list.count && compare_keys(plane, vertex, &a->list.data[begin]) == 0;
    return found ? (ptrdiff_t)begin : -1;
}

abut_status stick_anchors_begin(stick_anchors *a, abut_error *err)
{
    if (!array_resize(&a->continued, a->list.count + 1))
        return error_memory(err, "continuing friction");
    memset(a->continued.data, 0, a->continued.count);
    return ABUT_OK;
}

void stick_anchors_continue(stick_anchors *a, friction_stencil *stencils, size_t count, double eps)
{
    for (size_t i = 0; i < count; i++) {
        ptrdiff_t at = find(a, &stencils[i]);
        stencils[i].anchored = at >= 0;
        if (at < 0) continue;
        a->continued.data[at] = 1;
        for (int c = 0; c < 2; c++) stencils[i].anchor[c] = eps * a->list.data[at].stretch[c];
    }
}

abut_status stick_anchors_list_ended(stick_anchors *a, abut_error *err)
{
    array_clear(&a->uses);
    for (size_t i = 0; i < a->list.count; i++)
        for (int k = 0; !a->continued.data[i] && a->list.data[i].plane < 0 && k < 4; k++) {
            int32_t vertex = a->list.data[i].vertex[k];
            if (vertex >= 0 && !array_push(&a->uses, (anchor_use){vertex, (int32_t)i, k}))
                return error_memory(err, "continuing friction");
        }
    if (a->uses.count > 0) qsort(a->uses.data, a->uses.count, sizeof *a->uses.data, compare_uses);
    return ABUT_OK;
}

static size_t first_use(const stick_anchors *a, int32_t vertex)
{
    size_t begin = 0, end = a->uses.count;
    while (begin < end) {
        size_t middle = (begin + end) / 2;
        if (a->uses.data[middle].vertex < vertex)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The displacement, by eps, of what has ended beside a contact: the mean over its vertices, of
 * contacts whose normals are within 60 degrees of its own, by their forces. */
static vec3 ended_beside(const stick_anchors *a, const friction_stencil *s)
{
    vec3 sum = {0, 0, 0};
    double total = 0;
    for (int k = 0; k < s->frame.count; k++)
        for (size_t u = first_use(a, s->vertex[k]);
             u < a->uses.count && a->uses.data[u].vertex == s->vertex[k]; u++) {
            const stick_anchor *from = &a->list.data[a->uses.data[u].anchor];
            double w = s->frame.weight[k] * from->weight[a->uses.data[u].slot];
            double sign = w < 0 ? -1 : 1, share = fabs(w) * from->force;
            if (!(sign * vec3_dot(from->normal, s->frame.normal) > 0.5)) continue;
            for (int c = 0; c < 2; c++)
                sum = vec3_mul_add(sum, sign * share * from->stretch[c], from->column[c]);
            total += share;
        }
    return total > 0 ? vec3_scale(1 / total, sum) : sum;
}

void stick_anchors_hand_over(const stick_anchors *a, friction_stencil *stencils, size_t count,
                             double eps)
{
    for (size_t i = 0; i < count; i++) {
        friction_stencil *s = &stencils[i];
        if (s->anchored || s->frame.count == 1) continue;
        vec3 z = ended_beside(a, s);
        for (int c = 0; c < 2; c++) s->anchor[c] = eps * vec3_dot(z, s->frame.column[c]);
    }
}

abut_status stick_anchors_return(stick_anchors *a, const friction_stencil *stencils, size_t count,
                                 const vec3 *moved, double eps, abut_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const friction_stencil *s = &stencils[i];
        if (!(s->force > 0)) continue; /* corrections of sums (max_operator.h) */
        stick_anchor kept = {.plane = plane_of(s), .force = s->force, .normal = s->frame.normal};
        double u[2];
        friction_displacement(s, moved, u);
        double longer = fmax(1, hypot(u[0], u[1]) / eps);
        vertices_of(s, kept.vertex);
        for (int k = 0; k < s->frame.count; k++) kept.weight[k] = s->frame.weight[k];
        for (int c = 0; c < 2; c++) {
            kept.stretch[c] = u[c] / (eps * longer);
            kept.column[c] = s->frame.column[c];
        }
        if (!array_push(&a->next, kept)) return error_memory(err, "keeping friction");
    }
    return ABUT_OK;
}

void stick_anchors_end(stick_anchors *a)
{
    stick_anchor *data = a->list.data;
    size_t capacity = a->list.capacity;
    if (a->next.count > 0)
        qsort(a->next.data, a->next.count, sizeof *a->next.data, compare_anchors);
    a->list.data = a->next.data;
    a->list.count = a->next.count;
    a->list.capacity = a->next.capacity;
    a->next.data = data;
    a->next.capacity = capacity;
    a->next.count = 0;
}

enum { INTS = 5, REALS = 16 };

abut_status stick_anchors_save(stick_anchors *a, saved_numbers *out, abut_error *err)
{
    size_t n = a->list.count;
    if (!array_resize(&a->ints, INTS * n) || !array_resize(&a->reals, REALS * n))
        return error_memory(err, "saving friction");
    for (size_t i = 0; i < n; i++) {
        const stick_anchor *s = &a->list.data[i];
        double *r = a->reals.data + REALS * i;
        memcpy(a->ints.data + INTS * i, s->vertex, sizeof s->vertex);
        a->ints.data[INTS * i + 4] = s->plane;
        r[0] = s->stretch[0];
        r[1] = s->stretch[1];
        r[2] = s->force;
        memcpy(r + 3, s->weight, sizeof s->weight);
        vec3_store(r + 7, s->column[0]);
        vec3_store(r + 10, s->column[1]);
        vec3_store(r + 13, s->normal);
    }
    *out = (saved_numbers){a->ints.data, INTS * n, a->reals.data, REALS * n};
    return ABUT_OK;
}

static stick_anchor read_anchor(const int32_t *ints, const double *r)
{
    stick_anchor s = {.plane = ints[4],
                      .stretch = {r[0], r[1]},
                      .force = r[2],
                      .column = {vec3_load(r + 7), vec3_load(r + 10)},
                      .normal = vec3_load(r + 13)};
    memcpy(s.vertex, ints, sizeof s.vertex);
    memcpy(s.weight, r + 3, sizeof s.weight);
    return s;
}

static bool possible(const int32_t *ints, const double *reals, size_t vertices, size_t planes)
{
    for (int k = 0; k < 4; k++)
        if (ints[k] < -1 || (ints[k] >= 0 && (size_t)ints[k] >= vertices)) return false;
    for (int k = 0; k < REALS; k++)
        if (!isfinite(reals[k])) return false;
    return ints[0] >= 0 && ints[4] >= -1 && (ints[4] < 0 || (size_t)ints[4] < planes);
}

abut_status stick_anchors_restore(stick_anchors *a, const saved_numbers *saved, size_t vertices,
                                  size_t planes, abut_error *err)
{
    size_t n = saved->int_count / INTS;
    if (saved->int_count != INTS * n || saved->real_count != REALS * n)
        return error_set(err, ABUT_ERROR_INPUT, "anchor_ints", "not a state of this scene");
    array_clear(&a->list);
    for (size_t i = 0; i < n; i++) {
        const int32_t *ints = saved->ints + INTS * i;
        const double *reals = saved->reals + REALS * i;
        if (!possible(ints, reals, vertices, planes))
            return error_set(err, ABUT_ERROR_INPUT, "anchor_ints",
                             "anchor %zu of friction is none of this scene", i);
        if (!array_push(&a->list, read_anchor(ints, reals)))
            return error_memory(err, "restoring friction");
    }
    return ABUT_OK;
}

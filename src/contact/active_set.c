#include "contact/active_set.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "base/sort.h"
#include "contact/max_operator.h"
#include "geometry/mollifier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INACTIVE = 255, CHUNK = 512 };

void active_set_free(active_set *set)
{
    for (int k = 0; k < STENCIL_LISTS; k++) array_free(&set->lists[k]);
    array_free(&set->type);
    array_free(&set->distance2);
    array_free(&set->gap);
    array_free(&set->active);
    array_free(&set->keys);
    array_free(&set->indices);
    array_free(&set->sorted);
    memset(set, 0, sizeof *set);
}

size_t active_set_count(const active_set *set)
{
    size_t count = 0;
    for (int k = 0; k < STENCIL_LISTS; k++) count += set->lists[k].count;
    return count;
}

/* One loop over candidates of a kind: type and squared distance of each. */
typedef struct classify_work {
    const collision_surface *s;
    const int32_t (*pairs)[2];
    const vec3 *y;
    uint8_t *type;
    double *distance2;
    double *gap; /* only with thickness */
    double dhat2, dhat;
} classify_work;

/* Bounding boxes further apart than dhat: many candidates end here, most others at their normal. */
static bool boxes_apart(const vec3 *a, int na, const vec3 *b, int nb, double dhat)
{
    vec3 alow = a[0], ahigh = a[0], blow = b[0], bhigh = b[0];
    for (int k = 1; k < na; k++) {
        alow = vec3_min(alow, a[k]);
        ahigh = vec3_max(ahigh, a[k]);
    }
    for (int k = 1; k < nb; k++) {
        blow = vec3_min(blow, b[k]);
        bhigh = vec3_max(bhigh, b[k]);
    }
    return alow.x - bhigh.x > dhat || blow.x - ahigh.x > dhat || alow.y - bhigh.y > dhat ||
           blow.y - ahigh.y > dhat || alow.z - bhigh.z > dhat || blow.z - ahigh.z > dhat;
}

static void store(const classify_work *w, size_t i, double distance2, int type, double thickness)
{
    w->distance2[i] = distance2;
    double reach2 = w->dhat2;
    if (w->gap) {
        w->gap[i] = sqrt(distance2) - thickness;
        reach2 = (w->dhat + thickness) * (w->dhat + thickness);
    }
    w->type[i] = distance2 < reach2 ? (uint8_t)type : (uint8_t)INACTIVE;
}

static void classify_vertex_triangle(void *context, size_t begin, size_t end)
{
    const classify_work *w = context;
    for (size_t i = begin; i < end; i++) {
        const int32_t *t = w->s->triangles.data + 3 * (size_t)w->pairs[i][1];
        vec3 p = w->y[w->pairs[i][0]], x[3] = {w->y[t[0]], w->y[t[1]], w->y[t[2]]};
        double xi = surface_pair_thickness(w->s, &w->pairs[i][0], 1, t, 3);
        double reach = w->dhat + xi;
        if (boxes_apart(&p, 1, x, 3, reach) ||
            plane_keeps_apart(p, x[0], x[1], x[2], reach * reach)) {
            store(w, i, INFINITY, INACTIVE, xi);
            continue;
        }
        point_triangle_type type;
        double d2 = point_triangle_closest(p, x[0], x[1], x[2], &type, NULL);
        store(w, i, d2, type, xi);
    }
}

static void classify_edge_edge(void *context, size_t begin, size_t end)
{
    const classify_work *w = context;
    for (size_t i = begin; i < end; i++) {
        const int32_t *a = w->s->edges.data + 2 * (size_t)w->pairs[i][0];
        const int32_t *b = w->s->edges.data + 2 * (size_t)w->pairs[i][1];
        vec3 x[4] = {w->y[a[0]], w->y[a[1]], w->y[b[0]], w->y[b[1]]};
        double xi = surface_pair_thickness(w->s, a, 2, b, 2);
        double reach = w->dhat + xi;
        if (boxes_apart(x, 2, x + 2, 2, reach) ||
            lines_keep_apart(x[0], x[1], x[2], x[3], reach * reach)) {
            store(w, i, INFINITY, INACTIVE, xi);
            continue;
        }
        edge_edge_type type;
        double d2 = edge_edge_closest(x[0], x[1], x[2], x[3], &type, NULL);
        store(w, i, d2, type, xi);
    }
}

static void classify_vertex_edge(void *context, size_t begin, size_t end)
{
    const classify_work *w = context;
    for (size_t i = begin; i < end; i++) {
        const int32_t *e = w->s->edges.data + 2 * (size_t)w->pairs[i][1];
        point_edge_type type;
        double d2 = point_edge_closest(w->y[w->pairs[i][0]], w->y[e[0]], w->y[e[1]], &type, NULL);
        store(w, i, d2, type, surface_pair_thickness(w->s, &w->pairs[i][0], 1, e, 2));
    }
}

static void classify_vertex_vertex(void *context, size_t begin, size_t end)
{
    const classify_work *w = context;
    for (size_t i = begin; i < end; i++)
        store(w, i, point_point_distance2(w->y[w->pairs[i][0]], w->y[w->pairs[i][1]]), 0,
              surface_pair_thickness(w->s, &w->pairs[i][0], 1, &w->pairs[i][1], 1));
}

/* Weights of pairs, see surface_areas. */
static double vertex_weight(const active_set *set, int32_t vertex, double share)
{
    return set->weights.areas ? share * set->weights.areas->vertex.data[vertex] : 1;
}

static double edge_pair_weight(const surface_areas *areas, const int32_t pair[2])
{
    return 0.25 * (areas->edge.data[pair[0]] + areas->edge.data[pair[1]]);
}

bool active_set_append(active_set *set, const feature_stencil *feature, const int32_t *g,
                       double distance2, double thickness, double weight)
{
    static const stencil_list list_of[STENCIL_KINDS] = {LIST_PP, LIST_PE, LIST_PT, LIST_EE};
    contact_stencil c = {.multiplicity = weight, .distance2 = distance2, .thickness = thickness};
    for (int k = 0; k < 4; k++) c.vertex[k] = k < feature->count ? g[feature->vertex[k]] : -1;
    if (feature->kind == STENCIL_PP && c.vertex[0] > c.vertex[1]) {
        int32_t swap = c.vertex[0];
        c.vertex[0] = c.vertex[1];
        c.vertex[1] = swap;
    }
    if (feature->kind == STENCIL_PE && c.vertex[1] > c.vertex[2]) {
        int32_t swap = c.vertex[1];
        c.vertex[1] = c.vertex[2];
        c.vertex[2] = swap;
    }
    return array_push(&set->lists[list_of[feature->kind]], c);
}

static bool append_edge_edge(active_set *set, const collision_surface *s, const int32_t pair[2],
                             const vec3 *y, edge_edge_type type, double distance2)
{
    const int32_t *a = s->edges.data + 2 * (size_t)pair[0],
                  *b = s->edges.data + 2 * (size_t)pair[1];
    int32_t g[4] = {a[0], a[1], b[0], b[1]};
    double weight = set->weights.areas ? edge_pair_weight(set->weights.areas, pair) : 1;
    weight *= pair_stiffness(set->weights.compliance, a, 2, b, 2);
    double threshold = 1e-3 * s->edge_length2.data[pair[0]] * s->edge_length2.data[pair[1]];
    double xi = surface_pair_thickness(s, a, 2, b, 2);
    if (edge_cross2(y[g[0]], y[g[1]], y[g[2]], y[g[3]]) >= threshold)
        return active_set_append(set, &edge_edge_features[type], g, distance2, xi, weight);
    contact_stencil c = {.multiplicity = weight,
                         .distance2 = distance2,
                         .thickness = xi,
                         .threshold = threshold,
                         .type = type};
    memcpy(c.vertex, g, sizeof g);
    return array_push(&set->lists[LIST_EE_MOLLIFIED], c);
}

/* Runs a classification over all candidates of a kind; distances are in set->distance2 afterwards.
 */
static abut_status classify(active_set *set, classify_work *w, parallel_body body,
                            const int32_t (*pairs)[2], size_t count, abut_error *err)
{
    if (!array_resize(&set->type, count + 1) || !array_resize(&set->distance2, count + 1))
        return error_memory(err, "building the active set");
    w->pairs = pairs;
    w->type = set->type.data;
    w->distance2 = set->distance2.data;
    w->gap = NULL;
    if (w->s->thickness.count > 0) {
        if (!array_resize(&set->gap, count + 1))
            return error_memory(err, "building the active set");
        w->gap = set->gap.data;
    }
    parallel_for(count, CHUNK, body, w);
    for (size_t i = 0; i < count; i++)
        if (set->distance2.data[i] < set->min_distance2)
            set->min_distance2 = set->distance2.data[i];
    for (size_t i = 0; w->gap && i < count; i++)
        if (w->gap[i] < set->min_gap) set->min_gap = w->gap[i];
    return ABUT_OK;
}

/* Corrections of the sum whose candidates were classified last. */
static abut_status correct(active_set *set, const collision_surface *s, max_sum sum,
                           const int32_t (*pairs)[2], size_t count, const vec3 *y, double dhat,
                           abut_error *err)
{
    if (!set->weights.links) return ABUT_OK;
    if (!array_resize(&set->active, count + 1)) return error_memory(err, "building the active set");
    for (size_t i = 0; i < count; i++) set->active.data[i] = set->type.data[i] != INACTIVE;
    return max_operator_correct(set, s, sum, pairs, set->active.data, count, y, dhat, err);
}

static bool same_vertices(const contact_stencil *a, const contact_stencil *b)
{
    for (int k = 0; k < 3; k++)
        if (a->vertex[k] != b->vertex[k]) return false;
    return true;
}

/* What a rank found, in numbers. */
typedef struct rank_finding {
    size_t count[STENCIL_LISTS];
    double min_distance2, min_gap;
} rank_finding;

static bool gather_list(stencil_array *list, const rank_finding *all, int k, size_t *start)
{
    size_t total = 0, own = list->count;
    int ranks = ranks_count();
    for (int r = 0; r < ranks; r++) {
        start[r] = total;
        total += all[r].count[k];
    }
    start[ranks] = total;
    if (total == 0) return true;
    if (!array_resize(list, total)) return false;
    memmove(list->data + start[ranks_index()], list->data, own * sizeof *list->data);
    ranks_gather(list->data, sizeof *list->data, start);
    return true;
}

/* Every rank has the stencils of its own candidates: all get all, in the order of the ranks. */
static abut_status gather_lists(active_set *set, abut_error *err)
{
    size_t ranks = (size_t)ranks_count();
    rank_finding *all = mem_calloc(ranks, sizeof *all);
    size_t *start = mem_alloc(ranks + 1, sizeof *start);
    bool ok = all && start;
    if (ok) {
        rank_finding *own = &all[ranks_index()];
        for (int k = 0; k < STENCIL_LISTS; k++) own->count[k] = set->lists[k].count;
        own->min_distance2 = set->min_distance2;
        own->min_gap = set->min_gap;
        for (size_t r = 0; r <= ranks; r++) start[r] = r;
        ranks_gather(all, sizeof *all, start);
        for (size_t r = 0; r < ranks; r++) {
            set->min_distance2 = fmin(set->min_distance2, all[r].min_distance2);
            set->min_gap = fmin(set->min_gap, all[r].min_gap);
        }
        for (int k = 0; ok && k < STENCIL_LISTS; k++)
            ok = gather_list(&set->lists[k], all, k, start);
    }
    mem_free(all);
    mem_free(start);
    return ok ? ABUT_OK : error_memory(err, "building the active set");
}

/* Writes the indices of a list's stencils to set->indices in the order of their first three
 * vertices; those of equal ones in the order of the list. */
static bool order(active_set *set, const stencil_array *list)
{
    size_t n = list->count;
    if (!array_resize(&set->keys, 2 * n) || !array_resize(&set->indices, 2 * n)) return false;
    uint64_t *keys = set->keys.data;
    uint32_t *indices = set->indices.data;
    for (size_t i = 0; i < n; i++) {
        indices[i] = (uint32_t)i;
        keys[i] = (uint32_t)(list->data[i].vertex[2] + 1); /* -1: there is none */
    }
    sort_u64_with_u32(keys, indices, keys + n, indices + n, n);
    for (size_t i = 0; i < n; i++) {
        const int32_t *v = list->data[indices[i]].vertex;
        keys[i] = (uint64_t)(uint32_t)v[0] << 32 | (uint32_t)v[1];
    }
    sort_u64_with_u32(keys, indices, keys + n, indices + n, n);
    return true;
}

/* Sorts a list and replaces equal stencils by one with their number. */
static bool merge(active_set *set, stencil_array *list)
{
    if (list->count < 2) return true;
    if (!order(set, list) || !array_resize(&set->sorted, list->count)) return false;
    contact_stencil *to = set->sorted.data;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const contact_stencil *c = &list->data[set->indices.data[i]];
        if (kept > 0 && same_vertices(&to[kept - 1], c)) {
            to[kept - 1].multiplicity += c->multiplicity;
            if (c->distance2 < to[kept - 1].distance2) to[kept - 1].distance2 = c->distance2;
        } else {
            to[kept++] = *c;
        }
    }
    set->sorted.count = kept;
    stencil_array unsorted = *list;
    *list = set->sorted;
    set->sorted = unsorted;
    return true;
}

/* This rank's range of a list. */
static void take_range(pair_list *list)
{
    size_t begin = ranks_begin(list->count, ranks_index());
    list->count = ranks_begin(list->count, ranks_index() + 1) - begin;
    if (list->data) list->data += begin;
}

static bool append_vertex_triangles(active_set *set, const collision_surface *s,
                                    const pair_list *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        if (set->type.data[i] == INACTIVE) continue;
        const int32_t *pair = (const int32_t *)&pairs->data[i];
        const int32_t *t = s->triangles.data + 3 * (size_t)pair[1];
        int32_t g[4] = {pair[0], t[0], t[1], t[2]};
        double stiffness = pair_stiffness(set->weights.compliance, pair, 1, t, 3);
        if (!active_set_append(set, &point_triangle_features[set->type.data[i]], g,
                               set->distance2.data[i], surface_pair_thickness(s, pair, 1, t, 3),
                               stiffness * vertex_weight(set, pair[0], 0.25)))
            return false;
    }
    return true;
}

static bool append_vertex_edges(active_set *set, const collision_surface *s, const pair_list *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        if (set->type.data[i] == INACTIVE) continue;
        const int32_t *pair = (const int32_t *)&pairs->data[i];
        const int32_t *e = s->edges.data + 2 * (size_t)pair[1];
        int32_t g[3] = {pair[0], e[0], e[1]};
        double stiffness = pair_stiffness(set->weights.compliance, pair, 1, e, 2);
        if (!active_set_append(set, &point_edge_features[set->type.data[i]], g,
                               set->distance2.data[i], surface_pair_thickness(s, pair, 1, e, 2),
                               stiffness * vertex_weight(set, pair[0], 0.5)))
            return false;
    }
    return true;
}

static bool append_vertex_vertices(active_set *set, const collision_surface *s,
                                   const pair_list *pairs)
{
    static const feature_stencil point_point = {STENCIL_PP, 2, {0, 1}};
    for (size_t i = 0; i < pairs->count; i++) {
        if (set->type.data[i] == INACTIVE) continue;
        const int32_t *pair = (const int32_t *)&pairs->data[i];
        double weight = set->weights.areas ? 0.5 * (set->weights.areas->vertex.data[pair[0]] +
                                                    set->weights.areas->vertex.data[pair[1]])
                                           : 1;
        weight *= pair_stiffness(set->weights.compliance, pair, 1, pair + 1, 1);
        if (!active_set_append(set, &point_point, pair, set->distance2.data[i],
                               surface_pair_thickness(s, pair, 1, pair + 1, 1), weight))
            return false;
    }
    return true;
}

abut_status active_set_build(active_set *set, const collision_surface *s,
                             const candidate_set *candidates, pair_weights weights, const vec3 *y,
                             double dhat, abut_error *err)
{
    set->weights = weights;
    candidate_set share = *candidates; /* a view, not to be freed */
    if (share.divided) {
        take_range(&share.vt);
        take_range(&share.ee);
        take_range(&share.ve);
        take_range(&share.vv);
        candidates = &share;
    }
    classify_work work = {.s = s, .y = y, .dhat2 = dhat * dhat, .dhat = dhat};
    bool ok = true;
    for (int k = 0; k < STENCIL_LISTS; k++) array_clear(&set->lists[k]);
    set->min_distance2 = set->min_gap = INFINITY;
    TRY(classify(set, &work, classify_vertex_triangle, (const int32_t(*)[2])candidates->vt.data,
                 candidates->vt.count, err));
    ok = ok && append_vertex_triangles(set, s, &candidates->vt);
    TRY(correct(set, s, SUM_TRIANGLES, (const int32_t(*)[2])candidates->vt.data,
                candidates->vt.count, y, dhat, err));
    TRY(classify(set, &work, classify_edge_edge, (const int32_t(*)[2])candidates->ee.data,
                 candidates->ee.count, err));
    for (size_t i = 0; ok && i < candidates->ee.count; i++)
        if (set->type.data[i] != INACTIVE)
            ok = append_edge_edge(set, s, (const int32_t *)&candidates->ee.data[i], y,
                                  (edge_edge_type)set->type.data[i], set->distance2.data[i]);
    TRY(correct(set, s, SUM_EDGES_OF_EDGE, (const int32_t(*)[2])candidates->ee.data,
                candidates->ee.count, y, dhat, err));
    TRY(classify(set, &work, classify_vertex_edge, (const int32_t(*)[2])candidates->ve.data,
                 candidates->ve.count, err));
    ok = ok && append_vertex_edges(set, s, &candidates->ve);
    TRY(correct(set, s, SUM_EDGES_OF_VERTEX, (const int32_t(*)[2])candidates->ve.data,
                candidates->ve.count, y, dhat, err));
    TRY(classify(set, &work, classify_vertex_vertex, (const int32_t(*)[2])candidates->vv.data,
                 candidates->vv.count, err));
    ok = ok && append_vertex_vertices(set, s, &candidates->vv);
    if (!ok) return error_memory(err, "building the active set");
    if (candidates->divided) TRY(gather_lists(set, err));
    if (!merge(set, &set->lists[LIST_PP]) || !merge(set, &set->lists[LIST_PE]))
        return error_memory(err, "building the active set");
    if (set->weights.links) max_operator_drop(set);
    if (s->thickness.count == 0) set->min_gap = sqrt(set->min_distance2);
    return ABUT_OK;
}

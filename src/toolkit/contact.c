/* The functions of contact.h on whole meshes: candidates, steps, checks. */
#include "base/parallel.h"
#include "ccd/line_search.h"
#include "geometry/check.h"
#include "toolkit/collision_mesh.h"

#include <math.h>
#include <string.h>

/* ---- Candidates ----------------------------------------------------------------------------- */

static bool in_range(int32_t index, size_t count) { return index >= 0 && (size_t)index < count; }

int abut_pair_vertices(const abut_collision_mesh *m, abut_pair pair, int32_t vertices[4])
{
    bool edges = pair.kind == ABUT_EDGE_EDGE;
    size_t firsts = edges ? m->edge_count : m->vertex_count;
    size_t seconds = pair.kind == ABUT_POINT_TRIANGLE ? m->triangle_count
                     : pair.kind == ABUT_POINT_POINT  ? m->vertex_count
                                                      : m->edge_count;
    if (!in_range(pair.first, firsts) || !in_range(pair.second, seconds)) return 0;
    vertices[0] = edges ? m->edges[pair.first][0] : pair.first;
    switch (pair.kind) {
    case ABUT_POINT_POINT: vertices[1] = pair.second; return 2;
    case ABUT_POINT_EDGE: memcpy(vertices + 1, m->edges[pair.second], 8); return 3;
    case ABUT_POINT_TRIANGLE: memcpy(vertices + 1, m->triangles[pair.second], 12); return 4;
    case ABUT_EDGE_EDGE:
        vertices[1] = m->edges[pair.first][1];
        memcpy(vertices + 2, m->edges[pair.second], 8);
        return 4;
    }
    return 0;
}

abut_status abut_candidates_create(abut_candidates **out, abut_error *error)
{
    *out = mem_calloc(1, sizeof **out);
    return *out ? ABUT_OK : error_memory(error, "making a list of candidates");
}

void abut_candidates_destroy(abut_candidates *candidates)
{
    if (!candidates) return;
    candidate_set_free(&candidates->set);
    mem_free(candidates);
}

abut_status collision_mesh_pairs(abut_collision_mesh *m, const double *start, const double *end,
                                 double distance, candidate_set *out, abut_error *error)
{
    broad_query query = {.y = as_vectors(start),
                         .end = end ? as_vectors(end) : NULL,
                         .inflation = distance,
                         .extra = m->thickness,
                         .tight = true};
    return broad_candidates(m->broad, &query, out, error);
}

abut_status abut_find_candidates(abut_collision_mesh *m, const double *start, const double *end,
                                 double distance, abut_candidates *candidates, abut_error *error)
{
    return collision_mesh_pairs(m, start, end, distance, &candidates->set, error);
}

static const pair_list *list_of_kind(const candidate_set *set, abut_pair_kind kind)
{
    switch (kind) {
    case ABUT_POINT_POINT: return &set->vv;
    case ABUT_POINT_EDGE: return &set->ve;
    case ABUT_POINT_TRIANGLE: return &set->vt;
    case ABUT_EDGE_EDGE: return &set->ee;
    }
    return NULL;
}

const int32_t *abut_candidates_list(const abut_candidates *candidates, abut_pair_kind kind,
                                    size_t *count)
{
    const pair_list *list = list_of_kind(&candidates->set, kind);
    if (count) *count = list ? list->count : 0;
    return list && list->count > 0 ? &list->data->first : NULL;
}

/* ---- Step ----------------------------------------------------------------------------------- */

_Static_assert((int)ABUT_CCD_TIGHT_INCLUSION == CCD_TIGHT_INCLUSION &&
                   (int)ABUT_CCD_ADDITIVE == CCD_ADDITIVE,
               "one order for one concept");
const char *const *abut_ccd_method_words(void) { return ccd_method_words; }

abut_step_options abut_default_step_options(void)
{
    step_options o = step_default_options();
    return (abut_step_options){ABUT_CCD_TIGHT_INCLUSION, o.keep, o.cap, o.tolerance, o.max_checks};
}

static abut_status check_step_options(const abut_step_options *o, abut_error *error)
{
    if (o->method != ABUT_CCD_TIGHT_INCLUSION && o->method != ABUT_CCD_ADDITIVE)
        return error_set(error, ABUT_ERROR_INPUT, "method", "%d is no method", (int)o->method);
    if (!(o->keep > 0.0 && o->keep < 1.0))
        return error_set(error, ABUT_ERROR_INPUT, "keep", "%g is not allowed, only between 0 and 1",
                         o->keep);
    if (!(isfinite(o->cap) && o->cap > 0.0))
        return error_set(error, ABUT_ERROR_INPUT, "cap", "%g is not allowed, only > 0", o->cap);
    if (!(isfinite(o->tolerance) && o->tolerance > 0.0))
        return error_set(error, ABUT_ERROR_INPUT, "tolerance", "%g is not allowed, only > 0",
                         o->tolerance);
    if (o->max_iterations < 0)
        return error_set(error, ABUT_ERROR_INPUT, "max_iterations",
                         "%lld is not allowed, only >= 0", (long long)o->max_iterations);
    return ABUT_OK;
}

static const abut_pair_kind KINDS[4] = {ABUT_POINT_TRIANGLE, ABUT_EDGE_EDGE, ABUT_POINT_EDGE,
                                        ABUT_POINT_POINT};
static const ccd_kind CCD_KINDS[4] = {CCD_POINT_TRIANGLE, CCD_EDGE_EDGE, CCD_POINT_EDGE,
                                      CCD_POINT_POINT};

/* Thickness of both primitives of a pair: the largest of their vertices each. */
static double pair_thickness(const abut_collision_mesh *m, abut_pair_kind kind,
                             const int32_t *vertices, int count)
{
    if (!m->thickness) return 0.0;
    int first = kind == ABUT_EDGE_EDGE ? 2 : 1;
    double thickness[2] = {0.0, 0.0};
    for (int i = 0; i < count; i++) {
        double *t = &thickness[i >= first];
        *t = fmax(*t, m->thickness[vertices[i]]);
    }
    return thickness[0] + thickness[1];
}

/* All candidates one list after the other, in the order of KINDS. */
static abut_status gather_pairs(abut_collision_mesh *m, abut_error *error)
{
    if (!array_resize(&m->pairs, candidate_set_count(&m->candidates)))
        return error_memory(error, "listing candidate pairs");
    size_t next = 0;
    for (int k = 0; k < 4; k++) {
        const pair_list *list = list_of_kind(&m->candidates, KINDS[k]);
        for (size_t i = 0; i < list->count; i++) {
            ccd_pair *p = &m->pairs.data[next++];
            abut_pair pair = {KINDS[k], list->data[i].first, list->data[i].second};
            p->kind = CCD_KINDS[k];
            int count = abut_pair_vertices(m, pair, p->vertex);
            p->min_distance = pair_thickness(m, KINDS[k], p->vertex, count);
        }
    }
    return ABUT_OK;
}

/* The candidate with this number in the order of gather_pairs. */
static abut_pair numbered_pair(const abut_collision_mesh *m, size_t number)
{
    for (int k = 0; k < 4; k++) {
        const pair_list *list = list_of_kind(&m->candidates, KINDS[k]);
        if (number < list->count)
            return (abut_pair){KINDS[k], list->data[number].first, list->data[number].second};
        number -= list->count;
    }
    return (abut_pair){ABUT_POINT_POINT, -1, -1};
}

abut_status abut_collision_free_step(abut_collision_mesh *m, const double *start, const double *end,
                                     const abut_step_options *options, double *step,
                                     abut_step_report *report, abut_error *error)
{
    abut_step_options o = options ? *options : abut_default_step_options();
    *step = 0.0;
    TRY(check_step_options(&o, error));
    /* Pairs that are not listed stay farther apart than `cap`, so they never set the step. */
    TRY(collision_mesh_pairs(m, start, end, o.cap, &m->candidates, error));
    TRY(gather_pairs(m, error));
    step_options inner = step_default_options();
    inner.method = (ccd_method)o.method;
    inner.keep = o.keep;
    inner.cap = o.cap;
    inner.tolerance = o.tolerance;
    inner.max_checks = o.max_iterations > 0 ? o.max_iterations : INT64_MAX;
    step_report r =
        ccd_largest_step(as_vectors(start), as_vectors(end), m->pairs.data, m->pairs.count, &inner);
    *step = r.step;
    if (report)
        *report = (abut_step_report){.limited = r.limiting != SIZE_MAX,
                                     .limiting = numbered_pair(m, r.limiting),
                                     .touching = r.touching,
                                     .candidates = m->pairs.count,
                                     .iterations = r.checks};
    return ABUT_OK;
}

/* ---- Checks --------------------------------------------------------------------------------- */

static abut_intersection_kind outer_kind(check_kind kind)
{
    switch (kind) {
    case CHECK_EDGE_TRIANGLE: return ABUT_INTERSECT_EDGE_TRIANGLE;
    case CHECK_EDGE_EDGE: return ABUT_INTERSECT_EDGE_EDGE;
    case CHECK_POINT_TRIANGLE: return ABUT_INTERSECT_POINT_TRIANGLE;
    case CHECK_POINT_EDGE: return ABUT_INTERSECT_POINT_EDGE;
    case CHECK_POINT_POINT: break;
    }
    return ABUT_INTERSECT_POINT_POINT;
}

/* The checker's flags say the same as ours under other names. */
static uint8_t body_flags(unsigned group_flags)
{
    return (uint8_t)((group_flags & ABUT_GROUP_KINEMATIC ? CHECK_BODY_OBSTACLE : 0) |
                     (group_flags & ABUT_GROUP_NO_SELF ? CHECK_BODY_RIGID : 0));
}

abut_status abut_find_intersections(const abut_collision_mesh *m, const double *positions,
                                    abut_intersection *found, size_t capacity, size_t *count,
                                    abut_error *error)
{
    *count = 0;
    uint8_t *flags = NULL;
    if (m->group_flags) {
        flags = mem_alloc(m->group_count, 1);
        if (!flags) return error_memory(error, "checking for intersections");
        for (size_t g = 0; g < m->group_count; g++) flags[g] = body_flags(m->group_flags[g]);
    }
    check_surface surface = {.vertices = as_vectors(positions),
                             .vertex_count = m->vertex_count,
                             .triangles = (const int32_t(*)[3])m->triangles,
                             .triangle_count = m->triangle_count,
                             .edges = (const int32_t(*)[2])m->edges,
                             .edge_count = m->edge_count,
                             .points = m->points,
                             .point_count = m->point_count,
                             .body = m->group,
                             .body_flags = flags};
    check_pair *pairs = NULL;
    abut_status status = check_intersections(&surface, &pairs, count, error);
    for (size_t i = 0; status == ABUT_OK && i < *count && i < capacity; i++)
        found[i] = (abut_intersection){outer_kind(pairs[i].kind), pairs[i].first, pairs[i].second};
    mem_free(pairs);
    mem_free(flags);
    return status;
}

typedef struct distance_context {
    const abut_collision_mesh *mesh;
    const double *positions;
} distance_context;

static void fill_distances(void *context, size_t begin, size_t end)
{
    distance_context *c = context;
    for (size_t i = begin; i < end; i++) {
        abut_pair pair = numbered_pair(c->mesh, i);
        int32_t vertices[4];
        double x[12];
        int count = abut_pair_vertices(c->mesh, pair, vertices);
        for (int k = 0; k < count; k++) memcpy(x + 3 * k, c->positions + 3 * vertices[k], 24);
        c->mesh->distances.data[i] = abut_distance_squared(pair.kind, x, NULL, NULL, NULL);
    }
}

abut_status abut_smallest_distance(abut_collision_mesh *m, const double *positions, double radius,
                                   double *distance, abut_pair *pair, abut_error *error)
{
    *distance = INFINITY;
    if (pair) *pair = (abut_pair){ABUT_POINT_POINT, -1, -1};
    TRY(collision_mesh_pairs(m, positions, NULL, radius, &m->candidates, error));
    size_t count = candidate_set_count(&m->candidates);
    if (!array_resize(&m->distances, count)) return error_memory(error, "measuring distances");
    distance_context c = {m, positions};
    parallel_for(count, 1024, fill_distances, &c);
    double least = radius * radius;
    for (size_t i = 0; i < count; i++) {
        double d2 = m->distances.data[i];
        if (d2 > least || (d2 == least && *distance < INFINITY)) continue;
        least = d2;
        *distance = sqrt(d2);
        if (pair) *pair = numbered_pair(m, i);
    }
    return ABUT_OK;
}

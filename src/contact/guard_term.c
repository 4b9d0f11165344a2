#include "contact/guard_term.h"

#include "base/parallel.h"
#include "geometry/distance.h"
#include "geometry/intersect.h"

#include <math.h>
#include <stdio.h>

typedef struct pair_work {
    const guard_term *t;
} pair_work;

/* Number of the first pair of the range that intersects, or infinity. */
static double first_crossing(void *context, size_t begin, size_t end)
{
    const guard_term *t = ((const pair_work *)context)->t;
    const collision_surface *s = &t->contact->model->surface;
    for (size_t i = begin; i < end; i++) {
        const int32_t *e = s->edges.data + 2 * (size_t)t->pairs.data[i].first;
        const int32_t *f = s->triangles.data + 3 * (size_t)t->pairs.data[i].second;
        const vec3 *y = t->y;
        if (segment_hits_triangle(y[e[0]], y[e[1]], y[f[0]], y[f[1]], y[f[2]])) return (double)i;
    }
    return INFINITY;
}

static bool behind_plane(const guard_term *t, guard_finding *finding)
{
    const contact_term *c = t->contact;
    for (size_t k = 0; k < c->planes.count; k++)
        for (size_t i = 0; i < c->model->surface.rows.count; i++) {
            const half_space *plane = &c->planes.data[k];
            if (c->kinematic[i]) continue;
            if (half_space_distance(t->y[i], plane->origin, plane->normal) > 0) continue;
            finding->vertex = (int32_t)i;
            finding->plane = (int32_t)k;
            return true;
        }
    return false;
}

abut_status guard_check(guard_term *t, const double *x, bool *found, guard_finding *finding,
                        abut_error *err)
{
    *finding = (guard_finding){-1, -1, -1, -1};
    *found = false;
    collision_surface_positions(&t->contact->model->surface, x, t->y);
    if (behind_plane(t, finding)) {
        *found = true;
        return ABUT_OK;
    }
    broad_parts *parts = t->contact->parts;
    if (parts) {
        broad_query query = {.y = t->y};
        part_boxes_fill(parts, &t->contact->model->surface, &query, x, NULL, (vec3){0});
        TRY(broad_parts_crossings(parts, t->y, &t->pairs, err));
    } else {
        TRY(broad_crossing_candidates(t->contact->broad, t->y, &t->pairs, err));
    }
    t->tests += t->pairs.count;
    if (t->pairs.count == 0) return ABUT_OK;
    pair_work work = {t};
    double first = parallel_min(t->pairs.count, first_crossing, &work);
    if (first == INFINITY) return ABUT_OK;
    *found = true;
    finding->edge = t->pairs.data[(size_t)first].first;
    finding->triangle = t->pairs.data[(size_t)first].second;
    return ABUT_OK;
}

void guard_describe(const guard_term *t, const guard_finding *finding, char *text, size_t size)
{
    const model *m = t->contact->model;
    const collision_surface *s = &m->surface;
    const int32_t *body = s->vertex_body.data;
    if (finding->edge < 0) {
        snprintf(text, size, "vertex %d of \"%.60s\" is behind half space %d", finding->vertex,
                 m->bodies.data[body[finding->vertex]].name, finding->plane);
        return;
    }
    const int32_t *e = s->edges.data + 2 * (size_t)finding->edge;
    const int32_t *f = s->triangles.data + 3 * (size_t)finding->triangle;
    snprintf(text, size,
             "edge %d %d of \"%.60s\" passes through triangle %d %d %d of \"%.60s\" (numbers of "
             "the collision surface)",
             e[0], e[1], m->bodies.data[body[e[0]]].name, f[0], f[1], f[2],
             m->bodies.data[body[f[0]]].name);
}

/* ---------------------------------------------------------------------------------------------- */

static double value(const term *base, const evaluation *ev, const double *x)
{
    (void)base;
    (void)ev;
    (void)x;
    return 0;
}

static bool accepts(term *base, const double *x)
{
    bool found;
    guard_finding finding;
    return guard_check((guard_term *)base, x, &found, &finding, NULL) == ABUT_OK && !found;
}

static void destroy(term *base)
{
    guard_term *t = (guard_term *)base;
    array_free(&t->pairs);
    mem_free(t->y);
    mem_free(t);
}

static const term_class guard_class = {
    .name = "guard", .value = value, .accepts = accepts, .destroy = destroy};

abut_status guard_create(const contact_term *contact, guard_term **out, abut_error *err)
{
    guard_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the check of steps");
    t->base = (term){.class = &guard_class};
    t->contact = contact;
    t->y = mem_calloc(contact->model->surface.rows.count + 1, sizeof *t->y);
    if (!t->y) {
        destroy(&t->base);
        return error_memory(err, "creating the check of steps");
    }
    *out = t;
    return ABUT_OK;
}

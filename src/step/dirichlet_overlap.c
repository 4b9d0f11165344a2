#include "step/dirichlet_overlap.h"

#include "ccd/curved.h"
#include "contact/pair_geometry.h"
#include "geometry/distance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void dirichlet_overlap_init(dirichlet_overlap *w, const contact_term *contact)
{
    w->contact = contact;
}

void dirichlet_overlap_free(dirichlet_overlap *w)
{
    array_free(&w->dirichlet);
    array_free(&w->points);
    collision_surface_free(&w->part);
    broad_destroy(w->broad);
    candidate_set_free(&w->candidates);
    array_free(&w->center);
    array_free(&w->from);
    array_free(&w->path);
    array_free(&w->off);
    array_free(&w->extra);
    memset(w, 0, sizeof *w);
}

/* ---------------------------------------------------------------------------------------------- */
/* The part of the surface that is prescribed                                                     */

static bool is_obstacle(const model *m, int32_t vertex)
{
    return body_rows[m->bodies.data[m->surface.vertex_body.data[vertex]].kind]->obstacle;
}

static bool choose_edges(dirichlet_overlap *w, const collision_surface *s)
{
    array_clear(&w->part.edges);
    for (size_t i = 0; i < s->edges.count; i += 2) {
        const int32_t *v = s->edges.data + i;
        if (!w->dirichlet.data[v[0]] || !w->dirichlet.data[v[1]]) continue;
        for (int k = 0; k < 2; k++)
            if (!array_push(&w->part.edges, v[k])) return false;
    }
    return true;
}

static bool choose_triangles(dirichlet_overlap *w, const collision_surface *s)
{
    array_clear(&w->part.triangles);
    for (size_t i = 0; i < s->triangles.count; i += 3) {
        const int32_t *v = s->triangles.data + i;
        if (!w->dirichlet.data[v[0]] || !w->dirichlet.data[v[1]] || !w->dirichlet.data[v[2]])
            continue;
        for (int k = 0; k < 3; k++)
            if (!array_push(&w->part.triangles, v[k])) return false;
    }
    return true;
}

static abut_status choose_part(dirichlet_overlap *w, abut_error *err)
{
    const model *m = w->contact->model;
    const collision_surface *s = &m->surface;
    array_clear(&w->points);
    w->some = false;
    bool ok = true;
    for (size_t i = 0; ok && i < s->rows.count; i++) {
        if (!w->dirichlet.data[i]) continue;
        ok = array_push(&w->points, (int32_t)i);
        w->some = w->some || !is_obstacle(m, (int32_t)i);
    }
    broad_destroy(w->broad);
    w->broad = NULL;
    w->radius = -1;
    w->crowded = false;
    if (ok && !w->some) return ABUT_OK;
    ok = ok && choose_edges(w, s) && choose_triangles(w, s) &&
         array_resize(&w->from, s->rows.count) && array_resize(&w->path, s->rows.count) &&
         array_resize(&w->off, s->rows.count) && array_resize(&w->extra, s->rows.count) &&
         array_resize(&w->center, s->rows.count);
    if (!ok) return error_memory(err, "watching prescribed bodies");
    broad_surface shape = {.vertex_count = s->rows.count,
                           .point_count = w->points.count,
                           .points = w->points.data,
                           .edge_count = w->part.edges.count / 2,
                           .edges = (const int32_t(*)[2])w->part.edges.data,
                           .triangle_count = w->part.triangles.count / 3,
                           .triangles = (const int32_t(*)[3])w->part.triangles.data,
                           .group = s->vertex_group.data,
                           .group_count = m->bodies.count,
                           .group_flags = w->contact->group_flags,
                           .planar = m->planar,
                           .excluded = s->excluded.data,
                           .excluded_count = s->excluded.count,
                           .body = s->vertex_body.data};
    return broad_create(&shape, &w->broad, err);
}

static abut_status set_dirichlet(dirichlet_overlap *w, const uint8_t *fixed, abut_error *err)
{
    size_t n = w->contact->model->surface.rows.count;
    bool changed = w->dirichlet.count != n;
    if (!array_resize(&w->dirichlet, n)) return error_memory(err, "watching prescribed bodies");
    for (size_t i = 0; i < n; i++) {
        uint8_t dirichlet = contact_vertex_is_fixed(w->contact, i, fixed);
        changed = changed || dirichlet != w->dirichlet.data[i];
        w->dirichlet.data[i] = dirichlet;
    }
    return changed ? choose_part(w, err) : ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Paths                                                                                          */

typedef struct surface_move {
    const double *x, *to;
} surface_move;

static ccd_path path_of(const dirichlet_overlap *w, const surface_move *move, int32_t vertex)
{
    const collision_surface *s = &w->contact->model->surface;
    const surface_row *row = &s->rows.data[vertex];
    vec3 y = w->from.data[vertex];
    if (row->kind != ROW_RIGID) return (ccd_path){.y = y, .p = w->path.data[vertex]};
    const double *x = move->x + 3 * (size_t)row->block, *to = move->to + 3 * (size_t)row->block;
    vec3 theta = vec3_load(x + 3), turn = vec3_sub(vec3_load(to + 3), theta);
    vec3 center = vec3_load(x), shift = vec3_sub(vec3_load(to), center);
    if (vec3_norm2(turn) == 0) return (ccd_path){.y = y, .p = shift};
    return (ccd_path){.y = center,
                      .p = shift,
                      .theta = theta,
                      .dtheta = turn,
                      .arm = s->arms.data[vertex],
                      .curved = true};
}

static bool moves(const dirichlet_overlap *w, const surface_move *move, const uint8_t *fixed)
{
    size_t scalars = 3 * w->contact->model->rest.count;
    for (size_t i = 0; i < scalars; i++)
        if (fixed[i] && move->x[i] != move->to[i]) return true;
    return false;
}

/* Half of the distance that a pair keeps, rounded up. */
static double half_thickness(const collision_surface *s, size_t vertex)
{
    return s->thickness.count > 0 ? 0.5 * s->thickness.data[vertex] * (1 + 1e-12) : 0;
}

/* Chords of the paths, and how far the paths are off them at most. */
static void set_paths(dirichlet_overlap *w, const surface_move *move)
{
    const collision_surface *s = &w->contact->model->surface;
    collision_surface_positions(s, move->x, w->from.data);
    collision_surface_positions(s, move->to, w->path.data);
    for (size_t i = 0; i < s->rows.count; i++) {
        bool dirichlet = w->dirichlet.data[i];
        w->path.data[i] = dirichlet ? vec3_sub(w->path.data[i], w->from.data[i]) : (vec3){0};
        ccd_path path = path_of(w, move, (int32_t)i);
        w->off.data[i] = dirichlet ? ccd_path_deviation(&path, 0, 1) : 0;
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* The pairs that can meet                                                                        */

/* The largest distance of a path from the centers of the cover; INFINITY without one. */
static double largest_distance(const dirichlet_overlap *w)
{
    double largest = w->radius < 0 ? INFINITY : 0;
    for (size_t k = 0; k < w->points.count && largest <= w->radius; k++) {
        int32_t i = w->points.data[k];
        vec3 away = vec3_sub(w->from.data[i], w->center.data[i]);
        double start = vec3_norm(away), end = vec3_norm(vec3_add(away, w->path.data[i]));
        largest = fmax(largest, fmax(start, end) + w->off.data[i]);
    }
    return largest * (1 + 1e-9);
}

static double longest_path(const dirichlet_overlap *w)
{
    double longest = 0;
    for (size_t k = 0; k < w->points.count; k++) {
        int32_t i = w->points.data[k];
        longest = fmax(longest, vec3_norm(w->path.data[i]) + w->off.data[i]);
    }
    return longest;
}

/* The pairs that can meet in this step. */
static abut_status search_step(dirichlet_overlap *w, abut_error *err)
{
    const collision_surface *s = &w->contact->model->surface;
    for (size_t i = 0; i < s->rows.count; i++)
        w->extra.data[i] = w->off.data[i] + half_thickness(s, i);
    broad_query query = {
        .y = w->from.data, .p = w->path.data, .alpha = 1, .extra = w->extra.data, .tight = true};
    return broad_candidates(w->broad, &query, &w->candidates, err);
}

/* Prescribed bodies are mostly far from each other. Pairs are searched for so many steps ahead;
 * until then their paths are all that has to be looked at. Where there are more pairs than points,
 * edges and triangles (a clamp that turns as a whole), to look at all of them in every step takes
 * longer than to search for those of the step. */
static const double STEPS_AHEAD = 16;

static abut_status search_ahead(dirichlet_overlap *w, abut_error *err)
{
    const collision_surface *s = &w->contact->model->surface;
    double radius = STEPS_AHEAD * longest_path(w);
    w->radius = -1;
    memcpy(w->center.data, w->from.data, s->rows.count * sizeof *w->center.data);
    for (size_t i = 0; i < s->rows.count; i++) w->extra.data[i] = half_thickness(s, i);
    broad_query query = {
        .y = w->from.data, .inflation = 2 * radius, .extra = w->extra.data, .tight = true};
    TRY(broad_candidates(w->broad, &query, &w->candidates, err));
    size_t parts = w->points.count + w->part.edges.count / 2 + w->part.triangles.count / 3;
    w->crowded = candidate_set_count(&w->candidates) > parts;
    if (!w->crowded) w->radius = radius;
    return ABUT_OK;
}

static abut_status find_candidates(dirichlet_overlap *w, abut_error *err)
{
    if (!w->crowded && !(largest_distance(w) <= w->radius)) TRY(search_ahead(w, err));
    return w->crowded ? search_step(w, err) : ABUT_OK;
}

/* Bounds of the path of a vertex, thickness included. */
static void add_box(const dirichlet_overlap *w, int32_t vertex, vec3 *low, vec3 *high)
{
    double width = w->off.data[vertex] + half_thickness(&w->contact->model->surface, vertex);
    vec3 a = w->from.data[vertex], b = vec3_add(a, w->path.data[vertex]);
    vec3 wide = {width, width, width};
    *low = vec3_min(*low, vec3_sub(vec3_min(a, b), wide));
    *high = vec3_max(*high, vec3_add(vec3_max(a, b), wide));
}

/* Whether the boxes of both sides of a pair are apart on the whole path; widened by far more than
 * rounding. */
static bool are_apart(const dirichlet_overlap *w, const int32_t *v, int first, int n)
{
    vec3 low[2], high[2];
    for (int side = 0; side < 2; side++) {
        low[side] = (vec3){INFINITY, INFINITY, INFINITY};
        high[side] = vec3_neg(low[side]);
        for (int k = side ? first : 0; k < (side ? n : first); k++)
            add_box(w, v[k], &low[side], &high[side]);
    }
    vec3 gap = vec3_max(vec3_sub(low[0], high[1]), vec3_sub(low[1], high[0]));
    return fmax(gap.x, fmax(gap.y, gap.z)) > 1e-9 * w->contact->model->extent;
}

/* ---------------------------------------------------------------------------------------------- */
/* A step                                                                                         */

/* Pairs nearer than this part of dhat count as meeting: free ones are never pressed so close. */
static const double NEAR = 1e-3;

static void look_at_pairs(const dirichlet_overlap *w, const surface_move *move, ccd_kind kind,
                          const pair_list *pairs, dirichlet_finding *out)
{
    const model *m = w->contact->model;
    int n = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    step_options options = step_default_options();
    options.keep = 0; /* they may come as near to each other as they like, */
    options.tolerance = fmin(options.tolerance, NEAR * w->contact->options.dhat); /* but for this */
    for (size_t i = 0; i < pairs->count; i++) {
        int32_t v[4];
        ccd_path path[4];
        pair_vertices(&w->part, kind, pairs->data[i], v);
        if (is_obstacle(m, v[0]) && is_obstacle(m, v[first])) continue;
        if (are_apart(w, v, first, n)) continue;
        for (int k = 0; k < n; k++) path[k] = path_of(w, move, v[k]);
        options.min_distance = surface_pair_thickness(&m->surface, v, first, v + first, n - first);
        step_result result = ccd_curved_pair_step(kind, path, &options);
        if (!result.limited && !result.touching) continue;
        if (out->found && result.step >= out->part) continue;
        *out = (dirichlet_finding){.found = true,
                                   .first = m->surface.vertex_body.data[v[0]],
                                   .second = m->surface.vertex_body.data[v[first]],
                                   .plane = -1,
                                   .part = result.step};
    }
}

/* Half-spaces are looked at where the paths end. */
static void look_at_planes(const dirichlet_overlap *w, dirichlet_finding *out)
{
    const contact_term *c = w->contact;
    for (size_t k = 0; k < c->planes.count; k++)
        for (size_t i = 0; i < w->points.count && !out->found; i++) {
            int32_t v = w->points.data[i];
            if (is_obstacle(c->model, v)) continue;
            const half_space *plane = &c->planes.data[k];
            vec3 end = vec3_add(w->from.data[v], w->path.data[v]);
            double d = half_space_distance(end, plane->origin, plane->normal);
            if (d > contact_plane_thickness(c, (size_t)v)) continue;
            *out = (dirichlet_finding){.found = true,
                                       .first = c->model->surface.vertex_body.data[v],
                                       .second = -1,
                                       .plane = (int32_t)k};
        }
}

abut_status dirichlet_overlap_find(dirichlet_overlap *w, const double *x, const double *to,
                                   const uint8_t *fixed, dirichlet_finding *out, abut_error *err)
{
    surface_move move = {x, to};
    *out = (dirichlet_finding){.second = -1, .plane = -1};
    if (!moves(w, &move, fixed)) return ABUT_OK;
    TRY(set_dirichlet(w, fixed, err));
    if (!w->some) return ABUT_OK;
    set_paths(w, &move);
    TRY(find_candidates(w, err));
    look_at_pairs(w, &move, CCD_POINT_TRIANGLE, &w->candidates.vt, out);
    look_at_pairs(w, &move, CCD_EDGE_EDGE, &w->candidates.ee, out);
    look_at_pairs(w, &move, CCD_POINT_EDGE, &w->candidates.ve, out);
    look_at_pairs(w, &move, CCD_POINT_POINT, &w->candidates.vv, out);
    look_at_planes(w, out);
    return ABUT_OK;
}

void dirichlet_describe(const dirichlet_overlap *w, const dirichlet_finding *finding, char *text,
                        size_t size)
{
    const model_body *bodies = w->contact->model->bodies.data;
    const char *name = bodies[finding->first].name;
    if (finding->second < 0)
        snprintf(text, size, "\"%.60s\" is prescribed to go behind half space %d", name,
                 finding->plane);
    else if (finding->second == finding->first)
        snprintf(text, size, "prescribed parts of \"%.60s\" meet each other", name);
    else
        snprintf(text, size, "\"%.60s\" and \"%.60s\" meet, where both are prescribed", name,
                 bodies[finding->second].name);
}

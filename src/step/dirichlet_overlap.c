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
    array_free(&w->fixed);
    array_free(&w->points);
    array_free(&w->body);
    array_free(&w->key);
    array_free(&w->obstacle);
    array_free(&w->key_flags);
    collision_surface_free(&w->part);
    broad_destroy(w->broad);
    candidate_set_free(&w->candidates);
    array_free(&w->center);
    array_free(&w->from);
    array_free(&w->path);
    array_free(&w->off);
    array_free(&w->half_thickness);
    array_free(&w->extra);
    memset(w, 0, sizeof *w);
}

/* ---------------------------------------------------------------------------------------------- */
/* The part of the surface that is prescribed                                                     */

/* An edge or triangle between vertices of the part; number: in the part, or -1. */
static bool is_inside(const int32_t *cell, int width, const int32_t *number)
{
    for (int k = 0; k < width; k++)
        if (number[cell[k]] < 0) return false;
    return true;
}

static bool choose_cells(dirichlet_overlap *w, const int32_t *number)
{
    const collision_surface *s = &w->contact->model->surface;
    array_clear(&w->part.edges);
    array_clear(&w->part.triangles);
    for (size_t i = 0; i < s->edges.count; i += 2)
        for (int k = 0; k < 2 && is_inside(s->edges.data + i, 2, number); k++)
            if (!array_push(&w->part.edges, number[s->edges.data[i + (size_t)k]])) return false;
    for (size_t i = 0; i < s->triangles.count; i += 3)
        for (int k = 0; k < 3 && is_inside(s->triangles.data + i, 3, number); k++)
            if (!array_push(&w->part.triangles, number[s->triangles.data[i + (size_t)k]]))
                return false;
    return true;
}

static bool choose_points(dirichlet_overlap *w, const uint8_t *fixed, int32_t *number)
{
    const model *m = w->contact->model;
    array_clear(&w->points);
    w->some = false;
    for (size_t i = 0; i < m->surface.rows.count; i++) {
        bool inside = contact_vertex_is_fixed(w->contact, i, fixed);
        number[i] = inside ? (int32_t)w->points.count : -1;
        if (!inside) continue;
        if (!array_push(&w->points, (int32_t)i)) return false;
        int32_t body = m->surface.vertex_body.data[i];
        w->some = w->some || !body_rows[m->bodies.data[body].kind]->obstacle;
    }
    return true;
}

/* Pairs within a body or group that does not collide with itself are left out; so are those of
 * vertices that move together. */
static int32_t key_of(const dirichlet_overlap *w, size_t vertex)
{
    const model *m = w->contact->model;
    int32_t group = m->surface.vertex_group.data[vertex];
    if (w->contact->group_flags[group] & BROAD_GROUP_NO_SELF) return group;
    int32_t together = w->groups ? w->groups[vertex] : -1;
    return together >= 0 ? (int32_t)m->bodies.count + together : group;
}

/* A primitive has the key of its first vertex: where its vertices differ they get none. */
static void drop_mixed_keys(dirichlet_overlap *w, const int32_t *cells, size_t count, size_t width)
{
    for (size_t i = 0; i < count; i += width) {
        bool mixed = false;
        int32_t first = key_of(w, (size_t)w->points.data[cells[i]]);
        for (size_t k = 1; k < width; k++)
            mixed = mixed || key_of(w, (size_t)w->points.data[cells[i + k]]) != first;
        for (size_t k = 0; mixed && k < width; k++) w->key.data[cells[i + k]] = -1;
    }
}

static bool describe_points(dirichlet_overlap *w)
{
    const model *m = w->contact->model;
    size_t n = w->points.count, keys = m->bodies.count;
    if (!array_resize(&w->body, n) || !array_resize(&w->key, n) || !array_resize(&w->obstacle, n) ||
        !array_resize(&w->half_thickness, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t vertex = (size_t)w->points.data[i];
        w->body.data[i] = m->surface.vertex_body.data[vertex];
        w->obstacle.data[i] = body_rows[m->bodies.data[w->body.data[i]].kind]->obstacle;
        w->half_thickness.data[i] = contact_plane_thickness(w->contact, vertex) * (1 + 1e-12);
        w->off.data[i] = 0; /* stays so for vertices that move along chords */
        w->key.data[i] = key_of(w, vertex);
        if ((size_t)w->key.data[i] >= keys) keys = (size_t)w->key.data[i] + 1;
    }
    if (!array_resize(&w->key_flags, keys)) return false;
    memset(w->key_flags.data, BROAD_GROUP_NO_SELF, keys);
    memcpy(w->key_flags.data, w->contact->group_flags, m->bodies.count);
    if (!w->groups) return true;
    drop_mixed_keys(w, w->part.edges.data, w->part.edges.count, 2);
    drop_mixed_keys(w, w->part.triangles.data, w->part.triangles.count, 3);
    return true;
}

static bool choose_surface(dirichlet_overlap *w, const uint8_t *fixed, int32_t *number)
{
    if (!number || !choose_points(w, fixed, number)) return false;
    if (!w->some) return true;
    size_t n = w->points.count;
    return choose_cells(w, number) && array_resize(&w->off, n) && describe_points(w) &&
           array_resize(&w->from, n) && array_resize(&w->path, n) && array_resize(&w->extra, n) &&
           array_resize(&w->center, n);
}

static abut_status make_broad_phase(dirichlet_overlap *w, abut_error *err)
{
    const model *m = w->contact->model;
    broad_surface shape = {.vertex_count = w->points.count,
                           .edge_count = w->part.edges.count / 2,
                           .edges = (const int32_t(*)[2])w->part.edges.data,
                           .triangle_count = w->part.triangles.count / 3,
                           .triangles = (const int32_t(*)[3])w->part.triangles.data,
                           .group = w->key.data,
                           .group_count = w->key_flags.count,
                           .group_flags = w->key_flags.data,
                           .kinematic = w->obstacle.data,
                           .planar = m->planar,
                           .excluded = m->surface.excluded.data,
                           .excluded_count = m->surface.excluded.count,
                           .body = w->body.data};
    return broad_create(&shape, &w->broad, err);
}

static abut_status choose_part(dirichlet_overlap *w, const uint8_t *fixed, abut_error *err)
{
    const model *m = w->contact->model;
    size_t scalars = 3 * m->rest.count;
    if (w->chosen && memcmp(w->fixed.data, fixed, scalars) == 0) return ABUT_OK;
    broad_destroy(w->broad);
    w->broad = NULL;
    w->radius = -1;
    w->crowded = w->chosen = false;
    int32_t *number = mem_alloc(m->surface.rows.count, sizeof *number);
    bool ok = array_resize(&w->fixed, scalars) && choose_surface(w, fixed, number);
    mem_free(number);
    if (!ok) return error_memory(err, "watching prescribed bodies");
    memcpy(w->fixed.data, fixed, scalars);
    if (w->some) TRY(make_broad_phase(w, err));
    w->chosen = true;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Paths                                                                                          */

typedef struct surface_move {
    const double *x, *to;
} surface_move;

static ccd_path path_of(const dirichlet_overlap *w, const surface_move *move, int32_t point)
{
    const collision_surface *s = &w->contact->model->surface;
    int32_t vertex = w->points.data[point];
    const surface_row *row = &s->rows.data[vertex];
    vec3 y = w->from.data[point];
    if (row->kind != ROW_RIGID) return (ccd_path){.y = y, .p = w->path.data[point]};
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

/* Of a surface whose vertices are nodes. */
static void set_node_paths(dirichlet_overlap *w, const surface_move *move)
{
    const surface_row *rows = w->contact->model->surface.rows.data;
    for (size_t i = 0; i < w->points.count; i++) {
        size_t at = 3 * (size_t)rows[w->points.data[i]].block;
        w->from.data[i] = vec3_load(move->x + at);
        w->path.data[i] = vec3_sub(vec3_load(move->to + at), w->from.data[i]);
    }
    w->off_most = 0;
}

/* Chords of the paths, and how far the paths are off them at most. */
static void set_paths(dirichlet_overlap *w, const surface_move *move)
{
    const collision_surface *s = &w->contact->model->surface;
    size_t n = w->points.count;
    if (!s->general) {
        set_node_paths(w, move);
        return;
    }
    collision_surface_some_positions(s, move->x, w->points.data, n, w->from.data);
    collision_surface_some_positions(s, move->to, w->points.data, n, w->path.data);
    w->off_most = 0;
    for (size_t i = 0; i < n; i++) {
        w->path.data[i] = vec3_sub(w->path.data[i], w->from.data[i]);
        if (s->rows.data[w->points.data[i]].kind != ROW_RIGID) continue;
        ccd_path path = path_of(w, move, (int32_t)i);
        w->off.data[i] = ccd_path_deviation(&path, 0, 1);
        w->off_most = fmax(w->off_most, w->off.data[i]);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* The pairs that can meet                                                                        */

/* The largest distance of a path from the centers of the cover; INFINITY without one. */
static double largest_distance(const dirichlet_overlap *w)
{
    if (w->radius < 0) return INFINITY;
    double largest2 = 0;
    for (size_t i = 0; i < w->points.count; i++) {
        vec3 away = vec3_sub(w->from.data[i], w->center.data[i]);
        double start2 = vec3_norm2(away), end2 = vec3_norm2(vec3_add(away, w->path.data[i]));
        double further2 = start2 > end2 ? start2 : end2;
        if (further2 > largest2) largest2 = further2;
    }
    return (sqrt(largest2) + w->off_most) * (1 + 1e-9);
}

static double longest_path(const dirichlet_overlap *w)
{
    double longest2 = 0;
    for (size_t i = 0; i < w->points.count; i++)
        longest2 = fmax(longest2, vec3_norm2(w->path.data[i]));
    return sqrt(longest2) + w->off_most;
}

/* The pairs that can meet in this step. */
static abut_status search_step(dirichlet_overlap *w, abut_error *err)
{
    for (size_t i = 0; i < w->points.count; i++)
        w->extra.data[i] = w->off.data[i] + w->half_thickness.data[i];
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
    double radius = STEPS_AHEAD * longest_path(w);
    w->radius = -1;
    memcpy(w->center.data, w->from.data, w->points.count * sizeof *w->center.data);
    broad_query query = {
        .y = w->from.data, .inflation = 2 * radius, .extra = w->half_thickness.data, .tight = true};
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
static void add_box(const dirichlet_overlap *w, int32_t point, vec3 *low, vec3 *high)
{
    double width = w->off.data[point] + w->half_thickness.data[point];
    vec3 a = w->from.data[point], b = vec3_add(a, w->path.data[point]);
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

/* What a pair of vertices of the part keeps. */
static double thickness_of(const dirichlet_overlap *w, const int32_t *v, int first, int n)
{
    int32_t vertex[4];
    for (int k = 0; k < n; k++) vertex[k] = w->points.data[v[k]];
    return surface_pair_thickness(&w->contact->model->surface, vertex, first, vertex + first,
                                  n - first);
}

static void look_at_pairs(const dirichlet_overlap *w, const surface_move *move, ccd_kind kind,
                          const pair_list *pairs, dirichlet_finding *out)
{
    int n = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    step_options options = step_default_options();
    options.keep = 0; /* they may come as near to each other as they like, */
    options.tolerance = fmin(options.tolerance, NEAR * w->contact->options.dhat); /* but for this */
    for (size_t i = 0; i < pairs->count; i++) {
        int32_t v[4];
        ccd_path path[4];
        pair_vertices(&w->part, kind, pairs->data[i], v);
        if (are_apart(w, v, first, n)) continue;
        for (int k = 0; k < n; k++) path[k] = path_of(w, move, v[k]);
        options.min_distance = thickness_of(w, v, first, n);
        step_result result = ccd_curved_pair_step(kind, path, &options);
        if (!result.limited && !result.touching) continue;
        if (out->found && result.step >= out->part) continue;
        *out = (dirichlet_finding){.found = true,
                                   .first = w->body.data[v[0]],
                                   .second = w->body.data[v[first]],
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
            if (w->obstacle.data[i]) continue;
            const half_space *plane = &c->planes.data[k];
            vec3 end = vec3_add(w->from.data[i], w->path.data[i]);
            double d = half_space_distance(end, plane->origin, plane->normal);
            if (d > contact_plane_thickness(c, (size_t)w->points.data[i])) continue;
            *out = (dirichlet_finding){
                .found = true, .first = w->body.data[i], .second = -1, .plane = (int32_t)k};
        }
}

abut_status dirichlet_overlap_find(dirichlet_overlap *w, const double *x, const double *to,
                                   const uint8_t *fixed, dirichlet_finding *out, abut_error *err)
{
    surface_move move = {x, to};
    *out = (dirichlet_finding){.second = -1, .plane = -1};
    if (!moves(w, &move, fixed)) return ABUT_OK;
    TRY(choose_part(w, fixed, err));
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

/* Pairs that stop a step, as linear inequalities on its direction (term/obstruction.h).
 *
 * Barriers of pairs beyond dhat are invisible to Newton's model, and those of near pairs are far
 * steeper a little further on than where they are: directions lead through such pairs. What stops
 * them is known from collision detection: at that moment, closest points with weights c and the
 * unit vector n between them; the gap along n is linear in the direction. */
#include "contact/contact_step.h"
#include "contact/pair_geometry.h"
#include "term/obstruction_rows.h"

#include "base/parallel.h"

#include <math.h>

/* Pairs out of the barrier's reach should come well within it. */
static const double WITHIN = 0.5;

typedef struct moment_work {
    const contact_term *t;
    ccd_kind kind;
    const index_pair *pairs;
    double *moments;
} moment_work;

static void find_moments(void *context, size_t begin, size_t end)
{
    const moment_work *w = context;
    for (size_t i = begin; i < end; i++)
        w->moments[i] = contact_pair_step(w->t, w->kind, w->pairs[i], 1);
}

/* Adds value times the derivative of a vertex's position with respect to the coordinates. */
static bool add_vertex(const contact_term *t, int32_t vertex, vec3 value, obstruction *row,
                       obstruction_list *out)
{
    const collision_surface *s = &t->model->surface;
    const surface_row *r = &s->rows.data[vertex];
    int count = r->kind == ROW_COMBINATION ? r->count : r->kind == ROW_RIGID ? 2 : 1;
    for (int k = 0; k < count; k++) {
        int32_t block = r->block;
        vec3 part = value;
        if (r->kind == ROW_COMBINATION) {
            const row_entry *e = &s->entries.data[r->first + k];
            block = e->block;
            part = vec3_scale(e->weight, value);
        } else if (r->kind == ROW_RIGID && k == 1) {
            const pose_derivatives *pose = &t->poses.data[r->first];
            block = r->block + 1;
            part = (vec3){vec3_dot(value, mat3_mul_vec(pose->first[0], s->arms.data[vertex])),
                          vec3_dot(value, mat3_mul_vec(pose->first[1], s->arms.data[vertex])),
                          vec3_dot(value, mat3_mul_vec(pose->first[2], s->arms.data[vertex]))};
        }
        if (!array_push(&out->blocks, block) || !array_push(&out->values, part.x) ||
            !array_push(&out->values, part.y) || !array_push(&out->values, part.z))
            return false;
        row->count++;
    }
    return true;
}

/* What is left of a gap at the end of the step, at least. */
static double aim_of(const contact_term *t, double gap)
{
    return fmin(OBSTRUCTION_AIM * gap, WITHIN * t->options.dhat);
}

static double closest_weights(ccd_kind kind, const vec3 *x, double *weight)
{
    point_triangle_type pt;
    edge_edge_type ee;
    point_edge_type pe;
    switch (kind) {
    case CCD_POINT_TRIANGLE: return point_triangle_closest(x[0], x[1], x[2], x[3], &pt, weight);
    case CCD_EDGE_EDGE: return edge_edge_closest(x[0], x[1], x[2], x[3], &ee, weight);
    case CCD_POINT_EDGE: return point_edge_closest(x[0], x[1], x[2], &pe, weight);
    case CCD_POINT_POINT: break;
    }
    weight[0] = 1;
    weight[1] = -1;
    return point_point_distance2(x[0], x[1]);
}

static bool add_pair(const contact_term *t, ccd_kind kind, index_pair pair, double moment,
                     obstruction_list *out)
{
    int n = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    int32_t v[4] = {-1, -1, -1, -1};
    vec3 x[4] = {{0}}, between = {0};
    double weight[4], separation = 0;
    pair_vertices(&t->model->surface, kind, pair, v);
    for (int k = 0; k < n; k++) x[k] = contact_path_position(t, v[k], moment);
    closest_weights(kind, x, weight);
    for (int k = 0; k < n; k++) between = vec3_mul_add(between, weight[k], x[k]);
    double distance = vec3_norm(between);
    if (!(distance > 0)) return true;
    vec3 normal = vec3_scale(1 / distance, between);
    for (int k = 0; k < n; k++) separation += weight[k] * vec3_dot(normal, t->search->y[v[k]]);
    double gap =
        separation - surface_pair_thickness(&t->model->surface, v, first, v + first, n - first);
    if (!(gap > 0)) return true;
    obstruction row = {.first = out->blocks.count,
                       .key = {(int32_t)kind, v[0], v[1], v[2], v[3]},
                       .bound = aim_of(t, gap) - gap,
                       .moment = moment};
    for (int k = 0; k < n; k++)
        if (weight[k] != 0 && !add_vertex(t, v[k], vec3_scale(weight[k], normal), &row, out))
            return false;
    return array_push(&out->rows, row);
}

static abut_status add_list(const contact_term *t, ccd_kind kind, const pair_list *list,
                            obstruction_list *out, abut_error *err)
{
    if (!array_resize(&t->search->moments, list->count + 1))
        return error_memory(err, "looking for collisions ahead");
    moment_work work = {t, kind, list->data, t->search->moments.data};
    parallel_for(list->count, 256, find_moments, &work);
    for (size_t i = 0; i < list->count; i++)
        if (work.moments[i] < 1 && !add_pair(t, kind, list->data[i], work.moments[i], out))
            return error_memory(err, "looking for collisions ahead");
    return ABUT_OK;
}

static abut_status add_planes(const contact_term *t, obstruction_list *out, abut_error *err)
{
    for (size_t k = 0; k < t->planes.count; k++) {
        const half_space *plane = &t->planes.data[k];
        for (size_t i = 0; i < t->model->surface.rows.count; i++) {
            if (t->kinematic[i]) continue;
            double xi = contact_plane_thickness(t, i);
            double gap = half_space_distance(t->search->y[i], plane->origin, plane->normal) - xi;
            vec3 end = contact_path_position(t, (int32_t)i, 1);
            double left = half_space_distance(end, plane->origin, plane->normal) - xi;
            if (!(gap > 0) || left >= OBSTRUCTION_AIM * gap) continue;
            obstruction row = {.first = out->blocks.count,
                               .key = {-1, (int32_t)i, (int32_t)k, -1, -1},
                               .bound = aim_of(t, gap) - gap,
                               .moment = (1 - OBSTRUCTION_AIM) * gap / (gap - left)};
            if (!add_vertex(t, (int32_t)i, plane->normal, &row, out) ||
                !array_push(&out->rows, row))
                return error_memory(err, "looking for collisions ahead");
        }
    }
    return ABUT_OK;
}

abut_status contact_obstructions(const term *base, const double *x, const double *p,
                                 obstruction_list *out, abut_error *err)
{
    const contact_term *t = (const contact_term *)base;
    const candidate_set *near;
    TRY(contact_cover_path(t, x, p, &near, err));
    TRY(add_planes(t, out, err));
    TRY(add_list(t, CCD_POINT_TRIANGLE, &near->vt, out, err));
    TRY(add_list(t, CCD_EDGE_EDGE, &near->ee, out, err));
    TRY(add_list(t, CCD_POINT_EDGE, &near->ve, out, err));
    return add_list(t, CCD_POINT_POINT, &near->vv, out, err);
}

#include "contact/contact_step.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "ccd/curved.h"

#include <math.h>
#include <string.h>

/* Share of the present distance that a step must leave. */
static const double KEEP_MESH = 0.2, KEEP_PLANE = 0.1;

/* ---------------------------------------------------------------------------------------------- */
/* Candidates                                                                                     */

typedef struct tube_work {
    const contact_term *t;
    double s;
} tube_work;

static double off_tube2(void *context, size_t begin, size_t end)
{
    const tube_work *w = context;
    double largest = 0;
    for (size_t i = begin; i < end; i++) {
        vec3 on = vec3_mul_add(w->t->y_base[i], w->s, w->t->p_base[i]);
        double length2 = vec3_norm2(vec3_sub(w->t->y[i], on));
        if (w->t->deviation && w->t->deviation[i] > 0) { /* the boxes hold that much more */
            double off = fmax(0, sqrt(length2) - w->t->deviation[i]);
            length2 = off * off;
        }
        largest = length2 > largest ? length2 : largest;
    }
    return largest;
}

static double largest_speed2(void *context, size_t begin, size_t end)
{
    const contact_term *t = context;
    double largest = 0;
    for (size_t i = begin; i < end; i++) {
        double length2 = t->speed ? t->speed[i] * t->speed[i] : vec3_norm2(t->p[i]);
        if (!(length2 <= largest)) largest = length2; /* also when it is not a number */
    }
    return largest;
}

/* How far the vertices are from the way that the candidates were found for: the way is known up to
 * the fraction s of it that has been travelled, which the fastest vertex tells. */
static double distance_from_tube(const contact_term *t)
{
    size_t n = t->model->surface.rows.count;
    double s = 0;
    if (t->tube_length > 0) {
        vec3 p = t->p_base[t->tube_vertex];
        vec3 moved = vec3_sub(t->y[t->tube_vertex], t->y_base[t->tube_vertex]);
        s = fmin(t->tube_limit, fmax(0, vec3_dot(moved, p) / vec3_norm2(p)));
    }
    tube_work work = {t, s};
    return sqrt(fmax(0, parallel_max(n, off_tube2, &work)));
}

/* Finds candidates for the way from t->y along t->p (NULL: no way), with room around it. */
static abut_status find_candidates(contact_term *t, const double *x, bool swept, double limit,
                                   double room, abut_error *err)
{
    size_t n = t->model->surface.rows.count;
    memcpy(t->y_base, t->y, n * sizeof *t->y);
    t->tube_length = 0;
    t->tube_limit = limit;
    t->tube_vertex = 0;
    /* Seen from the mean motion of what moves, a flying body sweeps little. Distances of pairs do
     * not depend on that choice of frame. */
    vec3 mean = {0};
    size_t moving = 0;
    if (swept) {
        memcpy(t->p_base, t->p, n * sizeof *t->p);
        for (size_t i = 0; i < n; i++) {
            double length2 = vec3_norm2(t->p[i]);
            if (length2 > t->tube_length) {
                t->tube_length = length2;
                t->tube_vertex = i;
            }
            if (t->kinematic[i]) continue;
            mean = vec3_add(mean, t->p[i]);
            moving++;
        }
        if (moving) mean = vec3_scale(1 / (double)moving, mean);
        for (size_t i = 0; i < n; i++) t->p[i] = vec3_sub(t->p[i], mean);
    } else {
        memset(t->p_base, 0, n * sizeof *t->p_base);
        if (t->deviation) memset(t->deviation, 0, n * sizeof *t->deviation);
    }
    for (size_t i = 0; t->extra && i < n; i++)
        t->extra[i] = 0.5 * t->model->surface.thickness.data[i] * (1 + 1e-12) +
                      (t->deviation ? t->deviation[i] : 0);
    broad_query query = {.y = t->y,
                         .p = swept ? t->p : NULL,
                         .alpha = swept ? limit : 0,
                         .extra = t->extra ? t->extra : t->deviation,
                         .inflation = t->options.dhat + 2 * room,
                         .tight = true,
                         /* Corrected sums need all pairs of a vertex in one place. */
                         .divided = t->active.links == NULL && !t->parts};
    abut_status status;
    if (t->parts) {
        part_boxes_fill(t->parts, &t->model->surface, &query, x, swept ? t->direction : NULL, mean);
        status = broad_parts_candidates(t->parts, &query, &t->candidates, err);
    } else {
        status = broad_candidates(t->broad, &query, &t->candidates, err);
    }
    if (swept) memcpy(t->p, t->p_base, n * sizeof *t->p);
    t->broad_queries++;
    t->have_candidates = status == ABUT_OK;
    t->reach = candidate_set_reach(&t->candidates, t->options.dhat);
    return status;
}

abut_status contact_cover_point(contact_term *t, const double *x, abut_error *err)
{
    if (t->have_candidates && distance_from_tube(t) <= t->reach) return ABUT_OK;
    return find_candidates(t, x, false, 0, 0.25 * t->options.dhat, err);
}

/* ---------------------------------------------------------------------------------------------- */
/* Collision detection                                                                            */

typedef struct ccd_work {
    contact_term *t;
    ccd_kind kind;
    const index_pair *pairs;
    double limit;
} ccd_work;

static inline void pair_vertices(const contact_term *t, ccd_kind kind, index_pair pair, int32_t *v)
{
    const collision_surface *s = &t->model->surface;
    const int32_t *triangles = s->triangles.data, *edges = s->edges.data;
    switch (kind) {
    case CCD_POINT_TRIANGLE:
        v[0] = pair.first;
        memcpy(v + 1, triangles + 3 * (size_t)pair.second, 3 * sizeof *v);
        break;
    case CCD_EDGE_EDGE:
        memcpy(v, edges + 2 * (size_t)pair.first, 2 * sizeof *v);
        memcpy(v + 2, edges + 2 * (size_t)pair.second, 2 * sizeof *v);
        break;
    case CCD_POINT_EDGE:
        v[0] = pair.first;
        memcpy(v + 1, edges + 2 * (size_t)pair.second, 2 * sizeof *v);
        break;
    case CCD_POINT_POINT:
        v[0] = pair.first;
        v[1] = pair.second;
        break;
    }
}

static inline double pair_distance2(ccd_kind kind, const vec3 *x)
{
    switch (kind) {
    case CCD_POINT_TRIANGLE: return point_triangle_true_distance2(x[0], x[1], x[2], x[3]);
    case CCD_EDGE_EDGE: return edge_edge_true_distance2(x[0], x[1], x[2], x[3]);
    case CCD_POINT_EDGE: return point_edge_true_distance2(x[0], x[1], x[2]);
    case CCD_POINT_POINT: return point_point_distance2(x[0], x[1]);
    }
    return 0;
}

/* What follows is written for a kind that is known when it is compiled: loops over the vertices
 * become straight code, which the many pairs that are far enough apart need. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

static inline double larger(double a, double b) { return a > b ? a : b; }

/* Largest displacement of a vertex of the first and of the second primitive, added, seen from the
 * mean motion: what the distance of the pair can shrink by (additive CCD, equation 10). */
ALWAYS_INLINE double closing_bound(ccd_kind kind, const vec3 *p)
{
    int n = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    vec3 mean = {0};
    for (int k = 0; k < n; k++) mean = vec3_mul_add(mean, 1.0 / n, p[k]);
    double a = 0, b = 0;
    for (int k = 0; k < n; k++) {
        double length2 = vec3_norm2(vec3_sub(p[k], mean));
        if (k < first)
            a = larger(a, length2);
        else
            b = larger(b, length2);
    }
    return sqrt(a) + sqrt(b);
}

static inline double gap_between(double alow, double ahigh, double blow, double bhigh)
{
    return larger(0, larger(alow - bhigh, blow - ahigh));
}

/* A lower bound of the squared distance from bounding boxes: cheaper than the distance itself. */
ALWAYS_INLINE double box_distance2(ccd_kind kind, const vec3 *x)
{
    int n = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    vec3 alow = x[0], ahigh = x[0], blow = x[first], bhigh = x[first];
    for (int k = 1; k < first; k++) {
        alow = vec3_min(alow, x[k]);
        ahigh = vec3_max(ahigh, x[k]);
    }
    for (int k = first + 1; k < n; k++) {
        blow = vec3_min(blow, x[k]);
        bhigh = vec3_max(bhigh, x[k]);
    }
    double dx = gap_between(alow.x, ahigh.x, blow.x, bhigh.x);
    double dy = gap_between(alow.y, ahigh.y, blow.y, bhigh.y);
    double dz = gap_between(alow.z, ahigh.z, blow.z, bhigh.z);
    return dx * dx + dy * dy + dz * dz;
}

/* True when the pair is certainly further apart than the root of distance2: by boxes, by the
 * normal, by the distance itself, the cheapest first. */
ALWAYS_INLINE bool further_apart(ccd_kind kind, const vec3 *x, double distance2)
{
    if (box_distance2(kind, x) > distance2) return true;
    if (kind == CCD_POINT_TRIANGLE && plane_keeps_apart(x[0], x[1], x[2], x[3], distance2))
        return true;
    if (kind == CCD_EDGE_EDGE && lines_keep_apart(x[0], x[1], x[2], x[3], distance2)) return true;
    return pair_distance2(kind, x) > distance2;
}

/* The way of a vertex from t->x along t->direction. */
static ccd_path path_of(const contact_term *t, int32_t vertex)
{
    const collision_surface *s = &t->model->surface;
    const surface_row *row = &s->rows.data[vertex];
    if (row->kind != ROW_RIGID) return (ccd_path){.y = t->y[vertex], .p = t->p[vertex]};
    const double *x = t->x + 3 * (size_t)row->block, *p = t->direction + 3 * (size_t)row->block;
    vec3 turn = vec3_load(p + 3);
    if (vec3_norm2(turn) == 0) return (ccd_path){.y = t->y[vertex], .p = vec3_load(p)};
    return (ccd_path){.y = vec3_load(x),
                      .p = vec3_load(p),
                      .theta = vec3_load(x + 3),
                      .dtheta = turn,
                      .arm = s->arms.data[vertex],
                      .curved = true};
}

/* How far apart a pair must be to have enough left beyond xi after losing `closing`. */
static inline double needed_distance(double xi, double closing)
{
    return xi + closing / (1 - KEEP_MESH);
}

/* Largest safe fraction of the way for a pair with a rigid vertex. */
static double curved_pair_step(const contact_term *t, ccd_kind kind, const int32_t *v,
                               const step_options *options)
{
    int n = ccd_vertex_count(kind);
    ccd_path path[4];
    vec3 x[4];
    double closing = 0, part = 0; /* speeds of the two primitives: what the distance loses */
    int first = kind == CCD_EDGE_EDGE ? 2 : 1;
    for (int k = 0; k < n; k++) {
        path[k] = path_of(t, v[k]);
        x[k] = t->y[v[k]];
        part = k == 0 || k == first ? 0 : part;
        part = fmax(part, t->speed[v[k]]);
        if (k == first - 1 || k == n - 1) closing += part;
    }
    closing *= (1 + 1e-12) * options->t_max;
    double needed = needed_distance(options->min_distance, closing);
    if (box_distance2(kind, x) > needed * needed) return options->t_max;
    return fmin(options->t_max, ccd_curved_pair_step(kind, path, options).step);
}

static bool any_rigid(const contact_term *t, const int32_t *v, int n)
{
    for (int k = 0; k < n; k++)
        if (t->model->surface.rows.data[v[k]].kind == ROW_RIGID) return true;
    return false;
}

static step_options options_of(const contact_term *t, double xi, double limit)
{
    step_options options = step_default_options();
    options.method = t->options.ccd;
    options.keep = KEEP_MESH;
    options.cap = t->options.dhat;
    options.t_max = limit;
    options.min_distance = xi;
    return options;
}

/* Largest safe fraction of the way for one pair. */
ALWAYS_INLINE double pair_step(const contact_term *t, ccd_kind kind, index_pair pair, double limit)
{
    int n = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    int32_t v[4];
    vec3 x[4], p[4], end[4];
    pair_vertices(t, kind, pair, v);
    double xi = surface_pair_thickness(&t->model->surface, v, first, v + first, n - first);
    if (t->speed && any_rigid(t, v, n)) {
        step_options options = options_of(t, xi, limit);
        return curved_pair_step(t, kind, v, &options);
    }
    for (int k = 0; k < n; k++) {
        x[k] = t->y[v[k]];
        p[k] = t->p[v[k]];
    }
    double needed = needed_distance(xi, closing_bound(kind, p) * (1 + 1e-12) * limit);
    if (further_apart(kind, x, needed * needed)) return limit;
    for (int k = 0; k < n; k++) end[k] = vec3_add(x[k], p[k]);
    step_options options = options_of(t, xi, limit);
    return fmin(limit, ccd_pair_step(kind, x, end, &options).step);
}

ALWAYS_INLINE double step_range_of(const ccd_work *w, ccd_kind kind, size_t begin, size_t end)
{
    double alpha = w->limit;
    for (size_t i = begin; i < end; i++) {
        double step = pair_step(w->t, kind, w->pairs[i], w->limit);
        if (step < alpha) alpha = step;
    }
    return alpha;
}

static double step_range(void *context, size_t begin, size_t end)
{
    const ccd_work *w = context;
    switch (w->kind) {
    case CCD_POINT_TRIANGLE: return step_range_of(w, CCD_POINT_TRIANGLE, begin, end);
    case CCD_EDGE_EDGE: return step_range_of(w, CCD_EDGE_EDGE, begin, end);
    case CCD_POINT_EDGE: return step_range_of(w, CCD_POINT_EDGE, begin, end);
    case CCD_POINT_POINT: return step_range_of(w, CCD_POINT_POINT, begin, end);
    }
    return 0;
}

/* Pairs are handled in rounds of fixed sizes: within a round all see the same limit, so that the
 * result does not depend on threads, and later rounds profit from earlier ones. */
static double step_of_list(contact_term *t, ccd_kind kind, const pair_list *list, double limit)
{
    size_t round = 1024;
    for (size_t first = 0; first < list->count; first += round, round *= 4) {
        size_t n = list->count - first < round ? list->count - first : round;
        ccd_work work = {t, kind, list->data + first, limit};
        limit = fmin(limit, t->candidates.divided ? ranks_min_of(n, step_range, &work)
                                                  : parallel_min(n, step_range, &work));
    }
    t->ccd_queries += list->count;
    return limit;
}

static double step_of_planes(const contact_term *t, double limit)
{
    for (size_t k = 0; k < t->planes.count; k++) {
        const half_space *plane = &t->planes.data[k];
        for (size_t i = 0; i < t->model->surface.rows.count; i++) {
            if (t->kinematic[i]) continue;
            double xi = contact_plane_thickness(t, i);
            double d = half_space_distance(t->y[i], plane->origin, plane->normal) - xi;
            if (t->model->surface.rows.data[i].kind == ROW_RIGID) {
                if (limit * t->speed[i] * (1 + 1e-12) < (1 - KEEP_PLANE) * d) continue;
                ccd_path path = path_of(t, (int32_t)i);
                vec3 origin = vec3_mul_add(plane->origin, xi, plane->normal);
                limit = ccd_curved_plane_step(&path, origin, plane->normal, KEEP_PLANE, limit);
                continue;
            }
            double toward = -vec3_dot(plane->normal, t->p[i]);
            if (toward <= 0) continue;
            limit = fmin(limit, (1 - KEEP_PLANE) * d / toward);
        }
    }
    return fmax(0, limit);
}

/* Directions of the vertices; for rigid ones also the bound of their speed. */
static void set_directions(contact_term *t, const double *x, const double *p)
{
    const collision_surface *s = &t->model->surface;
    collision_surface_positions(s, x, t->y);
    collision_surface_directions(s, p, t->p);
    t->x = x;
    t->direction = p;
    for (size_t i = 0; t->speed && i < s->rows.count; i++) {
        ccd_path path = path_of(t, (int32_t)i);
        t->speed[i] = ccd_path_speed(&path);
    }
}

/* Rigid vertices: the chords of their ways up to `limit`, and how far they are off them. */
static void set_chords(contact_term *t, double limit)
{
    const collision_surface *s = &t->model->surface;
    if (!t->speed) return;
    int32_t frame = -1; /* vertices of a body stand together: one rotation serves many */
    mat3 rotation = mat3_identity();
    for (size_t i = 0; i < s->rows.count; i++) {
        if (s->rows.data[i].kind != ROW_RIGID) continue;
        ccd_path path = path_of(t, (int32_t)i);
        t->p[i] = path.p;
        if (path.curved && limit > 0) {
            if (s->rows.data[i].first != frame) rotation = ccd_path_rotation(&path, limit);
            frame = s->rows.data[i].first;
            vec3 end = ccd_path_turned(&path, limit, &rotation);
            t->p[i] = vec3_scale(1 / limit, vec3_sub(end, t->y[i]));
        }
        t->deviation[i] = ccd_path_deviation(&path, 0, limit);
    }
}

abut_status contact_max_step(term *base, const double *x, const double *p, double limit,
                             double *alpha, stage_timer *timer, abut_error *err)
{
    contact_term *t = (contact_term *)base;
    size_t n = t->model->surface.rows.count;
    stage before = timer_switch(timer, STAGE_BROAD_PHASE);
    set_directions(t, x, p);
    double speed = n > 0 ? sqrt(parallel_max(n, largest_speed2, t)) : 0;
    if (!isfinite(limit * speed)) {
        timer_switch(timer, before);
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "", "a search direction is not finite");
    }
    limit = step_of_planes(t, limit);
    double move = limit * speed;
    bool covered =
        t->have_candidates && !t->options.always_search && distance_from_tube(t) + move <= t->reach;
    abut_status status = ABUT_OK;
    if (!covered) {
        double dhat = t->options.dhat;
        double room = fmin(0.5 * dhat, fmax(0.05 * dhat, 0.5 * move));
        set_chords(t, limit);
        status = find_candidates(t, x, true, limit, room, err);
    }
    timer_switch(timer, STAGE_CCD);
    if (status == ABUT_OK) {
        limit = step_of_list(t, CCD_POINT_TRIANGLE, &t->candidates.vt, limit);
        limit = step_of_list(t, CCD_EDGE_EDGE, &t->candidates.ee, limit);
        limit = step_of_list(t, CCD_POINT_EDGE, &t->candidates.ve, limit);
        limit = step_of_list(t, CCD_POINT_POINT, &t->candidates.vv, limit);
    }
    timer_switch(timer, before);
    *alpha = limit;
    return status;
}

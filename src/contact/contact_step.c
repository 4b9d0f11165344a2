#include "contact/contact_step.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "ccd/curved.h"
#include "contact/pair_geometry.h"
#include "math/rotation.h"
#include "term/keep.h"

#include <math.h>
#include <string.h>

/* How much farther than needed candidates of rigid bodies are looked for: at most this share of the
 * mean edge. */
static const double ROOM_OF_EDGE = 0.2;
/* Paths are looked at in pieces of at least this part of the mean edge. */
static const double PIECE_OF_EDGE = 0.5;
/* Room and pieces are so many times larger than the ones before. */
static const double GROWTH = 4;
/* Per two parts of bodies that meet, what a search costs: more pairs cost more than searches. */
enum { MOST_PAIRS = 4 };

/* ---------------------------------------------------------------------------------------------- */
/* Candidates                                                                                     */

static double largest_speed2(void *context, size_t begin, size_t end)
{
    const contact_search *s = context;
    double largest = 0;
    for (size_t i = begin; i < end; i++) {
        double length2 = vec3_norm2(s->p[swept_cover_linear_vertex(&s->swept_cover, i)]);
        if (!(length2 <= largest)) largest = length2; /* also when it is not a number */
    }
    return largest;
}

/* No vertex moves faster than this. */
static double largest_speed(const contact_term *t)
{
    size_t n = swept_cover_linear_count(&t->search->swept_cover);
    double speed = n > 0 ? sqrt(parallel_max(n, largest_speed2, t->search)) : 0;
    for (size_t f = 0; f < t->search->motions.count; f++) {
        const pose_motion *path = &t->search->motions.data[f];
        double fastest = path->speed + path->turn * t->search->swept_cover.arms.data[f];
        if (!(fastest <= speed)) speed = fastest;
    }
    return speed;
}

/* Finds candidates for the path from t->search->y along t->search->p (NULL: no motion), with room
 * around it. */
static abut_status find_candidates(const contact_term *t, const double *x, bool swept, double limit,
                                   double room, abut_error *err)
{
    size_t n = t->model->surface.rows.count;
    coordinate_path path = {x, swept ? t->search->direction : NULL, t->search->y,
                            swept ? t->search->p : NULL, limit};
    swept_cover_set(&t->search->swept_cover, &path);
    /* Seen from the mean motion of what moves, a flying body sweeps little. Distances of pairs do
     * not depend on that choice of frame. */
    vec3 mean = {0};
    size_t moving = 0;
    if (swept) {
        for (size_t i = 0; i < n; i++) {
            if (t->kinematic[i]) continue;
            mean = vec3_add(mean, t->search->p[i]);
            moving++;
        }
        if (moving) mean = vec3_scale(1 / (double)moving, mean);
        for (size_t i = 0; i < n; i++) t->search->p[i] = vec3_sub(t->search->p[i], mean);
    } else if (t->search->deviation) {
        memset(t->search->deviation, 0, n * sizeof *t->search->deviation);
    }
    for (size_t i = 0; t->search->extra && i < n; i++)
        t->search->extra[i] = 0.5 * t->model->surface.thickness.data[i] * (1 + 1e-12) +
                              (t->search->deviation ? t->search->deviation[i] : 0);
    broad_query query = {.y = t->search->y,
                         .p = swept ? t->search->p : NULL,
                         .alpha = swept ? limit : 0,
                         .extra = t->search->extra ? t->search->extra : t->search->deviation,
                         .inflation = t->options.dhat + 2 * room,
                         .tight = true,
                         /* Corrected sums need all pairs of a vertex on one rank. */
                         .divided = t->weights.links == NULL && !t->parts};
    abut_status status;
    if (t->parts) {
        part_boxes_fill(t->parts, &t->model->surface, &query, x,
                        swept ? t->search->direction : NULL, mean);
        status = broad_parts_candidates(t->parts, &query, &t->search->candidates, err);
        t->search->wide = room > 0.5 * t->options.dhat;
        if (status == ABUT_OK && t->search->wide)
            status = near_pairs_set(&t->search->near, &t->search->candidates, err);
    } else {
        status = broad_candidates(t->broad, &query, &t->search->candidates, err);
    }
    if (swept) memcpy(t->search->p, t->search->swept_cover.p, n * sizeof *t->search->p);
    t->search->broad_queries++;
    t->search->have_candidates = status == ABUT_OK;
    t->search->reach = candidate_set_reach(&t->search->candidates, t->options.dhat);
    return status;
}

abut_status contact_cover_point(const contact_term *t, const double *x, abut_error *err)
{
    t->search->y = t->y;
    coordinate_path configuration = {.x = x, .y = t->y};
    double moment;
    if (t->search->have_candidates &&
        swept_cover_distance(&t->search->swept_cover, &configuration, &moment) <= t->search->reach)
        return ABUT_OK;
    return find_candidates(t, x, false, 0, 0.25 * t->options.dhat, err);
}

abut_status contact_near(const contact_term *t, const coordinate_path *path,
                         const candidate_set **near, abut_error *err)
{
    *near = t->search->wide ? &t->search->near.near : &t->search->candidates;
    return t->search->wide ? near_pairs_choose(&t->search->near, path, err) : ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Collision detection                                                                            */

typedef struct ccd_work {
    const contact_term *t;
    ccd_kind kind;
    const index_pair *pairs;
    double limit;
} ccd_work;

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
            a = pair_larger(a, length2);
        else
            b = pair_larger(b, length2);
    }
    return sqrt(a) + sqrt(b);
}

/* The path of a vertex from t->search->x along t->search->direction. */
static ccd_path path_of(const contact_term *t, int32_t vertex)
{
    const collision_surface *s = &t->model->surface;
    const surface_row *row = &s->rows.data[vertex];
    if (row->kind != ROW_RIGID)
        return (ccd_path){.y = t->search->y[vertex], .p = t->search->p[vertex]};
    const double *x = t->search->x + 3 * (size_t)row->block,
                 *p = t->search->direction + 3 * (size_t)row->block;
    vec3 turn = vec3_load(p + 3);
    if (vec3_norm2(turn) == 0) return (ccd_path){.y = t->search->y[vertex], .p = vec3_load(p)};
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
    return xi + closing / (1 - KEEP_GAP);
}

/* Displacement of a vertex up to the limit of the paths, and how far it may be off the straight
 * line in between. */
static vec3 chord_of(const contact_term *t, int32_t vertex, double limit, double *off)
{
    const collision_surface *s = &t->model->surface;
    const surface_row *row = &s->rows.data[vertex];
    *off = 0;
    if (row->kind != ROW_RIGID) return vec3_scale(limit, t->search->p[vertex]);
    const pose_motion *path = &t->search->motions.data[row->first];
    if (path->turn == 0) return path->shift;
    vec3 arm = s->arms.data[vertex];
    double angle = path->turn * path->limit;
    *off = vec3_norm(arm) * (angle * angle / 8) * (1 + 1e-12);
    return vec3_sub(vec3_add(path->end, mat3_mul_vec(path->rotation, arm)), t->search->y[vertex]);
}

/* What a pair keeps beyond its thickness because positions q + R X are rounded: below it one cannot
 * tell whether bodies meet, and what Newton's method squeezes into it is not to be passed. Some
 * times what the independent check allows for (geometry/check_path.c). */
static double rounding_floor(const contact_term *t, const int32_t *v, int n)
{
    static const double ROUNDING = 0x1p-43;
    double size = 0;
    for (int k = 0; k < n; k++) {
        const surface_row *row = &t->model->surface.rows.data[v[k]];
        double arm = row->kind == ROW_RIGID ? vec3_max_abs(t->model->surface.arms.data[v[k]]) : 0;
        size = fmax(size, vec3_max_abs(t->search->y[v[k]]) + arm);
    }
    return ROUNDING * size;
}

/* Largest safe fraction of the path for a pair with a rigid vertex. The paths are straight lines
 * but for a little: what the distance loses on them is known at their ends. */
ALWAYS_INLINE double curved_pair_step(const contact_term *t, ccd_kind kind, const int32_t *v,
                                      const step_options *options)
{
    int n = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    ccd_path path[4];
    vec3 x[4], p[4];
    double off[2] = {0, 0};
    for (int k = 0; k < n; k++) {
        double bent;
        x[k] = t->search->y[v[k]];
        p[k] = chord_of(t, v[k], t->search->motion_limit, &bent);
        off[k >= first] = fmax(off[k >= first], bent);
    }
    double part = t->search->motion_limit > 0 ? options->t_max / t->search->motion_limit : 0;
    double rounding = 1e-15 * (vec3_max_abs(x[0]) + vec3_max_abs(p[0]));
    double closing = (part * closing_bound(kind, p) + off[0] + off[1]) * (1 + 1e-12) + rounding;
    double needed = needed_distance(options->min_distance, closing);
    if (pair_further_apart(kind, x, needed * needed)) return options->t_max;
    for (int k = 0; k < n; k++) path[k] = path_of(t, v[k]);
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
    options.keep = KEEP_GAP;
    options.cap = t->options.dhat;
    options.t_max = limit;
    options.min_distance = xi;
    return options;
}

/* Largest safe fraction of the path for one pair. */
ALWAYS_INLINE double pair_step(const contact_term *t, ccd_kind kind, index_pair pair, double limit)
{
    int n = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    int32_t v[4];
    vec3 x[4], p[4], end[4];
    pair_vertices(&t->model->surface, kind, pair, v);
    double xi = surface_pair_thickness(&t->model->surface, v, first, v + first, n - first);
    if (t->search->motions.count > 0 && any_rigid(t, v, n)) {
        step_options options = options_of(t, xi + rounding_floor(t, v, n), limit);
        return curved_pair_step(t, kind, v, &options);
    }
    for (int k = 0; k < n; k++) {
        x[k] = t->search->y[v[k]];
        p[k] = t->search->p[v[k]];
    }
    double needed = needed_distance(xi, closing_bound(kind, p) * (1 + 1e-12) * limit);
    if (pair_further_apart(kind, x, needed * needed)) return limit;
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

double contact_pair_step(const contact_term *t, ccd_kind kind, index_pair pair, double limit)
{
    return pair_step(t, kind, pair, limit);
}

/* Pairs are handled in rounds of fixed sizes: within a round all see the same limit, so that the
 * result does not depend on threads, and later rounds profit from earlier ones. */
static double step_of_list(const contact_term *t, ccd_kind kind, const pair_list *list,
                           double limit)
{
    size_t round = 1024;
    for (size_t first = 0; first < list->count; first += round, round *= 4) {
        size_t n = list->count - first < round ? list->count - first : round;
        ccd_work work = {t, kind, list->data + first, limit};
        limit = fmin(limit, t->search->candidates.divided ? ranks_min_of(n, step_range, &work)
                                                          : parallel_min(n, step_range, &work));
    }
    t->search->ccd_queries += list->count;
    return limit;
}

static double step_of_planes(const contact_term *t, double limit)
{
    for (size_t k = 0; k < t->planes.count; k++) {
        const half_space *plane = &t->planes.data[k];
        for (size_t i = 0; i < t->model->surface.rows.count; i++) {
            if (t->kinematic[i]) continue;
            double xi = contact_plane_thickness(t, i);
            double d = half_space_distance(t->search->y[i], plane->origin, plane->normal) - xi;
            if (t->model->surface.rows.data[i].kind == ROW_RIGID) {
                ccd_path path = path_of(t, (int32_t)i);
                if (limit * ccd_path_speed(&path) * (1 + 1e-12) < (1 - KEEP_ROOM) * d) continue;
                vec3 origin = vec3_mul_add(plane->origin, xi, plane->normal);
                limit = ccd_curved_plane_step(&path, origin, plane->normal, KEEP_ROOM, limit);
                continue;
            }
            double toward = -vec3_dot(plane->normal, t->search->p[i]);
            if (toward <= 0) continue;
            limit = fmin(limit, (1 - KEEP_ROOM) * d / toward);
        }
    }
    return fmax(0, limit);
}

/* Directions of the vertices, speeds of the rigid frames. */
static void set_directions(const contact_term *t, const double *x, const double *p)
{
    const collision_surface *s = &t->model->surface;
    collision_surface_positions(s, x, t->search->start);
    t->search->y = t->search->start;
    if (swept_cover_linear_count(&t->search->swept_cover) > 0)
        collision_surface_directions(s, p, t->search->p);
    t->search->x = x;
    t->search->direction = p;
    for (size_t f = 0; f < t->search->motions.count; f++) {
        const double *own = p + 3 * (size_t)s->poses.data[f];
        t->search->motions.data[f] =
            (pose_motion){.speed = vec3_norm(vec3_load(own)) * (1 + 1e-12),
                          .turn = vec3_norm(vec3_load(own + 3)) * (1 + 1e-12)};
    }
}

/* Where the rigid frames are at the end of their paths. */
static void set_ends(const contact_term *t, double limit)
{
    const collision_surface *s = &t->model->surface;
    t->search->motion_limit = limit;
    for (size_t f = 0; f < t->search->motions.count; f++) {
        size_t at = 3 * (size_t)s->poses.data[f];
        const double *x = t->search->x + at, *p = t->search->direction + at;
        pose_motion *path = &t->search->motions.data[f];
        path->limit = limit;
        path->shift = vec3_scale(limit, vec3_load(p));
        path->end = vec3_add(vec3_load(x), path->shift);
        path->rotation = rotation_matrix(vec3_mul_add(vec3_load(x + 3), limit, vec3_load(p + 3)));
    }
}

/* Rigid vertices: the chords of their paths up to the limit, and how far they are off them. */
static void set_chords(const contact_term *t)
{
    const collision_surface *s = &t->model->surface;
    double limit = t->search->motion_limit;
    for (size_t i = 0; t->search->motions.count > 0 && i < s->rows.count; i++) {
        if (s->rows.data[i].kind != ROW_RIGID) continue;
        ccd_path path = path_of(t, (int32_t)i);
        double off;
        t->search->p[i] = path.p;
        if (path.curved && limit > 0)
            t->search->p[i] = vec3_scale(1 / limit, chord_of(t, (int32_t)i, limit, &off));
        t->search->deviation[i] = ccd_path_deviation(&path, 0, limit);
    }
}

/* How much farther than needed candidates are looked for, so that they last for some iterations.
 * Pairs of soft bodies become too many when that is more than dhat. Most pairs of rigid bodies are
 * candidates because of the sizes of their primitives; more room adds few, and those that are near
 * are found quickly (near_pairs.h). So the room grows from search to search of a step, unless there
 * are too many pairs, as between surfaces that fit into each other. */
static double room_for(const contact_term *t, double move)
{
    double dhat = t->options.dhat, room = fmin(0.5 * dhat, fmax(0.05 * dhat, 0.5 * move));
    if (!t->parts || t->search->searches == 0) return room;
    double most = fmin(t->search->most_room, ROOM_OF_EDGE * t->edge);
    return fmax(room, fmin(fmin(move, GROWTH * t->search->room), most));
}

static void note_search(const contact_term *t, double room)
{
    if (t->search->searches++ == 0) t->search->most_room = INFINITY;
    t->search->room = room;
    if (t->parts &&
        candidate_set_count(&t->search->candidates) > MOST_PAIRS * broad_parts_meetings(t->parts))
        t->search->most_room = room / GROWTH;
}

static bool is_covered(const contact_term *t, double limit)
{
    coordinate_path path = {t->search->x, t->search->direction, t->search->y, t->search->p, limit};
    return t->search->have_candidates && !t->options.always_search &&
           swept_cover_contains(&t->search->swept_cover, &path, t->search->reach);
}

/* How much of the path is looked at first. Where collisions stopped the last iteration, they will
 * probably stop this one after about as much motion: bodies that sweep the whole scene have very
 * many candidates, nearly all of them beyond the first collision. */
static double first_piece(const contact_term *t, double limit, double speed)
{
    if (!t->parts || !isfinite(t->search->stopped) || is_covered(t, limit)) return limit;
    double least = fmax(PIECE_OF_EDGE * t->edge, t->options.dhat); /* points have no edges */
    double piece = fmax(GROWTH * t->search->stopped, least) / speed;
    return piece < 0.5 * limit ? piece : limit;
}

/* Candidates of the path up to the limit, and of them those that may come near on it. */
static abut_status cover_piece(const contact_term *t, double limit, double speed,
                               const candidate_set **near, abut_error *err)
{
    set_ends(t, limit);
    if (!is_covered(t, limit)) {
        double room = room_for(t, limit * speed);
        set_chords(t);
        TRY(find_candidates(t, t->search->x, true, limit, room, err));
        note_search(t, room);
    }
    coordinate_path path = {t->search->x, t->search->direction, t->search->y, t->search->p, limit};
    return contact_near(t, &path, near, err);
}

abut_status contact_cover_path(const contact_term *t, const double *x, const double *p,
                               const candidate_set **near, abut_error *err)
{
    set_directions(t, x, p);
    return cover_piece(t, 1, largest_speed(t), near, err);
}

vec3 contact_path_position(const contact_term *t, int32_t vertex, double part)
{
    ccd_path path = path_of(t, vertex);
    return ccd_path_at(&path, part);
}

/* Largest safe step up to the limit; finds candidates if need be. */
static abut_status step_of_piece(const contact_term *t, double limit, double speed, double *alpha,
                                 stage_timer *timer, abut_error *err)
{
    const candidate_set *near;
    timer_switch(timer, STAGE_BROAD_PHASE);
    TRY(cover_piece(t, limit, speed, &near, err));
    timer_switch(timer, STAGE_CCD);
    limit = step_of_list(t, CCD_POINT_TRIANGLE, &near->vt, limit);
    limit = step_of_list(t, CCD_EDGE_EDGE, &near->ee, limit);
    limit = step_of_list(t, CCD_POINT_EDGE, &near->ve, limit);
    *alpha = step_of_list(t, CCD_POINT_POINT, &near->vv, limit);
    return ABUT_OK;
}

abut_status contact_max_step(const term *base, const double *x, const double *p, double limit,
                             step_bound *bound, stage_timer *timer, abut_error *err)
{
    const contact_term *t = (const contact_term *)base;
    stage before = timer_switch(timer, STAGE_BROAD_PHASE);
    set_directions(t, x, p);
    double speed = largest_speed(t);
    if (!isfinite(limit * speed)) {
        timer_switch(timer, before);
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "", "a search direction is not finite");
    }
    double wanted = limit;
    limit = step_of_planes(t, limit);
    double piece = first_piece(t, limit, speed);
    abut_status status = step_of_piece(t, piece, speed, &bound->alpha, timer, err);
    while (status == ABUT_OK && piece < limit && !(bound->alpha < piece)) {
        piece = fmin(limit, GROWTH * piece);
        status = step_of_piece(t, piece, speed, &bound->alpha, timer, err);
    }
    if (status == ABUT_OK)
        t->search->stopped = bound->alpha < wanted ? bound->alpha * speed : INFINITY;
    timer_switch(timer, before);
    return status;
}

abut_status contact_path_is_free(const contact_term *t, const double *x, const double *p,
                                 stage_timer *timer, bool *free, abut_error *err)
{
    double stopped = t->search->stopped; /* is about directions of Newton's method */
    step_bound bound = {.alpha = 0};
    TRY(contact_max_step(&t->base, x, p, 1.0, &bound, timer, err));
    t->search->stopped = stopped;
    *free = bound.alpha >= 1;
    return ABUT_OK;
}

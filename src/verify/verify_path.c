#include "verify/verify_path.h"

#include "math/rotation.h"
#include "mesh/topology.h"
#include "output/frame_path.h"

#include <string.h>

/* Two computations of one position may differ by this part of the scene's size. */
static const double SAME_CONFIGURATION = 1e-9;

typedef struct path_checker {
    run_verification *v;
    const frame *last, *next;
    int moments;
    size_t most;
    bool partial; /* not all points are given */
    path_follower follower;
    vec3 *points, *before; /* now, and at the end of the step before */
    vec3 *low, *high;      /* boxes of the points in all moments of a step */
    surface_parts parts;
    check_pair *candidates; /* pairs that can intersect in this step */
    size_t candidate_count;
    ARRAY(vec3) configurations; /* of one step */
    ARRAY(check_turn) turns;
    ARRAY(vec3) arms;
    ARRAY(int32_t) turns_with; /* per point: the body */
} path_checker;

static double distance_between(const vec3 *a, const vec3 *b, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double d = vec3_norm(vec3_sub(a[i], b[i]));
        if (!(d <= largest)) largest = d;
    }
    return largest;
}

static abut_status same_configuration(const path_checker *c, const vec3 *points, abut_error *err)
{
    double scale = 0;
    size_t count = c->next->point_count;
    for (size_t i = 0; i < count; i++) scale = fmax(scale, vec3_max_abs(points[i]));
    if (distance_between(points, c->points, count) <= SAME_CONFIGURATION * scale) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "path",
                     "the path that is kept with step %lld does not lead there from step %lld",
                     (long long)c->next->step, (long long)c->last->step);
}

/* The moment whose points were just computed. */
static abut_status check_moment(path_checker *c, abut_error *err)
{
    run_verification *v = c->v;
    frame moment = *c->next;
    moment.points = c->points;
    verify_setup setup = v->verifier.setup;
    setup.limits = NULL; /* they are checked at frames, distances too */
    setup.radius = 0;
    setup.parts = &c->parts;
    setup.candidates = c->candidates;
    setup.candidate_count = c->candidate_count;
    setup.surface_only = c->partial;
    verify_result found;
    size_t first = v->problems.count;
    TRY(verify_frame(&moment, &setup, c->most, &found, &v->problems, err));
    v->moments++;
    v->between +=
        found.intersections + found.inverted + found.behind_planes + found.inside + found.too_close;
    for (size_t i = first; i < v->problems.count; i++) {
        verify_problem *p = &v->problems.data[i];
        p->on_path = true;
        if (p->kind == VERIFY_INTERSECTION) v->between_depth = fmax(v->between_depth, p->depth);
    }
    return ABUT_OK;
}

/* What is done at every moment of a step. */
typedef abut_status (*at_moment)(path_checker *c, abut_error *err);

/* Goes through the moments of one step, whose first configuration is given. */
static abut_status for_moments(path_checker *c, size_t first, size_t configurations, bool last,
                               at_moment act, abut_error *err)
{
    for (size_t i = 0; i + 1 < configurations; i++) {
        bool meets =
            i + 2 < configurations || !last; /* the last configuration is the frame itself */
        for (int k = 1; k <= c->moments + meets; k++) {
            path_follower_points(&c->follower, first + i, (double)k / (c->moments + 1), c->points);
            TRY(act(c, err));
        }
    }
    return ABUT_OK;
}

static abut_status widen_boxes(path_checker *c, abut_error *err)
{
    (void)err;
    for (size_t i = 0; i < c->next->point_count; i++) {
        c->low[i] = vec3_min(c->low[i], c->points[i]);
        c->high[i] = vec3_max(c->high[i], c->points[i]);
    }
    return ABUT_OK;
}

/* ---- Whole pieces ---- */

static abut_status gather_pieces(path_checker *c, size_t first, size_t configurations,
                                 abut_error *err)
{
    size_t points = c->next->point_count, bodies = c->next->path.body_count;
    if (!array_resize(&c->configurations, configurations * points + 1) ||
        !array_resize(&c->turns, configurations * bodies + 1))
        return error_memory(err, "verifying a path");
    for (size_t i = 0; i < configurations; i++) {
        bool last = i > 0 && i + 1 == configurations;
        path_follower_points(&c->follower, first + i - last, last ? 1 : 0,
                             c->configurations.data + i * points);
        for (size_t b = 0; i + 1 < configurations && b < bodies; b++) {
            check_turn *turn = &c->turns.data[i * bodies + b];
            turn->turns = path_follower_turn(&c->follower, first + i, b, turn->q, turn->theta);
        }
    }
    return ABUT_OK;
}

/* Whether a point that is attached to a body turns with it on all pieces, which its positions tell;
 * then its arm. Points that are attached otherwise move along straight lines. */
static bool turns_along(const path_checker *c, size_t configurations, size_t point, size_t body,
                        vec3 *arm)
{
    static const double ROUNDING = 1e-13;
    size_t points = c->next->point_count, bodies = c->next->path.body_count;
    bool any = false;
    for (size_t i = 0; i + 1 < configurations; i++) {
        const check_turn *turn = &c->turns.data[i * bodies + body];
        const vec3 *x = c->configurations.data + i * points + point;
        if (!turn->turns) return false;
        if (!any) *arm = mat3_tmul_vec(rotation_matrix(turn->theta[0]), vec3_sub(x[0], turn->q[0]));
        any = true;
        vec3 end = vec3_add(turn->q[1], mat3_mul_vec(rotation_matrix(turn->theta[1]), *arm));
        double scale = vec3_norm(x[points]) + vec3_norm(turn->q[1]) + vec3_norm(*arm);
        if (vec3_norm(vec3_sub(end, x[points])) > ROUNDING * scale) return false;
    }
    return any;
}

static abut_status gather_attached(path_checker *c, size_t configurations, const int32_t *body,
                                   abut_error *err)
{
    const verify_setup *setup = &c->v->verifier.setup;
    size_t points = c->next->point_count;
    if (!array_resize(&c->arms, points + 1) || !array_resize(&c->turns_with, points + 1))
        return error_memory(err, "verifying a path");
    memcpy(c->arms.data, c->follower.arms.data, points * sizeof *c->arms.data);
    memcpy(c->turns_with.data, body, points * sizeof *body);
    for (size_t i = 0; i < setup->excluded_count && setup->excluded[i][0] < 0; i++) {
        size_t point = (size_t)(-1 - setup->excluded[i][0]), to = (size_t)setup->excluded[i][1];
        vec3 arm; /* geometry/check_attached.h */
        if (point >= points || !turns_along(c, configurations, point, to, &arm)) continue;
        c->arms.data[point] = arm;
        c->turns_with.data[point] = (int32_t)to;
    }
    return ABUT_OK;
}

/* Proves that all pairs are apart at all times of a step. */
static abut_status check_pieces(path_checker *c, size_t first, size_t configurations,
                                abut_error *err)
{
    run_verification *v = c->v;
    check_meeting *meetings;
    size_t count, looked_at;
    TRY(gather_pieces(c, first, configurations, err));
    TRY(gather_attached(c, configurations, c->follower.body, err));
    check_path path = {.configurations = c->configurations.data,
                       .configuration_count = configurations,
                       .turns = c->turns.data,
                       .body_count = c->next->path.body_count,
                       .arms = c->arms.data,
                       .turns_with = c->turns_with.data};
    TRY(verify_meetings(c->next, &v->verifier.setup, &c->parts, &path, &meetings, &count,
                        &looked_at, err));
    v->pieces += configurations - 1;
    v->pairs += looked_at;
    v->meetings += count;
    abut_status status = verify_list_meetings(c->next, &v->verifier.setup, &c->parts, &path,
                                              meetings, count, c->most, &v->problems, err);
    mem_free(meetings);
    return status;
}

/* ---- Moments ---- */

/* The moments of a step are near to each other: pairs are looked for once. */
static abut_status find_candidates(path_checker *c, size_t first, size_t configurations, bool last,
                                   abut_error *err)
{
    mem_free(c->candidates);
    c->candidates = NULL;
    c->candidate_count = 0;
    if (c->partial) { /* none: meetings are looked for instead */
        c->candidates = mem_alloc(1, sizeof *c->candidates);
        return c->candidates ? ABUT_OK : error_memory(err, "verifying a path");
    }
    size_t bytes = c->next->point_count * sizeof *c->points;
    memcpy(c->low, c->points, bytes);
    memcpy(c->high, c->points, bytes);
    TRY(for_moments(c, first, configurations, last, widen_boxes, err));
    return verify_candidates(c->next, &c->v->verifier.setup, &c->parts, c->low, c->high,
                             &c->candidates, &c->candidate_count, err);
}

/* One step, whose first configuration is given. */
static abut_status check_step(path_checker *c, size_t first, size_t configurations, bool last,
                              abut_error *err)
{
    path_follower_points(&c->follower, first, 0, c->points);
    TRY(same_configuration(c, c->before, err));
    if (configurations > 1) {
        TRY(check_pieces(c, first, configurations, err));
        TRY(find_candidates(c, first, configurations, last, err));
        TRY(for_moments(c, first, configurations, last, check_moment, err));
        path_follower_points(&c->follower, first + configurations - 2, 1, c->points);
    }
    memcpy(c->before, c->points, c->next->point_count * sizeof *c->points);
    return ABUT_OK;
}

/* Where a new mesh was put must be as clean as a frame. */
static abut_status check_changed(path_checker *c, abut_error *err)
{
    path_follower_points(&c->follower, 0, 0, c->before);
    memcpy(c->points, c->before, c->next->point_count * sizeof *c->points);
    c->v->changed_meshes++;
    return check_moment(c, err);
}

static abut_status check_path_of_frame(path_checker *c, abut_error *err)
{
    const frame_paths *path = &c->next->path;
    size_t first = 0;
    if (c->follower.changed)
        TRY(check_changed(c, err));
    else
        memcpy(c->before, c->last->points, c->last->point_count * sizeof *c->before);
    for (size_t i = 0; i < path->step_count; i++) {
        TRY(check_step(c, first, (size_t)path->configurations[i], i + 1 == path->step_count, err));
        first += (size_t)path->configurations[i];
    }
    return same_configuration(c, c->next->points, err);
}

/* Points that go straight need not be where their tets want them between the frames. */
static bool is_partial(const frame_paths *path)
{
    for (size_t b = 0; b < path->body_count; b++)
        if (path->kinds[b] == PATH_NEAR) return true;
    return false;
}

abut_status verify_path(run_verification *v, const frame *last, const frame *next, bool changed,
                        int moments, size_t most, abut_error *err)
{
    path_checker c = {.v = v,
                      .last = last,
                      .next = next,
                      .moments = moments,
                      .most = most,
                      .partial = is_partial(&next->path)};
    if (next->path.body_count < v->verifier.setup.body_count)
        return error_set(err, ABUT_ERROR_INPUT, "path",
                         "the path that is kept with step %lld has %zu bodies, the scene %zu",
                         (long long)next->step, next->path.body_count,
                         v->verifier.setup.body_count);
    if (c.partial) c.moments = 0;
    TRY(path_follower_open(&c.follower, last, next, changed, err));
    size_t count = next->point_count + 1;
    c.points = mem_alloc(count, sizeof *c.points);
    c.before = mem_alloc(count, sizeof *c.before);
    c.low = mem_alloc(count, sizeof *c.low);
    c.high = mem_alloc(count, sizeof *c.high);
    abut_status status = c.points && c.before && c.low && c.high
                             ? verify_surface(next, &c.parts, err)
                             : error_memory(err, "verifying a path");
    if (status == ABUT_OK) status = check_path_of_frame(&c, err);
    surface_parts_free(&c.parts);
    array_free(&c.configurations);
    array_free(&c.turns);
    array_free(&c.arms);
    array_free(&c.turns_with);
    mem_free(c.candidates);
    mem_free(c.points);
    mem_free(c.before);
    mem_free(c.low);
    mem_free(c.high);
    path_follower_free(&c.follower);
    return status;
}

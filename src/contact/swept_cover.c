#include "contact/swept_cover.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { FRAME = 12 }; /* numbers per frame */

void swept_cover_free(swept_cover *t)
{
    mem_free(t->y);
    mem_free(t->p);
    array_free(&t->linear);
    array_free(&t->arms);
    array_free(&t->poses);
}

abut_status swept_cover_create(swept_cover *t, const collision_surface *s, abut_error *err)
{
    size_t n = s->rows.count, poses = s->poses.count;
    *t = (swept_cover){.surface = s};
    t->y = mem_calloc(n, sizeof *t->y);
    t->p = mem_calloc(n, sizeof *t->p);
    bool ok = t->y && t->p && array_resize(&t->arms, poses + 1) &&
              array_resize(&t->poses, FRAME * poses + 1);
    for (size_t f = 0; ok && f < poses; f++) t->arms.data[f] = 0;
    for (size_t i = 0; ok && poses > 0 && i < n; i++) {
        const surface_row *row = &s->rows.data[i];
        if (row->kind == ROW_RIGID) {
            double *arm = &t->arms.data[row->first];
            *arm = fmax(*arm, vec3_norm(s->arms.data[i]));
        } else {
            ok = array_push(&t->linear, (int32_t)i);
        }
    }
    return ok ? ABUT_OK : error_memory(err, "preparing the path of a surface");
}

size_t swept_cover_linear_count(const swept_cover *t)
{
    return t->surface->poses.count > 0 ? t->linear.count : t->surface->rows.count;
}

size_t swept_cover_linear_vertex(const swept_cover *t, size_t i)
{
    return t->surface->poses.count > 0 ? (size_t)t->linear.data[i] : i;
}

/* Coordinates of a frame on a path at s, the rotation as the length that the longest arm gives. */
static void pose_at(const swept_cover *t, const double *x, const double *direction, size_t pose,
                    double s, double out[6])
{
    for (int k = 0; k < 6; k++) {
        out[k] = direction ? x[k] + s * direction[k] : x[k];
        if (k >= 3) out[k] *= t->arms.data[pose];
    }
}

static void pose_of_path(const swept_cover *t, const coordinate_path *path, size_t pose, double s,
                         double out[6])
{
    size_t at = 3 * (size_t)t->surface->poses.data[pose];
    pose_at(t, path->x + at, path->direction ? path->direction + at : NULL, pose, s, out);
}

static void pose_of_cover(const swept_cover *t, size_t pose, double s, double out[6])
{
    const double *x = t->poses.data + FRAME * pose;
    pose_at(t, x, x + 6, pose, s, out);
}

vec3 swept_cover_pose_at(const swept_cover *t, const coordinate_path *path, size_t pose, double at,
                         vec3 *origin)
{
    const double *x = t->poses.data + FRAME * pose, *p = NULL;
    if (path) {
        size_t block = 3 * (size_t)t->surface->poses.data[pose];
        x = path->x + block;
        p = path->direction ? path->direction + block : NULL;
    }
    *origin = p ? vec3_mul_add(vec3_load(x), at, vec3_load(p)) : vec3_load(x);
    return p ? vec3_mul_add(vec3_load(x + 3), at, vec3_load(p + 3)) : vec3_load(x + 3);
}

double swept_cover_pose_turn(const swept_cover *t, size_t pose, vec3 theta)
{
    return vec3_norm(vec3_sub(theta, vec3_load(t->poses.data + FRAME * pose + 3)));
}

/* ---- the fastest ---------------------------------------------------------------------------- */

static void note_speed(swept_cover *t, double speed, int32_t who)
{
    if (speed <= t->largest) return;
    t->largest = speed;
    t->fastest = who;
}

void swept_cover_set(swept_cover *t, const coordinate_path *path)
{
    size_t n = t->surface->rows.count;
    memcpy(t->y, path->y, n * sizeof *t->y);
    if (path->p)
        memcpy(t->p, path->p, n * sizeof *t->p);
    else
        memset(t->p, 0, n * sizeof *t->p);
    t->limit = path->limit;
    t->largest = 0;
    t->fastest = 0;
    for (size_t i = 0; path->p && i < swept_cover_linear_count(t); i++) {
        size_t v = swept_cover_linear_vertex(t, i);
        note_speed(t, vec3_norm2(path->p[v]), (int32_t)v);
    }
    for (size_t f = 0; f < t->surface->poses.count; f++) {
        size_t at = 3 * (size_t)t->surface->poses.data[f];
        double *own = t->poses.data + FRAME * f, from[6], to[6], speed = 0;
        for (size_t k = 0; k < 6; k++) {
            own[k] = path->x[at + k];
            own[6 + k] = path->direction ? path->direction[at + k] : 0;
        }
        pose_of_cover(t, f, 0, from);
        pose_of_cover(t, f, 1, to);
        for (int k = 0; k < 6; k++) speed += (to[k] - from[k]) * (to[k] - from[k]);
        note_speed(t, speed, -1 - (int32_t)f);
    }
}

/* The moment of the cover that is nearest to a moment of a path, by what moves most in the cover.
 */
static double nearest_moment(const swept_cover *t, const coordinate_path *path, double at)
{
    if (!(t->largest > 0)) return 0;
    double along = 0;
    if (t->fastest >= 0) {
        size_t v = (size_t)t->fastest;
        along = vec3_dot(vec3_sub(coordinate_path_vertex(path, v, at), t->y[v]), t->p[v]);
    } else {
        size_t f = (size_t)(-1 - t->fastest);
        double from[6], to[6], here[6];
        pose_of_cover(t, f, 0, from);
        pose_of_cover(t, f, 1, to);
        pose_of_path(t, path, f, at, here);
        for (int k = 0; k < 6; k++) along += (here[k] - from[k]) * (to[k] - from[k]);
    }
    return fmin(t->limit, fmax(0, along / t->largest));
}

/* ---- distances ------------------------------------------------------------------------------ */

typedef struct moments {
    const swept_cover *t;
    const coordinate_path *path;
    double at, s; /* of the path, of the cover */
} moments;

/* The larger one; infinite when the other is not a number. */
static double at_least(double largest, double other)
{
    if (other <= largest) return largest;
    return other > largest ? other : INFINITY;
}

static double vertices_off2(void *context, size_t begin, size_t end)
{
    const moments *m = context;
    double largest = 0;
    for (size_t i = begin; i < end; i++) {
        size_t v = swept_cover_linear_vertex(m->t, i);
        vec3 on = vec3_mul_add(m->t->y[v], m->s, m->t->p[v]);
        double length2 = vec3_norm2(vec3_sub(coordinate_path_vertex(m->path, v, m->at), on));
        largest = at_least(largest, length2);
    }
    return largest;
}

static double length_of(const double a[3], const double b[3])
{
    return vec3_norm(vec3_sub(vec3_load(a), vec3_load(b)));
}

static double poses_off(void *context, size_t begin, size_t end)
{
    const moments *m = context;
    double largest = 0;
    for (size_t f = begin; f < end; f++) {
        double here[6], on[6];
        pose_of_path(m->t, m->path, f, m->at, here);
        pose_of_cover(m->t, f, m->s, on);
        double off = length_of(here, on) + length_of(here + 3, on + 3);
        largest = at_least(largest, off);
    }
    return largest;
}

static double distance_at(const swept_cover *t, const coordinate_path *path, double at, double s)
{
    moments m = {t, path, at, s};
    double vertices = sqrt(fmax(0, parallel_max(swept_cover_linear_count(t), vertices_off2, &m)));
    return fmax(vertices, parallel_max(t->surface->poses.count, poses_off, &m));
}

double swept_cover_distance(const swept_cover *t, const coordinate_path *configuration, double *s)
{
    *s = nearest_moment(t, configuration, 0);
    return distance_at(t, configuration, 0, *s);
}

bool swept_cover_contains(const swept_cover *t, const coordinate_path *path, double reach)
{
    double start;
    if (!(swept_cover_distance(t, path, &start) <= reach)) return false;
    /* The end is near the cover's end while a long path is followed in pieces, near the start when
     * nearly all of it is done; else the fastest vertex or frame tells. */
    const double ends[] = {t->limit, start, nearest_moment(t, path, path->limit)};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (distance_at(t, path, path->limit, ends[k]) <= reach) return true;
    return false;
}

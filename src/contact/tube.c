#include "contact/tube.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { FRAME = 12 }; /* numbers per frame */

void tube_free(tube *t)
{
    mem_free(t->y);
    mem_free(t->p);
    array_free(&t->linear);
    array_free(&t->arms);
    array_free(&t->frames);
}

abut_status tube_create(tube *t, const collision_surface *s, abut_error *err)
{
    size_t n = s->rows.count, frames = s->frames.count;
    *t = (tube){.surface = s};
    t->y = mem_calloc(n, sizeof *t->y);
    t->p = mem_calloc(n, sizeof *t->p);
    bool ok = t->y && t->p && array_resize(&t->arms, frames + 1) &&
              array_resize(&t->frames, FRAME * frames + 1);
    for (size_t f = 0; ok && f < frames; f++) t->arms.data[f] = 0;
    for (size_t i = 0; ok && frames > 0 && i < n; i++) {
        const surface_row *row = &s->rows.data[i];
        if (row->kind == ROW_RIGID) {
            double *arm = &t->arms.data[row->first];
            *arm = fmax(*arm, vec3_norm(s->arms.data[i]));
        } else {
            ok = array_push(&t->linear, (int32_t)i);
        }
    }
    return ok ? ABUT_OK : error_memory(err, "preparing the way of a surface");
}

size_t tube_linear_count(const tube *t)
{
    return t->surface->frames.count > 0 ? t->linear.count : t->surface->rows.count;
}

size_t tube_linear_vertex(const tube *t, size_t i)
{
    return t->surface->frames.count > 0 ? (size_t)t->linear.data[i] : i;
}

/* Coordinates of a frame on a way at s, the rotation as the length that the longest arm gives. */
static void frame_place(const tube *t, const double *x, const double *direction, size_t frame,
                        double s, double out[6])
{
    for (int k = 0; k < 6; k++) {
        out[k] = direction ? x[k] + s * direction[k] : x[k];
        if (k >= 3) out[k] *= t->arms.data[frame];
    }
}

static void frame_of_way(const tube *t, const surface_way *way, size_t frame, double s,
                         double out[6])
{
    size_t at = 3 * (size_t)t->surface->frames.data[frame];
    frame_place(t, way->x + at, way->direction ? way->direction + at : NULL, frame, s, out);
}

static void frame_of_tube(const tube *t, size_t frame, double s, double out[6])
{
    const double *x = t->frames.data + FRAME * frame;
    frame_place(t, x, x + 6, frame, s, out);
}

vec3 tube_frame_at(const tube *t, const surface_way *way, size_t frame, double at, vec3 *origin)
{
    const double *x = t->frames.data + FRAME * frame, *p = NULL;
    if (way) {
        size_t block = 3 * (size_t)t->surface->frames.data[frame];
        x = way->x + block;
        p = way->direction ? way->direction + block : NULL;
    }
    *origin = p ? vec3_mul_add(vec3_load(x), at, vec3_load(p)) : vec3_load(x);
    return p ? vec3_mul_add(vec3_load(x + 3), at, vec3_load(p + 3)) : vec3_load(x + 3);
}

double tube_frame_turn(const tube *t, size_t frame, vec3 theta)
{
    return vec3_norm(vec3_sub(theta, vec3_load(t->frames.data + FRAME * frame + 3)));
}

/* ---- the fastest ---------------------------------------------------------------------------- */

static void note_speed(tube *t, double speed, int32_t who)
{
    if (speed <= t->largest) return;
    t->largest = speed;
    t->fastest = who;
}

void tube_set(tube *t, const surface_way *way)
{
    size_t n = t->surface->rows.count;
    memcpy(t->y, way->y, n * sizeof *t->y);
    if (way->p)
        memcpy(t->p, way->p, n * sizeof *t->p);
    else
        memset(t->p, 0, n * sizeof *t->p);
    t->limit = way->limit;
    t->largest = 0;
    t->fastest = 0;
    for (size_t i = 0; way->p && i < tube_linear_count(t); i++) {
        size_t v = tube_linear_vertex(t, i);
        note_speed(t, vec3_norm2(way->p[v]), (int32_t)v);
    }
    for (size_t f = 0; f < t->surface->frames.count; f++) {
        size_t at = 3 * (size_t)t->surface->frames.data[f];
        double *own = t->frames.data + FRAME * f, from[6], to[6], speed = 0;
        for (size_t k = 0; k < 6; k++) {
            own[k] = way->x[at + k];
            own[6 + k] = way->direction ? way->direction[at + k] : 0;
        }
        frame_of_tube(t, f, 0, from);
        frame_of_tube(t, f, 1, to);
        for (int k = 0; k < 6; k++) speed += (to[k] - from[k]) * (to[k] - from[k]);
        note_speed(t, speed, -1 - (int32_t)f);
    }
}

/* The moment of the tube that is nearest to a moment of a way, by what moves most in the tube. */
static double nearest_moment(const tube *t, const surface_way *way, double at)
{
    if (!(t->largest > 0)) return 0;
    double along = 0;
    if (t->fastest >= 0) {
        size_t v = (size_t)t->fastest;
        along = vec3_dot(vec3_sub(surface_way_vertex(way, v, at), t->y[v]), t->p[v]);
    } else {
        size_t f = (size_t)(-1 - t->fastest);
        double from[6], to[6], here[6];
        frame_of_tube(t, f, 0, from);
        frame_of_tube(t, f, 1, to);
        frame_of_way(t, way, f, at, here);
        for (int k = 0; k < 6; k++) along += (here[k] - from[k]) * (to[k] - from[k]);
    }
    return fmin(t->limit, fmax(0, along / t->largest));
}

/* ---- distances ------------------------------------------------------------------------------ */

typedef struct moments {
    const tube *t;
    const surface_way *way;
    double at, s; /* of the way, of the tube */
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
        size_t v = tube_linear_vertex(m->t, i);
        vec3 on = vec3_mul_add(m->t->y[v], m->s, m->t->p[v]);
        double length2 = vec3_norm2(vec3_sub(surface_way_vertex(m->way, v, m->at), on));
        largest = at_least(largest, length2);
    }
    return largest;
}

static double length_of(const double a[3], const double b[3])
{
    return vec3_norm(vec3_sub(vec3_load(a), vec3_load(b)));
}

static double frames_off(void *context, size_t begin, size_t end)
{
    const moments *m = context;
    double largest = 0;
    for (size_t f = begin; f < end; f++) {
        double here[6], on[6];
        frame_of_way(m->t, m->way, f, m->at, here);
        frame_of_tube(m->t, f, m->s, on);
        double off = length_of(here, on) + length_of(here + 3, on + 3);
        largest = at_least(largest, off);
    }
    return largest;
}

static double distance_at(const tube *t, const surface_way *way, double at, double s)
{
    moments m = {t, way, at, s};
    double vertices = sqrt(fmax(0, parallel_max(tube_linear_count(t), vertices_off2, &m)));
    return fmax(vertices, parallel_max(t->surface->frames.count, frames_off, &m));
}

double tube_distance(const tube *t, const surface_way *place, double *s)
{
    *s = nearest_moment(t, place, 0);
    return distance_at(t, place, 0, *s);
}

bool tube_covers(const tube *t, const surface_way *way, double reach)
{
    double start;
    if (!(tube_distance(t, way, &start) <= reach)) return false;
    /* The end is near the tube's end while a long way is gone in pieces, near the start when all
     * but little of it is done; else what moves most may tell. */
    const double ends[] = {t->limit, start, nearest_moment(t, way, way->limit)};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (distance_at(t, way, way->limit, ends[k]) <= reach) return true;
    return false;
}

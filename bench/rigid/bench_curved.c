/* Curved collision detection against the published baselines (RIGID-31, RIGID-48):
 *
 *   curved        chords with the second-order bound (ccd/curved.h)
 *   interval      the same walk as published: the deviation from the chord by interval arithmetic,
 *                 halving intervals until it is below half of the distance (Algorithm 4.1)
 *   univariate    intervals of time only (Redon et al. 2002): coplanarity, then closeness
 *   multivariate  boxes of (t, u, v) on which F may vanish (Snyder 1992)
 *
 * usage: bench_curved [FOLDER]   FOLDER: rigid-ipc/tests/data, for the published queries
 * Prints CSV: set, method, queries, hits, late (times after that of `curved` plus 1e-3),
 * unfinished, mean and largest microseconds. The baselines answer when they touch; `curved` is
 * asked to leave 1e-6 of the distance. */
#include "base/random.h"
#include "base/timer.h"
#include "ccd/curved.h"
#include "ccd/tight_inclusion.h"
#include "geometry/distance.h"
#include "math/interval.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_INTERVALS = 20000, STACK = 4096 };

typedef struct query {
    ccd_kind kind;
    ccd_path path[4];
} query;

typedef struct answer {
    bool hit, unfinished;
    double toi;
} answer;

typedef answer (*method)(const query *q);

/* ---- Intervals of paths ---- */

static interval3 place(const ccd_path *p, interval s)
{
    interval3 x = interval3_add(interval3_point(p->y), interval3_scale(s, interval3_point(p->p)));
    if (!p->curved) return x;
    interval3 theta =
        interval3_add(interval3_point(p->theta), interval3_scale(s, interval3_point(p->dtheta)));
    return interval3_add(x, interval3_rotate(theta, interval3_point(p->arm)));
}

static bool holds_zero(interval3 a)
{
    return interval_contains(a.x, 0) && interval_contains(a.y, 0) && interval_contains(a.z, 0);
}

static double distance_of(const query *q, const vec3 *x)
{
    return sqrt(q->kind == CCD_POINT_TRIANGLE
                    ? point_triangle_true_distance2(x[0], x[1], x[2], x[3])
                    : edge_edge_true_distance2(x[0], x[1], x[2], x[3]));
}

/* ---- Ours ---- */

static answer by_curved(const query *q)
{
    step_options options = step_default_options();
    options.keep = options.cap = 1e-6;
    step_result r = ccd_curved_pair_step(q->kind, q->path, &options);
    return (answer){r.limited, false, r.step};
}

/* ---- Algorithm 4.1 as published ---- */

static double interval_deviation(const ccd_path *p, double t0, double t1)
{
    if (!p->curved) return 0;
    interval unit = {0, 1}, s = {t0, t1};
    interval3 a = interval3_point(ccd_path_at(p, t0)), b = interval3_point(ccd_path_at(p, t1));
    interval3 chord = interval3_add(a, interval3_scale(unit, interval3_sub(b, a)));
    interval3 off = interval3_sub(place(p, s), chord);
    interval square = interval_add(interval_add(interval_square(off.x), interval_square(off.y)),
                                   interval_square(off.z));
    return interval_sqrt(square).high;
}

static answer by_interval(const query *q)
{
    double stack[STACK], t0 = 0;
    int depth = 0, first = q->kind == CCD_EDGE_EDGE ? 2 : 1;
    stack[depth++] = 1;
    for (int n = 0; depth > 0; n++) {
        double t1 = stack[depth - 1], worst[2] = {0, 0};
        vec3 x[4], y[4];
        for (int i = 0; i < 4; i++) {
            double e = interval_deviation(&q->path[i], t0, t1);
            worst[i >= first] = fmax(worst[i >= first], e);
            x[i] = ccd_path_at(&q->path[i], t0);
            y[i] = ccd_path_at(&q->path[i], t1);
        }
        if (n > MOST_INTERVALS) return (answer){true, true, t0};
        bool limit = n >= 1000 && t0 > 0;
        double e = worst[0] + worst[1], middle = 0.5 * (t0 + t1);
        bool split = e >= 0.5 * distance_of(q, x) && !limit;
        ccd_result r = {0};
        if (!split) {
            ccd_options options = ccd_default_options();
            options.separation = e;
            r = tight_inclusion(q->kind, x, y, &options);
            split = r.hit && t0 == 0 && r.toi == 0;
        }
        if (split && depth < STACK && middle > t0 && middle < t1) {
            stack[depth++] = middle;
            continue;
        }
        if (split) return (answer){true, t0 == 0, t0}; /* the resolution of time is exhausted */
        if (r.hit) return (answer){true, false, t0 + r.toi * (t1 - t0)};
        t0 = t1;
        depth--;
    }
    return (answer){false, false, 1};
}

/* ---- Intervals of time only ---- */

/* The volume of the four points vanishes where they are coplanar. */
static bool may_be_coplanar(const interval3 *x)
{
    interval3 a = interval3_sub(x[1], x[0]), b = interval3_sub(x[2], x[0]);
    interval3 c = interval3_sub(x[3], x[0]);
    return interval_contains(interval3_dot(a, interval3_cross(b, c)), 0);
}

/* Boxes of the two primitives overlap on every axis. */
static bool may_be_close(const query *q, const interval3 *x)
{
    int first = q->kind == CCD_EDGE_EDGE ? 2 : 1;
    const interval *v = &x[0].x;
    for (int axis = 0; axis < 3; axis++) {
        interval side[2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
        for (int i = 0; i < 4; i++)
            side[i >= first] = interval_hull(side[i >= first], v[3 * i + axis]);
        if (side[0].low > side[1].high || side[1].low > side[0].high) return false;
    }
    return true;
}

static answer by_univariate(const query *q)
{
    double stack[STACK], t0 = 0;
    int depth = 0;
    stack[depth++] = 1;
    for (int n = 0; depth > 0; n++) {
        double t1 = stack[depth - 1];
        interval3 x[4];
        for (int i = 0; i < 4; i++) x[i] = place(&q->path[i], interval_make(t0, t1));
        if (n > MOST_INTERVALS) return (answer){true, true, t0};
        if (may_be_coplanar(x) && may_be_close(q, x)) {
            if (t1 - t0 > 1e-4 || t0 == 0) {
                if (depth == STACK || t1 - t0 < 1e-300) return (answer){true, true, t0};
                stack[depth++] = 0.5 * (t0 + t1);
                continue;
            }
            vec3 y[4];
            for (int i = 0; i < 4; i++) y[i] = ccd_path_at(&q->path[i], 0.5 * (t0 + t1));
            double reach = 0;
            for (int i = 0; i < 4; i++)
                reach = fmax(reach, interval_width(x[i].x) + interval_width(x[i].y) +
                                        interval_width(x[i].z));
            if (distance_of(q, y) <= 2 * reach) return (answer){true, false, t0};
        }
        t0 = t1;
        depth--;
    }
    return (answer){false, false, 1};
}

/* ---- Boxes of (t, u, v) ---- */

typedef struct box {
    interval t, u, v;
} box;

static interval3 difference(const query *q, const box *b)
{
    interval3 x[4];
    interval one = interval_point(1);
    for (int i = 0; i < 4; i++) x[i] = place(&q->path[i], b->t);
    if (q->kind == CCD_EDGE_EDGE) {
        interval3 first = interval3_add(x[0], interval3_scale(b->u, interval3_sub(x[1], x[0])));
        interval3 other = interval3_add(x[2], interval3_scale(b->v, interval3_sub(x[3], x[2])));
        return interval3_sub(first, other);
    }
    interval rest = interval_sub(interval_sub(one, b->u), b->v);
    interval3 on =
        interval3_add(interval3_scale(rest, x[1]),
                      interval3_add(interval3_scale(b->u, x[2]), interval3_scale(b->v, x[3])));
    return interval3_sub(x[0], on);
}

static double length_of(const query *q, int a, int b)
{
    return fmax(1e-12,
                vec3_norm(vec3_sub(ccd_path_at(&q->path[a], 0), ccd_path_at(&q->path[b], 0))));
}

/* Depth first, earlier half of the time first: the first small box is the earliest. */
static answer by_multivariate(const query *q)
{
    static _Thread_local box stack[STACK];
    bool edges = q->kind == CCD_EDGE_EDGE;
    double tolerance[3] = {1e-4, 1e-4 / length_of(q, edges ? 0 : 1, edges ? 1 : 2),
                           1e-4 / length_of(q, edges ? 2 : 1, 3)};
    int depth = 0;
    double earliest = 1;
    bool hit = false;
    stack[depth++] = (box){{0, 1}, {0, 1}, {0, 1}};
    for (int n = 0; depth > 0; n++) {
        box b = stack[--depth];
        if (n > MOST_INTERVALS) return (answer){true, true, fmin(b.t.low, earliest)};
        if (b.t.low >= earliest || (!edges && b.u.low + b.v.low > 1)) continue;
        if (!holds_zero(difference(q, &b))) continue;
        interval *side[3] = {&b.t, &b.u, &b.v};
        int widest = 0;
        double most = 0;
        for (int k = 0; k < 3; k++) {
            double w = interval_width(*side[k]) / tolerance[k];
            if (w > most) {
                most = w;
                widest = k;
            }
        }
        if (most <= 1 && b.t.low > 0) {
            hit = true;
            earliest = fmin(earliest, b.t.low);
            continue;
        }
        if (most <= 1) widest = 0;
        if (depth + 2 > STACK || interval_width(*side[widest]) < 1e-14)
            return (answer){true, true, b.t.low};
        box other = b;
        interval *late = widest == 0 ? &other.t : widest == 1 ? &other.u : &other.v;
        double middle = interval_middle(*side[widest]);
        late->low = middle;
        side[widest]->high = middle;
        stack[depth++] = other;
        stack[depth++] = b;
    }
    return (answer){hit, false, hit ? earliest : 1};
}

/* ---- Queries ---- */

static vec3 random_vector(random_state *r, double size)
{
    return (vec3){random_range(r, -size, size), random_range(r, -size, size),
                  random_range(r, -size, size)};
}

/* Two bodies that turn by `turn`; half of the pairs are made to meet. */
static query random_query(random_state *r, ccd_kind kind, double turn)
{
    query q = {.kind = kind};
    int first = kind == CCD_EDGE_EDGE ? 2 : 1;
    vec3 y[2], p[2], theta[2], dtheta[2];
    for (int b = 0; b < 2; b++) {
        y[b] = random_vector(r, 1);
        p[b] = random_vector(r, turn);
        theta[b] = random_vector(r, 2);
        dtheta[b] = vec3_scale(turn, vec3_normalize(random_vector(r, 1)));
    }
    for (int i = 0; i < 4; i++) {
        int b = i >= first;
        q.path[i] = (ccd_path){y[b], p[b], theta[b], dtheta[b], random_vector(r, 0.5), true};
    }
    if (random_below(r, 2)) {
        double s = random_range(r, 0.2, 1), weight[4] = {0.5, 0.5, 0.5, 0.5};
        if (kind == CCD_POINT_TRIANGLE) weight[0] = 1, weight[1] = weight[2] = weight[3] = 1.0 / 3;
        vec3 apart = {0, 0, 0};
        for (int i = 0; i < 4; i++)
            apart =
                vec3_mul_add(apart, i < first ? weight[i] : -weight[i], ccd_path_at(&q.path[i], s));
        for (int i = first; i < 4; i++) q.path[i].y = vec3_add(q.path[i].y, apart);
    }
    return q;
}

static vec3 json_vector(const json_t *a)
{
    return vec3_make(json_number_value(json_array_get(a, 0)),
                     json_number_value(json_array_get(a, 1)),
                     json_number_value(json_array_get(a, 2)));
}

static void load_primitive(const json_t *o, const char *const *names, int count, ccd_path *path)
{
    const json_t *a = json_object_get(o, "pose_t0"), *b = json_object_get(o, "pose_t1");
    ccd_path base = {.y = json_vector(json_object_get(a, "position")),
                     .theta = json_vector(json_object_get(a, "rotation")),
                     .curved = true};
    base.p = vec3_sub(json_vector(json_object_get(b, "position")), base.y);
    base.dtheta = vec3_sub(json_vector(json_object_get(b, "rotation")), base.theta);
    for (int i = 0; i < count; i++) {
        path[i] = base;
        path[i].arm = json_vector(json_object_get(o, names[i]));
    }
}

static size_t load_folder(const char *folder, query *out, size_t most)
{
    static const char *const names[] = {"vertex0", "vertex1", "vertex2"};
    static const char *const single[] = {"vertex"};
    DIR *directory = opendir(folder);
    size_t count = 0;
    for (struct dirent *e; directory && count < most && (e = readdir(directory));) {
        char file[8192];
        snprintf(file, sizeof file, "%s/%s", folder, e->d_name);
        if (strncmp(e->d_name, "ccd-test", 8) != 0) continue;
        json_t *root = json_load_file(file, 0, NULL);
        const char *type = json_string_value(json_object_get(root, "type"));
        query q = {.kind = type && type[0] == 'e' ? CCD_EDGE_EDGE : CCD_POINT_TRIANGLE};
        if (q.kind == CCD_EDGE_EDGE) {
            load_primitive(json_object_get(root, "edge0"), names, 2, q.path);
            load_primitive(json_object_get(root, "edge1"), names, 2, q.path + 2);
        } else {
            load_primitive(json_object_get(root, "vertex"), single, 1, q.path);
            load_primitive(json_object_get(root, "face"), names, 3, q.path + 1);
        }
        if (type) out[count++] = q;
        json_decref(root);
    }
    if (directory) closedir(directory);
    return count;
}

/* ---- Measuring ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void measure(const char *set, const query *queries, size_t count)
{
    static const struct {
        const char *name;
        method run;
    } methods[] = {{"curved", by_curved},
                   {"interval", by_interval},
                   {"univariate", by_univariate},
                   {"multivariate", by_multivariate}};
    answer *ours = calloc(count + 1, sizeof *ours);
    for (size_t m = 0; ours && m < sizeof methods / sizeof *methods; m++) {
        size_t hits = 0, late = 0, unfinished = 0;
        double sum = 0, longest = 0;
        for (size_t i = 0; i < count; i++) {
            double begin = now();
            answer a = methods[m].run(&queries[i]);
            double time = now() - begin;
            sum += time;
            longest = fmax(longest, time);
            hits += a.hit;
            unfinished += a.unfinished;
            if (m == 0) ours[i] = a;
            late += ours[i].hit && a.toi > ours[i].toi + 1e-3;
        }
        printf("%s,%s,%zu,%zu,%zu,%zu,%.3g,%.4g\n", set, methods[m].name, count, hits, late,
               unfinished, sum / (double)count, longest);
        fflush(stdout);
    }
    free(ours);
}

int main(int argc, char **argv)
{
    enum { RANDOM = 30, PUBLISHED = 1000 };
    static query queries[PUBLISHED];
    printf("set,method,queries,hits,late,unfinished,mean_us,max_us\n");
    for (int k = 0; k < 2; k++) {
        ccd_kind kind = k ? CCD_EDGE_EDGE : CCD_POINT_TRIANGLE;
        for (double turn = 0.01; turn < 2; turn *= 10) {
            random_state r = {.state = 7};
            char set[60];
            for (int i = 0; i < RANDOM; i++) queries[i] = random_query(&r, kind, turn);
            snprintf(set, sizeof set, "%s turning %g rad", k ? "edge-edge" : "point-triangle",
                     turn);
            measure(set, queries, RANDOM);
        }
    }
    if (argc < 2) return 0;
    static const char *const folders[] = {"", "/kinematic", "/wrecking-ball"};
    size_t count = 0;
    for (int f = 0; f < 3; f++) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%s%s", argv[1], folders[f]);
        count += load_folder(folder, queries + count, PUBLISHED - count);
    }
    if (count > 0) measure("published", queries, count);
    return 0;
}

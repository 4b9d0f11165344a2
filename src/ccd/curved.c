#include "ccd/curved.h"

#include "ccd/pair_distance.h"
#include "ccd/tight_inclusion.h"
#include "math/rotation.h"

#include <float.h>
#include <string.h>

/* Sub-intervals of a pair before the time reached so far is returned. */
enum { MAX_INTERVALS = 1000 };

/* The deviation from the chords may eat this part of the gap (delta of Algorithm 4.1). */
static const double GAP_SHARE = 0.5;

static const double ROUND_UP = 1.0 + 0x1p-48;

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* ---------------------------------------------------------------------------------------------- */
/* One path                                                                                       */

vec3 ccd_path_turned(const ccd_path *path, double s, const mat3 *rotation)
{
    vec3 y = vec3_mul_add(path->y, s, path->p);
    return path->curved ? vec3_add(y, mat3_mul_vec(*rotation, path->arm)) : y;
}

mat3 ccd_path_rotation(const ccd_path *path, double s)
{
    return rotation_matrix(vec3_mul_add(path->theta, s, path->dtheta));
}

vec3 ccd_path_at(const ccd_path *path, double s)
{
    mat3 rotation;
    if (path->curved) rotation = ccd_path_rotation(path, s);
    return ccd_path_turned(path, s, &rotation);
}

/* What bounds the motion of a path: lengths of its parts, and the error of a computed position. */
typedef struct path_size {
    double arm, turn; /* |arm|, |dtheta| */
    double rounding;
} path_size;

static path_size size_of(const ccd_path *path)
{
    if (!path->curved) return (path_size){0};
    path_size size = {vec3_norm(path->arm) * ROUND_UP, vec3_norm(path->dtheta) * ROUND_UP, 0.0};
    /* The angle is rounded (in units of |theta|), then sine, matrix, product and sums. */
    double angle = vec3_norm(path->theta) + size.turn;
    double shift = vec3_max_abs(path->y) + vec3_max_abs(path->p);
    size.rounding = DBL_EPSILON * (8.0 * shift + (32.0 + 8.0 * angle) * size.arm);
    return size;
}

/* Distance from the chord when turning by `angle` in all: from the bend, |x''| <= r angle^2; from
 * the speed, |x'| <= r angle; and since both are in a ball of radius r. */
static double deviation(path_size size, double length)
{
    double angle = size.turn * length;
    double bound = smaller(0.125 * angle * angle, 0.5 * angle);
    return smaller(bound, 2.0) * size.arm * ROUND_UP + 2.0 * size.rounding;
}

double ccd_path_deviation(const ccd_path *path, double s0, double s1)
{
    return path->curved ? deviation(size_of(path), fabs(s1 - s0)) : 0.0;
}

double ccd_path_speed(const ccd_path *path)
{
    path_size size = size_of(path);
    return (vec3_norm(path->p) + size.arm * size.turn) * ROUND_UP;
}

void ccd_path_box(const ccd_path *path, double limit, vec3 *low, vec3 *high)
{
    path_size size = size_of(path);
    double angle = size.turn * limit;
    /* More than a radian: pieces, as the bound grows with the square of their length. */
    int pieces = !(angle > 1.0) ? 1 : angle > 8.0 ? 8 : (int)ceil(angle);
    vec3 end = ccd_path_at(path, 0.0);
    *low = *high = end;
    for (int i = 1; i <= pieces; i++) {
        end = ccd_path_at(path, i == pieces ? limit : limit * i / pieces);
        *low = vec3_min(*low, end);
        *high = vec3_max(*high, end);
    }
    if (!path->curved) return;
    /* Pieces may be longer than limit / pieces by rounding. */
    double e = deviation(size, limit / pieces * ROUND_UP);
    *low = vec3_sub(*low, vec3_make(e, e, e));
    *high = vec3_add(*high, vec3_make(e, e, e));
    /* The arm never reaches further than its length from the origin. */
    double r = size.arm + size.rounding;
    vec3 there = vec3_mul_add(path->y, limit, path->p), reach = vec3_make(r, r, r);
    *low = vec3_max(*low, vec3_sub(vec3_min(path->y, there), reach));
    *high = vec3_min(*high, vec3_add(vec3_max(path->y, there), reach));
}

/* ---------------------------------------------------------------------------------------------- */
/* Pairs                                                                                          */

/* The paths of a pair with what is constant during its query. */
typedef struct curved_pair {
    ccd_kind kind;
    int count, first; /* vertices, and those of the first primitive */
    const ccd_path *path;
    path_size size[4];
    double bend;     /* sum over the primitives of their largest |x''| */
    double rounding; /* deviation of an interval of length zero */
} curved_pair;

/* A point of a primitive deviates by no more than the worst of its vertices; the two primitives
 * deviate independently, so their worst are added. */
static double pair_deviation(const curved_pair *pair, double length)
{
    double worst[2] = {0.0, 0.0};
    for (int i = 0; i < pair->count; i++) {
        if (!pair->path[i].curved) continue;
        int side = i >= pair->first;
        worst[side] = larger(worst[side], deviation(pair->size[i], length));
    }
    return (worst[0] + worst[1]) * ROUND_UP;
}

static curved_pair prepare(ccd_kind kind, const ccd_path *path)
{
    curved_pair pair = {.kind = kind,
                        .count = ccd_vertex_count(kind),
                        .first = kind == CCD_EDGE_EDGE ? 2 : 1,
                        .path = path};
    double bend[2] = {0.0, 0.0};
    for (int i = 0; i < pair.count; i++) {
        pair.size[i] = size_of(&path[i]);
        double b = pair.size[i].arm * pair.size[i].turn * pair.size[i].turn;
        bend[i >= pair.first] = larger(bend[i >= pair.first], b);
    }
    pair.bend = bend[0] + bend[1];
    pair.rounding = pair_deviation(&pair, 0.0);
    return pair;
}

/* Vertices of one body share their rotation. */
static void positions(const curved_pair *pair, double s, vec3 *x)
{
    mat3 rotation;
    const ccd_path *last = NULL;
    for (int i = 0; i < pair->count; i++) {
        const ccd_path *path = &pair->path[i];
        if (path->curved && !(last && memcmp(&last->theta, &path->theta, sizeof(vec3)) == 0 &&
                              memcmp(&last->dtheta, &path->dtheta, sizeof(vec3)) == 0)) {
            rotation = ccd_path_rotation(path, s);
            last = path;
        }
        x[i] = ccd_path_turned(path, s, &rotation);
    }
}

/* What the distance can shrink by over a unit of s, seen from the mean translation. */
static double closing_speed(const curved_pair *pair)
{
    vec3 mean = {0, 0, 0};
    for (int i = 0; i < pair->count; i++)
        mean = vec3_mul_add(mean, 1.0 / pair->count, pair->path[i].p);
    double fastest[2] = {0.0, 0.0};
    for (int i = 0; i < pair->count; i++) {
        double turning = pair->size[i].arm * pair->size[i].turn;
        double speed = vec3_norm(vec3_sub(pair->path[i].p, mean)) + turning;
        fastest[i >= pair->first] = larger(fastest[i >= pair->first], speed);
    }
    return (fastest[0] + fastest[1]) * (1.0 + 1e-12);
}

/* The longest interval from t on whose deviation leaves half of the gap. */
static double interval_length(const curved_pair *pair, double gap, double rest)
{
    if (pair_deviation(pair, rest) <= GAP_SHARE * gap) return rest;
    double room = GAP_SHARE * gap - pair->rounding;
    return room > 0.0 ? smaller(rest, sqrt(8.0 * room / pair->bend)) : 0.0;
}

/* The linear query over the chords of [t0, t1]; times in the result are those of the path. */
static ccd_result chord_query(const curved_pair *pair, const vec3 *x, double t0, double t1,
                              const ccd_options *options, vec3 *end)
{
    ccd_options query = *options;
    query.separation += pair_deviation(pair, t1 - t0);
    positions(pair, t1, end);
    ccd_result r = tight_inclusion(pair->kind, x, end, &query);
    if (!r.hit) return r;
    double toi = t0 + r.toi * (t1 - t0) * (1.0 - 0x1p-50);
    r.toi = r.toi <= 0.0 ? t0 : smaller(t1, toi);
    return r;
}

static step_result stopped(double step, double distance, int64_t checks)
{
    return (step_result){.step = step,
                         .limited = true,
                         .touching = !(step > 0.0),
                         .checks = checks,
                         .tolerance = distance};
}

/* The gap is near rounding: asks for the bare minimum and stays well before it. */
static step_result last_resort(const curved_pair *pair, const vec3 *x, double gap,
                               const step_options *options, int64_t checks)
{
    double length = interval_length(pair, gap, options->t_max);
    if (!(length > 0.0)) return stopped(0.0, gap, checks);
    ccd_options query = ccd_default_options();
    query.norm = CCD_NORM_EUCLIDEAN;
    query.separation = options->min_distance;
    query.tolerance = 0.25 * gap;
    query.max_checks = options->max_checks;
    query.no_zero_toi = true;
    vec3 end[4];
    ccd_result r = chord_query(pair, x, 0.0, length, &query, end);
    double step = (1.0 - options->keep) * (r.hit ? r.toi : length);
    return stopped(step, gap, checks + r.checks);
}

/* Walks over sub-intervals: each is as long as its deviation allows, or, when the linear query saw
 * the pair meet, about as long as that will take. */
static step_result walk(const curved_pair *pair, vec3 *x, double gap, const step_options *options)
{
    double limit = options->t_max, remain = smaller(options->keep * gap, options->cap);
    double target = options->min_distance + remain;
    double tolerance = smaller(options->tolerance, 0.25 * (gap - remain));
    double close_enough = larger(tolerance, 0.25 * remain);
    double t = 0.0, left = gap - remain, expected = limit;
    int64_t checks = 0;
    ccd_options query = ccd_default_options();
    query.norm = CCD_NORM_EUCLIDEAN;
    query.separation = target;
    for (int interval = 0; t < limit; interval++) {
        double length = interval_length(pair, left, smaller(limit - t, expected));
        double next = t + length < limit ? t + length : limit;
        if (!(next > t) || interval == MAX_INTERVALS || checks >= options->max_checks) break;
        query.tolerance = larger(tolerance, 0.05 * left);
        query.max_checks = options->max_checks - checks;
        vec3 end[4];
        ccd_result r = chord_query(pair, x, t, next, &query, end);
        checks += r.checks;
        if (!r.hit) {
            t = next;
            memcpy(x, end, sizeof end);
            left = pair_distance(pair->kind, x) - target;
            expected = limit;
            continue;
        }
        if (!(r.toi > t)) break;
        positions(pair, r.toi, x);
        double now = pair_distance(pair->kind, x) - target;
        if (!(now > close_enough)) return stopped(r.toi, now, checks);
        expected = now < left ? 4.0 * (r.toi - t) * now / (left - now) : limit;
        t = r.toi;
        left = now;
    }
    if (t >= limit) return (step_result){.step = limit, .checks = checks};
    if (t > 0.0) return stopped(t, left, checks);
    return last_resort(pair, x, gap, options, checks);
}

step_result ccd_curved_pair_step(ccd_kind kind, const ccd_path *path, const step_options *options)
{
    int count = ccd_vertex_count(kind);
    bool curved = false;
    for (int i = 0; i < count; i++) curved = curved || path[i].curved;
    vec3 x[4] = {{0}};
    if (!curved) {
        vec3 end[4];
        for (int i = 0; i < count; i++) {
            x[i] = path[i].y;
            end[i] = vec3_add(path[i].y, path[i].p);
        }
        return ccd_pair_step(kind, x, end, options);
    }
    step_options within = *options;
    if (!(within.t_max <= 1.0)) within.t_max = 1.0;
    curved_pair pair = prepare(kind, path);
    positions(&pair, 0.0, x);
    double gap = pair_distance(kind, x) - options->min_distance, speed = closing_speed(&pair);
    if (!(gap > 2.0 * pair.rounding) || !isfinite(gap) || !isfinite(speed + pair.bend))
        return stopped(0.0, gap, 0);
    double remain = smaller(within.keep * gap, within.cap);
    if (speed * within.t_max + 2.0 * pair.rounding < gap - remain)
        return (step_result){.step = within.t_max};
    return walk(&pair, x, gap, &within);
}

/* ---------------------------------------------------------------------------------------------- */
/* Half-spaces                                                                                    */

double ccd_curved_plane_step(const ccd_path *path, vec3 origin, vec3 normal, double keep,
                             double limit)
{
    path_size size = size_of(path);
    double distance = vec3_dot(vec3_sub(ccd_path_at(path, 0.0), origin), normal);
    double target = keep * distance, left = distance - target, t = 0.0;
    double bend = size.arm * size.turn * size.turn;
    if (!(left > 2.0 * size.rounding) || !isfinite(left + bend)) return 0.0;
    for (int interval = 0; t < limit && interval < MAX_INTERVALS; interval++) {
        double next = limit, rest = limit - t;
        if (deviation(size, rest) > GAP_SHARE * left) {
            double room = GAP_SHARE * left - 2.0 * size.rounding;
            if (!(room > 0.0)) return t;
            next = smaller(limit, t + sqrt(8.0 * room / bend));
        }
        /* Over the chord the distance is linear: where it falls to the target plus the deviation,
         * if it does. */
        double there = vec3_dot(vec3_sub(ccd_path_at(path, next), origin), normal) - target;
        double e = path->curved ? deviation(size, next - t) : 0.0;
        if (there > e) {
            t = next;
            left = there;
            continue;
        }
        double stop = t + (next - t) * (left - e) / (left - there) * (1.0 - 0x1p-49);
        double now = vec3_dot(vec3_sub(ccd_path_at(path, stop), origin), normal) - target;
        if (!(stop > t) || !(now > 0.25 * target)) return larger(t, stop);
        t = stop;
        left = now;
    }
    return t;
}

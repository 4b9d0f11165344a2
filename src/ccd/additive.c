#include "ccd/additive.h"

#include "ccd/nearest.h"
#include "ccd/query.h"
#include "ccd/tight_inclusion.h"

#include <float.h>

/* Relative motion of the corners of the (u, v) domain: F_c(t) = start_c + t velocity_c. */
typedef struct motion {
    bool triangle;
    int corners;
    vec3 start[4], velocity[4];
    double speed; /* largest |velocity|, rounded up */
    double error; /* bound on the rounding error of a computed F_c(t), 0 <= t <= 1 */
    bool finite;
} motion;

typedef struct gap_bounds {
    double low, high; /* of the distance */
} gap_bounds;

static const double ROUND_UP = 1.0 + 0x1p-48;

additive_options additive_default_options(void)
{
    return (additive_options){.offset = 0.0,
                              .keep = 0.1,
                              .target = INFINITY,
                              .t_max = 1.0,
                              .max_iterations = 1000000,
                              .hand_over = 12};
}

static double larger(double a, double b) { return a > b ? a : b; }

static motion relative_motion(ccd_kind kind, const vec3 *start, const vec3 *end)
{
    motion m = {.triangle = kind == CCD_POINT_TRIANGLE};
    ccd_query query;
    ccd_query_load(&query, kind, start, end);
    m.corners = m.triangle ? 3 : 4;
    double size = 0.0, fastest = 0.0;
    for (int c = 0; c < m.corners; c++) {
        int first = m.triangle ? 0 : c % 2, second = m.triangle ? 1 + c : 2 + c / 2;
        double f[2][3];
        for (int axis = 0; axis < 3; axis++)
            for (int side = 0; side < 2; side++)
                f[side][axis] = query.x[axis][side][first] - query.x[axis][side][second];
        m.start[c] = vec3_load(f[0]);
        m.velocity[c] = vec3_sub(vec3_load(f[1]), m.start[c]);
        size = larger(size, norm1(m.start[c]) + norm1(m.velocity[c]));
        fastest = larger(fastest, vec3_norm2(m.velocity[c]));
    }
    /* Each component: one rounding of the difference, two of the velocity, two of the step. */
    m.error = 8.0 * DBL_EPSILON * size + 0x1p-960;
    m.speed = (sqrt(fastest) + m.error) * ROUND_UP;
    m.finite = true;
    for (int c = 0; c < m.corners; c++)
        m.finite = m.finite && vec3_is_finite(m.start[c]) && vec3_is_finite(m.velocity[c]);
    /* Squares must neither overflow nor vanish. */
    m.finite = m.finite && size < 0x1p500;
    return m;
}

/* Bounds of the distance at time t: |F| of the nearest point from above; from below, the part of
 * all corners along the direction of that point, which holds for every direction. */
static gap_bounds distance_at(const motion *m, double t)
{
    nearest k;
    vec3 corner[4];
    for (int c = 0; c < m->corners; c++) corner[c] = vec3_mul_add(m->start[c], t, m->velocity[c]);
    k.base = corner[0];
    k.gu = vec3_sub(corner[1], corner[0]);
    k.gv = vec3_sub(corner[2], corner[0]);
    find_nearest(&k, m->triangle);
    vec3 n = contact_normal(&k, k.gu, k.gv);
    double size = max_abs(n);
    gap_bounds bounds = {0.0, vec3_norm(k.point) * ROUND_UP + 4.0 * m->error};
    if (!(size > 0x1p-900 && size < 0x1p900)) return bounds;
    n = vec3_scale(1.0 / size, n);
    n = vec3_scale(1.0 / vec3_norm(n), n); /* length 1 up to a few roundings */
    double low = vec3_dot(n, corner[0]);
    for (int c = 1; c < m->corners; c++) {
        double along = vec3_dot(n, corner[c]);
        low = along < low ? along : low;
    }
    low = low / ROUND_UP - 2.0 * m->error;
    bounds.low = low > 0.0 ? low : 0.0;
    return bounds;
}

double additive_lower_bound(ccd_kind kind, const vec3 *start, const vec3 *end, double offset)
{
    motion m = relative_motion(kind, start, end);
    if (!m.finite) return 0.0;
    double gap = distance_at(&m, 0.0).low - offset;
    if (!(gap > 0.0)) return 0.0;
    return gap / m.speed / ROUND_UP;
}

static ccd_result hit(double toi, double gap, int64_t iterations, ccd_status status)
{
    return (ccd_result){.hit = true,
                        .toi = toi,
                        .tolerance = gap > 0.0 ? gap : 0.0,
                        .checks = iterations,
                        .status = status};
}

/* Sliding pairs: the same target gap as a separation, found by the other method. */
static ccd_result hand_over(ccd_kind kind, const vec3 *start, const vec3 *end,
                            const additive_options *options, double goal, double t,
                            int64_t iterations)
{
    ccd_options other = ccd_default_options();
    other.norm = CCD_NORM_EUCLIDEAN;
    other.separation = options->offset + goal;
    other.tolerance = goal;
    other.t_max = options->t_max;
    other.max_checks = options->max_iterations;
    ccd_result result = tight_inclusion(kind, start, end, &other);
    result.checks += iterations;
    if (!result.hit) return result;
    result.tolerance += goal;
    if (result.toi < t) result.toi = t; /* proved already */
    return result;
}

ccd_result additive_ccd(ccd_kind kind, const vec3 *start, const vec3 *end,
                        const additive_options *options)
{
    motion m = relative_motion(kind, start, end);
    if (!m.finite || !isfinite(options->offset)) return ccd_give_up(CCD_NOT_FINITE);
    double t_max = options->t_max < 1.0 ? options->t_max : 1.0;
    if (t_max < 0.0) return ccd_miss(0);
    gap_bounds now = distance_at(&m, 0.0);
    double gap = now.low - options->offset;
    if (!(gap > 0.0)) return hit(0.0, now.high - options->offset, 1, CCD_TOUCHING);
    double goal = options->keep * gap < options->target ? options->keep * gap : options->target;
    double t = 0.0, safe = gap - goal; /* the first step may use all but the goal */
    for (int64_t iteration = 1;; iteration++) {
        double step = safe / m.speed / ROUND_UP, next = t + step;
        bool last = !(next < t_max);
        if (last && iteration == 1) return ccd_miss(1);
        if (last) next = t_max;
        /* Steps near the last bit of t might be rounded up by more than they can spare. */
        if (!last && !(step > 0x1p-48 || t == 0.0))
            return hit(t, now.high - options->offset, iteration, CCD_STALLED);
        gap_bounds there = distance_at(&m, next);
        gap = there.low - options->offset;
        if (iteration > 1 && gap < goal)
            return hit(t, now.high - options->offset, iteration, CCD_CONVERGED);
        if (last) return ccd_miss(iteration);
        if (iteration >= options->max_iterations)
            return hit(next, there.high - options->offset, iteration, CCD_LIMIT);
        if (iteration >= options->hand_over)
            return hand_over(kind, start, end, options, goal, next, iteration);
        t = next;
        now = there;
        safe = 0.9 * (gap > 0.0 ? gap : 0.0);
    }
}

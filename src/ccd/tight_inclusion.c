#include "ccd/tight_inclusion.h"

#include "ccd/lanes.h"
#include "ccd/query.h"

#include <float.h>
#include <stdint.h>

enum {
    MAX_CELLS = 96,     /* cells waiting for their turn */
    EXTRA_CHECKS = 24,  /* once within the tolerance: how long to look for a better time */
    SUBSPACE_ROUNDS = 2 /* projections between the cell and the separation cube */
};

/* Splitting pays when one direction proves less than this part of the predicted time to impact. */
static const double POOR_PROGRESS = 0.85;

/* A cell of the (u, v) domain: for edge-edge the rectangle [p0, p1] x [p2, p3], for point-triangle
 * the triangle (p0, p1) (p2, p3) (p4, p5). It is proved free of contact for all times before t. */
typedef struct cell {
    double t;
    double p[6];
} cell;

/* The waiting cells: a binary heap, earliest time first. Ties are broken by the parameters, so that
 * the order does not depend on anything else. */
typedef struct cell_heap {
    cell item[MAX_CELLS];
    int count;
} cell_heap;

static bool earlier(const cell *a, const cell *b)
{
    if (a->t != b->t) return a->t < b->t;
    for (int i = 0; i < 6; i++)
        if (a->p[i] != b->p[i]) return a->p[i] < b->p[i];
    return false;
}

static void heap_push(cell_heap *heap, const cell *added)
{
    int i = heap->count++;
    for (; i > 0 && earlier(added, &heap->item[(i - 1) / 2]); i = (i - 1) / 2)
        heap->item[i] = heap->item[(i - 1) / 2];
    heap->item[i] = *added;
}

static cell heap_pop(cell_heap *heap)
{
    cell top = heap->item[0], last = heap->item[--heap->count];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= heap->count) break;
        if (child + 1 < heap->count && earlier(&heap->item[child + 1], &heap->item[child])) child++;
        if (!earlier(&heap->item[child], &last)) break;
        heap->item[i] = heap->item[child];
        i = child;
    }
    heap->item[i] = last;
    return top;
}

/* Corner c of the current cell at time t is (1 - t) start[c] + t end[c]. Lanes 0-3 hold F at t = 0,
 * lanes 4-7 at t = 1; corners of an edge-edge cell are (u0,v0) (u1,v0) (u0,v1) (u1,v1), those of a
 * point-triangle cell its three vertices and the first one again. */
typedef struct cell_corners {
    lanes8 x[3];
} cell_corners;

/* What stays the same during a search. */
typedef struct search {
    const ccd_query *query;
    tight_inclusion_tuning tuning;
    double margin[3];     /* |n_k| margin_k summed bounds d and every error of a computed n.F */
    double euclidean;     /* d when it is measured in the Euclidean norm, else 0 */
    double cube;          /* d when it is measured in the maximum norm, else 0 */
    double witness_error; /* bound on the error of a computed point of F, any axis */
    cell_heap heap;
    int64_t checks, first_close;
} search;

/* The state of one cell at one time. */
typedef struct contact {
    vec3 base, gu, gv;            /* F = base + a gu + b gv on the cell at time t */
    double a, b;                  /* where F is nearest to zero (or to the separation cube) */
    bool free_a, free_b, free_ab; /* nearest point may move: along a, along b, along b - a */
    vec3 nearest;                 /* F there */
    vec3 residual;                /* nearest minus its projection on the separation cube */
    double distance;              /* of the pair beyond the separation, bounded from above */
} contact;

static inline double clamp01(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

/* Nearest point of base + a gu + b gv, 0 <= a, b <= 1, to zero: the closest points of two segments.
 * Degenerate and parallel segments are fine. */
static void nearest_on_square(contact *k)
{
    double uu = vec3_dot(k->gu, k->gu), uv = vec3_dot(k->gu, k->gv), vv = vec3_dot(k->gv, k->gv);
    double ub = vec3_dot(k->gu, k->base), vb = vec3_dot(k->gv, k->base);
    double det = uu * vv - uv * uv;
    double a = det > 0x1p-40 * uu * vv ? clamp01((uv * vb - vv * ub) / det)
               : uu > 0.0              ? clamp01(-(ub + 0.5 * uv) / uu)
                                       : 0.0;
    double b = vv > 0.0 ? -(vb + a * uv) / vv : 0.0;
    if (b < 0.0 || b > 1.0) {
        b = clamp01(b);
        a = uu > 0.0 ? clamp01(-(ub + b * uv) / uu) : 0.0;
    }
    k->a = a;
    k->b = b;
    k->free_a = a > 0.0 && a < 1.0;
    k->free_b = b > 0.0 && b < 1.0;
    k->free_ab = false;
}

/* Sets the nearest point to the one on an edge of the triangle: parameter along the edge. */
static void triangle_edge(contact *k, double a, double b, double s, bool free_a, bool free_b,
                          bool free_ab)
{
    bool free = s > 0.0 && s < 1.0;
    k->a = a;
    k->b = b;
    k->free_a = free_a && free;
    k->free_b = free_b && free;
    k->free_ab = free_ab && free;
}

/* Nearest point of base + a gu + b gv, a, b >= 0, a + b <= 1, to zero, by the Voronoi regions of
 * the triangle's edges. */
static void nearest_on_triangle(contact *k)
{
    double uu = vec3_dot(k->gu, k->gu), uv = vec3_dot(k->gu, k->gv), vv = vec3_dot(k->gv, k->gv);
    double ub = vec3_dot(k->gu, k->base), vb = vec3_dot(k->gv, k->base);
    double det = uu * vv - uv * uv;
    double a = uv * vb - vv * ub, b = uv * ub - uu * vb; /* times det */
    if (det > 0x1p-40 * uu * vv && a > 0.0 && b > 0.0 && a + b < det) {
        k->a = a / det;
        k->b = b / det;
        k->free_a = k->free_b = true;
        k->free_ab = false;
        return;
    }
    /* Squared distances to zero, less that of the base, of the best points on the three edges. */
    double s0 = uu > 0.0 ? clamp01(-ub / uu) : 0.0, d0 = s0 * (2.0 * ub + s0 * uu);
    double s1 = vv > 0.0 ? clamp01(-vb / vv) : 0.0, d1 = s1 * (2.0 * vb + s1 * vv);
    double ww = uu - 2.0 * uv + vv; /* along gv - gu from the corner (1, 0) */
    double wb = vb - ub + uv - uu;
    double s2 = ww > 0.0 ? clamp01(-wb / ww) : 0.0, d2 = 2.0 * ub + uu + s2 * (2.0 * wb + s2 * ww);
    if (d0 <= d1 && d0 <= d2)
        triangle_edge(k, s0, 0.0, s0, true, false, false);
    else if (d1 <= d2)
        triangle_edge(k, 0.0, s1, s1, false, true, false);
    else
        triangle_edge(k, 1.0 - s2, s2, s2, false, false, true);
}

static inline void find_nearest(const search *s, contact *k)
{
    if (s->query->triangle)
        nearest_on_triangle(k);
    else
        nearest_on_square(k);
    k->nearest = vec3_mul_add(vec3_mul_add(k->base, k->a, k->gu), k->b, k->gv);
}

static inline double clamp_to(double x, double d) { return x > d ? d : x < -d ? -d : x; }

/* Alternating projections between the cell and the cube |F| <= d. */
static void separate_from_cube(const search *s, contact *k)
{
    vec3 base = k->base;
    double d = s->cube;
    for (int round = 0;; round++) {
        vec3 f = k->nearest;
        vec3 c = {clamp_to(f.x, d), clamp_to(f.y, d), clamp_to(f.z, d)};
        k->residual = vec3_sub(f, c);
        if (round == SUBSPACE_ROUNDS) return;
        k->base = vec3_sub(base, c);
        find_nearest(s, k);
        k->nearest = vec3_add(k->nearest, c);
        k->base = base;
    }
}

/* One corner of the current cell at time t. */
static inline vec3 corner_at(const cell_corners *g, int c, double t)
{
    return (vec3){g->x[0][c] + t * (g->x[0][c + 4] - g->x[0][c]),
                  g->x[1][c] + t * (g->x[1][c + 4] - g->x[1][c]),
                  g->x[2][c] + t * (g->x[2][c + 4] - g->x[2][c])};
}

static inline void find_contact(const search *s, const cell_corners *g, double t, contact *k)
{
    k->base = corner_at(g, 0, t);
    k->gu = vec3_sub(corner_at(g, 1, t), k->base);
    k->gv = vec3_sub(corner_at(g, 2, t), k->base);
    find_nearest(s, k);
    k->residual = k->nearest;
    if (s->cube > 0.0) separate_from_cube(s, k);
    double size = s->query->norm == CCD_NORM_MAX ? vec3_max_abs(k->nearest)
                                                 : vec3_norm(k->nearest) * (1.0 + 0x1p-50);
    k->distance = size + s->witness_error - s->query->separation;
}

/* The direction to separate along when the nearest point can move along the given generators. */
static inline vec3 contact_normal(const contact *k, vec3 gu, vec3 gv)
{
    if (k->free_a && k->free_b) {
        vec3 n = vec3_cross(gu, gv);
        double size = vec3_norm2(n);
        if (size > 0x1p-60 * vec3_norm2(gu) * vec3_norm2(gv))
            return vec3_dot(n, k->residual) < 0.0 ? vec3_neg(n) : n;
        if (vec3_norm2(gv) > vec3_norm2(gu)) gu = gv;
    } else if (k->free_b) {
        gu = gv;
    } else if (k->free_ab) {
        gu = vec3_sub(gv, gu);
    } else if (!k->free_a) {
        return k->residual;
    }
    double size = vec3_norm2(gu);
    if (!(size > 0.0)) return k->residual;
    return vec3_mul_add(k->residual, -vec3_dot(k->residual, gu) / size, gu);
}

static const double ROUND_DOWN = 1.0 - 0x1p-49, ROUND_UP = 1.0 + 0x1p-49;

/* Until when direction n (of any length) proves the cell free of contact, starting at time t; -1
 * when it does not even prove time t. */
static double free_until(const search *s, const cell_corners *g, vec3 n, double t)
{
    double largest = vec3_max_abs(n);
    if (!(largest > 0x1p-900 && largest < 0x1p900)) return -1.0;
    double inverse = 1.0 / largest;
    n = vec3_scale(inverse, n);
    double error = fabs(n.x) * s->margin[0] + fabs(n.y) * s->margin[1] + fabs(n.z) * s->margin[2];
    if (s->euclidean > 0.0) error += s->euclidean * vec3_norm(n);
    error *= ROUND_UP;
    lanes8 value = n.x * g->x[0] + n.y * g->x[1] + n.z * g->x[2] - error;
    lanes4 start = lanes8_low(value), end = lanes8_high(value);
    lanes4 zero = {0.0, 0.0, 0.0, 0.0}, one = zero + 1.0;
    /* A corner is free while the line through start and end is positive. */
    mask4 rising = start <= zero, falling = end <= zero;
    mask4 never = rising & falling;
    if (never[0] | never[1] | never[2] | never[3]) return -1.0;
    lanes4 root = start / (start - end);
    double from = lanes4_max(lanes4_select(rising, root * ROUND_UP, zero));
    double until = lanes4_min(lanes4_select(falling, root * ROUND_DOWN, one + one));
    return from <= t && until > t ? until : -1.0;
}

/* A direction on the way from n, which separates the cell from zero at time t, to `ahead`: as far
 * as all corners stay on the positive side at t. It looks ahead as far as the present allows. */
static vec3 blend_directions(const cell_corners *g, vec3 n, vec3 ahead, double t)
{
    n = vec3_scale(1.0 / vec3_max_abs(n), n);
    ahead = vec3_scale(1.0 / vec3_max_abs(ahead), ahead);
    double weight = 1.0;
    for (int c = 0; c < 4; c++) {
        vec3 f = corner_at(g, c, t);
        double present = vec3_dot(n, f), future = vec3_dot(ahead, f);
        if (present > 0.0 && future < 0.05 * present) {
            double part = 0.95 * present / (present - future);
            weight = part < weight ? part : weight;
        }
    }
    return vec3_mul_add(n, weight, vec3_sub(ahead, n));
}

/* Corner values of F for a cell, by the evaluation order of the filter's proof. */
static void load_cell(const search *s, const cell *loaded, cell_corners *g)
{
    const double *p = loaded->p;
    if (s->query->triangle) {
        lanes8 u = {p[0], p[2], p[4], p[0], p[0], p[2], p[4], p[0]};
        lanes8 v = {p[1], p[3], p[5], p[1], p[1], p[3], p[5], p[1]};
        for (int axis = 0; axis < 3; axis++) {
            const double *x = s->query->x[axis][0], *y = s->query->x[axis][1];
            lanes8 e1 = lanes8_halves(x[2] - x[1], y[2] - y[1]);
            lanes8 e2 = lanes8_halves(x[3] - x[1], y[3] - y[1]);
            g->x[axis] =
                lanes8_halves(x[0], y[0]) - ((e1 * u + e2 * v) + lanes8_halves(x[1], y[1]));
        }
        return;
    }
    lanes8 u = {p[0], p[1], p[0], p[1], p[0], p[1], p[0], p[1]};
    lanes8 v = {p[2], p[2], p[3], p[3], p[2], p[2], p[3], p[3]};
    for (int axis = 0; axis < 3; axis++) {
        const double *x = s->query->x[axis][0], *y = s->query->x[axis][1];
        lanes8 a = lanes8_halves(x[0], y[0]), ab = lanes8_halves(x[1] - x[0], y[1] - y[0]);
        lanes8 c = lanes8_halves(x[2], y[2]), cd = lanes8_halves(x[3] - x[2], y[3] - y[2]);
        g->x[axis] = (ab * u + a) - (cd * v + c);
    }
}

/* The box of all corner values, over the whole step, against zero. */
static bool axes_separate(const search *s, const cell_corners *g)
{
    for (int axis = 0; axis < 3; axis++) {
        double margin = s->margin[axis] + s->euclidean;
        if (lanes8_min(g->x[axis]) > margin || lanes8_max(g->x[axis]) < -margin) return true;
    }
    return false;
}

/* Change over the step of the generator's component along n: what limits the reach of n. */
static inline double turning(const cell_corners *g, vec3 n, int from, int to)
{
    double size = 0.0;
    const double component[3] = {n.x, n.y, n.z};
    for (int axis = 0; axis < 3; axis++)
        size += component[axis] *
                ((g->x[axis][to + 4] - g->x[axis][to]) - (g->x[axis][from + 4] - g->x[axis][from]));
    return fabs(size);
}

static inline bool midpoint(double a, double b, double *middle)
{
    double sum = a + b, back = sum - a;
    *middle = 0.5 * sum;
    return (a - (sum - back)) + (b - back) == 0.0; /* no rounding error in the sum */
}

/* Bisects the triangle's edge from vertex i to vertex j; false when the midpoint is not exact. */
static bool split_triangle(const cell *whole, int i, int j, cell half[2])
{
    double u, v;
    if (!midpoint(whole->p[2 * i], whole->p[2 * j], &u) ||
        !midpoint(whole->p[2 * i + 1], whole->p[2 * j + 1], &v))
        return false;
    half[0] = half[1] = *whole;
    half[0].p[2 * i] = half[1].p[2 * j] = u;
    half[0].p[2 * i + 1] = half[1].p[2 * j + 1] = v;
    return true;
}

static bool split_square(const cell *whole, int dimension, cell half[2])
{
    double low = whole->p[2 * dimension], high = whole->p[2 * dimension + 1];
    double middle = 0.5 * (low + high);
    if (!(low < middle && middle < high)) return false;
    half[0] = half[1] = *whole;
    half[0].p[2 * dimension + 1] = half[1].p[2 * dimension] = middle;
    return true;
}

/* Halves the cell across the side that turns most; false when it is as small as it can be. */
static bool split_cell(const search *s, const cell_corners *g, const contact *k, vec3 n,
                       const cell *whole, cell half[2])
{
    double u = turning(g, n, 0, 1), v = turning(g, n, 0, 2);
    if (u == 0.0 && v == 0.0) {
        u = vec3_norm2(k->gu);
        v = vec3_norm2(k->gv);
    }
    if (u == 0.0 && v == 0.0) return false;
    if (!s->query->triangle) return split_square(whole, u >= v ? 0 : 1, half);
    double w = turning(g, n, 1, 2);
    if (w > u && w > v) return split_triangle(whole, 1, 2, half);
    return u >= v ? split_triangle(whole, 0, 1, half) : split_triangle(whole, 0, 2, half);
}

/* When the nearest points would meet along n, if they moved on as they do now. */
static double time_of_meeting(const cell_corners *g, const contact *k, vec3 n, double t)
{
    vec3 start = {0, 0, 0}, end = {0, 0, 0};
    double weight[3] = {1.0 - k->a - k->b, k->a, k->b};
    for (int c = 0; c < 3; c++) {
        start = vec3_mul_add(start, weight[c], (vec3){g->x[0][c], g->x[1][c], g->x[2][c]});
        end = vec3_mul_add(end, weight[c], (vec3){g->x[0][c + 4], g->x[1][c + 4], g->x[2][c + 4]});
    }
    double speed = vec3_dot(n, vec3_sub(end, start));
    return speed < 0.0 ? t - vec3_dot(n, k->residual) / speed : INFINITY;
}

/* The contact normal at time t, as it would be if the same features met. */
static vec3 predicted_normal(const cell_corners *g, const contact *k, double t)
{
    vec3 base = corner_at(g, 0, t);
    return contact_normal(k, vec3_sub(corner_at(g, 1, t), base),
                          vec3_sub(corner_at(g, 2, t), base));
}

typedef enum step { STEP_FREE, STEP_ADVANCED, STEP_SPLIT, STEP_HIT } step;

static ccd_result hit(const search *s, double toi, const contact *k, ccd_status status)
{
    double tolerance = s->query->tolerance;
    if (k->distance > tolerance)
        tolerance = k->distance;
    else if (status == CCD_LIMIT || status == CCD_STALLED)
        status = CCD_CONVERGED;
    return (ccd_result){
        .hit = true, .toi = toi, .tolerance = tolerance, .checks = s->checks, .status = status};
}

/* Whether a pair within the tolerance should be reported now rather than advanced further. */
static bool close_enough(search *s, const contact *k, double t, double meeting)
{
    if (k->distance > s->query->tolerance) return false;
    if (s->first_close < 0) s->first_close = s->checks;
    return meeting - t <= s->query->tolerance || s->checks - s->first_close >= EXTRA_CHECKS;
}

/* One look at the cell that is behind all others. */
static step examine(search *s, const cell_corners *g, cell *current, cell half[2],
                    ccd_result *answer)
{
    contact k;
    double t = current->t, t_max = s->query->t_max;
    s->checks++;
    find_contact(s, g, t, &k);
    vec3 n = contact_normal(&k, k.gu, k.gv);
    double until = free_until(s, g, n, t);
    if (until > t_max) return STEP_FREE;
    double meeting = time_of_meeting(g, &k, n, t);
    if (close_enough(s, &k, t, meeting)) {
        *answer = hit(s, t, &k, CCD_CONVERGED);
        return STEP_HIT;
    }
    double goal = meeting < t_max ? meeting : t_max;
    if (!s->tuning.no_prediction && until < t + 0.999 * (goal - t)) {
        vec3 ahead = predicted_normal(g, &k, goal);
        double further = free_until(s, g, blend_directions(g, n, ahead, t), t);
        if (further > until) until = further;
        if (until > t_max) return STEP_FREE;
    }
    if (s->checks >= s->query->max_checks) {
        *answer = hit(s, t, &k, CCD_LIMIT);
        return STEP_HIT;
    }
    bool room = s->heap.count < MAX_CELLS - 1 && !s->tuning.no_splitting;
    if (until < t + POOR_PROGRESS * (goal - t) && room && split_cell(s, g, &k, n, current, half)) {
        if (until > t) half[0].t = half[1].t = until;
        return STEP_SPLIT;
    }
    if (until > t) {
        current->t = until;
        return STEP_ADVANCED;
    }
    *answer = hit(s, t, &k, CCD_STALLED);
    return STEP_HIT;
}

static cell root_cell(bool triangle)
{
    if (triangle) return (cell){0.0, {0.0, 0.0, 1.0, 0.0, 0.0, 1.0}};
    return (cell){0.0, {0.0, 1.0, 0.0, 1.0, 0.0, 0.0}};
}

static ccd_result run(search *s)
{
    cell current = root_cell(s->query->triangle), half[2];
    cell_corners g;
    ccd_result answer;
    load_cell(s, &current, &g);
    if (!s->tuning.no_axis_test && axes_separate(s, &g))
        s->checks = 1;
    else
        for (;;) {
            step done = examine(s, &g, &current, half, &answer);
            if (done == STEP_HIT) return answer;
            if (done == STEP_ADVANCED) {
                if (s->heap.count == 0 || !earlier(&s->heap.item[0], &current)) continue;
                heap_push(&s->heap, &current);
            } else if (done == STEP_SPLIT) {
                heap_push(&s->heap, &half[0]);
                heap_push(&s->heap, &half[1]);
            }
            if (s->heap.count == 0) break;
            current = heap_pop(&s->heap);
            load_cell(s, &current, &g);
        }
    return (ccd_result){.hit = false, .toi = INFINITY, .checks = s->checks, .status = CCD_MISS};
}

static ccd_result solve(const ccd_query *query, void *context)
{
    search s;
    s.query = query;
    s.tuning = *(const tight_inclusion_tuning *)context;
    s.euclidean = query->norm == CCD_NORM_EUCLIDEAN ? query->separation : 0.0;
    s.cube = query->norm == CCD_NORM_EUCLIDEAN ? 0.0 : query->separation;
    s.heap.count = 0;
    s.checks = 0;
    s.first_close = -1;
    double largest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double extent = query->extent[axis];
        /* filter: corner values; 3 roundings of a dot product with |F| <= 2 extent */
        s.margin[axis] = (query->filter[axis] + s.cube + 4.0 * DBL_EPSILON * extent) * ROUND_UP;
        largest = extent > largest ? extent : largest;
    }
    s.witness_error = 64.0 * DBL_EPSILON * largest;
    return run(&s);
}

ccd_result tight_inclusion_tuned(ccd_kind kind, const vec3 *start, const vec3 *end,
                                 const ccd_options *options, tight_inclusion_tuning tuning)
{
    return ccd_solve(kind, start, end, options, solve, &tuning);
}

ccd_result tight_inclusion(ccd_kind kind, const vec3 *start, const vec3 *end,
                           const ccd_options *options)
{
    tight_inclusion_tuning tuning = {0};
    return ccd_solve(kind, start, end, options, solve, &tuning);
}

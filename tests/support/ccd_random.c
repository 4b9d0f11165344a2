#include "support/ccd_random.h"

typedef enum family {
    COARSE_GRID,     /* multiples of 1/4 */
    TINY_GRID,       /* -1, 0, 1 */
    UNIFORM,         /* full doubles */
    COPLANAR,        /* all motion in one plane */
    PARALLEL,        /* parallel or collinear sides */
    DEGENERATE,      /* zero-length edges, triangles without area */
    SHARED,          /* vertices in common at the start or the end */
    TOUCH_AT_ENDS,   /* contact at t = 0 or t = 1 */
    TOUCH_INSIDE,    /* contact at a chosen time and place */
    NEAR_MISS,       /* the same, off by a little */
    STATIC_OR_RIGID, /* no motion, or the same motion for all */
    MANY_ROOTS       /* one primitive slides inside the other */
} family;

static const char *const names[CCD_RANDOM_FAMILIES] = {
    "coarse grid", "tiny grid", "uniform",         "coplanar",  "parallel", "degenerate",
    "shared",      "at ends",   "touching inside", "near miss", "static",   "sliding"};

const char *ccd_random_family_name(int which) { return names[which]; }

/* A multiple of 1/n in [-1, 1]. */
static double grid(random_state *r, int n)
{
    return ((double)random_below(r, 2 * (uint64_t)n + 1) - n) / n;
}

static vec3 grid_point(random_state *r, int n)
{
    return (vec3){grid(r, n), grid(r, n), grid(r, n)};
}

static vec3 uniform_point(random_state *r)
{
    return (vec3){random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1)};
}

static void fill_grid(random_state *r, ccd_random_query *q, int n)
{
    for (int i = 0; i < 4; i++) {
        q->start[i] = grid_point(r, n);
        q->end[i] = grid_point(r, n);
    }
}

/* The point of the first primitive minus that of the second at (u, v). */
static vec3 difference(ccd_kind kind, const vec3 *x, double u, double v)
{
    switch (kind) {
    case CCD_POINT_POINT: return vec3_sub(x[0], x[1]);
    case CCD_POINT_EDGE: return vec3_sub(x[0], vec3_mul_add(x[1], v, vec3_sub(x[2], x[1])));
    case CCD_POINT_TRIANGLE:
        return vec3_sub(x[0], vec3_mul_add(vec3_mul_add(x[1], u, vec3_sub(x[2], x[1])), v,
                                           vec3_sub(x[3], x[1])));
    case CCD_EDGE_EDGE:
        return vec3_sub(vec3_mul_add(x[0], u, vec3_sub(x[1], x[0])),
                        vec3_mul_add(x[2], v, vec3_sub(x[3], x[2])));
    }
    return x[0];
}

/* Moves the first primitive so that the pair touches at (t, u, v). The coordinates are multiples of
 * 1/8 and t, u, v of 1/4, so that all of this is exact. */
static void make_touch(ccd_random_query *q, double t, double u, double v)
{
    vec3 a = difference(q->kind, q->start, u, v), b = difference(q->kind, q->end, u, v);
    int first = q->kind == CCD_EDGE_EDGE ? 2 : 1;
    vec3 gap = vec3_add(vec3_scale(1.0 - t, a), vec3_scale(t, b));
    for (int i = 0; i < first; i++) {
        q->start[i] = vec3_sub(q->start[i], gap);
        q->end[i] = vec3_sub(q->end[i], gap);
    }
}

static void random_touch(random_state *r, ccd_random_query *q, double t)
{
    double u = (double)random_below(r, 5) / 4, v = (double)random_below(r, 5) / 4;
    if (q->kind == CCD_POINT_TRIANGLE && u + v > 1.0) v = 1.0 - u;
    make_touch(q, t, u, v);
}

/* Projects everything along one axis, or shears that plane out of the axes. */
static void flatten(random_state *r, ccd_random_query *q)
{
    double sx = random_below(r, 2) ? 0.0 : grid(r, 2), sy = random_below(r, 2) ? 0.0 : grid(r, 2);
    double height = grid(r, 4);
    int axis = (int)random_below(r, 3);
    for (int i = 0; i < 8; i++) {
        vec3 *p = i < 4 ? &q->start[i] : &q->end[i - 4];
        p->z = sx * p->x + sy * p->y + height;
        if (axis == 0) *p = (vec3){p->z, p->x, p->y};
        if (axis == 1) *p = (vec3){p->y, p->z, p->x};
    }
}

/* Makes the sides of the two primitives parallel at the start, the end or both. */
static void align(random_state *r, ccd_random_query *q)
{
    int which = 1 + (int)random_below(r, 3);
    for (int end = 0; end < 2; end++) {
        if (!(which >> end & 1)) continue;
        vec3 *x = end ? q->end : q->start;
        double factor = grid(r, 2) * 2.0;
        if (q->kind == CCD_EDGE_EDGE)
            x[3] = vec3_mul_add(x[2], factor, vec3_sub(x[1], x[0]));
        else if (q->kind == CCD_POINT_TRIANGLE)
            x[3] = vec3_mul_add(x[1], factor, vec3_sub(x[2], x[1]));
        if (random_below(r, 3) == 0) /* on the same line */
            x[q->kind == CCD_EDGE_EDGE ? 2 : 0] =
                vec3_mul_add(x[0], grid(r, 2), vec3_sub(x[1], x[0]));
    }
}

static void collapse(random_state *r, ccd_random_query *q)
{
    int count = ccd_vertex_count(q->kind);
    for (int round = 0; round < 2; round++) {
        int i = (int)random_below(r, (uint64_t)count), j = (int)random_below(r, (uint64_t)count);
        unsigned which = 1 + (unsigned)random_below(r, 3);
        if (which & 1) q->start[i] = q->start[j];
        if (which & 2) q->end[i] = q->end[j];
    }
}

static void perturb(random_state *r, ccd_random_query *q)
{
    static const double sizes[] = {0x1p-52, 0x1p-50, 0x1p-45, 1e-12, 1e-9, 1e-7, 1e-6, 1e-4};
    double size = sizes[random_below(r, 8)];
    int count = 1 + (int)random_below(r, 3);
    for (int i = 0; i < count; i++) {
        vec3 *p = random_below(r, 2) ? &q->start[random_below(r, 4)] : &q->end[random_below(r, 4)];
        vec3 d = grid_point(r, 1);
        *p = vec3_mul_add(*p, size, d);
    }
}

static void rescale(random_state *r, ccd_random_query *q)
{
    int exponent = random_below(r, 3) ? 0 : (int)random_below(r, 41) - 20;
    q->scale = ldexp(1.0, exponent);
    vec3 offset = {0, 0, 0};
    if (random_below(r, 8) == 0) offset = vec3_scale(1024.0, grid_point(r, 4));
    for (int i = 0; i < 4; i++) {
        q->start[i] = vec3_scale(q->scale, vec3_add(q->start[i], offset));
        q->end[i] = vec3_scale(q->scale, vec3_add(q->end[i], offset));
    }
}

void ccd_random_make(random_state *r, int which, ccd_random_query *q)
{
    uint64_t kind = random_below(r, 10);
    q->kind = kind == 0   ? CCD_POINT_POINT
              : kind == 1 ? CCD_POINT_EDGE
              : kind < 6  ? CCD_POINT_TRIANGLE
                          : CCD_EDGE_EDGE;
    q->family = which;
    fill_grid(r, q, which == TINY_GRID ? 1 : 4);
    switch ((family)which) {
    case COARSE_GRID:
    case TINY_GRID: break;
    case UNIFORM:
        for (int i = 0; i < 4; i++) {
            q->start[i] = uniform_point(r);
            q->end[i] = uniform_point(r);
        }
        break;
    case COPLANAR: flatten(r, q); break;
    case PARALLEL: align(r, q); break;
    case DEGENERATE: collapse(r, q); break;
    case SHARED:
        if (random_below(r, 2)) q->start[random_below(r, 2)] = q->start[2 + random_below(r, 2)];
        if (random_below(r, 2)) q->end[random_below(r, 2)] = q->end[2 + random_below(r, 2)];
        break;
    case TOUCH_AT_ENDS:
        if (random_below(r, 3) == 0) align(r, q);
        random_touch(r, q, (double)random_below(r, 2));
        break;
    case TOUCH_INSIDE:
    case NEAR_MISS:
        if (random_below(r, 3) == 0) align(r, q);
        if (random_below(r, 6) == 0) flatten(r, q);
        random_touch(r, q, (double)random_below(r, 5) / 4);
        if (which == NEAR_MISS) perturb(r, q);
        break;
    case STATIC_OR_RIGID: {
        vec3 move = random_below(r, 2) ? grid_point(r, 4) : (vec3){0, 0, 0};
        for (int i = 0; i < 4; i++) q->end[i] = vec3_add(q->start[i], move);
        if (random_below(r, 2)) random_touch(r, q, 0.0);
        break;
    }
    case MANY_ROOTS:
        if (random_below(r, 2)) flatten(r, q);
        random_touch(r, q, 0.0);
        { /* in contact at both ends, at different places, or arriving at such a state */
            vec3 offset = vec3_scale(0.5, grid_point(r, 1));
            for (int i = 1; i < 4; i++) q->end[i] = vec3_add(q->start[i], offset);
            q->end[0] = vec3_add(q->start[0], random_below(r, 2) ? offset : grid_point(r, 2));
        }
        break;
    }
    rescale(r, q);
}

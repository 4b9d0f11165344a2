/* The boxes of moving vertices: what a query asks, the boxes it means exactly, and the same boxes
 * in the stored form of the trees (see box8.h). */
#ifndef BROAD_VERTEX_BOXES_H
#define BROAD_VERTEX_BOXES_H

#include "base/array.h"
#include "base/status.h"
#include "broad/bvh.h"
#include "math/vec3.h"

typedef struct broad_query {
    const vec3 *y;       /* positions of the vertices */
    const vec3 *p;       /* direction of a swept query: the path to y + alpha p; or NULL */
    double alpha;        /* used with p */
    const vec3 *end;     /* instead of p: where the path ends. Neither: a static query */
    double inflation;    /* distance up to which pairs matter */
    const double *extra; /* per vertex, on top of inflation / 2 (thickness); NULL: none */
    bool tight;          /* also refuse pairs that are apart along a diagonal direction */
    bool divided;        /* the ranks find a part of the pairs each, and get all */
} broad_query;

/* The monotone map from coordinates to stored coordinates, about [-1, 1] over the scene. */
typedef struct box_frame {
    double origin[3];
    double scale; /* a power of two; 0: not chosen yet */
} box_frame;

/* An exact box, as the comment in candidates.h defines it. */
typedef struct exact_box {
    _Alignas(32) double low[4]; /* the fourth is that of z = 0: four lanes are faster */
    double high[4];
} exact_box;

/* The same along the diagonals; the last two are 0. */
typedef struct exact_diagonals {
    _Alignas(64) double low[8];
    double high[8];
} exact_diagonals;

typedef struct chunk_bounds {
    double low[3], high[3];
    int64_t bad; /* first vertex with a wrong value, or -1 */
} chunk_bounds;

typedef struct vertex_boxes {
    box_frame frame;
    ARRAY(vertex_box) stored;
    ARRAY(vertex_diagonals) stored_diagonals; /* only for tight queries */
    ARRAY(exact_box) exact;
    ARRAY(exact_diagonals) exact_diagonals; /* only for tight queries */
    ARRAY(chunk_bounds) chunks;
    double low[3], high[3]; /* bounds of all positions on the path, without inflation */
} vertex_boxes;

void vertex_boxes_free(vertex_boxes *boxes);

/* Fills the stored boxes and the bounds. ABUT_ERROR_INPUT when a value is not finite or a radius
 * negative. */
abut_status vertex_boxes_store(vertex_boxes *boxes, const broad_query *query, size_t count,
                               abut_error *err);
/* Fills the exact boxes and the bounds, with the same errors. */
abut_status vertex_boxes_exact(vertex_boxes *boxes, const broad_query *query, size_t count,
                               abut_error *err);

static inline double box_lesser(double a, double b) { return a < b ? a : b; }
static inline double box_greater(double a, double b) { return a > b ? a : b; }

/* Where the path of a vertex begins and ends. */
static inline void query_path(const broad_query *q, size_t v, double from[4], double to[4])
{
    vec3 end = q->y[v];
    from[0] = end.x;
    from[1] = end.y;
    from[2] = end.z;
    if (q->p) {
        end.x += q->alpha * q->p[v].x;
        end.y += q->alpha * q->p[v].y;
        end.z += q->alpha * q->p[v].z;
    } else if (q->end) {
        end = q->end[v];
    }
    to[0] = end.x;
    to[1] = end.y;
    to[2] = end.z;
    from[3] = to[3] = 0.0;
}

/* The exact box of one vertex. */
static inline exact_box vertex_exact_box(const broad_query *q, size_t v)
{
    double from[4], to[4];
    query_path(q, v, from, to);
    double half = 0.5 * q->inflation + (q->extra ? q->extra[v] : 0.0);
    exact_box box;
    for (int d = 0; d < 4; d++) {
        double low = box_lesser(from[d], to[d]), high = box_greater(from[d], to[d]);
        /* With u = 2^-53, the sum half + margin loses at most u of itself and the difference to x
         * at most u (|x| + half + margin): together less than the margin 2u (|x| + half). */
        if (half > 0.0) {
            low -= half + 0x1p-52 * (fabs(low) + half);
            high += half + 0x1p-52 * (fabs(high) + half);
        }
        box.low[d] = low;
        box.high[d] = high;
    }
    return box;
}

/* x+y, x-y, x+z, x-z, y+z, y-z */
static inline void diagonal_coordinates(const double x[3], double out[8])
{
    out[0] = x[0] + x[1];
    out[1] = x[0] - x[1];
    out[2] = x[0] + x[2];
    out[3] = x[0] - x[2];
    out[4] = x[1] + x[2];
    out[5] = x[1] - x[2];
    out[6] = out[7] = 0.0;
}

/* The exact bounds of one vertex along the diagonals. These directions have the length sqrt 2, so
 * a distance h becomes sqrt(2) h. With u = 2^-53 and S = the sum of |coordinates|: the sum of two
 * coordinates loses at most u S, the product sqrt(2) h (whose factor is rounded up) u sqrt(2) h,
 * and the two operations that widen at most u (S + 2 sqrt(2) h + 2 m) for the margin m = 8 u (S +
 * h): together less than m. Overflow widens to infinity. */
static inline exact_diagonals vertex_exact_diagonals(const broad_query *q, size_t v)
{
    double from[4], to[4];
    query_path(q, v, from, to);
    double size = 0.0, start[8], end[8];
    for (int d = 0; d < 3; d++) size += box_greater(fabs(from[d]), fabs(to[d]));
    double half = 0.5 * q->inflation + (q->extra ? q->extra[v] : 0.0);
    double widen = 0x1.6a09e667f3bcdp0 * half + 0x1p-50 * (size + half);
    diagonal_coordinates(from, start);
    diagonal_coordinates(to, end);
    exact_diagonals box;
    for (int d = 0; d < 8; d++) {
        double low = box_lesser(start[d], end[d]) - widen;
        double high = box_greater(start[d], end[d]) + widen;
        box.low[d] = low == low ? low : -INFINITY;
        box.high[d] = high == high ? high : INFINITY;
    }
    return box;
}

static inline void exact_diagonals_include(exact_diagonals *a, const exact_diagonals *b)
{
    for (int d = 0; d < 8; d++) {
        a->low[d] = box_lesser(a->low[d], b->low[d]);
        a->high[d] = box_greater(a->high[d], b->high[d]);
    }
}

static inline bool exact_diagonals_overlap(const exact_diagonals *a, const exact_diagonals *b)
{
    int64_t apart = 0;
    for (int d = 0; d < 8; d++) apart |= (a->low[d] > b->high[d]) | (b->low[d] > a->high[d]);
    return apart == 0;
}

static inline void exact_box_include(exact_box *a, const exact_box *b)
{
    for (int d = 0; d < 4; d++) {
        a->low[d] = box_lesser(a->low[d], b->low[d]);
        a->high[d] = box_greater(a->high[d], b->high[d]);
    }
}

static inline bool exact_box_overlap(const exact_box *a, const exact_box *b)
{
    int64_t apart = 0;
    for (int d = 0; d < 4; d++) apart |= (a->low[d] > b->high[d]) | (b->low[d] > a->high[d]);
    return apart == 0;
}

#endif

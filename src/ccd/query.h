/* A query brought into the form that the methods compute with: point-triangle or edge-edge with
 * four vertices, checked options, error bounds. Internal to src/ccd. */
#ifndef CCD_QUERY_H
#define CCD_QUERY_H

#include "ccd/ccd.h"

typedef struct ccd_query {
    /* Coordinates [axis][start, end][vertex]: eight consecutive values per axis. */
    double x[3][2][4] __attribute__((aligned(64)));
    double extent[3];  /* largest |coordinate| per axis */
    double filter[3];  /* bound on the rounding error of F per axis, evaluated as in bisection */
    double separation; /* d */
    double tolerance, t_max; /* delta >= 0, 0 <= t_max <= 1 */
    int64_t max_checks;      /* > 0 */
    int scale;               /* all lengths are 2^-scale times the caller's */
    ccd_norm norm;
    ccd_backend backend; /* resolved: never AUTO */
    bool triangle;       /* point-triangle; otherwise edge-edge, possibly degenerate */
    bool imposed_filter; /* the filter was given or is the published one: no method may undercut it
                          */
} ccd_query;

/* Copies the vertices, nothing else. */
static inline void ccd_query_load(ccd_query *query, ccd_kind kind, const vec3 *start,
                                  const vec3 *end)
{
    /* Which vertex of the caller is vertex i of the four-vertex form. */
    static const unsigned char source[4][4] = {
        [CCD_POINT_POINT] = {0, 0, 1, 1},
        [CCD_POINT_EDGE] = {0, 0, 1, 2},
        [CCD_POINT_TRIANGLE] = {0, 1, 2, 3},
        [CCD_EDGE_EDGE] = {0, 1, 2, 3},
    };
    for (int i = 0; i < 4; i++) {
        const vec3 *p = &start[source[kind][i]], *q = &end[source[kind][i]];
        query->x[0][0][i] = p->x;
        query->x[1][0][i] = p->y;
        query->x[2][0][i] = p->z;
        query->x[0][1][i] = q->x;
        query->x[1][1][i] = q->y;
        query->x[2][1][i] = q->z;
    }
    query->triangle = kind == CCD_POINT_TRIANGLE;
}

/* The answer when nothing can be computed: a hit at t = 0 with unbounded tolerance. */
ccd_result ccd_give_up(ccd_status status);

/* The answer when the pair is proved apart. */
static inline ccd_result ccd_miss(int64_t checks)
{
    return (ccd_result){.hit = false, .toi = INFINITY, .checks = checks, .status = CCD_MISS};
}

/* One method of answering a prepared query. */
typedef ccd_result (*ccd_solver)(const ccd_query *query, void *context);

/* Completes a loaded query from the options and solves it; refines a zero time of impact when the
 * options ask for it. */
ccd_result ccd_solve(ccd_query *query, const ccd_options *options, ccd_solver solver,
                     void *context);

#endif

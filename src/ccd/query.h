/* A query brought into the form that the methods compute with: point-triangle or edge-edge with
 * four vertices, checked options, error bounds. Internal to src/ccd. */
#ifndef CCD_QUERY_H
#define CCD_QUERY_H

#include "ccd/ccd.h"

typedef struct ccd_query {
    bool triangle;           /* point-triangle; otherwise edge-edge, possibly degenerate */
    double x[3][2][4];       /* coordinate [axis][start, end][vertex] */
    double extent[3];        /* largest |coordinate| per axis */
    double filter[3];        /* bound on the rounding error of F per axis */
    double separation;       /* d */
    double tolerance, t_max; /* delta >= 0, 0 <= t_max <= 1 */
    int64_t max_checks;      /* > 0 */
    ccd_norm norm;
    ccd_backend backend; /* resolved: never AUTO */
    int scale;           /* all lengths are 2^-scale times the caller's */
} ccd_query;

/* False when a coordinate or option is not finite. */
bool ccd_query_prepare(ccd_query *query, ccd_kind kind, const vec3 *start, const vec3 *end,
                       const ccd_options *options);

/* The answer when nothing can be computed: a hit at t = 0 with unbounded tolerance. */
ccd_result ccd_give_up(ccd_status status);

/* One way of answering a prepared query. */
typedef ccd_result (*ccd_solver)(const ccd_query *query, void *context);

/* Prepares and solves; refines a zero time of impact when the options ask for it. */
ccd_result ccd_solve(ccd_kind kind, const vec3 *start, const vec3 *end, const ccd_options *options,
                     ccd_solver solver, void *context);

#endif

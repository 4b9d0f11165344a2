#include "ccd/tight_inclusion.h"

#include "ccd/cells.h"
#include "ccd/lanes.h"
#include "ccd/nearest.h"
#include "ccd/query.h"

#include <float.h>

enum { EXTRA_CHECKS = 200, MAX_CHILDREN = 3 };

/* Splitting pays when one direction proves less than this part of the predicted time to impact. */
static const double POOR_PROGRESS = 0.8;

/* Accuracy of the time, unless the tolerance relative to the size of the pair asks for more. */
static const double TIME_TOLERANCE = 1e-8;

/* Factors that undo the rounding of a handful of operations. */
static const double ROUND_DOWN = 1.0 - 0x1p-49, ROUND_UP = 1.0 + 0x1p-49;

static const double UNDERFLOW_SLACK = 0x1p-960;

/* Rounding errors in units of 2^-52 times the largest component of F on that axis, proved in
 * docs/theory/ccd.md: of n.F at a corner of the whole domain and at one of a part of it (per unit
 * of |n|), and of a point of F interpolated at any time. */
static const double ROOT_UNITS = 3.0, PART_UNITS = 12.0, POINT_UNITS = 160.0;

/* Corner c of the current cell at time t is (1 - t) x[.][c] + t x[.][c + 4]. The corners of an
 * edge-edge cell are (u0,v0) (u1,v0) (u0,v1) (u1,v1), those of a point-triangle cell its three
 * vertices and the first one again. */
typedef struct cell_corners {
    union {
        lanes8 lanes;
        double value[8];
    } x[3];
} cell_corners;

typedef struct search {
    const ccd_query *query;
    tight_inclusion_tuning tuning;
    cell_corners whole;     /* corners of the whole domain */
    double root_margin[3];  /* sum of |n_k| margin_k bounds d and the error of a computed n.F ... */
    double part_margin[3];  /* ... at a corner of the whole domain, and of a part of it */
    const double *margin;   /* the one that belongs to the current cell */
    double time_tolerance;  /* an impact nearer than this is here */
    double euclidean, cube; /* d in the norm it is measured in, the other one 0 */
    double point_error;     /* bound on the error of a computed point of F, any axis */
    int64_t checks, first_close;
    cell_heap heap;
} search;

typedef enum outcome { CELL_FREE, CELL_ADVANCED, CELL_SPLIT, CELL_HIT } outcome;

/* What a look at a cell leads to besides the advanced cell itself. */
typedef struct look {
    cell child[MAX_CHILDREN];
    int children;
    ccd_result answer;
} look;

static ccd_result report_hit(const search *s, double toi, double distance, ccd_status status)
{
    double tolerance = s->query->tolerance;
    if (distance <= tolerance) {
        status = CCD_CONVERGED;
    } else {
        tolerance = distance;
        if (status == CCD_CONVERGED) status = CCD_STALLED;
    }
    return (ccd_result){
        .hit = true, .toi = toi, .tolerance = tolerance, .checks = s->checks, .status = status};
}

/* Whether a pair within the tolerance should be reported now rather than advanced further: when it
 * is about to meet, when nothing more can be proved, or when that has been tried long enough. */
static bool close_enough(search *s, double distance, double t, double meeting, double until)
{
    if (until <= t && distance <= 4.0 * s->point_error) return true; /* all that is left is noise */
    if (distance > s->query->tolerance) return false;
    if (s->first_close < 0) s->first_close = s->checks;
    return until <= t || meeting - t <= s->time_tolerance ||
           s->checks - s->first_close >= EXTRA_CHECKS;
}

/* The middle of a and b, and whether it is exact. */
static bool exact_middle(double a, double b, double *middle)
{
    double sum = a + b, part = sum - a;
    *middle = 0.5 * sum;
    return (a - (sum - part)) + (b - part) == 0.0;
}

/* Bisects the triangle's edge from vertex i to vertex j. The halves must cover the whole, so the
 * midpoint has to be exact. */
static void split_triangle(look *l, const cell *whole, int i, int j)
{
    double u, v;
    l->children = 0;
    if (!exact_middle(whole->p[2 * i], whole->p[2 * j], &u) ||
        !exact_middle(whole->p[2 * i + 1], whole->p[2 * j + 1], &v))
        return;
    l->child[0] = l->child[1] = *whole;
    l->child[0].p[2 * i] = l->child[1].p[2 * j] = u;
    l->child[0].p[2 * i + 1] = l->child[1].p[2 * j + 1] = v;
    l->children = 2;
}

/* Cuts the rectangle at the relative positions low and high (those strictly inside) of one side. */
static void split_square(look *l, const cell *whole, int side, double low, double high)
{
    const double *p = whole->p + 2 * side;
    double cut[2] = {p[0] + low * (p[1] - p[0]), p[0] + high * (p[1] - p[0])};
    l->child[0] = *whole;
    l->children = 1;
    for (int i = 0; i < 2; i++) {
        cell *last = &l->child[l->children - 1];
        if (!(cut[i] > last->p[2 * side] && cut[i] < p[1])) continue;
        l->child[l->children] = *whole;
        last->p[2 * side + 1] = l->child[l->children].p[2 * side] = cut[i];
        l->children++;
    }
}

#define KERNEL_FILE "ccd/tight_inclusion_kernel.inc"
#include "ccd/kernels.inc"

static ccd_result solve(const ccd_query *query, void *context)
{
    const tight_inclusion_tuning *tuning = context;
#if defined(__x86_64__)
    if (query->backend == CCD_BACKEND_AVX512) return solve_avx512(query, *tuning);
    if (query->backend == CCD_BACKEND_AVX2) return solve_avx2(query, *tuning);
#endif
    return solve_portable(query, *tuning);
}

/* Whether the boxes swept by the two primitives are more than d apart along an axis. Exact: the
 * rounded difference of two doubles exceeds the double d only if the exact one does. */
static bool swept_boxes_apart(const ccd_query *query, double separation)
{
    bool apart = false;
    lanes8 poison = {0.0};
    for (int axis = 0; axis < 3; axis++) {
        const lanes8 x = *(const lanes8 *)&query->x[axis][0][0];
        lanes8 f = query->triangle ? __builtin_shufflevector(x, x, 0, 0, 0, 0, 4, 4, 4, 4) -
                                         __builtin_shufflevector(x, x, 1, 2, 3, 3, 5, 6, 7, 7)
                                   : __builtin_shufflevector(x, x, 0, 1, 0, 1, 4, 5, 4, 5) -
                                         __builtin_shufflevector(x, x, 2, 2, 3, 3, 6, 6, 7, 7);
        poison += f * 0.0;
        apart = apart || lanes8_min(f) > separation || lanes8_max(f) < -separation;
    }
    lanes4 rest = lanes8_low(poison) + lanes8_high(poison);
    return apart && rest[0] + rest[1] + rest[2] + rest[3] == 0.0;
}

ccd_result tight_inclusion_tuned(ccd_kind kind, const vec3 *start, const vec3 *end,
                                 const ccd_options *options, tight_inclusion_tuning tuning)
{
    ccd_query query;
    ccd_query_load(&query, kind, start, end);
    if (!tuning.no_axis_test) {
        double separation = options->separation > 0.0 ? options->separation : 0.0;
        if (swept_boxes_apart(&query, separation)) return ccd_miss(1);
    }
    return ccd_solve(&query, options, solve, &tuning);
}

ccd_result tight_inclusion(ccd_kind kind, const vec3 *start, const vec3 *end,
                           const ccd_options *options)
{
    return tight_inclusion_tuned(kind, start, end, options, (tight_inclusion_tuning){0});
}

#include "ccd/bisection.h"

#include "base/memory.h"
#include "ccd/lanes.h"
#include "ccd/query.h"

/* Lower corner of a parameter box; all boxes of a level have the same widths. */
typedef struct bisection_box {
    double low[3]; /* t, u, v: dyadic numbers, exact */
} bisection_box;

typedef enum box_class { BOX_EMPTY, BOX_OPEN, BOX_INSIDE } box_class;

#define KERNEL_FILE "ccd/bisection_kernel.inc"
#include "ccd/kernels.inc"

typedef box_class (*classifier)(const ccd_query *query, const double low[3], const double width[3],
                                double *size);

static classifier choose_classifier(ccd_backend backend)
{
#if defined(__x86_64__)
    if (backend == CCD_BACKEND_AVX512) return classify_avx512;
    if (backend == CCD_BACKEND_AVX2) return classify_avx2;
#endif
    (void)backend;
    return classify_portable;
}

/* kappa of eq. 3.7 for t, u, v: thrice the largest change of F along the parameter over the cube.
 * F has no u v term, so the changes along u and v depend on t only. */
static void parameter_speeds(const ccd_query *query, double kappa[3])
{
    kappa[0] = kappa[1] = kappa[2] = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double(*x)[4] = query->x[axis];
        double corner[2][2][2]; /* t, u, v */
        for (int t = 0; t < 2; t++)
            for (int u = 0; u < 2; u++)
                for (int v = 0; v < 2; v++)
                    corner[t][u][v] = query->triangle
                                          ? x[t][0] - (x[t][1] + u * (x[t][2] - x[t][1]) +
                                                       v * (x[t][3] - x[t][1]))
                                          : x[t][u] - x[t][2 + v];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                kappa[0] = fmax(kappa[0], 3.0 * fabs(corner[1][i][j] - corner[0][i][j]));
                kappa[1] = fmax(kappa[1], 3.0 * fabs(corner[i][1][j] - corner[i][0][j]));
                kappa[2] = fmax(kappa[2], 3.0 * fabs(corner[i][j][1] - corner[i][j][0]));
            }
    }
}

static bool reserve(bisection_scratch *scratch, int which, size_t count)
{
    if (count <= scratch->capacity[which]) return true;
    size_t grown = scratch->capacity[which] * 2 > count ? scratch->capacity[which] * 2 : count;
    if (grown < 256) grown = 256;
    void *memory = mem_realloc(scratch->level[which], grown, sizeof(bisection_box));
    if (!memory) return false;
    scratch->level[which] = memory;
    scratch->capacity[which] = grown;
    return true;
}

void bisection_scratch_free(bisection_scratch *scratch)
{
    for (int i = 0; i < 2; i++) mem_free(scratch->level[i]);
    *scratch = (bisection_scratch){0};
}

typedef struct search {
    const ccd_query *query;
    bisection_scratch *scratch;
    classifier classify;
    double kappa[3], width[3];
    size_t count;      /* boxes of the current level, in scratch->level[current] */
    int current;       /* which of the two arrays */
    int64_t checks;    /* n */
    double skip;       /* earliest box that is small enough but was not the first of its level */
    ccd_result answer; /* valid once done */
    bool done;
} search;

static void finish(search *s, double toi, double tolerance, ccd_status status)
{
    s->answer = (ccd_result){
        .hit = true, .toi = toi, .tolerance = tolerance, .checks = s->checks, .status = status};
    s->done = true;
}

/* A corner is off by at most one filter, and a box is kept when it is within one filter of zero. */
static double largest_noise(const ccd_query *query)
{
    return 2.0 * fmax(query->filter[0], fmax(query->filter[1], query->filter[2]));
}

/* Keeps the boxes that may contain a root and need splitting, in place. */
static void scan_level(search *s)
{
    bisection_box *box = s->scratch->level[s->current];
    const ccd_query *query = s->query;
    double noise = largest_noise(query);
    double first_time = 0.0, first_tolerance = 0.0;
    bool first = true;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        double size = 0.0;
        if (box[i].low[0] >= s->skip) continue;
        s->checks++;
        box_class class = s->classify(query, box[i].low, s->width, &size);
        if (class == BOX_EMPTY) continue;
        bool small = size < query->tolerance || class == BOX_INSIDE;
        if (first) {
            first_time = box[i].low[0];
            first_tolerance = fmax(size + noise, query->tolerance);
            if (small) {
                finish(s, first_time, fmax(query->tolerance, fmin(size, query->tolerance) + noise),
                       CCD_CONVERGED);
                return;
            }
            first = false;
        }
        if (s->checks >= query->max_checks) {
            finish(s, fmin(first_time, s->skip), first_tolerance, CCD_LIMIT);
            return;
        }
        if (small)
            s->skip = box[i].low[0];
        else
            box[kept++] = box[i];
    }
    s->count = kept;
}

/* Splits every box of the level along one parameter. The lower halves are sorted by time because
 * their parents are; so are the upper halves, all later by the same amount: a split of t merges the
 * two lists, and the level stays sorted without sorting. */
static void split_level(search *s, int dimension)
{
    const ccd_query *query = s->query;
    int next = 1 - s->current;
    double half = 0.5 * s->width[dimension];
    if (!reserve(s->scratch, next, 2 * s->count)) {
        finish(s, s->scratch->level[s->current][0].low[0], INFINITY, CCD_NO_MEMORY);
        return;
    }
    const bisection_box *from = s->scratch->level[s->current];
    bisection_box *to = s->scratch->level[next];
    size_t written = 0, upper = 0;
    for (size_t i = 0; i < s->count; i++) {
        bisection_box low = from[i];
        if (dimension == 0) { /* upper halves that start before this box come first */
            for (; upper < i && from[upper].low[0] + half < low.low[0]; upper++) {
                to[written] = from[upper];
                to[written++].low[0] += half;
            }
            to[written++] = low;
            continue;
        }
        to[written++] = low;
        low.low[dimension] += half;
        if (!query->triangle || low.low[1] + low.low[2] <= 1.0) to[written++] = low;
    }
    if (dimension == 0)
        for (; upper < s->count; upper++) {
            to[written] = from[upper];
            to[written++].low[0] += half;
        }
    while (written > 0 && to[written - 1].low[0] > query->t_max) written--;
    s->count = written;
    s->current = next;
    s->width[dimension] = half;
}

static int widest_parameter(const search *s)
{
    int best = 0;
    for (int k = 1; k < 3; k++)
        if (s->width[k] * s->kappa[k] > s->width[best] * s->kappa[best]) best = k;
    return best;
}

static ccd_result solve(const ccd_query *query, void *context)
{
    search s = {.query = query,
                .scratch = context,
                .classify = choose_classifier(query->backend),
                .width = {1.0, 1.0, 1.0},
                .count = 1,
                .skip = INFINITY};
    if (!reserve(s.scratch, 0, 1)) return ccd_give_up(CCD_NO_MEMORY);
    s.scratch->level[0][0] = (bisection_box){{0.0, 0.0, 0.0}};
    parameter_speeds(query, s.kappa);
    for (;;) {
        scan_level(&s);
        if (s.done) return s.answer;
        if (s.count == 0) break;
        int dimension = widest_parameter(&s);
        if (s.width[dimension] <= 0x1p-50) { /* the corners would no longer be exact */
            finish(&s, fmin(s.skip, s.scratch->level[s.current][0].low[0]), INFINITY, CCD_STALLED);
            return s.answer;
        }
        split_level(&s, dimension);
        if (s.done) return s.answer;
        if (s.count == 0) break;
    }
    if (s.skip < INFINITY) {
        finish(&s, s.skip, query->tolerance + largest_noise(query), CCD_CONVERGED);
        return s.answer;
    }
    return ccd_miss(s.checks);
}

ccd_result bisection_ccd(ccd_kind kind, const vec3 *start, const vec3 *end,
                         const ccd_options *options, bisection_scratch *scratch)
{
    ccd_query query;
    ccd_query_load(&query, kind, start, end);
    return ccd_solve(&query, options, solve, scratch);
}

#include "ccd/line_search.h"

#include "base/parallel.h"
#include "ccd/additive.h"
#include "ccd/pair_distance.h"
#include "ccd/tight_inclusion.h"

const char *const ccd_method_words[] = {CCD_METHODS(WORD_TEXT) NULL};

enum { BLOCK = 8192, CHUNK = 64, CHUNKS = BLOCK / CHUNK };

step_options step_default_options(void)
{
    return (step_options){.method = CCD_TIGHT_INCLUSION,
                          .min_distance = 0.0,
                          .keep = 0.2,
                          .cap = 1e-4,
                          .tolerance = 1e-6,
                          .max_checks = 1000000,
                          .t_max = 1.0};
}

static double smaller(double a, double b) { return a < b ? a : b; }

static step_result free_step(const step_options *options, int64_t checks)
{
    return (step_result){.step = options->t_max, .checks = checks};
}

static step_result limited_step(const step_options *options, ccd_result r, double gap)
{
    double step = smaller(r.toi, options->t_max);
    return (step_result){.step = step,
                         .limited = true,
                         .touching = !(gap > 0.0) || !(step > 0.0),
                         .checks = r.checks,
                         .tolerance = r.tolerance};
}

step_result ccd_pair_step(ccd_kind kind, const vec3 *start, const vec3 *end,
                          const step_options *options)
{
    double gap = pair_distance(kind, start) - options->min_distance;
    if (options->method == CCD_ADDITIVE) {
        additive_options additive = additive_default_options();
        additive.offset = options->min_distance;
        additive.keep = options->keep;
        additive.target = options->cap;
        additive.t_max = options->t_max;
        additive.max_iterations = options->max_checks;
        ccd_result r = additive_ccd(kind, start, end, &additive);
        return r.hit ? limited_step(options, r, gap) : free_step(options, r.checks);
    }
    double remain = gap > 0.0 ? smaller(options->keep * gap, options->cap) : 0.0;
    ccd_options query = ccd_default_options();
    query.norm = CCD_NORM_EUCLIDEAN;
    query.separation = options->min_distance + remain;
    query.tolerance = gap > 0.0 ? smaller(options->tolerance, 0.25 * (gap - remain)) : 0.0;
    query.max_checks = options->max_checks;
    query.t_max = options->t_max;
    ccd_result r = tight_inclusion(kind, start, end, &query);
    if (r.hit && !(r.toi > 0.0) && remain > 0.0) {
        /* Rounding ate the target: ask for the bare minimum instead and stay well before it. */
        query.separation = options->min_distance;
        query.no_zero_toi = true;
        int64_t checks = r.checks;
        r = tight_inclusion(kind, start, end, &query);
        r.checks += checks;
        if (r.hit) r.toi *= 1.0 - options->keep;
    }
    return r.hit ? limited_step(options, r, gap) : free_step(options, r.checks);
}

typedef struct block_work {
    const vec3 *start, *end;
    const ccd_pair *pairs;
    step_options options;
    size_t first; /* of the block */
    step_report chunk[CHUNKS];
} block_work;

static void run_chunk(void *context, size_t begin, size_t end)
{
    block_work *work = context;
    step_report *report = &work->chunk[begin / CHUNK];
    *report = (step_report){.step = work->options.t_max, .limiting = SIZE_MAX};
    for (size_t i = begin; i < end; i++) {
        const ccd_pair *pair = &work->pairs[work->first + i];
        vec3 x0[4], x1[4];
        for (int k = 0; k < ccd_vertex_count(pair->kind); k++) {
            x0[k] = work->start[pair->vertex[k]];
            x1[k] = work->end[pair->vertex[k]];
        }
        step_options options = work->options;
        options.min_distance += pair->min_distance;
        step_result r = ccd_pair_step(pair->kind, x0, x1, &options);
        report->checks += r.checks;
        report->touching += r.touching;
        if (r.limited && r.step < report->step) {
            report->step = r.step;
            report->limiting = work->first + i;
        }
    }
}

step_report ccd_largest_step(const vec3 *start, const vec3 *end, const ccd_pair *pairs,
                             size_t count, const step_options *options)
{
    block_work work = {.start = start, .end = end, .pairs = pairs, .options = *options};
    step_report total = {.step = options->t_max, .limiting = SIZE_MAX};
    for (work.first = 0; work.first < count; work.first += BLOCK) {
        size_t block = count - work.first < BLOCK ? count - work.first : BLOCK;
        parallel_for(block, CHUNK, run_chunk, &work);
        for (size_t c = 0; c < (block + CHUNK - 1) / CHUNK; c++) {
            const step_report *report = &work.chunk[c];
            total.checks += report->checks;
            total.touching += report->touching;
            if (report->step < total.step) {
                total.step = report->step;
                total.limiting = report->limiting;
            }
        }
        work.options.t_max = total.step;
    }
    return total;
}

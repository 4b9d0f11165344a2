#include "ccd/evaluate.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/timer.h"
#include "ccd/additive.h"
#include "ccd/bisection.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16 };

typedef struct evaluate_entry {
    ccd_result result;
    double microseconds;
    signed char truth; /* -1: unknown */
} evaluate_entry;

static const char *const names[] = {"tight-inclusion", "additive", "bisection"};

bool evaluate_method_from_name(const char *name, evaluate_method *method)
{
    if (strcmp(name, "reference") == 0) name = "bisection";
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) return *method = (evaluate_method)i, true;
    return false;
}

const char *evaluate_method_name(evaluate_method method) { return names[method]; }

typedef struct work {
    const query_file *file;
    const evaluate_options *options;
    evaluate_entry *entry;
    bisection_scratch *scratch; /* one per thread */
    double clock_cost;          /* seconds that looking at the clock takes */
} work;

static ccd_result additive_answer(ccd_kind kind, const vec3 *start, const vec3 *end,
                                  const ccd_options *ccd)
{
    additive_options options = additive_default_options();
    options.offset = ccd->separation;
    options.target = ccd->tolerance;
    options.t_max = ccd->t_max;
    if (ccd->max_checks > 0) options.max_iterations = ccd->max_checks;
    return additive_ccd(kind, start, end, &options);
}

static ccd_result answer(const work *w, const vec3 *start, bisection_scratch *scratch)
{
    const evaluate_options *o = w->options;
    ccd_kind kind = w->file->kind;
    switch (o->method) {
    case EVALUATE_ADDITIVE: return additive_answer(kind, start, start + 4, &o->ccd);
    case EVALUATE_BISECTION: return bisection_ccd(kind, start, start + 4, &o->ccd, scratch);
    case EVALUATE_TIGHT_INCLUSION: break;
    }
    return tight_inclusion_tuned(kind, start, start + 4, &o->ccd, o->tuning);
}

static void run_chunk(void *context, size_t begin, size_t end)
{
    work *w = context;
    bisection_scratch *scratch = &w->scratch[parallel_worker()];
    for (size_t i = begin; i < end; i++) {
        evaluate_entry *entry = &w->entry[i];
        double best = INFINITY, before = timer_now();
        for (int repeat = 0; repeat < w->options->repeats || repeat == 0; repeat++) {
            entry->result = answer(w, w->file->points + 8 * i, scratch);
            double after = timer_now(), spent = after - before - w->clock_cost;
            best = spent < best ? spent : best;
            before = after;
        }
        entry->microseconds = best > 0.0 ? 1e6 * best : 0.0;
        entry->truth = w->file->truth ? w->file->truth[i] : -1;
    }
}

/* Smallest time between two looks at the clock. */
static double clock_cost(void)
{
    double cost = INFINITY, before = timer_now();
    for (int i = 0; i < 1000; i++) {
        double after = timer_now();
        if (after - before < cost) cost = after - before;
        before = after;
    }
    return cost;
}

static bool reserve(evaluate_record *record, size_t needed)
{
    if (needed <= record->capacity) return true;
    void *grown = mem_realloc(record->entry, needed, sizeof(evaluate_entry));
    if (!grown) return false;
    record->entry = grown;
    record->capacity = needed;
    return true;
}

abut_status evaluate_run(const query_file *file, const evaluate_options *options,
                         evaluate_record *record, abut_error *err)
{
    int threads = parallel_threads();
    bisection_scratch *scratch = mem_calloc((size_t)threads, sizeof *scratch);
    if (!scratch || !reserve(record, record->count + file->count)) {
        mem_free(scratch);
        return error_memory(err, "running queries");
    }
    work w = {.file = file,
              .options = options,
              .entry = record->entry + record->count,
              .scratch = scratch,
              .clock_cost = clock_cost()};
    parallel_for(file->count, CHUNK, run_chunk, &w);
    record->count += file->count;
    for (int i = 0; i < threads; i++) bisection_scratch_free(&scratch[i]);
    mem_free(scratch);
    return ABUT_OK;
}

static void count_entry(evaluate_summary *s, const evaluate_entry *entry, size_t index)
{
    const ccd_result *r = &entry->result;
    s->queries++;
    s->hits += r->hit;
    s->checks += r->checks;
    s->early += r->status == CCD_LIMIT;
    s->mean += entry->microseconds;
    *(r->hit ? &s->hit_mean : &s->miss_mean) += entry->microseconds;
    if (r->hit && r->tolerance > s->tolerance) s->tolerance = r->tolerance;
    if (entry->truth < 0) {
        s->has_truth = false;
        return;
    }
    s->positives += entry->truth;
    s->false_positives += r->hit && !entry->truth;
    if (!r->hit && entry->truth && s->false_negatives++ == 0) s->first_false_negative = index;
}

abut_status evaluate_summarise(const evaluate_record *record, size_t first, evaluate_summary *out,
                               abut_error *err)
{
    size_t count = record->count - first;
    *out = (evaluate_summary){.has_truth = true, .first_false_negative = SIZE_MAX};
    if (count == 0) return ABUT_OK;
    double *times = mem_alloc(count, sizeof *times);
    if (!times) return error_memory(err, "summing up queries");
    for (size_t i = 0; i < count; i++) {
        count_entry(out, &record->entry[first + i], i);
        times[i] = record->entry[first + i].microseconds;
    }
    qsort(times, count, sizeof *times, compare_double);
    out->median = 0.5 * (times[(count - 1) / 2] + times[count / 2]);
    out->p99 = times[(count - 1) * 99 / 100];
    out->maximum = times[count - 1];
    out->mean /= (double)count;
    if (out->hits > 0) out->hit_mean /= (double)out->hits;
    if (out->hits < count) out->miss_mean /= (double)(count - out->hits);
    mem_free(times);
    return ABUT_OK;
}

void evaluate_record_free(evaluate_record *record)
{
    mem_free(record->entry);
    *record = (evaluate_record){0};
}

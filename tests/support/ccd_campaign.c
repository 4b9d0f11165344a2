#include "support/ccd_campaign.h"

#include "base/parallel.h"
#include "ccd/additive.h"
#include "ccd/bisection.h"
#include "ccd/tight_inclusion.h"
#include "support/ccd_check.h"
#include "support/ccd_random.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 4096, METHODS = 3, MAX_PRINTED = 10 };

typedef struct chunk_result {
    int64_t hits, answers, false_positives, faults, limits, most_checks, within;
} chunk_result;

typedef struct run_context {
    const ccd_campaign *campaign;
    chunk_result *chunk;
} run_context;

/* Options that a query is asked with: mostly the defaults, often something nasty. */
static ccd_options random_options(random_state *r, double scale)
{
    static const double tolerances[] = {1e-6, 1e-6, 1e-4, 1e-3, 0.25, 1e-9, 1e-14};
    static const int64_t limits[] = {1000000, 1000000, 1000000, 10000, 100, 10, 1};
    ccd_options options = ccd_default_options();
    options.tolerance = scale * tolerances[random_below(r, 7)];
    options.max_checks = limits[random_below(r, 7)];
    if (random_below(r, 4) == 0) {
        static const double separations[] = {1e-16, 1e-8, 1e-6, 1e-2, 0.1, 0.5};
        options.separation = scale * separations[random_below(r, 6)];
    }
    if (random_below(r, 8) == 0) options.t_max = (double)random_below(r, 17) / 16.0;
    if (random_below(r, 8) == 0) options.filter_rule = CCD_FILTER_PAPER;
    if (random_below(r, 8) == 0) options.no_zero_toi = true;
    return options;
}

static ccd_result ask(int method, const ccd_random_query *q, const ccd_options *options,
                      bisection_scratch *scratch)
{
    if (method == 0) return tight_inclusion(q->kind, q->start, q->end, options);
    if (method == 1) return bisection_ccd(q->kind, q->start, q->end, options, scratch);
    additive_options additive = additive_default_options();
    additive.offset = options->separation;
    additive.t_max = options->t_max;
    additive.max_iterations = options->max_checks;
    if (options->tolerance < 0.1) additive.target = options->tolerance;
    return additive_ccd(q->kind, q->start, q->end, &additive);
}

/* The oracle of touches knows nothing of separations: what comes within one must be a hit, too. */
static ccd_fault check_separation(const ccd_campaign *c, ccd_oracle *oracle,
                                  const ccd_random_query *q, const ccd_options *options,
                                  bool euclidean, const ccd_result *r, chunk_result *result)
{
    enum { MOMENTS = 8 };
    static const double CUBE_IN_BALL = 0.577; /* below 1 / sqrt 3 */
    if (!(options->separation > 0) || result->answers % c->distance_every != 0)
        return CCD_FAULT_NONE;
    double distance = options->separation * (euclidean ? CUBE_IN_BALL : 1);
    double t = ccd_oracle_first_within(oracle, q->kind, q->start, q->end, distance, MOMENTS);
    if (!(t <= options->t_max)) return CCD_FAULT_NONE;
    result->within++;
    return !r->hit ? CCD_FAULT_MISSED : r->toi > t ? CCD_FAULT_LATE : CCD_FAULT_NONE;
}

static void examine(const ccd_campaign *c, ccd_oracle *oracle, bisection_scratch *scratch,
                    random_state *random, int64_t index, chunk_result *result)
{
    ccd_random_query q;
    ccd_random_make(random, (int)(index % CCD_RANDOM_FAMILIES), &q);
    bool truth = ccd_oracle_hit(oracle, q.kind, q.start, q.end);
    result->hits += truth;
    ccd_options asked = random_options(random, q.scale);
    for (int method = 0; method < METHODS; method++) {
        ccd_options options = asked;
        if (method == 1) {
            if (index % c->bisection_every != 0) continue;
            if (options.max_checks > 2000) options.max_checks = 2000;
        } else if (method == 2) {
            if (index % 4 != 0) continue;
        }
        ccd_result r = ask(method, &q, &options, scratch);
        if (method == 2) options.tolerance = 0.0; /* it reports the gap that it leaves instead */
        bool distance = r.hit && (result->answers % c->distance_every == 0);
        ccd_fault fault =
            ccd_check_result(oracle, truth, q.kind, q.start, q.end, &options, &r, distance);
        if (fault == CCD_FAULT_NONE)
            fault = check_separation(c, oracle, &q, &options, method == 2, &r, result);
        result->answers++;
        result->false_positives += r.hit && !truth;
        result->limits += r.status == CCD_LIMIT;
        if (method == 0 && r.checks > result->most_checks) result->most_checks = r.checks;
        if (fault == CCD_FAULT_NONE) continue;
        if (result->faults++ < MAX_PRINTED) {
            printf("%s, method %d, family %s, oracle %s toi %.17g\n", ccd_fault_name(fault), method,
                   ccd_random_family_name(q.family), truth ? "hit" : "miss",
                   ccd_oracle_toi(oracle));
            ccd_print_query(q.kind, q.start, q.end, &options, &r);
        }
    }
}

static void run_chunk(void *user, size_t begin, size_t end)
{
    run_context *context = user;
    const ccd_campaign *c = context->campaign;
    chunk_result *result = &context->chunk[begin / CHUNK];
    ccd_oracle *oracle = ccd_oracle_new();
    bisection_scratch scratch = {0};
    if (!oracle) abort();
    for (size_t i = begin; i < end; i++) {
        random_state random = {.state = c->seed + 0x632be59bd9b4e019u * (uint64_t)i};
        examine(c, oracle, &scratch, &random, (int64_t)i, result);
    }
    bisection_scratch_free(&scratch);
    ccd_oracle_free(oracle);
}

void ccd_campaign_run(ccd_campaign *c)
{
    size_t chunks = ((size_t)c->queries + CHUNK - 1) / CHUNK;
    run_context context = {.campaign = c, .chunk = calloc(chunks, sizeof(chunk_result))};
    if (!context.chunk) abort();
    parallel_for((size_t)c->queries, CHUNK, run_chunk, &context);
    c->hits = c->answers = c->false_positives = c->faults = c->limits = c->most_checks = c->within =
        0;
    for (size_t i = 0; i < chunks; i++) {
        const chunk_result *r = &context.chunk[i];
        c->hits += r->hits;
        c->answers += r->answers;
        c->false_positives += r->false_positives;
        c->faults += r->faults;
        c->limits += r->limits;
        c->within += r->within;
        if (r->most_checks > c->most_checks) c->most_checks = r->most_checks;
    }
    free(context.chunk);
    printf("%lld queries, %lld touch, %lld answers, %lld false positives, %lld at the check limit, "
           "at most %lld checks, %lld within a separation, %lld faults\n",
           (long long)c->queries, (long long)c->hits, (long long)c->answers,
           (long long)c->false_positives, (long long)c->limits, (long long)c->most_checks,
           (long long)c->within, (long long)c->faults);
}

/* Runs a CCD method over a file of queries, compares with the exact answers and measures the time
 * of every query: what `abut ccd` and the benchmark report. */
#ifndef CCD_EVALUATE_H
#define CCD_EVALUATE_H

#include "base/status.h"
#include "ccd/ccd.h"
#include "ccd/query_file.h"
#include "ccd/tight_inclusion.h"

typedef enum evaluate_method {
    EVALUATE_TIGHT_INCLUSION,
    EVALUATE_ADDITIVE,
    EVALUATE_BISECTION /* the published form of Tight Inclusion */
} evaluate_method;

/* "tight-inclusion", "additive", "bisection" (also "reference"); false for anything else. */
bool evaluate_method_from_name(const char *name, evaluate_method *method);
const char *evaluate_method_name(evaluate_method method);

typedef struct evaluate_options {
    evaluate_method method;
    ccd_options ccd;               /* additive CCD uses tolerance, max_checks, separation, t_max */
    tight_inclusion_tuning tuning; /* of EVALUATE_TIGHT_INCLUSION */
    int repeats;                   /* times each query is run; the best time counts; 0 means 1 */
} evaluate_options;

/* Times in microseconds, less the cost of looking at the clock. */
typedef struct evaluate_summary {
    size_t queries, hits, positives; /* positives: truly touching */
    bool has_truth;                  /* otherwise positives and both kinds of mistakes are 0 */
    size_t false_negatives, false_positives;
    size_t first_false_negative; /* index of the query, SIZE_MAX when there is none */
    double mean, median, p99, maximum;
    size_t early;               /* queries that ended at the limit of checks */
    double tolerance;           /* largest reached, over the hits */
    int64_t checks;             /* of all queries */
    double hit_mean, miss_mean; /* mean time of the queries that were reported as hit and as miss */
} evaluate_summary;

/* Results and times of every query, kept so that several files can be summed up. Zero-initialised.
 */
typedef struct evaluate_record {
    size_t count, capacity;
    struct evaluate_entry *entry;
} evaluate_record;

/* Appends the queries of a file to the record. Uses parallel_threads() threads. */
abut_status evaluate_run(const query_file *file, const evaluate_options *options,
                         evaluate_record *record, abut_error *err);
/* Of the entries from `first` on. */
abut_status evaluate_summarise(const evaluate_record *record, size_t first, evaluate_summary *out,
                               abut_error *err);
void evaluate_record_free(evaluate_record *record);

#endif

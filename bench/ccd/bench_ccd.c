/* Times and mistakes of the CCD methods on the published queries, as CSV on standard output and, as
 * a table in the manner of the paper's table 3.1, on standard error.
 *
 *     bench_ccd [--quick] [PART]...
 *
 * Parts: "table" (every method, every file), "ablation" (the default method with one idea switched
 * off, and each instruction set), "tolerance", "checks" and "separation" (sweeps), "threads" (wall
 * time of the whole set on one and on all threads). Queries are read from ccd-queries and
 * ccd-scalable in $ABUT_DATA or ../shared/data. Each query is run several times on one thread and
 * the best time counts, so that other work on the machine disturbs little. --quick leaves out the
 * published method where it is slow. */
#include "base/parallel.h"
#include "base/timer.h"
#include "ccd/evaluate.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_FILES = 1024, REPEATS = 7 };

typedef struct bench_file {
    char *path;
    const char *name; /* from the folder of the set on */
    query_file queries;
} bench_file;

static bench_file files[MAX_FILES];
static int file_count;
static bool quick;

static void must_work(abut_status status, const abut_error *err)
{
    if (status == ABUT_OK) return;
    fprintf(stderr, "%s: %s\n", err->place, err->message);
    exit(1);
}

static int collect(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)walk;
    size_t length = strlen(path);
    if (type == FTW_F && length > 4 && strcmp(path + length - 4, ".csv") == 0 &&
        file_count < MAX_FILES)
        files[file_count++].path = strdup(path);
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const bench_file *)a)->path, ((const bench_file *)b)->path);
}

static void load_files(void)
{
    const char *folder = getenv("ABUT_DATA");
    char path[4096];
    if (!folder) folder = "../shared/data";
    snprintf(path, sizeof path, "%s/ccd-queries", folder);
    nftw(path, collect, 16, FTW_PHYS);
    snprintf(path, sizeof path, "%s/ccd-scalable", folder);
    nftw(path, collect, 16, FTW_PHYS);
    qsort(files, (size_t)file_count, sizeof files[0], by_path);
    for (int i = 0; i < file_count; i++) {
        abut_error err = {0};
        must_work(query_file_read(files[i].path, &files[i].queries, &err), &err);
        files[i].name = strstr(files[i].path, "ccd-");
        if (!files[i].name) files[i].name = files[i].path;
    }
}

/* ---- Rows ----------------------------------------------------------------------------------- */

typedef struct group {
    const char *name;
    const char *set; /* part of the file names; NULL: all */
    int kind;        /* a ccd_kind, or -1 for both */
} group;

static const group groups[] = {{"queries vertex-face", "ccd-queries", CCD_POINT_TRIANGLE},
                               {"queries edge-edge", "ccd-queries", CCD_EDGE_EDGE},
                               {"simulation vertex-face", "ccd-scalable", CCD_POINT_TRIANGLE},
                               {"simulation edge-edge", "ccd-scalable", CCD_EDGE_EDGE}};

enum { GROUPS = sizeof groups / sizeof groups[0] };

static void print_header(void)
{
    printf("part,method,variant,set,queries,touching,hits,false_negatives,false_positives,early,"
           "mean_us,median_us,p99_us,max_us,hit_mean_us,miss_mean_us,max_tolerance,checks\n");
    fprintf(stderr, "%-15s %-22s %-22s %7s %5s %5s %6s %10s %10s %10s\n", "method", "variant",
            "set", "queries", "FP", "FN", "early", "mean us", "median us", "max us");
}

static void print_row(const char *part, const char *method, const char *variant, const char *set,
                      const evaluate_summary *s, bool people)
{
    printf("%s,%s,%s,%s,%zu,%zu,%zu,%zu,%zu,%zu,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4g,%lld\n", part,
           method, variant, set, s->queries, s->positives, s->hits, s->false_negatives,
           s->false_positives, s->early, s->mean, s->median, s->p99, s->maximum, s->hit_mean,
           s->miss_mean, s->tolerance, (long long)s->checks);
    fflush(stdout);
    if (people)
        fprintf(stderr, "%-15s %-22s %-22s %7zu %5zu %5zu %6zu %10.3f %10.3f %10.3f\n", method,
                variant, set, s->queries, s->false_positives, s->false_negatives, s->early, s->mean,
                s->median, s->maximum);
}

/* Runs the files of a group and prints one row for all, or one for each. */
static void run_group(const char *part, const char *variant, const group *g,
                      const evaluate_options *options, bool each_file)
{
    evaluate_record record = {0};
    evaluate_summary summary;
    abut_error err = {0};
    const char *method = evaluate_method_name(options->method);
    for (int i = 0; i < file_count; i++) {
        if (g->set && !strstr(files[i].name, g->set)) continue;
        if (g->kind >= 0 && (int)files[i].queries.kind != g->kind) continue;
        size_t first = record.count;
        must_work(evaluate_run(&files[i].queries, options, &record, &err), &err);
        if (!each_file) continue;
        must_work(evaluate_summarise(&record, first, &summary, &err), &err);
        print_row(part, method, variant, files[i].name, &summary, false);
    }
    must_work(evaluate_summarise(&record, 0, &summary, &err), &err);
    print_row(part, method, variant, g->name, &summary, true);
    evaluate_record_free(&record);
}

static evaluate_options default_run(evaluate_method method)
{
    evaluate_options options = {.method = method, .ccd = ccd_default_options()};
    options.repeats = method == EVALUATE_BISECTION ? 1 : REPEATS;
    return options;
}

/* ---- Parts ---------------------------------------------------------------------------------- */

static void run_table(void)
{
    for (int method = 0; method < 3; method++) {
        evaluate_options options = default_run((evaluate_method)method);
        if (quick && method == EVALUATE_BISECTION) options.ccd.max_checks = 10000;
        for (int g = 0; g < GROUPS; g++) run_group("table", "default", &groups[g], &options, true);
    }
    evaluate_options paper = default_run(EVALUATE_TIGHT_INCLUSION);
    paper.ccd.filter_rule = CCD_FILTER_PAPER;
    for (int g = 0; g < GROUPS; g++)
        run_group("table", "published filter", &groups[g], &paper, false);
}

static void run_ablation(void)
{
    static const struct {
        const char *name;
        tight_inclusion_tuning tuning;
        ccd_backend backend;
    } variants[] = {
        {"everything", {false, false, false}, CCD_BACKEND_AUTO},
        {"without box test", {true, false, false}, CCD_BACKEND_AUTO},
        {"without prediction", {false, true, false}, CCD_BACKEND_AUTO},
        {"without splitting", {false, false, true}, CCD_BACKEND_AUTO},
        {"without both", {false, true, true}, CCD_BACKEND_AUTO},
        {"portable lanes", {false, false, false}, CCD_BACKEND_PORTABLE},
        {"AVX2 lanes", {false, false, false}, CCD_BACKEND_AVX2},
        {"AVX-512 lanes", {false, false, false}, CCD_BACKEND_AVX512},
    };
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        evaluate_options options = default_run(EVALUATE_TIGHT_INCLUSION);
        options.tuning = variants[v].tuning;
        options.ccd.backend = variants[v].backend;
#if defined(__x86_64__)
        if (variants[v].backend == CCD_BACKEND_AVX2 && !__builtin_cpu_supports("avx2")) continue;
        if (variants[v].backend == CCD_BACKEND_AVX512 && !__builtin_cpu_supports("avx512dq"))
            continue;
#else
        if (variants[v].backend > CCD_BACKEND_PORTABLE) continue;
#endif
        if (options.tuning.no_splitting) {
            options.ccd.max_checks = 10000;
            options.repeats = 1;
        }
        for (int g = 0; g < GROUPS; g++)
            run_group("ablation", variants[v].name, &groups[g], &options, false);
    }
}

typedef enum sweep { SWEEP_TOLERANCE, SWEEP_CHECKS, SWEEP_SEPARATION } sweep;

static void run_sweep(const char *part, sweep which)
{
    static const double values[3][8] = {{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10},
                                        {1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 0, 0},
                                        {1e-100, 1e-30, 1e-16, 1e-8, 1e-6, 1e-4, 1e-2, 0}};
    for (int method = 0; method < 3; method++)
        for (int i = 0; i < 8; i++) {
            double value = values[which][i];
            if (value == 0.0) continue;
            evaluate_options options = default_run((evaluate_method)method);
            if (which == SWEEP_TOLERANCE) options.ccd.tolerance = value;
            if (which == SWEEP_CHECKS) options.ccd.max_checks = (int64_t)value;
            if (which == SWEEP_SEPARATION) options.ccd.separation = value;
            if (method == EVALUATE_BISECTION) {
                int64_t limit = quick ? 1000 : which == SWEEP_CHECKS ? 1000000 : 100000;
                if (options.ccd.max_checks > limit) options.ccd.max_checks = limit;
            }
            char variant[32];
            snprintf(variant, sizeof variant, "%g", value);
            for (int g = 0; g < GROUPS; g++) run_group(part, variant, &groups[g], &options, false);
        }
}

/* Wall time of the larger files, many times over, so that starting the threads does not count; the
 * best of many rounds, because other work on the machine disturbs two threads more than one. */
static double wall_time(int threads, double *processor_seconds)
{
    evaluate_options options = default_run(EVALUATE_TIGHT_INCLUSION);
    options.repeats = 20;
    abut_error err = {0};
    double best = INFINITY;
    parallel_set_threads(threads);
    for (int round = 0; round < 30; round++) {
        evaluate_record record = {0};
        double begin = timer_now();
        clock_t processor = clock();
        for (int i = 0; i < file_count; i++)
            if (files[i].queries.count > 500)
                must_work(evaluate_run(&files[i].queries, &options, &record, &err), &err);
        double seconds = timer_now() - begin;
        if (seconds < best) {
            best = seconds;
            *processor_seconds = (double)(clock() - processor) / CLOCKS_PER_SEC;
        }
        evaluate_record_free(&record);
    }
    return best;
}

static void run_threads(int most)
{
    double one = 0.0;
    for (int threads = 1; threads <= most; threads *= 2) {
        double processor = 0.0, seconds = wall_time(threads, &processor);
        if (threads == 1) one = seconds;
        printf(
            "threads,tight-inclusion,%d,wall seconds %.6f processor seconds %.6f,,,,,,,,,,,,,,\n",
            threads, seconds, processor);
        fprintf(stderr,
                "%d threads: %.4f s for the larger files 20 times, %.2f times as fast as one, "
                "%.4f s of processor time\n",
                threads, seconds, one / seconds, processor);
    }
}

int main(int count, char **words)
{
    static const char *const parts[] = {"table",  "ablation",   "tolerance",
                                        "checks", "separation", "threads"};
    bool asked[6] = {false}, any = false;
    for (int i = 1; i < count; i++) {
        bool known = strcmp(words[i], "--quick") == 0;
        quick = quick || known;
        for (int p = 0; p < 6; p++)
            if (strcmp(words[i], parts[p]) == 0) known = any = asked[p] = true;
        if (known) continue;
        fprintf(stderr, "usage: bench_ccd [--quick] [PART]...\n");
        return 2;
    }
    load_files();
    if (file_count == 0) {
        fprintf(stderr, "skipped: no query files in $ABUT_DATA or ../shared/data\n");
        return 0;
    }
    int threads = parallel_threads();
    parallel_set_threads(1);
    print_header();
    if (!any || asked[0]) run_table();
    if (!any || asked[1]) run_ablation();
    if (!any || asked[2]) run_sweep("tolerance", SWEEP_TOLERANCE);
    if (!any || asked[3]) run_sweep("checks", SWEEP_CHECKS);
    if (!any || asked[4]) run_sweep("separation", SWEEP_SEPARATION);
    if (!any || asked[5]) run_threads(threads);
    for (int i = 0; i < file_count; i++) {
        query_file_free(&files[i].queries);
        free(files[i].path);
    }
    return 0;
}

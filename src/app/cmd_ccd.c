#include "app/commands.h"
#include "base/array.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "ccd/evaluate.h"

#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef ARRAY(char *) path_list;

/* nftw has no argument for the caller's data. */
static path_list *collecting;
static bool collecting_failed;

static bool add_path(path_list *list, const char *path)
{
    char *copy = mem_strdup(path);
    if (copy && array_push(list, copy)) return true;
    mem_free(copy);
    return false;
}

static int collect(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)walk;
    if (type == FTW_F && strcmp(path_extension(path), "csv") == 0)
        if (!add_path(collecting, path)) collecting_failed = true;
    return collecting_failed;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A file as it is, a folder as all CSV files below it in alphabetical order. */
static abut_status expand(const char *argument, path_list *list, abut_error *err)
{
    if (!file_is_directory(argument)) {
        if (!add_path(list, argument)) return error_memory(err, "listing files");
        return ABUT_OK;
    }
    size_t before = list->count;
    collecting = list;
    collecting_failed = false;
    int failed = nftw(argument, collect, 32, FTW_PHYS);
    if (collecting_failed) return error_memory(err, "listing files");
    if (failed) return error_set(err, ABUT_ERROR_IO, argument, "cannot list the folder");
    if (list->count == before)
        return error_set(err, ABUT_ERROR_INPUT, argument, "there is no CSV file in this folder");
    qsort(list->data + before, list->count - before, sizeof *list->data, by_name);
    return ABUT_OK;
}

static abut_status read_options(const command_line *line, evaluate_options *options,
                                abut_error *err)
{
    static const char *const methods[] = {"tight-inclusion", "additive", "bisection", "reference"};
    *options = (evaluate_options){.ccd = ccd_default_options()};
    const char *method = line_value(line, "--method");
    if (method && !evaluate_method_from_name(method, &options->method)) {
        const char *near = text_closest(method, methods, 4);
        return error_set(err, ABUT_ERROR_INPUT, "--method", "there is no method '%s'; %s%s%s",
                         method, near ? "did you mean '" : "use ", near ? near : methods[0],
                         near ? "'?" : ", additive or bisection");
    }
    int64_t threads = 0;
    TRY(line_number(line, "--tolerance", 0.0, 1e300, &options->ccd.tolerance, err));
    TRY(line_number(line, "--min-separation", 0.0, 1e300, &options->ccd.separation, err));
    TRY(line_integer(line, "--threads", 1, 4096, &threads, err));
    const char *filter = line_value(line, "--filter");
    if (filter && strcmp(filter, "paper") == 0)
        options->ccd.filter_rule = CCD_FILTER_PAPER;
    else if (filter && strcmp(filter, "linear") != 0)
        return error_set(err, ABUT_ERROR_INPUT, "--filter", "found '%s'; use linear or paper",
                         filter);
    double checks = (double)options->ccd.max_checks; /* 1e6 is the common notation */
    TRY(line_number(line, "--max-iterations", 0.0, 1e15, &checks, err));
    if (checks != (double)(int64_t)checks)
        return error_set(err, ABUT_ERROR_INPUT, "--max-iterations",
                         "must be a whole number (0 for no limit), found %g", checks);
    options->ccd.max_checks = (int64_t)checks;
    if (threads > 0) parallel_set_threads((int)threads);
    return ABUT_OK;
}

static void print_row(const char *name, const evaluate_summary *s)
{
    char negatives[32] = "-", positives[32] = "-", truth[32] = "-";
    if (s->has_truth) {
        snprintf(truth, sizeof truth, "%zu", s->positives);
        snprintf(negatives, sizeof negatives, "%zu", s->false_negatives);
        snprintf(positives, sizeof positives, "%zu", s->false_positives);
    }
    printf("%8zu %8s %8zu %6s %6s %10.3f %10.3f %10.3f %7.2f%% %10.3g  %s\n", s->queries, truth,
           s->hits, negatives, positives, s->mean, s->median, s->maximum,
           s->queries ? 100.0 * (double)s->early / (double)s->queries : 0.0, s->tolerance, name);
}

static json_t *summary_json(const char *name, const evaluate_summary *s)
{
    json_t *o = json_object();
    if (name) json_object_set_new(o, "file", json_string(name));
    json_object_set_new(o, "queries", json_integer((json_int_t)s->queries));
    json_object_set_new(o, "hits", json_integer((json_int_t)s->hits));
    json_t *null = json_null();
    json_object_set_new(o, "positives",
                        s->has_truth ? json_integer((json_int_t)s->positives) : null);
    json_object_set_new(o, "false_negatives",
                        s->has_truth ? json_integer((json_int_t)s->false_negatives) : null);
    json_object_set_new(o, "false_positives",
                        s->has_truth ? json_integer((json_int_t)s->false_positives) : null);
    json_object_set_new(o, "mean_us", json_real(s->mean));
    json_object_set_new(o, "median_us", json_real(s->median));
    json_object_set_new(o, "p99_us", json_real(s->p99));
    json_object_set_new(o, "max_us", json_real(s->maximum));
    json_object_set_new(o, "early", json_integer((json_int_t)s->early));
    json_object_set_new(o, "early_share",
                        json_real(s->queries ? (double)s->early / (double)s->queries : 0.0));
    json_object_set_new(o, "max_tolerance",
                        isfinite(s->tolerance) ? json_real(s->tolerance) : json_null());
    json_object_set_new(o, "checks", json_integer((json_int_t)s->checks));
    return o;
}

typedef struct report {
    const evaluate_options *options;
    json_t *files; /* NULL: human-readable lines */
    evaluate_record record;
    size_t false_negatives;
    bool all_have_truth;
} report;

static abut_status run_file(report *r, const char *path, abut_error *err)
{
    query_file file;
    evaluate_summary summary;
    size_t first = r->record.count;
    TRY(query_file_read(path, &file, err));
    abut_status status = evaluate_run(&file, r->options, &r->record, err);
    query_file_free(&file);
    TRY(status);
    TRY(evaluate_summarise(&r->record, first, &summary, err));
    r->false_negatives += summary.false_negatives;
    if (r->files)
        json_array_append_new(r->files, summary_json(path, &summary));
    else
        print_row(path, &summary);
    if (summary.false_negatives > 0)
        fprintf(stderr,
                "abut: %s: %zu contacts missed, the first in the query of rows %zu to %zu\n", path,
                summary.false_negatives, 8 * summary.first_false_negative + 1,
                8 * summary.first_false_negative + 8);
    return ABUT_OK;
}

static abut_status finish(report *r, size_t files, abut_error *err)
{
    evaluate_summary total;
    TRY(evaluate_summarise(&r->record, 0, &total, err));
    const ccd_options *ccd = &r->options->ccd;
    if (!r->files) {
        if (files > 1) print_row("total", &total);
        return ABUT_OK;
    }
    json_t *root = json_object();
    json_object_set_new(root, "method", json_string(evaluate_method_name(r->options->method)));
    json_object_set_new(root, "tolerance", json_real(ccd->tolerance));
    json_object_set_new(root, "max_iterations", json_integer((json_int_t)ccd->max_checks));
    json_object_set_new(root, "min_separation", json_real(ccd->separation));
    json_object_set_new(root, "threads", json_integer(parallel_threads()));
    json_object_set_new(root, "files", json_incref(r->files));
    json_object_set_new(root, "total", summary_json(NULL, &total));
    int failed = json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
    return failed ? error_set(err, ABUT_ERROR_IO, "", "the output could not be written") : ABUT_OK;
}

static abut_status run_files(const evaluate_options *options, const path_list *list, bool json,
                             abut_error *err)
{
    report r = {.options = options, .files = json ? json_array() : NULL};
    if (!json)
        printf("%8s %8s %8s %6s %6s %10s %10s %10s %8s %10s  %s\n", "queries", "touching", "hits",
               "FN", "FP", "mean us", "median us", "max us", "early", "tolerance", "file");
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < list->count && status == ABUT_OK; i++)
        status = run_file(&r, list->data[i], err);
    if (status == ABUT_OK) status = finish(&r, list->count, err);
    if (status == ABUT_OK && r.false_negatives > 0)
        status = error_set(err, ABUT_ERROR_CHECK, "", "%zu false negatives", r.false_negatives);
    json_decref(r.files);
    evaluate_record_free(&r.record);
    return status;
}

static abut_status run(const command_line *line, abut_error *err)
{
    evaluate_options options;
    path_list list = {0};
    TRY(read_options(line, &options, err));
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < line->argument_count && status == ABUT_OK; i++)
        status = expand(line->arguments[i], &list, err);
    if (status == ABUT_OK) status = run_files(&options, &list, line_has(line, "--json"), err);
    for (size_t i = 0; i < list.count; i++) mem_free(list.data[i]);
    array_free(&list);
    return status;
}

static const option_def options[] = {
    {"--method", NULL, "NAME",
     "tight-inclusion (default), additive, or bisection: Tight Inclusion as published",
     COMPLETE_NOTHING},
    {"--tolerance", NULL, "LENGTH", "how far apart a reported hit may be (default 1e-6)",
     COMPLETE_NOTHING},
    {"--max-iterations", NULL, "N", "checks per query before giving up with a hit (default 1e6)",
     COMPLETE_NOTHING},
    {"--min-separation", NULL, "LENGTH", "distance that counts as touching (default 0)",
     COMPLETE_NOTHING},
    {"--filter", NULL, "NAME", "rounding error bound: linear (default) or paper", COMPLETE_NOTHING},
    {"--threads", NULL, "N", "number of threads", COMPLETE_NOTHING},
    {"--json", NULL, NULL, "print one JSON object instead of a table", COMPLETE_NOTHING},
};

const command_def command_ccd = {
    .name = "ccd",
    .summary = "run collision queries against their exact answers",
    .arguments = "FILE...",
    .details =
        "Each file holds queries as CSV, eight rows per query: the four vertices at the start and "
        "at the end of the step, each row three coordinates as numerator,denominator and, "
        "optionally, the exact answer 0 or 1. Without that column the answers are read from "
        "../mma_bool/NAME_mma_bool.json. Edge-edge and vertex-face queries are told apart by the "
        "folder (edge-edge, vertex-face) or by the end of the name (ee, vf). A folder stands for "
        "all CSV files below it.\n\n"
        "Reported per file and in total: queries, how many truly touch, hits, false negatives and "
        "false positives, time per query in microseconds, the share that ended at the limit of "
        "checks, and the largest tolerance reached. The exit code is 1 if a contact was missed.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = -1,
    .complete = COMPLETE_FILE,
    .run = run,
};

/* All published query files: no contact is missed, no time is late, no false positive is farther
 * away than it claims, and there are not more of them than the published method has. */
#include "ccd/bisection.h"
#include "ccd/query_file.h"
#include "ccd/tight_inclusion.h"
#include "support/ccd_check.h"
#include "support/ccd_files.h"
#include "test.h"

static ccd_oracle *oracle;
static bisection_scratch scratch;

typedef struct counts {
    ccd_options options;
    bool bisection;
    int64_t queries[2], hits[2], false_positives[2], faults; /* by kind: triangle, edges */
    int64_t early[2];
} counts;

static void check_file(const char *path, void *context)
{
    counts *c = context;
    query_file file;
    abut_error err = {0};
    CHECK_OK(query_file_read(path, &file, &err), err);
    int kind = file.kind == CCD_EDGE_EDGE;
    for (size_t i = 0; i < file.count; i++) {
        const vec3 *start = file.points + 8 * i, *end = start + 4;
        ccd_result r = c->bisection ? bisection_ccd(file.kind, start, end, &c->options, &scratch)
                                    : tight_inclusion(file.kind, start, end, &c->options);
        bool false_positive = r.hit && !file.truth[i];
        if (r.hit) CHECK(ccd_oracle_hit(oracle, file.kind, start, end) == file.truth[i]);
        ccd_fault fault = ccd_check_result(oracle, file.truth[i], file.kind, start, end,
                                           &c->options, &r, false_positive);
        if (fault != CCD_FAULT_NONE) {
            printf("%s: query %zu: %s\n", path, i, ccd_fault_name(fault));
            c->faults++;
        }
        c->queries[kind]++;
        c->hits[kind] += r.hit;
        c->false_positives[kind] += false_positive;
        c->early[kind] += r.status == CCD_LIMIT;
    }
    query_file_free(&file);
}

static counts run(bool bisection, double tolerance, int64_t limit, double separation)
{
    counts c = {.options = ccd_default_options(), .bisection = bisection};
    c.options.tolerance = tolerance;
    c.options.max_checks = limit;
    c.options.separation = separation;
    ccd_files_visit(test_data_folder(), check_file, &c);
    CHECK(c.faults == 0);
    printf("  %-15s tolerance %g limit %lld separation %g: false positives %lld VF %lld EE, early "
           "%lld VF %lld EE\n",
           bisection ? "bisection" : "tight inclusion", tolerance, (long long)limit, separation,
           (long long)c.false_positives[0], (long long)c.false_positives[1], (long long)c.early[0],
           (long long)c.early[1]);
    return c;
}

TEST(default_method)
{
    static const int64_t limits[] = {100, 1000, 1000000};
    static const double tolerances[] = {1e-6, 1e-4, 1e-3};
    static const double separations[] = {0.0, 1e-16, 1e-8, 1e-2};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) {
                if (i < 2 && k > 0 && k < 3) continue; /* the long test has them all */
                counts c = run(false, tolerances[j], limits[i], separations[k]);
                if (separations[k] == 0.0)
                    CHECK(c.early[0] + c.early[1] <= (limits[i] == 100 ? 3 : 0));
            }
}

TEST(reference_method)
{
    counts reference = run(true, 1e-6, 10000, 0.0);
    counts fast = run(false, 1e-6, 10000, 0.0);
    for (int kind = 0; kind < 2; kind++)
        CHECK(fast.false_positives[kind] <= reference.false_positives[kind]);
    run(true, 1e-3, 1000, 0.0);
    run(true, 1e-6, 100, 1e-8);
}

int main(void)
{
    if (!test_data_folder()) SKIP_ALL("no query files in $ABUT_DATA or ../shared/data");
    oracle = ccd_oracle_new();
    RUN(default_method);
    RUN(reference_method);
    ccd_oracle_free(oracle);
    bisection_scratch_free(&scratch);
    return TEST_END();
}

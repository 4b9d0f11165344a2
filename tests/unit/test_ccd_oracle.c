/* The exact oracle against the published answers of all query files. */
#include "ccd/query_file.h"
#include "support/ccd_files.h"
#include "support/ccd_oracle.h"
#include "test.h"

static ccd_oracle *oracle;

TEST(simple_cases)
{
    vec3 a[4] = {{.25, .25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    vec3 b[4] = {{.25, .25, -2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CHECK(ccd_oracle_hit(oracle, CCD_POINT_TRIANGLE, a, b));
    CHECK_NEAR(ccd_oracle_toi(oracle), 1.0 / 3.0, 1e-15);
    CHECK(ccd_oracle_not_later(oracle, 0x1.5555555555555p-2)); /* just below 1/3 */
    CHECK(!ccd_oracle_not_later(oracle, nextafter(0x1.5555555555555p-2, 1.0)));
    CHECK(ccd_oracle_within(oracle, CCD_POINT_TRIANGLE, a, b, 0.25, 0.25));
    CHECK(!ccd_oracle_within(oracle, CCD_POINT_TRIANGLE, a, b, 0.25, nextafter(0.25, 0.0)));
    a[0].x = b[0].x = nextafter(0.75, 1.0);
    CHECK(!ccd_oracle_hit(oracle, CCD_POINT_TRIANGLE, a, b));
    a[0].x = b[0].x = 0.75; /* on the slanted edge */
    CHECK(ccd_oracle_hit(oracle, CCD_POINT_TRIANGLE, a, b));
    a[0] = (vec3){-1, .25, 0}; /* in the plane, infinitely many roots */
    b[0] = (vec3){2, .25, 0};
    CHECK(ccd_oracle_hit(oracle, CCD_POINT_TRIANGLE, a, b));
    CHECK_NEAR(ccd_oracle_toi(oracle), 1.0 / 3.0, 1e-15);
    vec3 p[2] = {{0, 0, 0}, {3, 0, 0}}, q[2] = {{3, 0, 0}, {0, 0, 0}};
    CHECK(ccd_oracle_hit(oracle, CCD_POINT_POINT, p, q) && ccd_oracle_toi(oracle) == 0.5);
    q[1].y = 0x1p-1000;
    CHECK(!ccd_oracle_hit(oracle, CCD_POINT_POINT, p, q));
    vec3 e[3] = {{0, 1, 0}, {-1, 0, 0}, {1, 0, 0}}, g[3] = {{0, -3, 0}, {-1, 0, 0}, {1, 0, 0}};
    CHECK(ccd_oracle_hit(oracle, CCD_POINT_EDGE, e, g) && ccd_oracle_toi(oracle) == 0.25);
}

static void check_file(const char *path, void *context)
{
    (void)context;
    query_file file;
    abut_error err = {0};
    CHECK_OK(query_file_read(path, &file, &err), err);
    CHECK(file.has_truth);
    for (size_t i = 0; i < file.count; i++) {
        bool hit = ccd_oracle_hit(oracle, file.kind, file.points + 8 * i, file.points + 8 * i + 4);
        if (hit != file.truth[i]) printf("%s: query %zu\n", path, i);
        CHECK(hit == file.truth[i]);
    }
    query_file_free(&file);
}

TEST(published_answers)
{
    int files = ccd_files_visit(test_data_folder(), check_file, NULL);
    if (files == 0) printf("skipped: no query files in $ABUT_DATA or ../shared/data\n");
}

int main(void)
{
    oracle = ccd_oracle_new();
    RUN(simple_cases);
    RUN(published_answers);
    ccd_oracle_free(oracle);
    return TEST_END();
}

/* Times of impact against the symbolic ones that are published with the simulation queries. */
#include "ccd/query_file.h"
#include "ccd/tight_inclusion.h"
#include "support/ccd_oracle.h"
#include "support/symbolic_roots.h"
#include "test.h"

typedef struct comparison {
    query_file file;
    ccd_oracle *oracle;
    int count;
    double worst, worst_oracle; /* how much too early, and how far the oracle is off */
} comparison;

static void compare(size_t query, double t, void *context)
{
    comparison *c = context;
    CHECK(query < c->file.count);
    if (query >= c->file.count) return;
    const vec3 *start = c->file.points + 8 * query, *end = start + 4;
    CHECK(c->file.truth[query]);
    CHECK(ccd_oracle_hit(c->oracle, c->file.kind, start, end));
    c->worst_oracle = fmax(c->worst_oracle, fabs(ccd_oracle_toi(c->oracle) - t));
    ccd_options options = ccd_default_options();
    ccd_result r = tight_inclusion(c->file.kind, start, end, &options);
    CHECK(r.hit && r.toi <= t);
    c->worst = fmax(c->worst, t - r.toi);
    c->count++;
}

static void check_scene(const char *scene, const char *name)
{
    char path[4096];
    comparison c = {.oracle = ccd_oracle_new()};
    abut_error err = {0};
    int unread = 0, positives = 0;
    snprintf(path, sizeof path, "%s/ccd-scalable/%s/queries/%s.csv", test_data_folder(), scene,
             name);
    CHECK_OK(query_file_read(path, &c.file, &err), err);
    for (size_t i = 0; i < c.file.count; i++) positives += c.file.truth[i];
    snprintf(path, sizeof path, "%s/ccd-scalable/%s/roots/%s_roots.tar.gz", test_data_folder(),
             scene, name);
    int count = symbolic_roots_visit(path, compare, &c, &unread);
    printf("  %s %s: %d of %d times read, at most %.2g too early; the oracle is within %.2g\n",
           scene, name, count, positives, c.worst, c.worst_oracle);
    CHECK(count > 0 && count + unread == positives);
    CHECK(c.worst_oracle < 1e-13);
    CHECK(c.worst <= 1e-6); /* the tolerance asked for */
    query_file_free(&c.file);
    ccd_oracle_free(c.oracle);
}

TEST(rod_twist_edges) { check_scene("rod-twist", "3036ee"); }
TEST(rod_twist_triangles) { check_scene("rod-twist", "3036vf"); }
TEST(cloth_funnel_edges) { check_scene("cloth-funnel", "227ee"); }
TEST(cloth_funnel_triangles) { check_scene("cloth-funnel", "227vf"); }

int main(void)
{
    if (!test_data_folder()) SKIP_ALL("no query files in $ABUT_DATA or ../shared/data");
    RUN(rod_twist_edges);
    RUN(rod_twist_triangles);
    RUN(cloth_funnel_edges);
    RUN(cloth_funnel_triangles);
    return TEST_END();
}

/* Queries with known answers, from the papers and from past mistakes of others, for every method.
 */
#include "base/memory.h"
#include "ccd/bisection.h"
#include "ccd/tight_inclusion.h"
#include "support/ccd_random.h"
#include "test.h"

typedef struct vector {
    const char *name;
    ccd_kind kind;
    vec3 start[4], end[4];
    bool hit;
    double toi; /* exact first time of impact */
} vector;

static const vector vectors[] = {
    {"triangle turning inside out around a point",
     CCD_POINT_TRIANGLE,
     {{.1, .1, .1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
     {{.1, .1, .1}, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
     true,
     0.9},
    {"coplanar twice, both times outside the triangle",
     CCD_POINT_TRIANGLE,
     {{1, 1, 0}, {0, 0, 5}, {2, 0, 2}, {0, 1, 0}},
     {{1, 1, 0}, {0, 0, -1}, {0, 0, -2}, {0, 7, 0}},
     false,
     INFINITY},
    {"sliding in the plane of the triangle: infinitely many roots",
     CCD_POINT_TRIANGLE,
     {{1, .5, 1}, {0, .57, 1}, {1, .57, 1}, {1, 1.57, 1}},
     {{1, .5, 1}, {0, .28, 1}, {1, .28, 1}, {1, 1.28, 1}},
     true,
     7.0 / 29.0},
    {"small box that is not the first of its level, edges",
     CCD_EDGE_EDGE,
     {{-1, .25, -1}, {1, .5, 0}, {.75, -.75, .5}, {-.25, 1, -.75}},
     {{.75, .75, -1}, {-.25, 0, -.75}, {.25, .5, -1}, {.75, .25, -.75}},
     true,
     0.352107},
    {"small box that is not the first of its level, triangle",
     CCD_POINT_TRIANGLE,
     {{.5, .5, -.25}, {.75, -.75, -1}, {.5, 1, -.5}, {-1, .75, -.75}},
     {{0, .5, -1}, {.75, -.75, -1}, {-.25, -1, 0}, {.25, 1, -1}},
     true,
     0.800313},
    {"two points head on",
     CCD_POINT_POINT,
     {{0, 0, 0}, {1, 2, 4}},
     {{1, 2, 4}, {0, 0, 0}},
     true,
     0.5},
    {"two points passing by",
     CCD_POINT_POINT,
     {{0, 0, 0}, {1, 2, 4}},
     {{1, 2, 4}, {0.001, 0, 0}},
     false,
     INFINITY},
    {"point through the end of an edge",
     CCD_POINT_EDGE,
     {{0, -1, 0}, {0, 0, 0}, {1, 0, 0}},
     {{0, 3, 0}, {0, 0, 0}, {1, 0, 0}},
     true,
     0.25},
    {"point past the end of an edge",
     CCD_POINT_EDGE,
     {{-0.001, -1, 0}, {0, 0, 0}, {1, 0, 0}},
     {{-0.001, 3, 0}, {0, 0, 0}, {1, 0, 0}},
     false,
     INFINITY},
    {"parallel edges falling onto each other",
     CCD_EDGE_EDGE,
     {{0, 1, 0}, {1, 1, 0}, {0.5, 0, 0}, {2, 0, 0}},
     {{0, -1, 0}, {1, -1, 0}, {0.5, 0, 0}, {2, 0, 0}},
     true,
     0.5},
    {"collinear edges moving along their line",
     CCD_EDGE_EDGE,
     {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}},
     {{0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
     true,
     0.5},
    {"touching only at the end of the step",
     CCD_POINT_TRIANGLE,
     {{.25, .25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     {{.25, .25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
     true,
     1.0},
    {"touching at the start, then leaving",
     CCD_EDGE_EDGE,
     {{0, 0, 0}, {1, 0, 0}, {.5, -1, 0}, {.5, 1, 0}},
     {{0, 0, 1}, {1, 0, 1}, {.5, -1, 0}, {.5, 1, 0}},
     true,
     0.0},
    {"nothing moves, nothing touches",
     CCD_EDGE_EDGE,
     {{0, 0, 1}, {1, 0, 1}, {.5, -1, 0}, {.5, 1, 0}},
     {{0, 0, 1}, {1, 0, 1}, {.5, -1, 0}, {.5, 1, 0}},
     false,
     INFINITY},
};

enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static bisection_scratch scratch;

static ccd_result run(int method, const vector *v, const ccd_options *options)
{
    return method == 0 ? tight_inclusion(v->kind, v->start, v->end, options)
                       : bisection_ccd(v->kind, v->start, v->end, options, &scratch);
}

TEST(known_answers)
{
    for (int method = 0; method < 2; method++)
        for (int i = 0; i < VECTORS; i++) {
            const vector *v = &vectors[i];
            ccd_options options = ccd_default_options();
            options.max_checks = 100000;
            ccd_result r = run(method, v, &options);
            if (r.hit != v->hit) printf("method %d: %s\n", method, v->name);
            CHECK(r.hit == v->hit);
            if (!r.hit) {
                CHECK(r.toi == INFINITY && r.status == CCD_MISS);
                continue;
            }
            CHECK(r.toi <= v->toi + 1e-6); /* the table has six digits for some */
            CHECK_NEAR(r.toi, v->toi, 5e-3);
            if (method == 0) CHECK_NEAR(r.toi, v->toi, 3e-6);
        }
}

TEST(a_larger_tolerance_never_loses_a_hit)
{
    for (int method = 0; method < 2; method++)
        for (int i = 0; i < VECTORS; i++)
            for (double tolerance = 0.25; tolerance > 1e-8; tolerance *= 0.25) {
                ccd_options options = ccd_default_options();
                options.tolerance = tolerance;
                options.max_checks = 20000;
                ccd_result r = run(method, &vectors[i], &options);
                CHECK(r.hit || !vectors[i].hit);
                if (r.hit) CHECK(r.toi <= vectors[i].toi + 1e-6);
            }
}

TEST(few_checks_are_still_conservative)
{
    for (int method = 0; method < 2; method++)
        for (int i = 0; i < VECTORS; i++)
            for (int checks = 1; checks < 40; checks++) {
                ccd_options options = ccd_default_options();
                options.max_checks = checks;
                ccd_result r = run(method, &vectors[i], &options);
                CHECK(r.hit || !vectors[i].hit);
                if (r.hit) CHECK(r.toi <= vectors[i].toi + 1e-6);
                if (method == 0)
                    CHECK(r.checks <= checks + 4); /* waiting cells get one look each */
            }
}

TEST(shorter_step)
{
    for (int method = 0; method < 2; method++)
        for (int i = 0; i < VECTORS; i++) {
            const vector *v = &vectors[i];
            ccd_options options = ccd_default_options();
            options.max_checks = 100000;
            if (v->hit && v->toi == 0.0) { /* no motion at all, and still they touch */
                options.t_max = 0.0;
                CHECK(run(method, v, &options).hit);
            }
            if (!v->hit || v->toi == 0.0) continue;
            options.t_max = 0.9 * v->toi;
            CHECK(!run(method, v, &options).hit);
            options.t_max = fmin(1.0, v->toi + 1e-5);
            CHECK(run(method, v, &options).hit);
        }
}

TEST(not_finite_is_a_hit)
{
    for (int method = 0; method < 2; method++)
        for (int vertex = 0; vertex < 8; vertex++)
            for (int axis = 0; axis < 3; axis++)
                for (int which = 0; which < 3; which++) {
                    vector v = vectors[1];
                    double bad = which == 0 ? NAN : which == 1 ? INFINITY : -INFINITY;
                    vec3 *p = vertex < 4 ? &v.start[vertex] : &v.end[vertex - 4];
                    *(axis == 0 ? &p->x : axis == 1 ? &p->y : &p->z) = bad;
                    ccd_options options = ccd_default_options();
                    ccd_result r = run(method, &v, &options);
                    CHECK(r.hit && r.toi == 0.0 && r.status == CCD_NOT_FINITE);
                }
}

TEST(zero_times_are_refined)
{
    /* 1e-7 apart at the start, closing at unit speed. */
    vector v = {"",
                CCD_POINT_TRIANGLE,
                {{.25, .25, 1e-7}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                {{.25, .25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                true,
                1e-7};
    for (int method = 0; method < 2; method++) {
        ccd_options options = ccd_default_options();
        options.no_zero_toi = true;
        ccd_result r = run(method, &v, &options);
        CHECK(r.hit && r.toi > 0.0 && r.toi <= 1e-7 / (1.0 + 1e-7));
        ccd_result touching = run(method, &vectors[VECTORS - 2], &options);
        CHECK(touching.hit && touching.toi == 0.0 && touching.status == CCD_TOUCHING);
    }
}

TEST(minimum_separation)
{
    /* A point passes a triangle at height 0.01 above its plane. */
    vector v = {"",
                CCD_POINT_TRIANGLE,
                {{-1, .25, .01}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                {{1, .25, .01}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                false,
                INFINITY};
    for (int method = 0; method < 2; method++) {
        ccd_options options = ccd_default_options();
        options.max_checks = 100000;
        CHECK(!run(method, &v, &options).hit);
        options.separation = 0.0099;
        CHECK(!run(method, &v, &options).hit);
        options.separation = 0.0101; /* the edge x = 0 is reached when x = -0.0101 */
        ccd_result r = run(method, &v, &options);
        CHECK(r.hit && r.toi <= (1 - 0.0101) / 2);
        CHECK_NEAR(r.toi, (1 - 0.0101) / 2, 1e-5);
    }
    ccd_options euclidean = ccd_default_options();
    euclidean.norm = CCD_NORM_EUCLIDEAN;
    euclidean.separation = 0.0125; /* 0.0075 before the edge: 3-4-5 */
    ccd_result r = tight_inclusion(v.kind, v.start, v.end, &euclidean);
    CHECK(r.hit && r.toi <= (1 - 0.0075) / 2);
    CHECK_NEAR(r.toi, (1 - 0.0075) / 2, 1e-5);
}

/* d = 1e-16 is below what the published filter can see: the answers of d = 0. The default method
 * sees it, and says so: no hit is lost, none is later. */
TEST(tiny_separations)
{
    random_state random = {5};
    int hits = 0;
    for (int i = 0; i < 1200; i++) {
        ccd_random_query q;
        ccd_random_make(&random, i % CCD_RANDOM_FAMILIES, &q);
        ccd_options zero = ccd_default_options(), tiny = zero;
        tiny.separation = 1e-16 * q.scale;
        ccd_result a = tight_inclusion(q.kind, q.start, q.end, &zero);
        ccd_result b = tight_inclusion(q.kind, q.start, q.end, &tiny);
        CHECK(!a.hit || b.hit);
        hits += a.hit;
        zero.filter_rule = tiny.filter_rule = CCD_FILTER_PAPER;
        zero.max_checks = tiny.max_checks = 1000;
        a = bisection_ccd(q.kind, q.start, q.end, &zero, &scratch);
        b = bisection_ccd(q.kind, q.start, q.end, &tiny, &scratch);
        CHECK(a.hit == b.hit);
    }
    CHECK(hits > 200 && hits < 1000);
}

TEST(no_memory_is_a_hit)
{
    /* The miss of the inflection point needs a few levels of boxes. */
    const vector *v = &vectors[1];
    ccd_options options = ccd_default_options();
    bool refused = false;
    for (int n = 0; n < 100; n++) {
        bisection_scratch fresh = {0};
        mem_fail_after(n);
        ccd_result r = bisection_ccd(v->kind, v->start, v->end, &options, &fresh);
        bool failed = mem_failure_happened();
        mem_fail_after(-1);
        bisection_scratch_free(&fresh);
        CHECK(failed ? r.hit && r.status == CCD_NO_MEMORY && r.toi <= 1.0 : !r.hit);
        refused = refused || failed;
        if (!failed) break;
    }
    CHECK(refused);
}

int main(void)
{
    RUN(known_answers);
    RUN(a_larger_tolerance_never_loses_a_hit);
    RUN(few_checks_are_still_conservative);
    RUN(shorter_step);
    RUN(not_finite_is_a_hit);
    RUN(zero_times_are_refined);
    RUN(minimum_separation);
    RUN(tiny_separations);
    RUN(no_memory_is_a_hit);
    bisection_scratch_free(&scratch);
    return TEST_END();
}

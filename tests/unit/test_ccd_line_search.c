/* The line search never sticks: repeated steps along one direction make progress towards a contact,
 * keep the pair apart, and do not depend on the number of threads. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "ccd/line_search.h"
#include "ccd/tight_inclusion.h"
#include "geometry/distance.h"
#include "test.h"

static vec3 random_point(random_state *r)
{
    return (vec3){random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1)};
}

static double distance(ccd_kind kind, const vec3 *x)
{
    return kind == CCD_EDGE_EDGE ? sqrt(edge_edge_true_distance2(x[0], x[1], x[2], x[3]))
                                 : sqrt(point_triangle_true_distance2(x[0], x[1], x[2], x[3]));
}

/* Takes steps towards the same end until the gap is tiny; every step must be positive. */
static void approach(ccd_kind kind, const vec3 *start, const vec3 *end, const step_options *options)
{
    vec3 x[4];
    memcpy(x, start, sizeof x);
    double gap = distance(kind, x) - options->min_distance;
    for (int round = 0; round < 400; round++) {
        step_result r = ccd_pair_step(kind, x, end, options);
        if (!r.limited) return; /* arrived */
        if (gap < 1e-9) return;
        CHECK(r.step > 0.0 && !r.touching);
        for (int i = 0; i < 4; i++) x[i] = vec3_mul_add(x[i], r.step, vec3_sub(end[i], x[i]));
        double now = distance(kind, x) - options->min_distance;
        CHECK(now > 0.0);
        gap = now;
        if (r.step <= 0.0) return;
    }
}

TEST(steps_never_stick_at_zero)
{
    random_state r = {.state = 11};
    for (int n = 0; n < 1500; n++) {
        ccd_kind kind = n % 2 ? CCD_EDGE_EDGE : CCD_POINT_TRIANGLE;
        vec3 start[4], end[4];
        for (int i = 0; i < 4; i++) {
            start[i] = random_point(&r);
            end[i] = random_point(&r);
        }
        step_options options = step_default_options();
        options.method = n % 3 == 0 ? CCD_ADDITIVE : CCD_TIGHT_INCLUSION;
        options.min_distance = n % 5 == 0 ? 1e-3 : 0.0;
        if (distance(kind, start) < 2 * options.min_distance) continue;
        approach(kind, start, end, &options);
    }
}

TEST(a_head_on_step_leaves_the_asked_part)
{
    vec3 start[4] = {{.25, .25, 1e-5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    vec3 end[4] = {{.25, .25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    step_options options = step_default_options();
    step_result r = ccd_pair_step(CCD_POINT_TRIANGLE, start, end, &options);
    CHECK(r.limited && r.step <= 0.8e-5);
    CHECK_NEAR(r.step, 0.8e-5, 0.3e-5); /* within a tolerance of 0.25 gap */
    options.min_distance = 0.9e-5;
    r = ccd_pair_step(CCD_POINT_TRIANGLE, start, end, &options);
    CHECK(r.limited && r.step > 0.0 && r.step <= 0.08e-5);
    options.min_distance = 1.1e-5; /* too near already */
    r = ccd_pair_step(CCD_POINT_TRIANGLE, start, end, &options);
    CHECK(r.limited && r.touching && r.step == 0.0);
}

TEST(tiny_gaps_still_move)
{
    for (double gap = 1e-6; gap > 1e-13; gap *= 0.1) {
        vec3 start[4] = {{.25, .25, gap}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        vec3 end[4] = {{.25, .25, -1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        step_options options = step_default_options();
        step_result r = ccd_pair_step(CCD_POINT_TRIANGLE, start, end, &options);
        CHECK(r.limited && r.step > 0.0 && r.step < gap);
        vec3 slide[4] = {{.35, .25, gap}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        CHECK(ccd_pair_step(CCD_POINT_TRIANGLE, start, slide, &options).step == 1.0);
    }
}

/* Gaps of about the rounding errors of a long path: what shall be left cannot be distinguished from
 * nothing, and the step stays well before the first contact instead. */
TEST(gaps_near_rounding)
{
    int cases = 0;
    for (double gap = 1e-8; gap > 1e-12; gap *= 0.9) {
        vec3 start[4] = {{.25, .25, gap}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        vec3 end[4] = {{.25, .25, -1e6}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        step_options options = step_default_options();
        ccd_options query = ccd_default_options();
        query.norm = CCD_NORM_EUCLIDEAN;
        query.separation = options.keep * gap;
        query.tolerance = 0.25 * (1 - options.keep) * gap;
        double with_rest = tight_inclusion(CCD_POINT_TRIANGLE, start, end, &query).toi;
        query.separation = 0;
        query.no_zero_toi = true;
        double bare = tight_inclusion(CCD_POINT_TRIANGLE, start, end, &query).toi;
        if (with_rest > 0 || !(bare > 0)) continue;
        step_result r = ccd_pair_step(CCD_POINT_TRIANGLE, start, end, &options);
        CHECK(r.limited && r.step > 0);
        CHECK_NEAR(r.step, (1 - options.keep) * bare, 1e-12 * bare);
        cases++;
    }
    CHECK(cases > 0);
}

TEST(whole_set)
{
    enum { PAIRS = 20000 };
    random_state r = {.state = 5};
    vec3 *start = mem_alloc(4 * PAIRS, sizeof(vec3)), *end = mem_alloc(4 * PAIRS, sizeof(vec3));
    ccd_pair *pairs = mem_calloc(PAIRS, sizeof(ccd_pair));
    for (int i = 0; i < 4 * PAIRS; i++) {
        start[i] = random_point(&r);
        end[i] = vec3_mul_add(start[i], 0.05, random_point(&r));
    }
    step_options options = step_default_options();
    double smallest = 1.0;
    for (int i = 0; i < PAIRS; i++) {
        pairs[i].kind = (ccd_kind)(i % 4);
        for (int k = 0; k < 4; k++) pairs[i].vertex[k] = 4 * i + k;
        step_result one = ccd_pair_step(pairs[i].kind, start + 4 * i, end + 4 * i, &options);
        if (one.limited) smallest = fmin(smallest, one.step);
    }
    int threads = parallel_threads();
    parallel_set_threads(1);
    step_report single = ccd_largest_step(start, end, pairs, PAIRS, &options);
    parallel_set_threads(4);
    step_report several = ccd_largest_step(start, end, pairs, PAIRS, &options);
    parallel_set_threads(threads);
    CHECK(single.step == several.step && single.limiting == several.limiting);
    CHECK(single.checks == several.checks && single.touching == several.touching);
    CHECK(single.step > 0.0 && single.step < 1.0 && single.limiting < PAIRS);
    CHECK_NEAR(single.step, smallest, 1e-12);
    uint64_t before = mem_allocation_count();
    ccd_largest_step(start, end, pairs, PAIRS, &options);
    CHECK(mem_allocation_count() == before); /* nothing is allocated per query */
    mem_free(start);
    mem_free(end);
    mem_free(pairs);
}

int main(void)
{
    RUN(steps_never_stick_at_zero);
    RUN(a_head_on_step_leaves_the_asked_part);
    RUN(tiny_gaps_still_move);
    RUN(gaps_near_rounding);
    RUN(whole_set);
    return TEST_END();
}

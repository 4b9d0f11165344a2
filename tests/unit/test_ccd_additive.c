/* Additive CCD: what it guarantees about gaps, its lower bound, and what it costs. */
#include "base/random.h"
#include "ccd/additive.h"
#include "ccd/tight_inclusion.h"
#include "geometry/distance.h"
#include "test.h"

static double distance(ccd_kind kind, const vec3 *x)
{
    switch (kind) {
    case CCD_POINT_POINT: return sqrt(point_point_distance2(x[0], x[1]));
    case CCD_POINT_EDGE: return sqrt(point_edge_true_distance2(x[0], x[1], x[2]));
    case CCD_POINT_TRIANGLE: return sqrt(point_triangle_true_distance2(x[0], x[1], x[2], x[3]));
    case CCD_EDGE_EDGE: return sqrt(edge_edge_true_distance2(x[0], x[1], x[2], x[3]));
    }
    return 0.0;
}

static double distance_at(ccd_kind kind, const vec3 *start, const vec3 *end, double t)
{
    vec3 x[4];
    for (int i = 0; i < ccd_vertex_count(kind); i++)
        x[i] = vec3_mul_add(start[i], t, vec3_sub(end[i], start[i]));
    return distance(kind, x);
}

static vec3 random_point(random_state *r)
{
    return (vec3){random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1)};
}

static double smallest_gap(ccd_kind kind, const vec3 *start, const vec3 *end, double t,
                           double offset)
{
    double smallest = INFINITY;
    for (int i = 0; i <= 200; i++)
        smallest = fmin(smallest, distance_at(kind, start, end, t * i / 200) - offset);
    return smallest;
}

TEST(gaps_are_kept)
{
    static const double offsets[] = {0.0, 1e-4, 1e-2};
    random_state r = {.state = 3};
    int hits = 0, misses = 0;
    for (int n = 0; n < 4000; n++) {
        ccd_kind kind = (ccd_kind)(n % 4);
        vec3 start[4], end[4];
        for (int i = 0; i < 4; i++) {
            start[i] = random_point(&r);
            end[i] = vec3_mul_add(start[i], 1.0, random_point(&r));
        }
        additive_options options = additive_default_options();
        options.offset = offsets[random_below(&r, 3)];
        double gap = distance(kind, start) - options.offset;
        ccd_result result = additive_ccd(kind, start, end, &options);
        if (gap <= 0.0) {
            CHECK(result.hit && result.toi == 0.0 && result.status == CCD_TOUCHING);
            continue;
        }
        double bound = additive_lower_bound(kind, start, end, options.offset);
        CHECK(bound > 0.0);
        double least =
            smallest_gap(kind, start, end, result.hit ? result.toi : 1.0, options.offset);
        CHECK(least > 0.0);
        if (result.hit) {
            hits++;
            CHECK(result.toi >= 0.9 * fmin(bound, 1.0) - 1e-12);
            double left = distance_at(kind, start, end, result.toi) - options.offset;
            CHECK(left >= 0.1 * gap * (1 - 1e-6));
            CHECK(left <= result.tolerance + 1e-12);
        } else {
            misses++;
        }
        ccd_options exact = ccd_default_options();
        exact.norm = CCD_NORM_EUCLIDEAN;
        exact.separation = options.offset;
        ccd_result other = tight_inclusion(kind, start, end, &exact);
        if (other.hit) CHECK(other.toi >= fmin(bound, 1.0) - 1e-5);
        if (other.hit) CHECK(result.hit && result.toi <= other.toi + 1e-5);
    }
    CHECK(hits > 100 && misses > 100);
}

TEST(head_on_takes_a_few_iterations)
{
    vec3 start[2] = {{0, 0, 0}, {1, 0, 0}}, end[2] = {{2, 0, 0}, {-1, 0, 0}};
    additive_options options = additive_default_options();
    options.offset = 0.25;
    ccd_result r = additive_ccd(CCD_POINT_POINT, start, end, &options);
    CHECK(r.hit && r.checks <= 2);
    CHECK_NEAR(r.toi, 0.9 * 0.75 / 4.0, 1e-9); /* gap 0.75, closing speed 4 */
}

TEST(early_out)
{
    vec3 start[2] = {{0, 0, 0}, {1, 0, 0}}, end[2] = {{1, 0, 0}, {1, 0, 0}};
    additive_options options = additive_default_options();
    options.t_max = 0.5;
    CHECK(!additive_ccd(CCD_POINT_POINT, start, end, &options).hit);
    options.t_max = 0.95;
    CHECK(additive_ccd(CCD_POINT_POINT, start, end, &options).hit);
    options.t_max = 1.0;
    ccd_result r = additive_ccd(CCD_POINT_POINT, start, end, &options);
    CHECK(r.hit);
    CHECK_NEAR(r.toi, 0.9, 1e-9);
}

/* A point slides 1 cm along a triangle at a tiny height: 1/height iterations as published. */
TEST(sliding_is_handed_over)
{
    for (double height = 1e-3; height > 1e-9; height *= 0.1) {
        vec3 start[4] = {{.2, .2, height}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        vec3 end[4] = {{.21, .2, height}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        additive_options options = additive_default_options();
        ccd_result r = additive_ccd(CCD_POINT_TRIANGLE, start, end, &options);
        CHECK(!r.hit && r.checks <= 100);
        if (height < 1e-6) continue;
        options.hand_over = INT64_MAX;
        r = additive_ccd(CCD_POINT_TRIANGLE, start, end, &options);
        CHECK(!r.hit && r.checks > (int64_t)(0.01 / height));
    }
}

static vec3 tilted(vec3 v)
{
    double c = cos(0.7), s = sin(0.7);
    vec3 a = {v.x, c * v.y - s * v.z, s * v.y + c * v.z};
    return vec3_make(c * a.x - s * a.y, s * a.x + c * a.y, a.z);
}

/* The same for all kinds of pairs, in no special direction, with and without thickness; 1 cm at a
 * gap of 1e-6 took 11,112 iterations as published. */
TEST(sliding_pairs_with_thickness)
{
    static const struct {
        ccd_kind kind;
        vec3 x[4]; /* the vertices of the first primitive, which slides, have z = 1 */
    } pairs[] = {{CCD_POINT_EDGE, {{.2, 0, 1}, {0, 0, 0}, {1, 0, 0}}},
                 {CCD_POINT_TRIANGLE, {{.2, .2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
                 {CCD_EDGE_EDGE, {{0, 0, 1}, {1, .3, 1}, {.1, .2, 0}, {.8, -.1, 0}}}};
    for (int i = 0; i < 3; i++)
        for (double offset = 0; offset < 2e-3; offset += 1e-3)
            for (double gap = 1e-3; gap > 1e-9; gap *= 0.1) {
                vec3 start[4], end[4];
                for (int k = 0; k < 4; k++) {
                    vec3 x = pairs[i].x[k];
                    bool slides = x.z == 1;
                    x.z = slides ? offset + gap : 0;
                    start[k] = tilted(x);
                    x.x += slides ? 0.01 : 0;
                    end[k] = tilted(x);
                }
                additive_options options = additive_default_options();
                options.offset = offset;
                ccd_result r = additive_ccd(pairs[i].kind, start, end, &options);
                CHECK(!r.hit && r.checks <= 100);
                if (gap > 1.5e-6 || gap < 0.5e-6) continue;
                options.hand_over = INT64_MAX;
                r = additive_ccd(pairs[i].kind, start, end, &options);
                CHECK(!r.hit && r.checks > 11000);
            }
}

TEST(iteration_limit_is_a_safe_hit)
{
    vec3 start[4] = {{.2, .2, 1e-5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    vec3 end[4] = {{.4, .2, 1e-5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    additive_options options = additive_default_options();
    options.max_iterations = 10;
    ccd_result r = additive_ccd(CCD_POINT_TRIANGLE, start, end, &options);
    CHECK(r.hit && r.status == CCD_LIMIT && r.toi > 0.0 && r.toi < 1.0);
}

TEST(bad_numbers)
{
    vec3 start[2] = {{0, 0, 0}, {1, 0, 0}}, end[2] = {{1, 0, 0}, {NAN, 0, 0}};
    additive_options options = additive_default_options();
    CHECK(additive_ccd(CCD_POINT_POINT, start, end, &options).status == CCD_NOT_FINITE);
    end[1].x = INFINITY;
    ccd_result r = additive_ccd(CCD_POINT_POINT, start, end, &options);
    CHECK(r.hit && r.toi == 0.0 && r.status == CCD_NOT_FINITE);
}

int main(void)
{
    RUN(gaps_are_kept);
    RUN(head_on_takes_a_few_iterations);
    RUN(early_out);
    RUN(sliding_is_handed_over);
    RUN(sliding_pairs_with_thickness);
    RUN(iteration_limit_is_a_safe_hit);
    RUN(bad_numbers);
    return TEST_END();
}

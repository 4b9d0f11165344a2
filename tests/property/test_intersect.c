/* Exact intersection tests against rational arithmetic, on lattices where most cases are touching,
 * coplanar, collinear or degenerate. */
#include "test.h"

#include "base/random.h"
#include "geometry/intersect.h"
#include "support/rational.h"

static vec3 lattice_vec3(random_state *r, int size)
{
    uint64_t n = (uint64_t)(2 * size + 1);
    double x = (double)((int)random_below(r, n) - size),
           y = (double)((int)random_below(r, n) - size);
    return vec3_make(x, y, (double)((int)random_below(r, n) - size));
}

/* Lattice points, in a plane or on a line now and then, moved by a common affine map with dyadic
 * coefficients so that no coordinate plane is special. */
static void sample(random_state *r, int trial, int n, vec3 *x)
{
    bool mapped = trial % 4 == 3;
    for (int i = 0; i < n; i++) {
        x[i] = lattice_vec3(r, 1 + trial % 3);
        if (trial % 5 == 0) x[i].z = 0.0;
        if (trial % 10 == 5) x[i].y = 2 * x[i].x;
        if (trial % 30 == 0) x[i].y = x[i].x;
        if (!mapped) continue;
        double a = x[i].x, b = x[i].y, c = x[i].z;
        x[i] = vec3_make(0.25 * a + 3 * b - c, 1.5 * b + 7 * c + 0x1p-20 * a,
                         1000.0 + a - b + 0.125 * c);
    }
}

TEST(segment_triangle)
{
    random_state r = {1};
    int hits = 0, trials = 8000;
    for (int trial = 0; trial < trials; trial++) {
        vec3 x[5];
        sample(&r, trial, 5, x);
        bool truth = rational_segment_hits_triangle(x[0], x[1], x[2], x[3], x[4]);
        CHECK(segment_hits_triangle(x[0], x[1], x[2], x[3], x[4]) == truth);
        CHECK(segment_hits_triangle(x[1], x[0], x[4], x[3], x[2]) == truth);
        CHECK(segment_hits_triangle(x[0], x[1], x[3], x[4], x[2]) == truth);
        hits += truth;
    }
    CHECK(hits > trials / 20 && hits < trials - trials / 20);
}

TEST(segment_segment)
{
    random_state r = {2};
    int hits = 0, trials = 8000;
    for (int trial = 0; trial < trials; trial++) {
        vec3 x[4];
        sample(&r, trial, 4, x);
        bool truth = rational_segment_segment_d(x[0], x[1], x[2], x[3]) == 0.0;
        CHECK(segment_hits_segment(x[0], x[1], x[2], x[3]) == truth);
        CHECK(segment_hits_segment(x[3], x[2], x[0], x[1]) == truth);
        hits += truth;
    }
    CHECK(hits > trials / 20 && hits < trials - trials / 20);
}

TEST(points)
{
    random_state r = {3};
    int on_segment = 0, on_triangle = 0;
    for (int trial = 0; trial < 8000; trial++) {
        vec3 x[4];
        sample(&r, trial, 4, x);
        bool truth = rational_point_segment_d(x[0], x[1], x[2]) == 0.0;
        CHECK(point_on_segment(x[0], x[1], x[2]) == truth);
        on_segment += truth;
        truth = rational_point_triangle_d(x[0], x[1], x[2], x[3]) == 0.0;
        CHECK(point_on_triangle(x[0], x[1], x[2], x[3]) == truth);
        on_triangle += truth;
    }
    CHECK(on_segment > 200 && on_triangle > 200);
}

TEST(triangle_triangle)
{
    random_state r = {4};
    int hits = 0;
    for (int trial = 0; trial < 2000; trial++) {
        vec3 x[6];
        sample(&r, trial, 6, x);
        bool truth = false;
        for (int k = 0; k < 3 && !truth; k++) {
            int n = (k + 1) % 3;
            truth = rational_segment_hits_triangle(x[k], x[n], x[3], x[4], x[5]) ||
                    rational_segment_hits_triangle(x[3 + k], x[3 + n], x[0], x[1], x[2]);
        }
        CHECK(triangle_hits_triangle(x, x + 3) == truth);
        CHECK(triangle_hits_triangle(x + 3, x) == truth);
        hits += truth;
    }
    CHECK(hits > 100);
    vec3 big[3] = {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}},
         small[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CHECK(triangle_hits_triangle(big, small)); /* nested in one plane */
}

/* Crossings and misses by one unit in the last place. */
TEST(one_ulp)
{
    random_state r = {5};
    int hits = 0;
    for (int trial = 0; trial < 4000; trial++) {
        vec3 x[5];
        for (int i = 0; i < 5; i++) {
            double a = random_unit(&r), b = random_unit(&r);
            x[i] = vec3_make(a, b, random_unit(&r));
        }
        /* An end point on the plane or on an edge, as well as doubles can say. */
        double s = random_unit(&r), t = trial % 2 ? random_unit(&r) : 0.0;
        x[0] = vec3_mul_add(vec3_mul_add(x[2], s, vec3_sub(x[3], x[2])), t, vec3_sub(x[4], x[2]));
        bool truth = rational_segment_hits_triangle(x[0], x[1], x[2], x[3], x[4]);
        CHECK(segment_hits_triangle(x[0], x[1], x[2], x[3], x[4]) == truth);
        hits += truth;
    }
    CHECK(hits > 400 && hits < 3600);
}

int main(void)
{
    RUN(segment_triangle);
    RUN(segment_segment);
    RUN(points);
    RUN(triangle_triangle);
    RUN(one_ulp);
    return TEST_END();
}

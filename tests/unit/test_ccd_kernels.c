/* The numerical foundations: rounding error bounds against exact rationals, the same bits from
 * every instruction set, and the symmetries of the problem. */
#include "ccd/bisection.h"
#include "ccd/tight_inclusion.h"
#include "support/ccd_random.h"
#include "test.h"

#include <float.h>
#include <gmp.h>

static bisection_scratch scratch;

/* ---- Rounding errors ------------------------------------------------------------------------ */

static double random_coordinate(random_state *r, double scale)
{
    double x = random_range(r, -1, 1);
    if (random_below(r, 4) == 0) x = (double)((int)random_below(r, 9) - 4) / 4;
    return scale * x;
}

static double random_parameter(random_state *r)
{
    return random_below(r, 3) ? random_unit(r) : (double)random_below(r, 65) / 64;
}

/* a + t (b - a) */
static void lerp_exact(mpq_t out, const mpq_t a, const mpq_t b, const mpq_t t)
{
    mpq_t step;
    mpq_init(step);
    mpq_sub(step, b, a);
    mpq_mul(step, step, t);
    mpq_add(out, a, step);
    mpq_clear(step);
}

/* |approximate - exact F| of one coordinate; x holds the four vertices at both ends. */
static double error_of(double approximate, bool triangle, double x[2][4], double t, double u,
                       double v)
{
    mpq_t q[16];
    for (int i = 0; i < 16; i++) mpq_init(q[i]);
    mpq_set_d(q[8], t);
    mpq_set_d(q[9], u);
    mpq_set_d(q[10], v);
    for (int i = 0; i < 4; i++) {
        mpq_set_d(q[4], x[0][i]);
        mpq_set_d(q[5], x[1][i]);
        lerp_exact(q[i], q[4], q[5], q[8]);
    }
    if (triangle) { /* p - (a + u (b - a) + v (c - a)) */
        lerp_exact(q[11], q[1], q[2], q[9]);
        mpq_sub(q[12], q[3], q[1]);
        mpq_mul(q[12], q[12], q[10]);
        mpq_add(q[11], q[11], q[12]);
        mpq_sub(q[11], q[0], q[11]);
    } else {
        lerp_exact(q[11], q[0], q[1], q[9]);
        lerp_exact(q[12], q[2], q[3], q[10]);
        mpq_sub(q[11], q[11], q[12]);
    }
    mpq_set_d(q[13], approximate);
    mpq_sub(q[11], q[11], q[13]);
    double error = fabs(mpq_get_d(q[11]));
    for (int i = 0; i < 16; i++) mpq_clear(q[i]);
    return error;
}

TEST(published_filter_bounds_the_error_at_every_scale)
{
    random_state r = {.state = 7};
    double worst[2] = {0.0, 0.0};
    for (int n = 0; n < 60000; n++) {
        bool triangle = n % 2;
        double scale = ldexp(1.0, (int)random_below(&r, 41) - 20), x[2][4], extent = 0.0;
        for (int i = 0; i < 8; i++) {
            x[i / 4][i % 4] = random_coordinate(&r, scale);
            extent = fmax(extent, fabs(x[i / 4][i % 4]));
        }
        double t = random_parameter(&r), u = random_parameter(&r), v = random_parameter(&r), c[4];
        for (int i = 0; i < 4; i++) c[i] = (x[1][i] - x[0][i]) * t + x[0][i];
        double f = triangle ? c[0] - (((c[2] - c[1]) * u + (c[3] - c[1]) * v) + c[1])
                            : ((c[1] - c[0]) * u + c[0]) - ((c[3] - c[2]) * v + c[2]);
        double error = error_of(f, triangle, x, t, u, v);
        ccd_kind kind = triangle ? CCD_POINT_TRIANGLE : CCD_EDGE_EDGE;
        vec3 filter =
            ccd_filter_from_extent((vec3){extent, extent, extent}, kind, 0.0, CCD_FILTER_LINEAR);
        CHECK(error <= filter.x);
        if (extent > 0.0) worst[triangle] = fmax(worst[triangle], error / (DBL_EPSILON * extent));
    }
    printf("  largest error in units of 2^-52 max|x|: edges %.2f, triangle %.2f\n", worst[0],
           worst[1]);
    CHECK(worst[0] <= 21.0 && worst[1] <= 24.5); /* what the theory says */
    CHECK(worst[0] > 2.0 && worst[1] > 2.0);     /* the test does see errors */
}

/* Corners of a part of the domain as the default method computes them, from differences. */
TEST(relative_filter_bounds_the_error_far_from_the_origin)
{
    random_state r = {.state = 8};
    double worst = 0.0;
    for (int n = 0; n < 60000; n++) {
        bool triangle = n % 2;
        double scale = ldexp(1.0, (int)random_below(&r, 41) - 20), x[2][4];
        double offset = random_below(&r, 2) ? 0.0 : scale * 1e6 * random_unit(&r);
        for (int i = 0; i < 8; i++) x[i / 4][i % 4] = offset + random_coordinate(&r, scale);
        double u = random_parameter(&r), v = random_parameter(&r);
        if (triangle && u + v > 1.0) v = 0.5 * (1.0 - u);
        int end = (int)random_below(&r, 2);
        const double *y = x[end];
        double f00 = triangle ? y[0] - y[1] : y[0] - y[2];
        double f10 = triangle ? y[0] - y[2] : y[1] - y[2];
        double f01 = triangle ? y[0] - y[3] : y[0] - y[3];
        double size = fmax(fabs(f00), fmax(fabs(f10), fabs(f01)));
        if (!triangle) size = fmax(size, fabs(y[1] - y[3]));
        double f = (f00 + u * (f10 - f00)) + v * (f01 - f00);
        double error = error_of(f, triangle, x, (double)end, u, v);
        CHECK(error <= 7.5 * DBL_EPSILON * size);
        if (size > 0.0) worst = fmax(worst, error / (DBL_EPSILON * size));
    }
    printf("  largest error in units of 2^-52 max|F|: %.2f\n", worst);
    CHECK(worst > 1.0);
}

/* ---- Instruction sets ----------------------------------------------------------------------- */

static bool available(ccd_backend backend)
{
#if defined(__x86_64__)
    if (backend == CCD_BACKEND_AVX2) return __builtin_cpu_supports("avx2");
    if (backend == CCD_BACKEND_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return backend == CCD_BACKEND_PORTABLE || backend == CCD_BACKEND_AUTO;
}

static bool same(ccd_result a, ccd_result b)
{
    return a.hit == b.hit && a.toi == b.toi && a.tolerance == b.tolerance && a.checks == b.checks &&
           a.status == b.status;
}

TEST(every_instruction_set_gives_the_same_bits)
{
    random_state r = {.state = 9};
    int compared = 0;
    for (int n = 0; n < 20000; n++) {
        ccd_random_query q;
        ccd_random_make(&r, n % CCD_RANDOM_FAMILIES, &q);
        ccd_options options = ccd_default_options();
        options.tolerance *= q.scale;
        options.max_checks = 1000;
        if (n % 5 == 0) options.separation = 1e-3 * q.scale;
        if (n % 7 == 0) options.norm = CCD_NORM_EUCLIDEAN;
        options.backend = CCD_BACKEND_PORTABLE;
        ccd_result a = tight_inclusion(q.kind, q.start, q.end, &options), b = {0};
        if (n % 10 == 0) b = bisection_ccd(q.kind, q.start, q.end, &options, &scratch);
        for (int backend = CCD_BACKEND_AUTO; backend <= CCD_BACKEND_AVX512; backend++) {
            if (!available((ccd_backend)backend)) continue;
            options.backend = (ccd_backend)backend;
            CHECK(same(a, tight_inclusion(q.kind, q.start, q.end, &options)));
            if (n % 10 == 0)
                CHECK(same(b, bisection_ccd(q.kind, q.start, q.end, &options, &scratch)));
            compared++;
        }
    }
    CHECK(compared >= 40000);
}

/* ---- Symmetries ----------------------------------------------------------------------------- */

typedef struct outcome_pair {
    ccd_result a, b;
} outcome_pair;

/* The query and the same with its vertices in another order. */
static outcome_pair permuted(const ccd_random_query *q, const int order[4])
{
    vec3 start[4], end[4];
    for (int i = 0; i < 4; i++) {
        start[i] = q->start[order[i]];
        end[i] = q->end[order[i]];
    }
    ccd_options options = ccd_default_options();
    options.tolerance *= q->scale;
    return (outcome_pair){tight_inclusion(q->kind, q->start, q->end, &options),
                          tight_inclusion(q->kind, start, end, &options)};
}

TEST(order_of_vertices_does_not_matter)
{
    static const int edges[3][4] = {{2, 3, 0, 1}, {1, 0, 2, 3}, {1, 0, 3, 2}};
    static const int triangles[3][4] = {{0, 2, 3, 1}, {0, 1, 3, 2}, {0, 3, 2, 1}};
    random_state r = {.state = 10};
    int different = 0, count = 0;
    for (int n = 0; n < 12000; n++) {
        ccd_random_query q;
        ccd_random_make(&r, n % CCD_RANDOM_FAMILIES, &q);
        if (q.kind != CCD_EDGE_EDGE && q.kind != CCD_POINT_TRIANGLE) continue;
        outcome_pair o = permuted(&q, q.kind == CCD_EDGE_EDGE ? edges[n % 3] : triangles[n % 3]);
        count++;
        /* Only pairs that pass each other within the tolerance may differ. */
        if (o.a.hit != o.b.hit) {
            different++;
            continue;
        }
        if (o.a.hit && o.a.status == CCD_CONVERGED && o.b.status == CCD_CONVERGED &&
            fabs(o.a.toi - o.b.toi) > 1e-3)
            different++;
    }
    printf("  %d of %d differ\n", different, count);
    CHECK(different * 100 < count);
}

TEST(scaling_by_powers_of_two_changes_nothing)
{
    random_state r = {.state = 12};
    static const int exponents[] = {-900, -300, -60, -20, -3, 1, 17, 40, 250, 900};
    for (int n = 0; n < 12000; n++) {
        ccd_random_query q;
        ccd_random_make(&r, n % CCD_RANDOM_FAMILIES, &q);
        ccd_options options = ccd_default_options();
        options.tolerance *= q.scale;
        if (n % 3 == 0) options.separation = 1e-4 * q.scale;
        ccd_result a = tight_inclusion(q.kind, q.start, q.end, &options);
        int exponent = exponents[n % 10];
        double factor = ldexp(1.0, exponent);
        for (int i = 0; i < 4; i++) {
            q.start[i] = vec3_scale(factor, q.start[i]);
            q.end[i] = vec3_scale(factor, q.end[i]);
        }
        options.tolerance *= factor;
        options.separation *= factor;
        ccd_result b = tight_inclusion(q.kind, q.start, q.end, &options);
        CHECK(a.hit == b.hit && a.toi == b.toi && a.checks == b.checks);
        if (a.hit) CHECK_NEAR(b.tolerance / factor, a.tolerance, 1e-12 * a.tolerance);
    }
}

TEST(time_can_run_backwards)
{
    random_state r = {.state = 13};
    int different = 0;
    for (int n = 0; n < 12000; n++) {
        ccd_random_query q;
        ccd_random_make(&r, n % CCD_RANDOM_FAMILIES, &q);
        ccd_options options = ccd_default_options();
        options.tolerance *= 1e-6 * q.scale;
        ccd_result a = tight_inclusion(q.kind, q.start, q.end, &options);
        ccd_result b = tight_inclusion(q.kind, q.end, q.start, &options);
        different += a.hit != b.hit;
    }
    CHECK(different < 120);
}

TEST(huge_and_tiny_numbers)
{
    ccd_options options = ccd_default_options();
    for (int exponent = -1070; exponent <= 1020; exponent += 10) {
        double s = ldexp(1.0, exponent);
        vec3 start[4] = {{.25 * s, .25 * s, s}, {0, 0, 0}, {s, 0, 0}, {0, s, 0}};
        vec3 end[4] = {{.25 * s, .25 * s, -s}, {0, 0, 0}, {s, 0, 0}, {0, s, 0}};
        options.tolerance = 0.0;
        ccd_result a = tight_inclusion(CCD_POINT_TRIANGLE, start, end, &options);
        CHECK(a.hit && a.toi <= 0.5);
        if (exponent > -900) CHECK_NEAR(a.toi, 0.5, 1e-6);
        start[0].x = end[0].x = -0.5 * s;
        ccd_result b = tight_inclusion(CCD_POINT_TRIANGLE, start, end, &options);
        if (exponent > -900) CHECK(!b.hit);
        options.max_checks = 1000;
        ccd_result c = bisection_ccd(CCD_POINT_TRIANGLE, start, end, &options, &scratch);
        if (exponent > -900) CHECK(!c.hit);
    }
    vec3 start[4] = {{DBL_MAX, 0, 0}, {-DBL_MAX, 0, 1}, {-DBL_MAX, 1, 1}, {0, 0, 1}};
    vec3 end[4] = {{-DBL_MAX, 0, 0}, {DBL_MAX, 0, 1}, {DBL_MAX, 1, 1}, {0, 0, 1}};
    CHECK(tight_inclusion(CCD_POINT_TRIANGLE, start, end, &options).hit);
}

int main(void)
{
    RUN(published_filter_bounds_the_error_at_every_scale);
    RUN(relative_filter_bounds_the_error_far_from_the_origin);
    RUN(every_instruction_set_gives_the_same_bits);
    RUN(order_of_vertices_does_not_matter);
    RUN(scaling_by_powers_of_two_changes_nothing);
    RUN(time_can_run_backwards);
    RUN(huge_and_tiny_numbers);
    bisection_scratch_free(&scratch);
    return TEST_END();
}

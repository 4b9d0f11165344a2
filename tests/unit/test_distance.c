/* Squared distances: derivatives against differences in 113-bit arithmetic, classification and
 * values against exact rational arithmetic, at random and degenerate configurations. */
#include "test.h"

#include "base/random.h"
#include "geometry/distance.h"
#include "support/quad.h"
#include "support/rational.h"

#include <float.h>

static vec3 random_vec3(random_state *r, double size)
{
    double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return vec3_make(x, y, random_range(r, -size, size));
}

static double largest_abs(int n, const double *a)
{
    double m = 0.0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i]));
    return m;
}

static double largest_difference(int n, const double *a, const double *b)
{
    double m = 0.0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i] - b[i]));
    return m;
}

/* ---- Derivatives ---- */

static const quad_function formula[STENCIL_KINDS] = {quad_point_point, quad_point_line,
                                                     quad_point_plane, quad_line_line};

/* Gradient within `tolerance` of its own size plus what the rounding of the positions does to the
 * distance, Hessian within `tolerance` of its size. */
static void check_derivatives(stencil_kind kind, const vec3 *x, double step, double tolerance)
{
    int n = 3 * stencil_size(kind);
    double flat[12], gradient[12], only_gradient[12], hessian[144], g_ref[12], h_ref[144];
    for (int i = 0; i < n / 3; i++) vec3_store(flat + 3 * i, x[i]);
    quad_derivatives(formula[kind], n, flat, step, g_ref, h_ref);
    double value = stencil_hessian(kind, x, gradient, hessian);
    CHECK(stencil_gradient(kind, x, only_gradient) == value);
    CHECK(stencil_distance2(kind, x) == value);
    CHECK(memcmp(gradient, only_gradient, (size_t)n * sizeof(double)) == 0);
    double g_scale = largest_abs(n, g_ref), h_scale = largest_abs(n * n, h_ref);
    CHECK_NEAR(largest_difference(n, gradient, g_ref) / (g_scale + 1e-8), 0.0, tolerance);
    CHECK_NEAR(largest_difference(n * n, hessian, h_ref) / h_scale, 0.0, tolerance);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            CHECK_NEAR(hessian[n * i + j], hessian[n * j + i], 4 * DBL_EPSILON * h_scale);
}

TEST(derivatives_at_random)
{
    random_state r = {1};
    for (int trial = 0; trial < 200; trial++)
        for (int kind = 0; kind < STENCIL_KINDS; kind++) {
            vec3 x[4];
            for (int i = 0; i < 4; i++) x[i] = random_vec3(&r, 1.0);
            vec3 n = kind == STENCIL_EE ? vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[3], x[2]))
                                        : vec3_cross(vec3_sub(x[2], x[1]), vec3_sub(x[3], x[1]));
            if (vec3_norm(n) < 0.1 || vec3_norm(vec3_sub(x[2], x[1])) < 0.2) continue;
            check_derivatives((stencil_kind)kind, x, 1e-8, 1e-10);
        }
}

/* A pair at distance `gap`, closest inside the features, with the given sine between the two
 * directions of the triangle or the edges. */
static void near_pair(random_state *r, stencil_kind kind, double gap, double sine, double far,
                      vec3 x[4])
{
    vec3 o = random_vec3(r, far), t = vec3_normalize(random_vec3(r, 1.0));
    vec3 b = vec3_normalize(vec3_cross(t, random_vec3(r, 1.0))), n = vec3_cross(t, b);
    vec3 v = vec3_mul_add(vec3_scale(sqrt(1.0 - sine * sine), t), sine, b);
    vec3 top = vec3_mul_add(o, gap, n);
    switch (kind) {
    case STENCIL_PP:
        x[0] = top;
        x[1] = o;
        break;
    case STENCIL_PE:
        x[0] = top;
        x[1] = vec3_mul_add(o, -0.4, t);
        x[2] = vec3_mul_add(o, 0.7, t);
        break;
    case STENCIL_PT: /* o = t0 + 0.2 u + 0.5 v */
        x[0] = top;
        x[1] = vec3_mul_add(vec3_mul_add(o, -0.2, t), -0.5, v);
        x[2] = vec3_add(x[1], t);
        x[3] = vec3_add(x[1], v);
        break;
    case STENCIL_EE:
        x[0] = vec3_mul_add(top, -0.3, t);
        x[1] = vec3_mul_add(top, 0.8, t);
        x[2] = vec3_mul_add(o, -0.6, v);
        x[3] = vec3_mul_add(o, 0.2, v);
        break;
    }
}

TEST(derivatives_near_degenerate)
{
    random_state r = {2};
    const double gaps[] = {1e-1, 1e-4, 1e-8};
    const double sines[] = {1.0, 1e-2, 1e-4};
    for (int trial = 0; trial < 30; trial++)
        for (int kind = 0; kind < STENCIL_KINDS; kind++)
            for (int g = 0; g < 3; g++)
                for (int s = 0; s < 3; s++) {
                    vec3 x[4];
                    near_pair(&r, (stencil_kind)kind, gaps[g], sines[s], 1.0, x);
                    /* Condition of the normal: eps / sine, of the distance: eps / gap. */
                    double tolerance = 1e-14 / sines[s] * (1.0 / sines[s]) + 1e-14 / gaps[g];
                    check_derivatives((stencil_kind)kind, x, 1e-9 * sines[s], 1e-10 + tolerance);
                }
}

TEST(half_space)
{
    vec3 origin = {1, 2, 3}, normal = {0.6, 0.0, 0.8}, p = {2, 7, 1};
    double gradient[3], hessian[9];
    double d = half_space_distance(p, origin, normal);
    CHECK_NEAR(d, 0.6 - 1.6, 1e-15);
    CHECK_NEAR(half_space_hessian(p, origin, normal, gradient, hessian), 1.0, 1e-14);
    CHECK_NEAR(gradient[0], 2.0 * d * 0.6, 1e-15);
    CHECK_NEAR(gradient[1], 0.0, 0.0);
    CHECK_NEAR(hessian[2], 2.0 * 0.6 * 0.8, 1e-15);
    CHECK_NEAR(hessian[8], 2.0 * 0.8 * 0.8, 1e-15);
}

/* ---- Classification on a lattice, where doubles are exact ---- */

static vec3 lattice_vec3(random_state *r, int size)
{
    int64_t n = 2 * size + 1;
    double x = (double)((int64_t)random_below(r, (uint64_t)n) - size);
    double y = (double)((int64_t)random_below(r, (uint64_t)n) - size);
    return vec3_make(x, y, (double)((int64_t)random_below(r, (uint64_t)n) - size));
}

/* The exact distance by the formula of the type is the exact distance of the closed sets. */
static void check_feature(const feature_stencil *f, const vec3 *x, const mpq_t truth)
{
    vec3 y[4];
    mpq_t by_type;
    mpq_init(by_type);
    for (int i = 0; i < f->count; i++) y[i] = x[f->vertex[i]];
    CHECK(f->count == stencil_size(f->kind));
    CHECK(rational_feature(by_type, y, f->count, f->kind == STENCIL_EE));
    CHECK(mpq_equal(by_type, truth));
    mpq_clear(by_type);
}

/* sum weight_i x_i has the length of the distance; weights of a side are convex. */
static void check_weights(const vec3 *x, const double *weight, int n, int first, double distance2)
{
    vec3 sum = {0, 0, 0};
    double one = 0.0, all = 0.0;
    for (int i = 0; i < n; i++) {
        sum = vec3_mul_add(sum, weight[i], x[i]);
        one += i < first ? weight[i] : 0.0;
        all += weight[i];
        CHECK(i < first ? weight[i] >= 0.0 && weight[i] <= 1.0
                        : weight[i] <= 0.0 && weight[i] >= -1.0);
    }
    CHECK_NEAR(one, 1.0, 1e-14);
    CHECK_NEAR(all, 0.0, 1e-14);
    CHECK_NEAR(vec3_norm2(sum), distance2, 1e-12);
}

TEST(point_edge_on_lattice)
{
    random_state r = {3};
    int seen[PE_TYPES] = {0};
    mpq_t truth;
    mpq_init(truth);
    for (int trial = 0; trial < 5000; trial++) {
        vec3 x[3] = {lattice_vec3(&r, 2), lattice_vec3(&r, 2), lattice_vec3(&r, 1)};
        rational3 q[3];
        for (int i = 0; i < 3; i++) {
            rational3_init(&q[i]);
            rational3_set(&q[i], x[i]);
        }
        rational_point_segment(truth, &q[0], &q[1], &q[2]);
        point_edge_type type;
        double weight[3], d2 = point_edge_closest(x[0], x[1], x[2], &type, weight);
        seen[type]++;
        check_feature(&point_edge_features[type], x, truth);
        check_weights(x, weight, 3, 1, d2);
        CHECK_NEAR(d2, mpq_get_d(truth), 1e-14);
        CHECK(point_edge_true_distance2(x[0], x[1], x[2]) == d2);
        for (int i = 0; i < 3; i++) rational3_clear(&q[i]);
    }
    for (int i = 0; i < PE_TYPES; i++) CHECK(seen[i] > 100);
    mpq_clear(truth);
}

TEST(point_triangle_on_lattice)
{
    random_state r = {4};
    int seen[PT_TYPES] = {0}, flat = 0;
    mpq_t truth;
    mpq_init(truth);
    for (int trial = 0; trial < 8000; trial++) {
        vec3 x[4];
        rational3 q[4];
        for (int i = 0; i < 4; i++) {
            x[i] = lattice_vec3(&r, trial % 2 ? 1 : 3);
            if (trial % 5 == 0) x[i].z = 0.0;
            rational3_init(&q[i]);
            rational3_set(&q[i], x[i]);
        }
        rational_point_triangle(truth, &q[0], q + 1);
        point_triangle_type type;
        double weight[4], d2 = point_triangle_closest(x[0], x[1], x[2], x[3], &type, weight);
        seen[type]++;
        vec3 n = vec3_cross(vec3_sub(x[2], x[1]), vec3_sub(x[3], x[1]));
        flat += vec3_norm2(n) == 0.0;
        check_feature(&point_triangle_features[type], x, truth);
        check_weights(x, weight, 4, 1, d2);
        CHECK(point_triangle_classify(x[0], x[1], x[2], x[3]) == type);
        CHECK_NEAR(d2, mpq_get_d(truth), 1e-13);
        CHECK_NEAR(point_triangle_true_distance2(x[0], x[1], x[2], x[3]), d2, 1e-13);
        /* On the border the lower-dimensional feature wins. */
        for (int i = 1; i < 4; i++)
            if (type > PT_P_T2 && vec3_norm2(n) > 0.0)
                CHECK(point_point_distance2(x[0], x[i]) > mpq_get_d(truth));
        for (int i = 0; i < 4; i++) rational3_clear(&q[i]);
    }
    CHECK(flat > 100);
    for (int i = 0; i < PT_TYPES; i++) CHECK(seen[i] > 100);
    mpq_clear(truth);
}

TEST(edge_edge_on_lattice)
{
    random_state r = {5};
    int seen[EE_TYPES] = {0}, parallel = 0, touching = 0;
    mpq_t truth;
    mpq_init(truth);
    for (int trial = 0; trial < 8000; trial++) {
        vec3 x[4];
        rational3 q[4];
        for (int i = 0; i < 4; i++) x[i] = lattice_vec3(&r, trial % 2 ? 1 : 3);
        if (trial % 5 == 0) /* in one plane */
            for (int i = 0; i < 4; i++) x[i].z = 1.0;
        if (trial % 7 == 0) /* parallel, collinear now and then */
            x[3] = vec3_mul_add(x[2], trial % 2 ? 1.0 : -2.0, vec3_sub(x[1], x[0]));
        for (int i = 0; i < 4; i++) {
            rational3_init(&q[i]);
            rational3_set(&q[i], x[i]);
        }
        rational_segment_segment(truth, q, q + 2);
        edge_edge_type type;
        double weight[4], d2 = edge_edge_closest(x[0], x[1], x[2], x[3], &type, weight);
        seen[type]++;
        vec3 n = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[3], x[2]));
        parallel += vec3_norm2(n) == 0.0;
        touching += mpq_sgn(truth) == 0;
        check_feature(&edge_edge_features[type], x, truth);
        check_weights(x, weight, 4, 2, d2);
        CHECK(edge_edge_classify(x[0], x[1], x[2], x[3]) == type);
        CHECK_NEAR(d2, mpq_get_d(truth), 1e-13);
        CHECK_NEAR(edge_edge_true_distance2(x[0], x[1], x[2], x[3]), d2, 1e-13);
        for (int i = 0; i < 4; i++) rational3_clear(&q[i]);
    }
    CHECK(parallel > 500);
    CHECK(touching > 100);
    for (int i = 0; i < EE_TYPES; i++) CHECK(seen[i] > 100);
    mpq_clear(truth);
}

/* ---- Accuracy of values ---- */

/* Tiny gaps far from the origin, slivers and nearly parallel edges: the distance is right to a few
 * units in the last place of the edge lengths, whatever the angle. */
TEST(tiny_gaps_and_angles)
{
    random_state r = {6};
    for (int trial = 0; trial < 8000; trial++) {
        double gap = pow(10.0, random_range(&r, -9.0, 0.0));
        double sine = pow(10.0, random_range(&r, -17.0, 0.0));
        double far = trial % 2 ? 1000.0 : 0.0;
        vec3 x[4];
        near_pair(&r, STENCIL_PT, gap, sine, far, x);
        double truth = sqrt(rational_point_triangle_d(x[0], x[1], x[2], x[3]));
        double d = sqrt(point_triangle_closest(x[0], x[1], x[2], x[3], NULL, NULL));
        double best = sqrt(point_triangle_true_distance2(x[0], x[1], x[2], x[3]));
        /* Below the threshold the face is replaced by its edges: off by its height at most. */
        double height = DISTANCE_PARALLEL_SINE;
        CHECK_NEAR(d, truth, 2e-15 + (sine < 1.001 * height ? hypot(truth, height) - truth : 0.0));
        CHECK_NEAR(best, truth, 2e-15);

        near_pair(&r, STENCIL_EE, gap, sine, far, x);
        truth = sqrt(rational_segment_segment_d(x[0], x[1], x[2], x[3]));
        d = sqrt(edge_edge_closest(x[0], x[1], x[2], x[3], NULL, NULL));
        best = sqrt(edge_edge_true_distance2(x[0], x[1], x[2], x[3]));
        CHECK_NEAR(d, truth, 2e-15 + (sine < 1.001 * height ? hypot(truth, height) - truth : 0.0));
        CHECK_NEAR(best, truth, 2e-15);

        near_pair(&r, STENCIL_PE, gap, sine, far, x);
        truth = sqrt(rational_point_segment_d(x[0], x[1], x[2]));
        CHECK_NEAR(sqrt(point_edge_closest(x[0], x[1], x[2], NULL, NULL)), truth, 1e-15);
    }
}

/* The proof by normals never claims more than the truth, and finds what is clear. */
TEST(quick_proofs_of_distance)
{
    random_state r = {9};
    for (int trial = 0; trial < 8000; trial++) {
        double gap = pow(10.0, random_range(&r, -9.0, 0.0));
        double sine = pow(10.0, random_range(&r, -6.0, 0.0));
        vec3 x[4];
        near_pair(&r, STENCIL_PT, gap, sine, trial % 2 ? 1000.0 : 0.0, x);
        double truth = sqrt(rational_point_triangle_d(x[0], x[1], x[2], x[3])) + 1e-13;
        CHECK(!plane_keeps_apart(x[0], x[1], x[2], x[3], truth * truth));
        if (sine > 0.02) CHECK(plane_keeps_apart(x[0], x[1], x[2], x[3], 0.9 * gap * gap));
        near_pair(&r, STENCIL_EE, gap, sine, trial % 2 ? 1000.0 : 0.0, x);
        truth = sqrt(rational_segment_segment_d(x[0], x[1], x[2], x[3])) + 1e-13;
        CHECK(!lines_keep_apart(x[0], x[1], x[2], x[3], truth * truth));
        if (sine > 0.02) CHECK(lines_keep_apart(x[0], x[1], x[2], x[3], 0.9 * gap * gap));
        for (int i = 0; i < 4; i++) x[i] = random_vec3(&r, 1);
        truth = sqrt(rational_segment_segment_d(x[0], x[1], x[2], x[3])) + 1e-13;
        CHECK(!lines_keep_apart(x[0], x[1], x[2], x[3], truth * truth));
        truth = sqrt(rational_point_triangle_d(x[0], x[1], x[2], x[3])) + 1e-13;
        CHECK(!plane_keeps_apart(x[0], x[1], x[2], x[3], truth * truth));
    }
}

/* The switch to end points and edges happens at a sine of 1e-10. (The gap is small, since the feet
 * of the perpendicular are uncertain by gap * eps / sine^2.) */
TEST(parallel_threshold)
{
    random_state r = {8};
    for (int trial = 0; trial < 1000; trial++) {
        double sine = pow(10.0, random_range(&r, -12.0, -5.0));
        if (sine > 0.9e-10 && sine < 1.1e-10) continue;
        vec3 x[4];
        near_pair(&r, STENCIL_EE, 1e-9, sine, 0.0, x);
        CHECK((edge_edge_classify(x[0], x[1], x[2], x[3]) == EE_A_B) == (sine > 1e-10));
        near_pair(&r, STENCIL_PT, 1e-9, sine, 0.0, x);
        CHECK((point_triangle_classify(x[0], x[1], x[2], x[3]) == PT_P_T) == (sine > 1e-10));
    }
}

/* Random pairs of all types and sizes: small relative error of the true distance. */
TEST(random_pairs_against_rationals)
{
    random_state r = {7};
    for (int trial = 0; trial < 8000; trial++) {
        vec3 x[4];
        double scale = pow(10.0, random_range(&r, -6.0, 6.0));
        for (int i = 0; i < 4; i++) x[i] = random_vec3(&r, scale);
        double truth = sqrt(rational_point_triangle_d(x[0], x[1], x[2], x[3]));
        CHECK_NEAR(sqrt(point_triangle_true_distance2(x[0], x[1], x[2], x[3])), truth,
                   1e-15 * (scale + truth));
        truth = sqrt(rational_segment_segment_d(x[0], x[1], x[2], x[3]));
        CHECK_NEAR(sqrt(edge_edge_true_distance2(x[0], x[1], x[2], x[3])), truth,
                   1e-15 * (scale + truth));
    }
}

TEST(degenerate_input_is_finite)
{
    vec3 a = {1.5, -2.0, 0.25}, b = {1.5, -2.0, 0.75};
    double weight[4];
    point_triangle_type pt;
    edge_edge_type ee;
    CHECK(point_triangle_closest(a, a, a, a, &pt, weight) == 0.0 && pt == PT_P_T0);
    CHECK(point_triangle_closest(b, a, a, a, &pt, weight) == 0.25 && pt == PT_P_T0);
    CHECK(edge_edge_closest(a, a, a, a, &ee, weight) == 0.0 && ee == EE_A0_B0);
    CHECK(edge_edge_closest(a, a, b, b, &ee, weight) == 0.25 && ee == EE_A0_B0);
    CHECK(edge_edge_closest(a, b, a, b, &ee, weight) == 0.0);
    /* Crossing in one plane: distance zero, and finite derivatives. */
    vec3 x[4] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
    double g[12], h[144];
    CHECK(edge_edge_closest(x[0], x[1], x[2], x[3], &ee, weight) == 0.0 && ee == EE_A_B);
    CHECK(edge_edge_hessian(x[0], x[1], x[2], x[3], g, h) == 0.0);
    CHECK(largest_abs(12, g) == 0.0 && largest_abs(144, h) == 0.5);
    /* Lengths far beyond use still give a type and a finite distance. */
    for (int e = -150; e <= 100; e += 10) {
        double s = pow(10.0, e);
        vec3 y[4];
        for (int i = 0; i < 4; i++) y[i] = vec3_add(vec3_scale(s, x[i]), vec3_make(0, 0, i * s));
        CHECK(isfinite(edge_edge_closest(y[0], y[1], y[2], y[3], &ee, weight)) && ee < EE_TYPES);
        CHECK(isfinite(point_triangle_closest(y[0], y[1], y[2], y[3], &pt, weight)));
        CHECK(pt < PT_TYPES);
    }
}

int main(void)
{
    RUN(derivatives_at_random);
    RUN(derivatives_near_degenerate);
    RUN(half_space);
    RUN(point_edge_on_lattice);
    RUN(point_triangle_on_lattice);
    RUN(edge_edge_on_lattice);
    RUN(tiny_gaps_and_angles);
    RUN(quick_proofs_of_distance);
    RUN(parallel_threshold);
    RUN(random_pairs_against_rationals);
    RUN(degenerate_input_is_finite);
    return TEST_END();
}

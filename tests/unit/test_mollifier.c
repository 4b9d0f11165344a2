/* The mollifier of parallel edges: values, smoothness, derivatives against 113-bit differences. */
#include "test.h"

#include "base/random.h"
#include "geometry/mollifier.h"
#include "support/quad.h"

static vec3 random_vec3(random_state *r)
{
    double x = random_range(r, -1, 1), y = random_range(r, -1, 1);
    return vec3_make(x, y, random_range(r, -1, 1));
}

/* Two edges of about unit length whose angle has the given sine. */
static void edge_pair(random_state *r, double sine, vec3 x[4])
{
    vec3 t = vec3_normalize(random_vec3(r)), b = vec3_normalize(vec3_cross(t, random_vec3(r)));
    vec3 v = vec3_mul_add(vec3_scale(sqrt(1 - sine * sine), t), sine, b);
    x[0] = random_vec3(r);
    x[1] = vec3_mul_add(x[0], random_range(r, 0.5, 2.0), t);
    x[2] = random_vec3(r);
    x[3] = vec3_mul_add(x[2], random_range(r, 0.5, 2.0), v);
}

TEST(values)
{
    CHECK(mollifier_value(0.0, 2.0) == 0.0);
    CHECK_NEAR(mollifier_value(1.0, 2.0), 0.75, 1e-16);
    CHECK(mollifier_value(2.0, 2.0) == 1.0);
    CHECK(mollifier_value(5.0, 2.0) == 1.0);
    CHECK(mollifier_value(0.0, 0.0) == 1.0); /* an edge without rest length is never mollified */
    CHECK(mollifier_first(0.0, 0.0) == 0.0 && mollifier_second(0.0, 0.0) == 0.0);
    /* C1 at the threshold. */
    CHECK_NEAR(mollifier_first(2.0 - 1e-9, 2.0), 0.0, 1e-9);
    CHECK(mollifier_first(2.0, 2.0) == 0.0);
    CHECK_NEAR(mollifier_second(1.0, 2.0), -0.5, 1e-16);
    vec3 a0 = {0, 0, 0}, a1 = {2, 0, 0}, b0 = {5, 5, 5}, b1 = {5, 5, 8};
    CHECK_NEAR(mollifier_threshold(a0, a1, b0, b1), 1e-3 * 4 * 9, 1e-15);
    CHECK_NEAR(edge_cross2(a0, a1, b0, b1), 36.0, 1e-14);
}

static double scale_of(int n, const double *a)
{
    double m = 0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i]));
    return m;
}

TEST(cross_derivatives)
{
    random_state r = {11};
    for (int trial = 0; trial < 200; trial++) {
        vec3 x[4];
        double flat[12], g[12], h[144], g_ref[12], h_ref[144];
        edge_pair(&r, trial % 2 ? 1e-5 : random_unit(&r), x);
        for (int i = 0; i < 4; i++) vec3_store(flat + 3 * i, x[i]);
        quad_derivatives(quad_cross2, 12, flat, 1e-8, g_ref, h_ref);
        double c = edge_cross2_hessian(x[0], x[1], x[2], x[3], g, h);
        CHECK(c == edge_cross2(x[0], x[1], x[2], x[3]));
        for (int i = 0; i < 12; i++) CHECK_NEAR(g[i], g_ref[i], 1e-10 * scale_of(12, g_ref));
        for (int i = 0; i < 144; i++) CHECK_NEAR(h[i], h_ref[i], 1e-13 * scale_of(144, h_ref));
    }
}

static quad quad_threshold;

static quad quad_mollifier(const quad *x)
{
    quad ratio = quad_cross2(x) / quad_threshold;
    return ratio < 1 ? (2 - ratio) * ratio : 1;
}

TEST(mollifier_derivatives)
{
    random_state r = {12};
    int active = 0;
    for (int trial = 0; trial < 300; trial++) {
        vec3 x[4];
        double flat[12], g[12], only[12], h[144], g_ref[12], h_ref[144];
        edge_pair(&r, pow(10.0, random_range(&r, -6.0, -1.0)), x);
        double threshold = mollifier_threshold(x[0], x[1], x[2], x[3]);
        quad_threshold = threshold;
        for (int i = 0; i < 4; i++) vec3_store(flat + 3 * i, x[i]);
        quad_derivatives(quad_mollifier, 12, flat, 1e-10, g_ref, h_ref);
        double e = edge_mollifier_hessian(x[0], x[1], x[2], x[3], threshold, g, h);
        CHECK(e == edge_mollifier(x[0], x[1], x[2], x[3], threshold));
        CHECK(e == edge_mollifier_gradient(x[0], x[1], x[2], x[3], threshold, only));
        CHECK(memcmp(only, g, sizeof g) == 0);
        CHECK(e > 0.0 && e <= 1.0);
        active += e < 1.0;
        double gs = scale_of(12, g_ref), hs = scale_of(144, h_ref);
        for (int i = 0; i < 12; i++) CHECK_NEAR(g[i], g_ref[i], 1e-9 * gs);
        for (int i = 0; i < 144; i++) CHECK_NEAR(h[i], h_ref[i], 1e-9 * hs);
    }
    CHECK(active > 100 && active < 290);
}

int main(void)
{
    RUN(values);
    RUN(cross_derivatives);
    RUN(mollifier_derivatives);
    return TEST_END();
}

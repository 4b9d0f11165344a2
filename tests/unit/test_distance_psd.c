/* Semi-definite Hessians of functions of a distance against the projection of the full matrix. */
#include "test.h"

#include "base/random.h"
#include "geometry/distance_psd.h"
#include "math/eigen.h"

static vec3 random_vec3(random_state *r)
{
    double x = random_range(r, -1, 1), y = random_range(r, -1, 1);
    return vec3_make(x, y, random_range(r, -1, 1));
}

/* Derivatives with the sign pattern of a barrier, and others. */
static void outer_function(random_state *r, int trial, double s, double *first, double *second)
{
    double hat = s * random_range(r, 1.01, 50.0), log_ratio = log(s / hat);
    *first = (hat - s) * (2 * log_ratio - hat / s + 1);
    *second = -2 * log_ratio + (hat - s) * (hat + 3 * s) / (s * s);
    if (trial % 4 == 1) *first = -*first;
    if (trial % 4 == 2) *second = -0.1 * *second;
    if (trial % 8 == 3) *second = 0.0;
}

static void check_stencil(random_state *r, int trial, stencil_kind kind, const vec3 *x,
                          double tolerance)
{
    int n = 3 * stencil_size(kind);
    double gradient[12], full[144], fast[144], first, second;
    double s = stencil_hessian(kind, x, gradient, full);
    outer_function(r, trial, s, &first, &second);
    double scale = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double *h = &full[n * i + j];
            *h = second * gradient[i] * gradient[j] + first * *h;
            scale = fmax(scale, fabs(*h));
        }
    psd_project(n, full);
    stencil_psd_hessian(kind, x, first, second, fast);
    for (int i = 0; i < n * n; i++) CHECK_NEAR(fast[i] / scale, full[i] / scale, tolerance);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            CHECK_NEAR(fast[n * i + j] / scale, fast[n * j + i] / scale, 1e-14);
}

TEST(random_stencils)
{
    random_state r = {1};
    for (int trial = 0; trial < 400; trial++)
        for (int kind = 0; kind < STENCIL_KINDS; kind++) {
            vec3 x[4];
            for (int i = 0; i < 4; i++) x[i] = random_vec3(&r);
            check_stencil(&r, trial, (stencil_kind)kind, x, 1e-10);
        }
}

/* Contacts as they occur: a gap of a thousandth of the edges and less, feet inside. */
TEST(near_contacts)
{
    random_state r = {2};
    for (int trial = 0; trial < 400; trial++) {
        double gap = pow(10.0, random_range(&r, -6.0, -1.0)), a = random_unit(&r);
        vec3 n = vec3_normalize(random_vec3(&r)), u = random_vec3(&r), v = random_vec3(&r);
        u = vec3_mul_add(u, -vec3_dot(u, n), n);
        v = vec3_mul_add(v, -vec3_dot(v, n), n);
        if (vec3_norm(vec3_cross(u, v)) < 0.05) continue;
        vec3 o = random_vec3(&r), top = vec3_mul_add(o, gap, n);
        vec3 pp[2] = {top, o}, pe[3] = {top, vec3_mul_add(o, -a, u), vec3_mul_add(o, 1 - a, u)};
        vec3 pt[4] = {top, vec3_mul_add(o, -a, u), vec3_mul_add(vec3_add(o, u), -a, u),
                      vec3_add(o, v)};
        vec3 ee[4] = {vec3_mul_add(top, -a, u), vec3_mul_add(top, 1 - a, u),
                      vec3_mul_add(o, -0.3, v), vec3_mul_add(o, 0.7, v)};
        check_stencil(&r, trial, STENCIL_PP, pp, 1e-9);
        check_stencil(&r, trial, STENCIL_PE, pe, 1e-9);
        check_stencil(&r, trial, STENCIL_PT, pt, 1e-9);
        check_stencil(&r, trial, STENCIL_EE, ee, 1e-9);
    }
}

TEST(half_space)
{
    vec3 p = {1, 2, 3}, o = {0, 0, 0}, n = {0, 0.6, 0.8};
    double h[9], d = half_space_distance(p, o, n);
    half_space_psd_hessian(p, o, n, -1.0, 2.0, h);
    CHECK_NEAR(h[5], (-2.0 + 8.0 * d * d) * 0.48, 1e-13);
    half_space_psd_hessian(p, o, n, -1.0, 0.0, h);
    CHECK(h[4] == 0.0 && h[8] == 0.0);
}

/* A vanishing gap gives a finite matrix. */
TEST(touching)
{
    vec3 x[4] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double h[144];
    for (int kind = 0; kind < STENCIL_EE; kind++) {
        int n = 3 * stencil_size((stencil_kind)kind);
        stencil_psd_hessian((stencil_kind)kind, x, -1.0, 1.0, h);
        for (int i = 0; i < n * n; i++) CHECK(isfinite(h[i]));
    }
}

int main(void)
{
    RUN(random_stencils);
    RUN(near_contacts);
    RUN(half_space);
    RUN(touching);
    return TEST_END();
}

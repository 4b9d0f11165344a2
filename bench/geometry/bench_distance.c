/* Nanoseconds per call of the distance kernels, as CSV: kernel, nanoseconds. */
#include "base/memory.h"
#include "base/random.h"
#include "base/timer.h"
#include "geometry/distance.h"
#include "geometry/distance_psd.h"
#include "geometry/mollifier.h"
#include "geometry/tangent.h"

#include <stdio.h>
#include <stdlib.h>

enum { STENCILS = 1024, ROUNDS = 200, REPEATS = 5 };

static double sink; /* keeps results alive */

typedef double (*kernel)(const vec3 *x);

static double pp_hessian(const vec3 *x)
{
    double g[6], h[36];
    return stencil_hessian(STENCIL_PP, x, g, h) + h[0];
}
static double pe_gradient(const vec3 *x)
{
    double g[9];
    return point_edge_gradient(x[0], x[1], x[2], g) + g[8];
}
static double pe_hessian(const vec3 *x)
{
    double g[9], h[81];
    return point_edge_hessian(x[0], x[1], x[2], g, h) + h[80];
}
static double pt_distance(const vec3 *x)
{
    return point_triangle_distance2(x[0], x[1], x[2], x[3]);
}
static double pt_gradient(const vec3 *x)
{
    double g[12];
    return point_triangle_gradient(x[0], x[1], x[2], x[3], g) + g[11];
}
static double pt_hessian(const vec3 *x)
{
    double g[12], h[144];
    return point_triangle_hessian(x[0], x[1], x[2], x[3], g, h) + h[143];
}
static double ee_distance(const vec3 *x) { return edge_edge_distance2(x[0], x[1], x[2], x[3]); }
static double ee_gradient(const vec3 *x)
{
    double g[12];
    return edge_edge_gradient(x[0], x[1], x[2], x[3], g) + g[11];
}
static double ee_hessian(const vec3 *x)
{
    double g[12], h[144];
    return edge_edge_hessian(x[0], x[1], x[2], x[3], g, h) + h[143];
}
static double pt_classify(const vec3 *x)
{
    return (double)point_triangle_classify(x[0], x[1], x[2], x[3]);
}
static double ee_classify(const vec3 *x)
{
    return (double)edge_edge_classify(x[0], x[1], x[2], x[3]);
}
static double pt_true(const vec3 *x)
{
    return point_triangle_true_distance2(x[0], x[1], x[2], x[3]);
}
static double ee_true(const vec3 *x) { return edge_edge_true_distance2(x[0], x[1], x[2], x[3]); }
static double mollifier(const vec3 *x)
{
    double g[12], h[144];
    return edge_mollifier_hessian(x[0], x[1], x[2], x[3], 1e9, g, h) + h[143];
}
/* A barrier's derivatives: f' < 0 < f''. */
static double pp_psd(const vec3 *x)
{
    double h[36];
    stencil_psd_hessian(STENCIL_PP, x, -1.0, 2.0, h);
    return h[35];
}
static double pe_psd(const vec3 *x)
{
    double h[81];
    stencil_psd_hessian(STENCIL_PE, x, -1.0, 2.0, h);
    return h[80];
}
static double pt_psd(const vec3 *x)
{
    double h[144];
    stencil_psd_hessian(STENCIL_PT, x, -1.0, 2.0, h);
    return h[143];
}
static double ee_psd(const vec3 *x)
{
    double h[144];
    stencil_psd_hessian(STENCIL_EE, x, -1.0, 2.0, h);
    return h[143];
}
static double tangent(const vec3 *x) { return tangent_frame_of(STENCIL_EE, x).column[1].x; }

static double nanoseconds(kernel run, const vec3 (*x)[4])
{
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = timer_now();
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < STENCILS; i++) sink += run(x[i]);
        best = fmin(best, timer_now() - start);
    }
    return best / ((double)STENCILS * ROUNDS) * 1e9;
}

int main(void)
{
    static const struct {
        const char *name;
        kernel run;
    } kernels[] = {
        {"point_point_hessian", pp_hessian},      {"point_edge_gradient", pe_gradient},
        {"point_edge_hessian", pe_hessian},       {"point_triangle_distance2", pt_distance},
        {"point_triangle_gradient", pt_gradient}, {"point_triangle_hessian", pt_hessian},
        {"edge_edge_distance2", ee_distance},     {"edge_edge_gradient", ee_gradient},
        {"edge_edge_hessian", ee_hessian},        {"point_triangle_classify", pt_classify},
        {"edge_edge_classify", ee_classify},      {"point_triangle_true_distance2", pt_true},
        {"edge_edge_true_distance2", ee_true},    {"edge_mollifier_hessian", mollifier},
        {"point_point_psd_hessian", pp_psd},      {"point_edge_psd_hessian", pe_psd},
        {"point_triangle_psd_hessian", pt_psd},   {"edge_edge_psd_hessian", ee_psd},
        {"tangent_frame_edge_edge", tangent},
    };
    vec3(*x)[4] = mem_alloc(STENCILS, sizeof *x);
    if (!x) return EXIT_FAILURE;
    random_state r = {1};
    for (int i = 0; i < STENCILS; i++)
        for (int k = 0; k < 4; k++) {
            double a = random_unit(&r), b = random_unit(&r);
            x[i][k] = vec3_make(a, b, random_unit(&r));
        }
    printf("kernel,nanoseconds\n");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        printf("%s,%.1f\n", kernels[k].name, nanoseconds(kernels[k].run, (const vec3(*)[4])x));
    mem_free(x);
    return sink == 0.12345 ? EXIT_FAILURE : EXIT_SUCCESS;
}

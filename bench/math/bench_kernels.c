/* Nanoseconds per call of the small dense kernels, as CSV: kernel,case,ns_per_call. Each figure is
 * the best of several passes over a set of different inputs. */
#include "base/random.h"
#include "base/timer.h"
#include "fem/tet4.h"
#include "math/eigen.h"
#include "math/svd.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLES = 256, PASSES = 40, MAX_ENTRIES = EIGEN_MAX * EIGEN_MAX };

typedef struct bench_input {
    mat3 f[SAMPLES];
    int n;
    double dense[SAMPLES][MAX_ENTRIES];
} bench_input;

static bench_input input;
static volatile double sink;

typedef double (*kernel)(int sample);

static void report(const char *name, const char *label, kernel run)
{
    double best = INFINITY, sum = 0.0;
    for (int pass = 0; pass < PASSES; pass++) {
        double start = timer_now();
        for (int k = 0; k < SAMPLES; k++) sum += run(k);
        best = fmin(best, timer_now() - start);
    }
    sink = sum;
    printf("%s,%s,%.1f\n", name, label, best / SAMPLES * 1e9);
}

static mat3 random_matrix(random_state *r, double size)
{
    mat3 a;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] = random_range(r, -size, size);
    return a;
}

/* Deformation gradients: strain around a random rotation. */
static void fill_deformations(double strain)
{
    random_state r = {11};
    for (int k = 0; k < SAMPLES; k++) {
        mat3 u, v;
        double s[3];
        svd3(random_matrix(&r, 1.0), &u, s, &v);
        input.f[k] = mat3_mul(u, mat3_add(mat3_identity(), random_matrix(&r, strain)));
    }
}

/* Random symmetric n x n matrices plus a multiple of the identity. */
static void fill_dense(int n, double shift)
{
    random_state r = {12};
    input.n = n;
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                input.dense[k][i * n + j] = input.dense[k][j * n + i] =
                    random_range(&r, -1, 1) + (i == j ? shift : 0.0);
}

/* Rank-deficient positive semi-definite matrices, like Hessians blind to translations. */
static void fill_singular(int n, int rank)
{
    random_state r = {13};
    input.n = n;
    for (int k = 0; k < SAMPLES; k++) {
        memset(input.dense[k], 0, sizeof input.dense[k]);
        for (int q = 0; q < rank; q++) {
            double x[EIGEN_MAX];
            for (int i = 0; i < n; i++) x[i] = random_range(&r, -1, 1);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) input.dense[k][i * n + j] += x[i] * x[j];
        }
    }
}

static double run_svd3(int k)
{
    mat3 u, v;
    double s[3];
    svd3(input.f[k], &u, s, &v);
    return s[0] + u.m[0][0] + v.m[0][0];
}

static double run_svd32(int k)
{
    mat3 u;
    double s[2], v[4];
    svd32(mat3_column(input.f[k], 0), mat3_column(input.f[k], 1), &u, s, v);
    return s[0] + u.m[0][0] + v[0];
}

static double run_eigen3(int k)
{
    mat3 v;
    double values[3];
    eigen3(input.f[k], values, &v);
    return values[0] + v.m[0][0];
}

static double run_psd3(int k)
{
    mat3 a = input.f[k];
    a.m[0][1] = a.m[1][0];
    a.m[0][2] = a.m[2][0];
    a.m[1][2] = a.m[2][1];
    psd_project3(&a);
    return a.m[0][0];
}

static double run_eigen(int k)
{
    double values[EIGEN_MAX], vectors[MAX_ENTRIES];
    eigen_symmetric(input.n, input.dense[k], values, vectors);
    return values[0] + vectors[1];
}

static double run_psd(int k)
{
    double a[MAX_ENTRIES];
    memcpy(a, input.dense[k], sizeof(double) * (size_t)(input.n * input.n));
    psd_project(input.n, a);
    return a[0] + a[1];
}

/* The element: F acting on the unit tetrahedron. */

static elastic_parameters material;
static const tet4_rest rest = {.dm_inverse = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                               .volume = 1.0 / 6.0};

static void positions(int k, vec3 x[4])
{
    x[0] = vec3_make(0, 0, 0);
    for (int j = 0; j < 3; j++) x[j + 1] = mat3_column(input.f[k], j);
}

static double run_tet_energy(int k)
{
    vec3 x[4];
    positions(k, x);
    return tet4_energy(&rest, &material, x);
}

static double run_tet_gradient(int k)
{
    vec3 x[4], gradient[4];
    positions(k, x);
    return tet4_evaluate(&rest, &material, x, true, gradient, NULL) + gradient[0].x;
}

static double run_tet_hessian(int k)
{
    vec3 x[4], gradient[4];
    mat3 blocks[TET4_BLOCKS];
    positions(k, x);
    return tet4_evaluate(&rest, &material, x, true, gradient, blocks) + blocks[0].m[0][0];
}

static double motion;

static double run_tet_step(int k)
{
    vec3 x[4], direction[4];
    positions(k, x);
    positions((k + 1) % SAMPLES, direction);
    for (int j = 0; j < 4; j++) direction[j] = vec3_scale(motion, direction[j]);
    return tet4_max_step(x, direction, 0.2);
}

static double run_hessian9(int k)
{
    double hessian[81];
    elastic_hessian(&material, input.f[k], true, hessian);
    return hessian[0];
}

static void bench_elastic(void)
{
    static const char *const names[] = {"neo-hookean", "fixed corotated", "linear", "svk"};
    for (int model = 0; model < 4; model++) {
        material = elastic_from_young((elastic_model)model, 1e5, 0.4);
        fill_deformations(0.2);
        report("tet4_energy", names[model], run_tet_energy);
        report("tet4 gradient", names[model], run_tet_gradient);
        report("tet4 projected hessian", names[model], run_tet_hessian);
        report("elastic_hessian 9x9", names[model], run_hessian9);
    }
}

static void bench_small(void)
{
    fill_deformations(0.2);
    motion = 0.05;
    report("tet4_max_step", "small motion", run_tet_step);
    motion = 1.0;
    report("tet4_max_step", "large motion", run_tet_step);
    fill_deformations(0.0);
    report("svd3", "rotation", run_svd3);
    fill_deformations(0.2);
    report("svd3", "strain 0.2", run_svd3);
    report("svd32", "strain 0.2", run_svd32);
    report("eigen3", "strain 0.2", run_eigen3);
    report("psd_project3", "strain 0.2", run_psd3);
    fill_deformations(2.0);
    report("svd3", "strain 2", run_svd3);
    for (int k = 0; k < SAMPLES; k++) input.f[k].m[2][2] *= 1e-8;
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < 3; i++) input.f[k].m[i][2] = input.f[k].m[i][0] * (1.0 + 1e-12 * i);
    report("svd3", "nearly singular", run_svd3);
}

/* Matrices whose 3x3 blocks sum to zero along rows: a random one minus its mean over points. */
static void make_blind(int n)
{
    for (int k = 0; k < SAMPLES; k++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < n; i++)
                for (int c = 0; c < 3; c++) {
                    double mean = 0.0;
                    for (int j = c; j < n; j += 3)
                        mean += input.dense[k][side ? j * n + i : i * n + j] * 3.0 / n;
                    for (int j = c; j < n; j += 3)
                        input.dense[k][side ? j * n + i : i * n + j] -= mean;
                }
}

static double run_stencil(int k)
{
    double a[MAX_ENTRIES];
    memcpy(a, input.dense[k], sizeof(double) * (size_t)(input.n * input.n));
    psd_project_stencil(input.n / 3, a);
    return a[0] + a[1];
}

static void bench_stencils(void)
{
    for (int points = 2; points <= 4; points++) {
        char label[64];
        fill_dense(3 * points, 0.0);
        make_blind(3 * points);
        snprintf(label, sizeof label, "points=%d indefinite", points);
        report("psd_project_stencil", label, run_stencil);
        report("psd_project on stencil", label, run_psd);
        fill_dense(3 * points, 3 * points);
        make_blind(3 * points);
        snprintf(label, sizeof label, "points=%d semidefinite", points);
        report("psd_project_stencil", label, run_stencil);
        report("psd_project on stencil", label, run_psd);
    }
}

static void bench_dense(void)
{
    const int sizes[] = {6, 9, 12, 18, 24};
    for (int k = 0; k < 5; k++) {
        char label[64];
        int n = sizes[k];
        fill_dense(n, 0.0);
        snprintf(label, sizeof label, "n=%d indefinite", n);
        report("eigen_symmetric", label, run_eigen);
        report("psd_project", label, run_psd);
        fill_dense(n, n);
        snprintf(label, sizeof label, "n=%d definite", n);
        report("psd_project", label, run_psd);
        fill_singular(n, n - 3);
        snprintf(label, sizeof label, "n=%d semidefinite", n);
        report("psd_project", label, run_psd);
    }
}

int main(void)
{
    puts("kernel,case,ns_per_call");
    bench_small();
    bench_elastic();
    bench_dense();
    bench_stencils();
    return 0;
}

/* Gradients and Hessians of a whole problem, as Newton's method sees them, against finite
 * differences. */
#ifndef SUPPORT_DIFFERENCES_H
#define SUPPORT_DIFFERENCES_H

#include "math/eigen.h"
#include "solve/problem.h"
#include "support/evaluation.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { MAX_NODES = 40, MAX_N = 3 * MAX_NODES };

static inline double value_at(problem *p, const double *x)
{
    abut_error err;
    CHECK_OK(problem_update(p, &test_evaluation, x, &err), err);
    return problem_value(p, &test_evaluation, x);
}

/* Gradient over all coordinates (no fixed ones) at x. */
static inline void gradient_at(problem *p, const double *x, double *g)
{
    abut_error err;
    CHECK_OK(problem_update(p, &test_evaluation, x, &err), err);
    CHECK_OK(problem_derivatives(p, &test_evaluation, x, false, &err), err);
    memcpy(g, p->gradient, 3 * (size_t)p->block_count * sizeof *g);
}

static inline double largest_of(const double *v, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    return largest;
}

/* Gradient against central differences of the value with step h. */
static inline void check_gradient(problem *p, const double *x0, double h, double tolerance)
{
    int n = 3 * p->block_count;
    double x[MAX_N], g[MAX_N], expected[MAX_N];
    memcpy(x, x0, (size_t)n * sizeof *x);
    gradient_at(p, x0, g);
    for (int i = 0; i < n; i++) {
        double sum = 0; /* fourth order */
        static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
        for (int k = 0; k < 4; k++) {
            x[i] = x0[i] + at[k] * h;
            sum += weight[k] * value_at(p, x);
        }
        x[i] = x0[i];
        expected[i] = sum / (12 * h);
    }
    double scale = largest_of(expected, n);
    CHECK(scale > 0);
    for (int i = 0; i < n; i++) CHECK_NEAR(g[i], expected[i], tolerance * scale);
}

static double full[MAX_N * MAX_N], expected_h[MAX_N * MAX_N];

/* The assembled matrix as a dense one. */
static inline void dense_matrix(const block_matrix *m, double *out)
{
    int n = 3 * m->size;
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int j = 0; j < n; j++)
        for (int32_t k = m->scalar_start[j]; k < m->scalar_start[j + 1]; k++) {
            int i = m->scalar_row[k];
            if (i >= j) out[n * i + j] = out[n * j + i] = m->value[k];
        }
}

static inline void difference_hessian(problem *p, const double *x0, double h, double *out)
{
    int n = 3 * p->block_count;
    double x[MAX_N], g[4][MAX_N];
    memcpy(x, x0, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) {
        static const double at[4] = {-2, -1, 1, 2};
        for (int k = 0; k < 4; k++) {
            x[i] = x0[i] + at[k] * h;
            gradient_at(p, x, g[k]);
        }
        x[i] = x0[i];
        for (int j = 0; j < n; j++)
            out[n * i + j] = (g[0][j] - 8 * g[1][j] + 8 * g[2][j] - g[3][j]) / (12 * h);
    }
}

/* The Hessian that is not projected against differences of the gradient, in expected_h. */
static inline void check_true_hessian(problem *p, const double *x, double tolerance)
{
    int n = 3 * p->block_count;
    abut_error err;
    evaluation exact = test_evaluation;
    exact.exact = true;
    CHECK_OK(problem_update(p, &exact, x, &err), err);
    CHECK_OK(problem_derivatives(p, &exact, x, true, &err), err);
    dense_matrix(&p->matrix, full);
    double scale = largest_of(expected_h, n * n);
    for (int i = 0; i < n * n; i++) CHECK_NEAR(full[i], expected_h[i], tolerance * scale);
}

/* Hessian against differences of the gradient, after projecting those where
 * `project`: right for terms with a single stencil, or whose Hessian is
 * definite anyway. */
static inline void check_hessian(problem *p, const double *x0, double h, double tolerance,
                                 bool project)
{
    int n = 3 * p->block_count;
    difference_hessian(p, x0, h, expected_h);
    check_true_hessian(p, x0, tolerance);
    if (project && n <= EIGEN_MAX) psd_project(n, expected_h);
    abut_error err;
    CHECK_OK(problem_update(p, &test_evaluation, x0, &err), err);
    CHECK_OK(problem_derivatives(p, &test_evaluation, x0, true, &err), err);
    dense_matrix(&p->matrix, full);
    double scale = largest_of(expected_h, n * n);
    CHECK(scale > 0);
    for (int i = 0; i < n * n; i++) CHECK_NEAR(full[i], expected_h[i], tolerance * scale);
}

/* For Hessians whose parts are projected one by one: the matrix may only lie above differences of
 * the gradient, never below. */
static inline void check_majorant(problem *p, const double *x0, double h, double tolerance)
{
    int n = 3 * p->block_count;
    if (n > EIGEN_MAX) return;
    difference_hessian(p, x0, h, expected_h);
    check_true_hessian(p, x0, tolerance);
    abut_error err;
    CHECK_OK(problem_update(p, &test_evaluation, x0, &err), err);
    CHECK_OK(problem_derivatives(p, &test_evaluation, x0, true, &err), err);
    dense_matrix(&p->matrix, full);
    double scale = largest_of(expected_h, n * n);
    static double above[EIGEN_MAX * EIGEN_MAX], values[EIGEN_MAX], vectors[EIGEN_MAX * EIGEN_MAX];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            above[n * i + j] =
                full[n * i + j] - 0.5 * (expected_h[n * i + j] + expected_h[n * j + i]);
    eigen_symmetric(n, above, values, vectors);
    CHECK(values[0] >= -tolerance * scale);
    CHECK(values[n - 1] <= 4 * scale);
}

/* x -> A x, within a factor below 1 + 1e-9: no direction of negative curvature.
 */
static inline void check_definite(int n, const double *a)
{
    if (n > EIGEN_MAX) return;
    double values[EIGEN_MAX], vectors[EIGEN_MAX * EIGEN_MAX];
    eigen_symmetric(n, a, values, vectors);
    CHECK(values[0] >= -1e-9 * fabs(values[n - 1]));
}

#endif

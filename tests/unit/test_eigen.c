/* Symmetric eigenproblems and positive semi-definite projection against extended precision. */
#include "test.h"

#include "math/eigen.h"
#include "support/dense_oracle.h"

#include <float.h>

enum { N2 = EIGEN_MAX * EIGEN_MAX };

static double max_abs(int count, const double *a)
{
    double m = 0;
    for (int k = 0; k < count; k++) m = fmax(m, fabs(a[k]));
    return m;
}

static void random_symmetric(random_state *r, int n, double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = random_range(r, -1, 1);
}

/* a = sum of weights[k] x_k x_k^T over random orthonormal x_k. */
static void with_eigenvalues(random_state *r, int n, const double *weights, double *a)
{
    double s[N2] = {0}, values[EIGEN_MAX], v[N2];
    random_symmetric(r, n, s);
    eigen_symmetric(n, s, values, v);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += weights[k] * v[i * n + k] * v[j * n + k];
            a[i * n + j] = a[j * n + i] = sum;
        }
}

static double worst_residual, worst_value, worst_orthogonality;

static double record(double *worst, double error)
{
    if (!(error <= *worst)) *worst = error;
    return error;
}

static void check_decomposition(int n, const double *a, const double *values, const double *v)
{
    long double exact[ORACLE_MAX];
    oracle_eigenvalues(n, a, exact);
    double norm = (double)fmaxl(fabsl(exact[0]), fabsl(exact[n - 1]));
    double unit = DBL_EPSILON * fmax(norm, 0x1p-1000);
    double allowed = 6 + n;
    CHECK(record(&worst_residual, oracle_eigen_residual(n, a, values, v) / unit) <= allowed);
    CHECK(record(&worst_orthogonality, oracle_orthogonality(n, v) / DBL_EPSILON) <= allowed);
    for (int k = 0; k < n; k++) {
        CHECK(record(&worst_value, (double)fabsl(values[k] - exact[k]) / unit) <= allowed);
        CHECK(k == 0 || values[k] >= values[k - 1]);
    }
}

static void check_eigen(int n, const double *a)
{
    double values[EIGEN_MAX], v[N2];
    eigen_symmetric(n, a, values, v);
    check_decomposition(n, a, values, v);
}

static void check_eigen3(mat3 a)
{
    double values[3];
    mat3 v;
    eigen3(a, values, &v);
    check_decomposition(3, &a.m[0][0], values, &v.m[0][0]);
    CHECK_NEAR((double)oracle_determinant3(v), 1, 1e-14);
}

static void check_eigen2(double a, double b, double c)
{
    double values[2], cs, sn, m[4] = {a, b, b, c};
    eigen2(a, b, c, values, &cs, &sn);
    double v[4] = {cs, -sn, sn, cs};
    check_decomposition(2, m, values, v);
}

TEST(two_by_two)
{
    random_state r = {1};
    check_eigen2(0, 0, 0);
    check_eigen2(1, 0, 1);
    check_eigen2(1, 0, 2);
    check_eigen2(2, 0, 1);
    check_eigen2(0, 1, 0);
    check_eigen2(0, -1, 0);
    check_eigen2(1, 1, 1);
    check_eigen2(1, 1e-9, 1);
    check_eigen2(1, 1e-200, -1);
    for (int k = 0; k < 5000; k++) {
        double a = random_range(&r, -1, 1), b = random_range(&r, -1, 1),
               c = random_range(&r, -1, 1);
        check_eigen2(a, b, c);
        check_eigen2(a * 1e150, b * 1e150, c * 1e150);
        check_eigen2(a * 1e-150, b * 1e-150, c * 1e-150);
        check_eigen2(a, b * 1e-12, a + c * 1e-13);
        check_eigen2(a * a, a * c, c * c);
    }
}

TEST(three_by_three)
{
    static const double cases[][3] = {{1, 1, 1},        {1, 1, 2},         {1, 2, 2},
                                      {-1, 0, 1},       {0, 0, 1},         {-1, 0, 0},
                                      {1, 1, 1 + 1e-9}, {-1, 1e-9, 1},     {1e-8, 1e-8, 1},
                                      {-5, -5, 1e3},    {1, 1 + 1e-14, 2}, {-1, -1, 1}};
    random_state r = {2};
    double a[9];
    check_eigen3(mat3_zero());
    check_eigen3(mat3_identity());
    for (int k = 0; k < 5000; k++) {
        mat3 m;
        random_symmetric(&r, 3, &m.m[0][0]);
        check_eigen3(m);
        check_eigen3(mat3_scale(1e150, m));
        check_eigen3(mat3_scale(1e-150, m));
        with_eigenvalues(&r, 3, cases[k % 12], a);
        memcpy(&m, a, sizeof m);
        check_eigen3(m);
        check_eigen3(mat3_add(mat3_identity(), mat3_scale(1e-15, m)));
    }
    for (int mask = 0; mask < 729; mask++) { /* all symmetric matrices of -1, 0, 1 */
        int digit = mask, entry[6];
        for (int k = 0; k < 6; k++, digit /= 3) entry[k] = digit % 3 - 1;
        check_eigen3((mat3){{{entry[0], entry[1], entry[2]},
                             {entry[1], entry[3], entry[4]},
                             {entry[2], entry[4], entry[5]}}});
    }
}

TEST(any_size)
{
    random_state r = {3};
    double a[N2];
    for (int n = 1; n <= EIGEN_MAX; n++)
        for (int k = 0; k < (n <= 12 ? 30 : 6); k++) {
            random_symmetric(&r, n, a);
            check_eigen(n, a);
            double scale = k % 2 ? 1e150 : 1e-150;
            for (int i = 0; i < n * n; i++) a[i] *= scale;
            check_eigen(n, a);
        }
}

TEST(repeated_clustered_and_zero_eigenvalues)
{
    random_state r = {4};
    double a[N2], weights[EIGEN_MAX];
    for (int n = 4; n <= EIGEN_MAX; n += (n < 12 ? 1 : 3))
        for (int k = 0; k < 40; k++) {
            for (int i = 0; i < n; i++) {
                weights[i] = random_range(&r, -1, 1);
                if (k % 8 == 0) weights[i] = 1;
                if (k % 8 == 1) weights[i] = i % 2 ? 1 : -1;
                if (k % 8 == 2) weights[i] = i < 3 ? 0 : weights[i];
                if (k % 8 == 3) weights[i] = i == 0;
                if (k % 8 == 4) weights[i] = 1 + 1e-14 * weights[i];
                if (k % 8 == 5) weights[i] = pow(10, -2.0 * i);
                if (k % 8 == 6) weights[i] = i < n / 2 ? 1 + 1e-8 * weights[i] : -1;
            }
            with_eigenvalues(&r, n, weights, a);
            check_eigen(n, a);
        }
}

TEST(sparse_patterns)
{
    double a[N2] = {0};
    for (int n = 1; n <= EIGEN_MAX; n++) {
        for (int pattern = 0; pattern < 6; pattern++) {
            memset(a, 0, sizeof a);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    int gap = abs(i - j);
                    double *e = &a[i * n + j];
                    if (pattern == 1 && i == j) *e = i % 3 - 1;
                    if (pattern == 2) *e = 1; /* rank one */
                    if (pattern == 3 && gap == 1) *e = -1;
                    if (pattern == 4 && i + j == n - 1) *e = 1;       /* an exchange matrix */
                    if (pattern == 5 && i / 3 == j / 3) *e = 1 + gap; /* diagonal blocks */
                }
            check_eigen(n, a);
        }
    }
    double graded[N2], values[EIGEN_MAX], v[N2]; /* blocks of sizes that differ by 1e40 */
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            graded[i * 12 + j] = i / 6 == j / 6 ? (i < 6 ? 1.0 : 1e-40) / (1 + i + j) : 0.0;
    check_eigen(12, graded);
    eigen_symmetric(12, graded, values, v);
    CHECK(isfinite(max_abs(12, values)) && isfinite(max_abs(144, v)));
}

TEST(in_place_and_not_finite)
{
    random_state r = {5};
    double a[144], b[144], values[12], again[12], v[144];
    random_symmetric(&r, 12, a);
    memcpy(b, a, sizeof a);
    eigen_symmetric(12, a, values, v);
    eigen_symmetric(12, b, again, b);
    CHECK(memcmp(v, b, sizeof v) == 0 && memcmp(values, again, sizeof values) == 0);
    a[17] = NAN;
    eigen_symmetric(12, a, values, v);
    CHECK(isnan(values[0]) && isnan(values[11]) && v[0] == 1 && v[1] == 0);
    psd_project(12, a); /* must return */
    mat3 m = mat3_identity(), u;
    m.m[1][0] = INFINITY;
    eigen3(m, values, &u);
    CHECK(isnan(values[0]) && u.m[0][0] == 1);
    psd_project3(&m);
}

static long double smallest_eigenvalue(int n, const double *a, long double *largest)
{
    long double values[ORACLE_MAX];
    oracle_eigenvalues(n, a, values);
    *largest = fmaxl(fabsl(values[0]), fabsl(values[n - 1]));
    return values[0];
}

static void check_symmetric(int n, const double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) CHECK(a[i * n + j] == a[j * n + i]);
}

/* The projection's distance to the matrix is the norm of the negative eigenvalues (it is nearest),
 * and it has no negative eigenvalue itself. */
static void check_projection(int n, const double *before, const double *after)
{
    long double values[ORACLE_MAX], largest, negative2 = 0, change2 = 0;
    oracle_eigenvalues(n, before, values);
    long double norm = fmaxl(fabsl(values[0]), fabsl(values[n - 1]));
    for (int k = 0; k < n; k++)
        if (values[k] < 0) negative2 += values[k] * values[k];
    for (int k = 0; k < n * n; k++) {
        long double change = (long double)after[k] - before[k];
        change2 += change * change;
    }
    double tolerance = (double)norm * DBL_EPSILON * 8 * n;
    CHECK_NEAR((double)sqrtl(change2), (double)sqrtl(negative2), tolerance);
    CHECK(smallest_eigenvalue(n, after, &largest) >= -tolerance);
    check_symmetric(n, after);
}

TEST(projection)
{
    random_state r = {6};
    double a[N2], b[N2];
    for (int n = 1; n <= EIGEN_MAX; n++)
        for (int k = 0; k < (n <= 12 ? 20 : 3); k++) {
            random_symmetric(&r, n, a);
            for (int i = 0; i < n; i++) a[i * n + i] += 0.3 * (k % 9 - 4) * sqrt(n);
            double scale = k % 5 == 3 ? 1e140 : k % 5 == 4 ? 1e-140 : 1;
            for (int i = 0; i < n * n; i++) a[i] *= scale;
            memcpy(b, a, sizeof a);
            psd_project(n, b);
            check_projection(n, a, b);
        }
}

TEST(projection_keeps_semidefinite_matrices)
{
    random_state r = {7};
    double a[N2], b[N2];
    for (int n = 1; n <= EIGEN_MAX; n++)
        for (int k = 0; k < 100; k++) {
            int rank = k % (n + 1);
            memset(a, 0, sizeof a);
            for (int q = 0; q < rank; q++) {
                double x[EIGEN_MAX], weight = pow(10, random_range(&r, -6, 2));
                for (int i = 0; i < n; i++) x[i] = random_range(&r, -1, 1);
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++) a[i * n + j] += weight * (x[i] * x[j]);
            }
            memcpy(b, a, sizeof a);
            psd_project(n, b);
            CHECK(memcmp(a, b, sizeof a) == 0);
        }
}

/* Tiny negative eigenvalues beyond round-off must not slip through the quick test. */
TEST(quick_test_is_safe)
{
    random_state r = {8};
    double a[N2], b[N2], weights[EIGEN_MAX];
    for (int n = 2; n <= 12; n++)
        for (int k = 0; k < 60; k++) {
            for (int i = 0; i < n; i++) weights[i] = random_range(&r, 0, 1);
            weights[0] = -pow(10, -1 - k % 12);
            weights[n - 1] = 1;
            with_eigenvalues(&r, n, weights, a);
            memcpy(b, a, sizeof a);
            psd_project(n, b);
            check_projection(n, a, b);
            CHECK(memcmp(a, b, sizeof a) != 0);
        }
}

TEST(projection_of_asymmetric_input)
{
    double a[4] = {1, 2, 0, 1}, b[4] = {-1, 0.5, 0.25, 1};
    psd_project(2, a);
    CHECK(a[0] == 1 && a[1] == 1 && a[2] == 1 && a[3] == 1);
    psd_project(2, b);
    check_symmetric(2, b);
    mat3 m = {{{1, 0.5, 0}, {0, 1, 0}, {0, 0, 1}}};
    psd_project3(&m);
    CHECK(m.m[0][1] == 0.25 && m.m[1][0] == 0.25 && m.m[0][0] == 1);
}

/* a = (D (x) I)^T k (D (x) I): blind to translations, like the Hessian of a distance. */
static void random_stencil(random_state *r, int points, double shift, double *a)
{
    int n = 3 * points, m = n - 3;
    double k[81];
    random_symmetric(r, m, k);
    for (int i = 0; i < m; i++) k[i * m + i] += shift;
    for (int p = 0; p < n; p++)
        for (int q = 0; q <= p; q++) {
            double sum = 0; /* differences to the last point */
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++) {
                    double dp = (p == i) - (p == m + i % 3), dq = (q == j) - (q == m + j % 3);
                    sum += dp * dq * k[i * m + j];
                }
            a[p * n + q] = a[q * n + p] = sum;
        }
}

TEST(stencil_projection)
{
    random_state r = {10};
    double a[144], b[144], c[144];
    for (int points = 2; points <= 4; points++)
        for (int trial = 0; trial < 200; trial++) {
            int count = 9 * points * points;
            random_stencil(&r, points, trial % 10 - 5, a);
            double scale = trial % 4 == 0 ? 1e100 : 1;
            for (int k = 0; k < count; k++) a[k] *= scale;
            memcpy(b, a, sizeof a);
            memcpy(c, a, sizeof a);
            psd_project_stencil(points, b);
            psd_project(3 * points, c);
            check_projection(3 * points, a, b);
            double size = max_abs(count, a);
            for (int k = 0; k < count; k++) CHECK_NEAR(b[k], c[k], 2e-14 * size);
        }
    random_stencil(&r, 4, 10, a);
    memcpy(b, a, sizeof a);
    psd_project_stencil(4, b);
    CHECK(memcmp(a, b, sizeof a) == 0); /* needs no change, gets none */
}

TEST(small_projections)
{
    random_state r = {9};
    for (int k = 0; k < 5000; k++) {
        double scale = k % 10 == 8 ? 1e150 : k % 10 == 9 ? 1e-150 : 1;
        double before[4], after[4];
        random_symmetric(&r, 2, before);
        if (k % 4 == 0) before[3] = before[1] * before[1] / before[0]; /* singular */
        for (int i = 0; i < 4; i++) before[i] *= scale;
        memcpy(after, before, sizeof after);
        psd_project2(&after[0], &after[1], &after[3]);
        after[2] = after[1];
        check_projection(2, before, after);
        mat3 m, p;
        random_symmetric(&r, 3, &m.m[0][0]);
        m = mat3_scale(scale, mat3_add(m, mat3_scale(0.5 * (k % 5 - 2), mat3_identity())));
        p = m;
        psd_project3(&p);
        check_projection(3, &m.m[0][0], &p.m[0][0]);
    }
    double a = 4, b = 2, c = 1; /* singular, stays */
    psd_project2(&a, &b, &c);
    CHECK(a == 4 && b == 2 && c == 1);
    a = -1, b = 0, c = -2;
    psd_project2(&a, &b, &c);
    CHECK(a == 0 && b == 0 && c == 0);
    mat3 rank1 = mat3_outer(vec3_make(1, 2, 3), vec3_make(1, 2, 3)), kept = rank1;
    psd_project3(&kept);
    CHECK(memcmp(&kept, &rank1, sizeof kept) == 0);
    mat3 negative = mat3_scale(-1, mat3_identity());
    psd_project3(&negative);
    CHECK(mat3_norm2(negative) == 0);
}

int main(void)
{
    RUN(two_by_two);
    RUN(three_by_three);
    RUN(any_size);
    RUN(repeated_clustered_and_zero_eigenvalues);
    RUN(sparse_patterns);
    RUN(in_place_and_not_finite);
    RUN(projection);
    RUN(projection_keeps_semidefinite_matrices);
    RUN(quick_test_is_safe);
    RUN(projection_of_asymmetric_input);
    RUN(stencil_projection);
    RUN(small_projections);
    printf("worst, in ulps of the norm: residual %.2f, value %.2f, orthogonality %.2f\n",
           worst_residual, worst_value, worst_orthogonality);
    return TEST_END();
}

/* Singular value decompositions against extended precision, for ordinary and degenerate matrices.
 */
#include "test.h"

#include "math/svd.h"
#include "support/dense_oracle.h"

#include <float.h>

static double max_entry(mat3 a)
{
    double m = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m = fmax(m, fabs(a.m[i][j]));
    return m;
}

/* Worst errors seen, in ulps of the norm. */
static double worst_residual, worst_value, worst_rotation;

static double record(double *worst, double error)
{
    if (!(error <= *worst)) *worst = error;
    return error;
}

static void check_svd3(mat3 a)
{
    mat3 u, v;
    double s[3];
    svd3(a, &u, s, &v);
    long double exact[3];
    oracle_singular_values(3, 3, &a.m[0][0], exact);
    double unit = DBL_EPSILON * (double)exact[0];
    if (unit < 0x1p-1070) unit = 0x1p-1070;
    CHECK(record(&worst_residual, oracle_svd_residual(a, u, s, v) / unit) <= 10);
    CHECK(record(&worst_rotation, oracle_orthogonality(3, &u.m[0][0]) / DBL_EPSILON) <= 8);
    CHECK(record(&worst_rotation, oracle_orthogonality(3, &v.m[0][0]) / DBL_EPSILON) <= 8);
    CHECK_NEAR((double)oracle_determinant3(u), 1, 1e-14);
    CHECK_NEAR((double)oracle_determinant3(v), 1, 1e-14);
    CHECK(s[0] >= s[1] && s[1] >= fabs(s[2]));
    for (int k = 0; k < 3; k++)
        CHECK(record(&worst_value, (double)fabsl(fabsl(s[k]) - exact[k]) / unit) <= 8);
    if (exact[2] > 100 * unit) CHECK((s[2] < 0) == (oracle_determinant3(a) < 0));
}

static mat3 compose(mat3 u, double s0, double s1, double s2, mat3 v)
{
    mat3 d = mat3_zero();
    d.m[0][0] = s0;
    d.m[1][1] = s1;
    d.m[2][2] = s2;
    return mat3_mul(u, mat3_mul(d, mat3_transpose(v)));
}

TEST(random_matrices)
{
    random_state r = {1};
    for (int k = 0; k < 10000; k++) check_svd3(oracle_random_matrix(&r, 1));
}

TEST(prescribed_singular_values)
{
    static const double cases[][3] = {
        {1, 1, 1},          {1, 1, -1},          {2, 2, 1},         {2, 1, 1},
        {2, 1, -1},         {1, 1, 0},           {1, 0, 0},         {1, 1e-8, 1e-8},
        {1, 1e-8, 1e-16},   {1, 1e-16, 1e-16},   {1, 1, 1e-20},     {1, 1, 1 - 1e-15},
        {1, 1 - 1e-9, -1},  {3, 1e-4, -1e-4},    {1e6, 1, 1e-6},    {1, 1e-3, -1e-12},
        {5, 5 + 1e-7, 1e5}, {1, 1e-30, 1e-60},   {1, 1e-100, -0.0}, {1e8, 1, 1},
        {1, 0.5, -0.5},     {1, 1 + 1e-5, 1e-5}, {1e3, 1e3, -1e-3}, {1, 1e-5, 1e-10}};
    random_state r = {2};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int k = 0; k < 200; k++) {
            mat3 u = oracle_random_rotation(&r), v = oracle_random_rotation(&r);
            check_svd3(compose(u, cases[c][0], cases[c][1], cases[c][2], v));
        }
}

TEST(exact_special_matrices)
{
    check_svd3(mat3_zero());
    check_svd3(mat3_identity());
    check_svd3(mat3_scale(-1, mat3_identity()));
    for (int mask = 0; mask < 512; mask++) { /* all 0-1 matrices, and with signs */
        mat3 a, b;
        for (int k = 0; k < 9; k++) {
            a.m[k / 3][k % 3] = mask >> k & 1;
            b.m[k / 3][k % 3] = mask >> k & 1 ? 1 : -1;
        }
        check_svd3(a);
        check_svd3(b);
        check_svd3(mat3_sub(a, b));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            mat3 a = mat3_zero();
            a.m[i][j] = -3;
            check_svd3(a);
        }
    check_svd3(mat3_outer(vec3_make(1, 2, 3), vec3_make(-4, 5, 6)));
}

TEST(rest_state_is_clean)
{
    mat3 u, v;
    double s[3];
    svd3(mat3_identity(), &u, s, &v);
    CHECK(s[0] == 1 && s[1] == 1 && s[2] == 1);
    random_state r = {5};
    for (int k = 0; k < 1000; k++) {
        svd3(oracle_random_rotation(&r), &u, s, &v);
        for (int i = 0; i < 3; i++) CHECK_NEAR(s[i], 1, 4 * DBL_EPSILON);
    }
}

TEST(graded_columns_and_rows)
{
    random_state r = {3};
    for (int k = 0; k < 3000; k++) {
        mat3 a = oracle_random_matrix(&r, 1);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                if (k % 3 != 1) a.m[i][j] *= pow(10, -6.0 * j);
                if (k % 3 != 0) a.m[i][j] *= pow(10, -5.0 * i);
            }
        check_svd3(a);
    }
}

/* Scaling by a power of two must scale the singular values and change nothing else. */
TEST(any_scale)
{
    random_state r = {4};
    static const int exponents[] = {-900, -500, -100, -41, -39, 39, 41, 100, 500, 900};
    for (int k = 0; k < 1000; k++) {
        mat3 a = oracle_random_matrix(&r, 1), u, v, us, vs;
        double s[3], ss[3], scale = scalbn(1, exponents[k % 10]);
        svd3(a, &u, s, &v);
        svd3(mat3_scale(scale, a), &us, ss, &vs);
        for (int i = 0; i < 3; i++) CHECK(ss[i] == s[i] * scale);
        CHECK(memcmp(&u, &us, sizeof u) == 0 && memcmp(&v, &vs, sizeof v) == 0);
        check_svd3(mat3_scale(1e150, a));
        check_svd3(mat3_scale(1e-150, a));
        check_svd3(mat3_scale(1e-300, a));
    }
    check_svd3(mat3_scale(DBL_MAX / 4, mat3_identity()));
    mat3 subnormal = mat3_scale(0x1p-1060, oracle_random_matrix(&r, 1)), u, v;
    double s[3];
    svd3(subnormal, &u, s, &v);
    CHECK(s[0] > 0 && s[0] < 0x1p-1055);
    CHECK(oracle_orthogonality(3, &u.m[0][0]) < 1e-14);
}

TEST(not_finite)
{
    mat3 a = mat3_identity(), u, v;
    double s[3];
    a.m[1][2] = NAN;
    svd3(a, &u, s, &v);
    CHECK(isnan(s[0]) && isnan(s[1]) && isnan(s[2]));
    a.m[1][2] = INFINITY;
    svd3(a, &u, s, &v);
    CHECK(isnan(s[0]) && max_entry(u) == 1 && max_entry(v) == 1);
    double v2[4];
    svd32(vec3_make(1, NAN, 0), vec3_make(0, 1, 0), &u, s, v2);
    CHECK(isnan(s[0]) && isnan(s[1]) && v2[0] == 1);
    svd32_values(vec3_make(1, NAN, 0), vec3_make(0, 1, 0), s);
    CHECK(isnan(s[0]) && isnan(s[1]));
}

static void check_svd32(vec3 c0, vec3 c1)
{
    mat3 u;
    double s[2], v[4], a[6] = {c0.x, c1.x, c0.y, c1.y, c0.z, c1.z};
    svd32(c0, c1, &u, s, v);
    long double exact[2];
    oracle_singular_values(3, 2, a, exact);
    double unit = DBL_EPSILON * (double)exact[0];
    CHECK(s[0] >= s[1] && s[1] >= 0);
    for (int k = 0; k < 2; k++) CHECK_NEAR(s[k], (double)exact[k], 6 * unit);
    if (unit < 1e50 && (unit > 1e-80 || unit == 0)) {
        double alone[2];
        svd32_values(c0, c1, alone);
        CHECK(alone[0] >= alone[1] && alone[1] >= 0);
        for (int k = 0; k < 2; k++) CHECK_NEAR(alone[k], (double)exact[k], 8 * unit);
    }
    CHECK(oracle_orthogonality(3, &u.m[0][0]) <= 8 * DBL_EPSILON);
    CHECK(oracle_orthogonality(2, v) <= 8 * DBL_EPSILON);
    CHECK_NEAR(v[0] * v[3] - v[1] * v[2], 1, 1e-14);
    CHECK_NEAR((double)oracle_determinant3(u), 1, 1e-14);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            long double sum = a[2 * i + j];
            for (int k = 0; k < 2; k++) sum -= (long double)u.m[i][k] * s[k] * v[2 * j + k];
            CHECK(fabsl(sum) <= 8 * unit);
        }
}

TEST(three_by_two)
{
    random_state r = {6};
    vec3 zero = vec3_make(0, 0, 0), e = vec3_make(0, 0, 1);
    check_svd32(zero, zero);
    check_svd32(zero, e);
    check_svd32(e, zero);
    check_svd32(e, e);
    check_svd32(e, vec3_neg(e));
    for (int k = 0; k < 2000; k++) {
        vec3 c0 = mat3_column(oracle_random_matrix(&r, 1), 0);
        vec3 c1 = mat3_column(oracle_random_matrix(&r, 1), 0);
        check_svd32(c0, c1);
        check_svd32(c0, vec3_mul_add(c0, 1e-9, c1));
        check_svd32(vec3_scale(1e-12, c0), c1);
        check_svd32(vec3_scale(1e150, c0), vec3_scale(1e150, c1));
        check_svd32(vec3_scale(1e-150, c0), vec3_scale(1e-150, c1));
        check_svd32(c0, vec3_scale(-3, c0));
    }
}

int main(void)
{
    RUN(random_matrices);
    RUN(prescribed_singular_values);
    RUN(exact_special_matrices);
    RUN(rest_state_is_clean);
    RUN(graded_columns_and_rows);
    RUN(any_scale);
    RUN(not_finite);
    RUN(three_by_two);
    printf("worst, in ulps of the norm: residual %.2f, value %.2f, orthogonality %.2f\n",
           worst_residual, worst_value, worst_rotation);
    return TEST_END();
}

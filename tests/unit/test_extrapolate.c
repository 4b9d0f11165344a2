/* Energies carried on below a ratio of volumes: equal to the base energy above it, once
 * continuously differentiable across it, right derivatives below it, finite for every F. */
#include "test.h"

#include "material/elastic.h"
#include "support/dense_oracle.h"

static const elastic_model models[] = {ELASTIC_NEO_HOOKEAN, ELASTIC_OGDEN};

static elastic_parameters material_of(int k, bool extrapolated)
{
    elastic_parameters m = elastic_from_young(models[k], 3.0, 0.3);
    if (extrapolated) elastic_extrapolate(&m, 0.7);
    return m;
}

static mat3 with_stretches(random_state *r, double s0, double s1, double s2)
{
    mat3 d = {{{s0, 0, 0}, {0, s1, 0}, {0, 0, s2}}};
    mat3 u = oracle_random_rotation(r), v = oracle_random_rotation(r);
    return mat3_mul(u, mat3_mul(d, mat3_transpose(v)));
}

static mat3 moved(mat3 f, int k, double h)
{
    f.m[k / 3][k % 3] += h;
    return f;
}

TEST(nothing_changes_above_the_contour)
{
    random_state r = {1};
    for (int k = 0; k < 100; k++) {
        elastic_parameters plain = material_of(k % 2, false), more = material_of(k % 2, true);
        mat3 f = with_stretches(&r, random_range(&r, 0.9, 2), random_range(&r, 0.9, 2),
                                random_range(&r, 0.9, 2));
        double a[81], b[81];
        elastic_hessian(&plain, f, true, a);
        elastic_hessian(&more, f, true, b);
        CHECK(elastic_energy(&plain, f) == elastic_energy(&more, f));
        CHECK(memcmp(a, b, sizeof a) == 0);
    }
    elastic_parameters soft = elastic_from_young(ELASTIC_FIXED_COROTATED, 3, 0.3);
    elastic_extrapolate(&soft, 0.7); /* is finite by itself */
    CHECK(soft.extrapolate_below == 0);
}

TEST(stress_does_not_jump)
{
    random_state r = {2};
    for (int k = 0; k < 200; k++) {
        elastic_parameters m = material_of(k % 2, true);
        double s0 = random_range(&r, 0.8, 1.5), s1 = random_range(&r, 0.8, 1.5);
        double third = 0.7 / (s0 * s1);
        mat3 u = oracle_random_rotation(&r);
        mat3 above = {{{s0, 0, 0}, {0, s1, 0}, {0, 0, third * (1 + 1e-9)}}}, below = above;
        below.m[2][2] = third * (1 - 1e-9);
        above = mat3_mul(u, above);
        below = mat3_mul(u, below);
        CHECK_NEAR(elastic_energy(&m, above), elastic_energy(&m, below), 1e-7);
        mat3 jump = mat3_sub(elastic_stress(&m, above), elastic_stress(&m, below));
        CHECK(sqrt(mat3_norm2(jump)) < 1e-6);
    }
}

/* Inverted ones included. */
TEST(derivatives_below)
{
    random_state r = {3};
    const double h = 1e-5;
    for (int k = 0; k < 200; k++) {
        elastic_parameters m = material_of(k % 2, true);
        double s2 = random_range(&r, -0.5, 0.5);
        mat3 f = with_stretches(&r, random_range(&r, 0.7, 1.3), random_range(&r, 0.7, 1.3), s2);
        if (mat3_determinant(f) > 0.68) continue;
        double hessian[81], scale = 0;
        mat3 stress = elastic_stress(&m, f);
        elastic_hessian(&m, f, false, hessian);
        for (int i = 0; i < 81; i++) scale = fmax(scale, fabs(hessian[i]));
        for (int i = 0; i < 9; i++) {
            double slope =
                (elastic_energy(&m, moved(f, i, h)) - elastic_energy(&m, moved(f, i, -h)));
            CHECK_NEAR(stress.m[i / 3][i % 3], slope / (2 * h), 1e-7 * scale);
            mat3 rate = mat3_scale(1 / (2 * h), mat3_sub(elastic_stress(&m, moved(f, i, h)),
                                                         elastic_stress(&m, moved(f, i, -h))));
            for (int l = 0; l < 9; l++)
                CHECK_NEAR(hessian[9 * l + i], rate.m[l / 3][l % 3], 2e-5 * scale);
        }
    }
}

TEST(projected_and_finite_everywhere)
{
    static const double stretches[][3] = {{1, 1, -1},       {2, 0.5, -0.5}, {1, 0, 0},
                                          {0, 0, 0},        {5, 5, -5},     {0.5, 0.5, 0.5},
                                          {1, 1e-9, -1e-9}, {3, 0.2, 1e-8}, {0.1, 0.1, -0.1}};
    random_state r = {4};
    for (int k = 0; k < 180; k++) {
        const double *s = stretches[k % 9];
        elastic_parameters m = material_of(k % 2, true);
        mat3 f = with_stretches(&r, s[0], s[1], s[2]);
        double hessian[81];
        long double values[ORACLE_MAX];
        elastic_hessian(&m, f, true, hessian);
        oracle_eigenvalues(9, hessian, values);
        CHECK(isfinite((double)values[8]) && values[0] >= -1e-12L * fmaxl(1, values[8]));
        CHECK(isfinite(elastic_energy(&m, f)) && isfinite(mat3_norm2(elastic_stress(&m, f))));
    }
}

/* The force along a uniform compression stays what it is at the contour: it never stops pushing. */
TEST(compression_is_resisted)
{
    for (int k = 0; k < 2; k++) {
        elastic_parameters m = material_of(k, true);
        double edge = cbrt(0.7);
        double there = elastic_stress(&m, mat3_scale(edge * (1 - 1e-9), mat3_identity())).m[0][0];
        CHECK(there < -0.1);
        for (double s = edge - 0.01; s > 0; s -= 0.05) {
            mat3 p = elastic_stress(&m, mat3_scale(s, mat3_identity()));
            CHECK_NEAR(p.m[0][0], there, 1e-6);
        }
        /* Flattened and turned inside out along z. */
        for (double s = 0.7; s > -0.85; s -= 0.05)
            CHECK(elastic_stress(&m, (mat3){{{1, 0, 0}, {0, 0.9, 0}, {0, 0, s}}}).m[2][2] < -0.1);
    }
}

int main(void)
{
    RUN(nothing_changes_above_the_contour);
    RUN(stress_does_not_jump);
    RUN(derivatives_below);
    RUN(projected_and_finite_everywhere);
    RUN(compression_is_resisted);
    return TEST_END();
}

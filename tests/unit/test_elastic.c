/* Elastic energy densities: derivatives against finite differences, projection, invariance. */
#include "test.h"

#include "material/elastic.h"
#include "support/dense_oracle.h"

static const elastic_model models[] = {ELASTIC_NEO_HOOKEAN, ELASTIC_FIXED_COROTATED,
                                       ELASTIC_LINEAR,      ELASTIC_SVK,
                                       ELASTIC_OGDEN,       ELASTIC_COROTATED};
enum { MODELS = 6 };

static elastic_parameters material_of(elastic_model model)
{
    return elastic_from_young(model, 3.0, 0.4);
}

static mat3 with_stretches(random_state *r, double s0, double s1, double s2)
{
    mat3 d = mat3_zero();
    d.m[0][0] = s0;
    d.m[1][1] = s1;
    d.m[2][2] = s2;
    mat3 u = oracle_random_rotation(r), v = oracle_random_rotation(r);
    return mat3_mul(u, mat3_mul(d, mat3_transpose(v)));
}

static mat3 moved(mat3 f, int k, double h)
{
    f.m[k / 3][k % 3] += h;
    return f;
}

/* Derivative in the direction of entry k, fourth order in h. */
static double energy_slope(const elastic_parameters *m, mat3 f, int k, double h)
{
    double near = elastic_energy(m, moved(f, k, h)) - elastic_energy(m, moved(f, k, -h));
    double far = elastic_energy(m, moved(f, k, 2 * h)) - elastic_energy(m, moved(f, k, -2 * h));
    return (8 * near - far) / (12 * h);
}

static mat3 stress_slope(const elastic_parameters *m, mat3 f, int k, double h)
{
    mat3 near = mat3_sub(elastic_stress(m, moved(f, k, h)), elastic_stress(m, moved(f, k, -h)));
    mat3 far =
        mat3_sub(elastic_stress(m, moved(f, k, 2 * h)), elastic_stress(m, moved(f, k, -2 * h)));
    return mat3_scale(1 / (12 * h), mat3_sub(mat3_scale(8, near), far));
}

static double largest(int count, const double *a)
{
    double m = 0;
    for (int k = 0; k < count; k++)
        if (!(fabs(a[k]) <= m)) m = fabs(a[k]);
    return m;
}

/* h is a fraction of the smallest length over which the energy changes. */
static void check_derivatives(const elastic_parameters *m, mat3 f, double h)
{
    double hessian[81], projected[81], energy;
    mat3 stress = elastic_stress(m, f), together;
    elastic_spectrum spectrum;
    elastic_hessian(m, f, false, hessian);
    elastic_evaluate(m, f, false, &energy, &together, &spectrum);
    CHECK(energy == elastic_energy(m, f));
    CHECK(memcmp(&stress, &together, sizeof stress) == 0);
    double stiffness = largest(81, hessian);
    double stress_scale = largest(9, &stress.m[0][0]) + stiffness * h;
    double energy_noise = 4e-15 * (fabs(energy) + m->mu * (3 + mat3_norm2(f))) / h;
    for (int k = 0; k < 9; k++) {
        CHECK_NEAR(stress.m[k / 3][k % 3], energy_slope(m, f, k, h),
                   2e-9 * stress_scale + energy_noise);
        mat3 slope = stress_slope(m, f, k, h);
        for (int l = 0; l < 9; l++)
            CHECK_NEAR(hessian[9 * l + k], slope.m[l / 3][l % 3], 2e-8 * stiffness);
    }
    long double values[ORACLE_MAX], clamped[ORACLE_MAX];
    elastic_hessian(m, f, true, projected);
    oracle_eigenvalues(9, hessian, values);
    oracle_eigenvalues(9, projected, clamped);
    for (int k = 0; k < 9; k++) /* the projection is the clamped spectrum */
        CHECK_NEAR((double)clamped[k], fmax(0, (double)values[k]), 1e-13 * stiffness);
    for (int k = 0; k < 81; k++) CHECK(projected[k] == projected[k % 9 * 9 + k / 9]);
}

TEST(lame_parameters)
{
    elastic_parameters m = elastic_from_young(ELASTIC_SVK, 2.6, 0.3);
    CHECK(m.model == ELASTIC_SVK);
    CHECK_NEAR(m.mu, 1, 1e-15);
    CHECK_NEAR(m.lambda, 1.5, 1e-15);
}

TEST(derivatives_at_random)
{
    random_state r = {1};
    for (int k = 0; k < 60; k++)
        for (int c = 0; c < MODELS; c++) {
            elastic_parameters m = material_of(models[c]);
            mat3 f = with_stretches(&r, random_range(&r, 0.4, 2), random_range(&r, 0.4, 2),
                                    random_range(&r, 0.4, 2));
            check_derivatives(&m, f, 1e-3);
        }
}

TEST(derivatives_near_rest)
{
    random_state r = {2};
    for (int k = 0; k < 25; k++)
        for (int c = 0; c < MODELS; c++) {
            elastic_parameters m = material_of(models[c]);
            check_derivatives(&m, mat3_identity(), 1e-3);
            check_derivatives(&m, oracle_random_rotation(&r), 1e-3);
            double strain = pow(10, random_range(&r, -16, -4));
            mat3 f = mat3_add(mat3_identity(), oracle_random_matrix(&r, strain));
            check_derivatives(&m, mat3_mul(oracle_random_rotation(&r), f), 1e-3);
            check_derivatives(&m, with_stretches(&r, 1.3, 1.3, 1.3), 1e-3);
            check_derivatives(&m, with_stretches(&r, 1.5, 1.5 + strain, 0.7), 1e-3);
            check_derivatives(&m, with_stretches(&r, 1.5, 0.8, 0.8 + strain), 1e-3);
        }
}

TEST(derivatives_stretched_and_flattened)
{
    random_state r = {3};
    for (int k = 0; k < 25; k++)
        for (int c = 0; c < MODELS; c++) {
            elastic_parameters m = material_of(models[c]);
            check_derivatives(&m, with_stretches(&r, 20, 0.3, 0.2), 3e-4);
            check_derivatives(&m, with_stretches(&r, 10, 10, 10), 1e-3);
            check_derivatives(&m, with_stretches(&r, 1.1, 0.9, 1e-2), 3e-5);
            check_derivatives(&m, with_stretches(&r, 1, 1e-2, 1e-2), 3e-5);
        }
}

TEST(derivatives_inverted)
{
    random_state r = {4};
    for (int k = 0; k < 25; k++)
        for (int c = 1; c < MODELS; c++) {
            elastic_parameters m = material_of(models[c]);
            if (elastic_forbids_inversion(&m)) continue;
            check_derivatives(&m, with_stretches(&r, 1.2, 0.9, -0.3), 1e-3);
            check_derivatives(&m, with_stretches(&r, 1, 1, -0.5), 1e-3);
            check_derivatives(&m, with_stretches(&r, 2, 1, -0.01), 1e-3);
            check_derivatives(&m, with_stretches(&r, 1.2, 0.9, 0), 1e-3);
        }
}

TEST(corotated_projection_where_the_rotation_is_undefined)
{
    random_state r = {5};
    elastic_parameters m = material_of(ELASTIC_FIXED_COROTATED);
    static const double stretches[][3] = {{1, 1, -1}, {2, 0.5, -0.5}, {1, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 40; k++) {
        const double *s = stretches[k % 4];
        double h[81];
        long double values[ORACLE_MAX];
        mat3 f = with_stretches(&r, s[0], s[1], s[2]);
        elastic_hessian(&m, f, true, h);
        oracle_eigenvalues(9, h, values);
        CHECK(isfinite((double)values[8]) && values[0] >= -1e-13L * values[8]);
        CHECK(isfinite(elastic_energy(&m, f)));
        CHECK(isfinite(mat3_norm2(elastic_stress(&m, f))));
    }
}

TEST(rest_has_no_energy_and_no_stress)
{
    random_state r = {6};
    for (int c = 0; c < MODELS; c++) {
        elastic_parameters m = material_of(models[c]);
        CHECK(elastic_energy(&m, mat3_identity()) == 0);
        CHECK(mat3_norm2(elastic_stress(&m, mat3_identity())) == 0);
        if (models[c] == ELASTIC_LINEAR) continue; /* it sees rotations as strain */
        for (int k = 0; k < 100; k++) {
            mat3 f = oracle_random_rotation(&r);
            CHECK_NEAR(elastic_energy(&m, f), 0, 1e-29);
            CHECK_NEAR(sqrt(mat3_norm2(elastic_stress(&m, f))), 0, 3e-14);
        }
    }
}

/* Psi(Q F) = Psi(F) and P(Q F) = Q P(F); isotropy likewise on the right. */
TEST(rotations_do_not_matter)
{
    random_state r = {7};
    for (int k = 0; k < 500; k++)
        for (int c = 0; c < MODELS; c++) {
            if (models[c] == ELASTIC_LINEAR) continue;
            elastic_parameters m = material_of(models[c]);
            mat3 f = with_stretches(&r, random_range(&r, 0.3, 2), random_range(&r, 0.3, 2),
                                    random_range(&r, 0.3, 2));
            mat3 q = oracle_random_rotation(&r);
            mat3 left = mat3_mul(q, f), right = mat3_mul(f, q);
            double energy = elastic_energy(&m, f), tolerance = 1e-13 * (1 + energy);
            CHECK_NEAR(elastic_energy(&m, left), energy, tolerance);
            CHECK_NEAR(elastic_energy(&m, right), energy, tolerance);
            mat3 stress = elastic_stress(&m, f);
            mat3 dl = mat3_sub(elastic_stress(&m, left), mat3_mul(q, stress));
            mat3 dr = mat3_sub(elastic_stress(&m, right), mat3_mul(stress, q));
            double size = 1 + sqrt(mat3_norm2(stress));
            CHECK_NEAR(sqrt(mat3_norm2(dl)), 0, 1e-13 * size);
            CHECK_NEAR(sqrt(mat3_norm2(dr)), 0, 1e-13 * size);
        }
}

/* All models agree with linear elasticity for small strains. */
TEST(small_strain_limit)
{
    random_state r = {8};
    for (int k = 0; k < 100; k++) {
        double size = pow(10, random_range(&r, -6, -3));
        mat3 f = mat3_add(mat3_identity(), oracle_random_matrix(&r, size));
        elastic_parameters linear = material_of(ELASTIC_LINEAR);
        double expected = elastic_energy(&linear, f);
        for (int c = 0; c < MODELS; c++) {
            elastic_parameters m = material_of(models[c]);
            CHECK_NEAR(elastic_energy(&m, f), expected, 60 * size * size * size + 1e-12 * expected);
        }
    }
}

/* Neo-Hookean energies of tiny strains keep relative accuracy of about eps / strain. */
TEST(small_energies_keep_their_digits)
{
    elastic_parameters m = material_of(ELASTIC_NEO_HOOKEAN);
    for (int k = 3; k <= 12; k++) {
        long double x = powl(10, -k);
        mat3 f = mat3_identity();
        f.m[0][0] += (double)x;
        x = (long double)f.m[0][0] - 1;
        long double l = log1pl(x);
        long double exact = 0.5L * m.mu * (2 * x + x * x) - m.mu * l + 0.5L * m.lambda * l * l;
        CHECK_NEAR(elastic_energy(&m, f) / (double)exact, 1, 1e-15 * pow(10, k));
    }
}

/* Mooney-Rivlin written with invariants; Ogden with odd and fractional exponents. */
TEST(ogden_and_mooney_rivlin)
{
    random_state r = {12};
    elastic_parameters mooney = elastic_mooney_rivlin(0.7, 0.2, 5);
    CHECK_NEAR(mooney.mu, 1.8, 1e-15);
    elastic_parameters ogden =
        elastic_ogden(3, (double[]){0.6, 0.1, 1.5}, (double[]){1.3, 5, -2.5}, 4);
    CHECK(ogden.terms == 3);
    for (int k = 0; k < 40; k++) {
        mat3 f = with_stretches(&r, random_range(&r, 0.5, 2), random_range(&r, 0.5, 2),
                                random_range(&r, 0.5, 2));
        double j = mat3_determinant(f);
        mat3 c = mat3_scale(pow(j, -2.0 / 3), mat3_mul(mat3_transpose(f), f));
        double first = c.m[0][0] + c.m[1][1] + c.m[2][2];
        double second = 0.5 * (first * first - mat3_norm2(c));
        double expected = 0.7 * (first - 3) + 0.2 * (second - 3) + 2.5 * log(j) * log(j);
        CHECK_NEAR(elastic_energy(&mooney, f), expected, 1e-13 * (1 + expected));
        check_derivatives(&mooney, f, 1e-3);
        check_derivatives(&ogden, f, 1e-3);
        check_derivatives(&ogden, with_stretches(&r, 1.2, 1.2, 0.8), 1e-3);
    }
    elastic_parameters linear = {.model = ELASTIC_LINEAR, .mu = ogden.mu, .lambda = ogden.lambda};
    mat3 small = mat3_add(mat3_identity(), oracle_random_matrix(&r, 1e-6));
    double expected = elastic_energy(&linear, small);
    CHECK_NEAR(elastic_energy(&ogden, small) / expected, 1, 1e-4);
}

/* An additional barrier below J = 1/2, alone and beside every model that can have it. */
TEST(barrier_against_inversion)
{
    random_state r = {11};
    for (int k = 0; k < MODELS; k++) {
        if (models[k] == ELASTIC_LINEAR) continue;
        elastic_parameters plain = material_of(models[k]), with = plain;
        with.barrier = 0.7;
        with.barrier_below = 0.5;
        for (int i = 0; i < 40; i++) {
            mat3 f = with_stretches(&r, random_range(&r, 0.5, 1), random_range(&r, 0.4, 0.8),
                                    random_range(&r, 0.3, 0.7));
            check_derivatives(&with, f, 1e-3);
            double j = mat3_determinant(f), c = j / 0.5 - 1;
            double expected = j < 0.5 ? 0.7 * 100 * (1 / (1 + c * c * c) - 1) : 0;
            CHECK_NEAR(elastic_energy(&with, f) - elastic_energy(&plain, f), expected,
                       1e-12 * (1 + expected));
        }
        mat3 inverted = mat3_identity();
        inverted.m[2][2] = -0.2;
        CHECK(elastic_energy(&with, inverted) == INFINITY);
        CHECK(elastic_forbids_inversion(&with));
    }
}

static void check_infinite_when_inverted(elastic_model model)
{
    random_state r = {9};
    elastic_parameters m = material_of(model);
    CHECK(elastic_energy(&m, mat3_zero()) == INFINITY);
    mat3 flat = mat3_identity();
    flat.m[2][2] = 0;
    CHECK(elastic_energy(&m, flat) == INFINITY);
    CHECK(isnan(mat3_norm2(elastic_stress(&m, flat))));
    for (int k = 0; k < 100; k++) {
        double s2 = -random_range(&r, 1e-9, 2);
        CHECK(elastic_energy(&m, with_stretches(&r, 1, 1, s2)) == INFINITY);
    }
    double h[81];
    long double values[ORACLE_MAX];
    for (int k = 2; k < 17; k++) { /* as flat as it gets, still finite and semi-definite */
        mat3 f = with_stretches(&r, 1, 1, pow(10, -k));
        if (mat3_determinant(f) <= 0) continue;
        elastic_hessian(&m, f, true, h);
        oracle_eigenvalues(9, h, values);
        CHECK(isfinite((double)values[8]) && values[0] >= -1e-13L * values[8]);
        CHECK(isfinite(elastic_energy(&m, f)) && elastic_energy(&m, f) > 0);
    }
    CHECK(isnan(elastic_energy(&m, moved(flat, 4, NAN))));
}

TEST(infinite_when_inverted)
{
    check_infinite_when_inverted(ELASTIC_NEO_HOOKEAN);
    check_infinite_when_inverted(ELASTIC_OGDEN);
}

int main(void)
{
    RUN(lame_parameters);
    RUN(derivatives_at_random);
    RUN(derivatives_near_rest);
    RUN(derivatives_stretched_and_flattened);
    RUN(derivatives_inverted);
    RUN(corotated_projection_where_the_rotation_is_undefined);
    RUN(rest_has_no_energy_and_no_stress);
    RUN(rotations_do_not_matter);
    RUN(small_strain_limit);
    RUN(small_energies_keep_their_digits);
    RUN(ogden_and_mooney_rivlin);
    RUN(infinite_when_inverted);
    RUN(barrier_against_inversion);
    return TEST_END();
}

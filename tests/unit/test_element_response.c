/* Stress and its derivative at four points side by side, against those of single points. */
#include "test.h"

#include "base/random.h"
#include "fem/element_response.h"
#include "math/pack4_math.h"

static mat3 random_matrix(random_state *r, double spread)
{
    mat3 f = mat3_identity();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) f.m[i][j] += random_range(r, -spread, spread);
    return f;
}

typedef struct four_points {
    elastic_parameters own[4];
    four_materials materials;
    mat3 f[4], inverse[4];
    mat3x4 all_f, all_inverse;
    pack4 measure;
} four_points;

static void set_lanes(four_points *p)
{
    const elastic_parameters *each[4] = {&p->own[0], &p->own[1], &p->own[2], &p->own[3]};
    four_materials_set(&p->materials, each);
    for (int l = 0; l < 4; l++) {
        p->measure[l] = 1 + 0.5 * l;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                p->all_f.m[i][j][l] = p->f[l].m[i][j];
                p->all_inverse.m[i][j][l] = p->inverse[l].m[i][j];
            }
    }
}

/* Energy, stress and derivative of each lane against material/elastic.h. */
static void compare(const four_points *p, bool project)
{
    mat3x4 stress;
    pack4 c[RESPONSE_PAIRS][9];
    response_evaluate(&p->materials, &p->all_f, &p->all_inverse, p->measure, project, &stress, c);
    pack4 energy = response_energy(&p->materials, &p->all_f);
    for (int l = 0; l < 4; l++) {
        double expected[81], largest = 0, single = elastic_energy(&p->own[l], p->f[l]);
        if (!(mat3_determinant(p->f[l]) > 0) && elastic_forbids_inversion(&p->own[l])) {
            CHECK(energy[l] == INFINITY && isnan(stress.m[0][0][l]) && isnan(c[0][0][l]));
            continue;
        }
        CHECK_NEAR(energy[l], single, 1e-12 * (fabs(single) + 1e-4 * p->own[l].mu));
        mat3 first = mat3_mul(elastic_stress(&p->own[l], p->f[l]), mat3_transpose(p->inverse[l]));
        elastic_hessian(&p->own[l], p->f[l], project, expected);
        for (int k = 0; k < 81; k++) largest = fmax(largest, fabs(expected[k]));
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                CHECK_NEAR(stress.m[i][k][l], p->measure[l] * first.m[i][k], 1e-11 * largest);
        for (int pair = 0; pair < RESPONSE_PAIRS; pair++)
            for (int k = 0; k < 3; k++)
                for (int m = 0; m < 3; m++) {
                    int i = response_pairs[pair][0], j = response_pairs[pair][1];
                    double sum = 0;
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++)
                            sum += p->inverse[l].m[k][a] * expected[9 * (3 * i + a) + 3 * j + b] *
                                   p->inverse[l].m[m][b];
                    CHECK_NEAR(c[pair][3 * k + m][l], p->measure[l] * sum, 1e-10 * largest);
                }
    }
}

/* Near rest and at rest, with equal singular values, far from it, inverted and flat. */
TEST(agrees_with_single_points)
{
    random_state r = {5};
    static const double spreads[] = {0, 1e-200, 1e-9, 1e-3, 0.2, 0.8};
    for (int n = 0; n < 600; n++) {
        four_points p;
        double poisson = n % 3 == 0 ? 0.05 : n % 3 == 1 ? 0.4 : 0.49;
        for (int l = 0; l < 4; l++) {
            p.own[l] = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5 * (1 + l), poisson);
            p.f[l] = random_matrix(&r, spreads[n % 6]);
            p.inverse[l] = random_matrix(&r, 0.3);
        }
        if (n % 7 == 0) p.f[1] = mat3_scale(1.5, p.f[1]); /* so large that alpha is negative */
        if (n % 7 == 1) p.f[2] = (mat3){{{2, 0, 0}, {0, 1e-4, 0}, {0, 0, 0.7}}};
        if (n % 7 == 2) p.f[3] = (mat3){{{1.3, 0, 0}, {0, 0.8, 0}, {0, 0, 0.8}}};
        set_lanes(&p);
        compare(&p, true);
        compare(&p, false);
    }
}

/* Other materials beside neo-Hookean ones. */
TEST(lanes_may_differ)
{
    random_state r = {6};
    for (int n = 0; n < 50; n++) {
        four_points p;
        for (int l = 0; l < 4; l++) {
            p.own[l] = elastic_from_young((elastic_model)((n + l) % ELASTIC_LAW_COUNT), 1e5, 0.3);
            p.f[l] = random_matrix(&r, 0.2);
            p.inverse[l] = random_matrix(&r, 0.3);
        }
        if (n % 2) p.own[0].barrier = 1e4, p.own[0].barrier_below = 0.9;
        set_lanes(&p);
        compare(&p, n % 3 == 0);
    }
}

/* To the last bit, an element does not depend on those beside it. */
TEST(lanes_are_independent)
{
    random_state r = {7};
    for (int n = 0; n < 100; n++) {
        four_points p;
        pack4 first[RESPONSE_PAIRS][9], second[RESPONSE_PAIRS][9];
        for (int l = 0; l < 4; l++) {
            p.own[l] = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.3);
            p.f[l] = random_matrix(&r, 0.3);
            p.inverse[l] = random_matrix(&r, 0.3);
        }
        set_lanes(&p);
        response_evaluate(&p.materials, &p.all_f, &p.all_inverse, p.measure, true, NULL, first);
        for (int l = 1; l < 4; l++) p.f[l] = random_matrix(&r, 0.9);
        p.own[2].model = ELASTIC_SVK;
        set_lanes(&p);
        response_evaluate(&p.materials, &p.all_f, &p.all_inverse, p.measure, true, NULL, second);
        for (int pair = 0; pair < RESPONSE_PAIRS; pair++)
            for (int k = 0; k < 9; k++) CHECK(first[pair][k][0] == second[pair][k][0]);
    }
}

TEST(logarithms)
{
    random_state r = {8};
    for (int n = 0; n < 20000; n++) {
        double x = n % 2 ? exp(random_range(&r, -300, 300)) : 1 + random_range(&r, -1e-3, 1e-3);
        double small = random_range(&r, -1, 1) * pow(10, -(n % 18)), one = 1 + small;
        pack4 y = {x, one, 1, 0.5}, rest = {0, small - (one - 1), 0, 0};
        if (n % 18 == 0) rest[1] = 0, y[1] = 2; /* near -1 the rest is not small */
        pack4 log_y = pack4_log(y, rest);
        CHECK_NEAR(log_y[0], log(x), 3e-16 * fabs(log(x)));
        if (n % 18) CHECK_NEAR(log_y[1], log1p(small), 3e-16 * fabs(log1p(small)));
        CHECK(log_y[2] == 0 && log_y[3] == log(0.5));
    }
}

int main(void)
{
    RUN(agrees_with_single_points);
    RUN(lanes_may_differ);
    RUN(lanes_are_independent);
    RUN(logarithms);
    return TEST_END();
}

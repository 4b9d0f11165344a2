/* The derivative of the stress at four points at once, against the one that is computed point by
 * point. */
#include "test.h"

#include "fem/element_response.h"

#include <stdint.h>

static uint32_t state = 5;

static double noise(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)state / 4294967296.0 - 0.5;
}

static mat3 random_matrix(double spread)
{
    mat3 f = mat3_identity();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) f.m[i][j] += spread * noise();
    return f;
}

static int compare_four(double spread, bool project)
{
    elastic_parameters material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.4);
    mat3 f[4], inverse[4];
    double measure[4] = {1, 1, 1, 1}, c[4][9 * RESPONSE_STRIDE], *to[4] = {c[0], c[1], c[2], c[3]};
    for (int l = 0; l < 4; l++) {
        f[l] = random_matrix(spread);
        inverse[l] = mat3_identity();
    }
    int done = element_response4(&material, f, inverse, measure, project, to), count = 0;
    for (int l = 0; l < 4; l++) {
        if (!(done >> l & 1)) continue;
        double expected[81], largest = 0;
        elastic_hessian(&material, f[l], project, expected);
        for (int k = 0; k < 81; k++) largest = fmax(largest, fabs(expected[k]));
        for (int r = 0; r < 9; r++)
            for (int m = 3 * (r / 3); m < 9; m++)
                CHECK_NEAR(c[l][RESPONSE_STRIDE * r + m], expected[9 * r + m], 1e-9 * largest);
        count++;
    }
    return count;
}

TEST(agrees_with_single_points)
{
    int done[2] = {0};
    for (int n = 0; n < 200; n++)
        for (int project = 0; project < 2; project++) {
            CHECK(compare_four(1e-9, project) == 4); /* equal singular values */
            done[project] += compare_four(0.2, project);
            compare_four(1.5, project); /* some are inverted or flat */
        }
    CHECK(done[0] == 800 && done[1] > 700);
}

/* Inverted, flat, or not to be projected this way: said, not computed wrongly. */
TEST(leaves_what_it_cannot_do)
{
    elastic_parameters material = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.4);
    mat3 f[4], inverse[4];
    double measure[4] = {1, 1, 1, 1}, c[4][9 * RESPONSE_STRIDE], *to[4] = {c[0], c[1], c[2], c[3]};
    for (int l = 0; l < 4; l++) f[l] = inverse[l] = mat3_identity();
    f[0].m[0][0] = -1;
    f[1].m[2][2] = 1e-4;
    f[2] = mat3_scale(3, f[2]); /* so large that ln J exceeds mu / lambda */
    CHECK(element_response4(&material, f, inverse, measure, true, to) == 8);
    CHECK(element_response4(&material, f, inverse, measure, false, to) == 12);
    material.barrier = 1;
    CHECK(!element_response_possible(&material));
}

int main(void)
{
    RUN(agrees_with_single_points);
    RUN(leaves_what_it_cannot_do);
    return TEST_END();
}

/* The linear tetrahedron: derivatives, block structure, invariances. */
#include "test.h"

#include "fem/tet4_four.h"
#include "support/dense_oracle.h"

static const elastic_model models[] = {ELASTIC_NEO_HOOKEAN, ELASTIC_FIXED_COROTATED, ELASTIC_LINEAR,
                                       ELASTIC_SVK, ELASTIC_COROTATED};
enum { MODELS = 5 };

static vec3 random_vector(random_state *r, double size)
{
    double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return vec3_make(x, y, random_range(r, -size, size));
}

/* A rest tetrahedron of reasonable shape, and positions with x_k = F X_k + translation. */
static void random_rest(random_state *r, double size, vec3 rest_x[4], tet4_rest *rest)
{
    do
        for (int k = 0; k < 4; k++) rest_x[k] = random_vector(r, size);
    while (!tet4_rest_make(rest_x, rest) || rest->volume < 0.1 * size * size * size);
}

static void deform(mat3 f, vec3 shift, const vec3 rest_x[4], vec3 x[4])
{
    for (int k = 0; k < 4; k++) x[k] = vec3_add(mat3_mul_vec(f, rest_x[k]), shift);
}

static mat3 random_deformation(random_state *r)
{
    mat3 f;
    do f = mat3_add(mat3_identity(), oracle_random_matrix(r, 0.6));
    while (mat3_determinant(f) < 0.2);
    return mat3_mul(oracle_random_rotation(r), f);
}

static void dense_hessian(const mat3 blocks[TET4_BLOCKS], double h[144])
{
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    h[12 * (3 * a + i) + 3 * b + j] = a <= b ? blocks[tet4_block(a, b)].m[i][j]
                                                             : blocks[tet4_block(b, a)].m[j][i];
}

static double *coordinate(vec3 *x, int k)
{
    vec3 *p = &x[k / 3];
    return k % 3 == 0 ? &p->x : k % 3 == 1 ? &p->y : &p->z;
}

static double get(const vec3 *x, int k) { return vec3_get(x[k / 3], k % 3); }

/* Fourth-order difference of the gradient (component l) or of the energy (l = -1). */
static double slope(const tet4_rest *rest, const elastic_parameters *m, const vec3 x[4], int k,
                    int l, double h)
{
    static const double steps[4] = {1, -1, 2, -2}, weights[4] = {8, -8, -1, 1};
    double sum = 0;
    for (int q = 0; q < 4; q++) {
        vec3 y[4], gradient[4];
        memcpy(y, x, sizeof y);
        *coordinate(y, k) += steps[q] * h;
        double energy = tet4_evaluate(rest, m, y, false, gradient, NULL);
        sum += weights[q] * (l < 0 ? energy : get(gradient, l));
    }
    return sum / (12 * h);
}

TEST(block_order)
{
    int expected = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) CHECK(tet4_block(a, b) == expected++);
    CHECK(expected == TET4_BLOCKS);
}

TEST(rest_shape)
{
    vec3 x[4] = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 4}};
    tet4_rest rest;
    CHECK(tet4_rest_make(x, &rest));
    CHECK_NEAR(rest.volume, 4, 1e-14);
    mat3 f = tet4_deformation(&rest, x);
    CHECK_NEAR(mat3_norm2(mat3_sub(f, mat3_identity())), 0, 1e-28);
    vec3 t = x[1];
    x[1] = x[2];
    x[2] = t;
    CHECK(!tet4_rest_make(x, &rest)); /* inverted */
    x[1] = x[2];
    CHECK(!tet4_rest_make(x, &rest)); /* flat */
    x[1].x = NAN;
    CHECK(!tet4_rest_make(x, &rest));
}

TEST(derivatives)
{
    random_state r = {1};
    for (int trial = 0; trial < 60; trial++)
        for (int c = 0; c < MODELS; c++) {
            elastic_parameters m = elastic_from_young(models[c], 2, 0.35);
            vec3 rest_x[4], x[4], gradient[4];
            mat3 blocks[TET4_BLOCKS];
            tet4_rest rest;
            double h[144], size = trial % 3 == 0 ? 1e-3 : trial % 3 == 1 ? 1 : 100;
            random_rest(&r, size, rest_x, &rest);
            mat3 f = random_deformation(&r);
            if (c > 0 && trial % 2) f.m[0][0] -= 1.5; /* often inverted */
            deform(f, random_vector(&r, size), rest_x, x);
            double energy = tet4_evaluate(&rest, &m, x, false, gradient, blocks);
            CHECK(energy == tet4_energy(&rest, &m, x));
            dense_hessian(blocks, h);
            double stiffness = size, force = size * size;
            for (int k = 0; k < 144; k++) stiffness = fmax(stiffness, fabs(h[k]));
            for (int k = 0; k < 12; k++) force = fmax(force, fabs(get(gradient, k)));
            double step = 2e-4 * size;
            if (c > 0 && fabs(mat3_determinant(f)) < 0.05) continue; /* rotation may jump */
            for (int k = 0; k < 12; k++) {
                CHECK_NEAR(get(gradient, k), slope(&rest, &m, x, k, -1, step), 1e-8 * force);
                for (int l = 0; l < 12; l++)
                    CHECK_NEAR(h[12 * l + k], slope(&rest, &m, x, k, l, step), 1e-7 * stiffness);
            }
        }
}

/* Same blocks as contracting the full 9x9 matrix dP/dF with dF/dx (9x12). */
TEST(blocks_match_the_full_contraction)
{
    random_state r = {2};
    for (int trial = 0; trial < 200; trial++)
        for (int c = 0; c < MODELS; c++) {
            elastic_parameters m = elastic_from_young(models[c], 2, 0.35);
            vec3 rest_x[4], x[4];
            mat3 blocks[TET4_BLOCKS];
            tet4_rest rest;
            double h[144], full[81], b[9][12] = {{0}}, hb[9][12] = {{0}};
            random_rest(&r, 1, rest_x, &rest);
            deform(random_deformation(&r), random_vector(&r, 1), rest_x, x);
            bool project = trial % 2;
            tet4_evaluate(&rest, &m, x, project, NULL, blocks);
            dense_hessian(blocks, h);
            elastic_hessian(&m, tet4_deformation(&rest, x), project, full);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    for (int k = 0; k < 3; k++) {
                        b[3 * i + j][3 * (k + 1) + i] = rest.dm_inverse.m[k][j];
                        b[3 * i + j][i] -= rest.dm_inverse.m[k][j];
                    }
            double largest = 0;
            for (int p = 0; p < 9; p++)
                for (int q = 0; q < 9; q++)
                    for (int k = 0; k < 12; k++) hb[p][k] += full[9 * p + q] * b[q][k];
            for (int k = 0; k < 144; k++) largest = fmax(largest, fabs(h[k]));
            for (int k = 0; k < 12; k++)
                for (int l = 0; l < 12; l++) {
                    double sum = 0;
                    for (int p = 0; p < 9; p++) sum += b[p][k] * hb[p][l];
                    CHECK_NEAR(h[12 * k + l], rest.volume * sum, 2e-14 * largest);
                }
        }
}

TEST(projected_blocks_are_semidefinite_and_balanced)
{
    random_state r = {3};
    for (int trial = 0; trial < 100; trial++)
        for (int c = 0; c < MODELS; c++) {
            elastic_parameters m = elastic_from_young(models[c], 2, 0.45);
            vec3 rest_x[4], x[4], gradient[4];
            mat3 blocks[TET4_BLOCKS], f = random_deformation(&r);
            tet4_rest rest;
            double h[144];
            long double values[ORACLE_MAX];
            random_rest(&r, 1, rest_x, &rest);
            if (trial % 2) f = mat3_scale(0.3, f);
            if (c > 0 && trial % 3 == 0) f.m[1][1] -= 2;
            deform(f, random_vector(&r, 1), rest_x, x);
            tet4_evaluate(&rest, &m, x, true, gradient, blocks);
            dense_hessian(blocks, h);
            oracle_eigenvalues(12, h, values);
            CHECK(values[0] >= -1e-14L * values[11]);
            for (int k = 0; k < 144; k++) CHECK(h[k] == h[k % 12 * 12 + k / 12]);
            vec3 force = vec3_make(0, 0, 0), torque = force;
            double size = 0;
            for (int a = 0; a < 4; a++) {
                force = vec3_add(force, gradient[a]);
                torque = vec3_add(torque, vec3_cross(x[a], gradient[a]));
                size += vec3_norm(gradient[a]);
            }
            CHECK_NEAR(vec3_norm(force), 0, 1e-15 * size);
            if (models[c] != ELASTIC_LINEAR) CHECK_NEAR(vec3_norm(torque), 0, 1e-13 * (1 + size));
            for (int k = 0; k < 12; k++) /* no force from a translation */
                for (int i = 0; i < 3; i++)
                    CHECK_NEAR(h[12 * k + i] + h[12 * k + 3 + i] + h[12 * k + 6 + i] +
                                   h[12 * k + 9 + i],
                               0, 1e-14 * (double)values[11]);
        }
}

TEST(rest_positions_have_no_force)
{
    random_state r = {4};
    for (int c = 0; c < MODELS; c++) {
        elastic_parameters m = elastic_from_young(models[c], 1, 0.3);
        vec3 rest_x[4], x[4], gradient[4];
        tet4_rest rest;
        random_rest(&r, 1, rest_x, &rest);
        deform(mat3_identity(), vec3_make(3, -2, 1), rest_x, x);
        CHECK_NEAR(tet4_evaluate(&rest, &m, x, true, gradient, NULL), 0, 1e-27);
        for (int k = 0; k < 12; k++) CHECK_NEAR(get(gradient, k), 0, 1e-13);
    }
}

TEST(inverted_neo_hookean_is_infinite)
{
    elastic_parameters m = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1, 0.3);
    vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, gradient[4];
    mat3 blocks[TET4_BLOCKS];
    tet4_rest rest;
    CHECK(tet4_rest_make(x, &rest));
    x[3].z = -0.1;
    CHECK(tet4_energy(&rest, &m, x) == INFINITY);
    CHECK(tet4_evaluate(&rest, &m, x, true, gradient, blocks) == INFINITY);
    x[3].z = 0;
    CHECK(tet4_energy(&rest, &m, x) == INFINITY);
}

/* Four at once are the single ones to rounding, and each of them alone to the last bit. */
TEST(four_at_once)
{
    random_state r = {9};
    for (int n = 0; n < 200; n++) {
        elastic_parameters m[4];
        tet4_four four = {.count = 1 + (size_t)(n % 4)};
        double energy[4], g[4 * 12], h[4 * 90], own_g[12], own_h[90];
        for (int l = 0; l < 4; l++) {
            vec3 rest_x[4];
            bool other = n % 3 == 0 && l == 1;
            m[l] = elastic_from_young(other ? models[n % MODELS] : ELASTIC_NEO_HOOKEAN, 10, 0.4);
            four.material[l] = &m[l];
            random_rest(&r, 1, rest_x, &four.rest[l]);
            deform(random_deformation(&r), random_vector(&r, 3), rest_x, four.x[l]);
        }
        tet4_four_energy(&four, energy);
        tet4_four_derivatives(&four, g, h);
        for (size_t l = 0; l < four.count; l++) {
            vec3 gradient[4];
            mat3 blocks[TET4_BLOCKS];
            double single = tet4_evaluate(&four.rest[l], &m[l], four.x[l], true, gradient, blocks);
            CHECK_NEAR(energy[l], single, 1e-12 * single);
            for (int k = 0; k < 12; k++) CHECK_NEAR(g[12 * l + k], get(gradient, k), 1e-10);
            for (int k = 0; k < 90; k++)
                CHECK_NEAR(h[90 * l + k], ((const double *)blocks)[k], 1e-9);
            for (int k = 0; k < 9; k++) CHECK(h[90 * l + k] == h[90 * l + 3 * (k % 3) + k / 3]);
            tet4_four one = {.count = 1, .rest = {four.rest[l]}, .material = {&m[l]}};
            memcpy(one.x[0], four.x[l], sizeof one.x[0]);
            double alone[4];
            tet4_four_energy(&one, alone);
            tet4_four_derivatives(&one, own_g, own_h);
            CHECK(alone[0] == energy[l] && memcmp(own_g, g + 12 * l, sizeof own_g) == 0 &&
                  memcmp(own_h, h + 90 * l, sizeof own_h) == 0);
        }
    }
}

/* Volume ratio at x + t p, in extended precision. */
static long double volume_ratio(const vec3 x[4], const vec3 p[4], long double t)
{
    long double volume[2];
    for (int q = 0; q < 2; q++) {
        long double e[3][3], s = q ? t : 0;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                e[k][i] = (vec3_get(x[k + 1], i) + s * vec3_get(p[k + 1], i)) -
                          (vec3_get(x[0], i) + s * vec3_get(p[0], i));
        volume[q] = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                    e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                    e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return volume[1] / volume[0];
}

TEST(step_known)
{
    vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, p[4] = {{0, 0, 0}};
    CHECK(tet4_max_step(x, p, 0.2) == 1);
    p[3].z = -1; /* volume 1 - t */
    CHECK_NEAR(tet4_max_step(x, p, 0.2), 0.8, 1e-14);
    CHECK(tet4_max_step(x, p, 0.2) <= 0.8);
    p[3].z = -0.79;
    CHECK(tet4_max_step(x, p, 0.2) == 1);
    p[3].z = -1e6;
    CHECK_NEAR(tet4_max_step(x, p, 0.2), 0.8e-6, 1e-19);
    for (int k = 0; k < 4; k++) p[k] = vec3_make(5, -7, 1e3); /* a translation */
    CHECK(tet4_max_step(x, p, 0.2) == 1);
    for (int k = 0; k < 4; k++) p[k] = vec3_scale(-1, x[k]); /* shrinking: (1 - t)^3 */
    CHECK_NEAR(tet4_max_step(x, p, 0.125), 0.5, 1e-13);
    for (int k = 0; k < 4; k++) p[k] = vec3_make(-2 * x[k].x, -2 * x[k].y, 0); /* (1 - 2t)^2 */
    CHECK_NEAR(tet4_max_step(x, p, 0.25), 0.25, 1e-14);
    p[1].x = NAN;
    CHECK(tet4_max_step(x, p, 0.2) == 0);
    x[3].z = 0;
    CHECK(tet4_max_step(x, p, 0.2) == 0); /* flat already */
    x[3].z = -1;
    CHECK(tet4_max_step(x, p, 0.2) == 0); /* inverted already */
}

/* Whatever the size of mesh and motion: never below the fraction on the path, and tight. */
TEST(step_is_safe_and_tight)
{
    random_state r = {5};
    int stopped = 0;
    for (int trial = 0; trial < 4000; trial++) {
        vec3 x[4], p[4];
        tet4_rest rest;
        double size = pow(10, random_range(&r, -6, 3));
        double speed = size * pow(10, random_range(&r, -2, 6));
        vec3 offset = random_vector(&r, trial % 2 ? 1e3 * size : size);
        random_rest(&r, size, x, &rest);
        if (trial % 3 == 0) x[3] = vec3_mul_add(x[2], 1e-5, vec3_sub(x[3], x[2])); /* a sliver */
        for (int k = 0; k < 4; k++) {
            x[k] = vec3_add(x[k], offset);
            p[k] = random_vector(&r, speed);
        }
        double t = tet4_max_step(x, p, 0.2);
        CHECK(t > 0 && t <= 1);
        for (int k = 0; k <= 64; k++) CHECK(volume_ratio(x, p, t * (k / 64.0L)) >= 0.2L);
        if (t == 1) continue;
        stopped++;
        long double ratio = fminl(volume_ratio(x, p, t), volume_ratio(x, p, t * (1 + 1e-6L)));
        CHECK(ratio <= 0.2L + 1e-6L);
    }
    CHECK(stopped > 1000);
}

int main(void)
{
    RUN(block_order);
    RUN(rest_shape);
    RUN(derivatives);
    RUN(blocks_match_the_full_contraction);
    RUN(projected_blocks_are_semidefinite_and_balanced);
    RUN(rest_positions_have_no_force);
    RUN(inverted_neo_hookean_is_infinite);
    RUN(four_at_once);
    RUN(step_known);
    RUN(step_is_safe_and_tight);
    return TEST_END();
}

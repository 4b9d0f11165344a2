/* Energies of shells and rods: every value, gradient and Hessian against finite differences, limits
 * of steps, and whole sheets against plate and beam theory. */
#include "base/random.h"
#include "fem/hinge.h"
#include "fem/rod.h"
#include "fem/tri3.h"
#include "math/eigen.h"
#include "test.h"

#include <stdbool.h>

enum { MAX_N = 12 };

/* ---------------------------------------------------------------------------------------------- */
/* Any energy of a few points                                                                     */

typedef struct energy {
    int points;
    double (*value)(const void *context, const vec3 *x);
    /* gradient and Hessian (dense), where not NULL */
    void (*derivatives)(const void *context, const vec3 *x, bool project, double *g, double *h);
    const void *context;
} energy;

static const double AT[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};

static double largest(const double *v, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

static void check_gradient(const energy *e, const vec3 *at, double step, double tolerance)
{
    int n = 3 * e->points;
    vec3 x[4];
    double g[MAX_N], expected[MAX_N];
    memcpy(x, at, (size_t)e->points * sizeof *x);
    e->derivatives(e->context, x, false, g, NULL);
    for (int i = 0; i < n; i++) {
        double *entry = (double *)x + i, before = *entry, sum = 0;
        for (int k = 0; k < 4; k++) {
            *entry = before + AT[k] * step;
            sum += WEIGHT[k] * e->value(e->context, x);
        }
        *entry = before;
        expected[i] = sum / (12 * step);
    }
    double scale = largest(expected, n);
    for (int i = 0; i < n; i++) CHECK_NEAR(g[i], expected[i], tolerance * scale);
}

/* Unprojected against differences; the projected one against a general projection of those. */
static void check_hessian(const energy *e, const vec3 *at, double step, double tolerance)
{
    int n = 3 * e->points;
    vec3 x[4];
    double h[MAX_N * MAX_N], expected[MAX_N * MAX_N], g[MAX_N];
    memcpy(x, at, (size_t)e->points * sizeof *x);
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < n; i++) {
        double *entry = (double *)x + i, before = *entry;
        for (int k = 0; k < 4; k++) {
            *entry = before + AT[k] * step;
            e->derivatives(e->context, x, false, g, NULL);
            for (int j = 0; j < n; j++) expected[n * i + j] += WEIGHT[k] * g[j] / (12 * step);
        }
        *entry = before;
    }
    double scale = largest(expected, n * n);
    CHECK(scale > 0);
    e->derivatives(e->context, x, false, g, h);
    for (int i = 0; i < n * n; i++) CHECK_NEAR(h[i], expected[i], tolerance * scale);
    e->derivatives(e->context, x, true, g, h);
    double values[MAX_N], vectors[MAX_N * MAX_N];
    eigen_symmetric(n, h, values, vectors);
    CHECK(values[0] >= -1e-12 * scale);
}

static void check_energy(const energy *e, const vec3 *x, double step, double tolerance)
{
    CHECK(isfinite(e->value(e->context, x)));
    check_gradient(e, x, step, tolerance);
    check_hessian(e, x, step, tolerance);
}

/* Blocks of the upper triangle as a dense symmetric matrix. */
static void dense_of_blocks(int points, const mat3 *blocks, double *out)
{
    int n = 3 * points;
    for (int a = 0; a < points; a++)
        for (int b = a; b < points; b++, blocks++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    out[n * (3 * a + r) + 3 * b + c] = out[n * (3 * b + c) + 3 * a + r] =
                        blocks->m[r][c];
}

/* ---------------------------------------------------------------------------------------------- */
/* Membranes and limits                                                                           */

typedef struct sheet {
    tri3_rest rest;
    membrane_parameters material;
    strain_limit limit;
} sheet;

static double membrane_value(const void *context, const vec3 *x)
{
    const sheet *s = context;
    return tri3_energy(&s->rest, &s->material, x);
}

static void membrane_derivatives(const void *context, const vec3 *x, bool project, double *g,
                                 double *h)
{
    const sheet *s = context;
    mat3 blocks[TRI3_BLOCKS];
    tri3_evaluate(&s->rest, &s->material, x, 1, project, (vec3 *)g, h ? blocks : NULL);
    if (h) dense_of_blocks(3, blocks, h);
}

static double limit_value(const void *context, const vec3 *x)
{
    const sheet *s = context;
    return tri3_limit_energy(&s->rest, &s->limit, x);
}

static void limit_derivatives(const void *context, const vec3 *x, bool project, double *g,
                              double *h)
{
    const sheet *s = context;
    mat3 blocks[TRI3_BLOCKS];
    tri3_limit_evaluate(&s->rest, &s->limit, x, 1, project, (vec3 *)g, h ? blocks : NULL);
    if (h) dense_of_blocks(3, blocks, h);
}

static const vec3 REST[3] = {{0.1, 0, 0.2}, {1.1, 0.05, 0.3}, {0.35, 0.1, 1.15}};

static sheet make_sheet(membrane_model model)
{
    sheet s = {.material = membrane_from_young(model, 7, 0.3), .limit = strain_limit_none()};
    CHECK(tri3_rest_make(REST, vec3_make(1, 0, 0), 0.01, &s.rest));
    return s;
}

static void random_triangle(random_state *r, double size, vec3 x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] =
            vec3_add(REST[k], vec3_make(random_range(r, -size, size), random_range(r, -size, size),
                                        random_range(r, -size, size)));
}

TEST(membranes)
{
    random_state r = {7};
    for (int model = MEMBRANE_NEO_HOOKEAN; model <= MEMBRANE_DATA_DRIVEN; model++) {
        sheet s = make_sheet((membrane_model)model);
        if (model >= MEMBRANE_ORTHOTROPIC) {
            s.material.a11 = 15;
            s.material.a22 = 25;
            s.material.a12 = 7.7;
            s.material.g12 = 3;
        }
        if (model == MEMBRANE_DATA_DRIVEN) {
            s.material.limit[0] = 0.5;
            s.material.limit[1] = 0.6;
            s.material.limit[2] = 0.3;
        }
        energy e = {3, membrane_value, membrane_derivatives, &s};
        for (int trial = 0; trial < 40; trial++) {
            vec3 x[3];
            random_triangle(&r, model == MEMBRANE_DATA_DRIVEN ? 0.06 : 0.3, x);
            check_energy(&e, x, 1e-3, model == MEMBRANE_DATA_DRIVEN ? 1e-6 : 1e-7);
        }
        double g[9];
        membrane_derivatives(&s, REST, false, g, NULL);
        CHECK_NEAR(membrane_value(&s, REST), 0, 1e-15);
        for (int i = 0; i < 9; i++) CHECK_NEAR(g[i], 0, 1e-14);
    }
}

/* The orthotropic sheet with the entries of an isotropic one is Saint Venant-Kirchhoff's. */
TEST(orthotropic_contains_isotropic)
{
    random_state r = {3};
    sheet a = make_sheet(MEMBRANE_SVK), b = make_sheet(MEMBRANE_ORTHOTROPIC);
    for (int trial = 0; trial < 20; trial++) {
        vec3 x[3];
        random_triangle(&r, 0.3, x);
        double ha[81], hb[81], g[9];
        CHECK_NEAR(membrane_value(&a, x), membrane_value(&b, x), 1e-14);
        membrane_derivatives(&a, x, true, g, ha);
        membrane_derivatives(&b, x, true, g, hb);
        for (int i = 0; i < 81; i++) CHECK_NEAR(ha[i], hb[i], 1e-12);
    }
}

/* Uniaxial tension of small strain: plane stress gives E, not E / (1 - nu^2). */
TEST(plane_stress)
{
    for (int model = MEMBRANE_NEO_HOOKEAN; model <= MEMBRANE_ORTHOTROPIC; model++) {
        membrane_parameters p = membrane_from_young((membrane_model)model, 3, 0.35);
        double e = 1e-6;
        vec3 stress[2];
        membrane_stress(&p, vec3_make(1 + e, 0, 0), vec3_make(0, 1 - 0.35 * e, 0), stress);
        CHECK_NEAR(stress[0].x / e, 3, 1e-4);
        CHECK_NEAR(stress[1].y / e, 0, 1e-4);
    }
}

TEST(limits)
{
    random_state r = {11};
    sheet s = make_sheet(MEMBRANE_SVK);
    energy e = {3, limit_value, limit_derivatives, &s};
    for (int kind = 0; kind < 2; kind++) {
        s.limit = kind == 0 ? (strain_limit){1.6, 1, 0, 0} : (strain_limit){1.6, 1, 0.4, 0.95};
        int used = 0;
        for (int trial = 0; trial < 200; trial++) {
            vec3 x[3];
            random_triangle(&r, 0.25, x);
            if (!(limit_value(&s, x) > 1e-6) || !isfinite(limit_value(&s, x))) continue;
            vec3 f[2];
            tri3_deformation(&s.rest, x, f);
            double room = strain_limit_room(&s.limit, f[0], f[1]);
            if (room < 0.05) continue;
            used++;
            check_gradient(&e, x, 1e-3 * room, 1e-5);
            check_hessian(&e, x, 1e-3 * room, 1e-4);
        }
        CHECK(used > 20);
    }
    /* Equal singular values, where quotients of differences fail. */
    s.limit = (strain_limit){1.6, 1, 0, 0};
    vec3 x[3];
    for (int k = 0; k < 3; k++) x[k] = vec3_scale(1.3, REST[k]);
    check_energy(&e, x, 1e-3, 1e-5);
}

/* The barrier begins with three zeros and has no bound at the limit. */
TEST(limit_ends)
{
    strain_limit l = {1.001, 1, 0, 0};
    CHECK(strain_limit_value(&l, 1) == 0 && strain_limit_value(&l, 0.3) == 0);
    CHECK_NEAR(strain_limit_first(&l, 1 + 1e-9), 0, 1e-2);
    CHECK(strain_limit_value(&l, 1.001) == INFINITY && strain_limit_value(&l, 2) == INFINITY);
    CHECK(strain_limit_value(&l, 1.001 - 1e-12) > 20);
    strain_limit low = {INFINITY, 1, 0.9, 1};
    CHECK(strain_limit_value(&low, 0.9) == INFINITY && strain_limit_value(&low, 1.5) == 0);
    CHECK(strain_limit_first(&low, 0.95) < 0);
}

/* Steps end inside, and nearly where they could. */
TEST(limit_steps)
{
    random_state r = {5};
    sheet s = make_sheet(MEMBRANE_SVK);
    s.limit = (strain_limit){1.2, 1, 0, 0};
    int cut = 0;
    for (int trial = 0; trial < 300; trial++) {
        vec3 x[3], p[3], f[2], d[2], end[2];
        random_triangle(&r, 0.02, x);
        random_triangle(&r, trial % 3 == 0 ? 30 : 1, p);
        for (int k = 0; k < 3; k++) p[k] = vec3_sub(p[k], REST[k]);
        tri3_deformation(&s.rest, x, f);
        tri3_deformation(&s.rest, p, d);
        double room = strain_limit_room(&s.limit, f[0], f[1]);
        if (!(room > 0)) continue;
        double t = strain_limit_max_step(&s.limit, f[0], f[1], d[0], d[1], 0.1, 1);
        CHECK(t > 0 && t <= 1);
        for (int k = 0; k < 2; k++) end[k] = vec3_mul_add(f[k], t, d[k]);
        double left = strain_limit_room(&s.limit, end[0], end[1]);
        CHECK(left >= 0.0999 * room);
        if (t < 1) {
            cut++;
            CHECK(left <= 0.5 * room);
        }
    }
    CHECK(cut > 100);
}

TEST(data_driven_steps)
{
    random_state r = {6};
    sheet s = make_sheet(MEMBRANE_DATA_DRIVEN);
    s.material.limit[0] = s.material.limit[1] = 0.14;
    s.material.limit[2] = 0.063;
    int cut = 0;
    for (int trial = 0; trial < 300; trial++) {
        vec3 x[3], p[3], f[2], d[2];
        random_triangle(&r, 0.01, x);
        random_triangle(&r, 1, p);
        for (int k = 0; k < 3; k++) p[k] = vec3_sub(p[k], REST[k]);
        tri3_deformation(&s.rest, x, f);
        tri3_deformation(&s.rest, p, d);
        double t = membrane_max_step(&s.material, f[0], f[1], d[0], d[1], 0.1, 1);
        CHECK(t > 0);
        if (t < 1) cut++;
        for (int k = 0; k <= 20; k++) {
            double q = t * k / 20;
            CHECK(isfinite(membrane_energy(&s.material, vec3_mul_add(f[0], q, d[0]),
                                           vec3_mul_add(f[1], q, d[1]))));
        }
    }
    CHECK(cut > 100);
}

/* ---------------------------------------------------------------------------------------------- */
/* Bending of shells                                                                              */

static double hinge_value(const void *context, const vec3 *x)
{
    const double *rest = context, change = hinge_angle(x) - *rest;
    return 0.5 * change * change;
}

static void hinge_derivatives(const void *context, const vec3 *x, bool project, double *g,
                              double *h)
{
    const double *rest = context;
    vec3 slope[4];
    double dense[144], angle = hinge_hessian(x, slope, dense);
    const double *flat = (const double *)slope;
    for (int i = 0; g && i < 12; i++) g[i] = (angle - *rest) * flat[i];
    for (int i = 0; h && i < 12; i++)
        for (int j = 0; j < 12; j++)
            h[12 * i + j] = flat[i] * flat[j] + (angle - *rest) * dense[12 * i + j];
    if (h && project) psd_project_stencil(4, h);
}

TEST(hinges)
{
    random_state r = {2};
    for (int trial = 0; trial < 60; trial++) {
        double rest = random_range(&r, -1, 1), fold = random_range(&r, -2.8, 2.8);
        energy e = {4, hinge_value, hinge_derivatives, &rest};
        vec3 x[4] = {{0.4, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0.6, -sin(fold), -cos(fold)}};
        CHECK_NEAR(fabs(hinge_angle(x)), fabs(fold), 1e-12);
        for (int k = 0; k < 4; k++)
            x[k] =
                vec3_add(x[k], vec3_make(random_range(&r, -0.1, 0.1), random_range(&r, -0.1, 0.1),
                                         random_range(&r, -0.1, 0.1)));
        check_energy(&e, x, 1e-3, 1e-6);
    }
    vec3 flat[4] = {{0.4, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0.6, 0, -2}};
    CHECK(hinge_angle(flat) == 0);
}

static double frobenius(const double *a)
{
    double sum = 0;
    for (int i = 0; i < 144; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

/* The semi-definite Hessian lies above the true one by a semi-definite matrix that is not much
 * larger than the smallest there is, and is the true one where that is semi-definite. */
TEST(hinge_projection)
{
    random_state r = {3};
    for (int trial = 0; trial < 300; trial++) {
        double fold = random_range(&r, -2.8, 2.8), stiffness = random_range(&r, 0.1, 10);
        double moment = trial % 10 == 0 ? 0 : stiffness * random_range(&r, -3, 3);
        double high = random_range(&r, 0.3, 2);
        vec3 x[4] = {{random_range(&r, -0.5, 1.5), 0, high},
                     {0, 0, 0},
                     {1, 0, 0},
                     {0.6, -sin(fold), -cos(fold)}};
        vec3 g[4];
        mat3 blocks[HINGE_BLOCKS];
        double exact[144], found[144], above[144], least[144];
        hinge_hessian(x, g, exact);
        const double *flat = (const double *)g;
        for (int i = 0; i < 144; i++)
            exact[i] = stiffness * flat[i / 12] * flat[i % 12] + moment * exact[i];
        hinge_semidefinite(x, stiffness, moment, blocks);
        dense_of_blocks(4, blocks, found);
        memcpy(least, exact, sizeof least);
        psd_project(12, least);
        double size = frobenius(exact), values[12], vectors[144];
        for (int i = 0; i < 144; i++) {
            above[i] = found[i] - exact[i];
            least[i] -= exact[i];
        }
        eigen_symmetric(12, found, values, vectors);
        CHECK(values[0] > -1e-12 * size);
        eigen_symmetric(12, above, values, vectors);
        CHECK(values[0] > -1e-12 * size);
        CHECK(frobenius(above) <= 4 * frobenius(least) + 1e-12 * size);
        if (moment == 0) CHECK(frobenius(above) < 1e-12 * size);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Rods                                                                                           */

static double stretch_value(const void *context, const vec3 *x)
{
    (void)context;
    return segment_energy(x, 0.8, 3);
}

static void stretch_derivatives(const void *context, const vec3 *x, bool project, double *g,
                                double *h)
{
    (void)context;
    mat3 blocks[3];
    segment_evaluate(x, 0.8, 3, 1, project, (vec3 *)g, h ? blocks : NULL);
    if (h) dense_of_blocks(2, blocks, h);
}

static double joint_value(const void *context, const vec3 *x)
{
    (void)context;
    return bend_energy(x, 2);
}

static void joint_derivatives(const void *context, const vec3 *x, bool project, double *g,
                              double *h)
{
    (void)context;
    bend_evaluate(x, 2, (vec3 *)g, h);
    if (h && project) psd_project_stencil(3, h);
}

TEST(rods)
{
    random_state r = {4};
    energy stretch = {2, stretch_value, stretch_derivatives, NULL};
    energy joint = {3, joint_value, joint_derivatives, NULL};
    for (int trial = 0; trial < 60; trial++) {
        vec3 x[3];
        for (int k = 0; k < 3; k++)
            x[k] = vec3_make(k + random_range(&r, -0.45, 0.45), random_range(&r, -0.7, 0.7),
                             random_range(&r, -0.7, 0.7));
        check_energy(&stretch, x, 1e-3, 1e-6);
        if (vec3_dot(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[1])) < -0.2) continue;
        check_energy(&joint, x, 3e-4, 1e-5);
    }
    vec3 straight[3] = {{0, 0, 0}, {0.5, 0, 0}, {2, 0, 0}},
         right[3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    vec3 folded[3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}};
    CHECK(bend_energy(straight, 1) == 0);
    CHECK_NEAR(bend_energy(right, 1), 4, 1e-14); /* 4 tan^2 of half the right angle */
    CHECK(bend_energy(folded, 1) == INFINITY);
}

int main(void)
{
    RUN(membranes);
    RUN(orthotropic_contains_isotropic);
    RUN(plane_stress);
    RUN(limits);
    RUN(limit_ends);
    RUN(limit_steps);
    RUN(data_driven_steps);
    RUN(hinges);
    RUN(hinge_projection);
    RUN(rods);
    return TEST_END();
}

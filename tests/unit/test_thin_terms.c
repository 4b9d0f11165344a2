/* The terms of shells and rods as the solver sees them: bending about a bent rest shape, matrices
 * that lie above the true Hessian, steps that keep strains within their limits. */
#include "base/random.h"
#include "mesh/generate.h"
#include "support/differences.h"
#include "support/scene_makers.h"
#include "term/rod.h"
#include "term/shell.h"
#include "term/strain_limit.h"
#include "test.h"

static abut_error err;
static stage_timer timer;

/* Two triangles with one hinge between them. */
static model *make_sheet(membrane_model membrane)
{
    model *m = mem_calloc(1, sizeof *m);
    mesh shape;
    CHECK_OK(generate_grid(1, 1, (const int[2]){1, 1}, &shape, &err), err);
    shell_definition shell = shell_from_young(membrane, 1e5, 0.3, 500, 0.05);
    CHECK_OK(model_add_shell(m, "sheet", &shape, &shell, &err), err);
    CHECK_OK(model_finish(m, &err), err);
    mesh_free(&shape);
    return m;
}

static void moved_positions(random_state *r, const model *m, double amount, double *x)
{
    for (size_t i = 0; i < 3 * m->rest.count; i++)
        x[i] = ((const double *)m->rest.data)[i] + random_range(r, -amount, amount);
}

static void begin(problem *p, const model *m, term *t)
{
    CHECK_OK(problem_init(p, model_block_count(m), &timer, &err), err);
    CHECK_OK(problem_add_term(p, t, &err), err);
}

/* A hinge that is bent at rest: no energy there, and no direction in which Newton's matrix is below
 * the true one where the angle is far from that. */
TEST(bending)
{
    random_state r = {1};
    model *m = make_sheet(MEMBRANE_SVK);
    CHECK(m->codim.hinge_rest.count == 1);
    m->codim.hinge_rest.data[0].angle = 0.5;
    double flat = 0.5 * m->codim.hinge_rest.data[0].stiffness * 0.25, x[MAX_N];
    term *t = NULL;
    CHECK_OK(bending_create(m, &t, &err), err);
    test_evaluation.force_factor = 0.7;
    problem p;
    begin(&p, m, t);
    CHECK_NEAR(value_at(&p, (const double *)m->rest.data), 0.7 * flat, 1e-12 * flat);
    /* One of the two directions to fold it by half a radian is the rest shape. */
    double least = INFINITY;
    for (int side = -1; side < 2; side += 2) {
        memcpy(x, m->rest.data, 12 * sizeof *x);
        const int32_t *hinge = m->codim.hinges.data;
        vec3 a = m->rest.data[hinge[1]], e = vec3_sub(m->rest.data[hinge[2]], a);
        vec3 corner = vec3_sub(m->rest.data[hinge[3]], a);
        vec3 along = vec3_scale(vec3_dot(corner, e) / vec3_norm2(e), e);
        vec3 across = vec3_sub(corner, along), up = vec3_make(0, side * vec3_norm(across), 0);
        vec3 turned = vec3_add(vec3_scale(cos(0.5), across), vec3_scale(sin(0.5), up));
        vec3_store(x + 3 * (size_t)hinge[3], vec3_add(a, vec3_add(along, turned)));
        least = fmin(least, value_at(&p, x));
    }
    CHECK(least < 1e-12 * flat);
    for (int trial = 0; trial < 20; trial++) {
        moved_positions(&r, m, 0.4, x);
        check_gradient(&p, x, 1e-5, 1e-7);
        check_majorant(&p, x, 1e-5, 1e-7);
    }
    problem_free(&p);
    t->class->destroy(t);
    free_model(m);
}

TEST(rod_joints)
{
    random_state r = {2};
    model *m = mem_calloc(1, sizeof *m);
    mesh line;
    CHECK_OK(generate_polyline(vec3_make(0, 0, 0), vec3_make(2, 0, 0), 2, &line, &err), err);
    rod_definition rod = {
        .young = 1e6, .density = 700, .diameter = 0.1, .stretch_scale = 1, .bend_scale = 1};
    CHECK_OK(model_add_rod(m, "rod", &line, &rod, &err), err);
    CHECK_OK(model_finish(m, &err), err);
    term *t = NULL;
    CHECK_OK(rod_bend_create(m, &t, &err), err);
    problem p;
    begin(&p, m, t);
    for (int trial = 0; trial < 20; trial++) {
        double x[MAX_N];
        moved_positions(&r, m, 0.5, x);
        check_gradient(&p, x, 1e-5, 1e-7);
        check_hessian(&p, x, 1e-5, 1e-6, true);
    }
    problem_free(&p);
    t->class->destroy(t);
    mesh_free(&line);
    free_model(m);
}

/* A step along which a sheet with limits in its material is stretched twice as much. */
TEST(steps_within_data)
{
    model *m = make_sheet(MEMBRANE_SVK);
    membrane_parameters *material = &m->bodies.data[0].membrane;
    *material = (membrane_parameters){.model = MEMBRANE_DATA_DRIVEN,
                                      .a11 = 1e5,
                                      .a22 = 1e5,
                                      .a12 = 1e4,
                                      .g12 = 1e4,
                                      .limit = {0.2, 0.2, 0.2}};
    term *t = NULL;
    CHECK_OK(membrane_create(m, &t, &err), err);
    double x[12], p[12];
    step_bound bound = {.group = -1};
    for (int i = 0; i < 12; i++) p[i] = x[i] = ((const double *)m->rest.data)[i];
    CHECK_OK(t->class->max_step(t, x, p, 1, &bound, &timer, &err), err);
    /* E = ((1 + alpha)^2 - 1) / 2 stays below 0.2. */
    CHECK(bound.alpha > 0.1 && bound.alpha < sqrt(1.4) - 1);
    for (int i = 0; i < 12; i++) x[i] += bound.alpha * p[i];
    CHECK(isfinite(t->class->value(t, &test_evaluation, x)));
    material->model = MEMBRANE_SVK;
    CHECK_OK(t->class->max_step(t, x, p, 1, &bound, &timer, &err), err);
    CHECK(bound.alpha == 1);
    t->class->destroy(t);
    free_model(m);
}

/* The barrier of a strain limit grows, up to a bound, while the same triangle stays close to it. */
TEST(strain_limits_stiffen)
{
    model *m = make_sheet(MEMBRANE_SVK);
    m->bodies.data[0].limit = (strain_limit){.upper = 1.1, .upper_start = 1.05};
    CHECK(strain_limit_needed(m));
    strain_limit_term *t = NULL;
    CHECK_OK(strain_limit_create(m, &t, &err), err);
    term *base = &t->element.base;
    double x[12], kappa = t->kappa;
    for (int i = 0; i < 12; i++) x[i] = (1.1 - 1e-7) * ((const double *)m->rest.data)[i];
    CHECK(base->class->adapt != NULL);
    strain_limit_begin_step(t);
    CHECK(!base->class->adapt(base, x) && t->kappa == kappa);
    CHECK(base->class->adapt(base, x) && t->kappa == 2 * kappa);
    for (int i = 0; i < 30; i++) base->class->adapt(base, x);
    CHECK(t->kappa > 50 * kappa && !base->class->adapt(base, x));
    strain_limit_begin_step(t);
    double most = t->kappa;
    CHECK(!base->class->adapt(base, (const double *)m->rest.data));
    CHECK(!base->class->adapt(base, x) && t->kappa == most);
    base->class->destroy(base);
    free_model(m);
}

int main(void)
{
    RUN(bending);
    RUN(rod_joints);
    RUN(steps_within_data);
    RUN(strain_limits_stiffen);
    return TEST_END();
}

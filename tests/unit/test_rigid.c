/* Rigid and affine bodies that touch nothing: mass properties and their errors, derivatives of
 * their terms, spins, torques, fixed and prescribed coordinates, saving and going on. */
#include "base/random.h"
#include "body/rigid.h"
#include "math/rotation.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "support/differences.h"
#include "support/scene_makers.h"
#include "test.h"

static abut_error err;
static const double PI = 3.14159265358979323846;

static mesh box_mesh(vec3 size, vec3 rotate, vec3 translate)
{
    mesh box;
    const int cells[3] = {1, 1, 1};
    CHECK_OK(generate_box(size, cells, &box, &err), err);
    mesh_transform(&box, (vec3){1, 1, 1}, rotate, translate);
    return box;
}

static stepper *make_body(const mesh *shape, bool affine, const stepper_options *options)
{
    model *m = mem_calloc(1, sizeof *m);
    rigid_options rigid = {.density = 1000, .stiffness = 1e5};
    CHECK_OK((affine ? model_add_affine : model_add_rigid)(m, "body", shape, &rigid, &err), err);
    CHECK_OK(model_finish(m, &err), err);
    return make_stepper(m, options);
}

/* A box with sides 1, 2, 3 turned and away from the origin. */
static stepper *make_brick(bool affine, integrator kind, double h, vec3 v, vec3 w)
{
    mesh box = box_mesh((vec3){1, 2, 3}, (vec3){0, 0, 0}, (vec3){5, -2, 1});
    stepper_options options = maker_options(kind, h);
    options.tolerance = 1e-8;
    stepper *s = make_body(&box, affine, &options);
    mesh_free(&box);
    double *velocity = mem_calloc(s->state.scalars, sizeof *velocity);
    rigid_set_velocity(&s->model->rigids.data[0], s->state.x, v, w, velocity);
    CHECK_OK(stepper_start(s, velocity, &err), err);
    mem_free(velocity);
    return s;
}

static step_statistics advance(stepper *s, int steps)
{
    step_statistics statistics = {0};
    for (int i = 0; i < steps; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    return statistics;
}

static mat3 frame_of(const stepper *s)
{
    return rigid_frame(&s->model->rigids.data[0], s->state.x);
}

/* ---------------------------------------------------------------------------------------------- */
/* Mass                                                                                           */

static mass_properties weigh(const mesh *shape, rigid_options options)
{
    mass_properties mass = {0};
    CHECK_OK(rigid_weigh_mesh("thing", shape, &options, &mass, &err), err);
    return mass;
}

TEST(mass_of_solid)
{
    mesh box = box_mesh((vec3){1, 2, 3}, (vec3){0, 0, 90}, (vec3){10, 20, 30});
    mass_properties mass = weigh(&box, (rigid_options){.density = 500});
    CHECK_NEAR(mass.mass, 3000, 1e-9);
    CHECK_NEAR(vec3_norm(vec3_sub(mass.center, (vec3){10, 20, 30})), 0, 1e-12);
    /* m/12 (b^2 + c^2); x and y are exchanged by the turn. */
    CHECK_NEAR(mass.inertia.m[0][0], 3000. / 12 * (1 + 9), 1e-8);
    CHECK_NEAR(mass.inertia.m[1][1], 3000. / 12 * (4 + 9), 1e-8);
    CHECK_NEAR(mass.inertia.m[2][2], 3000. / 12 * (1 + 4), 1e-8);
    double moments[3];
    mat3 axes;
    rigid_principal(&mass, moments, &axes);
    CHECK_NEAR(moments[0], 1250, 1e-8);
    CHECK_NEAR(moments[2], 3250, 1e-8);
    mass = weigh(&box, (rigid_options){.total_mass = 6});
    CHECK_NEAR(mass.mass, 6, 1e-12);
    CHECK_NEAR(mass.inertia.m[2][2], 2.5, 1e-11);
    mesh_free(&box);
}

TEST(mass_of_thin_things)
{
    mesh shape;
    const int cells[2] = {2, 2}, counts[3] = {2, 1, 1};
    CHECK_OK(generate_grid(2, 4, cells, &shape, &err), err);
    mass_properties mass = weigh(&shape, (rigid_options){.density = 3});
    CHECK_NEAR(mass.mass, 24, 1e-12);
    CHECK_NEAR(mass.inertia.m[1][1], 24. / 12 * (4 + 16), 1e-10);
    mesh_free(&shape);
    CHECK_OK(generate_polyline((vec3){0, 0, 0}, (vec3){3, 0, 0}, 5, &shape, &err), err);
    mass = weigh(&shape, (rigid_options){.density = 2});
    CHECK_NEAR(mass.mass, 6, 1e-12);
    CHECK_NEAR(mass.inertia.m[1][1], 6. * 9 / 12, 1e-12);
    CHECK_NEAR(mass.inertia.m[0][0], 0, 1e-12);
    mesh_free(&shape);
    CHECK_OK(generate_lattice(counts, (vec3){1, 1, 1}, &shape, &err), err);
    mass = weigh(&shape, (rigid_options){.density = 7});
    CHECK_NEAR(mass.mass, 14, 1e-12);
    CHECK_NEAR(mass.inertia.m[1][1], 2 * 7 * 0.25, 1e-12);
    mesh_free(&shape);
}

static void expect_refusal(const mesh *shape, rigid_options options, const char *words)
{
    mass_properties mass;
    CHECK(rigid_weigh_mesh("thing", shape, &options, &mass, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, words) != NULL);
    CHECK(strstr(err.message, "\"thing\"") != NULL);
    if (!strstr(err.message, words)) printf("  %s\n", err.message);
}

/* A cube of triangles, each given by its corners: what files without shared vertices hold. */
static mesh triangle_soup(const mesh *surface)
{
    const cell_block *triangles = mesh_find(surface, CELL_TRIANGLE);
    mesh soup;
    cell_block *block;
    CHECK_OK(mesh_init(&soup, 3 * triangles->count, &err), err);
    CHECK_OK(mesh_add_block(&soup, CELL_TRIANGLE, 1, triangles->count, false, &block, &err), err);
    for (size_t i = 0; i < 3 * triangles->count; i++) {
        soup.vertices[i] = surface->vertices[triangles->nodes[i]];
        block->nodes[i] = (int32_t)i;
    }
    return soup;
}

TEST(bad_bodies)
{
    mesh box = box_mesh((vec3){1, 1, 1}, (vec3){0}, (vec3){0}), surface, soup;
    CHECK_OK(mesh_extract_surface(&box, &surface, &err), err);
    rigid_options options = {.density = 1000};
    soup = triangle_soup(&surface);
    CHECK_NEAR(weigh(&soup, options).mass, 1000, 1e-9); /* a solid all the same */
    cell_block *triangles = &surface.blocks[0];
    CHECK(triangles->kind == CELL_TRIANGLE);
    for (size_t i = 0; i < triangles->count; i++) {
        int32_t swap = triangles->nodes[3 * i];
        triangles->nodes[3 * i] = triangles->nodes[3 * i + 1];
        triangles->nodes[3 * i + 1] = swap;
    }
    expect_refusal(&surface, options, "inside out");
    int32_t swap = triangles->nodes[0];
    triangles->nodes[0] = triangles->nodes[1];
    triangles->nodes[1] = swap;
    expect_refusal(&surface, options, "not oriented");
    CHECK_NEAR(weigh(&surface, (rigid_options){.density = 2, .weigh = WEIGH_AREA}).mass, 12, 1e-12);
    expect_refusal(&surface, (rigid_options){.density = 0}, "no mass");
    mesh_free(&surface);
    mesh_free(&soup);
    mesh_free(&box);
    mesh fins; /* three triangles at one edge */
    cell_block *block;
    CHECK_OK(mesh_init(&fins, 5, &err), err);
    CHECK_OK(mesh_add_block(&fins, CELL_TRIANGLE, 1, 3, false, &block, &err), err);
    for (int i = 0; i < 5; i++) fins.vertices[i] = (vec3){i == 1, i == 2, i > 2 ? i : 0};
    for (int i = 0; i < 9; i++) block->nodes[i] = i % 3 < 2 ? i % 3 : 2 + i / 3;
    expect_refusal(&fins, options, "more than two triangles");
    for (int i = 0; i < 5; i++) fins.vertices[i] = (vec3){i, 0, 0};
    expect_refusal(&fins, (rigid_options){.density = 1, .weigh = WEIGH_AREA}, "no area");
    mesh_free(&fins);
}

/* ---------------------------------------------------------------------------------------------- */
/* Derivatives                                                                                    */

enum { MOST = 12 };

static double value_of(problem *p, const double *x)
{
    return problem_value(p, &test_evaluation, x);
}

static void check_derivatives(stepper *s, const double *x, bool exact)
{
    problem *p = &s->problem;
    int n = 3 * p->block_count;
    double at[MOST], gradient[MOST], plus[MOST], minus[MOST], h = 1e-5;
    test_evaluation.exact = exact;
    CHECK_OK(problem_update(p, &test_evaluation, x, &err), err);
    CHECK_OK(problem_derivatives(p, &test_evaluation, x, true, &err), err);
    memcpy(gradient, p->gradient, (size_t)n * sizeof *gradient);
    double matrix[MOST * MOST] = {0}, scale = 0;
    for (int j = 0; j < n; j++)
        for (int32_t k = p->matrix.scalar_start[j]; k < p->matrix.scalar_start[j + 1]; k++) {
            int i = p->matrix.scalar_row[k];
            if (i >= j) matrix[n * i + j] = matrix[n * j + i] = p->matrix.value[k];
        }
    for (int i = 0; i < n * n; i++) scale = fmax(scale, fabs(matrix[i]));
    for (int i = 0; i < n; i++) {
        memcpy(at, x, (size_t)n * sizeof *at);
        at[i] = x[i] + h;
        double up = value_of(p, at);
        CHECK_OK(problem_derivatives(p, &test_evaluation, at, false, &err), err);
        memcpy(plus, p->gradient, (size_t)n * sizeof *plus);
        at[i] = x[i] - h;
        double down = value_of(p, at);
        CHECK_OK(problem_derivatives(p, &test_evaluation, at, false, &err), err);
        memcpy(minus, p->gradient, (size_t)n * sizeof *minus);
        CHECK_NEAR(gradient[i], (up - down) / (2 * h), 1e-7 * scale);
        for (int j = 0; j < n; j++)
            CHECK_NEAR(matrix[n * i + j], (plus[j] - minus[j]) / (2 * h), 1e-7 * scale);
    }
}

TEST(derivatives)
{
    random_state random = {5};
    for (int affine = 0; affine < 2; affine++)
        for (int trial = 0; trial < 20; trial++) {
            stepper *s = make_brick(affine, INTEGRATE_IMPLICIT_EULER, 0.01, (vec3){1, 2, 3},
                                    (vec3){3, -2, 5});
            rigid_torque torque = {0, 0, INFINITY, {1e5, 2e5, -3e5}};
            CHECK(array_push(&s->rigid.torques, torque));
            motion_predict(&s->state, 0.01, s->inertia->x_tilde);
            rigid_motion_predict(&s->rigid, &s->state, 0, 0.01, 1e-4);
            double x[MOST];
            memcpy(x, s->state.x, s->state.scalars * sizeof *x);
            /* Near the start the rotation's energy is convex, so the Hessian is not projected. */
            for (size_t i = 3; i < s->state.scalars; i++)
                x[i] += (affine ? 0.02 : 0.4) * random_range(&random, -1, 1);
            /* The affine potential is projected where A shrinks: stretch it instead. */
            for (int k = 1; affine && k < 4; k++) x[3 * k + k - 1] += 0.2;
            check_derivatives(s, x, false);
            /* Anywhere else the Hessian that is not projected. */
            for (size_t i = 3; i < s->state.scalars; i++)
                x[i] += (affine ? 0.5 : 2) * random_range(&random, -1, 1);
            check_derivatives(s, x, true);
            stepper_destroy(s);
        }
}

/* Far from the prediction the energies are not convex; Newton's matrix is. */
TEST(matrices_are_definite)
{
    random_state random = {9};
    for (int affine = 0; affine < 2; affine++) {
        int indefinite = 0;
        for (int trial = 0; trial < 20; trial++) {
            stepper *s = make_brick(affine, INTEGRATE_IMPLICIT_EULER, 0.01, (vec3){1, 2, 3},
                                    (vec3){3, -2, 5});
            motion_predict(&s->state, 0.01, s->inertia->x_tilde);
            rigid_motion_predict(&s->rigid, &s->state, 0, 0.01, 1e-4);
            double x[MOST], least[2];
            memcpy(x, s->state.x, s->state.scalars * sizeof *x);
            for (size_t i = 3; i < s->state.scalars; i++)
                x[i] = affine ? 0.2 * x[i] : x[i] + 3 * random_range(&random, -1, 1);
            for (int exact = 0; exact < 2; exact++) {
                problem *p = &s->problem;
                int n = 3 * p->block_count;
                double values[MOST], vectors[MOST * MOST];
                evaluation ev = test_evaluation;
                ev.exact = exact;
                ev.force_factor = 1e-4;
                CHECK_OK(problem_update(p, &ev, x, &err), err);
                CHECK_OK(problem_derivatives(p, &ev, x, true, &err), err);
                dense_matrix(&p->matrix, full);
                eigen_symmetric(n, full, values, vectors);
                least[exact] = values[0];
            }
            CHECK(least[0] > 0);
            indefinite += least[1] < 0;
            stepper_destroy(s);
        }
        CHECK(indefinite > 0);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Spins                                                                                          */

/* One step of implicit Euler turns a body that spins about a principal axis by phi' with
 * tan phi' = sin phi / (2 - cos phi), so that dw/dt = -h w^3. */
TEST(spin_damping)
{
    for (int affine = 0; affine < 2; affine++) {
        double h = 0.01, w = PI;
        stepper *s =
            make_brick(affine, INTEGRATE_IMPLICIT_EULER, h, (vec3){1, 0, 0}, (vec3){0, 0, w});
        double angle = 0, phi = atan(h * w); /* the first step starts from the tangent */
        for (int n = 1; n <= 1000; n++) {
            step_statistics now = advance(s, 1);
            angle += phi;
            mat3 q = frame_of(s);
            double tolerance = affine ? 2e-2 * angle : 1e-9;
            double turned = atan2(q.m[1][0], q.m[0][0]);
            CHECK_NEAR(remainder(turned - angle, 2 * PI), 0, tolerance);
            phi = atan(sin(phi) / (2 - cos(phi)));
            CHECK_NEAR(now.linear_momentum.x, 6000, 1e-6);
        }
        double law = w / sqrt(1 + 2 * h * w * w * 10);
        CHECK_NEAR(phi / h, law, 2e-3 * law); /* 1.822 rad/s of the law */
        CHECK_NEAR(s->state.x[0], 5 + 10, 1e-9);
        stepper_destroy(s);
    }
}

/* Change of the angular momentum over a second of free tumbling, and the largest deviation of A
 * from a rotation. */
static double momentum_error(bool affine, integrator kind, double h)
{
    stepper *s = make_brick(affine, kind, h, (vec3){0}, (vec3){0.4, 2, 0.3});
    step_statistics before = {0};
    stepper_measure(s, &before);
    step_statistics after = advance(s, (int)round(1 / h));
    double change = vec3_norm(vec3_sub(after.angular_momentum, before.angular_momentum));
    CHECK_NEAR(mat3_determinant(frame_of(s)), 1, affine ? 1e-3 : 1e-12);
    stepper_destroy(s);
    return change / vec3_norm(before.angular_momentum);
}

TEST(angular_momentum)
{
    double euler = momentum_error(false, INTEGRATE_IMPLICIT_EULER, 0.01);
    double finer = momentum_error(false, INTEGRATE_IMPLICIT_EULER, 0.005);
    CHECK(euler < 0.1);
    CHECK_NEAR(euler / finer, 2, 0.2);
    double bdf2 = momentum_error(false, INTEGRATE_BDF2, 0.01);
    CHECK(bdf2 < 1e-3);
    CHECK_NEAR(bdf2 / momentum_error(false, INTEGRATE_BDF2, 0.005), 4, 1);
    double newmark = momentum_error(false, INTEGRATE_NEWMARK, 0.01);
    CHECK(newmark < 1e-3);
    CHECK(momentum_error(true, INTEGRATE_IMPLICIT_EULER, 0.01) < 0.1);
    printf("  relative change in 1 s: Euler %.2e, %.2e, BDF2 %.2e, Newmark %.2e\n", euler, finer,
           bdf2, newmark);
}

/* A body that spins about its intermediate axis flips over and back again (Dzhanibekov). */
TEST(intermediate_axis)
{
    /* Sides 1, 2, 3: the intermediate inertia is that about y. */
    stepper *s = make_brick(false, INTEGRATE_NEWMARK, 0.005, (vec3){0}, (vec3){0.01, 5, 0.01});
    step_statistics before = {0}, now = {0};
    stepper_measure(s, &before);
    double lowest = 1;
    int flips = 0, side = 1;
    for (int n = 0; n < 3000; n++) {
        now = advance(s, 1);
        double along = frame_of(s).m[1][1];
        lowest = fmin(lowest, along);
        if (side * along < -0.9) {
            side = -side;
            flips++;
        }
    }
    CHECK(lowest < -0.99);
    CHECK(flips >= 3);
    CHECK_NEAR(now.kinetic / before.kinetic, 1, 1e-2);
    stepper_destroy(s);
    /* About the other axes it does not. */
    s = make_brick(false, INTEGRATE_NEWMARK, 0.005, (vec3){0}, (vec3){5, 0.01, 0.01});
    for (int n = 0; n < 1000; n++) {
        advance(s, 1);
        CHECK(frame_of(s).m[0][0] > 0.99);
    }
    stepper_destroy(s);
}

TEST(torque)
{
    for (int affine = 0; affine < 2; affine++)
        for (int kind = 0; kind < 2; kind++) {
            stepper *s = make_brick(affine, kind ? INTEGRATE_NEWMARK : INTEGRATE_IMPLICIT_EULER,
                                    0.001, (vec3){0}, (vec3){0});
            double inertia = 6000. / 12 * (1 + 4);
            rigid_torque torque = {0, 0, 0.05, {0, 0, 3 * inertia}};
            CHECK(array_push(&s->rigid.torques, torque));
            double first[12] = {0};
            CHECK_OK(rigid_motion_start(&s->rigid, &s->state, first, &err), err);
            memcpy(s->state.a, first, s->state.scalars * sizeof *first);
            step_statistics now = advance(s, 100);
            /* 3 rad/s^2 for 0.05 s, then no more. */
            CHECK_NEAR(now.angular_momentum.z, 0.15 * inertia, 2e-3 * inertia);
            CHECK_NEAR(now.angular_momentum.x, 0, 1e-6 * inertia);
            stepper_destroy(s);
        }
}

/* ---------------------------------------------------------------------------------------------- */
/* Conditions                                                                                     */

TEST(fixed_coordinates)
{
    for (int affine = 0; affine < 2; affine++) {
        stepper *s =
            make_brick(affine, INTEGRATE_IMPLICIT_EULER, 0.01, (vec3){1, 1, 1}, (vec3){1, 1, 1});
        rigid_condition hold = {.path = {.until = INFINITY, .axes = 4}, .rotation_axes = 3};
        CHECK(array_push(&s->rigid.conditions, hold));
        double none[12] = {0};
        CHECK_OK(rigid_motion_start(&s->rigid, &s->state, none, &err), err);
        advance(s, 100);
        CHECK_NEAR(s->state.x[0], 6, 1e-9);
        CHECK(s->state.x[2] == 1);
        mat3 q = frame_of(s);
        CHECK(q.m[2][2] == 1 && q.m[0][2] == 0 && q.m[2][0] == 0);
        CHECK(atan2(q.m[1][0], q.m[0][0]) > 0.8);
        stepper_destroy(s);
    }
}

/* Three corners as seen from the centre, and how they have turned since. */
static mat3 corners_of(const stepper *s)
{
    vec3 y[8], center = vec3_load(s->state.x);
    CHECK(s->model->surface.rows.count == 8);
    collision_surface_positions(&s->model->surface, s->state.x, y);
    return mat3_from_columns(vec3_sub(y[0], center), vec3_sub(y[1], center),
                             vec3_sub(y[2], center));
}

static mat3 turn_since(const stepper *s, mat3 first)
{
    return mat3_mul(corners_of(s), mat3_inverse(first));
}

/* Fixed axes of rotation count from the orientation when the condition begins: with x and y fixed
 * the body turns about the world's z, whatever it did before, and its orientation about x and y
 * stays. */
TEST(fixed_from_a_later_time)
{
    static const integrator kinds[] = {INTEGRATE_IMPLICIT_EULER, INTEGRATE_NEWMARK, INTEGRATE_BDF2};
    for (int affine = 0; affine < 2; affine++)
        for (int k = 0; k < 3; k++) {
            stepper *s = make_brick(affine, kinds[k], 0.01, (vec3){1, 1, 1}, (vec3){2, 1, 3});
            rigid_condition hold = {.path = {.from = 0.3, .until = INFINITY, .axes = 4},
                                    .rotation_axes = 3};
            CHECK(array_push(&s->rigid.conditions, hold));
            double none[12] = {0};
            CHECK_OK(rigid_motion_start(&s->rigid, &s->state, none, &err), err);
            mat3 first = corners_of(s);
            advance(s, 30);
            mat3 before = turn_since(s, first);
            CHECK(before.m[2][2] < 0.98); /* tilted */
            double turned = 0;
            mat3 last = before;
            for (int n = 0; n < 150; n++) {
                advance(s, 1);
                mat3 now = turn_since(s, first), step = mat3_mul(now, mat3_transpose(last));
                /* The direction of the axis in the body, and the step is about z. */
                for (int c = 0; c < 3; c++) CHECK_NEAR(now.m[2][c], before.m[2][c], 1e-9);
                CHECK_NEAR(step.m[2][2], 1, affine ? 1e-4 : 1e-12);
                turned += atan2(step.m[1][0], step.m[0][0]);
                last = now;
            }
            CHECK(turned > 2.5); /* 3 rad/s about z, which implicit Euler damps a little */
            stepper_destroy(s);
        }
}

/* With one axis fixed, that component of the rotation vector since then stays 0. */
TEST(one_axis_from_a_later_time)
{
    stepper *s =
        make_brick(false, INTEGRATE_IMPLICIT_EULER, 0.01, (vec3){0, 0, 0}, (vec3){2, 1, 3});
    rigid_condition hold = {.path = {.from = 0.3, .until = INFINITY}, .rotation_axes = 1};
    CHECK(array_push(&s->rigid.conditions, hold));
    double none[12] = {0};
    CHECK_OK(rigid_motion_start(&s->rigid, &s->state, none, &err), err);
    mat3 first = corners_of(s);
    advance(s, 30);
    mat3 before = turn_since(s, first);
    for (int n = 0; n < 60; n++) {
        advance(s, 1);
        mat3 now = turn_since(s, first);
        vec3 turn = rotation_vector(mat3_mul(now, mat3_transpose(before)));
        CHECK_NEAR(turn.x, 0, 1e-9);
        CHECK(n < 30 || vec3_norm(turn) > 0.5);
    }
    stepper_destroy(s);
}

TEST(prescribed_motion)
{
    for (int affine = 0; affine < 2; affine++) {
        stepper *s = make_brick(affine, INTEGRATE_IMPLICIT_EULER, 0.02, (vec3){0}, (vec3){0});
        rigid_condition turn = {.path = {.until = INFINITY, .axes = 7}, .rotation_axes = 7};
        motion path = {.until = INFINITY,
                       .velocity = {1, 0, 0},
                       .angular_velocity = {0, 0, 2 * PI},
                       .center = {4, -2, 1}};
        CHECK(array_push(&turn.path.motions, path));
        CHECK(array_push(&s->rigid.conditions, turn));
        double none[12] = {0};
        CHECK_OK(rigid_motion_start(&s->rigid, &s->state, none, &err), err);
        for (int n = 1; n <= 150; n++) {
            advance(s, 1);
            double t = 0.02 * n, angle = 2 * PI * t;
            CHECK_NEAR(s->state.x[0], 4 + t + cos(angle), 1e-10);
            CHECK_NEAR(s->state.x[1], -2 + sin(angle), 1e-10);
            mat3 q = frame_of(s);
            CHECK_NEAR(q.m[1][0], sin(angle), 1e-10);
            CHECK_NEAR(q.m[0][0], cos(angle), 1e-10);
        }
        stepper_destroy(s);
    }
}

TEST(pose_list)
{
    stepper *s = make_brick(false, INTEGRATE_IMPLICIT_EULER, 0.1, (vec3){0}, (vec3){0});
    rigid_condition list = {
        .path = {.until = INFINITY, .axes = 7}, .rotation_axes = 7, .pose_step = 0.1};
    for (int i = 1; i <= 3; i++)
        CHECK(array_push(&list.poses, (rigid_pose){{i, 0, 0}, {0, 0.5 * i, 0}}));
    CHECK(array_push(&s->rigid.conditions, list));
    double none[12] = {0};
    CHECK_OK(rigid_motion_start(&s->rigid, &s->state, none, &err), err);
    for (int i = 1; i <= 5; i++) {
        advance(s, 1);
        CHECK_NEAR(s->state.x[0], 5 + (i < 3 ? i : 3), 1e-12);
        CHECK_NEAR(s->state.x[4], 0.5 * (i < 3 ? i : 3), 1e-12);
    }
    stepper_destroy(s);
}

/* Straight rods and points have no inertia to turn about some axes; nothing must break. */
TEST(rods_and_points)
{
    for (int affine = 0; affine < 2; affine++)
        for (int kind = 0; kind < 2; kind++) {
            mesh shape;
            if (kind)
                CHECK_OK(generate_polyline((vec3){0}, (vec3){1, 0, 0}, 4, &shape, &err), err);
            else
                CHECK_OK(generate_lattice((const int[3]){1, 1, 1}, (vec3){1, 1, 1}, &shape, &err),
                         err);
            stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.01);
            options.gravity = (vec3){0, -10, 0};
            stepper *s = make_body(&shape, affine, &options);
            mesh_free(&shape);
            double *velocity = mem_calloc(s->state.scalars, sizeof *velocity);
            rigid_set_velocity(&s->model->rigids.data[0], s->state.x, (vec3){0}, (vec3){1, 2, 0},
                               velocity);
            CHECK_OK(stepper_start(s, velocity, &err), err);
            mem_free(velocity);
            step_statistics now = advance(s, 100);
            CHECK_NEAR(s->state.x[1], -10 * 1e-4 * 100 * 101 / 2, 1e-8);
            CHECK(isfinite(now.kinetic));
            stepper_destroy(s);
        }
}

/* ---------------------------------------------------------------------------------------------- */

TEST(saved_state)
{
    for (int k = 0; k < 3; k++) {
        static const integrator kinds[] = {INTEGRATE_IMPLICIT_EULER, INTEGRATE_NEWMARK,
                                           INTEGRATE_BDF2};
        stepper *a = make_brick(false, kinds[k], 0.05, (vec3){1, 2, 3}, (vec3){9, 5, 2});
        stepper *b = make_brick(false, kinds[k], 0.05, (vec3){0}, (vec3){0});
        advance(a, 20);
        state_array from[32], to[32];
        size_t count = stepper_state(a, from, 32);
        CHECK(stepper_state(b, to, 32) == count);
        for (size_t i = 0; i < count; i++) {
            CHECK(strcmp(from[i].name, to[i].name) == 0 && from[i].count == to[i].count);
            if (from[i].doubles)
                memcpy(to[i].doubles, from[i].doubles, from[i].count * sizeof(double));
            else
                memcpy(to[i].ints, from[i].ints, from[i].count * sizeof(int32_t));
        }
        CHECK_OK(stepper_restore(b, a->state.steps, &err), err);
        advance(a, 10);
        advance(b, 10);
        CHECK(memcmp(a->state.x, b->state.x, a->state.scalars * sizeof(double)) == 0);
        CHECK(memcmp(a->state.v, b->state.v, a->state.scalars * sizeof(double)) == 0);
        stepper_destroy(a);
        stepper_destroy(b);
    }
}

int main(void)
{
    RUN(mass_of_solid);
    RUN(mass_of_thin_things);
    RUN(bad_bodies);
    RUN(derivatives);
    RUN(matrices_are_definite);
    RUN(spin_damping);
    RUN(angular_momentum);
    RUN(intermediate_axis);
    RUN(torque);
    RUN(fixed_coordinates);
    RUN(fixed_from_a_later_time);
    RUN(one_axis_from_a_later_time);
    RUN(prescribed_motion);
    RUN(pose_list);
    RUN(rods_and_points);
    RUN(saved_state);
    return TEST_END();
}

/* Rigid and affine bodies in contact against mechanics: friction on a slope, a pendulum, a top, the
 * order of colliding balls, momentum, narrow tunnels, prescribed bodies. */
#include "support/rigid_world.h"
#include "support/scene_makers.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static stepper_options contact_options_of(double h, double dhat, double friction)
{
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, h);
    options.contact = true;
    options.contact_options = (contact_options){.dhat = dhat};
    options.gravity = (vec3){0, -9.8, 0};
    options.friction = friction;
    options.tolerance = 1e-4;
    options.max_iterations = 1000;
    return options;
}

static void run(world *w, int steps)
{
    for (int i = 0; i < steps; i++) {
        bool good = world_step(w, NULL);
        CHECK(good);
        if (!good) return;
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Slope                                                                                          */

/* Speed down a slope of tan = 1/2 after `steps` of 0.025 s, and the distance. */
static void slide(bool affine, double mu, int steps, double *speed, double *displacement)
{
    world w = {0};
    double angle = atan(0.5);
    vec3 normal = {sin(angle), cos(angle), 0}, down = {cos(angle), -sin(angle), 0};
    /* The cube drops a little: what it is given before is taken by the landing. */
    world_body *cube = world_add(&w, world_cube(), vec3_scale(0.5 + 5.35e-3, normal),
                                 (vec3){0, 0, -angle * 180 / PI});
    cube->affine = affine;
    stepper_options options = contact_options_of(0.025, 1e-3, mu);
    options.tolerance = 1e-6;
    options.eps_v = 1e-5;
    options.friction_iterations = 0;
    half_space plane = {.normal = normal, .friction = -1};
    world_start(&w, &options, &plane, 1);
    run(&w, 40); /* settles */
    vec3 start = world_center(&w, 0);
    double start_speed = vec3_dot(world_velocity(&w, 0), down);
    run(&w, steps);
    *speed = vec3_dot(world_velocity(&w, 0), down) - start_speed;
    *displacement = vec3_dot(vec3_sub(world_center(&w, 0), start), down);
    world_free(&w);
}

TEST(slope)
{
    for (int affine = 0; affine < 2; affine++) {
        double speed, displacement, angle = atan(0.5);
        slide(affine, 0.5, 80, &speed, &displacement); /* creeps with less than eps_v */
        CHECK(fabs(displacement) < 2.5 * 1e-5);
        slide(affine, 0.49, 80, &speed, &displacement);
        double acceleration = 9.8 * (sin(angle) - 0.49 * cos(angle));
        CHECK_NEAR(speed / 2, acceleration, affine ? 0.02 * acceleration : 1e-3 * acceleration);
        CHECK_NEAR(acceleration, 0.08765, 1e-4);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Pendulum and top                                                                               */

/* A ring that hangs on a wire and slides on it without friction swings like a point on a string as
 * long as its radius, without turning. */
TEST(pendulum)
{
    abut_error err;
    world w = {0};
    mesh ring, wire;
    const double radius = 1, swing = 0.15;
    const int around = 180;
    CHECK_OK(generate_tube(radius, 0.2, around, 1, &ring, &err), err);
    CHECK_OK(generate_polyline((vec3){-0.3, 0, 0}, (vec3){0.3, 0, 0}, 1, &wire, &err), err);
    double length = radius * cos(PI / around) - 0.9e-3; /* to the middle of a facet */
    world_add(&w, ring, (vec3){0, -length * cos(swing), length * sin(swing)}, (vec3){0, 0, 0});
    world_add(&w, wire, (vec3){0, 0, 0}, (vec3){0, 0, 0})->density = 0;
    stepper_options options = contact_options_of(0.005, 1e-3, 0);
    options.integrator = INTEGRATE_BDF2;
    world_start(&w, &options, NULL, 0);
    double before = 1, crossings[8];
    int count = 0;
    for (int n = 1; n <= 900 && count < 4; n++) {
        bool good = world_step(&w, NULL);
        CHECK(good);
        if (!good) break;
        double z = world_center(&w, 0).z;
        if (before * z < 0) crossings[count++] = 0.005 * (n - fabs(z) / (fabs(z) + fabs(before)));
        before = z;
    }
    CHECK(count == 4);
    double period = 2 * (crossings[3] - crossings[0]) / 3;
    double expected = 2 * PI * sqrt(length / 9.8) * (1 + swing * swing / 16);
    printf("  period %.4f s, expected %.4f s\n", period, expected);
    CHECK_NEAR(period, expected, 0.02 * expected);
    world_free(&w);
}

/* A top that stands on its tip on a smooth floor precesses with m g l / (I w). */
TEST(precession)
{
    enum { AROUND = 24 };
    static double v[AROUND + 2][3];
    static int32_t t[2 * AROUND][3];
    for (int i = 0; i < AROUND; i++) {
        double a = 2 * PI * i / AROUND;
        v[i][0] = 0.5 * cos(a), v[i][1] = 0.3, v[i][2] = 0.5 * sin(a);
        int32_t next = (i + 1) % AROUND;
        memcpy(t[2 * i], ((int32_t[3]){i, next, AROUND}), sizeof t[0]);         /* tip */
        memcpy(t[2 * i + 1], ((int32_t[3]){next, i, AROUND + 1}), sizeof t[0]); /* lid */
    }
    v[AROUND][1] = 0, v[AROUND + 1][1] = 0.4;
    world w = {0};
    const double tilt = 20 * PI / 180, spin = 120;
    vec3 axis = {-sin(tilt), cos(tilt), 0};
    world_body *top = world_add(
        &w, world_mesh((const double(*)[3])v, AROUND + 2, (const int32_t(*)[3])t, 2 * AROUND),
        (vec3){0, 0.95e-3, 0}, (vec3){0, 0, 20});
    top->spin = vec3_scale(spin, axis);
    rigid_options weigh = {.density = 1000};
    mass_properties mass;
    abut_error err;
    CHECK_OK(rigid_weigh_mesh("top", &top->shape, &weigh, &mass, &err), err);
    double rate = mass.mass * 9.8 * mass.center.y / (mass.inertia.m[1][1] * spin);
    /* Started with the precession, it does not nod much. */
    top->spin = vec3_add(top->spin, (vec3){0, rate, 0});
    stepper_options options = contact_options_of(5e-4, 1e-3, 0);
    options.integrator = INTEGRATE_BDF2;
    half_space floor = {.normal = {0, 1, 0}};
    world_start(&w, &options, &floor, 1);
    const double seconds = 0.4;
    run(&w, (int)round(seconds / 5e-4));
    vec3 now = mat3_mul_vec(world_frame(&w, 0), axis);
    double turned = atan2(now.z, -now.x);
    printf("  precessed %.4f rad, expected %.4f\n", turned, rate * seconds);
    CHECK_NEAR(turned, rate * seconds, 0.02 * rate * seconds);
    CHECK_NEAR(acos(now.y), tilt, 0.05 * tilt);
    world_free(&w);
}

/* ---------------------------------------------------------------------------------------------- */
/* Collisions                                                                                     */

TEST(cradle_keeps_order)
{
    world w = {0};
    for (int i = 0; i < 5; i++) {
        world_body *ball =
            world_add(&w, world_sphere(0.5), (vec3){1.02 * i - (i == 0), 0, 0}, (vec3){0, 0, 0});
        ball->axes = 6;
        ball->rotation_axes = 7;
        ball->affine = i % 2;
        if (i == 0) ball->velocity = (vec3){5, 0, 0};
    }
    stepper_options options = contact_options_of(0.01, 5e-3, 0);
    options.gravity = (vec3){0};
    world_start(&w, &options, NULL, 0);
    double mass = 0;
    for (int n = 0; n < 100; n++) {
        step_statistics now = {0};
        bool good = world_step(&w, &now);
        CHECK(good);
        if (!good) break;
        for (size_t i = 1; i < 5; i++)
            CHECK(world_center(&w, i).x > world_center(&w, i - 1).x + 0.95);
        mass = w.stepper->model->rigids.data[0].mass;
        CHECK_NEAR(now.linear_momentum.x, 5 * mass, 1e-2 * mass);
    }
    CHECK(world_velocity(&w, 4).x > 0.5); /* the last one was pushed */
    world_free(&w);
}

/* A rigid and an affine cube hit each other off centre, far from anything else. */
TEST(momentum)
{
    for (int kind = 0; kind < 3; kind++) {
        world w = {0};
        world_body *a = world_add(&w, world_cube(), (vec3){0, 0, 0}, (vec3){0, 0, 0});
        a->affine = kind == 1;
        world_body *b = world_add(&w, world_cube(), (vec3){0.3, 1.2, 0.2}, (vec3){10, 20, 30});
        b->velocity = (vec3){0.5, -3, 0.2};
        b->affine = kind > 0;
        stepper_options options = contact_options_of(0.005, 5e-3, 0.2);
        options.gravity = (vec3){0};
        options.tolerance = 1e-8;
        world_start(&w, &options, NULL, 0);
        step_statistics start = {0}, now = {0};
        stepper_measure(w.stepper, &start);
        for (int n = 0; n < 60; n++) CHECK(world_step(&w, &now));
        CHECK(world_velocity(&w, 0).y < -0.5); /* they did meet */
        vec3 change = vec3_sub(now.linear_momentum, start.linear_momentum);
        CHECK(vec3_norm(change) < 1e-3);
        /* Angular momentum changes by the order of the integrator only. */
        change = vec3_sub(now.angular_momentum, start.angular_momentum);
        CHECK(vec3_norm(change) < 0.05 * vec3_norm(start.angular_momentum));
        world_free(&w);
    }
}

/* A rigid or affine cube flies into a soft one: what one loses the other gains. */
TEST(momentum_with_a_soft_body)
{
    for (int affine = 0; affine < 2; affine++) {
        abut_error err;
        const int cells[3] = {3, 3, 3};
        mesh soft, hard = world_cube();
        CHECK_OK(generate_box((vec3){1, 1, 1}, cells, &soft, &err), err);
        mesh_transform(&hard, (vec3){1, 1, 1}, (vec3){10, 20, 30}, (vec3){0.2, 1.4, 0.1});
        model *m = mem_calloc(1, sizeof *m);
        elastic_parameters rubber = elastic_from_young(ELASTIC_NEO_HOOKEAN, 1e5, 0.3);
        rigid_options options = {.density = 500, .stiffness = 1e5};
        CHECK_OK(model_add_deformable(m, "soft", &soft, rubber, 1000, &err), err);
        CHECK_OK((affine ? model_add_affine : model_add_rigid)(m, "hard", &hard, &options, &err),
                 err);
        CHECK_OK(model_finish(m, &err), err);
        mesh_free(&soft);
        mesh_free(&hard);
        stepper_options how = contact_options_of(0.01, 5e-3, 0.3);
        how.gravity = (vec3){0};
        how.tolerance = 1e-7;
        stepper *s = make_stepper(m, &how);
        double *velocity = mem_calloc(s->state.scalars, sizeof *velocity);
        rigid_set_velocity(&m->rigids.data[0], s->state.x, (vec3){0.5, -4, 0}, (vec3){0, 1, 0},
                           velocity);
        CHECK_OK(stepper_start(s, velocity, &err), err);
        mem_free(velocity);
        size_t contacts = 0;
        for (int n = 0; n < 40; n++) {
            step_statistics now = {0};
            CHECK_OK(stepper_advance(s, &now, &err), err);
            contacts += now.contacts;
            CHECK_NEAR(now.linear_momentum.x, 250, 1e-3);
            CHECK_NEAR(now.linear_momentum.y, -2000, 1e-3);
            CHECK_NEAR(now.linear_momentum.z, 0, 1e-3);
        }
        CHECK(contacts > 0);
        CHECK(s->state.v[3 * (size_t)m->rigids.data[0].block + 1] > -3); /* it was stopped */
        stepper_destroy(s);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Tunnels                                                                                        */

static stepper_options tunnel_options(double h)
{
    stepper_options options = contact_options_of(h, 1e-4, 0);
    options.gravity = (vec3){0};
    return options;
}

/* Through a gap with 0.1 mm on each side, at 100 m/s: not slowed down. */
TEST(fast_through_a_gap)
{
    for (int affine = 0; affine < 2; affine++) {
        world w = {0};
        for (int side = -1; side <= 1; side += 2)
            world_add(&w, world_plane(), (vec3){0, side * 0.5001, 0}, (vec3){0, 0, 0})->fixed =
                true;
        world_body *cube = world_add(&w, world_cube(), (vec3){0, 0, -8}, (vec3){0, 0, 0});
        cube->velocity = (vec3){0, 0, 100};
        cube->affine = affine;
        stepper_options options = tunnel_options(0.01);
        world_start(&w, &options, NULL, 0);
        run(&w, 20);
        CHECK_NEAR(world_center(&w, 2).z, 12, 0.05);
        CHECK_NEAR(world_velocity(&w, 2).z, 100, 0.5);
        world_free(&w);
    }
}

/* Never through a wall, however fast and thin. */
TEST(never_through_a_wall)
{
    static const double speeds[] = {100, 1000};
    for (int k = 0; k < 4; k++) {
        world w = {0};
        world_add(&w, world_plane(), (vec3){0, 0, 0}, (vec3){90, 0, 0})->fixed = true;
        world_body *cube = world_add(&w, world_cube(), (vec3){0.1, 0.2, -3}, (vec3){10, 20, 30});
        cube->velocity = (vec3){0, 0, speeds[k % 2]};
        cube->spin = (vec3){3, 100, 5};
        cube->affine = k / 2;
        stepper_options options = tunnel_options(0.01);
        options.contact_options.dhat = 1e-2;
        world_start(&w, &options, NULL, 0);
        for (int n = 0; n < 20; n++) {
            CHECK(world_step(&w, NULL));
            CHECK(world_center(&w, 1).z < 0);
        }
        world_free(&w);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Prescribed bodies                                                                              */

/* A paddle that is turned by its motion hits a cube; the cube flies, the paddle follows its path.
 */
TEST(kinematic_body_pushes)
{
    for (int affine = 0; affine < 2; affine++) {
        world w = {0};
        world_body *paddle = world_add(&w, world_cube(), (vec3){0, 0, 0}, (vec3){0, 0, 0});
        paddle->scale = (vec3){0.2, 1, 3};
        paddle->affine = affine;
        world_body *cube = world_add(&w, world_cube(), (vec3){0.8, 0, 1}, (vec3){0, 0, 0});
        cube->density = 5000;
        stepper_options options = contact_options_of(0.01, 1e-3, 0);
        options.gravity = (vec3){0};
        world_start(&w, &options, NULL, 0);
        stepper *s = w.stepper;
        rigid_condition turn = {.path = {.until = INFINITY, .axes = 7}, .rotation_axes = 7};
        motion path = {.until = INFINITY, .angular_velocity = {0, PI, 0}};
        CHECK(array_push(&turn.path.motions, path));
        CHECK(array_push(&s->rigid.conditions, turn));
        abut_error err;
        CHECK_OK(rigid_motion_start(&s->rigid, &s->state, s->state.a, &err), err);
        for (int n = 1; n <= 60; n++) {
            bool good = world_step(&w, NULL);
            CHECK(good);
            if (!good) break;
            CHECK_NEAR(world_frame(&w, 0).m[0][2], sin(PI * 0.01 * n), 1e-3);
        }
        CHECK(world_velocity(&w, 1).x > 1);
        world_free(&w);
    }
}

/* A ram that is driven into a body that cannot move away stops before it, and says so. */
TEST(kinematic_body_is_blocked)
{
    world w = {0};
    world_add(&w, world_cube(), (vec3){0, 0, 0}, (vec3){0});
    world_add(&w, world_cube(), (vec3){1.05, 0, 0}, (vec3){0});
    world_add(&w, world_cube(), (vec3){2.1, 0, 0}, (vec3){0})->fixed = true;
    stepper_options options = contact_options_of(0.05, 1e-3, 0);
    options.gravity = (vec3){0};
    options.max_iterations = 3000;
    world_start(&w, &options, NULL, 0);
    stepper *s = w.stepper;
    rigid_condition ram = {.path = {.until = INFINITY, .axes = 7}, .rotation_axes = 7};
    motion path = {.until = INFINITY, .velocity = {1, 0, 0}};
    CHECK(array_push(&ram.path.motions, path));
    CHECK(array_push(&s->rigid.conditions, ram));
    abut_error err = {0};
    CHECK_OK(rigid_motion_start(&s->rigid, &s->state, s->state.a, &err), err);
    abut_status status = ABUT_OK;
    step_statistics now;
    for (int n = 0; n < 10 && status == ABUT_OK; n++) status = stepper_advance(s, &now, &err);
    CHECK(status == ABUT_ERROR_NOT_CONVERGED);
    CHECK(strcmp(err.place, "body0") == 0 && strstr(err.message, "its centre is") != NULL);
    CHECK(world_center(&w, 0).x < 0.1 && world_center(&w, 1).x < 1.1);
    world_free(&w);
}

/* The lower bound of kappa follows the mass of whole bodies. Where these have many vertices it
 * falls in steps that take many iterations although all gaps are wide, and comes back with narrow
 * gaps. */
TEST(stiffness_falls_with_many_vertices)
{
    const double dhat = 1e-3;
    world w = {0};
    world_add(&w, world_sphere(0.5), (vec3){0, 0.5 + 0.9e-3, 0}, (vec3){0});
    stepper_options options = contact_options_of(0.01, dhat, 0);
    half_space floor = {.normal = {0, 1, 0}, .friction = -1};
    world_start(&w, &options, &floor, 1);
    run(&w, 2);
    contact_term *c = w.stepper->contact;
    CHECK(contact_count(c) > 0);
    CHECK_NEAR(c->max_stiffness_backoff, log2(162.0 / 8), 1e-12);
    CHECK(c->stiffness_backoff == 0 &&
          w.stepper->evaluation.kappa >= c->kappa_min); /* few iterations */
    c->min_gap = 0.9 * dhat;
    contact_end_step(c, 5);
    CHECK(c->stiffness_backoff == 0);
    for (int i = 0; i < 5; i++) {
        contact_end_step(c, 50);
        CHECK_NEAR(c->stiffness_backoff, fmin(2 * (i + 1), c->max_stiffness_backoff), 1e-12);
    }
    const double nothing[6] = {0};
    CHECK_NEAR(contact_balance_stiffness(c, nothing, nothing, 6, 0), c->kappa_min * 8 / 162,
               1e-9 * c->kappa_min);
    run(&w, 1); /* as stiff as the weight needs */
    CHECK(c->min_gap > 0.5 * dhat);
    c->min_gap = 0.3 * dhat;
    contact_end_step(c, 50);
    CHECK_NEAR(c->stiffness_backoff, c->max_stiffness_backoff, 1e-12);
    c->min_gap = 0.05 * dhat;
    for (int i = 0; i < 3; i++) contact_end_step(c, 50);
    CHECK(c->stiffness_backoff == 0);
    world_free(&w);
    /* Not below a stiffness that was asked for, nor for bodies of few vertices. */
    for (int cube = 0; cube < 2; cube++) {
        world other = {0};
        world_add(&other, cube ? world_cube() : world_sphere(0.5), (vec3){0, 0.6, 0}, (vec3){0});
        options.contact_options.stiffness = cube ? 0 : 1e4;
        world_start(&other, &options, &floor, 1);
        CHECK(other.stepper->contact->max_stiffness_backoff == 0);
        world_free(&other);
    }
}

static double stiffness_after(contact_term *c, double gap, int steps)
{
    const double nothing[6] = {0};
    for (int i = 0; i < steps; i++) {
        c->min_gap = gap * c->options.dhat;
        contact_end_step(c, 5);
    }
    return contact_balance_stiffness(c, nothing, nothing, 6, 0) / c->kappa_min;
}

/* Gaps that stay below a tenth of dhat at the ends of steps raise the stiffness up to the bound of
 * the paper, those below a hundredth above it; wide ones let it fall. */
TEST(stiffness_rises_under_lasting_loads)
{
    world w = {0};
    world_add(&w, world_cube(), (vec3){0, 0.6, 0}, (vec3){0});
    stepper_options options = contact_options_of(0.01, 1e-3, 0);
    options.contact_options.rule = STIFFNESS_BALANCED;
    world_start(&w, &options, NULL, 0);
    contact_term *c = w.stepper->contact;
    CHECK(stiffness_after(c, 0.05, 8) == 1);
    CHECK(stiffness_after(c, 0.05, 2) == 4);
    CHECK(stiffness_after(c, 0.3, 5) == 4); /* neither narrow nor wide */
    CHECK_NEAR(stiffness_after(c, 0.05, 20), 100, 1e-9);
    CHECK_NEAR(stiffness_after(c, 0.002, 24), 800, 1e-9); /* slowly above the paper's bound */
    CHECK_NEAR(stiffness_after(c, 0.05, 5), 800, 1e-9);
    CHECK_NEAR(stiffness_after(c, 0.002, 400), 102400, 1e-6);
    CHECK_NEAR(stiffness_after(c, 0.2, 64), 400, 1e-9);
    CHECK_NEAR(stiffness_after(c, 0.2, 160), 100, 1e-9);
    CHECK(stiffness_after(c, 0.6, 15) == 1);
    world_free(&w);
    /* Not where one was asked for. */
    world given = {0};
    world_add(&given, world_cube(), (vec3){0, 0.6, 0}, (vec3){0});
    options.contact_options.stiffness = 1e4;
    world_start(&given, &options, NULL, 0);
    CHECK(stiffness_after(given.stepper->contact, 0.001, 50) == 1);
    world_free(&given);
}

int main(void)
{
    RUN(stiffness_rises_under_lasting_loads);
    RUN(stiffness_falls_with_many_vertices);
    RUN(kinematic_body_is_blocked);
    RUN(slope);
    RUN(pendulum);
    RUN(precession);
    RUN(cradle_keeps_order);
    RUN(momentum);
    RUN(momentum_with_a_soft_body);
    RUN(fast_through_a_gap);
    RUN(never_through_a_wall);
    RUN(kinematic_body_pushes);
    return TEST_END();
}

/* Mechanisms with known answers: pendulums, linkages, gears, screws, stops, brakes, motors; that
 * nothing drifts, momentum is kept, and runs go on with the same bits. */
#include "base/parallel.h"
#include "body/rigid.h"
#include "constraint/joint_kind.h"
#include "constraint/joint_make.h"
#include "constraint/joint_term.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "step/saved_state.h"
#include "support/scene_makers.h"
#include "test.h"

static abut_error err;
static const double PI = 3.14159265358979323846;

static int32_t add_bar(model *m, const char *name, vec3 a, vec3 b, double width, bool affine)
{
    mesh box;
    const int cells[3] = {1, 1, 1};
    vec3 d = vec3_sub(b, a);
    CHECK_OK(generate_box((vec3){vec3_norm(d), width, width}, cells, &box, &err), err);
    mesh_transform(&box, (vec3){1, 1, 1}, (vec3){0, 0, atan2(d.y, d.x) * 180 / PI},
                   vec3_scale(0.5, vec3_add(a, b)));
    rigid_options options = {.density = 1000, .stiffness = 1e7};
    CHECK_OK((affine ? model_add_affine : model_add_rigid)(m, name, &box, &options, &err), err);
    mesh_free(&box);
    return (int32_t)m->rigids.count - 1;
}

static model_joint between(const model *m, const char *kind, int32_t to, int32_t body, vec3 point,
                           vec3 axis)
{
    model_joint j = joint_plain();
    j.kind = joint_kind_named(kind);
    j.side[0] = joint_side_at(m, to, point, joint_triad(axis));
    j.side[1] = joint_side_at(m, body, point, joint_triad(axis));
    return j;
}

static stepper *start(model *m, integrator kind, double h, vec3 gravity, vec3 spin)
{
    stepper_options options = maker_options(kind, h);
    options.tolerance = 1e-7;
    options.gravity = gravity;
    stepper *s = make_stepper(m, &options);
    double *velocity = mem_calloc(s->state.scalars, sizeof *velocity);
    for (size_t i = 0; i < m->rigids.count; i++)
        rigid_set_velocity(&m->rigids.data[i], s->state.x,
                           vec3_cross(spin, m->rigids.data[i].center), spin, velocity);
    CHECK_OK(stepper_start(s, velocity, &err), err);
    mem_free(velocity);
    return s;
}

static joint_term *joints_of(const stepper *s)
{
    return (joint_term *)stepper_find_term(s, "joints");
}

static step_statistics advance(stepper *s, int steps)
{
    step_statistics statistics = {0};
    for (int i = 0; i < steps; i++) {
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK(statistics.joint_violation <= 1e-8);
    }
    return statistics;
}

static const vec3 DOWN = {0, -9.81, 0}, NONE = {0}, Z = {0, 0, 1}, X = {1, 0, 0};

static void finish_model(model *m) { CHECK_OK(model_finish(m, &err), err); }
static void add(model *m, const char *name, model_joint j)
{
    CHECK_OK(model_add_joint(m, name, &j, &err), err);
}

/* Time of the first zero of the angle, which begins at 60 degrees: a quarter of the period. */
static double quarter_period(integrator kind, double h, bool affine)
{
    model *m = mem_calloc(1, sizeof *m);
    vec3 tip = {sin(PI / 3), -cos(PI / 3), 0};
    int32_t bar = add_bar(m, "bar", NONE, tip, 0.05, affine);
    finish_model(m);
    add(m, "pivot", between(m, "hinge", -1, bar, NONE, Z));
    stepper *s = start(m, kind, h, DOWN, NONE);
    double before = 0, now = 0;
    int steps = 0;
    while (now > -PI / 3 && steps < 4000) {
        before = now;
        advance(s, 1);
        now = joints_of(s)->memory.data[0].position[JOINT_TURN];
        steps++;
    }
    stepper_destroy(s);
    return h * (steps - (-PI / 3 - now) / (before - now));
}

TEST(pendulum_period)
{
    /* T0 = 2 pi sqrt((I + m d^2)/(m g d)), T/T0 = 1/agm(1, cos 30). */
    double inertia = (1 + 0.05 * 0.05) / 12 + 0.25;
    double quarter = 1.073182007 * 2 * PI * sqrt(inertia / (9.81 * 0.5)) / 4;
    for (int affine = 0; affine < 2; affine++) {
        double coarse = quarter_period(INTEGRATE_BDF2, 0.01, affine) - quarter;
        double fine = quarter_period(INTEGRATE_BDF2, 0.005, affine) - quarter;
        CHECK(fabs(fine) < 2e-3 * quarter);
        CHECK(fabs(coarse) > 2.8 * fabs(fine)); /* second order */
        CHECK_NEAR(fine - (coarse - fine) / 3, 0, 2e-4 * quarter);
    }
}

/* Crank 1, coupler 2.5, rocker 2, ground 3. */
TEST(four_bar)
{
    static const double expected[][3] = {{60, 2.736794545, 1.982605076},
                                         {90, 2.337343726, 1.887031177},
                                         {150, 1.496178749, 1.318530108}};
    model *m = mem_calloc(1, sizeof *m);
    vec3 b = {cos(PI / 6), 0.5, 0}, c = {2.869228182, 1.995720104, 0}, d = {3, 0, 0};
    int32_t crank = add_bar(m, "crank", NONE, b, 0.1, false);
    int32_t coupler = add_bar(m, "coupler", b, c, 0.1, false);
    int32_t rocker = add_bar(m, "rocker", d, c, 0.1, false);
    finish_model(m);
    model_joint motor = between(m, "hinge", -1, crank, NONE, Z);
    CHECK_OK(expression_parse("pi/180*60*t", &motor.axis[JOINT_TURN].drive.target, &err), err);
    motor.axis[JOINT_TURN].drive.kind = DRIVE_POSITION;
    add(m, "motor", motor);
    add(m, "b", between(m, "hinge", crank, coupler, b, Z));
    add(m, "c", between(m, "hinge", coupler, rocker, c, Z));
    add(m, "d", between(m, "hinge", -1, rocker, d, Z));
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.05, DOWN, NONE);
    for (int k = 0; k < 3; k++) {
        while (30 + 60 * s->time < expected[k][0] - 1e-9) advance(s, 1);
        double u[JET_SIZE];
        joint_features(m, &m->joints.data[2], s->state.x, u);
        CHECK_NEAR(u[0], expected[k][1], 1e-7);
        CHECK_NEAR(u[1], expected[k][2], 1e-7);
    }
    stepper_destroy(s);
}

/* Without outer forces momentum stays, whatever the joints do. */
TEST(momentum)
{
    for (int affine = 0; affine < 2; affine++) {
        model *m = mem_calloc(1, sizeof *m);
        int32_t link[4];
        for (int k = 0; k < 4; k++)
            link[k] = add_bar(m, "link", (vec3){k, 0.2 * k, 0}, (vec3){k + 1, 0.2 * k + 0.2, 0.1},
                              0.1, affine && k % 2);
        finish_model(m);
        static const char *const kinds[] = {"ball", "hinge", "universal"};
        for (int k = 0; k < 3; k++)
            add(m, "joint",
                between(m, kinds[k], link[k], link[k + 1], (vec3){k + 1, 0.2 * k + 0.2, 0.05}, Z));
        stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.01, NONE, NONE);
        rigid_set_velocity(&m->rigids.data[0], s->state.x, (vec3){0, 1, 0.5}, NONE, s->state.v);
        step_statistics first = {0};
        stepper_measure(s, &first);
        step_statistics last = advance(s, 60);
        vec3 change = vec3_sub(last.linear_momentum, first.linear_momentum);
        CHECK(vec3_norm(change) < 1e-6 * vec3_norm(first.linear_momentum));
        change = vec3_sub(last.angular_momentum, first.angular_momentum);
        CHECK(vec3_norm(change) < 2e-2 * vec3_norm(first.linear_momentum));
        CHECK(last.kinetic <= first.kinetic);
        stepper_destroy(s);
    }
}

/* Two wheels on the world, one driven, coupled with a ratio of -2.5, for many turns. */
TEST(gear_counts_turns)
{
    model *m = mem_calloc(1, sizeof *m);
    int32_t a = add_bar(m, "a", (vec3){-0.1, 0, 0}, (vec3){0.1, 0, 0}, 0.1, false);
    int32_t b = add_bar(m, "b", (vec3){0.9, 0, 0}, (vec3){1.1, 0, 0}, 0.1, false);
    finish_model(m);
    model_joint motor = between(m, "hinge", -1, a, NONE, Z);
    CHECK_OK(expression_parse("20*t", &motor.axis[JOINT_TURN].drive.target, &err), err);
    motor.axis[JOINT_TURN].drive.kind = DRIVE_POSITION;
    add(m, "motor", motor);
    add(m, "other", between(m, "hinge", -1, b, (vec3){1, 0, 0}, Z));
    model_joint gear = joint_plain();
    gear.kind = joint_kind_named("gear");
    gear.coupled[0] = 1;
    gear.coupled[1] = 0;
    gear.ratio = -2.5;
    add(m, "gear", gear);
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.02, DOWN, NONE);
    advance(s, 300);
    CHECK_NEAR(joints_of(s)->memory.data[0].position[JOINT_TURN], 120, 1e-6);
    CHECK_NEAR(joints_of(s)->memory.data[1].position[JOINT_TURN], -300, 1e-6);
    stepper_destroy(s);
}

TEST(screw_advances_by_its_lead)
{
    model *m = mem_calloc(1, sizeof *m);
    int32_t bolt = add_bar(m, "bolt", (vec3){-0.5, 0, 0}, (vec3){0.5, 0, 0}, 0.1, false);
    finish_model(m);
    model_joint screw = between(m, "screw", -1, bolt, NONE, X);
    screw.lead = 0.01;
    CHECK_OK(expression_parse("2*pi*t", &screw.axis[JOINT_TURN].drive.target, &err), err);
    screw.axis[JOINT_TURN].drive.kind = DRIVE_POSITION;
    add(m, "screw", screw);
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.05, DOWN, NONE);
    advance(s, 60);
    CHECK_NEAR(joints_of(s)->memory.data[0].position[JOINT_TURN], 6 * PI, 1e-7);
    CHECK_NEAR(joints_of(s)->memory.data[0].position[JOINT_SLIDE], 0.03, 1e-7);
    CHECK_NEAR(s->state.x[0], 0.03, 1e-7);
    stepper_destroy(s);
}

/* A pendulum falls on a stop, with long steps and large gravity. */
TEST(limits_hold)
{
    for (int k = 0; k < 3; k++) {
        model *m = mem_calloc(1, sizeof *m);
        int32_t bar = add_bar(m, "bar", NONE, X, 0.05, k == 2);
        finish_model(m);
        model_joint pivot = between(m, "hinge", -1, bar, NONE, Z);
        pivot.axis[JOINT_TURN].lower = -0.5;
        add(m, "pivot", pivot);
        stepper *s =
            start(m, INTEGRATE_IMPLICIT_EULER, 0.1, k == 1 ? (vec3){0, -9810, 0} : DOWN, NONE);
        for (int i = 0; i < 30; i++) {
            advance(s, 1);
            CHECK(joints_of(s)->memory.data[0].position[JOINT_TURN] > -0.5);
        }
        CHECK_NEAR(joints_of(s)->memory.data[0].position[JOINT_TURN], -0.5, 0.05);
        stepper_destroy(s);
    }
}

/* A wheel with constant friction comes to rest at I w / T, and stays. */
TEST(friction_stops)
{
    model *m = mem_calloc(1, sizeof *m);
    int32_t wheel = add_bar(m, "wheel", (vec3){-0.5, 0, 0}, (vec3){0.5, 0, 0}, 0.1, false);
    finish_model(m);
    double inertia = 10 * (1 + 0.01) / 12; /* 10 kg */
    model_joint pivot = between(m, "hinge", -1, wheel, NONE, Z);
    pivot.axis[JOINT_TURN].friction = 2;
    add(m, "pivot", pivot);
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.01, NONE, (vec3){0, 0, 1});
    double rest = inertia / 2;
    int half = (int)(rest / 0.02);
    advance(s, half);
    CHECK_NEAR(joints_of(s)->memory.data[0].rate[JOINT_TURN], 1 - 0.01 * half / rest, 2e-2);
    advance(s, half + 8);
    CHECK_NEAR(joints_of(s)->memory.data[0].rate[JOINT_TURN], 0, 1e-3);
    stepper_destroy(s);
}

/* A drive with a limited effort accelerates by it; loaded by gravity it sags as its law says. */
TEST(drives)
{
    model *m = mem_calloc(1, sizeof *m);
    int32_t bar = add_bar(m, "bar", NONE, X, 0.05, false);
    finish_model(m);
    double mass = 2.5, torque = mass * 9.81 * 0.5;
    model_joint pivot = between(m, "hinge", -1, bar, NONE, Z);
    pivot.axis[JOINT_TURN].drive =
        (joint_drive){DRIVE_POSITION, expression_constant(0), 2000, 200, 20, 1};
    add(m, "pivot", pivot);
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.02, DOWN, NONE);
    advance(s, 400);
    double t = torque / 20, e = 0.01 * t / sqrt(1 - t * t); /* w = 20/2000 */
    CHECK_NEAR(joints_of(s)->memory.data[0].position[JOINT_TURN], -e, 1e-4);
    CHECK_NEAR(joints_of(s)->memory.data[0].effort[JOINT_TURN], torque, 1e-2);
    vec3 force, moment;
    joint_reaction(joints_of(s), 0, s->state.x, &force, &moment);
    CHECK_NEAR(force.y, mass * 9.81, 1e-2);
    CHECK_NEAR(force.x, 0, 1e-2);
    /* A target from the caller takes the place of the expression. */
    joints_of(s)->commands.data[JOINT_TURN] = 0.4;
    advance(s, 400);
    CHECK_NEAR(joints_of(s)->memory.data[0].position[JOINT_TURN], 0.4, 0.02);
    stepper_destroy(s);
}

/* It breaks at the load that it is made for, and what it carried flies on as it was. */
TEST(breaking)
{
    model *m = mem_calloc(1, sizeof *m);
    int32_t bar = add_bar(m, "bar", NONE, X, 0.05, false);
    finish_model(m);
    model_joint rope = between(m, "ball", -1, bar, (vec3){0.5, 0, 0}, Z);
    rope.break_force = 40; /* 2.5 kg weigh 24.5 N */
    add(m, "rope", rope);
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.01, DOWN, NONE);
    advance(s, 20);
    CHECK(joints_of(s)->memory.data[0].broken == 0);
    load push = {.until = INFINITY, .force = {0, -20, 0}};
    CHECK(array_push(&s->loads.nodes, push));
    CHECK(array_push(&s->loads.nodes.data[0].nodes, m->rigids.data[bar].block));
    advance(s, 2);
    CHECK(joints_of(s)->memory.data[0].broken == 1);
    advance(s, 10);
    CHECK_NEAR(s->state.v[1], -(9.81 + 8) * 0.11, 0.25);
    stepper_destroy(s);
}

/* A spinning hinge for long: no drift. */
TEST(no_drift)
{
    model *m = mem_calloc(1, sizeof *m);
    int32_t a = add_bar(m, "a", NONE, X, 0.05, false);
    int32_t b = add_bar(m, "b", X, (vec3){1.5, 0, 0}, 0.05, false);
    finish_model(m);
    add(m, "first", between(m, "hinge", -1, a, NONE, Z));
    add(m, "second", between(m, "hinge", a, b, X, Z));
    stepper *s = start(m, INTEGRATE_BDF2, 0.01, DOWN, (vec3){0, 0, 6});
    double early = 0, late = 0;
    for (int i = 0; i < 2000; i++) {
        step_statistics now = advance(s, 1);
        if (i < 500) early = fmax(early, now.joint_violation);
        if (i >= 1500) late = fmax(late, now.joint_violation);
    }
    CHECK(late <= 1e-8 && early <= 1e-8);
    CHECK(fabs(s->state.x[2]) < 1e-8 && fabs(s->state.x[8]) < 2e-8); /* stays in its plane */
    stepper_destroy(s);
}

static void run_double_pendulum(int threads, bool pause, double *out)
{
    parallel_set_threads(threads);
    model *m = mem_calloc(1, sizeof *m);
    int32_t a = add_bar(m, "a", NONE, X, 0.05, false);
    int32_t b = add_bar(m, "b", X, (vec3){1.5, 0, 0}, 0.05, true);
    finish_model(m);
    add(m, "first", between(m, "hinge", -1, a, NONE, Z));
    model_joint second = between(m, "hinge", a, b, X, Z);
    second.axis[JOINT_TURN].friction = 0.3;
    second.axis[JOINT_TURN].upper = 0.7;
    add(m, "second", second);
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.01, DOWN, NONE);
    saved_state kept = {0};
    advance(s, 30);
    if (pause) {
        CHECK_OK(stepper_save(s, &kept, &err), err);
        advance(s, 7); /* and back */
        CHECK_OK(stepper_load(s, &kept, &err), err);
        saved_state_free(&kept);
    }
    advance(s, 30);
    memcpy(out, s->state.x, 18 * sizeof *out);
    stepper_destroy(s);
    parallel_set_threads(0);
}

TEST(same_bits)
{
    double one[18], two[18], resumed[18];
    run_double_pendulum(1, false, one);
    run_double_pendulum(2, false, two);
    run_double_pendulum(1, true, resumed);
    CHECK(memcmp(one, two, sizeof one) == 0);
    CHECK(memcmp(one, resumed, sizeof one) == 0);
}

/* Links in a row fall, hinged to the world at one end. The forces of all joints are found together,
 * so that a step takes as many iterations for 300 links as for 30. */
static int iterations_of_chain(int links)
{
    model *m = mem_calloc(1, sizeof *m);
    for (int k = 0; k < links; k++)
        add_bar(m, "link", (vec3){k + 0.05, 0, 0}, (vec3){k + 0.95, 0, 0}, 0.1, false);
    finish_model(m);
    for (int k = 0; k < links; k++)
        add(m, "pin", between(m, "hinge", k - 1, k, (vec3){k, 0, 0}, Z));
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.01, DOWN, NONE);
    s->options.tolerance = 0.01 * links;
    int iterations = 0;
    for (int k = 0; k < 10; k++) iterations += advance(s, 1).newton_iterations;
    stepper_destroy(s);
    return iterations;
}

TEST(long_chains_take_no_more_iterations)
{
    int few = iterations_of_chain(30), many = iterations_of_chain(300);
    CHECK(few <= 30);
    CHECK(many <= 30);
}

/* What cannot be met is named. */
TEST(contradiction)
{
    model *m = mem_calloc(1, sizeof *m);
    int32_t bar = add_bar(m, "bar", NONE, X, 0.05, false);
    finish_model(m);
    add(m, "left", between(m, "ball", -1, bar, NONE, Z));
    model_joint right = between(m, "ball", -1, bar, X, Z);
    right.side[0].point.x += 0.1;
    add(m, "right", right);
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.01, NONE, NONE);
    step_statistics statistics;
    CHECK(stepper_advance(s, &statistics, &err) == ABUT_ERROR_NOT_CONVERGED);
    CHECK(strstr(err.message, "cannot be met") != NULL);
    stepper_destroy(s);
}

int main(void)
{
    RUN(pendulum_period);
    RUN(four_bar);
    RUN(momentum);
    RUN(gear_counts_turns);
    RUN(screw_advances_by_its_lead);
    RUN(limits_hold);
    RUN(friction_stops);
    RUN(drives);
    RUN(breaking);
    RUN(no_drift);
    RUN(same_bits);
    RUN(long_chains_take_no_more_iterations);
    RUN(contradiction);
    return TEST_END();
}

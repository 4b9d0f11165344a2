/* Mechanisms against closed forms that need more than one joint: a platform on six legs, a Cardan
 * joint at a bend, a double pendulum's energy. */
#include "body/rigid.h"
#include "constraint/features.h"
#include "constraint/joint_kind.h"
#include "constraint/joint_make.h"
#include "constraint/joint_term.h"
#include "math/rotation.h"
#include "mesh/generate.h"
#include "mesh/topology.h"
#include "support/scene_makers.h"
#include "test.h"

static abut_error err;
static const double PI = 3.14159265358979323846;
static const vec3 DOWN = {0, -9.81, 0}, NONE = {0}, Z = {0, 0, 1};

static int32_t add_bar(model *m, vec3 a, vec3 b)
{
    mesh box;
    const int cells[3] = {1, 1, 1};
    vec3 d = vec3_sub(b, a);
    CHECK_OK(generate_box((vec3){vec3_norm(d), 0.05, 0.05}, cells, &box, &err), err);
    mesh_transform(&box, (vec3){1, 1, 1}, (vec3){0, 0, atan2(d.y, d.x) * 180 / PI},
                   vec3_scale(0.5, vec3_add(a, b)));
    rigid_options options = {.density = 1000};
    CHECK_OK(model_add_rigid(m, "bar", &box, &options, &err), err);
    mesh_free(&box);
    return (int32_t)m->rigids.count - 1;
}

/* A joint of two points; the coordinate given is driven exactly. */
static void join(model *m, const char *kind, int32_t to, vec3 first, int32_t body, vec3 second,
                 mat3 triad, joint_coordinate driven, const char *target)
{
    model_joint j = joint_plain();
    j.kind = joint_kind_named(kind);
    j.side[0] = joint_side_at(m, to, first, triad);
    j.side[1] = joint_side_at(m, body, second, triad);
    if (target) {
        CHECK_OK(expression_parse(target, &j.axis[driven].drive.target, &err), err);
        j.axis[driven].drive.kind = DRIVE_POSITION;
    }
    CHECK_OK(model_add_joint(m, kind, &j, &err), err);
}

static stepper *start(model *m, integrator kind, double h, vec3 gravity)
{
    stepper_options options = maker_options(kind, h);
    options.tolerance = 1e-8;
    options.gravity = gravity;
    stepper *s = make_stepper(m, &options);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    return s;
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

static double angle_of(const stepper *s, size_t joint)
{
    const joint_term *t = (const joint_term *)stepper_find_term(s, "joints");
    return t->memory.data[joint].position[JOINT_TURN];
}

static vec3 around(double radius, double degrees)
{
    return (vec3){radius * cos(degrees * PI / 180), radius * sin(degrees * PI / 180), 0};
}

/* Legs that become as long as a pose asks for bring the platform into this pose. */
TEST(stewart_platform)
{
    static const double base[] = {-10, 10, 110, 130, 230, 250};
    static const double top[] = {-50, 50, 70, 170, 190, 290};
    static const double expected[] = {1.28769444, 1.25192378, 1.48329811,
                                      1.48415972, 1.49313030, 1.27744766};
    const vec3 move = {0.1, -0.05, 1.2}, turn = {0.1, 0.2, -0.15}, above = {0, 0, 1};
    mat3 rotation = rotation_matrix(turn);
    model *m = mem_calloc(1, sizeof *m);
    int32_t plate = add_bar(m, (vec3){-0.3, 0, 1}, (vec3){0.3, 0, 1});
    CHECK_OK(model_finish(m, &err), err);
    vec3 target[6];
    for (int k = 0; k < 6; k++) {
        vec3 foot = around(1, base[k]), own = around(0.6, top[k]);
        target[k] = vec3_add(move, mat3_mul_vec(rotation, own));
        double from = vec3_norm(vec3_sub(vec3_add(above, own), foot));
        double to = vec3_norm(vec3_sub(target[k], foot));
        CHECK_NEAR(to, expected[k], 1e-8);
        char text[100];
        snprintf(text, sizeof text, "%.17g+%.17g*min(1, t)", from, to - from);
        join(m, "spring", -1, foot, plate, vec3_add(above, own), mat3_identity(), JOINT_SLIDE,
             text);
    }
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.1, DOWN);
    step_statistics first = {0};
    stepper_measure(s, &first);
    CHECK(first.joint_violation <= 1e-8); /* the targets are met before the first step */
    advance(s, 12);
    for (int k = 0; k < 6; k++) {
        double u[JET_SIZE];
        joint_features(m, &m->joints.data[k], s->state.x, u);
        const double *p = u + 3 * feature_of(1, FEATURE_POINT);
        CHECK_NEAR(p[0], target[k].x, 1e-7);
        CHECK_NEAR(p[1], target[k].y, 1e-7);
        CHECK_NEAR(p[2], target[k].z, 1e-7);
    }
    stepper_destroy(s);
}

/* Two shafts at an angle: the second runs ahead and behind twice a turn. */
TEST(cardan_joint)
{
    const double bend = 40 * PI / 180;
    vec3 in = {1, 0, 0}, out = {cos(bend), sin(bend), 0}, pin = {-sin(bend), cos(bend), 0};
    model *m = mem_calloc(1, sizeof *m);
    int32_t first = add_bar(m, (vec3){-1, 0, 0}, (vec3){-0.1, 0, 0});
    int32_t second = add_bar(m, vec3_scale(0.1, out), out);
    CHECK_OK(model_finish(m, &err), err);
    join(m, "hinge", -1, NONE, first, NONE, joint_triad(in), JOINT_TURN, "3*t");
    join(m, "hinge", -1, NONE, second, NONE, joint_triad(out), JOINT_TURN, NULL);
    mat3 cross = mat3_from_columns(pin, vec3_cross(Z, pin), Z);
    join(m, "universal", first, NONE, second, NONE, cross, JOINT_TURN, NULL);
    stepper *s = start(m, INTEGRATE_IMPLICIT_EULER, 0.05, NONE);
    double largest = 0;
    for (int i = 1; i <= 50; i++) {
        advance(s, 1);
        double a = 3 * 0.05 * i;
        double b = a + atan2((cos(bend) - 1) * sin(a) * cos(a),
                             cos(a) * cos(a) + cos(bend) * sin(a) * sin(a));
        CHECK_NEAR(angle_of(s, 0), a, 1e-7);
        CHECK_NEAR(angle_of(s, 1), b, 1e-6);
        largest = fmax(largest, fabs(b - a));
    }
    CHECK(largest > 0.1); /* the bend matters */
    stepper_destroy(s);
}

/* The largest error of a double pendulum's energy within 2 s, J; *rise: the largest gain in a step.
 */
static double energy_error(integrator kind, double h, double *rise)
{
    model *m = mem_calloc(1, sizeof *m);
    vec3 elbow = {1, 0, 0}, tip = {1.8, 0.6, 0};
    int32_t upper = add_bar(m, NONE, elbow), lower = add_bar(m, elbow, tip);
    CHECK_OK(model_finish(m, &err), err);
    join(m, "hinge", -1, NONE, upper, NONE, joint_triad(Z), JOINT_TURN, NULL);
    join(m, "hinge", upper, elbow, lower, elbow, joint_triad(Z), JOINT_TURN, NULL);
    stepper *s = start(m, kind, h, DOWN);
    step_statistics now = {0};
    stepper_measure(s, &now);
    double begin = now.kinetic + now.gravity, before = begin, worst = 0;
    *rise = 0;
    for (int i = 0; i < (int)(2 / h + 0.5); i++) {
        now = advance(s, 1);
        double energy = now.kinetic + now.gravity;
        *rise = fmax(*rise, energy - before);
        worst = fmax(worst, fabs(energy - begin));
        before = energy;
    }
    stepper_destroy(s);
    return worst;
}

TEST(energy_of_a_double_pendulum)
{
    double rise, weight = 2.5 * 9.81 * 1.5; /* J: from the start to the lowest place, about */
    double coarse = energy_error(INTEGRATE_NEWMARK, 0.01, &rise);
    double fine = energy_error(INTEGRATE_NEWMARK, 0.005, &rise);
    CHECK(coarse < 0.05 * weight);
    CHECK(fine < 0.3 * coarse); /* second order */
    energy_error(INTEGRATE_IMPLICIT_EULER, 0.01, &rise);
    CHECK(rise < 1e-5 * weight); /* it only loses energy */
}

int main(void)
{
    RUN(stewart_platform);
    RUN(cardan_joint);
    RUN(energy_of_a_double_pendulum);
    return TEST_END();
}

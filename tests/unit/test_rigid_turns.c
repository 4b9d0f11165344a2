/* Rotations within a step: iterates stay where the rotation vector is a chart, turns are bounded,
 * and going over to another rotation vector of the same rotation changes nothing. */
#include "base/random.h"
#include "math/rotation.h"
#include "support/scene_text.h"
#include "term/rigid_inertia.h"

#include <math.h>
#include <string.h>

static abut_error err;
static const double PI = 3.14159265358979323846;

#define TOP                                                                                        \
    "{'abut': 1, 'time': {'step': 0.01, 'steps': 50}, 'gravity': [0, 0, 0], 'solver': "            \
    "{'tolerance': 1e-8}, 'bodies': [{'type': 'rigid', 'mesh': {'box': {'size': [1, 2, 3], "       \
    "'cells': [1, 1, 1]}}, 'density': 100, 'angular_velocity': [%s]}]}"

static stepper *make_top(const char *spin, scene_def **scene)
{
    char text[600];
    snprintf(text, sizeof text, TOP, spin);
    return build_scene(text, scene);
}

static vec3 random_vector(random_state *r, double length)
{
    vec3 v = {random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1)};
    return vec3_scale(length / vec3_norm(v), v);
}

/* The term of the top, with a prediction and a torque, and its derivatives at theta. */
typedef struct top_term {
    const rigid_inertia_term *t;
    evaluation ev;
    double x[6];
} top_term;

static double value_at(top_term *w, vec3 theta)
{
    vec3_store(w->x + 3, theta);
    return w->t->base.class->value(&w->t->base, &w->ev, w->x);
}

static void derivatives_at(top_term *w, vec3 theta, bool exact, vec3 *gradient, mat3 *hessian)
{
    double g[3];
    w->ev.exact = exact;
    vec3_store(w->x + 3, theta);
    w->t->base.class->derivatives(&w->t->base, &w->ev, 0, w->x, 0, 1, g, (double *)hessian->m);
    *gradient = vec3_load(g);
}

/* d theta / ds of the rotation exp(s w) R(theta). */
static vec3 rate(vec3 theta, vec3 w)
{
    const double h = 1e-6;
    mat3 r = rotation_matrix(theta);
    vec3 plus = rotation_vector_near(mat3_mul(rotation_matrix(vec3_scale(h, w)), r), theta);
    vec3 minus = rotation_vector_near(mat3_mul(rotation_matrix(vec3_scale(-h, w)), r), theta);
    return vec3_scale(1 / (2 * h), vec3_sub(plus, minus));
}

static top_term take_term(stepper *s, random_state *r)
{
    rigid_inertia_term *t = s->rigid.inertia;
    t->predicted.data[0] = rotation_matrix(random_vector(r, random_range(r, 0, 3)));
    t->load.data[0] = rigid_torque_load(mat3_identity(), random_vector(r, 1e3), 1);
    return (top_term){.t = t, .ev = {.mass_factor = 1, .force_factor = 1, .h = 0.01}};
}

/* Both rotation vectors of a rotation have the same energy, and the same slope along every turn. */
TEST(charts_agree)
{
    scene_def *scene;
    stepper *s = make_top("0, 0, 0", &scene);
    if (!s) return;
    random_state random = {11};
    for (int trial = 0; trial < 50; trial++) {
        top_term w = take_term(s, &random);
        vec3 theta = random_vector(&random, random_range(&random, 1.05, 1.6) * PI), g[2];
        double x[6];
        memcpy(x, s->state.x, sizeof x);
        vec3_store(x + 3, theta);
        CHECK(rigid_inertia_wrap(s->rigid.inertia, x));
        vec3 wrapped = vec3_load(x + 3), turn = random_vector(&random, 1);
        CHECK(vec3_norm(wrapped) <= PI && !rigid_inertia_wrap(s->rigid.inertia, x));
        CHECK_NEAR(value_at(&w, wrapped), value_at(&w, theta), 1e-9);
        mat3 unused;
        derivatives_at(&w, theta, true, &g[0], &unused);
        derivatives_at(&w, wrapped, true, &g[1], &unused);
        double slope = vec3_dot(g[1], rate(wrapped, turn));
        CHECK_NEAR(vec3_dot(g[0], rate(theta, turn)), slope, 1e-5 * (100 + fabs(slope)));
        /* Along the turn by differences, too. */
        const double h = 1e-5;
        mat3 r = rotation_matrix(wrapped);
        double up = value_at(
            &w, rotation_vector_near(mat3_mul(rotation_matrix(vec3_scale(h, turn)), r), wrapped));
        double down = value_at(
            &w, rotation_vector_near(mat3_mul(rotation_matrix(vec3_scale(-h, turn)), r), wrapped));
        CHECK_NEAR((up - down) / (2 * h), slope, 1e-4 * (100 + fabs(slope)));
    }
    drop_scene(s, scene);
}

/* No matrix promises a turn beyond a quarter about one of its axes, wherever the energy is not
 * convex; near a minimum it is the Hessian itself. */
TEST(directions_are_bounded)
{
    scene_def *scene;
    stepper *s = make_top("0, 0, 0", &scene);
    if (!s) return;
    random_state random = {12};
    int far = 0;
    for (int trial = 0; trial < 200; trial++) {
        top_term w = take_term(s, &random);
        vec3 theta = random_vector(&random, random_range(&random, 0, PI)), g;
        mat3 h, exact;
        derivatives_at(&w, theta, false, &g, &h);
        vec3 p = mat3_mul_vec(mat3_inverse(h), vec3_scale(-1, g));
        CHECK(vec3_norm(p) <= sqrt(3) * PI / 2 * (1 + 1e-9) && vec3_dot(p, g) < 0);
        derivatives_at(&w, theta, true, &g, &exact);
        p = mat3_mul_vec(mat3_inverse(exact), vec3_scale(-1, g));
        far += vec3_norm(p) > PI;
        /* At the predicted rotation without a load. */
        s->rigid.inertia->load.data[0] = mat3_zero();
        theta = rotation_vector(w.t->predicted.data[0]);
        derivatives_at(&w, theta, false, &g, &h);
        derivatives_at(&w, theta, true, &g, &exact);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(h.m[i / 3][i % 3], exact.m[i / 3][i % 3], 1e-8 * fabs(exact.m[0][0]));
    }
    CHECK(far > 10);
    drop_scene(s, scene);
}

/* Steps turn a free body by a quarter at most; a prescribed one as far as its motion says. */
TEST(steps_are_bounded)
{
    scene_def *scene;
    stepper *s = make_top("0, 0, 0", &scene);
    if (!s) return;
    const term *t = &s->rigid.inertia->base;
    double x[6] = {0}, p[6] = {1, 2, 3, 0, 400000, 0};
    uint8_t fixed[6] = {0, 0, 0, 0, 1, 0};
    step_bound bound;
    CHECK_OK(t->class->max_step(t, x, p, 1, &bound, &s->timer, &err), err);
    CHECK_NEAR(bound.alpha * 400000, PI / 2, 1e-9);
    p[4] = 1;
    CHECK_OK(t->class->max_step(t, x, p, 1, &bound, &s->timer, &err), err);
    CHECK(bound.alpha == 1);
    p[4] = x[4] = 5;
    s->rigid.inertia->fixed = fixed;
    CHECK_OK(t->class->max_step(t, x, p, 1, &bound, &s->timer, &err), err);
    CHECK(bound.alpha == 1 && !rigid_inertia_wrap(s->rigid.inertia, x));
    drop_scene(s, scene);
}

/* 60 revolutions per second: any number of turns later the vector is still within half a turn,
 * every step takes a few iterations, and angular momentum about the axis is what implicit Euler
 * leaves. */
TEST(many_revolutions)
{
    scene_def *scene;
    stepper *s = make_top("0, 0, 3600", &scene);
    if (!s) return;
    double spin = 3600 * PI / 180, h = 0.01;
    for (int n = 0; n < 200; n++) {
        step_statistics now;
        CHECK_OK(stepper_advance(s, &now, &err), err);
        CHECK(now.newton_iterations <= 12);
        CHECK(vec3_norm(vec3_load(s->state.x + 3)) <= PI * (1 + 1e-12));
        /* The minimum of 1/2 |Q - Q~|^2 in the plane: tan(turn) = w h for Q~ = Q + h Q'. */
        if (n == 0) CHECK_NEAR(atan2(sin(s->state.x[5]), cos(s->state.x[5])), atan(spin * h), 1e-9);
    }
    drop_scene(s, scene);
}

/* An impact at 200 m/s on a spinning body in a step of 0.1 s: its rotation vector went to 46,000
 * rad, and the step did not converge. */
TEST(hard_impacts)
{
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 0.1, 'steps': 15}, 'ground': 0, 'contact': {'dhat': 0.01, "
        "'friction_iterations': 4}, 'bodies': [{'type': 'rigid', 'mesh': {'sphere': {'radius': "
        "0.3, 'level': 0}}, 'density': 4622.361092278119, 'angular_velocity': [0, "
        "-378.1487038111314, 0], 'translate': [0, 0.7, 0], 'velocity': [44.34250714798655, "
        "88.6850142959731, 44.34250714798655], 'rotate': [-107.32697954934156, 63.93780619676332, "
        "134.37008255866442]}, {'mesh': {'box': {'size': [0.4, 0.3, 0.4], 'cells': [3, 2, 2]}}, "
        "'material': {'young': 714624536.4945495, 'poisson': 0.3, 'density': 2688.3549700899935}, "
        "'translate': [1, 2.7, 1], 'velocity': [-44.34250714798655, -88.68501429597312, "
        "-44.34250714798655], 'rotate': [117.1904171783255, 35.97485404567843, "
        "-70.85201145212363]}]}",
        &scene);
    if (!s) return;
    for (int n = 0; n < 5; n++) {
        step_statistics now;
        CHECK_OK(stepper_advance(s, &now, &err), err);
        CHECK(now.newton_iterations < 250 && now.substeps == 1);
        CHECK(vec3_norm(vec3_load(s->state.x + 3)) <= PI * (1 + 1e-12));
    }
    drop_scene(s, scene);
}

int main(void)
{
    RUN(charts_agree);
    RUN(directions_are_bounded);
    RUN(steps_are_bounded);
    RUN(many_revolutions);
    RUN(hard_impacts);
    return TEST_END();
}

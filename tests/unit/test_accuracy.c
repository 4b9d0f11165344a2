/* Measures of finished steps (step/accuracy.h): momentum balance, positivity, complementarity. */
#include "step/accuracy.h"
#include "support/scene_makers.h"
#include "support/scene_text.h"
#include "test.h"

static abut_error err;

/* A cube at rest on the ground: the contact forces carry its weight, and nothing is left over. */
TEST(forces_of_a_block_at_rest)
{
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    options.contact = true;
    options.contact_options = (contact_options){.dhat = 0.01};
    options.gravity = (vec3){0, -10, 0};
    stepper *s =
        make_stepper(make_box_model((vec3){1, 1, 1}, 2, 2, 2, ELASTIC_NEO_HOOKEAN), &options);
    half_space floor = {.origin = {0, -0.505, 0}, .normal = {0, 1, 0}, .friction = -1};
    CHECK_OK(contact_add_half_space(s->contact, floor, &err), err);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    step_accuracy worst = accuracy_none(), now = accuracy_none();
    for (int n = 0; n < 300; n++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK(statistics.friction_iterations == 0); /* without friction: one solve */
        CHECK_OK(stepper_accuracy(s, &now, &err), err);
        worst = accuracy_worse(&worst, &now);
    }
    const double weight = 10 * MAKER_DENSITY;
    CHECK_NEAR(now.total_force, weight, 0.01 * weight);
    CHECK(worst.momentum < 1e-3 * weight / 27);
    CHECK(worst.smallest_force > 0 && now.largest_force < weight);
    CHECK(worst.complementarity == 0);
    CHECK(now.slackness > 0 && now.slackness <= now.largest_force * 0.01);
    CHECK(worst.admissible && worst.min_distance > 0 && worst.min_distance < 0.01);
    CHECK(worst.min_volume_ratio > 0.5 && worst.min_volume_ratio < 1);
    /* Away from the solution the balance is broken. */
    s->x[1] += 1e-3;
    CHECK_OK(stepper_accuracy(s, &now, &err), err);
    CHECK(now.momentum > 1);
    stepper_destroy(s);
}

/* A cube at rest upon another one. */
static stepper *stacked_cubes(void)
{
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    options.contact = true;
    options.contact_options = (contact_options){.dhat = 0.02};
    options.friction = 0.3;
    options.eps_v = 1e-3;
    options.tolerance = 1e-6;
    options.gravity = (vec3){0, -10, 0};
    stepper *s = make_stepper(make_stacked_model(1, 2, 0.015), &options);
    add_condition(s, (vec3){-1, -1, -1}, (vec3){1, 0.5, 1}, 0, INFINITY);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    for (int n = 0; n < 30; n++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
    }
    return s;
}

/* Two wires that cross at a small angle, one above the other: the force is what the gradient of the
 * contact term lifts the upper one by, a fraction of that of wires that cross at right angles. */
TEST(mollified_pairs_count_with_their_mollifier)
{
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 0.01, 'steps': 1}, 'gravity': [0, 0, 0], 'contact': {'dhat': "
        "0.02}, 'bodies': [{'type': 'obstacle', 'mesh': {'polyline': {'from': [-0.5, 0, 0], 'to': "
        "[0.5, 0, 0], 'segments': 1}}}, {'type': 'rod', 'mesh': {'polyline': {'from': [-0.5, "
        "0.019, "
        "-0.01], 'to': [0.5, 0.019, 0.01], 'segments': 1}}, 'material': {'young': 1e6, 'poisson': "
        "0.3, 'density': 1000}, 'rod': {'diameter': 1e-3}}]}",
        &scene);
    if (!s) return;
    step_statistics statistics;
    step_accuracy now;
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    memcpy(s->x, s->start, s->state.scalars * sizeof *s->x);
    CHECK_OK(stepper_accuracy(s, &now, &err), err);
    CHECK(s->contact->active.lists[LIST_EE_MOLLIFIED].count == 1);
    CHECK(active_set_count(&s->contact->active) == 1);
    double lift = 0;
    CHECK_OK(problem_term_gradient(&s->problem, &s->contact->base, &s->evaluation, s->x, &err),
             err);
    for (size_t i = 1; i < 3 * (size_t)s->problem.free_count; i += 3)
        lift -= s->problem.gradient[i] / stepper_contact_factor(s);
    CHECK(lift > 0);
    CHECK_NEAR(now.total_force, lift, 1e-9 * lift);
    CHECK(now.smallest_force == now.total_force && now.complementarity == 0);
    drop_scene(s, scene);
}

/* A barrier that pulls, and one that reaches further than the scene says, are noticed. */
TEST(positivity_and_complementarity_can_fail)
{
    stepper *s = stacked_cubes();
    step_accuracy now;
    s->evaluation.kappa = -s->evaluation.kappa;
    CHECK_OK(stepper_accuracy(s, &now, &err), err);
    CHECK(now.smallest_force < -1 && now.complementarity == 0);
    s->evaluation.kappa = -s->evaluation.kappa;
    s->contact->options.dhat *= 4;
    for (size_t i = 0; i < s->state.scalars;
         i += 3) /* the upper cube, to a gap of more than dhat */
        if (s->model->body.data[i / 3] == 1) s->x[i + 1] += 0.03;
    CHECK_OK(stepper_accuracy(s, &now, &err), err);
    CHECK(now.smallest_force >= 0 && now.complementarity > 1e-6);
    stepper_destroy(s);
}

/* Half-spaces: the same. */
TEST(positivity_and_complementarity_of_half_spaces_can_fail)
{
    stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
    options.contact = true;
    options.contact_options = (contact_options){.dhat = 0.01};
    stepper *s =
        make_stepper(make_box_model((vec3){1, 1, 1}, 1, 1, 1, ELASTIC_NEO_HOOKEAN), &options);
    half_space floor = {.origin = {0, -0.505, 0}, .normal = {0, 1, 0}, .friction = -1};
    CHECK_OK(contact_add_half_space(s->contact, floor, &err), err);
    CHECK_OK(stepper_start(s, NULL, &err), err);
    step_statistics statistics;
    step_accuracy now;
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    memcpy(s->x, s->start, s->state.scalars * sizeof *s->x);
    CHECK_OK(stepper_accuracy(s, &now, &err), err);
    CHECK(now.smallest_force > 0 && now.complementarity == 0);
    s->contact->options.dhat = 0.02;
    for (size_t i = 1; i < s->state.scalars; i += 3) s->x[i] += 0.01;
    CHECK_OK(stepper_accuracy(s, &now, &err), err);
    CHECK(now.smallest_force > 0 && now.complementarity > 0);
    s->evaluation.kappa = -s->evaluation.kappa;
    CHECK_OK(stepper_accuracy(s, &now, &err), err);
    CHECK(now.smallest_force < 0);
    stepper_destroy(s);
}

/* Measuring changes nothing. */
TEST(measuring_leaves_no_trace)
{
    double *x[2];
    for (int measure = 0; measure < 2; measure++) {
        stepper_options options = maker_options(INTEGRATE_IMPLICIT_EULER, 0.02);
        options.contact = true;
        options.contact_options = (contact_options){.dhat = 0.02};
        options.friction = 0.3;
        options.gravity = (vec3){0, -10, 0};
        stepper *s = make_stepper(make_stacked_model(1, 2, 0.05), &options);
        add_condition(s, (vec3){-1, -1, -1}, (vec3){1, -0.49, 1}, 0, INFINITY);
        CHECK_OK(stepper_start(s, NULL, &err), err);
        for (int n = 0; n < 15; n++) {
            step_statistics statistics;
            step_accuracy accuracy;
            CHECK_OK(stepper_advance(s, &statistics, &err), err);
            if (measure) CHECK_OK(stepper_accuracy(s, &accuracy, &err), err);
        }
        size_t bytes = s->state.scalars * sizeof(double);
        x[measure] = mem_alloc(1, bytes);
        memcpy(x[measure], s->state.x, bytes);
        if (measure) CHECK(memcmp(x[0], x[1], bytes) == 0);
        stepper_destroy(s);
    }
    mem_free(x[0]);
    mem_free(x[1]);
}

int main(void)
{
    RUN(forces_of_a_block_at_rest);
    RUN(mollified_pairs_count_with_their_mollifier);
    RUN(positivity_and_complementarity_can_fail);
    RUN(positivity_and_complementarity_of_half_spaces_can_fail);
    RUN(measuring_leaves_no_trace);
    return TEST_END();
}

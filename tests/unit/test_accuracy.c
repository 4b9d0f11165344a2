/* Measures of finished steps (step/accuracy.h): momentum balance, positivity, complementarity. */
#include "step/accuracy.h"
#include "support/scene_makers.h"
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
    RUN(measuring_leaves_no_trace);
    return TEST_END();
}

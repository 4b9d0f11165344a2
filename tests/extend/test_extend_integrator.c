/* An integrator of one file and one row: scenes name it, and bodies move by it. */
#include "support/scene_text.h"

#include <math.h>

enum { STEPS = 10 };

/* Height and speed of a box in free fall after some steps of 0.1 s. */
static void fall(const char *word, double *height, double *speed)
{
    char text[600];
    abut_error err;
    scene_def *scene;
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 0.1, 'steps': 10, 'integrator': '%s'}, 'gravity': [0, "
             "-10, 0], 'solver': {'tolerance': 1e-10}, 'bodies': [{'mesh': {'box': {'size': [1, 1, "
             "1], 'cells': [1, 1, 1]}}, 'material': {'young': 1e5, 'poisson': 0.3}, 'velocity': "
             "[0, 3, 0]}]}",
             word);
    stepper *s = build_scene(text, &scene);
    *height = *speed = NAN;
    if (!s) return;
    double velocity[24];
    for (int i = 0; i < 24; i++) velocity[i] = i % 3 == 1 ? 3 : 0;
    CHECK(s->model->rest.count == 8);
    CHECK_OK(stepper_start(s, velocity, &err), err);
    step_statistics statistics;
    for (int i = 0; i < STEPS; i++) CHECK_OK(stepper_advance(s, &statistics, &err), err);
    *height = s->state.x[1] - s->model->rest.data[0].y;
    *speed = s->state.v[1];
    drop_scene(s, scene);
}

/* Second order in position, which implicit Euler is not: 3 t - 5 t^2 at t = 1 exactly. */
TEST(falls_as_the_rule_says)
{
    double height, speed, first_order;
    fall("midpoint", &height, &speed);
    CHECK_NEAR(height, 3 - 5, 1e-8);
    CHECK_NEAR(speed, 3 - 10, 1e-8);
    fall("implicit-euler", &first_order, &speed);
    CHECK_NEAR(first_order, 3 - 5 - 0.5, 1e-8);
}

int main(void)
{
    RUN(falls_as_the_rule_says);
    return TEST_END();
}

/* A term of one file and one row: it holds bodies up, and its energy is in the statistics. */
#include "support/differences.h"
#include "support/scene_text.h"

/* A box that nothing else holds sinks by g/k, as a whole. */
TEST(bodies_hang_on_it)
{
    abut_error err;
    scene_def *scene;
    stepper *s = build_scene(
        "{'abut': 1, 'time': {'step': 1, 'steps': 1, 'integrator': 'quasi-static'}, 'gravity': [0, "
        "-10, 0], 'solver': {'tolerance': 1e-10}, 'bodies': [{'mesh': {'box': {'size': [1, 1, 1], "
        "'cells': [1, 1, 1]}}, 'material': {'young': 1e5, 'poisson': 0.3, 'density': 8}}]}",
        &scene);
    if (!s) return;
    CHECK(stepper_find_term(s, "tether") != NULL);
    step_statistics statistics;
    CHECK_OK(stepper_start(s, NULL, &err), err);
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    for (size_t i = 0; i < s->model->rest.count; i++)
        CHECK_NEAR(s->state.x[3 * i + 1] - s->model->rest.data[i].y, -10.0 / 100, 1e-9);
    CHECK_NEAR(statistics.elastic, 0.5 * 100 * 8 * 0.1 * 0.1, 1e-7);
    drop_scene(s, scene);
}

TEST(derivatives)
{
    abut_error err;
    scene_def *scene;
    stepper *s = build_scene("{'abut': 1, 'time': {'step': 1, 'steps': 1}, 'bodies': [{'mesh': "
                             "{'box': {'size': [1, 1, 1], 'cells': [1, 1, 1]}}, 'material': "
                             "{'young': 1e5, 'poisson': 0.3}}]}",
                             &scene);
    if (!s) return;
    static stage_timer timer;
    problem p;
    double x[MAX_N];
    CHECK_OK(problem_init(&p, model_block_count(s->model), &timer, &err), err);
    CHECK_OK(problem_add_term(&p, stepper_find_term(s, "tether"), &err), err);
    for (size_t i = 0; i < s->state.scalars; i++) x[i] = s->state.x[i] + 0.1 * sin((double)i);
    check_gradient(&p, x, 1e-3, 1e-9);
    check_hessian(&p, x, 1e-3, 1e-9, false);
    problem_free(&p);
    drop_scene(s, scene);
}

int main(void)
{
    RUN(bodies_hang_on_it);
    RUN(derivatives);
    return TEST_END();
}

/* The proximal term towards the start of a step: a body that nothing holds balances its weight with
 * it. */
#include "support/scene_text.h"

static abut_error err;

/* Sum over the nodes of w (x - start) is the weight of the body, step after step. */
TEST(a_free_body_finds_a_balance)
{
    char text[] =
        "{'abut': 1, 'time': {'step': 1, 'steps': 2, 'integrator': 'quasi-static'}, "
        "'gravity': [0, -10, 0], 'contact': {'enabled': false}, 'solver': {'proximal_weight': 50, "
        "'tolerance': 1e-9}, 'bodies': [{'mesh': {'box': {'size': [1, 1, 1], 'cells': "
        "[2, 2, 2]}}, 'material': {'young': 1e5, 'poisson': 0.3, 'density': 27}}]}";
    use_double_quotes(text);
    file_bytes bytes = {.data = text, .size = strlen(text)};
    scene_def *scene = NULL;
    stepper *s = NULL;
    CHECK_OK(scene_load_bytes("test.json", &bytes, NULL, 0, NULL, &scene, &err), err);
    CHECK_OK(scene_build(scene, NULL, &s, &err), err);
    size_t nodes = s->model->rest.count;
    CHECK(nodes == 27);
    for (int step = 1; step <= 2; step++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        double sum = 0;
        for (size_t i = 0; i < nodes; i++) sum += s->state.x[3 * i + 1] - s->model->rest.data[i].y;
        CHECK_NEAR(50 * sum, -270.0 * step, 1e-5);
    }
    drop_scene(s, scene);
}

int main(void)
{
    RUN(a_free_body_finds_a_balance);
    return TEST_END();
}

/* A law of one file and one row: scenes name it, its parameters are checked, it deforms bodies. */
#include "base/random.h"
#include "material/law.h"
#include "support/scene_text.h"

#include <math.h>

static elastic_model model_named(const char *word)
{
    int i = 0;
    while (elastic_law_words[i] && strcmp(elastic_law_words[i], word) != 0) i++;
    CHECK(elastic_law_words[i] != NULL);
    return (elastic_model)i;
}

TEST(derivatives)
{
    random_state r = {3};
    elastic_parameters m = elastic_from_young(model_named("stiffened"), 1e4, 0.3);
    m.own[0] = 7;
    CHECK(elastic_forbids_inversion(&m));
    for (int trial = 0; trial < 20; trial++) {
        mat3 f = mat3_identity();
        for (int i = 0; i < 9; i++) f.m[i / 3][i % 3] += random_range(&r, -0.2, 0.2);
        mat3 stress = elastic_stress(&m, f);
        double hessian[81], step = 1e-5;
        elastic_hessian(&m, f, false, hessian);
        for (int i = 0; i < 9; i++) {
            mat3 high = f, low = f;
            high.m[i / 3][i % 3] += step;
            low.m[i / 3][i % 3] -= step;
            double slope = (elastic_energy(&m, high) - elastic_energy(&m, low)) / (2 * step);
            CHECK_NEAR(stress.m[i / 3][i % 3], slope, 1e-3);
            mat3 above = elastic_stress(&m, high), below = elastic_stress(&m, low);
            for (int k = 0; k < 9; k++)
                CHECK_NEAR(hessian[9 * i + k],
                           (above.m[k / 3][k % 3] - below.m[k / 3][k % 3]) / (2 * step), 1e-2);
        }
    }
}

#define SCENE(parameters)                                                                          \
    "{'abut': 1, 'time': {'step': 0.1, 'steps': 1, 'integrator': 'quasi-static'}, 'gravity': [0, " \
    "-20, 0], 'bodies': [{'mesh': {'box': {'size': [1, 1, 1], 'cells': [2, 2, 2]}}, 'material': "  \
    "{'model': 'stiffened', 'young': 1e5, 'poisson': 0.3" parameters                               \
    "}, 'fix': {'nodes': {'box': [[-1, -0.51, -1], [1, -0.49, 1]]}}}]}"

/* How far the top of a box sinks under its own weight. */
static double sinking(const char *text)
{
    scene_def *scene;
    abut_error err;
    stepper *s = build_scene(text, &scene);
    if (!s) return NAN;
    step_statistics statistics;
    CHECK_OK(stepper_start(s, NULL, &err), err);
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    double lowest = 0;
    for (size_t i = 0; i < s->model->rest.count; i++)
        lowest = fmin(lowest, s->state.x[3 * i + 1] - s->model->rest.data[i].y);
    drop_scene(s, scene);
    return lowest;
}

TEST(a_scene_with_it)
{
    double soft = sinking(SCENE(", 'parameters': {'quartic': 0}"));
    double stiff = sinking(SCENE(", 'parameters': {'quartic': 100}"));
    CHECK(soft < -0.05 && stiff > soft + 1e-3);
}

static void refused(const char *text, const char *why)
{
    char buffer[1000];
    abut_error err;
    scene_def *scene = NULL;
    snprintf(buffer, sizeof buffer, "%s", text);
    use_double_quotes(buffer);
    file_bytes bytes = {.data = buffer, .size = strlen(buffer)};
    CHECK(scene_load_bytes("test.json", &bytes, NULL, 0, NULL, &scene, &err) != ABUT_OK);
    CHECK(strstr(err.message, why) != NULL || strstr(err.place, why) != NULL);
}

TEST(its_parameters_are_checked)
{
    refused(SCENE(""), "\"quartic\" is missing (stiffening of the volume)");
    refused(SCENE(", 'parameters': {'quartic': -1}"), "must be from 0 to 100");
    refused(SCENE(", 'parameters': {'quartic': 1, 'cubic': 2}"), "no parameter \"cubic\"");
}

int main(void)
{
    RUN(derivatives);
    RUN(a_scene_with_it);
    RUN(its_parameters_are_checked);
    return TEST_END();
}

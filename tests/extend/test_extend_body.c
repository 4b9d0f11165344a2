/* A kind of body of one file and one row: scenes name it, its keys are checked, it moves and
 * collides, and results and reports know it. */
#include "abut/sim.h"
#include "app/scene_summary.h"
#include "scene/schema.h"
#include "support/scene_text.h"
#include "support/scratch.h"
#include "verify/verify_run.h"

#include <math.h>

#define SCENE(body)                                                                                \
    "{'abut': 1, 'time': {'step': 0.02, 'steps': 25}, 'gravity': [0, -10, 0], 'contact': "         \
    "{'dhat': 1e-2}, 'half_spaces': [{'origin': [0, -0.6, 0], 'normal': [0, 1, 0]}], 'bodies': "   \
    "[{'name': 'net', 'type': 'spring-mesh', " body "}]}"
#define BALL "'mesh': {'sphere': {'radius': 0.5, 'level': 1}}"
#define OWN "'parameters': {'stiffness': 500, 'node_mass': 0.1}"

static double lowest(const stepper *s)
{
    double low = INFINITY;
    for (size_t i = 0; i < s->model->rest.count; i++) low = fmin(low, s->state.x[3 * i + 1]);
    return low;
}

/* It falls onto the ground, is stopped by contact and pressed together. */
TEST(it_falls_and_is_stopped)
{
    abut_error err;
    scene_def *scene;
    step_statistics statistics = {0};
    stepper *s = build_scene(SCENE(BALL ", " OWN), &scene);
    if (!s) return;
    CHECK(s->model->rest.count == 42 && s->model->codim.segment_rest.count == 120);
    for (size_t i = 0; i < s->model->rest.count; i++) CHECK(s->model->mass.data[i] == 0.1);
    size_t contacts = 0;
    double stretched = 0;
    for (int step = 0; step < 25; step++) {
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        CHECK(lowest(s) > -0.6);
        contacts += statistics.contacts;
        stretched = fmax(stretched, statistics.elastic);
    }
    CHECK(contacts > 0 && lowest(s) < -0.55 && stretched > 0.1);
    drop_scene(s, scene);
}

static bool kind_in_run_json(const char *folder)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/run.json", folder);
    json_t *run = json_load_file(path, 0, NULL);
    const char *type = json_string_value(
        json_object_get(json_array_get(json_object_get(run, "bodies"), 0), "type"));
    bool good = type && strcmp(type, "spring-mesh") == 0;
    json_decref(run);
    return good;
}

TEST(results_know_it)
{
    abut_error err;
    abut_sim *sim = NULL;
    char text[1000], folder[900];
    snprintf(text, sizeof text, "%s", SCENE(BALL ", " OWN));
    use_double_quotes(text);
    snprintf(folder, sizeof folder, "%s/net.run", test_scratch());
    CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &sim, &err), err);
    if (!sim) return;
    abut_body body;
    CHECK(abut_sim_body(sim, 0, &body) && strcmp(body.kind, "spring-mesh") == 0);
    CHECK(!body.kinematic);
    abut_run_options options = abut_default_run_options();
    options.folder = folder;
    CHECK_OK(abut_sim_run(sim, &options, &err), err);
    abut_sim_destroy(sim);
    CHECK(kind_in_run_json(folder));
    run_verification v;
    CHECK_OK(verify_run(folder, 10, NULL, &v, &err), err);
    CHECK(v.frames.count == 26 && v.bad_frames == 0 && v.missing.count == 0);
    CHECK(v.min_distance < 1e-2 && v.min_distance > 0);
    run_verification_free(&v);
}

/* What `abut check` says. */
TEST(the_summary_of_a_scene_knows_it)
{
    abut_error err;
    scene_def *scene;
    scene_summary summary;
    stepper *s = build_scene(SCENE(BALL ", " OWN), &scene);
    if (!s) return;
    CHECK_OK(summary_make(scene, &summary, &err), err);
    summary_weigh(&summary, s->model);
    CHECK_NEAR(summary.bodies[0].mass, 4.2, 1e-12);
    CHECK(strcmp(summary.bodies[0].measure, "nodes") == 0 && summary.error_count == 0);
    json_t *all = summary_json(&summary);
    const json_t *body = json_array_get(json_object_get(all, "bodies"), 0);
    CHECK(schema_has_word(body, "type", "spring-mesh"));
    json_decref(all);
    summary_free(&summary);
    drop_scene(s, scene);
}

static void refused(const char *text, const char *place, const char *why)
{
    char buffer[1000];
    abut_error err;
    scene_def *scene = NULL;
    stepper *s = NULL;
    snprintf(buffer, sizeof buffer, "%s", text);
    use_double_quotes(buffer);
    file_bytes bytes = {.data = buffer, .size = strlen(buffer)};
    abut_status status = scene_load_bytes("test.json", &bytes, NULL, 0, NULL, &scene, &err);
    if (status == ABUT_OK) status = scene_build(scene, NULL, &s, &err);
    bool good =
        status != ABUT_OK && strstr(err.place, place) != NULL && strstr(err.message, why) != NULL;
    CHECK(good);
    if (!good) printf("  %s: %s\n", err.place, err.message);
    stepper_destroy(s);
    scene_free(scene);
}

TEST(its_keys_are_checked)
{
#define NET BALL ", " OWN ", "
    refused(SCENE(NET "'density': 10"), "bodies[0].density", "is not for the type \"spring-mesh\"");
    refused(SCENE(NET "'shell': {'thickness': 1e-3}"), "bodies[0].shell", "only for \"shell\"");
    refused(SCENE(NET "'order': 2"), "bodies[0].order", "is not for the type");
    refused(SCENE(NET "'fix': {'rotation_axes': 'x'}"), "rotation_axes", "is not for the type");
    refused(SCENE(NET "'motion': {}"), "bodies[0].motion", "only for \"obstacle\", \"rigid\"");
    refused(SCENE(BALL), "parameters", "\"stiffness\" is missing (of every edge)");
    refused(SCENE(BALL ", 'parameters': {'stiffness': 1, 'node_mass': 1, 'color': 3}"),
            "parameters", "the type \"spring-mesh\" has no parameter \"color\"");
    refused(SCENE(BALL ", 'parameters': {'stiffness': -1, 'node_mass': 1}"), "parameters",
            "must be from 0 to");
    refused(SCENE("'mesh': {'polyline': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, " OWN),
            "bodies[0].mesh", "needs triangles, but its mesh has 10 edges");
}

int main(void)
{
    RUN(it_falls_and_is_stopped);
    RUN(results_know_it);
    RUN(the_summary_of_a_scene_knows_it);
    RUN(its_keys_are_checked);
    return TEST_END();
}

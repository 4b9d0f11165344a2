/* A state that was saved and loaded goes on with the same bits, for every kind of body, integrator
 * and stepper: nothing that later steps depend on is anywhere else. */
#include "step/saved_state.h"
#include "support/scene_text.h"

#include <string.h>

static abut_error err;

#define HEAD(time, more)                                                                           \
    "{'abut': 1, 'time': {'step': 0.02, 'steps': 40" time "}, 'contact': {'friction': 0.3}" more
#define GROUND ", 'ground': 0, 'bodies': ["
#define SOFT                                                                                       \
    "{'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}, 'material': {'young': 1e5, " \
    "'poisson': 0.3, 'damping': 0.001}, 'translate': [0, 0.12, 0], 'velocity': [1, -2, 0]}"
#define RIGID                                                                                      \
    "{'type': 'rigid', 'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}, "           \
    "'density': "                                                                                  \
    "500, 'translate': [0.3, 0.15, 0], 'velocity': [0, -2, 0], 'angular_velocity': [100, 200, "    \
    "0], "                                                                                         \
    "'fix': {'from': 0.05, 'rotation_axes': 'y'}}"

static const char *const scenes[] = {
    HEAD("", "") GROUND SOFT ", " RIGID "]}",
    HEAD(", 'integrator': 'bdf3'", "") GROUND SOFT "]}",
    HEAD(", 'integrator': 'newmark'", "") GROUND SOFT ", " RIGID "]}",
    HEAD("", "") GROUND
    "{'type': 'affine', 'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, "
    "1, 1]}}, 'density': 500, 'translate': [0, 0.12, 0], 'velocity': [1, -2, 0]}]}",
    HEAD("", "") GROUND
    "{'type': 'shell', 'mesh': {'grid': {'size': [0.3, 0.3], 'cells': [2, 2]}}, "
    "'shell': {'preset': 'cotton', 'strain_limit': {}}, 'translate': [0, 0.02, 0], "
    "'fix': {'nodes': {'box': [[-1, -1, -1], [-0.1, 1, 1]]}, 'motion': "
    "{'angular_velocity': [0, 0, 90]}}}]}",
    HEAD("", "") GROUND
    "{'type': 'rod', 'mesh': {'polyline': {'from': [0, 0.1, 0], 'to': [0.3, 0.1, "
    "0.1], 'segments': 4}}, 'material': {'young': 1e6, 'poisson': 0.3}, 'rod': "
    "{'diameter': 0.01, 'twist_scale': 1}}]}",
    HEAD("", ", 'stepper': 'mlcp'") GROUND SOFT "]}",
};

/* Positions and velocities after some more steps. */
static void go_on(stepper *s, saved_state *out)
{
    for (int i = 0; i < 6; i++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
    }
    CHECK_OK(stepper_save(s, out, &err), err);
}

static void compare(const saved_state *a, const saved_state *b)
{
    CHECK(a->steps == b->steps && a->doubles.count == b->doubles.count && a->doubles.count > 0);
    CHECK(memcmp(a->doubles.data, b->doubles.data, a->doubles.count * sizeof(double)) == 0);
    CHECK(a->ints.count == b->ints.count &&
          (a->ints.count == 0 ||
           memcmp(a->ints.data, b->ints.data, a->ints.count * sizeof(int32_t)) == 0));
    CHECK(a->contact_reals.count == b->contact_reals.count &&
          (a->contact_reals.count == 0 || memcmp(a->contact_reals.data, b->contact_reals.data,
                                                 a->contact_reals.count * sizeof(double)) == 0));
}

TEST(going_on_from_a_saved_state)
{
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        scene_def *scene, *twin_scene;
        stepper *s = build_scene(scenes[k], &scene), *twin = build_scene(scenes[k], &twin_scene);
        if (!s || !twin) return;
        saved_state start = {0}, first = {0}, second = {0};
        CHECK_OK(stepper_start(s, NULL, &err), err);
        CHECK_OK(stepper_start(twin, NULL, &err), err);
        go_on(s, &start);
        go_on(s, &first);
        CHECK_OK(stepper_load(s, &start, &err), err);
        go_on(s, &second);
        compare(&first, &second);
        /* Another stepper of the same scene, which has done nothing yet. */
        CHECK_OK(stepper_load(twin, &start, &err), err);
        go_on(twin, &second);
        compare(&first, &second);
        saved_state_free(&start);
        saved_state_free(&first);
        saved_state_free(&second);
        drop_scene(s, scene);
        drop_scene(twin, twin_scene);
    }
}

TEST(states_of_other_scenes_are_refused)
{
    scene_def *scene, *other_scene;
    stepper *s = build_scene(scenes[0], &scene), *other = build_scene(scenes[1], &other_scene);
    if (!s || !other) return;
    saved_state state = {0};
    CHECK_OK(stepper_start(s, NULL, &err), err);
    CHECK_OK(stepper_start(other, NULL, &err), err);
    CHECK_OK(stepper_save(s, &state, &err), err);
    CHECK(stepper_load(other, &state, &err) == ABUT_ERROR_INPUT);
    saved_state_free(&state);
    drop_scene(s, scene);
    drop_scene(other, other_scene);
}

int main(void)
{
    RUN(going_on_from_a_saved_state);
    RUN(states_of_other_scenes_are_refused);
    return TEST_END();
}

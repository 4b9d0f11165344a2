/* Steps that are done in sub-steps: the same as so many shorter steps, exact end times, the history
 * of rules of several steps, what is prescribed in between, and the end when nothing helps. */
#include "step/saved_state.h"
#include "support/scene_text.h"

#include <math.h>
#include <string.h>

static abut_error err;

#define BAR(more)                                                                                  \
    "'bodies': [{'name': 'bar', 'mesh': {'box': {'size': [0.4, 0.1, 0.1], 'cells': [3, 1, 1]}}, "  \
    "'material': {'young': 1e4, 'poisson': 0.3, 'damping': 0.01}, 'fix': {'nodes': "               \
    "{'relative_box': [[0, 0, 0], [0, 1, 1]]}" more "}}]}"
#define MOVED ", 'motion': {'velocity': [0.3, 0.1, 0], 'angular_velocity': [90, 0, 40]}"
/* Every attempt that needs more than an iteration fails, down to the shortest one. */
#define DIVIDED "'solver': {'tolerance': 1e-6, 'substep_after': 1, 'substep_halvings': 3}, "
#define WHOLE "'solver': {'tolerance': 1e-6, 'substep_halvings': 0}, "

static stepper *make(const char *time, const char *solver, const char *bodies, scene_def **scene)
{
    char text[1800];
    snprintf(text, sizeof text, "{'abut': 1, 'time': {%s}, %s%s", time, solver, bodies);
    return build_scene(text, scene);
}

static step_statistics advance(stepper *s)
{
    step_statistics statistics;
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    return statistics;
}

static bool same_state(const saved_state *a, const saved_state *b)
{
    return a->steps == b->steps && a->doubles.count == b->doubles.count &&
           a->ints.count == b->ints.count &&
           memcmp(a->doubles.data, b->doubles.data, a->doubles.count * sizeof(double)) == 0 &&
           memcmp(a->ints.data, b->ints.data, a->ints.count * sizeof(int32_t)) == 0;
}

/* A step of h in eighths, and eight steps of h / 8, of one-step rules: the same bits. */
TEST(substeps_are_shorter_steps)
{
    static const char *const rules[] = {"implicit-euler", "newmark", "quasi-static"};
    for (int k = 0; k < 3; k++) {
        scene_def *scene[2];
        char time[2][100];
        for (int i = 0; i < 2; i++)
            snprintf(time[i], sizeof time[i], "'step': %s, 'steps': 20, 'integrator': '%s'",
                     i ? "0.0078125" : "0.0625", rules[k]);
        stepper *divided = make(time[0], DIVIDED, BAR(MOVED), &scene[0]);
        stepper *whole = make(time[1], WHOLE, BAR(MOVED), &scene[1]);
        if (!divided || !whole) return;
        for (int n = 1; n <= 3; n++) {
            step_statistics now = advance(divided);
            CHECK(now.substeps == 8 && divided->state.steps == n);
            CHECK(divided->time == n * 0.0625);
            for (int i = 0; i < 8; i++) CHECK(advance(whole).substeps == 1);
            size_t bytes = whole->state.scalars * sizeof(double);
            CHECK(memcmp(divided->state.x, whole->state.x, bytes) == 0);
            CHECK(memcmp(divided->state.v, whole->state.v, bytes) == 0);
        }
        drop_scene(divided, scene[0]);
        drop_scene(whole, scene[1]);
    }
}

/* Rules of several steps: sub-steps are those of implicit Euler, and the old states stay those at
 * the ends of whole steps. */
TEST(histories_are_of_whole_steps)
{
    scene_def *scene[2];
    stepper *s =
        make("'step': 0.0625, 'steps': 20, 'integrator': 'bdf3'", DIVIDED, BAR(""), &scene[0]);
    stepper *euler = make("'step': 0.0078125, 'steps': 99", WHOLE, BAR(""), &scene[1]);
    if (!s || !euler) return;
    size_t scalars = s->state.scalars, bytes = scalars * sizeof(double);
    double *before = mem_alloc(4, bytes);
    for (int n = 0; n < 4; n++) {
        memcpy(before, s->state.x, bytes);
        memcpy((char *)before + bytes, s->state.v, bytes);
        memcpy((char *)before + 2 * bytes, s->state.x_old, bytes);
        memcpy((char *)before + 3 * bytes, s->state.v_old, bytes);
        CHECK(advance(s).substeps == 8);
        for (int i = 0; i < 8; i++) advance(euler);
        CHECK(memcmp(s->state.x, euler->state.x, bytes) == 0);
        CHECK(memcmp(s->state.x_old, before, bytes) == 0);
        CHECK(memcmp(s->state.v_old, (char *)before + bytes, bytes) == 0);
        CHECK(memcmp(s->state.x_older[0], (char *)before + 2 * bytes, bytes) == 0);
        CHECK(memcmp(s->state.v_older[0], (char *)before + 3 * bytes, bytes) == 0);
    }
    /* Then a whole step of third order again. */
    s->options.substeps.after = 0;
    CHECK(advance(s).substeps == 1 && s->state.steps == 5);
    mem_free(before);
    drop_scene(s, scene[0]);
    drop_scene(euler, scene[1]);
}

/* A free fall comes out as implicit Euler has it for the lengths taken; rotations have theirs. */
TEST(rigid_bodies_turn_in_substeps)
{
#define TOP                                                                                        \
    "'gravity': [0, -10, 0], 'bodies': [{'type': 'rigid', 'mesh': {'box': {'size': [0.1, 0.2, "    \
    "0.3], 'cells': [1, 1, 1]}}, 'density': 1000, 'angular_velocity': [100, 900, 300]}]}"
    scene_def *scene[2];
    stepper *s = make("'step': 0.0625, 'steps': 20", DIVIDED, TOP, &scene[0]);
    stepper *whole = make("'step': 0.0078125, 'steps': 99", WHOLE, TOP, &scene[1]);
    if (!s || !whole) return;
    for (int n = 1; n < 5; n++) {
        CHECK(advance(s).substeps == 8);
        for (int i = 0; i < 8; i++) advance(whole);
        CHECK(memcmp(s->state.x, whole->state.x, 6 * sizeof(double)) == 0);
        CHECK(memcmp(s->rigid.turn.v, whole->rigid.turn.v, 9 * sizeof(double)) == 0);
        CHECK(s->rigid.turn.steps == n && s->state.steps == n);
    }
    drop_scene(s, scene[0]);
    drop_scene(whole, scene[1]);
}

/* Attempts are halved only where they fail, lengths grow again, and the times stay exact. */
TEST(easy_parts_are_longer)
{
    scene_def *scene;
    stepper *s =
        make("'step': 0.1, 'steps': 20", "'solver': {'substep_after': 12, 'substep_halvings': 6}, ",
             "'ground': 0, 'contact': {'dhat': 1e-4, 'friction': 0.5}, 'bodies': [{'mesh': "
             "{'box': {'size': [0.2, 0.2, 0.2], 'cells': [2, 2, 2]}}, 'material': {'young': "
             "1e5, 'poisson': 0.4}, 'translate': [0, 1, 0], 'rotate': [20, 0, 30], "
             "'velocity': [3, -8, 0]}]}",
             &scene);
    if (!s) return;
    int divided = 0;
    for (int n = 1; n <= 8; n++) {
        int substeps = advance(s).substeps;
        divided += substeps > 1;
        CHECK(substeps < 64 && s->time == n * 0.1);
    }
    CHECK(divided > 0 && divided < 8);
    drop_scene(s, scene);
}

/* A failed attempt leaves nothing behind, however far it came: two halves after one, two or three
 * iterations of the whole step are the same bits, and so are four quarters. Contact with friction
 * and its stiffness, and joints with multipliers of their own. */
TEST(failed_attempts_are_undone)
{
    static const char *const bodies[] = {
        "'ground': 0, 'contact': {'dhat': 1e-3, 'friction': 0.5}, 'bodies': [{'mesh': {'box': "
        "{'size': [0.2, 0.2, 0.2], 'cells': [2, 2, 2]}}, 'material': {'young': 1e5, 'poisson': "
        "0.4}, 'translate': [0, 0.3, 0], 'rotate': [20, 0, 30], 'velocity': [3, -8, 0]}]}",
        "'bodies': [{'name': 'arm', 'type': 'rigid', 'mesh': {'box': {'size': [0.2, 0.2, 0.2], "
        "'cells': [1, 1, 1]}}, 'density': 1000, 'angular_velocity': [0, 0, 900]}], 'joints': "
        "[{'type': 'hinge', 'body': 'arm', 'point': [-0.1, 0.1, 0], 'axis': [0, 0, 1]}]}"};
    for (int run = 0; run < 4; run++) {
        int b = run % 2, halvings = 1 + run / 2;
        stepper *s[3];
        scene_def *scene[3];
        for (int k = 0; k < 3; k++) {
            char solver[120];
            snprintf(solver, sizeof solver,
                     "'solver': {'tolerance': 1e-6, 'substep_after': %d, 'substep_halvings': %d}, ",
                     k + 1, halvings);
            s[k] = make("'step': 0.05, 'steps': 9", solver, bodies[b], &scene[k]);
            if (!s[k]) return;
        }
        saved_state one = {0}, other = {0};
        for (int n = 0; n < 6; n++) {
            for (int k = 0; k < 3; k++) {
                CHECK(advance(s[k]).substeps == 1 << halvings);
                CHECK_OK(stepper_save(s[k], k ? &other : &one, &err), err);
                if (k > 0) CHECK(same_state(&one, &other));
            }
        }
        saved_state_free(&one);
        saved_state_free(&other);
        for (int k = 0; k < 3; k++) drop_scene(s[k], scene[k]);
    }
}

/* Frames that are given for the ends of steps are followed straight in between. */
TEST(frames_between_steps)
{
    double share;
    CHECK(condition_frame(1, 5, &share) == 1 && share == 1);
    CHECK(condition_frame(3 + 1e-9, 5, &share) == 3 && share == 1);
    CHECK(condition_frame(3 - 1e-9, 5, &share) == 3 && share == 1);
    CHECK(condition_frame(2.25, 5, &share) == 3 && share == 0.25);
    CHECK(condition_frame(0.5, 5, &share) == 1 && share == 0.5);
    CHECK(condition_frame(9.5, 5, &share) == 5 && share == 1);
}

/* What is crushed between prescribed bodies ends the run, with all that it takes to find it, and
 * the state before the step. */
TEST(crushed_bodies_end_the_run)
{
    scene_def *scene;
    stepper *s = make("'step': 0.01, 'steps': 60", "",
                      "'contact': {'dhat': 0.005}, 'gravity': [0, 0, 0], 'bodies': ["
                      "{'name': 'anvil', 'type': 'obstacle', 'mesh': {'box': {'size': [1, 0.1, 1], "
                      "'cells': [1, 1, 1]}}, 'translate': [0, -0.06, 0]},"
                      "{'name': 'cube', 'type': 'rigid', 'mesh': {'box': {'size': [0.3, 0.3, 0.3], "
                      "'cells': [1, 1, 1]}}, 'density': 1000, 'translate': [0, 0.155, 0]},"
                      "{'name': 'press', 'type': 'obstacle', 'mesh': {'box': {'size': [1, 0.1, 1], "
                      "'cells': [1, 1, 1]}}, 'translate': [0, 0.45, 0], 'motion': {'velocity': "
                      "[0, -1, 0]}}]}",
                      &scene);
    if (!s) return;
    saved_state before = {0}, after = {0};
    abut_status status = ABUT_OK;
    for (int n = 0; n < 30 && status == ABUT_OK; n++) {
        step_statistics statistics;
        CHECK_OK(stepper_save(s, &before, &err), err);
        status = stepper_advance(s, &statistics, &err);
    }
    CHECK(status == ABUT_ERROR_NOT_CONVERGED);
    static const char *const said[] = {"the prescribed motion cannot be reached",
                                       "sub-step of 0.00015",
                                       "\"cube\"",
                                       "\"press\"",
                                       "\"anvil\"",
                                       "at (",
                                       "make time.step smaller"};
    CHECK(strcmp(err.place, "press") == 0);
    for (size_t k = 0; k < sizeof said / sizeof said[0]; k++) CHECK(strstr(err.message, said[k]));
    CHECK_OK(stepper_save(s, &after, &err), err);
    CHECK(same_state(&before, &after));
    CHECK(s->time == (double)s->state.steps * 0.01 && !s->state.in_substeps);
    saved_state_free(&before);
    saved_state_free(&after);
    drop_scene(s, scene);
}

int main(void)
{
    RUN(substeps_are_shorter_steps);
    RUN(histories_are_of_whole_steps);
    RUN(rigid_bodies_turn_in_substeps);
    RUN(easy_parts_are_longer);
    RUN(failed_attempts_are_undone);
    RUN(frames_between_steps);
    RUN(crushed_bodies_end_the_run);
    return TEST_END();
}

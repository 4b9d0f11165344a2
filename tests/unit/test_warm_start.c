/* Newton's method begins where bodies would be if they went on as in the step before. */
#include "step/saved_state.h"
#include "support/scene_text.h"

#include <math.h>
#include <string.h>

static abut_error err;

#define SCENE(solver, more)                                                                        \
    "{'abut': 1, 'time': {'step': 0.01, 'steps': 40}, 'solver': {" solver "}, " more "}"
#define COLD "'tolerance': 1e-9, 'warm_start': false"
#define WARM "'tolerance': 1e-9"
#define ROUGH "'tolerance': 1e-3"
/* A bar turned by a clamp, beside a rigid body that spins and flies. */
#define TURNING                                                                                    \
    "'bodies': [{'mesh': {'box': {'size': [0.6, 0.1, 0.1], 'cells': [6, 1, 1]}}, 'material': "     \
    "{'young': 1e6, 'poisson': 0.3}, 'fix': {'nodes': {'relative_box': [[0, 0, 0], [0, 1, 1]]}, "  \
    "'motion': {'angular_velocity': [90, 0, 0]}}}, {'type': 'rigid', 'density': 1000, "            \
    "'translate': [0, 2, 0], 'mesh': {'box': {'size': [0.2, 0.1, 0.3], 'cells': [1, 1, 1]}}, "     \
    "'angular_velocity': [100, 200, 0], 'velocity': [1, 0, 0]}]"
/* A block that slides onto rough ground. */
#define SLIDING                                                                                    \
    "'ground': 0, 'contact': {'friction': 0.4, 'dhat': 1e-3}, 'bodies': [{'mesh': {'box': "        \
    "{'size': [0.2, 0.1, 0.2], 'cells': [1, 1, 1]}}, 'material': {'young': 1e6, 'poisson': 0.3}, " \
    "'translate': "                                                                                \
    "[0, 0.0505, 0], 'velocity': [0.3, 0, 0]}]"

typedef struct course {
    int iterations;
    size_t scalars;
    double x[300];
} course;

static course run(const char *text, int steps)
{
    scene_def *scene;
    course out = {0};
    stepper *s = build_scene(text, &scene);
    if (!s) return out;
    for (int i = 0; i < steps; i++) {
        step_statistics statistics;
        CHECK_OK(stepper_advance(s, &statistics, &err), err);
        out.iterations += statistics.newton_iterations;
    }
    out.scalars = s->state.scalars;
    CHECK(out.scalars <= 300);
    if (out.scalars <= 300) memcpy(out.x, s->state.x, out.scalars * sizeof *out.x);
    drop_scene(s, scene);
    return out;
}

static double difference(const course *a, const course *b)
{
    double largest = 0;
    for (size_t i = 0; i < a->scalars; i++) largest = fmax(largest, fabs(a->x[i] - b->x[i]));
    return largest;
}

/* The same minimum; to an ordinary tolerance in fewer iterations. */
TEST(smooth_motion)
{
    course cold = run(SCENE(COLD, TURNING), 20), warm = run(SCENE(WARM, TURNING), 20);
    CHECK(difference(&cold, &warm) < 1e-9);
    CHECK(warm.iterations < cold.iterations);
    cold = run(SCENE(ROUGH ", 'warm_start': false", TURNING), 20);
    warm = run(SCENE(ROUGH, TURNING), 20);
    CHECK(warm.iterations < 0.7 * cold.iterations);
}

/* With friction a step begins at rest: the same bits once it acts, from the start on here. */
TEST(friction_begins_at_rest)
{
    course cold = run(SCENE(COLD, SLIDING), 15), warm = run(SCENE(WARM, SLIDING), 15);
    CHECK(cold.iterations == warm.iterations && difference(&cold, &warm) == 0);
}

/* A configuration that cannot be reached without contact is no start, be its energy ever so low: a
 * box that would be beyond a thin plate at the end of the step stays before it. */
TEST(plates)
{
    static const char flying[] =
        SCENE(WARM, "'gravity': [0, 0, 0], 'bodies': [{'mesh': {'box': {'size': [0.2, 0.2, 0.2], "
                    "'cells': [1, 1, 1]}}, 'material': {'young': 1e6, 'poisson': 0.3}, "
                    "'translate': [0, 0.3, 0], 'velocity': [0, -80, 0]}, {'type': 'obstacle', "
                    "'mesh': {'grid': {'size': [2, 2], 'cells': [1, 1]}}}]");
    course warm = run(flying, 3);
    for (size_t i = 1; i < 24; i += 3) CHECK(warm.x[i] > 0);
}

/* At the default tolerance, too, a cube slides where the ground is steeper than its friction. */
TEST(sliding_at_the_default_tolerance)
{
    static const char steep[] =
        SCENE("", "'gravity': [4, -9, 0], 'ground': 0, 'contact': {'friction': 0.1}, 'bodies': "
                  "[{'type': 'rigid', 'density': 1000, 'mesh': {'box': {'size': [0.2, 0.2, 0.2], "
                  "'cells': [1, 1, 1]}}, 'translate': [0, 0.1005, 0]}]");
    course slid = run(steep, 20);
    /* (4 - 0.1 x 9) t^2 / 2, and h t / 2 more by implicit Euler; a little less contact at first. */
    CHECK_NEAR(slid.x[0], 0.5 * 3.1 * 0.2 * 0.21, 2e-3);
}

int main(void)
{
    RUN(smooth_motion);
    RUN(friction_begins_at_rest);
    RUN(plates);
    RUN(sliding_at_the_default_tolerance);
    return TEST_END();
}

/* Trajectories of the IPC reference program's own scenes: centre of mass, bounding box, kinetic
 * energy and single nodes after a number of steps, against states that the reference program was
 * measured to have. Both programs stop Newton's method at a tolerance, so they agree to about that
 * (times the number of steps it can add up over), not to rounding.
 *
 * Arguments: words that the names of the scenes must contain (all scenes without). */
#include "test.h"

#include "base/timer.h"
#include "scene/build.h"
#include "scene/scene.h"

#include <time.h>

typedef struct state {
    int step;
    double mean[3], low[3], high[3];
    double kinetic;   /* J; negative: not compared */
    double tolerance; /* m, on all coordinates */
    double energy_tolerance;
} state;

typedef struct scene_case {
    const char *path;                            /* below input/ */
    double mass, dhat2, kappa, newton_tolerance; /* mass or kappa 0: not compared */
    int state_count;
    state states[4];
    int node, node_step; /* first solid node compared, -1: none */
    double node_at[3];
} scene_case;

/* The unit tests of exactly aligned corners are ill-conditioned: a tighter Newton tolerance moves
 * our own states by several times the difference to the reference, hence their allowance. */
/* clang-format off */
static const scene_case cases[] = {
    {"paperExamples/10_tetTet.txt", 35.9932, 1.45351e-6, 7.74e6, 3.01404e-4, 4,
     {{10, {0.119048, 0.646658, 0.119048}, {0, 0.265705, 0}, {0.47619, 1.26571, 0.47619}, 108.171, 2e-5, 0.01},
      {20, {0.119048, 0.147416, 0.119048}, {-0.107497, 0.000839528, -0.107497}, {0.548902, 0.56761, 0.548902}, 119.827, 1e-2, 5},
      {50, {0.119048, 0.118399, 0.119048}, {-0.816808, 0.000626409, -0.816808}, {1.29383, 0.471386, 1.29383}, 32.2624, 5e-2, 3},
      {200, {0.119048, 0.118388, 0.119048}, {-4.36704, 0.000626442, -4.36704}, {4.84425, 0.471293, 4.84425}, 32.261, 0.2, 3}},
     -1, 0, {0}},
    {"paperExamples/10_tetSlots.txt", 166.667, 3e-12, 3.47e19, 4.33013e-4, 2,
     {{10, {0.25, 0.778922, 0.25}, {0, 0.528922, 0}, {1, 1.52892, 1}, 500.887, 2e-5, 0.01},
      /* After the impact at step 22 the scene's tolerance does not determine the motion any more: our own runs end with 6.3 J and a
       * momentum along z of 33.9 at 0.0173 m/s, 9.2 J and 44.9 at 0.012, 11.5 J and 50.8 at 0.01, 11.4 J and 50.5 at 1e-6, which is a
       * spread of 0.075 m in z; the reference's 9.0 J lies within. */
      {50, {0.292386, -0.254819, 0.443015}, {0.00229226, -0.499998, 0.0836213}, {0.999999, 0.480718, 1.22681}, 9.00503, 8e-2, 3}},
     -1, 0, {0}},
    {"paperExamples/10_cubeStack.txt", 39.0552, 1.07874e-6, 2.26e6, 2.59655e-4, 3,
     {{1, {0.0992063, 1.01318, 0.0992063}, {0, 0.513182, 0}, {0.198413, 1.51318, 0.198413}, 1.17373, 2e-5, 1e-4},
      {5, {0.0992063, 0.961177, 0.0992063}, {-0.00466415, 0.500758, -0.00410468}, {0.203105, 1.44169, 0.203538}, 6.37646, 1e-3, 0.1},
      {10, {0.0992063, 0.950481, 0.0992063}, {-0.00839195, 0.500727, -0.00719597}, {0.205728, 1.42763, 0.205991}, 0.994788, 2e-3, 0.1}},
     -1, 0, {0}},
    {"paperExamples/11_erleben/spikeHoleCO.txt", 37.037, 1.22222e-6, 1.52e7, 5.52771e-5, 1,
     {{100, {0.407503, 1.29267, 0.168451}, {0.2529, 0.521028, -0.00105102}, {0.583333, 1.55348, 0.333333}, 3.45181, 1e-4, 0.01}},
     -1, 0, {0}},
    {"otherExamples/typical/rodsTwist.txt", 4.8, 1.1152e-6, 4270, 2.64008e-4, 3,
     {{10, {0.499995, 0.119995, 0.120002}, {0, -0.0255703, -0.0255703}, {1, 0.26557, 0.26557}, 0.0266843, 1e-4, 1e-4},
      {50, {0.49997, 0.119795, 0.12006}, {0, -0.00553539, -0.00532433}, {1, 0.24508, 0.245423}, 0.138005, 1e-3, 2e-3},
      {100, {0.49996, 0.12026, 0.119975}, {0, 0, 0}, {1, 0.24, 0.24}, 0.0323238, 1e-3, 2e-3}},
     2519, 50, {0.98384652, 0.025121543, 0.22129896}},
    {"otherExamples/typical/mat40x40Twist.txt", 8, 2.00006e-6, 3124.9, 5.65694e-4, 2,
     {{10, {0.499952, 0.500178, 0.00421998}, {0, 0.00807912, -0.240382}, {1, 0.991827, 0.248382}, 0.399441, 2e-4, 1e-3},
      {25, {0.500061, 0.499959, 0.00383425}, {0, 0.071342, -0.472764}, {1, 0.926816, 0.480764}, 0.256007, 3e-3, 0.03}},
     3199, 25, {0, 0.34961078, 0.45390615}},
    {"otherExamples/typical/sphere1K_segBedSquash.txt", 447.88, 2.70751e-6, 2.35e5, 6.58181e-4, 2,
     {{10, {2.36917, 0.296174, 2.37179}, {1.8237, -0.000571833, 1.80556}, {2.90197, 0.642928, 2.91829}, 695.49, 4e-3, 20},
      {20, {2.40261, 0.442011, 2.37331}, {1.88192, 0.0666152, 1.85799}, {2.91471, 0.869041, 2.88847}, 87.8719, 1e-2, 20}},
     -1, 0, {0}},
    {"otherExamples/typical/sphere1K_DCORotCylinders.txt", 518.477, 2.98503e-6, 2.47e5, 6.9109e-4, 2,
     {{5, {0.75001, 1.22721, 0.749486}, {0.247001, 0.743491, 0.246002}, {1.25382, 1.71323, 1.25243}, 787.796, 2e-3, 5},
      {10, {0.749747, 1.01926, 0.748853}, {0.0625613, 0.680281, 0.104886}, {1.43511, 1.31984, 1.38387}, 144.48, 1e-2, 10}},
     -1, 0, {0}},
    {"paperExamples/12_matOnBoard.txt", 2.95545, 1.25149e-6, 922.5, 2.79676e-4, 2,
     {{5, {0.177295, 0.905554, 0.177295}, {-0.000197275, 0.500004, -0.000130416}, {0.354788, 1.46744, 0.355012}, 0.713192, 2e-3, 0.05},
      {10, {0.177134, 0.833549, 0.176745}, {-0.00533614, 0.50001, -0.00223967}, {0.356964, 1.22777, 0.359446}, 2.16785, 1e-2, 0.1}},
     -1, 0, {0}},
    /* dHat is so close to the distance of the stiffness rule, 1e-8 l, that we bound the rule. */
    {"paperExamples/7_masonryArch.txt", 338771, 1.42119e-12, 0, 2.38427e-5, 1,
     {{10, {10, 9.59449, 1.21951}, {1.19841, 2.18883, -1e-6}, {18.8016, 18.0698, 2.43903}, 144964, 1e-4, 50}},
     -1, 0, {0}},
    /* Settings only: */
    {"paperExamples/2_spherePoints.txt", 0, 2.99716e-6, 6.20e4, 6.92493e-4, 0, {{0}}, -1, 0, {0}},
    {"paperExamples/8_rollerBall.txt", 0, 2.99716e-6, 6.20e4, 1.73123e-4, 0, {{0}}, -1, 0, {0}},
    {"paperExamples/20_pencilStickSlip.txt", 0, 1.00397e-8, 473.9, 1.00198e-8, 0, {{0}}, -1, 0, {0}},
    {"paperExamples/17_pinCushionBall.txt", 0, 2.71852e-6, 5.90e4, 6.59517e-4, 0, {{0}}, -1, 0, {0}},
};
/* clang-format on */

static abut_error err;

/* Compares, and says by how much it differs up or down. */
static void compare(const char *what, double actual, double expected, double tolerance)
{
    test_checks_++;
    if (fabs(actual - expected) <= tolerance) return;
    test_failures_++;
    printf("  %s = %.9g, the reference has %.9g (differs by %.2g, allowed %.2g)\n", what, actual,
           expected, fabs(actual - expected), tolerance);
}

static void compare_state(const stepper *s, const state *at, double kinetic)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY}, mean = {0};
    double mass = 0, worst = 0;
    const model *m = s->model;
    for (size_t i = 0; i < m->rest.count; i++) {
        if (model_block_is_obstacle(m, i)) continue;
        vec3 x = vec3_load(s->state.x + 3 * i);
        low = vec3_min(low, x);
        high = vec3_max(high, x);
        mean = vec3_mul_add(mean, m->mass.data[i], x);
        mass += m->mass.data[i];
    }
    mean = vec3_scale(1 / mass, mean);
    for (int k = 0; k < 3; k++) {
        char what[40];
        snprintf(what, sizeof what, "step %d: mean %c", at->step, 'x' + k);
        compare(what, vec3_get(mean, k), at->mean[k], at->tolerance);
        snprintf(what, sizeof what, "step %d: min %c", at->step, 'x' + k);
        compare(what, vec3_get(low, k), at->low[k], at->tolerance);
        snprintf(what, sizeof what, "step %d: max %c", at->step, 'x' + k);
        compare(what, vec3_get(high, k), at->high[k], at->tolerance);
        worst = fmax(worst, fabs(vec3_get(mean, k) - at->mean[k]));
        worst = fmax(worst, fabs(vec3_get(low, k) - at->low[k]));
        worst = fmax(worst, fabs(vec3_get(high, k) - at->high[k]));
    }
    char what[40];
    snprintf(what, sizeof what, "step %d: kinetic energy", at->step);
    compare(what, kinetic, at->kinetic, at->energy_tolerance);
    printf("  step %d: largest difference of mean and bounds %.2g m, of kinetic energy %.2g J\n",
           at->step, worst, fabs(kinetic - at->kinetic));
}

static void compare_settings(const stepper *s, const scene_case *c)
{
    double mass = 0;
    const model *m = s->model;
    for (size_t i = 0; i < m->rest.count; i++)
        if (!model_block_is_obstacle(m, i)) mass += m->mass.data[i];
    double dhat = s->options.contact_options.dhat;
    if (c->mass > 0) compare("mass", mass, c->mass, 1e-5 * c->mass);
    compare("dHat^2", dhat * dhat, c->dhat2, 1e-5 * c->dhat2);
    if (c->kappa > 0) compare("first kappa", s->contact->kappa_min, c->kappa, 5e-3 * c->kappa);
    compare("Newton tolerance", s->options.tolerance * s->options.h, c->newton_tolerance,
            1e-5 * c->newton_tolerance);
}

static void run_case(const scene_case *c, const char *data)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/ipc/input/%s", data, c->path);
    FILE *probe = fopen(path, "r");
    printf("%s\n", c->path);
    if (!probe) {
        printf("  skipped: not in the data\n");
        return;
    }
    fclose(probe);
    scene_def *scene;
    stepper *s = NULL;
    CHECK_OK(scene_load(path, NULL, 0, NULL, &scene, &err), err);
    if (scene) CHECK_OK(scene_build(scene, NULL, &s, &err), err);
    if (s) compare_settings(s, c);
    int steps = s && c->state_count > 0 ? c->states[c->state_count - 1].step : 0;
    int iterations = 0;
    for (int step = 1; step <= steps; step++) {
        step_statistics statistics;
        abut_status status = stepper_advance(s, &statistics, &err);
        CHECK_OK(status, err);
        if (status != ABUT_OK) break;
        iterations += statistics.newton_iterations;
        for (int k = 0; k < c->state_count; k++)
            if (c->states[k].step == step) compare_state(s, &c->states[k], statistics.kinetic);
        if (c->node >= 0 && c->node_step == step)
            for (int k = 0; k < 3; k++)
                compare("probed node", s->state.x[3 * c->node + k], c->node_at[k],
                        5 * c->states[1].tolerance);
    }
    printf("  %d steps, %d Newton iterations\n", steps, iterations);
    fflush(stdout);
    stepper_destroy(s);
    scene_free(scene);
}

int main(int count, char **arguments)
{
    const char *data = test_data_folder();
    if (!data) SKIP_ALL("no data: set ABUT_DATA");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool wanted = count < 2;
        for (int a = 1; a < count; a++) wanted = wanted || strstr(cases[i].path, arguments[a]);
        if (wanted) run_case(&cases[i], data);
    }
    return TEST_END();
}

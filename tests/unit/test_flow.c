/* Air and water: derivatives, what closed forms say of falling, floating and fixed bodies, and what
 * is refused. */
#include "test.h"

#include "base/random.h"
#include "sim/sim.h"
#include "support/term_differences.h"
#include "term/buoyancy.h"
#include "term/wind.h"

#include <abut/sim.h>

static abut_error err;

static abut_sim *make(const char *scene)
{
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(scene, strlen(scene), "scene.json", NULL, &sim, &err), err);
    return sim;
}

/* Of all numbers of wet corners, against sums over many small triangles and differences. */
TEST(means_of_wet_triangles)
{
    random_state r = {3};
    double first[3], second[3][3], above[3], below[3], other[3][3];
    for (int k = 0; k < 200; k++) {
        double s[3], sum = 0;
        for (int i = 0; i < 3; i++) s[i] = random_range(&r, -1, 1);
        double mean = wet_mean(s, first, second);
        enum { N = 60 };
        for (int i = 0; i < N; i++)
            for (int j = 0; j < 2 * (N - i) - 1; j++) { /* middles of small triangles */
                double a = (i + (j % 2 ? 2.0 : 1.0) / 3) / N;
                double b = (j / 2 + (j % 2 ? 2.0 : 1.0) / 3) / N;
                double depth = fmax(0, s[0] + a * (s[1] - s[0]) + b * (s[2] - s[0]));
                sum += depth * depth / (N * N);
            }
        CHECK_NEAR(mean, sum, 1e-3);
        for (int i = 0; i < 3; i++) {
            const double step = 1e-6;
            double kept = s[i];
            s[i] = kept + step;
            double high = wet_mean(s, above, other);
            s[i] = kept - step;
            double low = wet_mean(s, below, other);
            s[i] = kept;
            CHECK_NEAR(first[i], (high - low) / (2 * step), 1e-8);
            for (int j = 0; j < 3; j++)
                CHECK_NEAR(second[j][i], (above[j] - below[j]) / (2 * step), 1e-6);
        }
    }
}

enum { MOST = 120 };

#define BOX "\"mesh\": {\"box\": {\"size\": [0.3, 0.2, 0.1], \"cells\": [1, 1, 1]}}"
#define SOFT "\"material\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 500}"
#define ALL                                                                                        \
    "{\"abut\": 1, \"time\": {\"step\": 0.05, \"steps\": 5}, \"contact\": {\"enabled\": false}, "  \
    "\"gravity\": [1, -9, 2], \"bodies\": [{\"name\": \"soft\", " SOFT ", " BOX                    \
    "}, {\"name\": \"stiff\", \"type\": \"rigid\", \"density\": 700, \"translate\": [1, 0, 0], "   \
    "\"rotate\": [20, 0, 50], " BOX                                                                \
    "}, {\"name\": \"affine\", \"type\": \"affine\", \"density\": 700, \"orthogonality\": 1000, "  \
    "\"translate\": [2, 0, 0], " BOX "}, {\"name\": \"cloth\", \"type\": \"shell\", " SOFT         \
    ", \"shell\": {\"thickness\": 1e-3}, \"mesh\": {\"grid\": {\"size\": [0.3, 0.2], \"cells\": "  \
    "[1, 1]}}, \"translate\": [3, 0, 0]}, {\"name\": \"rod\", \"type\": \"rod\", " SOFT            \
    ", \"rod\": {\"diameter\": 0.02}, \"mesh\": {\"polyline\": {\"from\": [4, 0, 0], \"to\": [4, " \
    "0.1, 0.2], \"segments\": 2}}}], \"winds\": [{\"velocity\": [\"3 + y\", \"0.5 * t\", 1], "     \
    "\"skin_drag\": 0.3}], \"waters\": [{\"body\": \"soft\", \"level\": \"0.01 + t\"}, {\"body\":" \
    " \"stiff\", \"density\": 1200}, {\"body\": \"affine\"}]}"

TEST(derivatives)
{
    static double x[MOST];
    abut_sim *sim = make(ALL);
    if (!sim) return;
    CHECK_OK(abut_sim_step(sim, &err), err);
    size_t n = 3 * sim->stepper->model->rest.count;
    random_state r = {5};
    CHECK(n <= MOST);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n; i++)
            x[i] = sim->stepper->state.x[i] + random_range(&r, -0.03, 0.03);
        evaluation ev = evaluation_unit();
        ev.force_factor = 0.3;
        ev.h = 0.05;
        ev.exact = true;
        check_term_derivatives(stepper_find_term(sim->stepper, "wind"), &ev, x, n, 1e-6, 1e-6,
                               2e-5);
        check_term_derivatives(stepper_find_term(sim->stepper, "buoyancy"), &ev, x, n, 1e-6, 1e-6,
                               2e-5);
    }
    abut_sim_destroy(sim);
}

static vec3 mean_velocity(const abut_sim *sim, int body)
{
    const model_body *b = &sim->stepper->model->bodies.data[body];
    vec3 sum = {0};
    for (int32_t i = 0; i < b->block_count; i++)
        sum = vec3_add(sum, vec3_load(sim->stepper->state.v + 3 * (size_t)(b->first_block + i)));
    return vec3_scale(1.0 / b->block_count, sum);
}

/* A plate, a rod and a grain fall at the speeds where drag balances weight. */
TEST(terminal_speeds)
{
    abut_sim *sim = make(
        "{\"abut\": 1, \"time\": {\"step\": 0.02, \"steps\": 400}, \"contact\": {\"enabled\": "
        "false}, \"bodies\": [{\"name\": \"plate\", \"type\": \"shell\", " SOFT
        ", \"shell\": {\"thickness\": 1e-3}, \"mesh\": {\"grid\": {\"size\": [0.2, 0.1], "
        "\"cells\": [2, 1]}}}, {\"name\": \"rod\", \"type\": \"rod\", " SOFT
        ", \"rod\": {\"diameter\": 0.01}, \"mesh\": {\"polyline\": {\"from\": [0, 1, 0], \"to\": "
        "[0.3, 1, 0], \"segments\": 2}}}, {\"name\": \"grain\", \"type\": \"particles\", "
        "\"density\": "
        "300, \"particles\": {\"radius\": 0.01}, \"translate\": [0, 2, 0], \"mesh\": {\"lattice\": "
        "{\"counts\": [1, 1, 1], \"spacing\": 0.1}}}], \"winds\": "
        "[{\"density\": 2, \"drag\": 1.5}]}");
    if (!sim) return;
    for (int k = 0; k < 400; k++) CHECK_OK(abut_sim_step(sim, &err), err);
    const double pi = 3.14159265358979323846, half = 0.5 * 2 * 1.5;
    double plate = sqrt(500 * 1e-3 * 9.81 / half);
    double rod = sqrt(500 * pi / 4 * 0.01 * 9.81 / half);
    double grain = sqrt(300 * 4.0 / 3 * 0.01 * 9.81 / half);
    CHECK_NEAR(mean_velocity(sim, 0).y, -plate, 1e-5);
    CHECK_NEAR(mean_velocity(sim, 1).y, -rod, 1e-5);
    CHECK_NEAR(mean_velocity(sim, 2).y, -grain, 1e-4);
    abut_sim_destroy(sim);
}

/* Force of the air on all of a fixed plate at 30 degrees to the wind: across the plate, so that it
 * has lift; of a closed box only the side that meets the air counts. */
static vec3 fixed_force(const char *shape, const char *type, const char *turn)
{
    char text[1500];
    snprintf(text, sizeof text,
             "{\"abut\": 1, \"time\": {\"step\": 0.02, \"steps\": 4}, \"gravity\": [0, 0, 0], "
             "\"contact\": {\"enabled\": false}, \"bodies\": [{\"name\": \"b\", %s, " SOFT
             ", \"mesh\": {%s}, \"rotate\": %s, \"fix\": [{}]}], \"winds\": [{\"velocity\": [4, 0, "
             "0]}]}",
             type, shape, turn);
    abut_sim *sim = make(text);
    vec3 sum = {0};
    if (!sim) return sum;
    CHECK_OK(abut_sim_step(sim, &err), err);
    static double g[MOST], h[MOST * MOST];
    evaluation ev = evaluation_unit();
    ev.h = 0.02;
    size_t n = 3 * sim->stepper->model->rest.count;
    term_dense(stepper_find_term(sim->stepper, "wind"), &ev, sim->stepper->state.x, n, g, h);
    for (size_t i = 0; i < n; i += 3) sum = vec3_sub(sum, vec3_load(g + i));
    abut_sim_destroy(sim);
    return sum;
}

TEST(drag_and_lift_of_fixed_bodies)
{
    double normal = 0.5 * 1.2 * 1.2 * 0.06 * 16;
    vec3 plate =
        fixed_force("\"grid\": {\"size\": [0.3, 0.2], \"cells\": [2, 2]}",
                    "\"type\": \"shell\", \"shell\": {\"thickness\": 1e-3}", "[0, 0, -30]");
    CHECK_NEAR(plate.x, normal * 0.25 * 0.5, 1e-9); /* sin^2 30 across the plate */
    CHECK_NEAR(fabs(plate.y), normal * 0.25 * sqrt(0.75), 1e-9);
    vec3 box = fixed_force("\"box\": {\"size\": [0.1, 0.3, 0.2], \"cells\": [1, 1, 1]}",
                           "\"type\": \"deformable\"", "[0, 0, 0]");
    CHECK_NEAR(box.x, normal, 1e-9);
    CHECK_NEAR(box.y, 0, 1e-12);
}

/* A rigid box of the density 400 floats with 0.4 of its height in the water, a soft one as well. */
TEST(boxes_float)
{
    abut_sim *sim =
        make("{\"abut\": 1, \"time\": {\"step\": 0.02, \"steps\": 500}, \"contact\": {\"enabled\": "
             "false}, \"bodies\": [{\"name\": \"a\", \"type\": \"rigid\", \"density\": 400, "
             "\"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.3], \"cells\": [1, 1, 1]}}, \"rotate\": "
             "[0, 0, 5]}, {\"name\": \"b\", \"material\": {\"young\": 1e7, \"poisson\": 0, "
             "\"density\": 400}, \"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.3], \"cells\": [2, 1, "
             "2]}}, \"translate\": [1, 0, 0]}], \"waters\": [{\"level\": 0.5}], \"winds\": "
             "[{\"density\": 300}]}");
    if (!sim) return;
    for (int k = 0; k < 500; k++) CHECK_OK(abut_sim_step(sim, &err), err);
    const model_body *soft = &sim->stepper->model->bodies.data[1];
    double middle = 0;
    for (int32_t i = 0; i < soft->block_count; i++)
        middle += sim->stepper->state.x[3 * (soft->first_block + i) + 1] / soft->block_count;
    CHECK_NEAR(sim->stepper->state.x[1], 0.51, 1e-5);
    CHECK_NEAR(middle, 0.51, 1e-4);
    abut_sim_destroy(sim);
}

/* The trapezoid rule knows the acceleration at the start: a deep box goes up by 1.5 g at once. */
TEST(first_acceleration)
{
    abut_sim *sim =
        make("{\"abut\": 1, \"time\": {\"step\": 0.001, \"steps\": 1, \"integrator\": "
             "\"newmark\"}, \"contact\": {\"enabled\": false}, \"bodies\": [{\"name\": \"a\", "
             "\"type\": \"rigid\", \"density\": 400, " BOX "}, {\"name\": \"b\", " SOFT ", " BOX
             ", \"translate\": [2, 0, 0]}], \"waters\": [{\"level\": 5}]}");
    if (!sim) return;
    CHECK_OK(abut_sim_step(sim, &err), err);
    CHECK_NEAR(sim->stepper->state.v[1], 9.81 * 1.5 * 1e-3, 1e-7);
    abut_sim_destroy(sim);
}

static void check_refused(const char *scene, abut_status code, const char *place,
                          const char *message)
{
    abut_sim *sim = NULL;
    abut_status status = abut_sim_create(scene, strlen(scene), "s.json", NULL, &sim, &err);
    for (int k = 0; status == ABUT_OK && k < 3; k++) status = abut_sim_step(sim, &err);
    CHECK(status == code);
    CHECK(strstr(err.place, place) && strstr(err.message, message));
    if (!strstr(err.place, place) || !strstr(err.message, message))
        printf("  %s: %s\n", err.place, err.message);
    abut_sim_destroy(sim);
}

#define SCENE(top)                                                                                 \
    "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 3}, \"bodies\": [{\"name\": \"b\", " SOFT \
    ", " BOX "}, {\"name\": \"wall\", \"type\": \"obstacle\", \"translate\": [5, 0, 0], " BOX      \
    "}, {\"name\": \"cloth\", \"type\": \"shell\", " SOFT ", \"shell\": {\"thickness\": 1e-3}, "   \
    "\"translate\": [9, 0, 0], \"mesh\": {\"grid\": {\"size\": [1, 1], \"cells\": [1, 1]}}}]" top  \
    "}"

TEST(refused_by_name)
{
    const abut_status input = ABUT_ERROR_INPUT, unsupported = ABUT_ERROR_UNSUPPORTED;
    check_refused(SCENE(", \"waters\": [{\"body\": \"cloth\"}]"), input, "waters[0]",
                  "the surface is not closed: the edge of nodes");
    check_refused(SCENE(", \"waters\": {\"body\": \"b\"}, \"gravity\": [0, 0, 0]"), input,
                  "waters[0]", "`gravity` is 0");
    check_refused(SCENE(", \"waters\": {\"body\": \"b\", \"level\": \"log(t - 0.02)\"}"), input,
                  "waters.level", "of waters[0] is not a number at t = 0.01 s");
    check_refused(SCENE(", \"waters\": {\"body\": \"b\", \"density\": 0}"), input, "waters.density",
                  "must be a number > 0");
    check_refused(SCENE(", \"winds\": [{}, {\"body\": \"c\"}]"), input, "winds[1]: body",
                  "there is no body \"c\"");
    check_refused(SCENE(", \"winds\": {\"body\": \"wall\"}"), input, "winds[0]: body",
                  "is an obstacle: no force moves it");
    check_refused(SCENE(", \"winds\": {\"velocity\": [\"1 / (x - x)\", 0, 0]}"), input,
                  "winds.velocity", "of winds[0] is not a number somewhere");
    check_refused(SCENE(", \"winds\": {\"drag\": -1}"), input, "winds.drag", "number >= 0");
    check_refused(SCENE(", \"winds\": {}, \"remesh\": {}"), unsupported, "winds[0]",
                  "remeshing cannot carry winds and waters");
}

int main(void)
{
    RUN(means_of_wet_triangles);
    RUN(derivatives);
    RUN(terminal_speeds);
    RUN(drag_and_lift_of_fixed_bodies);
    RUN(boxes_float);
    RUN(first_acceleration);
    RUN(refused_by_name);
    return TEST_END();
}

/* Gradients of runs: the short list of cells against central differences, checkpoints, bad input.
 */
#include "support/gradient_cells.h"
#include "test.h"

#include <abut/gradient.h>

TEST(cells)
{
    size_t count = 0;
    for (size_t i = 0; i < gradient_cell_count; i++) {
        const gradient_cell *c = &gradient_cells[i];
        char message[700];
        if (!c->quick) continue;
        double error = gradient_cell_error(c, message, sizeof message);
        if (!(error <= 1e-5))
            printf("%s contact %d %s %s %s: %g %s\n", c->body, c->contact, c->integrator, c->kind,
                   c->name, error, message);
        CHECK(error <= 1e-5);
        count++;
    }
    CHECK(count >= 20);
}

TEST(forwards_is_the_same)
{
    for (size_t i = 0; i < gradient_cell_count; i++) {
        const gradient_cell *c = &gradient_cells[i];
        char message[700];
        if (!c->quick) continue;
        double error = gradient_cell_forward_error(c, message, sizeof message);
        if (!(error <= 1e-5))
            printf("forwards: %s contact %d %s %s %s: %g %s\n", c->body, c->contact, c->integrator,
                   c->kind, c->name, error, message);
        CHECK(error <= 1e-5);
    }
}

/* Particles in free flight: positions and velocities are linear in what they start with, so that
 * value, slope and J^T J are the objective, at any distance. */
TEST(squares_are_the_second_derivative_of_linear_runs)
{
    abut_error err = {0};
    abut_gradient *g = NULL;
    gradient_cell cell = {.body = "particles", .contact = 0, .integrator = "bdf2"};
    abut_objective o = abut_default_objective(), speed = o;
    static const double target[3] = {0.1, 0.2, -0.1}, change[3] = {0.7, -0.4, 0.9};
    double value, far, slope[3], square[9], values[3];
    char text[3000];
    o.target = target, o.target_count = 3, o.weight = 3, o.last = false, o.until = 1;
    speed.kind = ABUT_OBJECTIVE_VELOCITIES, speed.weight = 0.5;
    gradient_cell_scene(&cell, text, sizeof text);
    CHECK_OK(abut_gradient_create_text(text, strlen(text), NULL, NULL, &g, &err), err);
    CHECK_OK(abut_gradient_add_objective(g, &o, &err), err);
    CHECK_OK(abut_gradient_add_objective(g, &speed, &err), err);
    CHECK_OK(abut_gradient_add_parameter(g, "key", "gravity[1]", &err), err);
    CHECK_OK(abut_gradient_add_parameter(g, "key", "bodies[0].velocity[1]", &err), err);
    CHECK_OK(abut_gradient_add_parameter(g, "key", "bodies[0].velocity[2]", &err), err);
    CHECK_OK(abut_gradient_evaluate_forward(g, NULL, &value, slope, square, &err), err);
    abut_gradient_values(g, values);
    double expected = value;
    for (int i = 0; i < 3; i++) {
        expected += slope[i] * change[i];
        for (int j = 0; j < 3; j++) expected += 0.5 * square[3 * i + j] * change[i] * change[j];
        values[i] += change[i];
    }
    CHECK_OK(abut_gradient_evaluate(g, values, &far, NULL, &err), err);
    CHECK(fabs(far - value) > 0.01);
    CHECK_NEAR(far, expected, 1e-7);
    abut_gradient_destroy(g);
}

static abut_gradient *open_first(abut_gradient_options *options, abut_error *err)
{
    char text[3000];
    gradient_cell cell = {.body = "tet", .contact = 2, .integrator = "bdf2"};
    abut_gradient *g = NULL;
    abut_objective o = abut_default_objective();
    o.body = "thing";
    gradient_cell_scene(&cell, text, sizeof text);
    CHECK_OK(abut_gradient_create_text(text, strlen(text), NULL, options, &g, err), *err);
    CHECK_OK(abut_gradient_add_objective(g, &o, err), *err);
    CHECK_OK(abut_gradient_add_parameter(g, "initial_velocities", "thing", err), *err);
    return g;
}

TEST(squares_need_distances)
{
    abut_error err = {0};
    abut_gradient_options options = abut_default_gradient_options();
    abut_gradient *g = open_first(&options, &err);
    abut_objective o = abut_default_objective();
    double value, slope[24], square[24 * 24];
    o.weight = -1;
    CHECK_OK(abut_gradient_add_objective(g, &o, &err), err);
    CHECK(abut_gradient_evaluate_forward(g, NULL, &value, slope, square, &err) ==
          ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(err.message, "\"positions\"") != NULL);
    CHECK_OK(abut_gradient_evaluate_forward(g, NULL, &value, slope, NULL, &err), err);
    abut_gradient_destroy(g);
}

/* States that are made again have the same bits. */
TEST(checkpoints_give_the_same_bits)
{
    abut_error err = {0};
    abut_gradient_options all = abut_default_gradient_options(), few = all;
    double value[2], derivative[2][24];
    all.steps = few.steps = 9;
    few.snapshots = 2;
    abut_gradient *g[2] = {open_first(&all, &err), open_first(&few, &err)};
    abut_gradient_info info[2];
    CHECK(abut_gradient_scalar_count(g[0]) == 24);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(abut_gradient_evaluate(g[k], NULL, &value[k], derivative[k], &err), err);
        abut_gradient_get_info(g[k], &info[k]);
        abut_gradient_destroy(g[k]);
    }
    CHECK(memcmp(derivative[0], derivative[1], sizeof derivative[0]) == 0);
    CHECK(value[0] == value[1]);
    CHECK(info[0].steps_again == 0 && info[1].steps_again > 0 && info[1].steps_again < 9 * 5);
    CHECK(info[0].worst_residual < 1e-10 && info[0].saddles == 0 &&
          info[0].least_curvature > 1e-6 && !info[0].stiffness_frozen);
}

static double not_a_number(void *user, double time, size_t scalars, const double *x,
                           const double *v, double *by_x, double *by_v)
{
    (void)user, (void)time, (void)scalars, (void)x, (void)v, (void)by_x, (void)by_v;
    return NAN;
}

static double first_scalar(void *user, double time, size_t scalars, const double *x,
                           const double *v, double *by_x, double *by_v)
{
    (void)user, (void)time, (void)scalars;
    if (by_x) by_x[0] += 1;
    if (by_v) by_v[1] += 2;
    return x[0] + 2 * v[1];
}

/* The derivative of an objective by a velocity of the first body, against central differences. */
static void check_objective(const abut_objective *o)
{
    abut_error err = {0};
    abut_gradient_options options = abut_default_gradient_options();
    abut_gradient *g = NULL;
    gradient_cell cell = {.body = "tet", .contact = 2, .integrator = "implicit-euler"};
    char text[3000];
    gradient_cell_scene(&cell, text, sizeof text);
    CHECK_OK(abut_gradient_create_text(text, strlen(text), NULL, &options, &g, &err), err);
    CHECK_OK(abut_gradient_add_objective(g, o, &err), err);
    CHECK_OK(abut_gradient_add_parameter(g, "key", "bodies[0].velocity[0]", &err), err);
    double value, slope, less = 0.6 - 1e-5, more = 0.6 + 1e-5, sides[2];
    CHECK_OK(abut_gradient_evaluate(g, NULL, &value, &slope, &err), err);
    CHECK_OK(abut_gradient_evaluate(g, &less, &sides[0], NULL, &err), err);
    CHECK_OK(abut_gradient_evaluate(g, &more, &sides[1], NULL, &err), err);
    CHECK(value != 0 && slope != 0);
    CHECK_NEAR(slope, (sides[1] - sides[0]) / 2e-5, 1e-5 * fabs(slope));
    abut_gradient_destroy(g);
}

/* Value of a trajectory of the first body's centre. */
static double trajectory_value(const double *targets, const double *times, size_t count)
{
    abut_error err = {0};
    abut_gradient *g = NULL;
    gradient_cell cell = {.body = "tet", .contact = 0, .integrator = "implicit-euler"};
    abut_objective o = abut_default_objective();
    char text[3000];
    double value = 0;
    o.kind = ABUT_OBJECTIVE_CENTER, o.body = "thing";
    o.target = targets, o.target_count = 3 * count;
    o.times = times, o.time_count = count;
    gradient_cell_scene(&cell, text, sizeof text);
    CHECK_OK(abut_gradient_create_text(text, strlen(text), NULL, NULL, &g, &err), err);
    CHECK_OK(abut_gradient_add_objective(g, &o, &err), err);
    CHECK_OK(abut_gradient_evaluate(g, NULL, &value, NULL, &err), err);
    abut_gradient_destroy(g);
    return value;
}

TEST(each_time_of_a_trajectory_has_its_target)
{
    static const double targets[] = {0.02, 0.1, 0, 0.5, 0.1, 0.01}, times[] = {0.02, 0.03};
    double first = trajectory_value(targets, times, 1);
    double second = trajectory_value(targets + 3, times + 1, 1);
    CHECK(second > 2 * first);
    CHECK_NEAR(trajectory_value(targets, times, 2), first + second, 1e-12);
}

TEST(objectives_with_weights)
{
    static const double targets[] = {0.02, 0.1, 0, 0.03, 0.1, 0.01}, times[] = {0.02, 0.03};
    abut_objective o = abut_default_objective();
    o.kind = ABUT_OBJECTIVE_FUNCTION, o.function = first_scalar, o.weight = 3;
    check_objective(&o);
    o.kind = ABUT_OBJECTIVE_STRESS, o.body = "thing";
    check_objective(&o);
    o.target = targets, o.target_count = 6;
    o.kind = ABUT_OBJECTIVE_CLOUD;
    check_objective(&o);
    o.kind = ABUT_OBJECTIVE_CENTER, o.times = times, o.time_count = 2;
    check_objective(&o);
}

/* What an objective is computed from besides the state is no field of parameters. */
TEST(objectives_that_read_fields_are_refused)
{
    abut_error err = {0};
    abut_gradient_options options = abut_default_gradient_options();
    abut_gradient *g = open_first(&options, &err);
    abut_objective o = abut_default_objective();
    double value, derivative[48];
    o.kind = ABUT_OBJECTIVE_CENTER, o.body = "thing";
    CHECK_OK(abut_gradient_add_objective(g, &o, &err), err);
    CHECK_OK(abut_gradient_evaluate(g, NULL, &value, derivative, &err), err);
    CHECK_OK(abut_gradient_add_parameter(g, "shape", "thing", &err), err);
    CHECK_OK(abut_gradient_evaluate(g, NULL, &value, NULL, &err), err);
    CHECK(abut_gradient_evaluate(g, NULL, &value, derivative, &err) == ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(err.message, "center") && strstr(err.message, "shape"));
    abut_gradient_destroy(g);
}

/* The stress of a soft cube at the end of its landing, by its shape. */
TEST(stress_by_shape)
{
    abut_error err = {0};
    abut_gradient *g = NULL;
    gradient_cell cell = {.body = "tet", .contact = 2, .integrator = "implicit-euler"};
    abut_objective o = abut_default_objective();
    double value, slope[24], values[24], sides[2];
    char text[3000];
    o.kind = ABUT_OBJECTIVE_STRESS, o.body = "thing", o.weight = 1e-3;
    gradient_cell_scene(&cell, text, sizeof text);
    CHECK_OK(abut_gradient_create_text(text, strlen(text), NULL, NULL, &g, &err), err);
    CHECK_OK(abut_gradient_add_objective(g, &o, &err), err);
    CHECK_OK(abut_gradient_add_parameter(g, "rest_positions", "thing", &err), err);
    CHECK_OK(abut_gradient_evaluate(g, NULL, &value, slope, &err), err);
    for (int i = 0; i < 24; i += 5) {
        for (int k = 0; k < 2; k++) {
            abut_gradient_values(g, values);
            values[i] += k == 0 ? -1e-6 : 1e-6;
            CHECK_OK(abut_gradient_evaluate(g, values, &sides[k], NULL, &err), err);
        }
        CHECK_NEAR(slope[i], (sides[1] - sides[0]) / 2e-6, 2e-5 * fabs(slope[i]) + 1e-6);
    }
    abut_gradient_destroy(g);
}

TEST(bad_input_is_named)
{
    abut_error err = {0};
    abut_gradient_options options = abut_default_gradient_options();
    abut_gradient *g = open_first(&options, &err);
    CHECK(abut_gradient_add_parameter(g, "colour", "thing", &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "colour") != NULL);
    CHECK(abut_gradient_add_parameter(g, "key", "bodies[0].nothing", &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.place, "nothing") != NULL);
    CHECK(abut_gradient_add_parameter(g, "young", "floor", &err) == ABUT_ERROR_INPUT);
    CHECK(abut_gradient_add_parameter(g, "shape", "absent", &err) == ABUT_ERROR_INPUT);
    abut_objective o = abut_default_objective();
    o.body = "absent";
    CHECK(abut_gradient_add_objective(g, &o, &err) == ABUT_ERROR_INPUT);
    o = abut_default_objective();
    o.kind = ABUT_OBJECTIVE_FUNCTION;
    CHECK(abut_gradient_add_objective(g, &o, &err) == ABUT_ERROR_INPUT);
    o.function = not_a_number;
    CHECK_OK(abut_gradient_add_objective(g, &o, &err), err);
    double value, derivative[24];
    CHECK(abut_gradient_evaluate(g, NULL, &value, derivative, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "no number") != NULL);
    abut_gradient_destroy(g);
}

TEST(inverted_rest_shape_is_infeasible)
{
    abut_error err = {0};
    abut_gradient_options options = abut_default_gradient_options();
    abut_gradient *g = open_first(&options, &err);
    double values[48], value;
    CHECK_OK(abut_gradient_add_parameter(g, "rest_positions", "thing", &err), err);
    CHECK(abut_gradient_scalar_count(g) == 48);
    abut_gradient_values(g, values);
    for (int i = 0; i < 8; i++) values[24 + 3 * i] *= -1;
    CHECK(abut_gradient_evaluate(g, values, &value, NULL, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(strstr(err.message, "inverted") != NULL);
    abut_gradient_destroy(g);
}

static void check_refused(const char *addition, const char *named)
{
    abut_error err = {0};
    abut_gradient *g = NULL;
    char text[1200];
    snprintf(text, sizeof text,
             "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 2}, %s, \"bodies\": [{\"name\": "
             "\"a\", \"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}, "
             "\"material\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 1000}}]}",
             addition);
    CHECK(abut_gradient_create_text(text, strlen(text), NULL, NULL, &g, &err) ==
          ABUT_ERROR_UNSUPPORTED);
    if (!strstr(err.message, named)) printf("%s: %s\n", err.place, err.message);
    CHECK(strstr(err.message, named) != NULL);
    abut_gradient_destroy(g);
}

TEST(what_has_no_gradient_is_refused_by_name)
{
    check_refused("\"remesh\": {}", "remeshing");
    check_refused("\"stepper\": \"mlcp\"", "mlcp");
    check_refused("\"solver\": {\"proximal_weight\": 1}", "proximal");
    check_refused("\"attachments\": [{\"body\": \"a\", \"nodes\": \"all\", \"stiffness\": 10, "
                  "\"break_force\": 5}]",
                  "breaks");
}

/* Quasi-static bodies that nothing holds have no position, and no gradient. contact: with a floor
 * below. */
static void check_loose(const char *gravity, const char *contact, const char *named)
{
    abut_error err = {0};
    abut_gradient *g = NULL;
    abut_objective o = abut_default_objective();
    double value, derivative[24];
    char text[1500];
    snprintf(text, sizeof text,
             "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 3, \"integrator\": "
             "\"quasi-static\"}, \"gravity\": %s, %s \"bodies\": [{\"name\": \"cube\", "
             "\"translate\": [0.01, 0.12, 0.02], \"mesh\": {\"box\": {\"size\": [0.2, 0.2, 0.2], "
             "\"cells\": [1, 1, 1]}}, \"material\": {\"model\": \"neo-hookean\", \"young\": 3e4, "
             "\"poisson\": 0.35, \"density\": 800}}, {\"name\": \"floor\", \"type\": "
             "\"obstacle\", \"mesh\": {\"box\": {\"size\": [2, 0.2, 2], \"cells\": [2, 1, 2]}}, "
             "\"translate\": [0.05, -0.1, 0.03]}]}",
             gravity, contact);
    CHECK_OK(abut_gradient_create_text(text, strlen(text), NULL, NULL, &g, &err), err);
    CHECK_OK(abut_gradient_add_objective(g, &o, &err), err);
    CHECK_OK(abut_gradient_add_parameter(g, "forces", "cube", &err), err);
    CHECK(abut_gradient_evaluate(g, NULL, &value, derivative, &err) != ABUT_OK);
    if (!strstr(err.message, named)) printf("%s\n", err.message);
    CHECK(strstr(err.message, named) != NULL);
    abut_gradient_destroy(g);
}

TEST(what_nothing_holds_is_refused)
{
    check_loose("[0, -9.8, 0]",
                "\"contact\": {\"dhat\": 0.03, \"stiffness\": 1e5, \"friction\": 0}, "
                "\"solver\": {\"force_tolerance\": 0},",
                "do not balance");
    check_loose("[0, 0, 0]", "\"contact\": {\"enabled\": false},",
                "\"cube\" can be moved without any force");
}

int main(void)
{
    RUN(cells);
    RUN(forwards_is_the_same);
    RUN(squares_are_the_second_derivative_of_linear_runs);
    RUN(squares_need_distances);
    RUN(checkpoints_give_the_same_bits);
    RUN(objectives_with_weights);
    RUN(each_time_of_a_trajectory_has_its_target);
    RUN(objectives_that_read_fields_are_refused);
    RUN(stress_by_shape);
    RUN(bad_input_is_named);
    RUN(inverted_rest_shape_is_infeasible);
    RUN(what_has_no_gradient_is_refused_by_name);
    RUN(what_nothing_holds_is_refused);
    return TEST_END();
}

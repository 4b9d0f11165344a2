/* Contact weighted by area, with a stiffness in Pa: a block that stands on the ground keeps the gap
 * that its weight per area asks for, whatever its mesh and dhat. */
#include "contact/contact_term.h"
#include "solve/problem.h"
#include "support/evaluation.h"
#include "support/scene_makers.h"
#include "test.h"

#include <abut/abut.h>

static abut_error err;
static stage_timer timer;

static const double SIZE = 0.1, DENSITY = 1000, GRAVITY = 9.81, STIFFNESS = 1e3;
static const double PI = 3.14159265358979323846;

/* Height of a stiff block above the ground in equilibrium. ground: a half-space, or an obstacle. */
static double resting_height(int cells, double dhat, bool weighted, bool obstacle)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"abut\": 1, \"time\": {\"step\": 1, \"end\": 1, \"integrator\": \"quasi-static\"}, "
             "%s \"contact\": {\"dhat\": %g, \"stiffness\": %g, \"area_weighted\": %s, "
             "\"physical\": %s}, \"solver\": {\"tolerance\": 1e-9}, \"bodies\": [%s{\"name\": "
             "\"block\", \"mesh\": {\"box\": {\"size\": [%g, %g, %g], \"cells\": [%d, %d, %d]}}, "
             "\"material\": {\"model\": \"neo-hookean\", \"young\": 1e8, \"poisson\": 0.3, "
             "\"density\": %g}, \"translate\": [0, %.17g, 0], \"fix\": {\"axes\": \"xz\"}}]}",
             obstacle ? "" : "\"ground\": 0,", dhat, STIFFNESS, weighted ? "true" : "false",
             weighted ? "true" : "false",
             obstacle ? "{\"name\": \"floor\", \"type\": \"obstacle\", \"mesh\": {\"grid\": "
                        "{\"size\": [2, 2], \"cells\": [1, 1]}}, \"translate\": [0.5, 0, 0]},"
                      : "",
             SIZE, SIZE, SIZE, cells, cells, cells, DENSITY, SIZE / 2 + 0.6 * dhat);
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &sim, &err), err);
    if (!sim) return NAN;
    CHECK_OK(abut_sim_step(sim, &err), err);
    abut_body body;
    double lowest = INFINITY;
    CHECK(abut_sim_body(sim, 0, &body) && body.kinematic == obstacle);
    CHECK(abut_sim_body(sim, obstacle ? 1 : 0, &body));
    for (size_t i = 0; i < body.node_count; i++)
        lowest = fmin(lowest, abut_sim_positions(sim)[3 * (body.first_node + i) + 1]);
    abut_sim_destroy(sim);
    return lowest;
}

/* Where kappa dhat^-3 (-d/dd b(d^2)) is the pressure, by bisection on the formula. */
static double height_under(double pressure, double dhat)
{
    double low = 0, high = 1;
    for (int i = 0; i < 100; i++) {
        double r = 0.5 * (low + high), q = r * r;
        double force = -(1 - q) * (2 * log(q) - 1 / q + 1) * 2 * r;
        *(force > pressure / STIFFNESS ? &low : &high) = r;
    }
    return 0.5 * (low + high) * dhat;
}

/* area: what carries, over that of the bottom. */
static double expected_height(double dhat, double area)
{
    return height_under(DENSITY * GRAVITY * SIZE / area, dhat);
}

TEST(gap_over_a_half_space)
{
    for (int cells = 1; cells <= 3; cells += 2)
        for (int k = 0; k < 2; k++) {
            double dhat = k ? 2e-3 : 1e-2;
            /* The four sides lend half of their lowest cells to the vertices below. */
            double expected = expected_height(dhat, 1 + 2.0 / cells);
            CHECK_NEAR(resting_height(cells, dhat, true, false), expected, 0.005 * dhat);
        }
    /* Otherwise more vertices push harder. */
    double coarse = resting_height(1, 1e-2, false, false);
    double fine = resting_height(3, 1e-2, false, false);
    CHECK(fine > coarse);
}

/* The block stands inside one triangle, where no edges cross: its vertices carry it, with a quarter
 * of the weight that they have over a half-space, because both sides and edges count as well. */
TEST(gap_over_an_obstacle)
{
    const double dhat = 5e-3;
    for (int cells = 2; cells <= 6; cells += 2) {
        double expected = expected_height(dhat, 0.25 * (1 + 2.0 / cells));
        CHECK_NEAR(resting_height(cells, dhat, true, true), expected, 0.005 * dhat);
    }
}

/* The term's gradient is that of its value also with weights. */
TEST(weighted_term_matches_differences)
{
    model *m = make_stacked_model(1, 1, 0.02);
    contact_options options = {.dhat = 0.05, .area_weighted = true};
    contact_term *t = NULL;
    problem p;
    CHECK_OK(contact_create(m, &options, &t, &err), err);
    test_evaluation.kappa = 1e5;
    half_space plane = {{0, -0.52, 0}, {0, 1, 0}, {0, 0, 0}, 0};
    CHECK_OK(contact_add_half_space(t, plane, &err), err);
    CHECK_OK(problem_init(&p, model_block_count(m), &timer, &err), err);
    CHECK_OK(problem_add_term(&p, &t->base, &err), err);
    enum { N = 3 * 16 };
    double x[N], g[N], scale = 0;
    CHECK(3 * m->rest.count == N);
    memcpy(x, m->rest.data, sizeof x);
    CHECK_OK(problem_update(&p, &test_evaluation, x, &err), err);
    CHECK_OK(problem_derivatives(&p, &test_evaluation, x, false, &err), err);
    memcpy(g, p.gradient, sizeof g);
    CHECK(t->plane_contacts.count == 4);
    double area = 0;
    for (size_t i = 0; i < t->areas.vertex.count; i++) area += t->areas.vertex.data[i];
    CHECK_NEAR(area, 12, 1e-12); /* two unit cubes */
    for (int i = 0; i < N; i++) scale = fmax(scale, fabs(g[i]));
    for (int i = 0; i < N; i++) {
        const double h = 1e-6;
        double keep = x[i];
        x[i] = keep + h;
        CHECK_OK(problem_update(&p, &test_evaluation, x, &err), err);
        double high = problem_value(&p, &test_evaluation, x);
        x[i] = keep - h;
        CHECK_OK(problem_update(&p, &test_evaluation, x, &err), err);
        double low = problem_value(&p, &test_evaluation, x);
        x[i] = keep;
        CHECK_NEAR((high - low) / (2 * h), g[i], 1e-5 * scale);
    }
    problem_free(&p);
    t->base.class->destroy(&t->base);
    free_model(m);
}

/* Lowest node of a body at the end of a scene. */
static double lowest_after(const char *text, int steps, size_t which)
{
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &sim, &err), err);
    if (!sim) return NAN;
    for (int i = 0; i < steps; i++) CHECK_OK(abut_sim_step(sim, &err), err);
    abut_body body;
    double lowest = INFINITY;
    CHECK(abut_sim_body(sim, which, &body));
    for (size_t i = 0; i < body.node_count; i++)
        lowest = fmin(lowest, abut_sim_positions(sim)[3 * (body.first_node + i) + 1]);
    abut_sim_destroy(sim);
    return lowest;
}

/* Grains and rods rest where the pressure of the barrier on the area that they show, the square of
 * the diameter or length times diameter, carries them. */
TEST(points_and_rods_have_areas)
{
    static const char scene[] =
        "{\"abut\": 1, \"time\": {\"step\": 1, \"steps\": 1, \"integrator\": "
        "\"quasi-static\"}, \"ground\": 0, \"contact\": {\"dhat\": 0.01, \"stiffness\": %g, "
        "\"area_weighted\": true, \"physical\": true}, \"solver\": {\"tolerance\": 1e-9}, "
        "\"bodies\": [{%s, \"translate\": [0, 0.006, 0], \"fix\": {\"axes\": \"xz\"}}]}";
    char text[1500], body[600];
    for (int k = 1; k <= 2; k++) {
        double diameter = 0.02 * k;
        snprintf(body, sizeof body,
                 "\"name\": \"grains\", \"type\": \"particles\", \"mesh\": {\"lattice\": "
                 "{\"counts\": [2, 1, 2], \"spacing\": 0.1}}, \"density\": %g, "
                 "\"particles\": {\"radius\": %g}",
                 DENSITY, 0.5 * diameter);
        snprintf(text, sizeof text, scene, STIFFNESS, body);
        double expected = height_under(DENSITY * GRAVITY * diameter * PI / 6, 0.01);
        CHECK_NEAR(lowest_after(text, 1, 0), expected, 1e-4 * expected);
        snprintf(body, sizeof body,
                 "\"name\": \"rod\", \"type\": \"rod\", \"mesh\": {\"polyline\": {\"from\": "
                 "[0, 0, 0], \"to\": [0.4, 0, 0], \"segments\": 4}}, \"material\": "
                 "{\"young\": 1e6, \"poisson\": 0.3, \"density\": %g}, \"rod\": "
                 "{\"diameter\": %g}",
                 DENSITY, diameter);
        snprintf(text, sizeof text, scene, STIFFNESS, body);
        expected = height_under(DENSITY * GRAVITY * diameter * PI / 4, 0.01);
        CHECK_NEAR(lowest_after(text, 1, 0), expected, 1e-4 * expected);
    }
}

/* With a stiffness that is chosen, grains of one size rest where they do without weights: all of
 * them have the same. */
TEST(lone_points_are_kept_off)
{
    static const char text[] =
        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 40}, \"ground\": 0, "
        "\"contact\": {\"dhat\": 0.01, \"area_weighted\": %s}, \"bodies\": [{\"name\": "
        "\"grains\", \"type\": \"particles\", \"mesh\": {\"lattice\": {\"counts\": [2, 1, 2], "
        "\"spacing\": 0.1}}, \"density\": 1000, \"particles\": {\"radius\": 0.01}, "
        "\"translate\": [0, 0.1, 0]}]}";
    char weighted[800], plain[800];
    snprintf(weighted, sizeof weighted, text, "true");
    snprintf(plain, sizeof plain, text, "false");
    double expected = lowest_after(plain, 40, 0);
    CHECK(expected > 0.002 && expected < 0.005);
    CHECK_NEAR(lowest_after(weighted, 40, 0), expected, 0.05 * expected);
}

/* Cloth, grains and a rod that lie on a coarse floor. with: which of them are there. */
static void rest_beside(const char *with, double heights[3])
{
    static const char *const bodies[] = {
        "{\"name\": \"cloth\", \"type\": \"shell\", \"mesh\": {\"grid\": {\"size\": [0.3, 0.3], "
        "\"cells\": [16, 16]}}, \"shell\": {\"preset\": \"cotton\"}, \"translate\": [-0.3, "
        "0.0005, 0]}",
        "{\"name\": \"sand\", \"type\": \"particles\", \"mesh\": {\"lattice\": {\"counts\": [6, "
        "1, 6], \"spacing\": 0.01}}, \"density\": 1600, \"particles\": {\"radius\": 0.002}, "
        "\"translate\": [0.3, 0.0005, 0]}",
        "{\"name\": \"rod\", \"type\": \"rod\", \"mesh\": {\"polyline\": {\"from\": [0.1, 0, "
        "-0.3], \"to\": [0.1, 0, 0.3], \"segments\": 20}}, \"material\": {\"young\": 1e6, "
        "\"poisson\": 0.3, \"density\": 1000}, \"rod\": {\"diameter\": 0.004}, "
        "\"translate\": [0, 0.0005, 0]}"};
    char text[3000];
    int used = snprintf(text, sizeof text,
                        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 30}, \"solver\": "
                        "{\"tolerance\": 1e-4}, \"contact\": {\"dhat\": 1e-4, "
                        "\"area_weighted\": true}, \"bodies\": [{\"name\": \"floor\", \"type\": "
                        "\"obstacle\", \"mesh\": {\"grid\": {\"size\": [1.2, 1.2], \"cells\": "
                        "[6, 6]}}}");
    for (int k = 0; k < 3; k++)
        if (with[k] == '1')
            used += snprintf(text + used, sizeof text - (size_t)used, ", %s", bodies[k]);
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    size_t at = 1;
    for (int k = 0; k < 3; k++)
        if (with[k] == '1') heights[k] = lowest_after(text, 30, at++);
}

/* The stiffness is one for all pairs: it must suit each kind beside the others as it does alone. */
TEST(kinds_of_bodies_beside_each_other)
{
    static const char *const beside[] = {"110", "101", "011", "111"};
    double alone[3], together[3];
    rest_beside("100", alone);
    rest_beside("010", alone);
    rest_beside("001", alone);
    for (int k = 0; k < 3; k++) CHECK(alone[k] > 0.3 * 1e-4 && alone[k] < 1e-4);
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        rest_beside(beside[i], together);
        for (int k = 0; k < 3; k++)
            if (beside[i][k] == '1')
                CHECK(together[k] > 0.5 * alone[k] && together[k] < 2 * alone[k]);
    }
}

int main(void)
{
    RUN(gap_over_a_half_space);
    RUN(gap_over_an_obstacle);
    RUN(weighted_term_matches_differences);
    RUN(points_and_rods_have_areas);
    RUN(lone_points_are_kept_off);
    RUN(kinds_of_bodies_beside_each_other);
    return TEST_END();
}

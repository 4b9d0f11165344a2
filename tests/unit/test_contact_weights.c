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
                        "{\"size\": [1.03, 0.97], \"cells\": [7, 7]}}},"
                      : "",
             SIZE, SIZE, SIZE, cells, cells, cells, DENSITY, SIZE / 2 + 0.6 * dhat);
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &sim, &err), err);
    if (!sim) return NAN;
    CHECK_OK(abut_sim_step(sim, &err), err);
    abut_body body;
    double lowest = INFINITY;
    CHECK(abut_sim_body(sim, obstacle ? 1 : 0, &body));
    for (size_t i = 0; i < body.node_count; i++)
        lowest = fmin(lowest, abut_sim_positions(sim)[3 * (body.first_node + i) + 1]);
    abut_sim_destroy(sim);
    return lowest;
}

/* Where kappa dhat^-3 (-d/dd b(d^2)) is the weight per area, by bisection on the formula. area:
 * what carries, over that of the bottom. */
static double expected_height(double dhat, double area)
{
    double low = 0, high = 1, pressure = DENSITY * GRAVITY * SIZE / STIFFNESS / area;
    for (int i = 0; i < 100; i++) {
        double r = 0.5 * (low + high), q = r * r;
        double force = -(1 - q) * (2 * log(q) - 1 / q + 1) * 2 * r;
        *(force > pressure ? &low : &high) = r;
    }
    return 0.5 * (low + high) * dhat;
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

/* Vertices and edges of both sides share the load; how many edges cross is a matter of luck. */
TEST(gap_over_an_obstacle)
{
    double expected = expected_height(5e-3, 1);
    for (int cells = 2; cells <= 6; cells += 2)
        CHECK_NEAR(resting_height(cells, 5e-3, true, true), expected, 0.2 * expected);
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

/* A point without an area must not fall through: it has the weight 1. */
TEST(lone_points_are_held_off)
{
    static const char text[] =
        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 40}, \"ground\": 0, "
        "\"contact\": {\"dhat\": 0.01, \"area_weighted\": true}, \"bodies\": [{\"name\": "
        "\"grains\", \"type\": \"particles\", \"mesh\": {\"lattice\": {\"counts\": [2, 1, 2], "
        "\"spacing\": 0.1}}, \"density\": 1000, \"particles\": {\"radius\": 0.01}, "
        "\"translate\": [0, 0.1, 0]}]}";
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &sim, &err), err);
    if (!sim) return;
    for (int i = 0; i < 40; i++) CHECK_OK(abut_sim_step(sim, &err), err);
    abut_body body;
    CHECK(abut_sim_body(sim, 0, &body));
    for (size_t i = 0; i < body.node_count; i++)
        CHECK_NEAR(abut_sim_positions(sim)[3 * (body.first_node + i) + 1], 0.005, 0.005);
    abut_sim_destroy(sim);
}

int main(void)
{
    RUN(gap_over_a_half_space);
    RUN(gap_over_an_obstacle);
    RUN(weighted_term_matches_differences);
    RUN(lone_points_are_held_off);
    return TEST_END();
}

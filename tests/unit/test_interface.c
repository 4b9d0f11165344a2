/* What contacts have beside a coefficient of friction: derivatives, blocks on planes against closed
 * forms, and what is refused. */
#include "test.h"

#include "base/random.h"
#include "contact/friction_stencil.h"
#include "sim/sim.h"

#include <abut/sim.h>

static abut_error err;

TEST(energies_of_sliding)
{
    const double rows[6] = {0.02, 0.1, 0.05, 0.7, 0.3, 0.2}, eps = 1e-3;
    friction_table table;
    CHECK_OK(friction_table_make(&table, 0.5, rows, 3, &err), err);
    friction_slip laws[] = {{.drop = 0.3}, {.table = &table, .normal = 2, .h = 0.1}};
    for (int k = 0; k < 2; k++) {
        CHECK(friction_slip_energy(&laws[k], 0.5 * eps, eps).value == 0);
        for (double y = 1.01 * eps; y < 0.05; y *= 1.04) {
            const double d = 1e-8;
            slip_energy at = friction_slip_energy(&laws[k], y, eps);
            slip_energy high = friction_slip_energy(&laws[k], y + d, eps);
            slip_energy low = friction_slip_energy(&laws[k], y - d, eps);
            CHECK_NEAR(at.slope, (high.value - low.value) / (2 * d), 1e-7);
            CHECK_NEAR(at.bend, (high.slope - low.slope) / (2 * d), 0.1);
        }
    }
    CHECK_NEAR(friction_slip_energy(&laws[0], 5 * eps, eps).slope, -0.3, 1e-12);
    CHECK_NEAR(friction_slip_energy(&laws[1], eps + 0.005, eps).slope, 2 * (0.7 - 0.5), 1e-12);
    CHECK_NEAR(friction_slip_energy(&laws[1], eps + 1, eps).slope, 2 * (0.2 - 0.5), 1e-12);
    friction_table_free(&table);
}

/* Gradient against differences, the Hessian where friction does not fall; never negative. */
TEST(derivatives)
{
    random_state r = {4};
    friction_law law = {FRICTION_C1, 1e-2, 0.7};
    for (int k = 0; k < 300; k++) {
        friction_stencil s = {.vertex = {0, -1, -1, -1}, .force = 3};
        s.frame = tangent_frame_half_space((vec3){0, 1, 0});
        if (k % 2) s.slip.drop = 1.2;
        if (k % 3) s.frame.column[1] = vec3_scale(0.4, s.frame.column[1]);
        double x[3], g[3], above[3], below[3];
        for (int i = 0; i < 3; i++) x[i] = random_range(&r, -0.04, 0.04);
        vec3 moved = vec3_load(x);
        mat3 core = friction_stencil_derivatives(&law, &s, &moved, g);
        double u[2];
        friction_displacement(&s, &moved, u);
        bool falls = s.slip.drop > 0 && hypot(u[0], u[1]) > law.eps;
        for (int i = 0; i < 3; i++) {
            const double d = 1e-7;
            double kept = x[i];
            x[i] = kept + d;
            moved = vec3_load(x);
            double high = friction_stencil_value(&law, &s, &moved);
            friction_stencil_derivatives(&law, &s, &moved, above);
            x[i] = kept - d;
            moved = vec3_load(x);
            double low = friction_stencil_value(&law, &s, &moved);
            friction_stencil_derivatives(&law, &s, &moved, below);
            x[i] = kept;
            CHECK_NEAR(g[i], (high - low) / (2 * d), 1e-6);
            for (int j = 0; !falls && j < 3; j++)
                CHECK_NEAR(core.m[j][i], (above[j] - below[j]) / (2 * d), 1e-2);
        }
        for (int i = 0; i < 20; i++) {
            vec3 w = {random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1)};
            CHECK(vec3_dot(w, mat3_mul_vec(core, w)) >= -1e-9);
        }
    }
}

/* A rigid block of 0.2 m and 8 kg on a plane, with this weight per mass on it, this tangential
 * acceleration from 0.1 s on and this velocity at the start. */
static abut_sim *block(double weight, double along, const char *velocity, const char *friction,
                       const char *interface, int steps)
{
    char text[1500];
    abut_sim *sim = NULL;
    snprintf(
        text, sizeof text,
        "{\"abut\": 1, \"time\": {\"step\": 0.005, \"steps\": %d}, \"gravity\": [0, %.17g, 0], "
        "\"contact\": {\"dhat\": 1e-3, \"eps_v\": 1e-3, \"area_weighted\": true, "
        "\"stiffness_rule\": \"balanced\", \"friction_iterations\": 0}, \"solver\": "
        "{\"tolerance\": 1e-7}, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid\", "
        "\"density\": 1000, \"mesh\": {\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, "
        "1]}}, \"translate\": [0, 0.1006, 0], \"velocity\": %s, \"force\": [{\"acceleration\": "
        "[%.17g, 0, 0], \"from\": 0.1}]}], \"half_spaces\": "
        "[{\"friction\": %s, \"interface\": {%s}}]}",
        steps, -weight, velocity, along, friction, interface);
    CHECK_OK(abut_sim_create(text, strlen(text), "s.json", NULL, &sim, &err), err);
    for (int k = 0; sim && k < steps; k++) CHECK_OK(abut_sim_step(sim, &err), err);
    return sim;
}

static vec3 velocity_of(abut_sim *sim)
{
    vec3 v = sim ? vec3_load(sim->stepper->state.v) : (vec3){0};
    abut_sim_destroy(sim);
    return v;
}

/* It holds up to the coefficient at rest, and slides with the kinetic one. */
TEST(slope_with_two_coefficients)
{
    const char *interface = "\"kinetic\": 0.2", *still = "[0, 0, 0]";
    vec3 v = velocity_of(block(10, 4.9, still, "0.5", interface, 60));
    CHECK(fabs(v.x) < 1e-3);
    v = velocity_of(block(10, 5.1, still, "0.5", interface, 60));
    vec3 later = velocity_of(block(10, 5.1, still, "0.5", interface, 80));
    CHECK_NEAR((later.x - v.x) / 0.1, 5.1 - 2, 2e-3);
}

/* Deceleration of a block that moves at 45 degrees to the grain: forces on the ellipse. */
TEST(grain)
{
    const double mu = 0.4, ratio = 0.5;
    vec3 v = velocity_of(
        block(9.81, 0, "[1, 0, 1]", "0.4", "\"direction\": [3, 1, 0], \"across\": 0.2", 20));
    vec3 later = velocity_of(
        block(9.81, 0, "[1, 0, 1]", "0.4", "\"direction\": [3, 1, 0], \"across\": 0.2", 21));
    double w = hypot(later.x, ratio * later.z), g = 9.81 * 0.005;
    CHECK_NEAR(later.x - v.x, -g * mu * later.x / w, 0.01 * g);
    CHECK_NEAR(later.z - v.z, -g * mu * ratio * ratio * later.z / w, 0.01 * g);
    CHECK(later.z > later.x + 0.05); /* along the grain it is braked more */
}

TEST(coefficients_by_a_table)
{
    const char *table = "\"table\": [[0.5, 0.1], [2, 0.4]]";
    vec3 v = velocity_of(block(9.81, 0, "[1.5, 0, 0]", "0.5", table, 20));
    vec3 later = velocity_of(block(9.81, 0, "[1.5, 0, 0]", "0.5", table, 21));
    double mu = 0.1 + (later.x - 1e-3 - 0.5) / 1.5 * 0.3;
    CHECK_NEAR((later.x - v.x) / 0.005, -9.81 * mu, 0.02);
}

/* Without friction a traction of 1 kPa on 0.04 m^2 holds up to 40 N: 8 kg, 5 m/s^2. */
TEST(cohesion)
{
    const char *interface = "\"cohesion\": 1000", *still = "[0, 0, 0]";
    vec3 v = velocity_of(block(9.81, 4.9, still, "0", interface, 60));
    CHECK(fabs(v.x) < 1e-3);
    v = velocity_of(block(9.81, 6, still, "0", interface, 60));
    vec3 later = velocity_of(block(9.81, 6, still, "0", interface, 80));
    CHECK_NEAR((later.x - v.x) / 0.1, 1, 0.02);
}

static void check_refused(const char *top, const char *plane, abut_status code, const char *place,
                          const char *message)
{
    char scene[1500];
    abut_sim *sim = NULL;
    snprintf(scene, sizeof scene,
             "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 3}%s, \"bodies\": [{\"name\": "
             "\"b\", \"material\": {\"young\": 1e5, \"poisson\": 0.3}, \"translate\": [0, 1, 0], "
             "\"mesh\": "
             "{\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}}], \"half_spaces\": "
             "[{\"friction\": 0.5, \"interface\": {%s}}]}",
             top, plane);
    CHECK(abut_sim_create(scene, strlen(scene), "s.json", NULL, &sim, &err) == code);
    CHECK(strstr(err.place, place) && strstr(err.message, message));
    if (!strstr(err.place, place) || !strstr(err.message, message))
        printf("  %s: %s\n", err.place, err.message);
    abut_sim_destroy(sim);
}

TEST(refused_by_name)
{
    const abut_status input = ABUT_ERROR_INPUT, unsupported = ABUT_ERROR_UNSUPPORTED;
    check_refused("", "\"kinetic\": 0.6", input, "half_spaces[0]: interface.kinetic",
                  "0.6 must be at most the coefficient at rest, 0.5");
    check_refused("", "\"kinetic\": 0.2, \"table\": [[1, 0.1]]", input, "interface.kinetic",
                  "so is `table`");
    check_refused("", "\"table\": [[1, 0.1], [1, 0.2]]", input, "interface.table",
                  "row 1: the speed 1 must be above 1");
    check_refused("", "\"table\": [[1, -0.1]]", input, "interface.table",
                  "row 0: the coefficient -0.1 must be at least 0");
    check_refused("", "\"across\": 0.1", input, "interface.direction", "go together");
    check_refused("", "\"direction\": [1, 0, 0]", input, "interface.across", "go together");
    check_refused("", "\"cohesion\": 10", input, "interface.cohesion", "contact.area_weighted");
    check_refused(", \"stepper\": \"mlcp\"", "\"kinetic\": 0.1", unsupported, "interface",
                  "not with the stepper \"mlcp\"");
    check_refused(", \"contact\": {\"stick_anchors\": true}", "\"kinetic\": 0.1", unsupported,
                  "interface", "not with contact.stick_anchors");
    check_refused(", \"contact\": {\"friction_pairs\": [{\"first\": \"b\", \"second\": \"b\", "
                  "\"coefficient\": 0.1, \"interface\": {\"kinetic\": 0.2}}]}",
                  "", input, "contact.friction_pairs[0]: interface.kinetic", "at most");
}

int main(void)
{
    RUN(energies_of_sliding);
    RUN(derivatives);
    RUN(slope_with_two_coefficients);
    RUN(grain);
    RUN(coefficients_by_a_table);
    RUN(cohesion);
    RUN(refused_by_name);
    return TEST_END();
}

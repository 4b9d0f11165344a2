/* Loads on surfaces: dead tractions and pressures that follow, on elements of all kinds and orders,
 * against solutions in closed form; boundary conditions on nodes of higher order. */
#include "test.h"

#include "base/random.h"
#include "sim/sim.h"
#include "support/differences.h"

#include <abut/abut.h>

static abut_error err;

static abut_sim *make(const char *text)
{
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &sim, &err), err);
    return sim;
}

/* Mean of component k over the nodes of body 0 with coordinate `axis` at rest at `at`. */
static double mean_at(abut_sim *sim, const double *rest, int axis, double at, int k)
{
    abut_body body;
    double sum = 0;
    int count = 0;
    CHECK(abut_sim_body(sim, 0, &body));
    const double *x = abut_sim_positions(sim);
    for (size_t i = body.first_node; i < body.first_node + body.node_count; i++)
        if (fabs(rest[3 * i + (size_t)axis] - at) < 1e-9) {
            sum += x[3 * i + (size_t)k];
            count++;
        }
    CHECK(count > 0);
    return sum / count;
}

static double *copy_positions(abut_sim *sim)
{
    abut_body body;
    CHECK(abut_sim_body(sim, 0, &body));
    size_t n = 3 * (body.first_node + body.node_count);
    double *copy = malloc(n * sizeof *copy);
    memcpy(copy, abut_sim_positions(sim), n * sizeof *copy);
    return copy;
}

/* A bar under a load at its end, in one quasi-static step. */
static abut_sim *bar(const char *shape, int order, bool planar, const char *law, const char *loads,
                     double young, double poisson)
{
    char text[3000];
    snprintf(text, sizeof text,
             "{\"abut\": 1, \"planar\": %s, \"time\": {\"step\": 1, \"end\": 1, \"integrator\": "
             "\"quasi-static\"}, \"gravity\": [0, 0, 0], \"contact\": {\"enabled\": false}, "
             "\"solver\": {\"tolerance\": 1e-12}, \"bodies\": [{\"name\": \"bar\", \"mesh\": %s, "
             "\"order\": %d, \"material\": {\"model\": \"%s\", \"young\": %g, \"poisson\": %g}, "
             "\"boundary\": [{\"number\": 1, \"box\": [[-9, -9, -9], [-0.99, 9, 9]]}, "
             "{\"number\": 2, \"side\": {\"point\": [0.99, 0, 0], \"normal\": [1, 0, 0]}}], "
             "\"fix\": [{\"nodes\": {\"boundary\": 1}, \"axes\": \"x\"}, "
             "{\"nodes\": {\"box\": [[-9, -9, -9], [9, -0.249, 9]]}, \"axes\": \"y\"}%s], "
             "\"surface_loads\": [%s]}]}",
             planar ? "true" : "false", shape, order, law, young, poisson,
             planar ? ""
                    : ", {\"nodes\": {\"box\": [[-9, -9, -9], [9, 9, -0.249]]}, \"axes\": "
                      "\"z\"}",
             loads);
    return make(text);
}

static const char box[] = "{\"box\": {\"size\": [2, 0.5, 0.5], \"cells\": [2, 1, 1]}}";
/* Two quads in the plane; two hexes. */
static const char quads[] =
    "{\"given\": {\"vertices\": [[-1,-0.25,0],[0,-0.25,0],[1,-0.25,0],[-1,0.25,0],[0,0.25,0],"
    "[1,0.25,0]], \"triangles\": [[0,1,4],[0,4,3],[1,2,5],[1,5,4]]}}";

/* Uniaxial stress: stretch T/E, and -nu T/E across. All orders have it exactly. */
TEST(traction_pulls_a_bar)
{
    for (int order = 1; order <= 4; order++)
        for (int kind = 0; kind < 2; kind++) {
            const char *pull = kind ? "{\"boundary\": 2, \"normal\": \"1e3*t\"}"
                                    : "{\"boundary\": 2, \"traction\": [\"1e3 + 0*y\", 0, 0]}";
            abut_sim *sim = bar(box, order, false, "linear", pull, 1e5, 0.3);
            if (!sim) return;
            double *rest = copy_positions(sim);
            CHECK_OK(abut_sim_step(sim, &err), err);
            CHECK_NEAR(mean_at(sim, rest, 0, 1, 0), 1 + 2 * 1e3 / 1e5, 1e-10);
            CHECK_NEAR(mean_at(sim, rest, 1, 0.25, 1), 0.25 - 0.5 * 0.3 * 1e3 / 1e5, 1e-10);
            free(rest);
            abut_sim_destroy(sim);
        }
}

/* Plane strain: E/(1 - nu^2) along, and -nu/(1 - nu) across. */
TEST(traction_in_the_plane)
{
    for (int order = 1; order <= 3; order++) {
        abut_sim *sim = bar(quads, order, true, "linear",
                            "{\"boundary\": 2, \"traction\": [1000, 0, 0]}", 1e5, 0.3);
        if (!sim) return;
        double *rest = copy_positions(sim), strain = 1e3 / 1e5 * (1 - 0.09);
        CHECK_OK(abut_sim_step(sim, &err), err);
        CHECK_NEAR(mean_at(sim, rest, 0, 1, 0), 1 + 2 * strain, 1e-10);
        CHECK_NEAR(mean_at(sim, rest, 1, 0.25, 1), 0.25 - 0.5 * strain * 0.3 / 0.7, 1e-10);
        free(rest);
        abut_sim_destroy(sim);
    }
}

/* A neo-Hookean block under pressure from all sides: (mu (s^2 - 1) + 3 lambda ln s)/s^3 = -p. */
TEST(pressure_from_all_sides)
{
    double young = 1e5, poisson = 0.3, p = 4e4;
    double mu = young / 2.6, lambda = young * poisson / (1.3 * 0.4), low = 0.3, high = 1;
    for (int i = 0; i < 100; i++) {
        double s = 0.5 * (low + high);
        double stress = (mu * (s * s - 1) + 3 * lambda * log(s)) / (s * s * s);
        *(stress < -p ? &low : &high) = s;
    }
    for (int order = 1; order <= 2; order++) {
        /* The sides that are fixed push back by themselves. */
        abut_sim *sim =
            bar(box, order, false, "neo-hookean", "{\"pressure\": 4e4}", young, poisson);
        if (!sim) return;
        double *rest = copy_positions(sim);
        CHECK_OK(abut_sim_step(sim, &err), err);
        CHECK_NEAR(mean_at(sim, rest, 0, 1, 0) + 1, 2 * low, 1e-8);
        CHECK_NEAR(mean_at(sim, rest, 1, 0.25, 1) + 0.25, 0.5 * low, 1e-8);
        free(rest);
        abut_sim_destroy(sim);
    }
}

/* Pressure on one end only: the border of the loaded face is free, so that the force is right at
 * the start of steps. A long sequence of steps at constant load comes to rest where the nominal
 * stress is the pressure times the change of area. */
TEST(pressure_on_a_free_end)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"abut\": 1, \"time\": {\"step\": 1, \"steps\": 8, \"integrator\": "
        "\"quasi-static\"}, \"gravity\": [0, 0, 0], \"contact\": {\"enabled\": false}, "
        "\"solver\": {\"tolerance\": 1e-12}, \"bodies\": [{\"name\": \"bar\", \"mesh\": %s, "
        "\"material\": {\"model\": \"neo-hookean\", \"young\": 1e5, \"poisson\": 0.3}, "
        "\"boundary\": [{\"number\": 2, \"side\": {\"point\": [0.99, 0, 0], \"normal\": [1, 0, "
        "0]}}], \"fix\": [{\"nodes\": {\"box\": [[-9, -9, -9], [-0.99, 9, 9]]}, \"axes\": "
        "\"x\"}, {\"nodes\": {\"box\": [[-9, -9, -9], [9, -0.249, 9]]}, \"axes\": \"y\"}, "
        "{\"nodes\": {\"box\": [[-9, -9, -9], [9, 9, -0.249]]}, \"axes\": \"z\"}], "
        "\"surface_loads\": {\"boundary\": 2, \"pressure\": 2e4}}]}",
        box);
    abut_sim *sim = make(text);
    if (!sim) return;
    double *rest = copy_positions(sim);
    for (int i = 0; i < 8; i++) CHECK_OK(abut_sim_step(sim, &err), err);
    double along = (mean_at(sim, rest, 0, 1, 0) + 1) / 2;
    double across = (mean_at(sim, rest, 1, 0.25, 1) + 0.25) / 0.5;
    double mu = 1e5 / 2.6, lambda = 3e4 / (1.3 * 0.4), volume = log(along * across * across);
    /* Cauchy stress -p along, 0 across. */
    CHECK_NEAR((mu * (along * along - 1) + lambda * volume) / (along * across * across), -2e4, 20);
    CHECK_NEAR(mu * (across * across - 1) + lambda * volume, 0, 20);
    free(rest);
    abut_sim_destroy(sim);
}

/* Loads begin and end with their window. */
TEST(windows)
{
    abut_sim *sim = make(
        "{\"abut\": 1, \"time\": {\"step\": 0.1, \"steps\": 3}, \"gravity\": [0, 0, 0], "
        "\"contact\": {\"enabled\": false}, \"bodies\": [{\"name\": \"free\", \"mesh\": {\"box\": "
        "{\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}, \"material\": {\"young\": 1e9, \"poisson\": "
        "0.3, \"density\": 100}, \"boundary\": {\"number\": 7, \"box\": [[-1, 0.49, -1], [1, 1, "
        "1]]}, \"surface_loads\": {\"boundary\": 7, \"traction\": [0, 50, 0], \"from\": 0.1, "
        "\"until\": 0.2}}]}");
    if (!sim) return;
    double *rest = copy_positions(sim), expected[] = {0, 0.1 * 0.1 * 0.5, 2 * 0.1 * 0.1 * 0.5};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(abut_sim_step(sim, &err), err);
        CHECK_NEAR(mean_at(sim, rest, 1, -0.5, 1) + 0.5, expected[i], 1e-6);
    }
    free(rest);
    abut_sim_destroy(sim);
}

/* A fixed part of the boundary holds the nodes on its edges and faces as well. */
TEST(parts_hold_nodes_of_all_orders)
{
    for (int order = 1; order <= 4; order++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "{\"abut\": 1, \"time\": {\"step\": 0.1, \"steps\": 1}, \"contact\": "
                 "{\"enabled\": false}, \"bodies\": [{\"name\": \"block\", \"order\": %d, "
                 "\"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}, \"material\": "
                 "{\"young\": 1e4, \"poisson\": 0.3}, \"boundary\": {\"number\": 7, \"box\": [[-1, "
                 "0.49, -1], [1, 1, 1]]}, \"fix\": {\"nodes\": {\"boundary\": 7}}}]}",
                 order);
        abut_sim *sim = make(text);
        if (!sim) return;
        double *rest = copy_positions(sim);
        abut_body body;
        CHECK(abut_sim_body(sim, 0, &body));
        CHECK_OK(abut_sim_step(sim, &err), err);
        int fixed = 0;
        for (size_t i = 0; i < body.node_count; i++) {
            if (fabs(rest[3 * i + 1] - 0.5) > 1e-9) continue;
            fixed++;
            CHECK(memcmp(rest + 3 * i, abut_sim_positions(sim) + 3 * i, 24) == 0);
        }
        CHECK(fixed == (order + 1) * (order + 1));
        free(rest);
        abut_sim_destroy(sim);
    }
}

/* Gradient and true Hessian of pressures, beside those of the bodies, by differences. */
TEST(derivatives_of_pressure)
{
    random_state random = {3};
    for (int planar = 0; planar < 2; planar++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "{\"abut\": 1, \"planar\": %s, \"time\": {\"step\": 0.1, \"end\": 1}, \"gravity\": "
            "[0, 0, 0], \"contact\": {\"enabled\": false}, \"bodies\": [{\"mesh\": %s, "
            "\"material\": "
            "{\"model\": \"linear\", \"young\": 1, \"poisson\": 0.3, \"density\": 1}, "
            "\"boundary\": "
            "[{\"number\": 1, \"box\": [[-9, -9, -9], [9, 9, 9]]}], \"surface_loads\": "
            "[{\"boundary\": 1, \"pressure\": 300}]}]}",
            planar ? "true" : "false", planar ? quads : box);
        abut_sim *sim = make(text);
        if (!sim) return;
        abut_sim_step(sim, &err); /* the pressure acts from the first step on */
        problem *p = &sim->stepper->problem;
        double x[MAX_N];
        int n = 3 * p->block_count;
        for (int i = 0; i < n; i++)
            x[i] = sim->stepper->state.x[i] +
                   (planar && i % 3 == 2 ? 0 : 0.2 * random_range(&random, -1, 1));
        difference_hessian(p, x, 1e-3, expected_h);
        for (int i = 2; planar && i < n; i += 3) /* what is fixed in the plane */
            for (int k = 0; k < n; k++) expected_h[n * i + k] = expected_h[n * k + i] = k == i;
        check_true_hessian(p, x, 1e-7);
        if (!planar) check_gradient(p, x, 1e-3, 1e-7);
        abut_sim_destroy(sim);
    }
}

int main(void)
{
    RUN(traction_pulls_a_bar);
    RUN(traction_in_the_plane);
    RUN(pressure_from_all_sides);
    RUN(pressure_on_a_free_end);
    RUN(windows);
    RUN(parts_hold_nodes_of_all_orders);
    RUN(derivatives_of_pressure);
    return TEST_END();
}

/* Scenes with viscous, plastic, fibre and growing materials, for every kind of element: closed
 * forms, resuming bit for bit, resets, sub-steps, and what is refused by name. */
#include "test.h"

#include "base/file.h"
#include "measure/stress_fields.h"
#include "sim/sim.h"

#include <abut/sim.h>
#include <unistd.h>

static char folder[64];
static abut_error err;

/* A unit cube of one hexahedron. */
static const char HEX[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n"
                          "1 -.5 -.5 -.5\n2 .5 -.5 -.5\n3 .5 .5 -.5\n4 -.5 .5 -.5\n"
                          "5 -.5 -.5 .5\n6 .5 -.5 .5\n7 .5 .5 .5\n8 -.5 .5 .5\n$EndNodes\n"
                          "$Elements\n1\n1 5 2 0 1 1 2 3 4 5 6 7 8\n$EndElements\n";
#define BOX "{\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}"
/* Rollers on three sides; the fourth is moved. */
#define ROLLERS                                                                                    \
    "{\"nodes\": {\"box\": [[-0.6, -1, -1], [-0.4, 1, 1]]}, \"axes\": \"x\"},"                     \
    "{\"nodes\": {\"box\": [[-1, -0.6, -1], [1, -0.4, 1]]}, \"axes\": \"y\"},"                     \
    "{\"nodes\": {\"box\": [[-1, -1, -0.6], [1, 1, -0.4]]}, \"axes\": \"z\"}"
#define PULLED(along)                                                                              \
    ", {\"nodes\": {\"box\": [[0.4, -1, -1], [0.6, 1, 1]]}, \"axes\": \"x\", \"displacement\": "   \
    "[\"" along "\", 0, 0]}"

static abut_sim *make(const char *time, const char *material, const char *shape, int order,
                      const char *more)
{
    char text[3000], path[200];
    abut_sim *sim = NULL;
    snprintf(text, sizeof text,
             "{\"abut\": 1, \"gravity\": [0, 0, 0], \"time\": {%s}, \"contact\": {\"enabled\": "
             "false}, \"solver\": {\"tolerance\": 1e-9}, \"bodies\": [{\"name\": \"cube\", "
             "\"mesh\": %s, \"order\": %d, \"material\": {%s}, \"fix\": [" ROLLERS "%s]}]}",
             time, shape, order, material, more);
    path_join(path, sizeof path, folder, "scene.json");
    CHECK_OK(abut_sim_create(text, strlen(text), path, NULL, &sim, &err), err);
    return sim;
}

static void advance(abut_sim *sim, int steps)
{
    for (int k = 0; sim && k < steps; k++) CHECK_OK(abut_sim_step(sim, &err), err);
}

static const char *const meshes[] = {BOX, BOX, BOX, "\"hex.msh\"", "\"hex.msh\""};
static const int orders[] = {1, 2, 3, 1, 2};
enum { KINDS = 5 };

/* The numbers of every element, checked one by one. */
static void check_all(const abut_sim *sim, int number, double expected, double tolerance)
{
    stress_fields f = {0};
    const model *m = sim->stepper->model;
    CHECK_OK(stress_fields_measure(&f, sim->stepper, &err), err);
    size_t elements = m->sets.count ? m->sets.data[0].count : 0;
    CHECK(m->tet_count + elements > 0);
    for (size_t e = 0; e < m->tet_count; e++)
        CHECK_NEAR(f.tets.data[STRESS_NUMBERS * e + (size_t)number], expected, tolerance);
    for (size_t e = 0; e < elements; e++)
        CHECK_NEAR(f.sets.data[STRESS_NUMBERS * e + (size_t)number], expected, tolerance);
    stress_fields_free(&f);
}

/* Stretched to 1.1: tau = s0 + E H / (E + H) (eps - s0/E), for tets, hexes and high order. */
TEST(bar_yields)
{
    for (int k = 0; k < KINDS; k++) {
        abut_sim *sim = make("\"step\": 1, \"steps\": 4, \"integrator\": \"quasi-static\"",
                             "\"model\": \"hencky\", \"young\": 2e5, \"poisson\": 0.3, "
                             "\"plasticity\": {\"yield\": 250, \"hardening\": 1000}",
                             meshes[k], orders[k], PULLED("0.025*t"));
        if (!sim) continue;
        advance(sim, 4);
        double strain = log(1.1), stress = 250 + 2e8 / 201e3 * (strain - 250 / 2e5);
        double j = exp(stress * (1 - 0.6) / 2e5); /* Kirchhoff's pressure by the bulk modulus */
        check_all(sim, 17, strain - stress / 2e5, 1e-8);
        check_all(sim, 0, stress / j, 1e-4);
        check_all(sim, 1, 0, 1e-4);
        double a = strain - stress / 2e5;
        check_all(sim, 18, 250 * a + 500 * a * a, 1e-5);
        abut_sim_destroy(sim);
    }
}

/* Kept after one step of stretch: the stress goes from its first value to that of the
 * elastic law alone. */
TEST(stress_relaxes)
{
    for (int k = 0; k < KINDS; k++) {
        abut_sim *sim = make("\"step\": 0.5, \"steps\": 60, \"integrator\": \"quasi-static\"",
                             "\"young\": 2, \"poisson\": 0, \"viscous\": [{\"shear\": 1.5, "
                             "\"time\": 2}]",
                             meshes[k], orders[k], PULLED("0.001*min(1, 1e9*t)"));
        if (!sim) continue;
        stress_fields f = {0};
        double last = INFINITY;
        for (int step = 0; step < 12; step++) {
            advance(sim, 1);
            CHECK_OK(stress_fields_measure(&f, sim->stepper, &err), err);
            double now = f.tets.count > STRESS_NUMBERS ? f.tets.data[0] : f.sets.data[0];
            CHECK(now < last && now > 2e-3);
            last = now;
        }
        advance(sim, 48);
        check_all(sim, 0, 0.002, 4e-6); /* E eps */
        stress_fields_free(&f);
        abut_sim_destroy(sim);
    }
}

/* Muscle: an isotropic cube with an active tension shortens along it until the stress balances. */
TEST(active_fibres_shorten)
{
    for (int k = 0; k < KINDS; k++) {
        abut_sim *sim = make("\"step\": 1, \"steps\": 2, \"integrator\": \"quasi-static\"",
                             "\"young\": 3, \"poisson\": 0, \"fibres\": [{\"direction\": [2, 0, "
                             "0], \"active\": \"0.5*t\"}]",
                             meshes[k], orders[k], "");
        if (!sim) continue;
        advance(sim, 2);
        /* mu (l - 1/l) + T = 0 with T = 1, mu = 1.5, no lateral effect. */
        double l = (-1 + sqrt(1 + 9)) / 3;
        check_all(sim, 14, l, 1e-7);
        check_all(sim, 0, 0, 1e-7);
        abut_sim_destroy(sim);
    }
}

/* Free growth takes the shape without stress; a clamped bar has -E (ln g) at small strain. */
TEST(growth)
{
    for (int k = 0; k < KINDS; k++) {
        const char *material = "\"model\": \"hencky\", \"young\": 2, \"poisson\": 0.3, "
                               "\"growth\": [\"1 + 0.2*t\", \"1\", \"1 - 0.1*t\"]";
        abut_sim *sim = make("\"step\": 1, \"steps\": 2, \"integrator\": \"quasi-static\"",
                             material, meshes[k], orders[k], "");
        if (sim) {
            advance(sim, 2);
            check_all(sim, 12, 1.4, 1e-7);
            check_all(sim, 14, 0.8, 1e-7);
            check_all(sim, 16, 0, 1e-7);
            check_all(sim, 15, 0, 1e-12);
        }
        abut_sim_destroy(sim);
        sim = make("\"step\": 1, \"steps\": 1, \"integrator\": \"quasi-static\"",
                   "\"model\": \"hencky\", \"young\": 2, \"poisson\": 0.3, \"growth\": "
                   "[\"exp(1e-3*t)\", \"exp(1e-3*t)\", \"exp(1e-3*t)\"]",
                   meshes[k], orders[k], PULLED("0"));
        if (sim) {
            advance(sim, 1);
            check_all(sim, 0, -2e-3, 1e-5);
        }
        abut_sim_destroy(sim);
    }
}

#define EVERYTHING                                                                                 \
    "\"model\": \"hencky\", \"young\": 1e4, \"poisson\": 0.3, \"density\": 10, \"plasticity\": "   \
    "{\"yield\": 100, \"hardening\": 500, \"viscosity\": 1}, \"viscous\": [{\"shear\": 900, "      \
    "\"time\": 0.02}], \"fibres\": [{\"direction\": [1, \"x\", 1], \"stiffness\": 500, "           \
    "\"exponent\": 1, \"active\": \"100*t\"}], \"growth\": [\"1 + t\", 1, 1]"

/* A checkpoint holds all of it: a run that goes on from there has the same bits, in a new
 * simulation and after a reset in the same one. */
TEST(resumes_bit_for_bit)
{
    for (int k = 0; k < KINDS; k++) {
        const char *time = "\"step\": 0.01, \"steps\": 8", *move = PULLED("0.2*sin(40*t)");
        char path[200];
        path_join(path, sizeof path, folder, "checkpoint.h5");
        abut_sim *whole = make(time, EVERYTHING, meshes[k], orders[k], move);
        abut_sim *part = make(time, EVERYTHING, meshes[k], orders[k], move);
        if (!whole || !part) continue;
        size_t bytes = 3 * abut_sim_node_count(whole) * sizeof(double);
        advance(whole, 4);
        CHECK_OK(abut_sim_save(whole, path, &err), err);
        CHECK(elastic_state_dissipated(&whole->stepper->elastic->state, whole->stepper->model) > 0);
        advance(whole, 4);
        CHECK_OK(abut_sim_restore(part, path, &err), err);
        const material_moment *moment = part->stepper->elastic->state.moments.data;
        CHECK(moment->h == 0 && moment->tension[0] == 4);
        CHECK_NEAR(moment->growth[0], 1.04, 1e-15);
        CHECK(whole->stepper->elastic->state.moments.data->h == 0);
        advance(part, 4);
        CHECK(memcmp(abut_sim_positions(whole), abut_sim_positions(part), bytes) == 0);
        CHECK_OK(abut_sim_restore(whole, path, &err), err);
        advance(whole, 4);
        CHECK(memcmp(abut_sim_positions(whole), abut_sim_positions(part), bytes) == 0);
        abut_sim_destroy(whole);
        abut_sim_destroy(part);
    }
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

#define SCENE(top, material, body)                                                                 \
    "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 3}" top ", \"bodies\": [{\"name\": "      \
    "\"b\", \"mesh\": " BOX ", \"material\": {\"young\": 1e5, \"poisson\": 0.3, " material         \
    "}" body "}]}"
#define VISCOUS "\"viscous\": [{\"shear\": 1, \"time\": 1}]"

TEST(refused_by_name)
{
    const abut_status input = ABUT_ERROR_INPUT, unsupported = ABUT_ERROR_UNSUPPORTED;
    check_refused(SCENE("", "\"plasticity\": {\"yield\": 5}", ""), input, "plasticity",
                  "is for the model \"hencky\", not \"neo-hookean\"");
    check_refused(SCENE("",
                        "\"model\": \"hencky\", \"plasticity\": {\"yield\": 5, \"hardening\": "
                        "-1}",
                        ""),
                  input, "hardening", "must be a number >= 0 (Pa), found -1");
    check_refused(SCENE("",
                        "\"model\": \"hencky\", \"plasticity\": {\"yield\": 1e5, "
                        "\"saturation\": 1e4, \"rate\": 10}",
                        ""),
                  input, "plasticity", "must be above -3 G = -115385 Pa");
    check_refused(SCENE("",
                        "\"model\": \"hencky\", \"plasticity\": {\"yield\": 5, "
                        "\"saturation\": 6}",
                        ""),
                  input, "plasticity", "\"saturation\" needs a \"rate\" above 0");
    check_refused(SCENE("", "\"viscous\": [{\"shear\": -1, \"time\": 1}]", ""), input,
                  "viscous[0].shear", "must be a number > 0 (Pa)");
    check_refused(SCENE("", "\"viscous\": [{\"shear\": 1, \"time\": 0}]", ""), input,
                  "viscous[0].time", "must be a number > 0 (s)");
    check_refused(SCENE("", VISCOUS ", \"barrier\": 5", ""), input, "barrier",
                  "is not for materials with \"viscous\"");
    check_refused(SCENE("", "\"fibres\": [{\"direction\": [0, 0, 0], \"stiffness\": 1}]", ""),
                  input, "b", "the direction has no length at");
    check_refused(SCENE("", "\"fibres\": [{\"direction\": [1, 0, 0], \"dispersion\": 0.5}]", ""),
                  input, "dispersion", "must be");
    check_refused(SCENE("", "\"fibres\": [{\"direction\": [1, 0, 0], \"active\": \"-t\"}]", ""),
                  input, "b", "material.active is -0.01 at t = 0.01 s; it must be 0 Pa or more");
    check_refused(SCENE("", "\"growth\": [1, 0, 1]", ""), input, "b",
                  "material.growth is 0 at t = 0 s; it must be a stretch from 0.01 to 100");
    check_refused(SCENE(", \"stepper\": \"mlcp\"", VISCOUS, ""), unsupported, "stepper",
                  "such as that of \"b\"");
    check_refused(SCENE(", \"remesh\": {}", VISCOUS, ""), unsupported, "remesh",
                  "such as that of \"b\"");
    check_refused(SCENE("", VISCOUS, ", \"type\": \"rigid\""), input, "material",
                  "has \"viscous\", which is for deformable bodies only");
}

int main(void)
{
    char path[200];
    snprintf(folder, sizeof folder, "/tmp/abut_materials_XXXXXX");
    CHECK(mkdtemp(folder));
    path_join(path, sizeof path, folder, "hex.msh");
    CHECK_OK(atomic_write(path, HEX, strlen(HEX), &err), err);
    RUN(bar_yields);
    RUN(stress_relaxes);
    RUN(active_fibres_shorten);
    RUN(growth);
    RUN(resumes_bit_for_bit);
    RUN(refused_by_name);
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK(system(command) == 0);
    return TEST_END();
}

/* Bodies of every kind, with lumped or consistent mass, elements of several kinds and extra masses,
 * fall at g, and their kinetic energy is that of their mass. */
#include "test.h"

#include "base/file.h"
#include "scene/build.h"

#include <unistd.h>

static abut_error err;
static const double G = 9.81, H = 0.01, PI = 3.14159265358979323846;

static stepper *build(const char *body, bool planar)
{
    char text[2000];
    scene_def *scene = NULL;
    stepper *s = NULL;
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 0.01, 'steps': 4}, 'planar': %s, 'contact': {'enabled': "
             "false}, 'solver': {'tolerance': 1e-9}, 'bodies': [{%s, 'material': {'young': 1e6, "
             "'poisson': 0.3, 'density': 1000}}]}",
             planar ? "true" : "false", body);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    CHECK_OK(atomic_write("mass.json", text, strlen(text), &err), err);
    CHECK_OK(scene_load("mass.json", NULL, 0, NULL, &scene, &err), err);
    if (scene) CHECK_OK(scene_build(scene, NULL, &s, &err), err);
    scene_free(scene);
    return s;
}

static void falls(const char *body, bool planar, double mass)
{
    stepper *s = build(body, planar);
    step_statistics now;
    double weight = 0;
    if (!s) return;
    int before = test_failures_;
    for (size_t i = 0; i < s->model->load_mass.count; i++) weight += s->model->load_mass.data[i];
    CHECK_NEAR(weight, mass, 1e-9 * mass);
    for (int n = 1; n <= 4; n++) {
        CHECK_OK(stepper_advance(s, &now, &err), err);
        for (size_t i = 0; i < s->model->rest.count; i++) {
            if (!model_block_is_position(s->model, i)) continue;
            CHECK_NEAR(s->state.v[3 * i + 1], -G * H * n, 1e-7);
        }
        double kinetic = 0.5 * mass * G * G * H * H * n * n;
        CHECK_NEAR(now.kinetic, kinetic, 1e-6 * kinetic);
        CHECK_NEAR(now.linear_momentum.y, -mass * G * H * n, 1e-6 * mass);
    }
    if (test_failures_ > before) printf("  %s\n", body);
    stepper_destroy(s);
}

#define BOX "'mesh': {'box': {'size': [0.2, 0.2, 0.2], 'cells': [2, 1, 1]}}"
#define EXTRA ", 'weights': {'mass': 0.5}"

TEST(solids)
{
    static const char *const elements[] = {
        "", ", 'order': 2", ", 'order': 3", ", 'surface': {'segments': 2}",
        ", 'regions': {'box': [[0, -1, -1], [1, 1, 1]], 'material': {'young': 2e6, 'poisson': 0.2, "
        "'density': 1000}}"};
    static const int nodes[] = {12, 45, 112, 12, 12};
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++)
        for (int consistent = 0; consistent < 2; consistent++)
            for (int extra = 0; extra < 2; extra++) {
                char body[600];
                snprintf(body, sizeof body, BOX "%s%s%s", elements[k],
                         consistent ? ", 'mass': 'consistent'" : "", extra ? EXTRA : "");
                falls(body, false, 8 + (extra ? 0.5 * nodes[k] : 0));
            }
}

TEST(planar_solids)
{
    for (int consistent = 0; consistent < 2; consistent++)
        for (int extra = 0; extra < 2; extra++) {
            char body[400];
            snprintf(body, sizeof body,
                     "'mesh': {'grid': {'size': [0.2, 0.2], 'cells': [1, 1]}}, 'rotate': [90, 0, 0]"
                     "%s%s",
                     consistent ? ", 'mass': 'consistent'" : "", extra ? EXTRA : "");
            falls(body, true, 40 + (extra ? 0.5 * 4 : 0));
        }
}

TEST(other_kinds)
{
    static const char *const extras[] = {"", EXTRA};
    for (int k = 0; k < 2; k++) {
        char body[400];
        snprintf(body, sizeof body,
                 "'type': 'shell', 'mesh': {'grid': {'size': [0.2, 0.2], 'cells': [1, 1]}}, "
                 "'shell': {'thickness': 1e-3}%s",
                 extras[k]);
        falls(body, false, 0.04 + 0.5 * 4 * k);
        snprintf(body, sizeof body,
                 "'type': 'rod', 'mesh': {'polyline': {'from': [0, 0, 0], 'to': [1, 0, 0], "
                 "'segments': 3}}, 'rod': {'diameter': 0.02, 'twist_scale': 1}%s",
                 extras[k]);
        falls(body, false, 1000 * PI * 1e-4 + 0.5 * 4 * k);
        snprintf(body, sizeof body,
                 "'type': 'particles', 'mesh': {'lattice': {'counts': [2, 2, 2], 'spacing': 0.1}}, "
                 "'particles': {'radius': 0.01}%s",
                 extras[k]);
        falls(body, false, 8 * 1000 * 4e-6 / 3 * PI + 0.5 * 8 * k);
    }
    falls("'type': 'rigid', " BOX, false, 8);
    falls("'type': 'affine', " BOX, false, 8);
}

/* The lumped masses of other bodies stay when a body beside them has the consistent one. */
TEST(beside_a_consistent_body)
{
    falls(BOX ", 'mass': 'consistent', 'material': {'young': 1e6, 'poisson': 0.3}}, {'type': "
              "'rigid', " BOX
              ", 'translate': [1, 0, 0], 'density': 1000}, {'name': 'c', 'type': 'shell', 'mesh': "
              "{'grid': {'size': [0.2, 0.2], 'cells': [1, 1]}}, 'shell': {'thickness': 1e-3}",
          false, 16.04);
}

int main(void)
{
    char folder[] = "/tmp/abut-masses-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) return EXIT_FAILURE;
    RUN(solids);
    RUN(planar_solids);
    RUN(other_kinds);
    RUN(beside_a_consistent_body);
    if (unlink("mass.json") != 0 || rmdir(folder) != 0) printf("%s stays\n", folder);
    return TEST_END();
}

/* Elements whose change of volume counts by its mean: derivatives, that homogeneous deformations
 * are those of other elements, stresses, no locking, and what is refused. */
#include "test.h"

#include "base/file.h"
#include "base/random.h"
#include "sim/sim.h"
#include "support/term_differences.h"
#include "term/dilatation.h"

#include <abut/sim.h>
#include <unistd.h>

static abut_error err;
static char folder[64];

static abut_sim *make(const char *scene)
{
    abut_sim *sim = NULL;
    char path[200];
    path_join(path, sizeof path, folder, "scene.json");
    CHECK_OK(abut_sim_create(scene, strlen(scene), path, NULL, &sim, &err), err);
    return sim;
}

/* A cell of 8 and one of 4 corners, Gmsh's numbers of kinds 5 and 3. */
static void write_cells(void)
{
    static const char *const names[] = {"hex.msh", "quad.msh"};
    static const char *const texts[] = {
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 "
        "0 1\n6 1 0 1.1\n7 1 1 1\n8 0 1 1\n9 2 0 0\n10 2 1 0\n11 2 0 1\n12 2 1 "
        "1\n$EndNodes\n$Elements\n2\n1 5 2 0 1 1 2 3 4 5 6 7 8\n2 5 2 0 1 2 9 10 3 6 11 12 "
        "7\n$EndElements\n",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1.2 0\n5 "
        "2 0 0\n6 2 1 0\n$EndNodes\n$Elements\n2\n1 3 2 0 1 1 2 3 4\n2 3 2 0 1 2 5 6 "
        "3\n$EndElements\n"};
    for (int k = 0; k < 2; k++) {
        char path[200];
        path_join(path, sizeof path, folder, names[k]);
        FILE *out = fopen(path, "w");
        CHECK(out && fputs(texts[k], out) >= 0 && fclose(out) == 0);
    }
}

#define TETS "{\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}"
#define TRIANGLES                                                                                  \
    "{\"given\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], \"triangles\": "     \
    "[[0, "                                                                                        \
    "1, 2], [0, 2, 3]]}}"

static void scene_text(char *text, size_t size, const char *top, const char *mesh_text,
                       const char *material, const char *body)
{
    snprintf(text, size,
             "{\"abut\": 1, \"time\": {\"step\": 1, \"steps\": 1, \"integrator\": "
             "\"quasi-static\"}, \"gravity\": [0, 0, 0], \"contact\": {\"enabled\": false}, "
             "\"solver\": {\"tolerance\": 1e-9}%s, \"bodies\": [{\"name\": \"b\", \"mesh\": %s, "
             "\"material\": {%s, \"dilatation\": \"mean\"}%s}]}",
             top, mesh_text, material, body);
}

TEST(derivatives)
{
    static const struct {
        const char *mesh_text, *top, *body;
    } cells[] = {{TETS, "", ", \"order\": 2"},
                 {"\"hex.msh\"", "", ""},
                 {"\"hex.msh\"", "", ", \"order\": 2"},
                 {TRIANGLES, ", \"planar\": true", ", \"order\": 2"},
                 {"\"quad.msh\"", ", \"planar\": true", ""}};
    static const char *const materials[] = {
        "\"young\": 1, \"poisson\": 0.45", "\"model\": \"hencky\", \"young\": 1, \"poisson\": 0.45",
        "\"model\": \"linear\", \"young\": 1, \"poisson\": 0.45"};
    random_state r = {5};
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
        for (int k = 0; k < 3; k++) {
            char text[1500];
            scene_text(text, sizeof text, cells[c].top, cells[c].mesh_text, materials[k],
                       cells[c].body);
            abut_sim *sim = make(text);
            if (!sim) return;
            size_t n = 3 * sim->stepper->model->rest.count;
            double *x = mem_alloc(n, sizeof *x);
            for (size_t i = 0; i < n; i++)
                x[i] = 1.1 * sim->stepper->state.x[i] + random_range(&r, -0.02, 0.02);
            evaluation ev = evaluation_unit();
            ev.force_factor = 0.7;
            ev.exact = true;
            check_term_derivatives(stepper_find_term(sim->stepper, "mean dilatation"), &ev, x, n,
                                   1e-6, 1e-6, 1e-6);
            mem_free(x);
            abut_sim_destroy(sim);
        }
}

static double stretched(const char *dilatation, const char *law, double *pressure)
{
    char text[1500];
    abut_sim *sim = NULL;
    snprintf(text, sizeof text,
             "{\"abut\": 1, \"time\": {\"step\": 1, \"steps\": 1, \"integrator\": "
             "\"quasi-static\"}, \"gravity\": [0, 0, 0], \"contact\": {\"enabled\": false}, "
             "\"solver\": {\"tolerance\": 1e-10}, \"bodies\": [{\"name\": \"b\", \"order\": 2, "
             "\"mesh\": " TETS ", \"material\": {\"model\": \"%s\", \"young\": 1, \"poisson\": "
             "0.4, \"dilatation\": \"%s\"}, \"fix\": [{\"nodes\": {\"box\": [[-9, -0.51, -9], [9, "
             "-0.49, 9]]}, \"axes\": \"y\"}, {\"nodes\": {\"box\": [[-0.51, -9, -9], [-0.49, 9, "
             "9]]}, \"axes\": \"x\"}, {\"nodes\": {\"box\": [[-9, -9, -0.51], [9, 9, -0.49]]}, "
             "\"axes\": \"z\"}, {\"nodes\": {\"box\": [[-9, 0.49, -9], [9, 0.51, 9]]}, \"axes\": "
             "\"y\", \"displacement\": [0, 0.3, 0]}]}]}",
             law, dilatation);
    CHECK_OK(abut_sim_create(text, strlen(text), "s.json", NULL, &sim, &err), err);
    if (!sim) return 0;
    CHECK_OK(abut_sim_step(sim, &err), err);
    const element_set *s = &sim->stepper->model->sets.data[0];
    *pressure = dilatation_pressure(s, 0, sim->stepper->state.x, sim->stepper->model->rest.data);
    double most = 0;
    for (size_t i = 0; i < sim->stepper->model->rest.count; i++)
        most = fmax(most, sim->stepper->state.x[3 * i]);
    abut_sim_destroy(sim);
    return most;
}

/* Where det F is the same everywhere, it is its mean. */
TEST(homogeneous_stretch)
{
    static const char *const models[] = {"neo-hookean", "hencky", "linear"};
    for (int k = 0; k < 3; k++) {
        double none, pressure;
        double width = stretched("pointwise", models[k], &none);
        CHECK_NEAR(stretched("mean", models[k], &pressure), width, 1e-8);
        CHECK(none == 0 && pressure > 0.05);
        double j = 1.3 * (width + 0.5) * (width + 0.5), lambda = 0.4 / (1.4 * 0.2);
        if (k == 0) CHECK_NEAR(pressure, lambda * log(j) / j, 1e-7);
    }
}

static void check_refused(const char *top, const char *mesh_text, const char *material,
                          const char *body, abut_status code, const char *message)
{
    char text[1500], path[200];
    abut_sim *sim = NULL;
    scene_text(text, sizeof text, top, mesh_text, material, body);
    path_join(path, sizeof path, folder, "scene.json");
    CHECK(abut_sim_create(text, strlen(text), path, NULL, &sim, &err) == code);
    CHECK(strstr(err.place, "materials.dilatation") && strstr(err.message, message));
    if (!strstr(err.message, message)) printf("  %s: %s\n", err.place, err.message);
    abut_sim_destroy(sim);
}

TEST(refused_by_name)
{
    const char *plain = "\"young\": 1, \"poisson\": 0.45";
    check_refused("", TETS, plain, "", ABUT_ERROR_INPUT, "linear tetrahedra or triangles");
    check_refused("", TETS, plain, ", \"order\": 3", ABUT_ERROR_INPUT, "order 3 and 4");
    check_refused("", TETS, "\"model\": \"fixed-corotated\", \"young\": 1, \"poisson\": 0.45",
                  ", \"order\": 2", ABUT_ERROR_INPUT, "the models are");
    check_refused("", TETS, "\"young\": 1, \"poisson\": -0.2", ", \"order\": 2", ABUT_ERROR_INPUT,
                  "Poisson's ratio must be above 0");
    check_refused("", TETS, "\"young\": 1, \"poisson\": 0.3, \"growth\": [\"1 + t\", 1, 1]",
                  ", \"order\": 2", ABUT_ERROR_INPUT, "not with growth");
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/abut_dilatation_XXXXXX");
    if (!mkdtemp(folder)) return 1;
    write_cells();
    RUN(derivatives);
    RUN(homogeneous_stretch);
    RUN(refused_by_name);
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK(system(command) == 0);
    return TEST_END();
}

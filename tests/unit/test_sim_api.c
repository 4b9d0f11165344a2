/* The simulator layer of sim.h, as a user of the library sees it. */
#include "base/memory.h"
#include "test.h"

#include <abut/abut.h>

static abut_error err;

#define BOX(name, height)                                                                          \
    "{\"name\": \"" name "\", \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, "  \
    "2]}}, \"material\": {\"model\": \"neo-hookean\", \"young\": 1e5, \"poisson\": 0.3, "          \
    "\"density\": 1000}, \"translate\": [0, " height ", 0]}"
static const char *const SCENE =
    "{\"abut\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, "
    "\"end\": 0.1}, \"bodies\": [" BOX("lower", "0") ", " BOX("upper", "0.15") "]}";

static abut_sim *make(void)
{
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(SCENE, strlen(SCENE), NULL, NULL, &sim, &err), err);
    if (!sim) exit(EXIT_FAILURE);
    return sim;
}

TEST(scene_from_memory)
{
    abut_sim *sim = make();
    CHECK(abut_sim_node_count(sim) == 54);
    CHECK(abut_sim_steps_total(sim) == 10);
    char *text = abut_sim_scene(sim);
    CHECK(text && strstr(text, "\"neo-hookean\"") && strstr(text, "\"dhat\""));
    /* What comes out goes in again. */
    abut_sim *again = NULL;
    CHECK_OK(abut_sim_create(text, strlen(text), "folder/again.json", NULL, &again, &err), err);
    free(text);
    abut_sim_destroy(again);
    abut_sim_destroy(sim);
    const char *wrong = "{\"abut\": 1, \"bodies\": 3}";
    CHECK(abut_sim_create(wrong, strlen(wrong), "mine.json", NULL, &sim, &err) == ABUT_ERROR_INPUT);
    CHECK(sim == NULL && strncmp(err.place, "mine.json: ", 11) == 0);
    abut_sim_destroy(NULL);
}

TEST(bodies_and_surface)
{
    abut_sim *sim = make();
    abut_body body;
    CHECK(abut_sim_body_count(sim) == 2);
    CHECK(!abut_sim_body(sim, 2, &body));
    CHECK(abut_sim_body(sim, 1, &body));
    CHECK(strcmp(body.name, "upper") == 0 && strcmp(body.kind, "deformable") == 0);
    CHECK(!body.kinematic);
    CHECK(body.first_node == 27 && body.node_count == 27);
    size_t edges, triangles, tets, vertices = abut_sim_vertex_count(sim);
    CHECK(vertices == 52);
    const int32_t *t = abut_sim_triangles(sim, &triangles);
    CHECK(abut_sim_edges(sim, &edges) && edges == 144);
    CHECK(triangles == 96 && body.first_triangle == 48);
    for (size_t i = 3 * body.first_triangle; i < 3 * triangles; i++)
        CHECK((size_t)t[i] >= body.first_vertex && (size_t)t[i] < vertices);
    const int32_t *tet = abut_sim_tetrahedra(sim, &tets);
    CHECK(tets == 96 && tet[4 * 48] >= 27);
    double rest[3 * 52], now[3 * 52], mass = 0;
    abut_sim_positions(sim)[1] += 0.25;
    abut_sim_rest_vertices(sim, rest);
    abut_sim_vertices(sim, now);
    double moved = 0;
    for (int i = 0; i < 3 * 52; i++) moved += fabs(now[i] - rest[i]);
    CHECK_NEAR(moved, 0.25, 1e-15);
    for (size_t i = 0; i < abut_sim_node_count(sim); i++) mass += abut_sim_masses(sim)[i];
    CHECK_NEAR(mass, 2, 1e-12);
    abut_sim_destroy(sim);
}

TEST(own_forces)
{
    abut_sim *sim = make();
    double *force = abut_sim_forces(sim);
    const double *mass = abut_sim_masses(sim);
    CHECK(force && force == abut_sim_forces(sim));
    for (size_t i = 0; i < 54; i++) force[3 * i + 2] = 3 * mass[i];
    for (int n = 0; n < 4; n++) CHECK_OK(abut_sim_step(sim, &err), err);
    for (size_t i = 0; i < 54; i++) {
        const double *v = abut_sim_velocities(sim) + 3 * i;
        CHECK_NEAR(v[2], 3 * 0.04, 1e-9);
        CHECK_NEAR(v[1], 0, 1e-9);
    }
    abut_sim_destroy(sim);
}

TEST(written_states_are_checked)
{
    abut_sim *sim = make();
    abut_state_check check;
    CHECK_OK(abut_sim_check(sim, &check, &err), err);
    CHECK(check.intersections == 0 && check.inverted == 0 && check.min_distance > 0);
    double *x = abut_sim_positions(sim);
    for (int i = 27; i < 54; i++) x[3 * i + 1] -= 0.07;
    CHECK(abut_sim_check(sim, &check, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(check.intersections > 0);
    for (int i = 27; i < 54; i++) x[3 * i + 1] += 0.07;
    CHECK_OK(abut_sim_check(sim, NULL, &err), err);
    x[4] = INFINITY;
    CHECK(abut_sim_check(sim, NULL, &err) == ABUT_ERROR_INFEASIBLE);
    CHECK(strstr(err.message, "node 1 is not finite") != NULL);
    abut_sim_destroy(sim);
}

TEST(saved_states_go_on_with_the_same_bits)
{
    char path[] = "/tmp/abut-state-XXXXXX";
    CHECK(mkdtemp(path) != NULL);
    char file[64];
    snprintf(file, sizeof file, "%s/state.h5", path);
    abut_sim *sim = make(), *again = make();
    double *v = abut_sim_velocities(sim);
    for (int i = 27; i < 54; i++) v[3 * i + 1] = -4; /* meets the other in the second step */
    CHECK_OK(abut_sim_step(sim, &err), err);
    CHECK_OK(abut_sim_save(sim, file, &err), err);
    for (int n = 0; n < 3; n++) CHECK_OK(abut_sim_step(sim, &err), err);
    CHECK_OK(abut_sim_restore(again, file, &err), err);
    abut_step_info info;
    abut_sim_info(again, &info);
    CHECK(info.step == 1 && info.time == 0.01);
    for (int n = 0; n < 3; n++) CHECK_OK(abut_sim_step(again, &err), err);
    abut_sim_info(again, &info);
    CHECK(info.contact_count > 0 && info.kappa > 0);
    CHECK(memcmp(abut_sim_positions(sim), abut_sim_positions(again), 54 * 24) == 0);
    CHECK(memcmp(abut_sim_velocities(sim), abut_sim_velocities(again), 54 * 24) == 0);
    CHECK(abut_sim_restore(again, "/nonexistent/state.h5", &err) == ABUT_ERROR_IO);
    abut_sim_destroy(sim);
    abut_sim_destroy(again);
    remove(file);
    remove(path);
}

/* A motion within `fix` does not run ahead of it: nodes are not to jump where they would be, had
 * they moved from time 0. */
TEST(motions_begin_with_their_condition)
{
    static const char *const kinds[] = {
        "\"material\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 1000}",
        "\"type\": \"rigid\", \"density\": 1000", "\"type\": \"affine\", \"density\": 1000"};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"abut\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"end\": 0.1}, "
                 "\"bodies\": [{\"name\": \"b\", %s, \"mesh\": {\"box\": {\"size\": [0.1, 0.1, "
                 "0.1]}}, \"fix\": {\"from\": 0.02, \"motion\": {\"velocity\": [3, 0, 0]}}}]}",
                 kinds[k]);
        abut_sim *sim = NULL;
        CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &sim, &err), err);
        if (!sim) continue;
        double before = abut_sim_positions(sim)[0];
        for (int step = 0; step < 5; step++) CHECK_OK(abut_sim_step(sim, &err), err);
        CHECK_NEAR(abut_sim_positions(sim)[0] - before, 3 * 0.03, 1e-9);
        abut_sim_destroy(sim);
    }
}

int main(void)
{
    RUN(scene_from_memory);
    RUN(bodies_and_surface);
    RUN(own_forces);
    RUN(motions_begin_with_their_condition);
    RUN(written_states_are_checked);
    RUN(saved_states_go_on_with_the_same_bits);
    return TEST_END();
}

/* Fields of frames against mechanics: stress and stretch of a uniform deformation, contact forces
 * that balance the change of momentum, and only what the scene asks for. */
#include "test.h"

#include "base/file.h"
#include "output/frame.h"

#include <abut/sim.h>
#include <unistd.h>

static char folder[64];

static void write_scene(const char *text)
{
    abut_error err;
    char path[200];
    path_join(path, sizeof path, folder, "scene.json");
    CHECK_OK(atomic_write(path, text, strlen(text), &err), err);
}

static abut_sim *load(void)
{
    abut_error err;
    abut_sim *sim = NULL;
    char path[200];
    path_join(path, sizeof path, folder, "scene.json");
    CHECK_OK(abut_sim_load(path, NULL, &sim, &err), err);
    return sim;
}

/* Linear momentum after each step. */
typedef struct momenta {
    double p[64][3];
    int count;
} momenta;

static bool note(void *user, const abut_step_info *info, int64_t total)
{
    (void)total;
    momenta *m = user;
    memcpy(m->p[m->count++], info->linear_momentum, sizeof m->p[0]);
    return true;
}

static void run_into(abut_sim *sim, int64_t steps, momenta *seen)
{
    abut_error err;
    char path[200];
    path_join(path, sizeof path, folder, "run");
    abut_run_options options = abut_default_run_options();
    options.folder = path;
    options.steps = steps;
    options.progress = seen ? note : NULL;
    options.progress_user = seen;
    CHECK_OK(abut_sim_run(sim, &options, &err), err);
}

static void read_frame(int step, stored_frame *f)
{
    abut_error err;
    char path[200];
    snprintf(path, sizeof path, "%s/run/frames/frame_%06d.vtu", folder, step);
    CHECK_OK(frame_read(path, f, &err), err);
}

/* The first frame of the scene after everything was stretched along x. */
static void take_stretched(double factor, stored_frame *f)
{
    abut_sim *sim = load();
    double *x = abut_sim_positions(sim);
    for (size_t i = 0; i < abut_sim_node_count(sim); i++) x[3 * i] *= factor;
    run_into(sim, 0, NULL);
    abut_sim_destroy(sim);
    read_frame(0, f);
}

/* Stretched to 1.1 times its length, neo-Hookean: sigma_1 - sigma_2 = mu (a^2 - 1) / a. */
TEST(stress_and_stretch)
{
    write_scene(
        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"contact\": {\"enabled\": false},"
        " \"bodies\": [{\"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [2, 2, 2]}},"
        "  \"material\": {\"young\": 1e5, \"poisson\": 0.3}},"
        " {\"name\": \"wall\", \"type\": \"obstacle\", \"translate\": [5, 0, 0],"
        "  \"mesh\": {\"sphere\": {\"radius\": 0.5, \"level\": 0}}}],"
        " \"output\": {\"fields\": [\"stress\", \"stretch\"]}}");
    stored_frame f;
    take_stretched(1.1, &f);
    const frame_field *stress = frame_find(&f.frame, FRAME_CELLS, FIELD_STRESS);
    const frame_field *stretch = frame_find(&f.frame, FRAME_CELLS, FIELD_STRETCH);
    CHECK(stress && stretch && stress->components == 1 && stretch->components == 1);
    CHECK(!frame_find(&f.frame, FRAME_POINTS, FIELD_VELOCITY));
    CHECK(!frame_find(&f.frame, FRAME_POINTS, FIELD_DISPLACEMENT));
    CHECK(!frame_find(&f.frame, FRAME_POINTS, FIELD_CONTACT_FORCE));
    CHECK(frame_find(&f.frame, FRAME_POINTS, FIELD_BODY) != NULL);
    double mu = 1e5 / (2 * 1.3);
    size_t solid = f.frame.blocks[0].count;
    CHECK(f.frame.blocks[0].kind == CELL_TET && frame_cell_count(&f.frame) > solid);
    for (size_t i = 0; stress && stretch && i < frame_cell_count(&f.frame); i++) {
        if (i < solid) {
            CHECK_NEAR(stretch->doubles[i], 1.1, 1e-12);
            CHECK_NEAR(stress->doubles[i], mu * (1.21 - 1) / 1.1, 1e-7);
        } else {
            CHECK(isnan(stress->doubles[i]) && isnan(stretch->doubles[i]));
        }
    }
    stored_frame_free(&f);
}

/* A sheet and a rod stretched to 1.2 times their length. Of the sheet, neo-Hookean in plane stress
 * with a = 1.2 along x and 1 along z: P = mu (s - 1/s) + lambda ln(J) / s, sigma = P s / J, and von
 * Mises' of the two principal stresses. */
TEST(thin_bodies)
{
    write_scene(
        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"contact\": {\"enabled\": false},"
        " \"materials\": {\"m\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 400}},"
        " \"bodies\": [{\"name\": \"sheet\", \"type\": \"shell\", \"material\": \"m\","
        "  \"mesh\": {\"grid\": {\"size\": [1, 1], \"cells\": [3, 2]}}, \"shell\": {\"thickness\": "
        "0.001, \"membrane\": \"neo-hookean\"}},"
        " {\"name\": \"rod\", \"type\": \"rod\", \"material\": \"m\", \"rod\": {\"diameter\": "
        "0.001},"
        "  \"mesh\": {\"polyline\": {\"from\": [0, 1, 0], \"to\": [1, 1, 0], \"segments\": 4}}}],"
        " \"output\": {\"fields\": [\"stress\", \"stretch\"]}}");
    stored_frame f;
    take_stretched(1.2, &f);
    const frame_field *stress = frame_find(&f.frame, FRAME_CELLS, FIELD_STRESS);
    const frame_field *stretch = frame_find(&f.frame, FRAME_CELLS, FIELD_STRETCH);
    double mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1 - 0.09), a = 1.2;
    double along = (mu * (a - 1 / a) + lambda * log(a) / a) * a / a, across = lambda * log(a) / a;
    double expected = sqrt(along * along - along * across + across * across);
    CHECK(stress && stretch && frame_cell_count(&f.frame) == 12 + 4);
    for (size_t i = 0; stress && stretch && i < frame_cell_count(&f.frame); i++) {
        CHECK_NEAR(stretch->doubles[i], 1.2, 1e-12);
        if (i < 12)
            CHECK_NEAR(stress->doubles[i], expected, 1e-7);
        else
            CHECK(isnan(stress->doubles[i]));
    }
    stored_frame_free(&f);
}

static vec3 sum_of(const stored_frame *f, const char *name, int32_t wanted)
{
    const frame_field *force = frame_find(&f->frame, FRAME_POINTS, name);
    const frame_field *body = frame_find(&f->frame, FRAME_POINTS, FIELD_BODY);
    vec3 sum = {0};
    CHECK(force && force->components == 3 && body);
    for (size_t i = 0; force && body && i < f->frame.point_count; i++)
        if (body->ints[i] == wanted) sum = vec3_add(sum, vec3_load(force->doubles + 3 * i));
    return sum;
}

/* A block slides on the ground with another one on it: forces between the blocks cancel, and what
 * is left is the change of momentum and the weight. */
TEST(forces_balance_momentum)
{
    write_scene(
        "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 12, \"integrator\": "
        "\"implicit-euler\"}, "
        "\"ground\": 0,"
        " \"contact\": {\"dhat\": 0.01, \"friction\": 0.4, \"friction_iterations\": 0},"
        " \"solver\": {\"tolerance\": 1e-8},"
        " \"materials\": {\"m\": {\"young\": 1e6, \"poisson\": 0.3, \"density\": 1000}},"
        " \"bodies\": [{\"mesh\": {\"box\": {\"size\": [1, 0.5, 1], \"cells\": [1, 1, 1]}}, "
        "\"material\": \"m\","
        "  \"translate\": [0, 0.258, 0], \"velocity\": [1, 0, 0]},"
        " {\"name\": \"top\", \"mesh\": {\"box\": {\"size\": [0.6, 0.4, 0.6], \"cells\": [1, "
        "1, 1]}},"
        "  \"material\": \"m\", \"translate\": [0, 0.717, 0]}],"
        " \"output\": {\"fields\": [\"contact_force\"]}}");
    momenta seen = {0};
    abut_sim *sim = load();
    run_into(sim, -1, &seen);
    abut_sim_destroy(sim);
    CHECK(seen.count == 12);
    stored_frame f;
    read_frame(12, &f);
    vec3 lower = sum_of(&f, FIELD_CONTACT_FORCE, 0), upper = sum_of(&f, FIELD_CONTACT_FORCE, 1);
    double mass = 1000 * (0.5 + 0.6 * 0.4 * 0.6), h = 0.01;
    vec3 change = vec3_sub(vec3_load(seen.p[11]), vec3_load(seen.p[10]));
    vec3 total = vec3_add(lower, upper);
    CHECK_NEAR(total.y, change.y / h + mass * 9.81, 1e-3 * mass * 9.81);
    CHECK_NEAR(total.x, change.x / h, 1e-3 * mass * 9.81);
    CHECK(total.x < -0.1 * mass * 9.81); /* friction slows it down */
    CHECK(upper.y > 0);                  /* and the upper block is carried */
    stored_frame_free(&f);
}

int main(void)
{
    strcpy(folder, "/tmp/abut_fields_XXXXXX");
    if (!mkdtemp(folder)) return 1;
    RUN(stress_and_stretch);
    RUN(thin_bodies);
    RUN(forces_balance_momentum);
    char line[200];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    if (system(line) != 0) return 1;
    return TEST_END();
}

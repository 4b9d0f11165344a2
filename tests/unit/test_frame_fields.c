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
            CHECK_NEAR(stress->doubles[i], 1e5 * 0.2, 1e-6); /* E (stretch - 1) */
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

/* A cube without lateral strain is pressed onto the ground by its moved top. Pairs count by area,
 * so that all gaps are alike: the pressure is Young's modulus times the strain that the field `gap`
 * leaves, at every point of the bottom. */
TEST(pressure_of_a_pressed_cube)
{
    write_scene(
        "{\"abut\": 1, \"time\": {\"step\": 1, \"steps\": 4, \"integrator\": \"quasi-static\"},"
        " \"gravity\": [0, 0, 0], \"ground\": 0,"
        " \"contact\": {\"dhat\": 1e-3, \"area_weighted\": true},"
        " \"solver\": {\"tolerance\": 1e-10},"
        " \"bodies\": [{\"name\": \"cube\", \"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\":"
        " [3, 3, 3]}}, \"material\": {\"model\": \"linear\", \"young\": 1e5, \"poisson\": 0},"
        "  \"translate\": [0, 0.501, 0], \"fix\": {\"nodes\": {\"box\": [[-1, 1, -1], [1, 2, 1]]},"
        "  \"motion\": {\"velocity\": [0, -0.003, 0]}}}],"
        " \"output\": {\"fields\": [\"contact_pressure\", \"gap\", \"contact_force\"],"
        "  \"reactions\": true}}");
    abut_sim *sim = load();
    run_into(sim, -1, NULL);
    abut_sim_destroy(sim);
    stored_frame f;
    read_frame(4, &f);
    const frame_field *pressure = frame_find(&f.frame, FRAME_POINTS, FIELD_CONTACT_PRESSURE);
    const frame_field *gap = frame_find(&f.frame, FRAME_POINTS, FIELD_GAP);
    CHECK(pressure && gap && pressure->components == 1 && gap->components == 1);
    int touching = 0;
    for (size_t i = 0; pressure && gap && i < f.frame.point_count; i++) {
        if (f.frame.points[i].y > 0.1) {
            CHECK(pressure->doubles[i] == 0 && isnan(gap->doubles[i]));
            continue;
        }
        touching++;
        CHECK_NEAR(gap->doubles[i], f.frame.points[i].y, 1e-12);
        double strain = (0.012 - 1e-3 + gap->doubles[i]) / 1;
        CHECK_NEAR(pressure->doubles[i], 1e5 * strain, 1e-2 * 1e5 * strain);
    }
    CHECK(touching == 16);
    stored_frame_free(&f);
}

/* Forces of one row of reactions.csv, by the name of the first of six columns. */
static bool read_reaction(int step, const char *name, double out[6])
{
    char path[200], wanted[100];
    abut_error err;
    file_bytes bytes;
    path_join(path, sizeof path, folder, "run/reactions.csv");
    CHECK_OK(file_read(path, &bytes, &err), err);
    snprintf(wanted, sizeof wanted, ",%s.fx,", name);
    const char *found = strstr(bytes.data, wanted), *at = bytes.data;
    int column = 1;
    for (const char *c = bytes.data; found && c < found; c++) column += *c == ',';
    for (int line = 0; found && line < step; line++) at = strchr(at, '\n') + 1;
    for (; found && column > 0; column--) at = strchr(at, ',') + 1;
    for (int k = 0; found && k < 6; k++) {
        char *end;
        out[k] = strtod(at, &end);
        at = end + 1;
    }
    file_free(&bytes);
    return found != NULL;
}

/* A rigid plate is pushed sideways over a soft cube whose bottom is fixed: what holds the cube
 * below carries what the plate's drive gives, by force and moment about the origin. Free bodies
 * balance. */
TEST(reactions_balance)
{
    write_scene(
        "{\"abut\": 1, \"time\": {\"step\": 0.02, \"steps\": 10, \"integrator\": "
        "\"quasi-static\"}, \"gravity\": [0, 0, 0],"
        " \"contact\": {\"dhat\": 1e-2, \"friction\": 0.3, \"friction_iterations\": 0},"
        " \"solver\": {\"tolerance\": 1e-10},"
        " \"bodies\": [{\"name\": \"cube\", \"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\":"
        " [2, 2, 2]}}, \"material\": {\"young\": 1e5, \"poisson\": 0.3},"
        "  \"fix\": {\"nodes\": {\"box\": [[-1, -1, -1], [1, -0.49, 1]]}}},"
        " {\"name\": \"plate\", \"type\": \"rigid\", \"density\": 1000, \"mesh\": {\"box\": "
        "{\"size\": [0.8, 0.2, 0.8]}}, \"translate\": [0.1, 0.609, 0.05],"
        "  \"motion\": {\"velocity\": [0.05, -0.1, 0]}}],"
        " \"output\": {\"reactions\": true}}");
    abut_sim *sim = load();
    run_into(sim, -1, NULL);
    abut_sim_destroy(sim);
    double bottom[6], drive[6], onto_cube[6], onto_plate[6];
    CHECK(read_reaction(10, "cube.fix0", bottom) && read_reaction(10, "plate.motion", drive));
    CHECK(read_reaction(10, "cube.contact", onto_cube));
    CHECK(read_reaction(10, "plate.contact", onto_plate));
    CHECK(drive[1] < -100 && fabs(drive[0]) > 10); /* it presses and drags */
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(bottom[k] + drive[k], 0, 1e-4 * fabs(drive[1]));
        CHECK_NEAR(bottom[k] + onto_cube[k], 0, 1e-4 * fabs(drive[1]));
        CHECK_NEAR(drive[k] + onto_plate[k], 0, 1e-4 * fabs(drive[1]));
    }
}

int main(void)
{
    strcpy(folder, "/tmp/abut_fields_XXXXXX");
    if (!mkdtemp(folder)) return 1;
    RUN(stress_and_stretch);
    RUN(thin_bodies);
    RUN(forces_balance_momentum);
    RUN(pressure_of_a_pressed_cube);
    RUN(reactions_balance);
    char line[200];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    if (system(line) != 0) return 1;
    return TEST_END();
}

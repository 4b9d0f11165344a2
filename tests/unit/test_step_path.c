/* The paths of steps: what frames keep of the motion between them is free of intersections also
 * where the direct path from frame to frame is not, and what is not true of them is found. */
#include "test.h"

#include "base/file.h"
#include "output/series.h"
#include "verify/verify_run.h"

#include <abut/sim.h>

static abut_error err;
static char root[64];
static const logger quiet;

/* A cube that tumbles over its edges. */
static const char scene_text[] =
    "{\"abut\": 1, \"time\": {\"step\": 0.02, \"steps\": 20}, \"contact\": {\"dhat\": 1e-4,"
    " \"friction\": 0.8}, \"solver\": {\"tolerance\": 1e-3}, \"output\": {\"every\": %d, "
    "\"checkpoint_every\": 1, \"paths\": \"%s\"}, \"bodies\": [{\"name\": \"floor\", \"type\": "
    "\"obstacle\", \"mesh\": {\"box\": {\"size\": [20, 1, 20], \"cells\": [1, 1, 1]}}, "
    "\"translate\": [0, -0.5, 0]}, {\"name\": \"cube\", \"type\": \"%s\", \"density\": 1000, "
    "\"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}, \"translate\": [0, 0.55, 0],"
    " \"velocity\": [3, 0, 0], \"angular_velocity\": [0, 0, -400]}]}";

static void folder_of(const char *name, char *out, size_t size)
{
    path_join(out, size, root, name);
}

static void make_run(const char *name, int every, const char *paths, const char *type, int steps,
                     bool resume)
{
    char text[2000], folder[256];
    int length = snprintf(text, sizeof text, scene_text, every, paths, type);
    folder_of(name, folder, sizeof folder);
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(text, (size_t)length, "cube.json", NULL, &sim, &err), err);
    if (!sim) return;
    abut_run_options options = abut_default_run_options();
    options.folder = folder;
    options.steps = steps;
    options.resume = resume;
    CHECK_OK(abut_sim_run(sim, &options, &err), err);
    abut_sim_destroy(sim);
}

static abut_status verify(const char *name, int moments, run_verification *v)
{
    char folder[256];
    folder_of(name, folder, sizeof folder);
    return verify_run_between(folder, 100, moments, &quiet, v, &err);
}

TEST(a_tumbling_cube_is_free_along_its_path)
{
    run_verification v;
    make_run("cube", 1, "auto", "rigid", -1, false);
    CHECK_OK(verify("cube", 40, &v), err);
    CHECK(v.paths && v.between == 0 && v.intersections == 0 && v.problems.count == 0);
    CHECK(v.pieces >= 20 && v.pairs > 0 && v.meetings == 0);
    CHECK(v.moments > 20 * 40); /* some steps have more than one piece */
    run_verification_free(&v);
    /* The direct path from frame to frame is not free, so that the above says something. */
    make_run("direct", 1, "none", "rigid", -1, false);
    CHECK_OK(verify("direct", 40, &v), err);
    CHECK(!v.paths && v.between > 0 && v.intersections == 0 && v.moments == 20 * 40);
    run_verification_free(&v);
    CHECK_OK(verify("direct", -1, &v), err);
    CHECK(v.moments == 0);
    run_verification_free(&v);
}

TEST(noting_paths_changes_nothing)
{
    char file_name[256];
    stored_frame a, b;
    folder_of("cube/frames/frame_000020.vtu", file_name, sizeof file_name);
    CHECK_OK(frame_read(file_name, &a, &err), err);
    folder_of("direct/frames/frame_000020.vtu", file_name, sizeof file_name);
    CHECK_OK(frame_read(file_name, &b, &err), err);
    CHECK(a.frame.path.step_count == 1 && b.frame.path.step_count == 0);
    CHECK(memcmp(a.points, b.points, a.frame.point_count * sizeof *a.points) == 0);
    stored_frame_free(&a);
    stored_frame_free(&b);
}

TEST(affine_bodies_and_seldom_frames)
{
    run_verification v;
    make_run("affine", 7, "auto", "affine", -1, false);
    CHECK_OK(verify("affine", 10, &v), err);
    CHECK(v.paths && v.between == 0 && v.moments >= 20 * 10 + 17); /* frames: 7, 14, 20 */
    run_verification_free(&v);
}

/* The path since the last frame survives an interruption. */
TEST(going_on)
{
    run_verification v;
    make_run("again", 7, "auto", "rigid", 10, false);
    make_run("again", 7, "auto", "rigid", -1, true);
    CHECK_OK(verify("again", 5, &v), err);
    CHECK(v.paths && v.between == 0 && v.moments > 100);
    run_verification_free(&v);
}

/* Writes a frame of the run "again" with another path. */
static void change_path(int64_t step, size_t place, double by, int32_t configurations)
{
    char file_name[256], name[64];
    stored_frame f;
    snprintf(name, sizeof name, "again/frames/frame_%06lld.vtu", (long long)step);
    folder_of(name, file_name, sizeof file_name);
    CHECK_OK(frame_read(file_name, &f, &err), err);
    double *numbers = f.path[0];
    CHECK(f.frame.path.kinds[0] == 0 && f.frame.path.kinds[1] == 6);
    numbers[6 * place + 1] += by; /* height of the cube's centre */
    ((int32_t *)f.path[1])[0] += configurations;
    CHECK_OK(frame_write_vtu(&f.frame, file_name, &err), err);
    stored_frame_free(&f);
}

TEST(false_paths_are_found)
{
    run_verification v;
    /* A place between two frames that is in the floor; the first place of a step does not fit. */
    change_path(14, 0, -0.5, 0);
    CHECK_OK(verify("again", 5, &v), err);
    CHECK(v.broken.count == 1 && v.broken.data[0] == 14);
    run_verification_free(&v);
    change_path(14, 0, 0.5, 0);
    CHECK_OK(verify("again", 5, &v), err);
    CHECK(v.between == 0);
    run_verification_free(&v);
    change_path(14, 0, 0, 1);
    CHECK_OK(verify("again", 5, &v), err);
    CHECK(v.broken.count == 1);
    run_verification_free(&v);
    change_path(14, 0, 0, -1);
    CHECK_OK(verify("again", 5, &v), err);
    run_verification_free(&v);
}

/* A path with a configuration in the floor, inserted between the two of a step. */
TEST(paths_through_bodies_are_found)
{
    char file_name[256];
    stored_frame f;
    make_run("through", 1, "auto", "rigid", 1, false);
    folder_of("through/frames/frame_000001.vtu", file_name, sizeof file_name);
    CHECK_OK(frame_read(file_name, &f, &err), err);
    size_t count = f.frame.path.number_count;
    double *path = mem_alloc(count + 6, sizeof *path);
    memcpy(path, f.path[0], 6 * sizeof *path);
    memcpy(path + 6, f.path[0], count * sizeof *path);
    path[6 + 1] -= 0.3;
    f.frame.path.numbers = path;
    f.frame.path.number_count += 6;
    ((int32_t *)f.path[1])[0]++;
    CHECK_OK(frame_write_vtu(&f.frame, file_name, &err), err);
    mem_free(path);
    stored_frame_free(&f);
    run_verification v;
    CHECK_OK(verify("through", -1, &v), err);
    CHECK(v.paths && v.between > 0 && v.between_depth > 0.1 && v.intersections == 0);
    CHECK(v.meetings > 0);
    CHECK(v.problems.count > 0 && v.problems.data[0].on_path && v.problems.data[0].step == 1);
    run_verification_free(&v);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/abut_path_XXXXXX");
    if (!mkdtemp(root)) return EXIT_FAILURE;
    RUN(a_tumbling_cube_is_free_along_its_path);
    RUN(noting_paths_changes_nothing);
    RUN(affine_bodies_and_seldom_frames);
    RUN(going_on);
    RUN(false_paths_are_found);
    RUN(paths_through_bodies_are_found);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command) == 0 ? TEST_END() : EXIT_FAILURE;
}

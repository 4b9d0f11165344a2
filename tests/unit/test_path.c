/* Paths of deformable bodies: frames keep enough of the accepted iterates for the verifier to prove
 * that nothing was passed through, also where every frame is clean. */
#include "test.h"

#include "base/file.h"
#include "contact/contact_term.h"
#include "output/frame_path.h"
#include "sim/remesh.h"
#include "support/scratch.h"
#include "verify/verify_run.h"

static abut_error err;
static const char *root;
static const logger quiet;

/* A sheet falls on a plate, fast. */
static const char sheet_text[] =
    "{\"abut\": 1, \"time\": {\"step\": 0.01, \"steps\": 6}, \"contact\": {\"dhat\": 1e-3}, "
    "\"output\": {\"every\": %d, \"paths\": \"%s\"}, \"bodies\": [{\"name\": \"plate\", \"type\": "
    "\"obstacle\", \"mesh\": {\"grid\": {\"size\": [0.7, 0.9], \"cells\": [2, 2]}}}, {\"name\": "
    "\"sheet\", \"type\": \"shell\", \"mesh\": {\"grid\": {\"size\": [0.5, 0.5], \"cells\": [4, "
    "4]}}, "
    "\"translate\": [0.1, 0.05, 0], \"rotate\": [0, 13, 4], \"shell\": {\"preset\": \"cotton\"}, "
    "\"velocity\": [0, -8, 0]}]}";

static abut_sim *make_sheet(int every, const char *paths)
{
    char text[2000];
    int length = snprintf(text, sizeof text, sheet_text, every, paths);
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(text, (size_t)length, "sheet.json", NULL, &sim, &err), err);
    return sim;
}

static void run_in(abut_sim *sim, const char *name, char *folder, size_t size)
{
    path_join(folder, size, root, name);
    abut_run_options options = abut_default_run_options();
    options.folder = folder;
    CHECK_OK(abut_sim_run(sim, &options, &err), err);
    abut_sim_destroy(sim);
}

static abut_status verify(const char *folder, run_verification *v)
{
    return verify_run(folder, 100, &quiet, v, &err);
}

static void frame_path_of(const char *folder, int step, char *out, size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "frames/frame_%06d.vtu", step);
    path_join(out, size, folder, name);
}

TEST(a_sheet_is_free_along_its_path)
{
    char folder[256];
    run_verification v;
    run_in(make_sheet(1, "auto"), "sheet", folder, sizeof folder);
    CHECK_OK(verify(folder, &v), err);
    CHECK(v.paths && v.pieces >= 6 && v.meetings == 0 && v.problems.count == 0);
    run_verification_free(&v);
    run_in(make_sheet(4, "auto"), "seldom", folder, sizeof folder);
    CHECK_OK(verify(folder, &v), err);
    CHECK(!v.paths && v.pieces == 0);
    run_verification_free(&v);
    run_in(make_sheet(4, "all"), "all", folder, sizeof folder);
    CHECK_OK(verify(folder, &v), err);
    CHECK(v.paths && v.pieces >= 2 && v.meetings == 0);
    run_verification_free(&v);
    run_in(make_sheet(1, "none"), "none", folder, sizeof folder);
    CHECK_OK(verify(folder, &v), err);
    CHECK(!v.paths && v.pieces == 0);
    run_verification_free(&v);
}

/* The number of configurations that are left of a path on which the sheet is moved as told. */
static size_t joined(const abut_sim *sim, const vec3 *moves, size_t count)
{
    const stepper *s = sim->stepper;
    const model_body *sheet = &s->model->bodies.data[1];
    size_t scalars = s->state.scalars;
    double *x = mem_alloc(scalars, sizeof *x);
    step_path path = {.enabled = true};
    stage_timer timer = {0};
    memcpy(x, s->state.x, scalars * sizeof *x);
    CHECK_OK(step_path_begin(&path, x, scalars, &err), err);
    for (size_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < sheet->block_count; k++) {
            double *at = x + 3 * (size_t)(sheet->first_block + k);
            vec3_store(at, vec3_add(vec3_load(at), moves[i]));
        }
        CHECK_OK(step_path_add(&path, x, &err), err);
    }
    CHECK_OK(step_path_join(&path, s->contact, &timer, &err), err);
    size_t left = step_path_count(&path);
    step_path_free(&path);
    mem_free(x);
    return left;
}

/* The straight line takes the place of the iterates only where it is free. */
TEST(a_path_around_the_plate_keeps_its_pieces)
{
    abut_sim *sim = make_sheet(1, "auto");
    const vec3 around[] = {{2, 0, 0}, {0, -0.2, 0}, {-2, 0, 0}}, above[] = {{2, 0, 0}, {0, 1, 0}};
    CHECK(joined(sim, around, 3) == 4);
    CHECK(joined(sim, above, 2) == 2);
    abut_sim_destroy(sim);
}

/* Adds a place to the path of a frame in which the sheet's points are lower by `by`. */
static void bend_path(const char *folder, int step, double by)
{
    char path[300];
    stored_frame last, f;
    frame_path_of(folder, step - 1, path, sizeof path);
    CHECK_OK(frame_read(path, &last, &err), err);
    frame_path_of(folder, step, path, sizeof path);
    CHECK_OK(frame_read(path, &f, &err), err);
    const frame_field *body = frame_find(&f.frame, FRAME_POINTS, FIELD_BODY);
    size_t count = f.frame.point_count, n = 0;
    int32_t *near = mem_alloc(count + 1, sizeof *near), configurations[] = {3};
    vec3 *numbers = mem_alloc(3 * count + 1, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        if (body->ints[i] == 1) near[n++] = (int32_t)i;
    for (size_t i = 0; i < n; i++) {
        numbers[i] = last.points[near[i]];
        numbers[n + i] = vec3_sub(last.points[near[i]], vec3_make(0, by, 0));
        numbers[2 * n + i] = f.points[near[i]];
    }
    f.frame.path.numbers = (const double *)numbers;
    f.frame.path.number_count = 9 * n;
    f.frame.path.configurations = configurations;
    f.frame.path.near = near;
    f.frame.path.near_count = n;
    CHECK_OK(frame_write_vtu(&f.frame, path, &err), err);
    mem_free(near);
    mem_free(numbers);
    stored_frame_free(&f);
    stored_frame_free(&last);
}

TEST(a_path_through_the_plate_is_found_between_clean_frames)
{
    char folder[256];
    run_verification v;
    run_in(make_sheet(1, "auto"), "bent", folder, sizeof folder);
    bend_path(folder, 6, -0.1); /* upwards: another path, but a free one */
    CHECK_OK(verify(folder, &v), err);
    CHECK(v.meetings == 0);
    run_verification_free(&v);
    bend_path(folder, 6, 0.1);
    CHECK_OK(verify(folder, &v), err);
    CHECK(v.pairs > v.meetings && v.meetings > 0);
    CHECK(v.intersections == 0 && v.bad_frames == 0);
    CHECK(v.problems.count > 0 && v.problems.data[0].kind == VERIFY_MEETING &&
          v.problems.data[0].on_path && v.problems.data[0].step == 6);
    run_verification_free(&v);
}

/* A path that does not lead from frame to frame, or lists points that are none. */
TEST(paths_that_do_not_fit_are_refused)
{
    char folder[256], path[300];
    run_verification v;
    stored_frame f;
    run_in(make_sheet(1, "auto"), "misfit", folder, sizeof folder);
    bend_path(folder, 3, -0.1);
    frame_path_of(folder, 3, path, sizeof path);
    CHECK_OK(frame_read(path, &f, &err), err);
    ((double *)f.path[0])[1] += 1e-3;
    CHECK_OK(frame_write_vtu(&f.frame, path, &err), err);
    CHECK_OK(verify(folder, &v), err);
    CHECK(v.broken.count == 1 && v.broken.data[0] == 3 && v.problems.count == 0);
    run_verification_free(&v);
    ((double *)f.path[0])[1] -= 1e-3;
    ((int32_t *)f.path[3])[0] = 100000;
    CHECK_OK(frame_write_vtu(&f.frame, path, &err), err);
    CHECK_OK(verify(folder, &v), err);
    CHECK(v.broken.count == 1 && v.broken.data[0] == 3);
    run_verification_free(&v);
    stored_frame_free(&f);
}

/* The solver without the bound of its steps: the sheet goes through the plate within one step, so
 * that all frames are clean, and only the path tells. */
TEST(a_solver_without_collision_detection_is_caught)
{
    char folder[256];
    run_verification v;
    abut_sim *sim = make_sheet(1, "auto");
    term_class blind = *sim->stepper->contact->base.class;
    blind.max_step = NULL;
    sim->stepper->contact->base.class = &blind;
    run_in(sim, "blind", folder, sizeof folder);
    CHECK_OK(verify(folder, &v), err);
    CHECK(v.pairs > v.meetings && v.meetings > 0);
    CHECK(v.intersections == 0 && v.bad_frames == 0);
    run_verification_free(&v);
}

/* Meshes that change: the path is that of the new mesh. */
TEST(remeshed_bodies_keep_paths)
{
    static const char text[] =
        "{\"abut\": 1, \"time\": {\"step\": 0.02, \"steps\": 5}, \"contact\": {\"dhat\": 5e-3}, "
        "\"ground\": 0, \"remesh\": {\"method\": \"uniform\", \"step\": 3, \"levels\": 1}, "
        "\"bodies\": [{\"name\": \"a\", \"remesh\": true, \"material\": {\"young\": 1e5, "
        "\"poisson\": 0.3}, \"mesh\": {\"box\": {\"size\": [1, 0.5, 1], \"cells\": [2, 1, 2]}}, "
        "\"translate\": [0, 0.26, 0]}, {\"name\": \"b\", \"remesh\": true, \"material\": "
        "{\"young\": "
        "1e5, \"poisson\": 0.3}, \"mesh\": {\"box\": {\"size\": [0.5, 0.5, 0.5], \"cells\": [1, 1, "
        "1]}}, \"translate\": [0.1, 0.78, 0], \"velocity\": [0, -2, 0]}]}";
    char folder[256];
    run_verification v;
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create(text, strlen(text), "remesh.json", NULL, &sim, &err), err);
    if (!sim) return;
    run_in(sim, "remesh", folder, sizeof folder);
    CHECK_OK(verify(folder, &v), err);
    CHECK(v.paths && v.changed_meshes == 1 && v.pieces >= 5 && v.meetings == 0 && v.between == 0);
    CHECK(v.problems.count == 0);
    run_verification_free(&v);
}

int main(void)
{
    root = test_scratch();
    RUN(a_sheet_is_free_along_its_path);
    RUN(a_path_around_the_plate_keeps_its_pieces);
    RUN(a_path_through_the_plate_is_found_between_clean_frames);
    RUN(paths_that_do_not_fit_are_refused);
    RUN(a_solver_without_collision_detection_is_caught);
    RUN(remeshed_bodies_keep_paths);
    return TEST_END();
}

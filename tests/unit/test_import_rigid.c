/* Importing fixtures of the Rigid IPC reference program: every key, two and three dimensions,
 * errors by name. The fixtures are written here, into a scratch folder with a "meshes" folder like
 * that of the program; the published ones are loaded where the data is at hand. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "scene/build.h"
#include "scene/load.h"
#include "scene/scene.h"
#include "support/scratch.h"

#include <sys/stat.h>

static abut_error err;
static char folder[200], last_warning[400];

static void write_at(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(atomic_write(path, text, strlen(text), &err), err);
}

static void set_up(void)
{
    char deep[300];
    snprintf(folder, sizeof folder, "%s/import-rigid", test_scratch());
    snprintf(deep, sizeof deep, "%s/fixtures/3D/deep", folder);
    CHECK_OK(directory_create(deep, &err), err);
    snprintf(deep, sizeof deep, "%s/meshes/parts", folder);
    CHECK_OK(directory_create(deep, &err), err);
    write_at("meshes/tet.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 "
             "4\n");
    write_at("meshes/parts/sheet.obj",
             "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 3 2\nf 1 4 3\n");
    write_at("meshes/two.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 "
             "1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 "
             "7 8\n");
}

static void tear_down(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
}

static void keep_warning(void *user, abut_log_level level, const char *message)
{
    (void)user;
    if (level == ABUT_LOG_WARNING) snprintf(last_warning, sizeof last_warning, "%.390s", message);
}

/* The text of a fixture with its keys in single quotes. */
static abut_status import(const char *text, scene_def **scene)
{
    char path[400], *copy = mem_strdup(text);
    for (char *c = copy; *c; c++)
        if (*c == '\'') *c = '"';
    write_at("fixtures/3D/deep/test.json", copy);
    mem_free(copy);
    snprintf(path, sizeof path, "%s/fixtures/3D/deep/test.json", folder);
    *scene = NULL;
    last_warning[0] = 0;
    logger log = {.function = keep_warning, .level = ABUT_LOG_WARNING};
    return scene_load(path, NULL, 0, &log, scene, &err);
}

/* One problem with these bodies and this text beside it. */
static scene_def *with_bodies(const char *bodies, const char *parts, const char *top)
{
    char text[4000];
    scene_def *scene;
    snprintf(text, sizeof text,
             "{'scene_type': 'distance_barrier_rb_problem', 'rigid_body_problem': {'rigid_bodies': "
             "[%s]%s}%s}",
             bodies, parts, top);
    CHECK_OK(import(text, &scene), err);
    return scene;
}

static void fails(const char *bodies, const char *parts, const char *top, abut_status expected,
                  const char *place, const char *message)
{
    char text[4000];
    scene_def *scene;
    snprintf(text, sizeof text,
             "{'scene_type': 'distance_barrier_rb_problem', 'rigid_body_problem': {'rigid_bodies': "
             "[%s]%s}%s}",
             bodies, parts, top);
    abut_status status = import(text, &scene);
    CHECK(status == expected);
    CHECK(strstr(err.place, place) && strstr(err.message, message));
    if (status != expected || !strstr(err.place, place) || !strstr(err.message, message))
        printf("  got %d, %s: %s\n", (int)status, err.place, err.message);
    scene_free(scene);
}

static bool same(vec3 a, double x, double y, double z)
{
    return vec3_norm(vec3_sub(a, vec3_make(x, y, z))) < 1e-12;
}

TEST(defaults)
{
    scene_def *s = with_bodies("{'mesh': 'tet.obj'}", "", "");
    CHECK(s->options.h == 0.01 && s->end_time == 10 && !s->planar);
    CHECK(same(s->options.gravity, 0, 0, 0) && s->options.friction == 0 &&
          s->options.friction_iterations == 1);
    CHECK(s->lengths.dhat.value == 1e-3 && !s->lengths.dhat.relative &&
          s->lengths.eps_v.value == 1e-3);
    CHECK_NEAR(s->lengths.tolerance.value, 1e-2 * sqrt(3.0), 1e-15); /* times the diagonal */
    CHECK(!s->lengths.tolerance.relative && s->options.max_iterations == 3000);
    CHECK(s->body_count == 1 && s->bodies[0].type == BODY_RIGID);
    CHECK(s->bodies[0].material.density == 1000 && s->bodies[0].collision_group == -1);
    CHECK(s->bodies[0].rigid.weigh == WEIGH_VOLUME && s->bodies[0].dirichlet.fix_count == 0);
    CHECK(strcmp(s->bodies[0].name, "tet") == 0);
    scene_free(s);
}

TEST(scene_options)
{
    scene_def *s = with_bodies(
        "{'mesh': 'tet.obj'}",
        ", 'gravity': [0, -9.8, 0], 'coefficient_friction': 0.3, 'time_stepper': "
        "'implicit_newmark', 'coefficient_restitution': -1",
        ", 'timestep': 0.025, 'max_time': 1.01, 'solver': 'ipc_solver', '#max_time': 3, "
        "'distance_barrier_constraint': {'initial_barrier_activation_distance': 1e-4, "
        "'minimum_separation_distance': 2e-3, 'trajectory_type': 'rigid', 'detection_method': "
        "'hash_grid'}, 'friction_constraints': {'iterations': -1, 'static_friction_speed_bound': "
        "1e-5}, 'newton_solver': {'max_iterations': 50}, 'ipc_solver': {'velocity_conv_tol': 1e-3, "
        "'is_velocity_conv_tol_abs': true}, 'viewport_bbox': {}");
    CHECK(s->options.h == 0.025);
    CHECK_NEAR(s->end_time, 41 * 0.025, 1e-12);
    CHECK(same(s->options.gravity, 0, -9.8, 0) && s->options.friction == 0.3 &&
          s->options.friction_iterations == 0);
    CHECK(s->options.integrator == INTEGRATE_NEWMARK && s->lengths.dhat.value == 1e-4 &&
          s->lengths.eps_v.value == 1e-5);
    CHECK(s->lengths.tolerance.value == 1e-3 && s->options.max_iterations == 50);
    CHECK(s->bodies[0].offset == 2e-3 && !last_warning[0]);
    scene_free(s);
    s = with_bodies("{'mesh': 'tet.obj'}", ", 'coefficient_friction': 0.3",
                    ", 'friction_constraints': {'iterations': 0}, 'max_iterations': 7");
    CHECK(s->options.friction == 0);
    CHECK_NEAR(s->end_time, 0.07, 1e-12);
    scene_free(s);
    /* Keys without an effect, one of them misspelt in a published fixture. */
    s = with_bodies("{'mesh': 'tet.obj', '#note': 1}", ", 'collision_eps': 1",
                    ", 'distance_barrier_constraints': {}, 'viewport_bbox': {}");
    CHECK(s && s->lengths.dhat.value == 1e-3 && !last_warning[0]);
    scene_free(s);
}

TEST(poses_and_loads)
{
    scene_def *s = with_bodies(
        "{'mesh': 'parts/sheet.obj', 'position': [1, 2, 3], 'rotation': [10, 20, 30], 'scale': 2, "
        "'density': 50, 'linear_velocity': [1, 0, 0], 'angular_velocity': [0, 90, 0], 'force': [0, "
        "10, 0], 'torque': [0, 300, 0]}, {'mesh': 'parts/sheet.obj', 'dimensions': [4, 0, 1], "
        "'is_dof_fixed': [false, false, true, true, true, false]}, {'mesh': 'tet.obj', 'enabled': "
        "false}",
        "", "");
    CHECK(s->body_count == 2);
    const body_def *b = &s->bodies[0];
    CHECK(same(b->translate, 1, 2, 3) && same(b->rotate, 10, 20, 30) && same(b->scale, 2, 2, 2));
    CHECK(b->material.density == 50 && b->rigid.weigh == WEIGH_AREA);
    CHECK(same(b->velocity, 1, 0, 0) && same(b->angular_velocity, 0, 90, 0));
    CHECK(b->loads.force_count == 1 && same(b->loads.forces[0].force, 0, 10, 0));
    CHECK_NEAR(b->loads.forces[0].torque.y, 300 * 3.14159265358979323846 / 180, 1e-12);
    b = &s->bodies[1];
    CHECK(same(b->scale, 2, 1, 0.5) && strcmp(b->name, "sheet 2") == 0);
    CHECK(b->dirichlet.fix_count == 1 && !b->dirichlet.fixes[0].axes[0] &&
          !b->dirichlet.fixes[0].axes[1] && b->dirichlet.fixes[0].axes[2]);
    CHECK(b->dirichlet.fixes[0].rotation_axes[0] && b->dirichlet.fixes[0].rotation_axes[1] &&
          !b->dirichlet.fixes[0].rotation_axes[2]);
    scene_free(s);
}

TEST(static_and_kinematic_bodies)
{
    scene_def *s = with_bodies(
        "{'mesh': 'tet.obj', 'type': 'static', 'linear_velocity': [1, 0, 0], 'group_id': 4}, "
        "{'mesh': 'tet.obj', 'is_dof_fixed': true}, {'mesh': 'tet.obj', 'type': 'kinematic', "
        "'angular_velocity': [0, 0, -360], 'kinematic_max_time': 1.5}, {'mesh': 'tet.obj', 'type': "
        "'kinematic'}, {'mesh': 'tet.obj', 'group_id': 4}, {'mesh': 'tet.obj', 'group_id': 5}",
        "", "");
    CHECK(s->bodies[0].type == BODY_OBSTACLE && s->bodies[1].type == BODY_OBSTACLE);
    const body_def *wheel = &s->bodies[2];
    CHECK(wheel->type == BODY_RIGID && wheel->dirichlet.motion_count == 1 &&
          wheel->dirichlet.motions[0].until == 1.5);
    CHECK(same(wheel->dirichlet.motions[0].angular_velocity, 0, 0, -360) &&
          wheel->dirichlet.fix_count == 0);
    CHECK(s->bodies[3].type == BODY_OBSTACLE); /* never moves */
    for (int i = 0; i < 5; i++) CHECK(s->bodies[i].collision_group == 0);
    CHECK(s->bodies[4].type == BODY_RIGID && s->bodies[5].collision_group == 6);
    scene_free(s);
}

TEST(pose_lists)
{
    /* A cube, whose principal axes are those of the world. */
    const char *cube =
        "'vertices': "
        "[[-1,-1,-1],[1,-1,-1],[1,1,-1],[-1,1,-1],[-1,-1,1],[1,-1,1],[1,1,1],[-1,1,1]], "
        "'faces': [[0,2,1],[0,3,2],[4,5,6],[4,6,7],[0,1,5],[0,5,4],[2,3,7],[2,7,6],[0,4,7],[0,7,3],"
        "[1,2,6],[1,6,5]]";
    char body[900];
    snprintf(
        body, sizeof body,
        "{%s, 'position': [5, 0, 0], 'type': 'kinematic', 'kinematic_poses': [{'position': [5, "
        "1, 0]}, {'position': [5, 2, 0], 'rotation': [0, 0, 0.5]}], 'linear_velocity': [0, 0, "
        "3], 'angular_velocity': [0, 0, 100]}",
        cube);
    scene_def *s = with_bodies(body, "", ", 'timestep': 0.1, 'max_iterations': 5");
    const body_def *b = &s->bodies[0];
    CHECK(b->rigid.pose_count == 5 && b->dirichlet.motion_count == 0 &&
          b->mesh.source == MESH_GIVEN);
    CHECK(same(b->rigid.poses[0].translate, 0, 1, 0) && same(b->rigid.poses[0].turn, 0, 0, 0));
    CHECK_NEAR(b->rigid.poses[1].turn.z, 0.5 * 180 / 3.14159265358979323846, 1e-9);
    CHECK_NEAR(b->rigid.poses[2].turn.z, 0.5 * 180 / 3.14159265358979323846 + 10, 1e-9);
    CHECK_NEAR(b->rigid.poses[4].translate.z, 0.9, 1e-12);
    scene_free(s);
    fails("{'mesh': 'tet.obj', 'type': 'kinematic', 'kinematic_poses': [{'position': [0, 0, 0]}]}",
          "", "", ABUT_ERROR_UNSUPPORTED, "rigid_bodies[0].kinematic_poses", "principal axes");
}

TEST(components)
{
    scene_def *s =
        with_bodies("{'mesh': 'two.obj', 'split_components': true, 'position': [0, 1, 0]}, "
                    "{'mesh': 'two.obj'}",
                    "", "");
    CHECK(s->body_count == 3);
    CHECK(s->bodies[0].mesh.source == MESH_GIVEN && s->bodies[2].mesh.source == MESH_FILE);
    mesh part;
    CHECK_OK(scene_body_mesh(s, 1, &part, &err), err);
    CHECK(part.vertex_count == 4 && same(part.vertices[0], 5, 1, 0));
    mesh_free(&part);
    scene_free(s);
}

/* The mass of what stands still or has a given motion has no effect. */
TEST(without_density)
{
    scene_def *s = with_bodies("{'mesh': 'tet.obj', 'type': 'static', 'density': 0}, {'mesh': "
                               "'tet.obj', 'type': 'kinematic', 'density': 0, 'position': [9, 0, "
                               "0], 'linear_velocity': [1, 0, 0]}, {'mesh': 'tet.obj', 'position': "
                               "[5, 0, 0]}",
                               "", "");
    CHECK(s && s->body_count == 3 && s->bodies[0].type == BODY_OBSTACLE);
    stepper *built = NULL;
    step_statistics statistics;
    if (s) CHECK_OK(scene_build(s, NULL, &built, &err), err);
    if (built) CHECK_OK(stepper_advance(built, &statistics, &err), err);
    stepper_destroy(built);
    scene_free(s);
    fails("{'mesh': 'tet.obj', 'type': 'static', 'density': -1}", "", "", ABUT_ERROR_INPUT,
          "rigid_bodies[0].density", ">= 0");
}

TEST(planar_scenes)
{
    const char *square = "'vertices': [[0, 0], [1, 0], [1, 1], [0, 1]], 'edges': [[0, 1], [1, 2], "
                         "[2, 3], [3, 0]], 'polygons': [[]], 'oriented': true";
    char bodies[1500];
    snprintf(bodies, sizeof bodies,
             "{%s, 'position': [2, 3], 'rotation': [30], 'linear_velocity': [1, -1], "
             "'angular_velocity': 90, 'is_dof_fixed': [true, false, false]}, {%s, 'rotation': 45, "
             "'is_dof_fixed': [true, true, true]}, {%s, 'type': 'kinematic', 'angular_velocity': "
             "[90]}",
             square, square, square);
    scene_def *s = with_bodies(bodies, ", 'gravity': [0, -9.81, 0]", "");
    CHECK(s->planar && s->body_count == 3 && same(s->options.gravity, 0, -9.81, 0));
    const body_def *b = &s->bodies[0];
    CHECK(same(b->translate, 2, 3, 0) && same(b->rotate, 0, 0, 30));
    CHECK(same(b->angular_velocity, 0, 0, 90) && b->rigid.weigh == WEIGH_LENGTH);
    CHECK(b->dirichlet.fix_count == 1 && b->dirichlet.fixes[0].axes[0] &&
          !b->dirichlet.fixes[0].axes[1] && b->dirichlet.fixes[0].axes[2]);
    CHECK(b->dirichlet.fixes[0].rotation_axes[0] && b->dirichlet.fixes[0].rotation_axes[1] &&
          !b->dirichlet.fixes[0].rotation_axes[2]);
    CHECK(s->bodies[1].type == BODY_OBSTACLE && same(s->bodies[1].rotate, 0, 0, 45));
    CHECK(same(s->bodies[2].dirichlet.motions[0].angular_velocity, 0, 0, 90));
    mesh m;
    CHECK_OK(scene_body_mesh(s, 0, &m, &err), err);
    CHECK(m.vertex_count == 4 && mesh_find(&m, CELL_EDGE)->count == 4);
    mesh_free(&m);
    scene_free(s);
}

TEST(saved_runs)
{
    scene_def *s;
    CHECK_OK(import("{'args': {'scene_type': 'distance_barrier_rb_problem', 'rigid_body_problem': "
                    "{'rigid_bodies': [{'mesh': 'tet.obj'}]}}, 'animation': {}, 'stats': {}}",
                    &s),
             err);
    CHECK(s && s->body_count == 1);
    scene_free(s);
}

TEST(refusals_and_mistakes)
{
    const char *tet = "{'mesh': 'tet.obj'}";
    const abut_status input = ABUT_ERROR_INPUT, unsupported = ABUT_ERROR_UNSUPPORTED;
    fails("{'mesh': 'none.obj'}", "", "", ABUT_ERROR_IO, "rigid_bodies[0].mesh", "none.obj");
    fails("{'mesh': 3}", "", "", input, "rigid_bodies[0].mesh", "must be a path");
    fails("{}", "", "", input, "rigid_bodies[0].vertices", "a list of points");
    fails("{'vertices': [[0, 0, 0], [1, 1]]}", "", "", input, "rigid_bodies[0].vertices",
          "3 coordinates");
    fails("{'vertices': [[0, 0, 0], [1, 1, 1]], 'edges': [[0, 2]]}", "", "", input,
          "rigid_bodies[0].edges", "vertices that exist");
    fails("{'mesh': 'tet.obj', 'scale': 'big'}", "", "", input, "rigid_bodies[0].scale",
          "a number");
    fails("{'mesh': 'tet.obj', 'position': [1, 2, 'x']}", "", "", input, "rigid_bodies[0].position",
          "3 numbers");
    fails("{'mesh': 'tet.obj', 'density': 0}", "", "", input, "rigid_bodies[0].density", "> 0");
    fails("{'mesh': 'tet.obj', 'type': 'ghost'}", "", "", input, "rigid_bodies[0].type",
          "\"kinematic\"");
    fails("{'mesh': 'tet.obj', 'is_dof_fixed': [true]}", "", "", input,
          "rigid_bodies[0].is_dof_fixed", "list of 6");
    fails("{'mesh': 'tet.obj', 'enabled': 1}", "", "", input, "rigid_bodies[0].enabled", "true");
    fails("{'mesh': 'tet.obj', 'enabled': false}", "", "", unsupported, "rigid_bodies", "no body");
    fails("5", "", "", input, "rigid_bodies[0]", "an object");
    fails("{'mesh': 'tet.obj', 'postion': [1, 2, 3]}", "", "", input, "rigid_bodies[0].postion",
          "did you mean \"position\"");
    fails(tet, ", 'wind': 3", "", input, "rigid_body_problem.wind", "unknown key");
    fails(tet, "", ", 'time_step': 0.1", input, "time_step", "did you mean \"timestep\"");
    fails(tet, "", ", 'friction_constraints': {'mu': 1}", input, "friction_constraints.mu",
          "unknown key");
    fails(tet, "", ", 'ipc_solver': {'tolerance': 1}", input, "ipc_solver.tolerance",
          "unknown key");
    fails("", "", "", input, "rigid_bodies", "a list of bodies");
    fails(tet, ", 'time_stepper': 'stabilized_newmark'", "", unsupported, "time_stepper", "not");
    fails(tet, ", 'coefficient_friction': -1", "", input, "coefficient_friction", ">= 0");
    fails(tet, "", ", 'timestep': 0", input, "timestep", "> 0");
    fails(tet, "", ", 'ipc_solver': 3", input, "ipc_solver", "an object");
    fails(tet, "", ", 'solver': 'homotopy_solver'", input, "solver", "ipc_solver");
    fails(tet, "", ", 'distance_barrier_constraint': {'barrier_type': 'spline'}", unsupported,
          "barrier_type", "\"ipc\"");
    fails(tet, "", ", 'ipc_solver': {'convergence_criteria': 'energy'}", unsupported,
          "convergence_criteria", "velocity");
    fails(tet, "", ", 'distance_barrier_constraint': {'initial_barrier_activation_distance': 0}",
          input, "initial_barrier_activation_distance", "> 0");
}

/* Every published fixture loads; the only ones that do not name meshes that are not there. */
TEST(published_fixtures)
{
    const char *data = test_data_folder();
    if (!data) {
        printf("published_fixtures: skipped, no data folder\n");
        return;
    }
    char command[4200], path[4096];
    snprintf(command, sizeof command, "find '%s/rigid-ipc/fixtures' -name '*.json'", data);
    FILE *list = popen(command, "r");
    int loaded = 0, incomplete = 0;
    while (list && fgets(path, sizeof path, list)) {
        path[strcspn(path, "\n")] = 0;
        scene_def *scene;
        abut_status status = scene_load(path, NULL, 0, NULL, &scene, &err);
        if (status == ABUT_ERROR_IO && strstr(err.message, "there is no file")) {
            incomplete++;
            continue;
        }
        CHECK(status == ABUT_OK);
        if (status != ABUT_OK) {
            printf("  %s\n  %s: %s\n", path, err.place, err.message);
            continue;
        }
        loaded++;
        CHECK(scene->body_count > 0 && scene->planar == (strstr(path, "/2D/") != NULL));
        scene_free(scene);
    }
    if (list) pclose(list);
    CHECK(loaded >= 151 && incomplete <= 3);
    printf("published fixtures: %d loaded, %d without their meshes\n", loaded, incomplete);
}

int main(void)
{
    set_up();
    RUN(defaults);
    RUN(scene_options);
    RUN(poses_and_loads);
    RUN(static_and_kinematic_bodies);
    RUN(pose_lists);
    RUN(components);
    RUN(without_density);
    RUN(planar_scenes);
    RUN(saved_runs);
    RUN(refusals_and_mistakes);
    RUN(published_fixtures);
    tear_down();
    return TEST_END();
}

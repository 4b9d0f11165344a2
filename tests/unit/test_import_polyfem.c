/* Importing scenes of PolyFEM: common files and patches, places, selections, conditions, materials,
 * and errors that name the key. The scenes are written here, into a scratch folder. */
#include "test.h"

#include "base/expression.h"
#include "base/file.h"
#include "base/memory.h"
#include "scene/build.h"
#include "scene/build_check.h"
#include "scene/build_solid.h"
#include "scene/load.h"
#include "scene/scene.h"
#include "scene/select.h"
#include "support/scratch.h"

static abut_error err;
static char folder[200];

static void write_at(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(atomic_write(path, text, strlen(text), &err), err);
}

static void set_up(void)
{
    char below[300];
    snprintf(folder, sizeof folder, "%s/import-polyfem", test_scratch());
    snprintf(below, sizeof below, "%s/scenes", folder);
    CHECK_OK(directory_create(below, &err), err);
    /* One tet with its corner at 0 and legs of 2. */
    write_at("tet.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 2 0 0\n"
                        "3 0 2 0\n4 0 0 2\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n"
                        "$EndElements\n");
    write_at("square.obj", "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 3 2\nf 1 4 3\n");
    write_at("common.json", "{\"contact\": {\"enabled\": true, \"dhat\": 0.002, \"epsv\": 0.5},"
                            "\"time\": {\"dt\": 0.01, \"tend\": 1},"
                            "\"materials\": {\"type\": \"NeoHookean\", \"E\": 1e5, \"nu\": 0.25,"
                            "\"rho\": 500}}");
}

static void tear_down(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
}

/* More keys of the scene; its geometry is a tet and more. */
static logger *listener; /* of imports; NULL: none */

static abut_status import(const char *geometry, const char *more, scene_def **scene)
{
    char path[400], text[4000];
    snprintf(text, sizeof text,
             "{\"common\": \"../common.json\", \"geometry\": [{\"mesh\": \"../tet.msh\""
             "%s], \"#note\": 1%s}",
             geometry, more);
    write_at("scenes/test.json", text);
    snprintf(path, sizeof path, "%s/scenes/test.json", folder);
    *scene = NULL;
    return scene_load(path, NULL, 0, listener, scene, &err);
}

static scene_def *must_import(const char *geometry, const char *more)
{
    scene_def *scene;
    CHECK_OK(import(geometry, more, &scene), err);
    return scene;
}

static void must_fail(const char *geometry, const char *more, abut_status code, const char *text)
{
    scene_def *scene;
    CHECK(import(geometry, more, &scene) == code && !scene);
    bool named = strstr(err.message, text) || strstr(err.place, text);
    CHECK(named);
    if (!named) printf("%s: %s\n", err.place, err.message);
    scene_free(scene);
}

TEST(common_and_patch)
{
    scene_def *s = must_import("}", ", \"contact\": {\"dhat\": 0.003, \"epsv\": null},"
                                    "\"patch\": [{\"op\": \"replace\", \"path\": \"/time/tend\","
                                    "\"value\": 0.5}, {\"op\": \"add\", \"path\":"
                                    "\"/contact/friction_coefficient\", \"value\": 0.3}]");
    CHECK(s->options.contact && s->lengths.dhat.value == 0.003 && s->lengths.eps_v.value == 1e-3);
    CHECK_NEAR(s->end_time, 0.5, 1e-12);
    CHECK(s->options.friction == 0.3 && s->options.h == 0.01);
    CHECK_NEAR(s->bodies[0].material.young, 1e5, 1e-6);
    CHECK_NEAR(s->bodies[0].material.poisson, 0.25, 1e-12);
    CHECK(s->bodies[0].material.density == 500 && s->bodies[0].consistent_mass);
    CHECK(vec3_norm(s->options.gravity) == 0);
    scene_free(s);
    must_fail("}", ", \"patch\": [{\"op\": \"replace\", \"path\": \"/a/b/c\", \"value\": 1}]",
              ABUT_ERROR_INPUT, "/patch/0");
    must_fail("}", ", \"common\": \"nowhere.json\"", ABUT_ERROR_INPUT, "not valid JSON");
}

TEST(patches_add_below_what_is_missing)
{
    scene_def *s = must_import(
        "}", ", \"patch\": [{\"op\": \"add\", \"path\": \"/solver/advanced/lump_mass_matrix\","
             "\"value\": true}, {\"op\": \"add\", \"path\": \"/geometry/0/transformation/scale\","
             "\"value\": 2}]");
    CHECK(!s->bodies[0].consistent_mass && s->bodies[0].scale.x == 2);
    scene_free(s);
    must_fail("}", ", \"patch\": [{\"op\": \"remove\", \"path\": \"/solver/advanced/x\"}]",
              ABUT_ERROR_INPUT, "/patch/0");
}

TEST(lagged_regularization)
{
    scene_def *s = must_import("}", ", \"solver\": {\"advanced\": {"
                                    "\"lagged_regularization_weight\": 25}}");
    CHECK(s->options.proximal_weight == 25);
    scene_free(s);
    must_fail("}",
              ", \"solver\": {\"advanced\": {\"lagged_regularization_weight\": 25,"
              "\"lagged_regularization_iterations\": 3}}",
              ABUT_ERROR_UNSUPPORTED, "lagged_regularization_iterations");
}

TEST(files_for_common_are_no_scenes)
{
    char path[400];
    scene_def *s = NULL;
    write_at("scenes/part.json", "{\"common\": \"../common.json\", \"contact\": {}}");
    snprintf(path, sizeof path, "%s/scenes/part.json", folder);
    CHECK(scene_load(path, NULL, 0, NULL, &s, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "common") && strstr(err.place, "/geometry"));
}

TEST(places)
{
    scene_def *s = must_import(
        ", \"transformation\": {\"dimensions\": [4, 1, 2], \"rotation\": [0, 0, 90],"
        "\"translation\": [1, 2, 3]}}, {\"mesh\": \"../square.obj\", \"is_obstacle\": true,"
        "\"extract\": \"edges\", \"transformation\": {\"dimensions\": [3, 0, 3],"
        "\"translation\": [0, -2]}}, {\"type\": \"ground\", \"height\": -5,"
        "\"is_obstacle\": true}",
        ", \"boundary_conditions\": {\"rhs\": [0, 9.81, 0]}");
    CHECK(s->body_count == 2 && s->half_space_count == 1);
    mesh m;
    CHECK_OK(scene_body_mesh(s, 0, &m, &err), err);
    /* Scaled to 4 x 1 x 2, turned a quarter about z, then shifted. */
    CHECK_NEAR(m.vertices[1].x, 1, 1e-12);
    CHECK_NEAR(m.vertices[1].y, 6, 1e-12);
    CHECK_NEAR(m.vertices[2].x, 0, 1e-12);
    CHECK_NEAR(m.vertices[3].z, 5, 1e-12);
    mesh_free(&m);
    CHECK_OK(scene_body_mesh(s, 1, &m, &err), err);
    CHECK_NEAR(m.vertices[2].x, 1.5, 1e-12);
    CHECK_NEAR(m.vertices[2].y, -2, 1e-12);
    CHECK(!mesh_find(&m, CELL_TRIANGLE) && mesh_find(&m, CELL_EDGE));
    mesh_free(&m);
    CHECK(s->options.gravity.y == -9.81 && s->half_spaces[0].origin.y == -5);
    scene_free(s);
}

TEST(arrays)
{
    scene_def *s =
        must_import(", \"type\": \"mesh_array\", \"array\": {\"offset\": 1.5, \"relative\": true,"
                    "\"size\": [2, 1, 3]}}",
                    "");
    CHECK(s->body_count == 6);
    CHECK(s->bodies[5].translate.x == 3 && s->bodies[5].translate.z == 6);
    scene_free(s);
}

static size_t selected(const scene_def *s, size_t fix)
{
    mesh m;
    int32_t *nodes;
    size_t count;
    CHECK_OK(scene_body_mesh(s, 0, &m, &err), err);
    CHECK_OK(select_nodes(&s->bodies[0].dirichlet.fixes[fix].nodes, &s->bodies[0], &m, &nodes,
                          &count, &err),
             err);
    mem_free(nodes);
    mesh_free(&m);
    return count;
}

TEST(conditions)
{
    scene_def *s = must_import(
        ", \"surface_selection\": [{\"id\": 4, \"axis\": \"-x\", \"position\": 0.01,"
        "\"relative\": true}, {\"id\": 7, \"box\": [[0, 0, 0], [1, 1, 1]]}]},"
        "{\"mesh\": \"../square.obj\", \"is_obstacle\": true, \"surface_selection\": 1000,"
        "\"transformation\": {\"translation\": [0, -1, 0]}}",
        ", \"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\": 4, \"value\": [0, 0, 0]},"
        "{\"id\": 7, \"value\": [\"10*t\", \"x*t\", 0], \"dimension\": [true, true, false]}],"
        "\"obstacle_displacements\": [{\"id\": 1000, \"value\": [0, \"0.5*t\", 0]}]},"
        "\"initial_conditions\": {\"velocity\": [{\"id\": 0, \"value\": [\"y\", 2, 0]}]}");
    const body_def *b = &s->bodies[0];
    CHECK(b->dirichlet.fix_count == 2 && !b->dirichlet.fixes[0].displacement[0] &&
          b->dirichlet.fixes[1].displacement[0]);
    CHECK(b->dirichlet.fixes[1].axes[0] && b->dirichlet.fixes[1].axes[1] &&
          !b->dirichlet.fixes[1].axes[2]);
    /* The face x = 0 belongs to 4; of the others three, all centres are within the box. */
    CHECK(selected(s, 0) == 3 && selected(s, 1) == 4);
    CHECK(expression_value(b->dirichlet.fixes[1].displacement[1], 3, 0, 0, 2) == 6);
    CHECK(s->bodies[1].dirichlet.displacement[1] &&
          expression_value(s->bodies[1].dirichlet.displacement[1], 0, 0, 0, 2) == 1);
    CHECK(b->velocity_field[0] && expression_value(b->velocity_field[0], 0, 5, 0, 0) == 5);
    scene_free(s);
    s = must_import(", \"surface_selection\": {\"threshold\": 1e-3}}",
                    ", \"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\": 7, \"value\":"
                    "[0, 0, 0]}, {\"id\": 2, \"value\": [1, 0, 0]}]}");
    /* Side 7 is the slanted face, side 2 the one at the lowest y. */
    CHECK(selected(s, 0) == 3 && selected(s, 1) == 3);
    scene_free(s);
}

/* All faces, numbered or not; and an id that is a place. */
TEST(conditions_without_numbers)
{
    scene_def *s = must_import("}", ", \"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\":"
                                    "\"all\", \"value\": [0, 0, 0]}]}");
    CHECK(s->bodies[0].dirichlet.fix_count == 1 && selected(s, 0) == 4);
    scene_free(s);
    s = must_import(", \"surface_selection\": [{\"id\": 4, \"axis\": \"-x\", \"position\": 0.01,"
                    "\"relative\": true}]}",
                    ", \"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\": \"all\","
                    "\"value\": [0, 0, 0]}]}");
    CHECK(s->bodies[0].dirichlet.fix_count == 2 && selected(s, 0) == 3 && selected(s, 1) == 4);
    scene_free(s);
    s = must_import("}", ", \"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\": {\"box\":"
                         "[[-0.1, -0.1, -0.1], [0.1, 0.1, 0.1]]}, \"value\": [0, 0, 0]}]}");
    CHECK(s->bodies[0].dirichlet.fix_count == 1 && selected(s, 0) == 1);
    scene_free(s);
    must_fail("}",
              ", \"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\": {\"name\":"
              "\"top\"}, \"value\": [0, 0, 0]}]}",
              ABUT_ERROR_UNSUPPORTED, "/boundary_conditions/dirichlet_boundary/0");
}

/* The faces of both conditions share an edge: there the last one counts. */
TEST(the_last_of_two_conditions_on_a_node_counts)
{
    scene_def *scene =
        must_import(", \"surface_selection\": {\"threshold\": 1e-3}}",
                    ", \"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\": 1, \"value\":"
                    "[\"-t\", 0, 0]}, {\"id\": 2, \"value\": [\"-2*t\", 0, 0]}]}");
    CHECK(!scene->bodies[0].dirichlet.fixes[0].takes_over &&
          scene->bodies[0].dirichlet.fixes[1].takes_over);
    stepper *s = NULL;
    step_statistics statistics;
    CHECK_OK(scene_build(scene, NULL, &s, &err), err);
    CHECK_OK(check_conditions(scene, s, &err), err);
    CHECK_OK(stepper_advance(s, &statistics, &err), err);
    /* Nodes 0 and 3 are on both sides, x = 0 and y = 0; 2 on the first, 1 on the second only. */
    static const double moved[4] = {-0.02, -0.02, -0.01, -0.02};
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(s->state.x[3 * i] - s->model->rest.data[i].x, moved[i], 1e-12);
    stepper_destroy(s);
    scene_free(scene);
}

TEST(time_and_integrators)
{
    scene_def *s = must_import("}", ", \"time\": {\"tend\": null, \"time_steps\": 7}");
    CHECK_NEAR(s->end_time, 0.07, 1e-12);
    CHECK(s->options.integrator == INTEGRATE_IMPLICIT_EULER);
    scene_free(s);
    s = must_import("}", ", \"time\": {\"integrator\": {\"type\": \"BDF\", \"steps\": 2}}");
    CHECK(s->options.integrator == INTEGRATE_BDF2);
    scene_free(s);
    s = must_import("}", ", \"time\": {\"integrator\": {\"type\": \"ImplicitNewmark\","
                         "\"beta\": 0.3, \"gamma\": 0.6}}");
    CHECK(s->options.integrator == INTEGRATE_NEWMARK && s->options.newmark_beta == 0.3);
    scene_free(s);
    s = must_import("}", ", \"contact\": {\"enabled\": true}, \"time\": null");
    CHECK(s->options.integrator == INTEGRATE_QUASI_STATIC);
    CHECK(s->options.contact_options.rule == STIFFNESS_POLYFEM_STATIC);
    scene_free(s);
    must_fail("}", ", \"time\": {\"integrator\": \"Leapfrog\"}", ABUT_ERROR_UNSUPPORTED,
              "/time/integrator");
}

/* Keys from before 2022. */
TEST(old_format)
{
    char path[400];
    write_at("scenes/old.json",
             "{\"default_params\": \"../common.json\", \"meshes\": [{\"mesh\": \"../tet.msh\","
             "\"position\": [0, 1, 0], \"body_id\": 3}], \"obstacles\": [{\"mesh\":"
             "\"../square.obj\", \"displacement\": [0, \"t\", 0]}], \"dt\": 0.02, \"mu\": 0.4,"
             "\"body_params\": [{\"id\": 3, \"E\": 2e5, \"nu\": 0.3, \"rho\": 700}],"
             "\"problem_params\": {\"rhs\": [0, 9.8, 0], \"dirichlet_boundary\": [{\"id\": 5,"
             "\"value\": [0, 0, 0]}]}, \"boundary_sidesets\": [{\"id\": 5, \"axis\": -2,"
             "\"position\": 1.1}], \"al_weight\": 1e8}");
    snprintf(path, sizeof path, "%s/scenes/old.json", folder);
    scene_def *s = NULL;
    CHECK_OK(scene_load(path, NULL, 0, NULL, &s, &err), err);
    CHECK(s->body_count == 2 && s->options.h == 0.02 && s->options.friction == 0.4);
    CHECK(s->options.gravity.y == -9.8 && s->bodies[0].material.density == 700);
    CHECK(s->bodies[0].translate.y == 1 && s->bodies[0].dirichlet.fix_count == 1);
    CHECK(s->bodies[1].dirichlet.displacement[1] != NULL);
    scene_free(s);
}

TEST(contact_by_area)
{
    scene_def *s =
        must_import("}", ", \"contact\": {\"enabled\": true, \"use_area_weighting\": true}");
    CHECK(s && !s->options.contact_options.area_weighted &&
          !s->options.contact_options.physical); /* only as parts of the convergent formulation */
    scene_free(s);
    s = must_import("}", ", \"contact\": {\"enabled\": true, \"use_convergent_formulation\": true, "
                         "\"use_improved_max_operator\": false}");
    CHECK(s && s->options.contact_options.area_weighted && s->options.contact_options.physical);
    scene_free(s);
    s = must_import("}", ", \"contact\": {\"enabled\": true, \"use_convergent_formulation\": true, "
                         "\"use_improved_max_operator\": false, \"use_physical_barrier\": false}");
    CHECK(s && s->options.contact_options.area_weighted && !s->options.contact_options.physical &&
          !s->options.contact_options.improved_max);
    scene_free(s);
    s = must_import("}",
                    ", \"contact\": {\"enabled\": true, \"use_convergent_formulation\": true}");
    CHECK(s && s->options.contact_options.improved_max &&
          s->options.contact_options.rule == STIFFNESS_POLYFEM);
    scene_free(s);
}

static double load_value(const scene_def *s, size_t number, int k, double x, double t)
{
    return expression_value(s->bodies[0].loads.surface_loads[number].value[k], x, 0, 0, t);
}

TEST(loads_and_interpolation)
{
    scene_def *s = must_import(
        ", \"surface_selection\": {\"threshold\": 1e-3}}",
        ", \"boundary_conditions\": {\"neumann_boundary\": [{\"id\": 2, \"value\": [0, \"x\", 4], "
        "\"interpolation\": {\"type\": \"piecewise_linear\", \"points\": [0, 1, 3], \"values\": "
        "[0, "
        "2, 0], \"extend\": \"repeat\"}}],"
        "\"pressure_boundary\": [{\"id\": [1, 7], \"value\": \"10*x\", \"interpolation\": "
        "{\"type\": \"linear\"}}],"
        "\"normal_aligned_neumann_boundary\": [{\"id\": 2, \"value\": 3}],"
        "\"dirichlet_boundary\": [{\"id\": 2, \"value\": [5, 0, 1], \"interpolation\": [{\"type\": "
        "\"piecewise_constant\", \"points\": [1, 2, 4], \"values\": [1, 3, 7]}, {\"type\": "
        "\"none\"}, {\"type\": \"linear_ramp\", \"from\": 1, \"to\": 3}]}]}");
    const body_def *b = &s->bodies[0];
    CHECK(b->loads.surface_load_count == 4);
    CHECK(b->loads.surface_loads[0].kind == LOAD_TRACTION && b->loads.surface_loads[0].number == 2);
    CHECK_NEAR(load_value(s, 0, 1, 2, 0.5), 2 * 1, 1e-12);
    CHECK_NEAR(load_value(s, 0, 1, 2, 2), 2 * 1, 1e-12);
    CHECK_NEAR(load_value(s, 0, 1, 2, 3.25), 2 * 0.5, 1e-12); /* it begins again */
    CHECK_NEAR(load_value(s, 0, 2, 0, 1), 4 * 2, 1e-12);
    CHECK(b->loads.surface_loads[1].kind == LOAD_NORMAL && load_value(s, 1, 0, 0, 9) == 3);
    CHECK(b->loads.surface_loads[2].kind == LOAD_PRESSURE && b->loads.surface_loads[2].number == 1);
    CHECK(b->loads.surface_loads[3].number == 7 && load_value(s, 3, 0, 3, 2) == 60);
    static const double times[] = {0.5, 1.5, 3, 5}, steps[] = {1, 1, 3, 7}, ramp[] = {0, 0.5, 3, 3};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(expression_value(b->dirichlet.fixes[0].displacement[0], 0, 0, 0, times[i]),
                   5 * steps[i], 1e-12);
        CHECK_NEAR(expression_value(b->dirichlet.fixes[0].displacement[2], 0, 0, 0, times[i]),
                   ramp[i], 1e-12);
    }
    scene_free(s);
    must_fail(
        ", \"surface_selection\": 1}",
        ", \"boundary_conditions\": {\"neumann_boundary\": [{\"id\": 1, \"value\": [1, 0, 0], "
        "\"interpolation\": {\"type\": \"spline\"}}]}",
        ABUT_ERROR_UNSUPPORTED, "interpolation");
    must_fail("}", ", \"boundary_conditions\": {\"pressure_cavity\": []}", ABUT_ERROR_UNSUPPORTED,
              "pressure_cavity");
}

/* One collision mesh for two bodies: its pieces are theirs, placed like them. */
TEST(collision_mesh_of_several_bodies)
{
    static const char second[] =
        "}, {\"mesh\": \"../tet.msh\", \"transformation\": {\"translation\": [5, 0, 0]}}";
    static const char contact[] = ", \"contact\": {\"enabled\": true, \"collision_mesh\": "
                                  "{\"mesh\": \"../pieces.obj\"}}";
    write_at("pieces.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.1 0.1 1\nv 0.2 0.1 1\nv 0.1 0.2 1\n"
                           "v 0.2 0.2 1\nf 1 2 3\nf 4 5 6\nf 5 7 6\n");
    scene_def *s = must_import(second, contact);
    if (!s) return;
    CHECK(s->bodies[0].solid.surface_piece == 0 && s->bodies[1].solid.surface_piece == 1);
    for (size_t i = 0; i < 2; i++) {
        mesh shape, surface;
        CHECK_OK(scene_body_mesh(s, i, &shape, &err), err);
        CHECK_OK(build_solid_surface(s, i, &shape, &surface, &err), err);
        CHECK(surface.vertex_count == 3 + i);
        CHECK_NEAR(surface.vertices[0].x, i == 0 ? 0 : 5.1, 1e-15);
        mesh_free(&surface);
        mesh_free(&shape);
    }
    scene_free(s);
    write_at("pieces.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    must_fail(second, contact, ABUT_ERROR_UNSUPPORTED, "1 connected pieces for 2 bodies");
}

/* A spline through the points: flat at the ends where it stays, straight beyond them where it goes
 * on, and smooth over its ends where it repeats. */
TEST(cubics)
{
    static const char *const extends[] = {"constant", "extrapolate", "repeat_offset"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 ", \"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\": 2, \"value\": "
                 "[2, 0, 0], \"interpolation\": {\"type\": \"piecewise_cubic\", \"points\": "
                 "[0, 1, 3], \"values\": [1, 2, -1], \"extend\": \"%s\"}}]}",
                 extends[i]);
        scene_def *s = must_import(", \"surface_selection\": {\"threshold\": 1e-3}}", text);
        const expression *e = s->bodies[0].dirichlet.fixes[0].displacement[0];
        double v[7];
        static const double times[] = {0, 1, 3, -1, -0.5, 4, 3.5};
        for (int k = 0; k < 7; k++) v[k] = 0.5 * expression_value(e, 0, 0, 0, times[k]);
        CHECK(fabs(v[0] - 1) < 1e-12 && fabs(v[1] - 2) < 1e-12 && fabs(v[2] + 1) < 1e-12);
        double d = 1e-5, slope[2] = {0}; /* just before and behind the inner point */
        for (int side = 0; side < 2; side++)
            slope[side] = 0.5 *
                          (expression_value(e, 0, 0, 0, 1 + side * d) -
                           expression_value(e, 0, 0, 0, 1 + (side - 1) * d)) /
                          d;
        CHECK_NEAR(slope[0], slope[1], 1e-3);
        if (i == 0) CHECK(v[3] == v[0] && v[5] == v[2]);
        if (i == 1) {
            CHECK_NEAR(v[3] - v[0], 2 * (v[4] - v[0]), 1e-12);
            CHECK_NEAR(v[5] - v[2], 2 * (v[6] - v[2]), 1e-12);
            CHECK(fabs(v[3] - v[0]) > 0.1);
        }
        if (i == 2) CHECK_NEAR(v[5], 2 - 2, 1e-12); /* one period later, lower by 2 */
        scene_free(s);
    }
    must_fail(", \"surface_selection\": 1}",
              ", \"boundary_conditions\": {\"neumann_boundary\": [{\"id\": 1, \"value\": [1, 0, "
              "0], \"interpolation\": {\"type\": \"piecewise_cubic\", \"points\": [1, 0], "
              "\"values\": [0, 1]}}]}",
              ABUT_ERROR_UNSUPPORTED, "piecewise_cubic");
}

TEST(selections_of_cells_and_files)
{
    write_at("two.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 2 0 0\n"
                        "3 0 2 0\n4 0 0 2\n5 -2 0 0\n$EndNodes\n$Elements\n2\n1 4 2 0 1 1 2 3 4\n"
                        "2 4 2 0 1 1 3 5 4\n$EndElements\n");
    write_at("scenes/cells.txt", "3\n4\n");
    write_at("scenes/faces.txt", "9 0 2 1\n8 1 2 3\n");
    static const char materials[] =
        ", \"materials\": [{\"id\": 3, \"type\": \"NeoHookean\", \"E\": 1e5, \"nu\": 0.3}, "
        "{\"id\": 4, \"type\": \"NeoHookean\", \"E\": 2e5, \"nu\": 0.3}],"
        "\"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\": 9, \"value\": [0, 0, 0]}]}";
    /* The first mesh must have materials, too. */
    scene_def *s =
        must_import(", \"volume_selection\": 3}, {\"mesh\": \"../two.msh\", "
                    "\"volume_selection\": [{\"id\": 4, \"axis\": \"-x\", \"position\": 0}, "
                    "{\"id\": 3, \"box\": [[-9, -9, -9], [9, 9, 9]]}]}",
                    materials);
    const solid_def *solid = &s->bodies[1].solid;
    CHECK(solid->region_count == 2 && solid->regions[0].part.kind != BOUNDARY_ALL &&
          solid->regions[1].part.kind != BOUNDARY_ALL);
    CHECK(s->bodies[1].material.young == 1e5 || solid->regions[0].material.young == 1e5);
    CHECK_NEAR(solid->regions[1].material.young, 2e5, 1e-6); /* the last one counts */
    scene_free(s);
    s = must_import(", \"volume_selection\": 3}, {\"mesh\": \"../two.msh\", \"volume_selection\": "
                    "\"cells.txt\", \"surface_selection\": \"faces.txt\"}",
                    materials);
    CHECK(s->bodies[1].solid.region_count == 1 &&
          s->bodies[1].solid.regions[0].part.node_count == 1 &&
          s->bodies[1].solid.regions[0].part.nodes[0] == 1);
    CHECK(s->bodies[1].loads.boundary_count == 2 &&
          s->bodies[1].loads.boundaries[0].kind == BOUNDARY_NODES);
    mesh m;
    int32_t *nodes = NULL;
    size_t count = 0;
    CHECK_OK(scene_body_mesh(s, 1, &m, &err), err);
    CHECK(s->bodies[1].dirichlet.fix_count == 1);
    CHECK_OK(select_nodes(&s->bodies[1].dirichlet.fixes[0].nodes, &s->bodies[1], &m, &nodes, &count,
                          &err),
             err);
    CHECK(count == 3 && nodes[0] == 0 && nodes[1] == 1 && nodes[2] == 2);
    mem_free(nodes);
    mesh_free(&m);
    scene_free(s);
    write_at("scenes/cells.txt", "3\n");
    must_fail(", \"volume_selection\": 3}, {\"mesh\": \"../two.msh\", \"volume_selection\": "
              "\"cells.txt\"}",
              materials, ABUT_ERROR_INPUT, "has 1 lines");
}

TEST(materials)
{
    scene_def *s = must_import(
        ", \"volume_selection\": 1}",
        ", \"materials\": [{\"id\": 1, \"type\": \"MaterialSum\", \"rho\": 7, \"models\": "
        "[{\"type\": \"NeoHookean\", \"E\": 1e4, \"nu\": 0.25}, {\"type\": \"NeoHookean\", \"E\": "
        "3e4, \"nu\": 0.25}, {\"type\": \"InversionBarrier\", \"E\": 1e5, \"nu\": 0.25}]}], "
        "\"solver\": {\"rayleigh_damping\": [{\"form\": \"elasticity\", \"stiffness\": 0.02, "
        "\"lagging_iterations\": 1}]}");
    const material_def *m = &s->bodies[0].material;
    CHECK_NEAR(m->young, 4e4, 1e-6);
    CHECK_NEAR(m->barrier, 4e4, 1e-6);
    CHECK(m->barrier_below == 0.5 && m->density == 7 && m->damping == 0.02);
    scene_free(s);
    s = must_import(", \"volume_selection\": 1}",
                    ", \"materials\": [{\"id\": 1, \"type\": \"MooneyRivlin\", \"rho\": 7, "
                    "\"c1\": 10, \"c2\": 20, \"k\": 30, \"E\": null, \"nu\": null}]");
    m = &s->bodies[0].material;
    CHECK(m->model == ELASTIC_OGDEN && m->terms == 2 && m->bulk == 30);
    CHECK(m->coefficient[0] == 40 && m->exponent[0] == 2 && m->exponent[1] == -2);
    scene_free(s);
    must_fail("}",
              ", \"materials\": [{\"type\": \"MaterialSum\", \"models\": [{\"type\": "
              "\"NeoHookean\", \"E\": 1, \"nu\": 0}, {\"type\": \"SaintVenant\", \"E\": 1, "
              "\"nu\": 0}]}]",
              ABUT_ERROR_UNSUPPORTED, "SaintVenant");
    must_fail("}", ", \"solver\": {\"rayleigh_damping\": [{\"form\": \"contact\"}]}",
              ABUT_ERROR_UNSUPPORTED, "contact");
}

TEST(remeshing)
{
    scene_def *s = must_import("}", ", \"space\": {\"remesh\": {\"enabled\": true}}");
    CHECK(s->remesh.on && s->remesh.method == REMESH_ENERGY &&
          s->options.contact_options.area_weighted);
    CHECK(s->remesh.split && s->remesh.collapse && !s->remesh.swap && !s->remesh.smooth);
    CHECK(s->remesh.split_tolerance == 1e-3 && s->remesh.collapse_tolerance == 1e-8);
    CHECK(s->bodies[0].remesh && s->bodies[0].consistent_mass);
    scene_free(s);
    s = must_import("}",
                    ", \"space\": {\"remesh\": {\"enabled\": true, \"type\": \"sizing_field\", "
                    "\"split\": {\"acceptance_tolerance\": 0.4, \"culling_threshold\": 0.6, "
                    "\"min_edge_length\": 0.01}, "
                    "\"collapse\": {\"enabled\": false, \"acceptance_tolerance\": -0.02, "
                    "\"culling_threshold\": 0.4}, \"swap\": {\"enabled\": true}}}");
    CHECK(s->remesh.method == REMESH_SIZING_FIELD && !s->remesh.collapse && !s->remesh.swap);
    CHECK(s->remesh.min_edge == 0.01);
    scene_free(s);
    s = must_import("}", ", \"space\": {\"remesh\": {\"enabled\": true, "
                         "\"split\": {\"acceptance_tolerance\": 0.4, \"culling_threshold\": 0.6, "
                         "\"max_depth\": 5}, \"collapse\": {\"acceptance_tolerance\": -0.02, "
                         "\"culling_threshold\": 0.4, \"rel_max_edge_length\": 2}}}");
    CHECK(s->remesh.split_tolerance == 0.4 && s->remesh.split_threshold == 0.6);
    CHECK(s->remesh.collapse_tolerance == 0.02 && s->remesh.collapse_threshold == 0.4);
    CHECK(s->remesh.depth == 5 && s->remesh.max_edge == 2);
    scene_free(s);
    s = must_import("}", ", \"space\": {\"remesh\": {\"enabled\": false}}");
    CHECK(!s->remesh.on && !s->bodies[0].remesh);
    scene_free(s);
}

/* Warnings of an import, one per line. */
static char heard[4000];

static void hear(void *user, abut_log_level level, const char *text)
{
    (void)user;
    if (level == ABUT_LOG_WARNING)
        snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s\n", text);
}

static int warnings_of(const char *remesh)
{
    char more[600];
    logger log = {hear, NULL, ABUT_LOG_WARNING};
    snprintf(more, sizeof more, ", \"space\": {\"remesh\": {\"enabled\": true, %s}}", remesh);
    heard[0] = 0;
    listener = &log;
    scene_free(must_import("}", more));
    listener = NULL;
    int lines = 0;
    for (const char *c = heard; *c; c++) lines += *c == '\n';
    return lines;
}

/* What cannot be taken over is named, one by one; what has no effect there either is not. */
TEST(remeshing_names_what_it_drops)
{
    static const char *const dropped[][2] = {
        {"\"collapse\": {\"max_depth\": 4}", "/collapse/max_depth "},
        {"\"collapse\": {\"abs_max_edge_length\": 0.1}", "/collapse/abs_max_edge_length "},
        {"\"swap\": {\"enabled\": true, \"acceptance_tolerance\": -10}",
         "/swap/acceptance_tolerance "},
        {"\"swap\": {\"enabled\": true, \"max_depth\": 2}", "/swap/max_depth "},
        {"\"smooth\": {\"enabled\": true, \"acceptance_tolerance\": -10}",
         "/smooth/acceptance_tolerance "},
        {"\"smooth\": {\"enabled\": true, \"max_iters\": 2}", "/smooth/max_iters "},
        {"\"local_relaxation\": {\"local_mesh_n_ring\": 3}", "/local_mesh_n_ring "},
        {"\"local_relaxation\": {\"local_mesh_rel_area\": 0.1}", "/local_mesh_rel_area "},
        {"\"local_relaxation\": {\"max_nl_iterations\": 2}", "/max_nl_iterations "},
        {"\"type\": \"sizing_field\", \"split\": {\"acceptance_tolerance\": 1}",
         "/split/acceptance_tolerance "},
        {"\"type\": \"sizing_field\", \"swap\": {\"enabled\": true}", "/swap/enabled "},
    };
    int silent = warnings_of("\"split\": {\"max_depth\": 4}, \"collapse\": {\"max_depth\": 4, "
                             "\"acceptance_tolerance\": -0.1}, \"swap\": {\"enabled\": true, "
                             "\"acceptance_tolerance\": -0.1}, "
                             "\"smooth\": {\"enabled\": false, \"acceptance_tolerance\": -10}");
    CHECK(silent == 0);
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        int count = warnings_of(dropped[i][0]);
        CHECK(count == 1 && strstr(heard, dropped[i][1]) && strstr(heard, "has no effect"));
        if (count != 1 || !strstr(heard, dropped[i][1])) printf("%s: %s\n", dropped[i][0], heard);
    }
}

TEST(refusals)
{
    must_fail("}", ", \"contact\": {\"adhesion\": {\"adhesion_enabled\": true}}",
              ABUT_ERROR_UNSUPPORTED, "/contact/adhesion");
    must_fail(", \"colour\": 1}", "", ABUT_ERROR_UNSUPPORTED, "/geometry/0/colour");
    must_fail("}, {\"mesh\": \"gone.obj\", \"is_obstacle\": true}", "", ABUT_ERROR_IO,
              "/geometry/1");
    must_fail("}", ", \"materials\": [{\"type\": \"HGOFiber\"}]", ABUT_ERROR_UNSUPPORTED,
              "HGOFiber");
    must_fail("}", ", \"materials\": [{\"type\": \"NeoHookean\", \"id\": 5, \"E\": 1, \"nu\": 0}]",
              ABUT_ERROR_INPUT, "the id 0");
    must_fail("}", ", \"space\": {\"remesh\": {\"enabled\": true, \"split\": {\"speed\": 1}}}",
              ABUT_ERROR_UNSUPPORTED, "/space/remesh/split/speed");
    must_fail("}", ", \"space\": {\"remesh\": {\"enabled\": true, \"type\": \"magic\"}}",
              ABUT_ERROR_UNSUPPORTED, "/space/remesh/type");
    must_fail(", \"surface_selection\": [{\"id\": 1, \"axis\": 1, \"position\": -9}]}",
              ", \"boundary_conditions\": {\"dirichlet_boundary\": [{\"id\": 1, \"value\":"
              "[\"sin(\", 0, 0]}]}",
              ABUT_ERROR_INPUT, "character 5");
    must_fail(", \"surface_selection\": [{\"id\": 1, \"blob\": 1}]}", "", ABUT_ERROR_UNSUPPORTED,
              "surface_selection");
    must_fail(", \"unit\": \"mile\"}", "", ABUT_ERROR_UNSUPPORTED, "mile");
    must_fail(", \"surface_selection\": \"gone.txt\"}", "", ABUT_ERROR_IO, "gone.txt");
}

/* Body forces that are expressions go to the bodies, with the opposite sign. */
TEST(body_forces)
{
    scene_def *s = must_import("}", ", \"boundary_conditions\": {\"rhs\": [1, \"x + 2 * t\", 3]}");
    CHECK(s && vec3_norm(s->options.gravity) == 0 && s->bodies[0].loads.force_count == 1);
    expression *const *field = s->bodies[0].loads.forces[0].field;
    CHECK_NEAR(expression_value(field[0], 5, 0, 0, 7), -1, 1e-15);
    CHECK_NEAR(expression_value(field[1], 5, 0, 0, 7), -19, 1e-15);
    CHECK_NEAR(expression_value(field[2], 5, 0, 0, 7), -3, 1e-15);
    scene_free(s);
    must_fail("}", ", \"boundary_conditions\": {\"rhs\": [0, \"x + + w\", 0]}", ABUT_ERROR_INPUT,
              "character");
}

static void check_sequence(const char *value, size_t count)
{
    char geometry[400];
    snprintf(geometry, sizeof geometry,
             "}, {\"type\": \"mesh_sequence\", \"mesh_sequence\": %s, \"fps\": 25, "
             "\"is_obstacle\": true, \"transformation\": {\"translation\": [0, -3, 0]}}",
             value);
    scene_def *s = must_import(geometry, "");
    CHECK(s && s->body_count == 2 && s->bodies[1].sequence.given);
    const body_def *b = &s->bodies[1];
    CHECK(b->sequence.fps == 25 && b->sequence.transform && b->translate.y == -3);
    CHECK(b->sequence.file_count == count);
    /* Numbers count by value: 10 comes after 9. */
    const char *name = b->sequence.files[count - 1].path;
    CHECK(strcmp(path_name(name), "frame10.obj") == 0 && name[0] == '/');
    CHECK(strcmp(path_name(b->mesh.path), count == 3 ? "frame2.obj" : "frame9.obj") == 0);
    scene_free(s);
}

TEST(mesh_sequences)
{
    char below[300];
    snprintf(below, sizeof below, "%s/scenes/frames", folder);
    CHECK_OK(directory_create(below, &err), err);
    static const int numbers[] = {10, 9, 2};
    for (int i = 0; i < 3; i++) {
        char name[60];
        snprintf(name, sizeof name, "scenes/frames/frame%d.obj", numbers[i]);
        write_at(name, "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nf 1 3 2\n");
    }
    check_sequence("\"frames\"", 3);
    check_sequence("\"frames/*.obj\"", 3);
    check_sequence("[\"frames/frame9.obj\", \"frames/frame10.obj\"]", 2);
    must_fail("}, {\"type\": \"mesh_sequence\", \"mesh_sequence\": \"frames\", \"is_obstacle\": "
              "true}",
              "", ABUT_ERROR_INPUT, "fps");
    must_fail("}, {\"type\": \"mesh_sequence\", \"mesh_sequence\": \"no/*.obj\", \"fps\": 1, "
              "\"is_obstacle\": true}",
              "", ABUT_ERROR_IO, "no/*.obj");
}

TEST(normalized_meshes)
{
    scene_def *s =
        must_import(", \"advanced\": {\"normalize_mesh\": true}, \"transformation\": "
                    "{\"scale\": 3, \"rotation\": [0, 0, 90], \"translation\": [1, 0, 0]}}",
                    "");
    mesh m;
    CHECK_OK(scene_body_mesh(s, 0, &m, &err), err);
    CHECK_NEAR(m.vertices[1].x, 1, 1e-12); /* legs of 2 become 3 */
    CHECK_NEAR(m.vertices[1].y, 3, 1e-12);
    CHECK_NEAR(m.vertices[0].x, 1, 1e-12);
    mesh_free(&m);
    scene_free(s);
}

/* Features that are off do no harm; on, they are refused by name. */
TEST(keys_that_are_off)
{
    scene_def *s = must_import("}", ", \"contact\": {\"use_gcp_formulation\": false, \"alpha_t\": "
                                    "0.5}, \"boundary_conditions\": {\"periodic_boundary\": "
                                    "{\"enabled\": false, \"tolerance\": 1e-5}}");
    scene_free(s);
    must_fail("}", ", \"contact\": {\"use_gcp_formulation\": true}", ABUT_ERROR_UNSUPPORTED,
              "/contact/use_gcp_formulation");
}

int main(void)
{
    set_up();
    RUN(body_forces);
    RUN(mesh_sequences);
    RUN(normalized_meshes);
    RUN(keys_that_are_off);
    RUN(common_and_patch);
    RUN(patches_add_below_what_is_missing);
    RUN(lagged_regularization);
    RUN(files_for_common_are_no_scenes);
    RUN(places);
    RUN(arrays);
    RUN(conditions);
    RUN(conditions_without_numbers);
    RUN(the_last_of_two_conditions_on_a_node_counts);
    RUN(time_and_integrators);
    RUN(old_format);
    RUN(contact_by_area);
    RUN(loads_and_interpolation);
    RUN(collision_mesh_of_several_bodies);
    RUN(cubics);
    RUN(selections_of_cells_and_files);
    RUN(materials);
    RUN(remeshing);
    RUN(remeshing_names_what_it_drops);
    RUN(refusals);
    tear_down();
    return TEST_END();
}

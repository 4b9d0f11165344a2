/* Importing scripts of the IPC reference program: keywords, places of shapes, conditions, script
 * kinds, errors with file and line. The scripts are written here, into a scratch folder with an
 * "input" folder like that of the program. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "scene/load.h"
#include "scene/scene.h"
#include "support/scratch.h"

#include <sys/stat.h>

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
    char scenes[300];
    snprintf(folder, sizeof folder, "%s/import-ipc", test_scratch());
    snprintf(scenes, sizeof scenes, "%s/input/scenes", folder);
    CHECK_OK(directory_create(scenes, &err), err);
    /* One tet with its corner at 0 and legs of 1. */
    write_at("input/tet.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n"
                              "3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n"
                              "$EndElements\n");
    write_at("input/square.obj", "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 3 2\nf 1 4 3\n");
    write_at("input/edge.seg", "v 0 0 0\nv 1 0 0\ns 1 2\n");
    write_at("input/dot.obj", "v 0 0 0\n");
}

static void tear_down(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
}

static abut_status import(const char *text, scene_def **scene)
{
    char path[400];
    write_at("input/scenes/test.txt", text);
    snprintf(path, sizeof path, "%s/input/scenes/test.txt", folder);
    *scene = NULL;
    return scene_load(path, NULL, 0, NULL, scene, &err);
}

static scene_def *must_import(const char *text)
{
    scene_def *scene;
    CHECK_OK(import(text, &scene), err);
    return scene;
}

/* Error with this line number, code and message (a part of it). */
static void expect_error(const char *text, abut_status code, int line, const char *message)
{
    scene_def *scene;
    char place[30];
    snprintf(place, sizeof place, "test.txt:%d", line);
    abut_status status = import(text, &scene);
    const char *at = strstr(err.place, place);
    bool good = status == code && at && at[strlen(place)] == 0 && strstr(err.message, message);
    CHECK(good);
    if (!good) printf("  %d %s: %s\n", status, err.place, err.message);
    scene_free(scene);
}

static bool near_vector(vec3 a, double x, double y, double z)
{
    return vec3_norm(vec3_sub(a, vec3_make(x, y, z))) < 1e-12;
}

static vec3 vertex_of(const scene_def *s, size_t body, size_t vertex)
{
    mesh m;
    CHECK_OK(scene_body_mesh(s, body, &m, &err), err);
    vec3 x = m.vertices[vertex];
    mesh_free(&m);
    return x;
}

#define TET "shapes input 1\ninput/tet.msh 0 0 0  0 0 0  1 1 1"

/* --- Keywords --- */

TEST(defaults)
{
    scene_def *s = must_import(TET "\n");
    if (!s) return;
    double l = sqrt(3);
    CHECK(s->options.h == 0.025 && fabs(s->end_time - 5) < 1e-12);
    CHECK(s->options.integrator == INTEGRATE_IMPLICIT_EULER && s->options.contact);
    CHECK(near_vector(s->options.gravity, 0, -9.80665, 0));
    CHECK(s->body_count == 1 && s->bodies[0].material.model == ELASTIC_NEO_HOOKEAN);
    CHECK(s->bodies[0].material.young == 1e5 && s->bodies[0].material.poisson == 0.4);
    CHECK(s->bodies[0].material.density == 1000);
    CHECK_NEAR(s->lengths.dhat.value, 1e-3 * l, 1e-15);
    CHECK_NEAR(s->lengths.tolerance.value, 1e-2 * l, 1e-15);
    CHECK_NEAR(s->lengths.eps_v.value, 1e-3 * l, 1e-15);
    CHECK(s->options.friction == 0 && s->options.friction_iterations == 1 &&
          s->half_space_count == 0);
    scene_free(s);
}

TEST(keywords)
{
    scene_def *s =
        must_import("energy FCR\ntimeIntegration NM 0.3 0.6\ntime 2 0.01  # two seconds\n"
                    "density 500\nstiffness 2e4 0.3\nturnOffGravity\nselfFric 0.2\n"
                    "dHat 1e-4\nepsv 1e-5\nfricIterAmt -1\ntol 1\n\n1e-4\nwarmStart 0\n"
                    "timeStepper Newton\nresolution 1000\n"
                    "view perspective\nzoom 0.5\ncameraTracking\nground 0.1 -0.5\n"
                    "halfSpace 0 -1 0  0 2 0  50 0.3\nconstraintSolver IP\n"
                    "CCDMethod TightInclusion\n" TET " material 2000 1e8 0.45\n");
    if (!s) return;
    double l = sqrt(3);
    CHECK(s->bodies[0].material.model == ELASTIC_FIXED_COROTATED);
    CHECK(s->bodies[0].material.density == 2000 && s->bodies[0].material.young == 1e8);
    CHECK(s->bodies[0].material.poisson == 0.45);
    CHECK(s->options.integrator == INTEGRATE_NEWMARK && s->options.newmark_beta == 0.3);
    CHECK(s->options.newmark_gamma == 0.6 && s->options.h == 0.01);
    CHECK_NEAR(s->end_time, 2, 1e-12);
    CHECK(near_vector(s->options.gravity, 0, 0, 0));
    CHECK_NEAR(s->lengths.dhat.value, 1e-4 * l, 1e-16);
    /* The threshold of friction belongs to a step of 0.025 s. */
    CHECK_NEAR(s->lengths.eps_v.value * s->options.h, 1e-5 * l * 0.025, 1e-18);
    CHECK_NEAR(s->lengths.tolerance.value, 1e-4 * l, 1e-16);
    CHECK(s->options.friction == 0.2 && s->options.friction_iterations == 0);
    CHECK(s->half_space_count == 2 && s->half_spaces[0].friction == 0.1);
    CHECK(near_vector(s->half_spaces[0].origin, 0, -0.5, 0));
    CHECK(near_vector(s->half_spaces[1].normal, 0, 1, 0) && s->half_spaces[1].friction == 0.3);
    scene_free(s);
}

static vec3 placed(const body_def *b, double time)
{
    vec3 at = b->translate;
    for (size_t i = 0; i < b->dirichlet.motion_count; i++) {
        const motion_def *m = &b->dirichlet.motions[i];
        double length = fmax(fmin(time, m->until) - m->from, 0);
        at = vec3_mul_add(at, length, m->velocity);
    }
    return at;
}

/* They turn back, or go on along each other, when less than 0.1 m or 0.8 m is between them. */
TEST(half_spaces_that_move_are_sheets)
{
    scene_def *s = must_import("time 2 0.01\nscript ACOSquash\nhalfSpace -1 0 0  1 0 0  1 0.25\n"
                               "halfSpace 2 0 0  -1 0 0  1 0\nground 0.1 -3\n" TET "\n");
    if (!s) return;
    CHECK(s->half_space_count == 1 && s->body_count == 3);
    const body_def *a = &s->bodies[1], *b = &s->bodies[2];
    CHECK(a->type == BODY_OBSTACLE && a->friction == 0.25 && b->friction == 0);
    CHECK_NEAR(placed(a, 0).x, -1, 1e-12);
    CHECK_NEAR(placed(b, 0).x, 2, 1e-12);
    /* 3 m apart, 2 m/s: less than 0.1 m after 146 steps. */
    CHECK_NEAR(placed(a, 1.46).x, 0.46, 1e-9);
    CHECK_NEAR(placed(a, 1.56).x, 0.36, 1e-9);
    CHECK_NEAR(placed(b, 1.56).x, 0.64, 1e-9);
    scene_free(s);
    s = must_import("time 3 0.01\nscript ACOSquashShear\nhalfSpace -1 0 0  1 0 0  1 0\n"
                    "halfSpace 2 0 0  -1 0 0  1 0\n" TET "\n");
    if (!s) return;
    double y = placed(&s->bodies[2], 0).y;
    CHECK_NEAR(placed(&s->bodies[1], 2).x, placed(&s->bodies[1], 3).x, 1e-9);
    CHECK_NEAR(placed(&s->bodies[2], 2.11).y - y, 1, 1e-9); /* from 1.11 s on */
    scene_free(s);
    scene_def *none;
    CHECK(import("script ACOSquash\nground 0.1 -1\n" TET "\n", &none) == ABUT_ERROR_INPUT);
    CHECK(import("script ACOSquash6\n" TET "\n", &none) == ABUT_ERROR_UNSUPPORTED);
}

TEST(tuning_takes_the_final_values)
{
    scene_def *s = must_import("tuning 6\n0\n1e-2\n2e-4\n1e-9\n1e-3 5e-6\n" TET "\n");
    if (!s) return;
    CHECK_NEAR(s->lengths.dhat.value, 2e-4 * sqrt(3), 1e-16);
    CHECK_NEAR(s->lengths.eps_v.value, 5e-6 * sqrt(3), 1e-17);
    scene_free(s);
}

TEST(sections_of_other_solvers_are_skipped)
{
    scene_def *s = must_import("time 1 0.1\nsection SQP QP\ntime 2 0.2\nnonsense 3\nsection end\n"
                               "section IP\ndensity 7\nsection end\n" TET "\n");
    if (!s) return;
    CHECK(s->options.h == 0.1 && s->bodies[0].material.density == 7);
    scene_free(s);
}

TEST(self_collisions_off_without_obstacles)
{
    scene_def *s = must_import("selfCollisionOff\n" TET "\n");
    CHECK(s && !s->options.contact);
    scene_free(s);
}

/* --- Places --- */

TEST(transform_order)
{
    /* Scaled, turned about z, then y, then x, moved. */
    scene_def *s =
        must_import("shapes input 1\n# a comment\ninput/tet.msh 1 2 3  0 90 90  2 3 4\n");
    if (!s) return;
    CHECK(near_vector(vertex_of(s, 0, 0), 1, 2, 3));
    /* (2,0,0) -> z: (0,2,0) -> y: (0,2,0) */
    CHECK(near_vector(vertex_of(s, 0, 1), 1, 4, 3));
    /* (0,3,0) -> z: (-3,0,0) -> y: (0,0,3) */
    CHECK(near_vector(vertex_of(s, 0, 2), 1, 2, 6));
    /* (0,0,4) -> y: (4,0,0) */
    CHECK(near_vector(vertex_of(s, 0, 3), 5, 2, 3));
    scene_free(s);
}

TEST(any_rotation_survives)
{
    static const double angles[][3] = {{10, 20, 30},  {-90, 0, 0}, {0, -90, 40},
                                       {33, 90, -71}, {180, 0, 0}, {0, 180, 90}};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        char text[200];
        snprintf(text, sizeof text, "shapes input 1\ninput/tet.msh 0 0 0  %g %g %g  1 1 1\n",
                 angles[i][0], angles[i][1], angles[i][2]);
        scene_def *s = must_import(text);
        if (!s) return;
        double a = angles[i][0] * acos(-1) / 180, b = angles[i][1] * acos(-1) / 180,
               c = angles[i][2] * acos(-1) / 180;
        /* The first axis: about z, then y, then x. */
        double x = cos(c), y = sin(c), z = 0;
        double x2 = cos(b) * x, z2 = -sin(b) * x + z;
        CHECK(near_vector(vertex_of(s, 0, 1), x2, cos(a) * y - sin(a) * z2,
                          sin(a) * y + cos(a) * z2));
        /* The third axis. */
        double x3 = sin(b), z3 = cos(b);
        CHECK(near_vector(vertex_of(s, 0, 3), x3, -sin(a) * z3, cos(a) * z3));
        scene_free(s);
    }
}

TEST(size_scales_the_whole_scene)
{
    scene_def *s = must_import("size 2\nscript DCOFix\nshapes input 2\n"
                               "input/tet.msh 1 1 1  0 0 0  1 1 1\n"
                               "input/square.obj 0 -2 0  0 0 0  2 2 2\n");
    if (!s) return;
    /* The longest side is 4 (x and z: -2..2; y: -2..2), so the factor is 1/2; the corner goes to 0.
     */
    CHECK(near_vector(vertex_of(s, 0, 0), 1.5, 1.5, 1.5));
    CHECK(near_vector(vertex_of(s, 1, 0), 0, 0, 0));
    CHECK_NEAR(s->lengths.dhat.value, 1e-3 * sqrt(3) / 2, 1e-15); /* l counts solids only */
    CHECK(s->bodies[1].type == BODY_OBSTACLE);
    scene_free(s);
}

TEST(rotate_model_turns_about_half_the_extent)
{
    scene_def *s = must_import("rotateModel 0 0 1 90\n" TET "\n");
    if (!s) return;
    /* Centre (0.5, 0.5, 0.5): (0,0,0) -> (1,0,0), (1,0,0) -> (1,1,0). */
    CHECK(near_vector(vertex_of(s, 0, 0), 1, 0, 0));
    CHECK(near_vector(vertex_of(s, 0, 1), 1, 1, 0));
    scene_free(s);
}

TEST(mesh_collision_objects)
{
    scene_def *s =
        must_import(TET "\nmeshCO input/square.obj 1 -3 2  10  50  0.7  rotate 90 0 0\n");
    if (!s) return;
    CHECK(s->body_count == 2 && s->bodies[1].type == BODY_OBSTACLE && s->bodies[1].friction == 0);
    /* Mean at (1,-3,2), longest side 10: (-1,0,-1) -> turned about x: (-1,1,0) -> times 5. */
    CHECK(near_vector(vertex_of(s, 1, 0), -4, 2, 2));
    scene_free(s);
}

TEST(shape_matrix)
{
    scene_def *s = must_import("script DCOFix\n" TET "\nshapeMatrix input 2 1 3  0 5 0\n"
                               "input/edge.seg 1 1 2  0 0 90  1 1 1\n");
    if (!s) return;
    CHECK(s->body_count == 7);
    CHECK(near_vector(vertex_of(s, 1, 0), 0, 5, 0) && near_vector(vertex_of(s, 1, 1), 0, 6, 0));
    CHECK(near_vector(vertex_of(s, 6, 0), 1, 5, 4));
    CHECK(strcmp(s->bodies[1].name, "edge") == 0 && strcmp(s->bodies[6].name, "edge 6") == 0);
    scene_free(s);
}

TEST(segments_and_points_of_surfaces)
{
    scene_def *s = must_import("shapes input 3\ninput/tet.msh 0 0 0  0 0 0  1 1 1\n"
                               "input/square.seg 0 -1 0  0 0 0  1 1 1\n"
                               "input/dot.pt 0 -2 0  0 0 0  1 1 1\n");
    if (!s) return;
    mesh m;
    CHECK_OK(scene_body_mesh(s, 1, &m, &err), err);
    CHECK(m.vertex_count == 4 && !mesh_find(&m, CELL_TRIANGLE));
    CHECK(mesh_find(&m, CELL_EDGE) && mesh_find(&m, CELL_EDGE)->count == 5);
    mesh_free(&m);
    CHECK_OK(scene_body_mesh(s, 2, &m, &err), err);
    CHECK(m.vertex_count == 1 && mesh_find(&m, CELL_POINT) && m.block_count == 1);
    mesh_free(&m);
    scene_free(s);
}

TEST(links_stored_as_text)
{
    char path[400];
    scene_def *s;
    write_at("input/scenes/real.txt", "density 3\n" TET "\n");
    write_at("input/scenes/link.txt", "../scenes/real.txt\n");
    snprintf(path, sizeof path, "%s/input/scenes/link.txt", folder);
    CHECK_OK(scene_load(path, NULL, 0, NULL, &s, &err), err);
    CHECK(s && s->bodies[0].material.density == 3);
    scene_free(s);
    write_at("input/scenes/link.txt", "../scenes/gone.txt");
    CHECK(scene_load(path, NULL, 0, NULL, &s, &err) == ABUT_ERROR_IO);
    CHECK(strstr(err.message, "../scenes/gone.txt") != NULL);
}

/* --- Conditions of shapes --- */

TEST(conditions_of_shapes)
{
    scene_def *s =
        must_import(TET " \\\n  DBC 0.9 -0.1 -0.1  1.1 1.1 1.1  0.5 0 0  0 0 30  0.5 2 \\\n"
                        "  NBC -0.1 0.9 -0.1  1 1 1  0 -5 0  1 # pull\n");
    if (!s) return;
    const body_def *b = &s->bodies[0];
    CHECK(b->dirichlet.fix_count == 1 && b->loads.force_count == 1);
    CHECK(b->dirichlet.fixes[0].nodes.kind == SELECT_LIST &&
          b->dirichlet.fixes[0].nodes.count == 1);
    CHECK(b->dirichlet.fixes[0].nodes.list[0] == 1 && b->dirichlet.fixes[0].from == 0.5 &&
          b->dirichlet.fixes[0].until == 2);
    CHECK(b->dirichlet.fixes[0].motion_count == 1 && b->dirichlet.fixes[0].motions[0].from == 0.5);
    CHECK(near_vector(b->dirichlet.fixes[0].motions[0].velocity, 0.5, 0, 0));
    CHECK(near_vector(b->dirichlet.fixes[0].motions[0].angular_velocity, 0, 0, 30));
    CHECK(b->loads.forces[0].nodes.count == 1 && b->loads.forces[0].nodes.list[0] == 2);
    CHECK(b->loads.forces[0].from == 1 && isinf(b->loads.forces[0].until));
    CHECK(near_vector(b->loads.forces[0].acceleration, 0, -5, 0));
    scene_free(s);
}

TEST(moving_shapes)
{
    scene_def *s =
        must_import("shapes input 2\ninput/tet.msh 0 1 0  0 0 0  1 1 1  initVel 1 2 3  0 90 0\n"
                    "input/square.obj 0 0 0  0 0 0  1 1 1  linearVelocity 0 1 0  "
                    "angularVelocity 0 90 0\n");
    if (!s) return;
    /* initVel turns about the box (0.5, 1.5, 0.5), the native form about the mass (0.25, 1.25,
     * 0.25): w x (mass - box) = (0,pi/2,0) x (-0.25,-0.25,-0.25). */
    double w = acos(-1) / 2;
    CHECK(near_vector(s->bodies[0].velocity, 1 - 0.25 * w, 2, 3 + 0.25 * w));
    CHECK(near_vector(s->bodies[0].angular_velocity, 0, 90, 0));
    CHECK(s->bodies[1].dirichlet.motion_count == 1);
    CHECK(near_vector(s->bodies[1].dirichlet.motions[0].velocity, 0, 1, 0));
    CHECK(near_vector(s->bodies[1].dirichlet.motions[0].center, 0, 0, 0));
    scene_free(s);
}

/* Turning about two axes at once is one rotation per step. */
TEST(spin_about_two_axes)
{
    scene_def *s = must_import("time 1 0.1\nshapes input 2\ninput/tet.msh 0 1 0  0 0 0  1 1 1\n"
                               "input/square.obj 0 0 0  0 0 0  1 1 1  angularVelocity 900 900 0\n");
    if (!s) return;
    /* Rx(90) Ry(90) is a turn by 120 degrees about (1,1,1)/sqrt 3. */
    CHECK(near_vector(s->bodies[1].dirichlet.motions[0].angular_velocity, 1200 / sqrt(3),
                      1200 / sqrt(3), 1200 / sqrt(3)));
    scene_free(s);
}

TEST(sequences_of_meshes)
{
    scene_def *s = must_import("shapes input 2\ninput/tet.msh 0 1 0  0 0 0  1 1 1\n"
                               "input/edge.seg 0 0 0  0 0 0  1 1 1  meshSeq input/frames\n");
    if (!s) return;
    CHECK(s->bodies[1].sequence.folder && strstr(s->bodies[1].sequence.folder, "input/frames"));
    CHECK(s->bodies[1].sequence.first == 0 && strcmp(s->bodies[1].sequence.extension, "obj") == 0);
    scene_free(s);
}

/* The damping matrix is 3/4 ratio h^2 K; here factor / h times the damping, factor = beta h^2. */
TEST(damping)
{
    scene_def *s = must_import("time 1 0.01\ndampingRatio 0.1\n" TET "\n");
    if (!s) return;
    CHECK_NEAR(s->bodies[0].material.damping, 0.1 * 0.01 * 3 / 4, 1e-15);
    scene_free(s);
    s = must_import("time 1 0.01\ntimeIntegration NM\ndampingStiff 2e-7\n" TET "\n");
    if (!s) return;
    CHECK_NEAR(s->bodies[0].material.damping, 2e-7 / (0.25 * 0.01 * 0.01), 1e-15);
    scene_free(s);
}

/* --- Script kinds --- */

TEST(fall_lifts_the_scene)
{
    scene_def *s = must_import("script fall\n" TET "\n");
    if (!s) return;
    CHECK(near_vector(vertex_of(s, 0, 0), 0, 0.5 * sqrt(3), 0));
    scene_free(s);
}

TEST(twist_turns_both_ends)
{
    scene_def *s = must_import("script twist\n" TET "\n");
    if (!s) return;
    const body_def *b = &s->bodies[0];
    CHECK(b->dirichlet.fix_count == 2 && b->dirichlet.fixes[0].nodes.count == 3 &&
          b->dirichlet.fixes[1].nodes.count == 1);
    CHECK(b->dirichlet.fixes[1].nodes.list[0] == 1);
    CHECK(near_vector(b->dirichlet.fixes[0].motions[0].angular_velocity, -72, 0, 0));
    CHECK(near_vector(b->dirichlet.fixes[1].motions[0].angular_velocity, 72, 0, 0));
    CHECK(near_vector(b->dirichlet.fixes[0].motions[0].center, 0.5, 0.5, 0.5));
    scene_free(s);
}

TEST(dragright_releases)
{
    scene_def *s =
        must_import("script dragright\n" TET "\nmeshCO input/square.obj 0 -3 0  2  50  0\n");
    if (!s) return;
    const body_def *b = &s->bodies[0];
    CHECK(b->dirichlet.fix_count == 1 && b->dirichlet.fixes[0].nodes.count == 1 &&
          b->dirichlet.fixes[0].nodes.list[0] == 1);
    CHECK(near_vector(b->dirichlet.fixes[0].motions[0].velocity, 0.5, 0, 0));
    CHECK(b->dirichlet.fixes[0].has_release && b->dirichlet.fixes[0].release_axis == 0);
    CHECK_NEAR(b->dirichlet.fixes[0].release_beyond, 1, 1e-12);
    scene_free(s);
}

/* Which nodes each kind holds, and how the first of them move. */
TEST(kinds_that_hold_nodes)
{
    static const struct {
        const char *kind;
        size_t fixes, nodes; /* of the first one */
        double velocity[3];
        double until; /* of the motion; 0: forever */
    } cases[] = {
        {"null", 0, 0, {0}, 0},
        {"fallNoShift", 0, 0, {0}, 0},
        {"hang", 2, 1, {0}, 0},
        {"hang2", 1, 1, {0}, 0},
        {"hangLeft", 1, 3, {0}, 0},
        {"stamp", 1, 3, {0}, 0},
        {"stampTopLeft", 1, 1, {0}, 0},
        {"hangTopLeft", 1, 1, {0}, 0},
        {"stampBoth", 2, 3, {0}, 0},
        {"swing", 1, 3, {0}, 0},
        {"stand", 1, 3, {0}, 0},
        {"topbottomfix", 2, 3, {0}, 0},
        {"fixLowerHalf", 1, 3, {0}, 0},
        {"corner", 3, 3, {0}, 0},
        {"fixRightMost1", 1, 1, {0}, 0},
        {"pushRightMost1", 1, 1, {-0.15, 0, 0}, 0},
        {"stretch", 2, 3, {-0.1, 0, 0}, 0},
        {"squash", 2, 3, {0.03, 0, 0}, 0},
        {"stretchAndPause", 2, 3, {-1, 0, 0}, 0.3},
        {"upndown", 2, 3, {0, 1.8, 0}, 0.35},
        {"stretchnsquash", 2, 3, {-0.9, 0, 0}, 0.9},
        {"toggleTop", 1, 1, {-0.5, 0, 0}, 0},
        {"bend", 2, 3, {0, 0, 0}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "time 1 0.05\nscript %s\n" TET "\n", cases[i].kind);
        scene_def *s = must_import(text);
        if (!s) continue;
        const body_def *b = &s->bodies[0];
        bool good = b->dirichlet.fix_count == cases[i].fixes;
        if (good && cases[i].fixes > 0) good = b->dirichlet.fixes[0].nodes.count == cases[i].nodes;
        vec3 v = vec3_load(cases[i].velocity);
        if (good && vec3_norm(v) > 0)
            good = b->dirichlet.fixes[0].motion_count > 0 &&
                   vec3_norm(vec3_sub(b->dirichlet.fixes[0].motions[0].velocity, v)) < 1e-12;
        if (good && cases[i].until > 0)
            good = fabs(b->dirichlet.fixes[0].motions[0].until - cases[i].until) < 1e-9;
        CHECK(good);
        if (!good) printf("  script %s\n", cases[i].kind);
        scene_free(s);
    }
}

TEST(toggle_top_releases)
{
    scene_def *s = must_import("time 1 0.05\nscript toggleTop\n" TET "\n");
    if (!s) return;
    CHECK_NEAR(s->bodies[0].dirichlet.fixes[0].until, 0.2, 1e-9);
    scene_free(s);
}

TEST(tear_goes_back)
{
    scene_def *s = must_import("time 2 0.1\nscript tear\n" TET "\n");
    if (!s) return;
    const fix_def *top = &s->bodies[0].dirichlet.fixes[1];
    CHECK(top->motion_count == 2 && near_vector(top->motions[0].velocity, -5, 0, 0));
    CHECK(near_vector(top->motions[1].velocity, 5, 0, 0));
    CHECK_NEAR(top->motions[0].until, 0.8, 1e-9);
    CHECK_NEAR(top->motions[1].from, 0.8, 1e-9);
    scene_free(s);
}

TEST(pressed_beds)
{
    scene_def *s = must_import("time 8 0.04\nscript DCOSegBedSquash\n" TET "\n"
                               "shapes input 2\ninput/edge.seg 0 -1 0  0 0 0  1 1 1\n"
                               "input/edge.seg 0 2 0  0 0 0  1 1 1\n");
    if (!s) return;
    CHECK(s->bodies[1].dirichlet.motion_count == 0 && s->bodies[2].dirichlet.motion_count == 1);
    CHECK(near_vector(s->bodies[2].dirichlet.motions[0].velocity, 0, -1, 0));
    /* From a gap of 3 to 0.1: 72.5 steps of 0.04. */
    CHECK_NEAR(s->bodies[2].dirichlet.motions[0].until, 73 * 0.04, 1e-9);
    scene_free(s);
}

TEST(squashing_planes_turn_back)
{
    scene_def *s = must_import("time 2 0.1\nscript DCOSquash\nshapes input 3\n"
                               "input/square.obj -2 0.5 0.5  0 0 90  1 1 1\n"
                               "input/square.obj 3 0.5 0.5  0 0 90  1 1 1\n"
                               "input/tet.msh 0 0 0  0 0 0  1 1 1\n");
    if (!s) return;
    CHECK(s->bodies[0].dirichlet.motion_count == 2 && s->bodies[1].dirichlet.motion_count == 2);
    CHECK(near_vector(s->bodies[0].dirichlet.motions[0].velocity, 1, 0, 0));
    CHECK(near_vector(s->bodies[0].dirichlet.motions[1].velocity, -1, 0, 0));
    /* 5 - 0.2 n < 0.1 for the first time at n = 25. */
    CHECK_NEAR(s->bodies[0].dirichlet.motions[0].until, 2.5, 1e-9);
    scene_free(s);
}

TEST(rollers_and_shots)
{
    scene_def *s =
        must_import("script DCORotCylinders\nshapes input 5\n"
                    "input/square.obj -2 0 0  0 0 0  1 1 1\ninput/square.obj -4 0 0  0 0 0  1 1 1\n"
                    "input/square.obj -6 0 0  0 0 0  1 1 1\ninput/square.obj -8 0 0  0 0 0  1 1 1\n"
                    "input/tet.msh 0 0 0  0 0 0  1 1 1\n");
    if (!s) return;
    CHECK(near_vector(s->bodies[1].dirichlet.motions[0].angular_velocity, -90, 0, 0));
    CHECK(near_vector(s->bodies[2].dirichlet.motions[0].angular_velocity, 0, 0, -90));
    CHECK(near_vector(s->bodies[3].dirichlet.motions[0].center, -8, 0, 0));
    scene_free(s);
    s = must_import("script DCOBallHitWall 1 5\n" TET "\n");
    if (!s) return;
    CHECK(near_vector(s->bodies[0].velocity, 5, 0, 0));
    scene_free(s);
}

/* --- Errors --- */

TEST(errors_name_line_and_keyword)
{
    expect_error("energy NH\ntme 1 2\nzoom 1\n", ABUT_ERROR_INPUT, 2,
                 "unknown keyword \"tme\"; did you mean \"time\"?");
    expect_error("\nenergy XX\nzoom 1\n", ABUT_ERROR_INPUT, 2, "energy: unknown energy \"XX\"");
    expect_error("size 1\ntime 5\n", ABUT_ERROR_INPUT, 2, "time: the time step is missing");
    expect_error("time 5 fast\nzoom 1\n", ABUT_ERROR_INPUT, 1,
                 "time: the time step must be a number, not \"fast\"");
    expect_error("time 5 -1\nzoom 1\n", ABUT_ERROR_INPUT, 1,
                 "time: the time step must be greater than 0");
    expect_error("energy NH\nrestart status7\n" TET "\n", ABUT_ERROR_UNSUPPORTED, 2, "restart: ");
    expect_error("energy NH\nshapes input 2\ninput/tet.msh 0 0 0 0 0 0 1 1 1\n", ABUT_ERROR_INPUT,
                 4, "shapes: the file ends where a shape is expected");
    expect_error("energy NH\n" TET " matrial 1 2 3\n", ABUT_ERROR_INPUT, 3,
                 "unknown setting \"matrial\" of a shape; did you mean \"material\"?");
    expect_error("energy NH\nshapes input 1\ninput/none.msh 0 0 0 0 0 0 1 1 1\n", ABUT_ERROR_IO, 3,
                 "there is no file \"");
    expect_error("energy NH\nshapes input 1\ninput/tet.abc 0 0 0 0 0 0 1 1 1\n",
                 ABUT_ERROR_UNSUPPORTED, 3, "shapes are .msh, .obj, .seg or .pt files");
    expect_error("size 1\nscript dance\n" TET "\n", ABUT_ERROR_UNSUPPORTED, 2,
                 "script dance: this kind is not known");
    expect_error("size 1\nscript onepoint\n" TET "\n", ABUT_ERROR_UNSUPPORTED, 2,
                 "script onepoint: it starts from a deformed shape");
    expect_error("size 1\nscript DCOSquash6\n" TET "\n", ABUT_ERROR_INPUT, 2,
                 "script DCOSquash6: it needs at least 7 shapes, but there are 1");
    scene_def *scene;
    CHECK(import("selfCollisionOff\nground 0 -1\n" TET "\n", &scene) == ABUT_ERROR_UNSUPPORTED);
    CHECK(strstr(err.message, "selfCollisionOff: ") == err.message);
    expect_error("zoom 1\ntol 2\n1e-3\n", ABUT_ERROR_INPUT, 4, "tol: a tolerance is missing");
}

/* Cutting a script anywhere never crashes and never gives a scene with broken parts. */
TEST(truncated_scripts)
{
    const char *text = "energy FCR\ntime 1 0.1\ntuning 3\n0\n1e-3\n1e-3\nscript twist\nsize 2\n"
                       "shapes input 1\ninput/tet.msh 0 0 0  0 0 0  1 1 1 material 1000 1e5 0.4\n"
                       "shapeMatrix input 1 1 1\ninput/edge.seg 1 1 1  0 0 0  1 1 1\n"
                       "halfSpace 0 0 0  0 1 0  50 0\nmeshCO input/square.obj 0 0 0  1  50  0\n";
    char cut[600];
    for (size_t n = 0; n < strlen(text); n++) {
        scene_def *s;
        snprintf(cut, sizeof cut, "%.*s", (int)n, text);
        abut_status status = import(cut, &s);
        CHECK((status == ABUT_OK) == (s != NULL));
        scene_free(s);
    }
}

int main(void)
{
    set_up();
    RUN(defaults);
    RUN(keywords);
    RUN(half_spaces_that_move_are_sheets);
    RUN(tuning_takes_the_final_values);
    RUN(sections_of_other_solvers_are_skipped);
    RUN(self_collisions_off_without_obstacles);
    RUN(transform_order);
    RUN(any_rotation_survives);
    RUN(size_scales_the_whole_scene);
    RUN(rotate_model_turns_about_half_the_extent);
    RUN(mesh_collision_objects);
    RUN(shape_matrix);
    RUN(segments_and_points_of_surfaces);
    RUN(links_stored_as_text);
    RUN(conditions_of_shapes);
    RUN(moving_shapes);
    RUN(spin_about_two_axes);
    RUN(sequences_of_meshes);
    RUN(damping);
    RUN(fall_lifts_the_scene);
    RUN(twist_turns_both_ends);
    RUN(dragright_releases);
    RUN(kinds_that_hold_nodes);
    RUN(toggle_top_releases);
    RUN(tear_goes_back);
    RUN(pressed_beds);
    RUN(squashing_planes_turn_back);
    RUN(rollers_and_shots);
    RUN(errors_name_line_and_keyword);
    RUN(truncated_scripts);
    tear_down();
    return TEST_END();
}

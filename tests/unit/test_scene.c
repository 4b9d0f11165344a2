/* Loading native scenes: every class of error with its place and message, defaults, what ends up in
 * the definition structs, overrides, recognition of other formats. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "scene/load.h"
#include "scene/scene.h"

#include <unistd.h>

/* --- Helpers --- */

static abut_error err;
static char logged[4000];

static void keep_log(void *user, abut_log_level level, const char *message)
{
    (void)user;
    (void)level;
    size_t length = strlen(logged);
    snprintf(logged + length, sizeof logged - length, "%s\n", message);
}

/* Writes a scene (' stands for ") to bar.json in the scratch folder. */
static void write_scene(const char *text)
{
    char *copy = mem_strdup(text);
    for (char *c = copy; *c; c++)
        if (*c == '\'') *c = '"';
    abut_error e;
    CHECK_OK(atomic_write("bar.json", copy, strlen(copy), &e), e);
    mem_free(copy);
}

static abut_status load(const char *text, scene_def **scene)
{
    logger log = {keep_log, NULL, ABUT_LOG_INFO};
    logged[0] = 0;
    memset(&err, 0, sizeof err);
    write_scene(text);
    return scene_load("bar.json", NULL, 0, &log, scene, &err);
}

static void expect_error_(int line, const char *text, const char *place, const char *message)
{
    scene_def *scene;
    abut_status status = load(text, &scene);
    bool good = status == ABUT_ERROR_INPUT && err.code == ABUT_ERROR_INPUT &&
                strcmp(err.place, place) == 0 && strcmp(err.message, message) == 0;
    CHECK(good);
    if (!good)
        printf("  line %d: status %d\n    got      %s: %s\n    expected %s: %s\n", line, status,
               err.place, err.message, place, message);
    scene_free(scene);
}

#define expect_error(text, place, message) expect_error_(__LINE__, text, place, message)

#define TIME "'time': {'step': 0.01, 'end': 1}"
#define JELLY "'material': {'young': 1e5, 'poisson': 0.4}"
#define BOX "'mesh': {'box': {'size': [1, 1, 1]}}"
#define SCENE(rest) "{'abut': 1, " TIME ", 'bodies': []" rest "}"
#define BODY(rest) "{'abut': 1, " TIME ", 'bodies': [{" BOX ", " JELLY rest "}]}"
#define BODIES(list) "{'abut': 1, " TIME ", 'bodies': [" list "]}"

/* --- Errors --- */

TEST(syntax_errors_name_line_and_column)
{
    expect_error("{'abut': 1,\n 'time': }", "bar.json: line 2, column 10",
                 "not valid JSON: unexpected token near '}'");
    expect_error("{'abut': 1,\n 'abut': 1}", "bar.json: line 2, column 7",
                 "not valid JSON: duplicate object key near '\"abut\"'");
    expect_error("{'abut': 1", "bar.json: line 1, column 10",
                 "not valid JSON: '}' expected near end of file");
    expect_error("{'abut': NaN}", "bar.json: line 1, column 12",
                 "not valid JSON: invalid token near 'NaN'");
    expect_error("{'abut': 1e999}", "bar.json: line 1, column 14",
                 "not valid JSON: real number overflow near '1e999'");
    expect_error("", "bar.json: line 1, column 0",
                 "not valid JSON: '[' or '{' expected near end of file");
}

TEST(wrong_values)
{
    expect_error("{'abut': 2, " TIME ", 'bodies': []}", "bar.json: abut", "must be 1, found 2");
    expect_error(BODIES("{" BOX ", 'material': {'young': 'soft', 'poisson': 0.4}}"),
                 "bar.json: bodies[0].material.young",
                 "must be a number > 0 (Pa), found string \"soft\"");
    expect_error(BODIES("{" BOX ", 'material': {'young': 1, 'poisson': 0.5}}"),
                 "bar.json: bodies[0].material.poisson",
                 "must be a number > -1 and < 0.5, found 0.5");
    expect_error(BODY(", 'density': 0"), "bar.json: bodies[0].density",
                 "must be a number > 0 (kg/m^3), found 0");
    expect_error(BODY(", 'density': null"), "bar.json: bodies[0].density",
                 "must be a number > 0 (kg/m^3), found null");
    expect_error(BODY(", 'enabled': 1"), "bar.json: bodies[0].enabled",
                 "must be true or false, found 1");
    expect_error(BODY(", 'name': ''"), "bar.json: bodies[0].name",
                 "must be a string that is not empty, without slash or control characters, found "
                 "string \"\"");
    expect_error(BODY(", 'name': '../x'"), "bar.json: bodies[0].name",
                 "must be a string that is not empty, without slash or control characters, found "
                 "string \"../x\"");
    expect_error(SCENE(", 'name': []"), "bar.json: name", "must be a string, found an empty list");
    expect_error("{'abut': 1, 'time': 3, 'bodies': []}", "bar.json: time",
                 "must be an object, found 3");
    expect_error("{'abut': 1, " TIME ", 'bodies': {}}", "bar.json: bodies",
                 "must be a list of objects, found an empty object");
    expect_error(BODIES("{}, 3"), "bar.json: bodies[0].mesh",
                 "is missing; must be a string (the file) or an object");
    CHECK(strstr(logged, "bar.json: bodies[1]: must be an object, found 3\n") != NULL);
    expect_error(SCENE(", 'materials': []"), "bar.json: materials",
                 "must be an object of named objects, found an empty list");
}

TEST(wrong_times)
{
    expect_error("{'abut': 1, 'bodies': []}", "bar.json: time", "is missing; must be an object");
    expect_error("{'abut': 1, 'time': {'end': 1}, 'bodies': []}", "bar.json: time.step",
                 "is missing; must be a number > 0 (s)");
    expect_error("{'abut': 1, 'time': {'step': 0, 'end': 1}, 'bodies': []}", "bar.json: time.step",
                 "must be a number > 0 (s), found 0");
    expect_error("{'abut': 1, 'time': {'step': 1, 'end': -1}, 'bodies': []}", "bar.json: time.end",
                 "must be a number >= 0 (s), found -1");
    expect_error("{'abut': 1, 'time': {'step': 1}, 'bodies': []}", "bar.json: time",
                 "must have one of the keys \"end\", \"steps\"");
    expect_error("{'abut': 1, 'time': {'step': 1, 'end': 1, 'steps': 1}, 'bodies': []}",
                 "bar.json: time", "has both \"end\" and \"steps\", but only one is allowed");
    expect_error("{'abut': 1, 'time': {'step': 1, 'steps': 1.5}, 'bodies': []}",
                 "bar.json: time.steps", "must be an integer from 0 to 2000000000, found 1.5");
    expect_error("{'abut': 1, 'time': {'step': 1e-9, 'end': 1e3}, 'bodies': []}",
                 "bar.json: time.end",
                 "would take 1e+12 steps of 1e-09 s; at most 2e9 are possible");
    expect_error("{'abut': 1, 'time': {'step': 1, 'end': 1, 'integrator': 'newmrk'}, 'bodies': []}",
                 "bar.json: time.integrator",
                 "must be one of \"implicit-euler\", \"newmark\", \"bdf2\", \"quasi-static\", "
                 "\"bdf1\", \"bdf3\", \"bdf4\", \"bdf5\", \"bdf6\", found "
                 "string \"newmrk\"; did you mean \"newmark\"?");
}

TEST(unknown_keys)
{
    expect_error(BODY(", 'densty': 3"), "bar.json: bodies[0]",
                 "unknown key \"densty\"; did you mean \"density\"?");
    expect_error(SCENE(", 'Gravity': [0, 0, 0]"), "bar.json",
                 "unknown key \"Gravity\"; did you mean \"gravity\"?");
    expect_error(
        SCENE(", 'qqqqqqqq': 1"), "bar.json",
        "unknown key \"qqqqqqqq\"; the keys here are `abut`, `$schema`, `name`, `time`, "
        "`gravity`, `planar`, `contact`, `stepper`, `mlcp`, `solver`, `remesh`, `materials`, "
        "`bodies`, `joints`, `attachments`, `cavities`, `winds`, `waters`, `ground`, "
        "`half_spaces` ...");
    expect_error(SCENE(", 'contact': {'friction_iteration': 3}"), "bar.json: contact",
                 "unknown key \"friction_iteration\"; did you mean \"friction_iterations\"?");
}

TEST(wrong_lists_and_vectors)
{
    expect_error(SCENE(", 'gravity': [0, -9.81]"), "bar.json: gravity",
                 "must be a list of 3 numbers (m/s^2), found a list of 2");
    expect_error(SCENE(", 'gravity': [0, '-9.81', 0]"), "bar.json: gravity[1]",
                 "must be a number (m/s^2), found string \"-9.81\"");
    expect_error(BODY(", 'scale': 0"), "bar.json: bodies[0].scale",
                 "must be a number or a list of 3 numbers other than 0, found 0");
    expect_error(BODY(", 'scale': [1, 0, 1]"), "bar.json: bodies[0].scale[1]",
                 "must be a number other than 0, found 0");
    expect_error(BODY(", 'fix': {'nodes': {'list': [0, -3]}}"),
                 "bar.json: bodies[0].fix.nodes.list[1]",
                 "must be an integer from 0 to 2147483647, found -3");
    expect_error(BODY(", 'fix': [{'nodes': {'box': [[0, 0, 0], [1, 1]]}}]"),
                 "bar.json: bodies[0].fix[0].nodes.box",
                 "must be two corners [[x, y, z], [x, y, z]], the first not above the second (m), "
                 "found a list of 2");
    expect_error(BODY(", 'fix': [{'nodes': {'box': [[0, 2, 0], [1, 1.5, 1]]}}]"),
                 "bar.json: bodies[0].fix[0].nodes.box",
                 "the first corner must not be above the second, but in y it is 2 and the second "
                 "1.5");
    expect_error(BODY(", 'fix': {'axes': 'xx'}"), "bar.json: bodies[0].fix.axes",
                 "must be a string of different letters out of x, y, z, such as \"xz\", or \"\", "
                 "found string \"xx\"");
    expect_error(SCENE(", 'output': {'formats': ['vtu', 'objs']}"), "bar.json: output.formats[1]",
                 "must be one of \"vtu\", \"obj\", \"volume\", found string \"objs\"; did you mean "
                 "\"obj\"?");
}

TEST(wrong_lengths)
{
    const char *message =
        "must be a number > 0 (m) or a string such as \"1e-3 l\" (relative to the size of the "
        "scene), found ";
    const char *const wrong[][2] = {{"'1e-3 m'", "string \"1e-3 m\""},
                                    {"-1", "-1"},
                                    {"'-1 l'", "string \"-1 l\""},
                                    {"'nan l'", "string \"nan l\""},
                                    {"'l'", "string \"l\""},
                                    {"'1e999 l'", "string \"1e999 l\""},
                                    {"'0x1p3 l'", "string \"0x1p3 l\""}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[200], expected[300];
        snprintf(text, sizeof text, SCENE(", 'contact': {'dhat': %s}"), wrong[i][0]);
        snprintf(expected, sizeof expected, "%s%s", message, wrong[i][1]);
        expect_error(text, "bar.json: contact.dhat", expected);
    }
}

TEST(wrong_meshes)
{
    expect_error(BODIES("{" JELLY ", 'mesh': {}}"), "bar.json: bodies[0].mesh",
                 "must have one of the keys \"file\", \"box\", \"mat\", \"rod\", \"ball\", "
                 "\"torus\", \"grid\", \"sphere\", \"cone\", \"tube\", \"polyline\", \"lattice\", "
                 "\"helix\", \"bundle\", \"given\"");
    expect_error(BODIES("{" JELLY ", 'mesh': 3}"), "bar.json: bodies[0].mesh",
                 "must be a string (the file) or an object, found 3");
    expect_error(BODIES("{" JELLY ", 'mesh': {'weld': true, 'ball': {'radius': 1}}}"),
                 "bar.json: bodies[0].mesh.weld", "is only allowed together with \"file\"");
    expect_error(BODIES("{" JELLY ", 'mesh': {'box': {'size': [1, 1, 1], 'cells': [1, 1, 0]}}}"),
                 "bar.json: bodies[0].mesh.box.cells[2]",
                 "must be an integer from 1 to 100000, found 0");
    expect_error(
        BODIES("{" JELLY ", 'mesh': {'box': {'size': [1, 1, 1], 'cells': [1e3, 1e3, 1e3]}}}"),
        "bar.json: bodies[0].mesh.box",
        "would have about 1e+09 vertices; at most 5e7 are possible");
    expect_error(BODIES("{" JELLY ", 'mesh': {'baal': {'radius': 1}}}"), "bar.json: bodies[0].mesh",
                 "unknown key \"baal\"; did you mean \"ball\"?");
}

TEST(rules_over_several_fields)
{
    expect_error(BODIES("{" BOX "}"), "bar.json: bodies[0].material",
                 "is missing; a body of type \"deformable\" needs one");
    expect_error(BODIES("{" BOX ", 'type': 'rigid'}"), "bar.json: bodies[0].density",
                 "is missing; a body of type \"rigid\" needs a density or a material");
    expect_error(
        BODY(", 'motion': {'velocity': [1, 0, 0]}"), "bar.json: bodies[0].motion",
        "is not for the type \"deformable\", only for \"obstacle\", \"rigid\", "
        "\"affine\"; others have \"fix\" with a \"motion\" for some or all of their nodes");
    expect_error(BODIES("{" BOX ", 'type': 'obstacle', 'velocity': [1, 0, 0]}"),
                 "bar.json: bodies[0].velocity",
                 "is not for the type \"obstacle\", only for \"deformable\", \"shell\", \"rod\", "
                 "\"particles\", \"rigid\", \"affine\"; obstacles have \"motion\"");
    expect_error(BODIES("{" BOX ", 'type': 'obstacle', 'motion': {}, 'sequence': {'folder': 'f'}}"),
                 "bar.json: bodies[0].sequence", "cannot be given together with \"motion\"");
    expect_error(BODY(", 'type': 'rigid', 'fix': {'nodes': {'list': [1]}}"),
                 "bar.json: bodies[0].fix[0].nodes",
                 "must be \"all\": a rigid or affine body has no nodes");
    expect_error(BODY(", 'fix': {'rotation_axes': 'x'}"), "bar.json: bodies[0].fix.rotation_axes",
                 "is not for the type \"deformable\", only for \"rigid\", \"affine\"");
    expect_error(BODY(", 'force': {'torque': [0, 1, 0]}"), "bar.json: bodies[0].force.torque",
                 "is not for the type \"deformable\", only for \"rigid\", \"affine\"");
    expect_error(BODY(", 'total_mass': 2"), "bar.json: bodies[0].total_mass",
                 "is not for the type \"deformable\", only for \"rigid\", \"affine\"");
    expect_error(BODY(", 'poses': [{}]"), "bar.json: bodies[0].poses",
                 "is not for the type \"deformable\", only for \"rigid\", \"affine\"");
    expect_error(BODY(", 'type': 'affine', 'poses': [{}], 'motion': {}"),
                 "bar.json: bodies[0].poses", "cannot be given together with \"motion\"");
    expect_error(BODY(", 'fix': {'from': 2, 'until': 2}"), "bar.json: bodies[0].fix.until",
                 "must be later than \"from\" (2 s), found 2 s");
    expect_error(BODY(", 'fix': {'from': 2, 'motion': [{}, {'until': 1}]}"),
                 "bar.json: bodies[0].fix.motion",
                 "entry 1 ends at 1 s, before the condition begins (2 s)");
    expect_error(SCENE(", 'half_spaces': [{'normal': [0, 0, 0]}]"),
                 "bar.json: half_spaces[0].normal", "must not be the zero vector");
    expect_error("{'abut': 1, " TIME ", 'materials': {'jelly': {'young': 1, 'poisson': 0}}, "
                 "'bodies': [{" BOX ", 'material': 'jely'}]}",
                 "bar.json: bodies[0].material",
                 "\"materials\" has no entry of the name given here, string \"jely\"; did you mean "
                 "\"jelly\"?");
    expect_error(BODIES("{'name': 'a', " BOX ", " JELLY "}, {'name': 'b', " BOX ", " JELLY
                        "}, {'name': 'a', " BOX ", " JELLY "}"),
                 "bar.json: bodies[2].name", "\"a\" is already the name of bodies[0]");
}

TEST(all_problems_are_reported)
{
    expect_error("{'abut': 1, 'time': {'step': -1, 'end': -2}, 'gravty': 1, 'bodies': []}",
                 "bar.json", "unknown key \"gravty\"; did you mean \"gravity\"?");
    CHECK(strcmp(logged, "bar.json: time.step: must be a number > 0 (s), found -1\n"
                         "bar.json: time.end: must be a number >= 0 (s), found -2\n") == 0);
}

/* What only the barrier stepper can do is refused by name. */
TEST(fields_of_the_other_stepper)
{
    static const char *const more[][2] = {
        {"'contact': {'barrier': 'c1'}", "bar.json: contact.barrier"},
        {"'contact': {'stiffness': 1e5}", "bar.json: contact.stiffness"},
        {"'contact': {'area_weighted': true}", "bar.json: contact.area_weighted"},
        {"'contact': {'physical': true}", "bar.json: contact.physical"},
        {"'contact': {'eps_v': 1e-5}", "bar.json: contact.eps_v"},
        {"'contact': {'friction_iterations': 3}", "bar.json: contact.friction_iterations"},
        {"'contact': {'reuse_candidates': false}", "bar.json: contact.reuse_candidates"},
        {"'contact': {'ccd': 'additive'}", "bar.json: contact.ccd"},
        {"'contact': {'friction_smoothing': 'c2'}", "bar.json: contact.friction_smoothing"},
        {"'solver': {'tolerance': 1e-3}", "bar.json: solver.tolerance"},
        {"'solver': {'max_iterations': 10}", "bar.json: solver.max_iterations"},
        {"'solver': {'linear': 'pcg'}", "bar.json: solver.linear"},
        {"'solver': {'linear_tolerance': 1e-6}", "bar.json: solver.linear_tolerance"},
        {"'solver': {'reproducible': false}", "bar.json: solver.reproducible"},
        {"'output': {'measures': true}", "bar.json: output.measures"},
        {"'planar': true", "bar.json: planar"}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{'abut': 1, 'stepper': 'mlcp', 'time': {'step': 1, 'end': 1}, 'bodies': [], %s}",
                 more[i][0]);
        expect_error(text, more[i][1], "is for the stepper \"barrier\"");
    }
    expect_error("{'abut': 1, 'time': {'step': 1, 'end': 1}, 'bodies': [], 'contact': {'physical': "
                 "true}}",
                 "bar.json: contact.physical",
                 "is about a given \"contact.stiffness\", which is missing");
    static const char *const only_mlcp[][2] = {
        {"'residual': 1e-3", "bar.json: mlcp.residual"},
        {"'tolerance': 1e-3", "bar.json: mlcp.tolerance"},
        {"'preconditioner': 'diagonal'", "bar.json: mlcp.preconditioner"},
        {"'max_iterations': 3", "bar.json: mlcp.max_iterations"},
        {"'max_passes': 3", "bar.json: mlcp.max_passes"}};
    for (size_t i = 0; i < sizeof only_mlcp / sizeof *only_mlcp; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{'abut': 1, 'time': {'step': 1, 'end': 1}, 'bodies': [], 'mlcp': {%s}}",
                 only_mlcp[i][0]);
        expect_error(text, only_mlcp[i][1], "is for the stepper \"mlcp\"");
    }
}

/* A scene with all defaults written out, as a run keeps it, is right for both steppers. */
TEST(written_defaults_are_for_both_steppers)
{
    static const char *const steppers[] = {"barrier", "mlcp"};
    for (int i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{'abut': 1, 'stepper': '%s', 'time': {'step': 1, 'end': 1}, 'bodies': []}",
                 steppers[i]);
        scene_def *first, *second;
        CHECK_OK(load(text, &first), err);
        if (!first) return;
        char *written = json_dumps(first->resolved, JSON_REAL_PRECISION(17));
        for (char *c = written; *c; c++)
            if (*c == '"') *c = '\'';
        CHECK_OK(load(written, &second), err);
        free(written);
        scene_free(first);
        scene_free(second);
    }
}

TEST(not_a_scene)
{
    expect_error("[]", "bar.json",
                 "not a scene: a native scene is an object with \"abut\": 1 at the top");
    expect_error("{'a': 1}", "bar.json",
                 "not a scene: a native scene is an object with \"abut\": 1 at the top");
    expect_error("hello\n", "bar.json",
                 "not a scene: neither JSON, a script of the IPC program nor a URDF or MJCF robot");
    scene_def *scene;
    CHECK(scene_load("nowhere.json", NULL, 0, NULL, &scene, &err) == ABUT_ERROR_IO);
    CHECK(strstr(err.place, "nowhere.json") != NULL);
}

TEST(foreign_scenes_are_recognised)
{
    static const struct {
        const char *text;
        scene_kind kind;
    } files[] = {
        {"{\"rigid_body_problem\": {\"rigid_bodies\": []}, \"timestep\": 0.01}", SCENE_RIGID_IPC},
        {"{\"geometry\": [], \"materials\": []}", SCENE_POLYFEM},
        {"{\"common\": \"../common.json\", \"space\": {}}", SCENE_POLYFEM},
        {"{\"abut\": 1, \"geometry\": []}", SCENE_NATIVE},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        json_error_t syntax;
        json_t *document = NULL;
        file_bytes bytes = {.data = (char *)files[i].text, .size = strlen(files[i].text)};
        CHECK(scene_recognise(&bytes, &document, &syntax) == files[i].kind);
        json_decref(document);
    }
}

/* --- What a scene means --- */

TEST(defaults)
{
    scene_def *s;
    CHECK_OK(load(BODY(""), &s), err);
    if (!s) return;
    CHECK(strcmp(s->name, "bar") == 0 && strcmp(s->folder, ".") == 0);
    CHECK(s->options.h == 0.01 && s->end_time == 1);
    CHECK(s->options.integrator == INTEGRATE_IMPLICIT_EULER);
    CHECK(s->options.gravity.x == 0 && s->options.gravity.y == -9.81 && s->options.gravity.z == 0);
    CHECK(s->options.contact && s->options.friction == 0 && s->options.friction_iterations == 1);
    CHECK(s->lengths.dhat.value == 1e-3 && s->lengths.dhat.relative);
    CHECK(s->lengths.eps_v.value == 1e-3 && s->lengths.eps_v.relative);
    CHECK(s->lengths.tolerance.value == 1e-2 && s->lengths.tolerance.relative);
    CHECK(s->options.max_iterations == 10000 && strcmp(s->options.linear.name, "auto") == 0 &&
          s->options.linear.reproducible);
    CHECK(s->options.linear.tolerance == 1e-8);
    CHECK(s->half_space_count == 0);
    CHECK(s->output.frame_every == 1 && s->output.checkpoint_every == 20 &&
          scene_writes(s, FORMAT_VTU) && !scene_writes(s, FORMAT_OBJ));
    CHECK(s->body_count == 1);
    const body_def *b = &s->bodies[0];
    CHECK(strcmp(b->name, "body0") == 0 && b->type == BODY_DEFORMABLE && b->enabled);
    CHECK(b->mesh.source == MESH_BOX && b->mesh.size.y == 1 && b->mesh.cells[2] == 4);
    CHECK(b->scale.x == 1 && b->scale.z == 1 && b->translate.y == 0);
    CHECK(b->material.model == ELASTIC_NEO_HOOKEAN && b->material.young == 1e5);
    CHECK(b->material.poisson == 0.4 && b->material.density == 1000 && !b->material.name);
    CHECK(b->dirichlet.fix_count == 0 && b->loads.force_count == 0 &&
          b->dirichlet.motion_count == 0);
    CHECK(b->friction < 0 && !b->consistent_mass);
    scene_free(s);
}

static const char everything[] =
    "{'abut': 1, '$schema': 'scene.schema.json', 'name': 'all of it',"
    " 'time': {'step': 0.5, 'steps': 1e1, 'integrator': 'newmark', 'newmark_beta': 0.3,"
    "          'newmark_gamma': 0.6},"
    " 'gravity': [1, 2, 3],"
    " 'contact': {'enabled': false, 'dhat': 0.002, 'friction': 0.3, 'eps_v': '2e-5 l',"
    "             'friction_iterations': 0},"
    " 'solver': {'tolerance': '0.5', 'max_iterations': 7, 'linear': 'pcg',"
    "            'linear_tolerance': 1e-4, 'reproducible': false},"
    " 'materials': {'jelly': {'model': 'linear', 'young': 2e5, 'poisson': 0.1, 'density': 30}},"
    " 'bodies': ["
    "  {'name': 'cube', 'mesh': {'file': 'sub/cube.msh', 'weld': true}, 'scale': 2,"
    "   'rotate': [10, 20, 30], 'translate': [4, 5, 6], 'material': 'jelly', 'density': 70,"
    "   'mass': 'consistent', 'velocity': [7, 8, 9], 'angular_velocity': [1, 2, 3],"
    "   'friction': 0.9, 'enabled': false,"
    "   'fix': [{'nodes': {'list': [5, 0, 7]}, 'from': 1, 'until': 2, 'axes': 'zx',"
    "            'motion': {'velocity': [1, 0, 0], 'center': [9, 8, 7], 'until': 3}},"
    "           {'nodes': 'all'}, {'nodes': {'tag': -4}}],"
    "   'force': {'nodes': {'sphere': {'center': [1, 2, 3], 'radius': 4}}, 'force': [1, 0, 0],"
    "             'acceleration': [0, 1, 0], 'until': 5}},"
    "  {'type': 'obstacle', 'mesh': 'floor.obj',"
    "   'motion': [{'angular_velocity': [0, 90, 0]}, {'from': 2, 'velocity': [0, 0, 1]}]},"
    "  {'type': 'shell', 'material': 'jelly', 'mesh': {'grid': {'size': [2, 3], 'cells': [4, 5]}},"
    "   'fix': {'nodes': {'relative_box': [[0, 0, 0], [0.1, 1, 1]]}}, 'offset': 1e-3,"
    "   'weights': {'nodes': {'list': [3]}, 'mass': 2},"
    "   'shell': {'preset': 'wool', 'thickness': 0.25, 'membrane_scale': 0.5, 'bending_scale': 2,"
    "             'strain_limit': {'lower': 0.7, 'lower_start': 0.75}, 'rest': 'flat'}},"
    "  {'type': 'particles', 'density': 2, 'mesh': {'lattice': {'counts': [2, 3, 4],"
    "   'spacing': 0.5, 'jitter': 0.1}}, 'particles': {'radius': 0.125}},"
    "  {'type': 'rod', 'rod': {'diameter': 0.01, 'bending_scale': 3}, 'material': 'jelly', 'mesh': "
    "{'polyline': {'from': [1, 2, 3],"
    "   'to': [4, 5, 6], 'segments': 7}}},"
    "  {'type': 'rigid', 'density': 3, 'mesh': {'torus': {'ring_radius': 2, 'tube_radius': 1,"
    "   'ring_cells': 10, 'tube_cells': 5}}, 'motion': {'velocity': [1, 1, 1]}},"
    "  {'type': 'affine', 'density': 3, 'mesh': {'cone': {'bottom_radius': 2, 'top_radius': 1,"
    "   'height': 3, 'around': 12, 'along': 4}}}],"
    " 'ground': -2, 'half_spaces': {'origin': [1, 1, 1], 'normal': [0, 0, 4], 'friction': 0.7,"
    "  'velocity': [0, 0, 1]},"
    " 'output': {'every': 2, 'checkpoint_every': 3, 'formats': ['obj']}}";

TEST(everything_reaches_the_structs)
{
    scene_def *s;
    CHECK_OK(load(everything, &s), err);
    if (!s) return;
    CHECK(strcmp(s->name, "all of it") == 0);
    CHECK(s->options.h == 0.5 && s->end_time == 5 && s->options.integrator == INTEGRATE_NEWMARK);
    CHECK(s->options.newmark_beta == 0.3 && s->options.newmark_gamma == 0.6 &&
          s->options.gravity.z == 3);
    CHECK(!s->options.contact && s->lengths.dhat.value == 0.002 && !s->lengths.dhat.relative);
    CHECK(s->lengths.eps_v.value == 2e-5 && s->lengths.eps_v.relative &&
          s->options.friction == 0.3);
    CHECK(s->options.friction_iterations == 0 && s->lengths.tolerance.value == 0.5 &&
          !s->lengths.tolerance.relative);
    CHECK(s->options.max_iterations == 7 && strcmp(s->options.linear.name, "pcg") == 0);
    CHECK(s->options.linear.tolerance == 1e-4 && !s->options.linear.reproducible);
    CHECK(s->half_space_count == 2);
    CHECK(s->half_spaces[0].normal.z == 1 && s->half_spaces[0].friction == 0.7);
    CHECK(s->half_spaces[0].origin.x == 1 && s->half_spaces[0].velocity.z == 1);
    CHECK(s->half_spaces[1].origin.y == -2 && s->half_spaces[1].normal.y == 1);
    CHECK(s->half_spaces[1].friction < 0);
    CHECK(s->output.frame_every == 2 && s->output.checkpoint_every == 3 &&
          scene_writes(s, FORMAT_OBJ) && !scene_writes(s, FORMAT_VTU));
    scene_free(s);
}

static void wrong_thin(const char *body, const char *path, const char *message)
{
    char text[1000];
    snprintf(text, sizeof text, "{'abut': 1, 'time': {'step': 1, 'steps': 1}, 'bodies': [%s]}",
             body);
    scene_def *s = NULL;
    CHECK(load(text, &s) == ABUT_ERROR_INPUT);
    bool good = strstr(err.place, path) && strstr(err.message, message);
    CHECK(good);
    if (!good) printf("  %s: %s\n", err.place, err.message);
}

TEST(wrong_thin_bodies)
{
    const char *grid = "'type': 'shell', 'mesh': {'grid': {'size': [1, 1]}}";
    char body[500];
    static const struct {
        const char *rest, *path, *message;
    } cases[] = {
        {"'shell': {'thickness': 1}", "bodies[0].material", "is missing"},
        {"'material': {'young': 1, 'poisson': 0}", "bodies[0].shell", "is missing"},
        {"'material': {'young': 1, 'poisson': 0}, 'shell': {}", "shell.thickness", "is missing"},
        {"'shell': {'preset': 'coton'}", "shell.preset", "cotton"},
        {"'shell': {'preset': 'cotton', 'strain_limit': {'upper': 1.1, 'upper_start': 1.2}}",
         "strain_limit.upper", "must be above"},
        {"'shell': {'preset': 'cotton', 'membrane': 'data-driven'}", "shell.stiffness",
         "is missing"},
        {"'shell': {'preset': 'orthotropic-silk', 'strain_limit': {}}", "shell.strain_limit",
         "needs"},
        {"'shell': {'preset': 'orthotropic-silk', 'warp': [0, 0, 0]}", "shell.warp", "zero"},
        {"'shell': {'preset': 'cotton', 'warp': [0, 0, 1]}", "shell.warp", "is not for"},
        {"'shell': {'preset': 'cotton', 'strains': [1, 1, 1]}", "shell.strains", "is not for"},
        {"'shell': {'preset': 'cotton'}, 'rod': {'diameter': 1}", "bodies[0].rod",
         "is not for the type \"shell\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(body, sizeof body, "{%s%s%s}", grid, cases[i].rest[0] ? ", " : "", cases[i].rest);
        wrong_thin(body, cases[i].path, cases[i].message);
    }
}

TEST(bodies_reach_the_structs)
{
    scene_def *s;
    CHECK_OK(load(everything, &s), err);
    if (!s) return;
    CHECK(s->body_count == 7);
    const body_def *b = s->bodies;
    CHECK(b[0].mesh.source == MESH_FILE && strcmp(b[0].mesh.path, "./sub/cube.msh") == 0);
    CHECK(b[0].mesh.weld && !b[1].mesh.weld && !b[0].enabled);
    CHECK(b[0].scale.y == 2 && b[0].rotate.z == 30 && b[0].translate.x == 4);
    CHECK(strcmp(b[0].material.name, "jelly") == 0 && b[0].material.model == ELASTIC_LINEAR);
    CHECK(b[0].material.density == 70 && b[2].material.density == 30 && b[0].friction == 0.9);
    CHECK(b[0].consistent_mass && b[0].velocity.z == 9 && b[0].angular_velocity.y == 2);
    CHECK(b[0].dirichlet.fix_count == 3 && b[0].loads.force_count == 1);
    const fix_def *f = b[0].dirichlet.fixes;
    CHECK(f[0].nodes.kind == SELECT_LIST && f[0].nodes.count == 3 && f[0].nodes.list[2] == 7);
    CHECK(f[0].from == 1 && f[0].until == 2 && f[0].axes[0] && !f[0].axes[1] && f[0].axes[2]);
    CHECK(f[0].motion_count == 1 && f[0].motions[0].velocity.x == 1);
    CHECK(f[0].motions[0].center_given && f[0].motions[0].center.x == 9);
    CHECK(f[0].motions[0].until == 3);
    CHECK(f[1].nodes.kind == SELECT_ALL && isinf(f[1].until) && f[1].motion_count == 0);
    CHECK(f[2].nodes.kind == SELECT_TAG && f[2].nodes.tag == -4);
    CHECK(b[0].loads.forces[0].nodes.kind == SELECT_SPHERE &&
          b[0].loads.forces[0].nodes.place.radius == 4);
    CHECK(b[0].loads.forces[0].force.x == 1 && b[0].loads.forces[0].acceleration.y == 1);
    CHECK(b[1].type == BODY_OBSTACLE && b[1].dirichlet.motion_count == 2 &&
          b[1].dirichlet.motions[1].from == 2);
    CHECK(b[1].dirichlet.motions[0].angular_velocity.y == 90 &&
          !b[1].dirichlet.motions[0].center_given);
    CHECK(isinf(b[1].dirichlet.motions[0].until));
    CHECK(b[2].type == BODY_SHELL && b[2].mesh.sheet[0] == 2 && b[2].mesh.sheet[1] == 3);
    CHECK(b[2].mesh.cells[1] == 5 && b[2].dirichlet.fixes[0].nodes.kind == SELECT_RELATIVE_BOX);
    CHECK(b[2].dirichlet.fixes[0].nodes.place.b.x == 0.1);
    CHECK(b[2].shell.young == 2e5 && b[2].shell.density == 30 && b[2].shell.thickness == 0.25);
    CHECK(b[2].shell.membrane == MEMBRANE_NEO_HOOKEAN && b[2].shell.rest == REST_FLAT);
    CHECK(b[2].shell.membrane_scale == 0.5 && b[2].shell.bending_scale == 2);
    CHECK(isinf(b[2].shell.limit.upper) && b[2].shell.limit.lower == 0.7 &&
          b[2].shell.limit.lower_start == 0.75);
    CHECK(b[2].offset == 1e-3 && b[2].weight_count == 1 && b[2].weights[0].mass == 2);
    CHECK(b[3].radius == 0.125 && b[3].mesh.jitter == 0.1);
    CHECK(b[4].rod.diameter == 0.01 && b[4].rod.bending_scale == 3 && b[4].rod.stretch_scale == 1);
    CHECK(b[3].type == BODY_PARTICLES && b[3].mesh.cells[2] == 4 && b[3].mesh.to.z == 0.5);
    CHECK(b[4].type == BODY_ROD && b[4].mesh.from.z == 3 && b[4].mesh.cells[0] == 7);
    CHECK(b[5].type == BODY_RIGID && b[5].mesh.radius == 2 && b[5].mesh.radius2 == 1);
    CHECK(b[6].type == BODY_AFFINE && b[6].mesh.length == 3 && b[6].mesh.cells[1] == 4);
    CHECK(strcmp(b[6].name, "body6") == 0);
    scene_free(s);
}

TEST(resolved_document_is_a_fixed_point)
{
    scene_def *first, *second;
    CHECK_OK(load(everything, &first), err);
    if (!first) return;
    char *text = json_dumps(first->resolved, JSON_INDENT(1));
    CHECK_OK(load(text, &second), err);
    CHECK(second && json_equal(first->resolved, second->resolved));
    char *again = second ? json_dumps(second->resolved, JSON_INDENT(1)) : NULL;
    CHECK(again && strcmp(text, again) == 0);
    free(text);
    free(again);
    scene_free(first);
    scene_free(second);
}

/* --- Overrides --- */

static abut_status load_with(const char *text, const char *const *overrides, size_t count,
                             scene_def **scene)
{
    memset(&err, 0, sizeof err);
    write_scene(text);
    return scene_load("bar.json", overrides, count, NULL, scene, &err);
}

TEST(overrides_change_the_scene)
{
    static const char *const list[] = {
        "time.step=0.02",
        "time.end=3", /* replaces steps */
        "gravity[1]=0",
        "contact.dhat=\"1e-4 l\"",
        "contact.eps_v=1e-6 l",
        "materials.jelly.young=2e6",
        "materials.steel={\"young\": 2e11, \"poisson\": 0.3}",
        "bodies[0].material=steel",
        "bodies[0].translate=[0,1,0]",
        "bodies[0].fix[1].nodes.box=[[0,0,0],[1,1,1]]",
        "bodies[0].force.until=6",
        "bodies[1].mesh.weld=true",
        "bodies[1].motion[1].velocity[2]=4",
        "bodies[3].mesh.ball={\"radius\": 2}", /* replaces lattice */
        "half_spaces[1]={\"origin\": [0, 5, 0]}",
        "name=other",
    };
    scene_def *s;
    CHECK_OK(load_with(everything, list, sizeof list / sizeof list[0], &s), err);
    if (!s) return;
    CHECK(s->options.h == 0.02 && s->end_time == 3 && s->options.gravity.y == 0 &&
          s->options.gravity.z == 3);
    CHECK(s->lengths.dhat.value == 1e-4 && s->lengths.dhat.relative &&
          s->lengths.eps_v.value == 1e-6);
    CHECK(s->bodies[2].material.young == 2e6 && s->bodies[0].material.young == 2e11);
    CHECK(s->bodies[0].translate.y == 1 &&
          s->bodies[0].dirichlet.fixes[1].nodes.kind == SELECT_BOX);
    CHECK(s->bodies[0].loads.forces[0].until == 6);
    CHECK(s->bodies[1].mesh.weld && s->bodies[1].dirichlet.motions[1].velocity.z == 4);
    CHECK(s->bodies[3].mesh.source == MESH_BALL && s->bodies[3].mesh.radius == 2);
    CHECK(s->half_space_count == 3 && s->half_spaces[1].origin.y == 5);
    CHECK(strcmp(s->name, "other") == 0);
    scene_free(s);
}

static void expect_override_error(const char *assignment, const char *message)
{
    scene_def *scene;
    char place[200];
    abut_status status = load_with(everything, &assignment, 1, &scene);
    snprintf(place, sizeof place, "override \"%s\"", assignment);
    bool good = status == ABUT_ERROR_INPUT && !scene && strcmp(err.place, place) == 0 &&
                strcmp(err.message, message) == 0;
    CHECK(good);
    if (!good) printf("  %d %s: %s\n", status, err.place, err.message);
    scene_free(scene);
}

TEST(wrong_overrides)
{
    expect_override_error("time.stp=0.02", "unknown key \"stp\" in time; did you mean \"step\"?");
    expect_override_error("tim.step=1", "unknown key \"tim\" in the scene; did you mean \"time\"?");
    expect_override_error("time.step", "must have the form path=value, for example time.step=0.01");
    expect_override_error("=1", "must have the form path=value, for example time.step=0.01");
    expect_override_error("time..step=1", "the path has an empty key");
    expect_override_error("bodies[9].name=x",
                          "bodies has 7 entries here, so the index 9 is too large");
    expect_override_error("bodies[x].name=x", "\"[\" must be followed by a number");
    expect_override_error("bodies[1.name=x", "an index must be closed by \"]\"");
    expect_override_error("bodies[1]name=x", "a key must be followed by \".\", \"[\" or \"=\"");
    expect_override_error("bodies.name=x",
                          "bodies is a list of 7 here; give an index, as in bodies[0].name");
    expect_override_error("name[0]=x", "name is not a list here");
    expect_override_error("time.step.x=1", "step has no keys");
    expect_override_error("gravity[3]=1",
                          "gravity has 3 entries here, so the index 3 is too large");
    expect_override_error("bodies[0].material.young=1",
                          "material is the name \"jelly\" here; change materials.jelly instead");
}

TEST(override_values_are_validated)
{
    const char *wrong = "bodies[0].scale=soft";
    scene_def *scene;
    CHECK(load_with(everything, &wrong, 1, &scene) == ABUT_ERROR_INPUT);
    CHECK(strcmp(err.place, "bar.json: bodies[0].scale") == 0);
    CHECK(strcmp(err.message,
                 "must be a number or a list of 3 numbers other than 0, found string \"soft\"") ==
          0);
}

/* --- Running out of memory --- */

static void *counted_malloc(size_t size) { return mem_alloc(size, 1); }
static void counted_free(void *pointer) { mem_free(pointer); }

/* Fails the n-th allocation for n = 0, 1, ... until none is left; returns how many there were. The
 * sanitizer build sees leaks and touches of freed memory. */
static int fail_every_allocation(bool only_memory_errors)
{
    int reported = 0;
    static const char *const overrides[] = {"time.step=0.02", "bodies[1].mesh.weld=true"};
    write_scene(everything);
    int n = 0;
    for (bool done = false; !done && n < 100000; n++) {
        scene_def *scene = NULL;
        mem_fail_after(n);
        abut_status status = scene_load("bar.json", overrides, 2, NULL, &scene, &err);
        done = !mem_failure_happened();
        mem_fail_after(-1);
        CHECK((status == ABUT_OK) == (scene != NULL) && (!done || scene));
        if (!done && only_memory_errors) CHECK(status == ABUT_ERROR_MEMORY);
        reported += status == ABUT_ERROR_MEMORY;
        scene_free(scene);
    }
    CHECK(reported > (n - 1) / 2);
    return n;
}

TEST(allocation_failures_in_the_library) { CHECK(fail_every_allocation(true) > 10); }

/* The lexer of the JSON library takes some failures for syntax errors, and overlooks that of the
 * buffer for its own messages: the status may differ, but nothing may leak or crash. */
TEST(allocation_failures_in_the_json_library)
{
    json_set_alloc_funcs(counted_malloc, counted_free);
    CHECK(fail_every_allocation(false) > 500);
    json_set_alloc_funcs(malloc, free);
}

int main(void)
{
    char folder[] = "/tmp/abut-test-scene-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) return EXIT_FAILURE;
    RUN(syntax_errors_name_line_and_column);
    RUN(wrong_values);
    RUN(wrong_times);
    RUN(unknown_keys);
    RUN(wrong_lists_and_vectors);
    RUN(wrong_lengths);
    RUN(wrong_meshes);
    RUN(rules_over_several_fields);
    RUN(all_problems_are_reported);
    RUN(fields_of_the_other_stepper);
    RUN(written_defaults_are_for_both_steppers);
    RUN(not_a_scene);
    RUN(foreign_scenes_are_recognised);
    RUN(defaults);
    RUN(everything_reaches_the_structs);
    RUN(wrong_thin_bodies);
    RUN(bodies_reach_the_structs);
    RUN(resolved_document_is_a_fixed_point);
    RUN(overrides_change_the_scene);
    RUN(wrong_overrides);
    RUN(override_values_are_validated);
    RUN(allocation_failures_in_the_library);
    RUN(allocation_failures_in_the_json_library);
    unlink("bar.json");
    CHECK(rmdir(folder) == 0);
    return TEST_END();
}

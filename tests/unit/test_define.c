/* Scenes built by definitions (abut/define.h): defaults of the table, the bits of a scene file, and
 * wrong definitions. */
#include "define/definition.h"
#include "define/document.h"
#include "fem/curved_ball.h"
#include "mesh/generate.h"
#include "sim/sim.h"
#include "test.h"

#include <abut/abut.h>
#include <math.h>

static abut_error err;

static const definition *const definitions[] = {
    &scene_definition, &material_definition, &body_definition,       &fix_definition,
    &force_definition, &joint_definition,    &attachment_definition, &half_space_definition};
enum { DEFINITIONS = sizeof definitions / sizeof definitions[0] };

/* --- The rows --- */

TEST(rows_are_keys)
{
    for (size_t i = 0; i < DEFINITIONS; i++) {
        const definition *d = definitions[i];
        for (size_t k = 0; k < d->row_count; k++) {
            const schema_field *f = definition_field(d->type, d->rows[k].path);
            CHECK(f != NULL);
            if (!f) printf("  no key %s\n", d->rows[k].path);
            const schema_place *p = &d->rows[k].place;
            CHECK(p->member != MEMBER_NONE && p->member != MEMBER_STRUCT);
            CHECK(p->offset + p->room <= d->size);
            if (f && f->kind == SCHEMA_VECTOR) CHECK(p->room == (size_t)f->count * sizeof(double));
            if (f && f->kind == SCHEMA_NUMBER) CHECK(p->member == MEMBER_DOUBLE);
            if (f && f->kind == SCHEMA_INTEGER) CHECK(p->member == MEMBER_INT);
            if (f && f->kind == SCHEMA_BOOL) CHECK(p->member == MEMBER_BOOL);
            if (f && f->kind == SCHEMA_LENGTH) CHECK(p->member == MEMBER_LENGTH);
            if (f && f->kind == SCHEMA_WORD) CHECK(p->member == MEMBER_TEXT);
        }
    }
    CHECK(!definition_field(&schema_scene, "contact.dhats"));
    CHECK(!definition_field(&schema_scene, "gravity.x"));
}

/* An untouched definition says nothing. */
TEST(defaults_write_nothing)
{
    for (size_t i = 0; i < DEFINITIONS; i++) {
        void *def = malloc(definitions[i]->size);
        json_t *object = NULL;
        CHECK_OK(definition_defaults(definitions[i], def, &err), err);
        CHECK_OK(definition_write(definitions[i], def, &object, &err), err);
        CHECK(json_object_size(object) == 0);
        json_decref(object);
        free(def);
    }
    abut_scene_def scene = abut_default_scene_def();
    CHECK(scene.contact.enabled && scene.contact.dhat.value == 1e-3 && scene.contact.dhat.relative);
    CHECK(scene.gravity[1] == -9.81 && strcmp(scene.integrator, "implicit-euler") == 0);
    CHECK(scene.solver.max_iterations == 10000 && strcmp(scene.stepper, "barrier") == 0);
    CHECK(abut_default_material_def().density == 1000);
    abut_body_def body = abut_default_body_def();
    CHECK(strcmp(body.type, "deformable") == 0 && body.scale[2] == 1 && body.friction == -1);
    CHECK(isinf(abut_default_fix_def().until) && abut_default_half_space_def().normal[1] == 1);
}

/* --- The same bits --- */

static const char *const SCENE =
    "{\"abut\": 1, \"name\": \"two\", \"time\": {\"step\": 0.01, \"end\": 0.2}, \"ground\": -0.05,"
    " \"contact\": {\"friction\": 0.3, \"dhat\": 0.002}, \"materials\": {\"jelly\": {\"young\": "
    "1e5,"
    " \"poisson\": 0.4, \"damping\": 0.001}}, \"bodies\": [{\"name\": \"box\", \"mesh\": {\"box\":"
    " {\"size\": [0.1, 0.1, 0.1], \"cells\": [2, 3, 2]}}, \"material\": \"jelly\", \"rotate\": "
    "[10, "
    "0, 20], \"translate\": [0, 0.03, 0]}, {\"name\": \"sheet\", \"type\": \"shell\", \"mesh\": "
    "{\"grid\": {\"size\": [0.3, 0.3], \"cells\": [6, 6]}}, \"material\": \"jelly\", \"shell\": "
    "{\"thickness\": 0.001}, \"translate\": [0, 0.12, 0], \"velocity\": [0, -1, 0], \"fix\": "
    "{\"nodes\": {\"list\": [0, 6]}, \"until\": 0.1, \"motion\": {\"velocity\": [0, 0.1, 0]}}}]}";

static abut_mesh_def arrays_of(const mesh *m, cell_kind kind)
{
    abut_mesh_def def = {.vertices = &m->vertices[0].x, .vertex_count = m->vertex_count};
    const cell_block *block = mesh_find(m, kind);
    if (kind == CELL_TET) def.tetrahedra = block->nodes, def.tetrahedron_count = block->count;
    if (kind == CELL_TRIANGLE) def.triangles = block->nodes, def.triangle_count = block->count;
    return def;
}

static abut_scene *define_scene(void)
{
    abut_scene_def def = abut_default_scene_def();
    def.name = "two", def.step = 0.01, def.end = 0.2, def.has_ground = true, def.ground = -0.05;
    def.contact.friction = 0.3, def.contact.dhat = (abut_length){0.002, false};
    abut_scene *scene = NULL;
    CHECK_OK(abut_scene_create(&def, &scene, &err), err);
    abut_material_def jelly = abut_default_material_def();
    jelly.young = 1e5, jelly.poisson = 0.4, jelly.damping = 0.001;
    CHECK_OK(abut_scene_add_material(scene, "jelly", &jelly, &err), err);
    mesh box, grid;
    CHECK_OK(generate_box(vec3_make(0.1, 0.1, 0.1), (const int[]){2, 3, 2}, &box, &err), err);
    CHECK_OK(generate_grid(0.3, 0.3, (const int[]){6, 6}, &grid, &err), err);
    abut_body_def soft = abut_default_body_def(), sheet = soft;
    soft.name = "box", soft.mesh = arrays_of(&box, CELL_TET), soft.material = "jelly";
    soft.rotate[0] = 10, soft.rotate[2] = 20, soft.translate[1] = 0.03;
    CHECK_OK(abut_scene_add_body(scene, &soft, &err), err);
    sheet.name = "sheet", sheet.type = "shell", sheet.mesh = arrays_of(&grid, CELL_TRIANGLE);
    sheet.material = "jelly", sheet.thickness = 0.001, sheet.translate[1] = 0.12;
    sheet.velocity[1] = -1;
    CHECK_OK(abut_scene_add_body(scene, &sheet, &err), err);
    mesh_free(&box); /* everything was copied */
    mesh_free(&grid);
    abut_fix_def fix = abut_default_fix_def();
    const int32_t corners[] = {0, 6};
    fix.nodes = corners, fix.node_count = 2, fix.until = 0.1, fix.velocity[1] = 0.1;
    CHECK_OK(abut_scene_add_fix(scene, 1, &fix, &err), err);
    return scene;
}

static bool same_state(abut_sim *a, abut_sim *b)
{
    size_t n = abut_sim_node_count(a), bytes = 3 * n * sizeof(double);
    return n == abut_sim_node_count(b) &&
           memcmp(abut_sim_positions(a), abut_sim_positions(b), bytes) == 0 &&
           memcmp(abut_sim_velocities(a), abut_sim_velocities(b), bytes) == 0;
}

TEST(same_bits_as_a_file)
{
    abut_scene *scene = define_scene();
    abut_sim *file = NULL, *defined = NULL, *written = NULL;
    CHECK_OK(abut_sim_create(SCENE, strlen(SCENE), NULL, NULL, &file, &err), err);
    CHECK_OK(abut_sim_create_from(scene, NULL, &defined, &err), err);
    char *text = abut_scene_text(scene);
    CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &written, &err), err);
    free(text);
    abut_scene_destroy(scene);
    if (!file || !defined || !written) return;
    CHECK(same_state(file, defined) && same_state(file, written));
    size_t contacts = 0;
    for (int i = 0; i < 8; i++) {
        abut_step_info info;
        CHECK_OK(abut_sim_step(file, &err), err);
        CHECK_OK(abut_sim_step(defined, &err), err);
        CHECK_OK(abut_sim_step(written, &err), err);
        abut_sim_info(file, &info);
        contacts = info.contact_count > contacts ? info.contact_count : contacts;
        CHECK(same_state(file, defined) && same_state(file, written));
    }
    CHECK(contacts > 0);
    abut_sim_destroy(file);
    abut_sim_destroy(defined);
    abut_sim_destroy(written);
}

/* Curved cells, as lists of 10, 20 or 35 nodes. */
TEST(cells_of_high_order)
{
    for (int order = 2; order <= 4; order++) {
        char text[500];
        snprintf(text, sizeof text,
                 "{\"abut\": 1, \"time\": {\"step\": 0.01, \"end\": 0.1}, \"ground\": -0.11, "
                 "\"bodies\": [{\"mesh\": {\"ball\": {\"radius\": 0.1, \"level\": 0, \"order\": "
                 "%d}}, \"material\": {\"young\": 1e5, \"poisson\": 0.4}}]}",
                 order);
        abut_scene_def def = abut_default_scene_def();
        def.step = 0.01, def.end = 0.1, def.has_ground = true, def.ground = -0.11;
        abut_scene *scene = NULL;
        CHECK_OK(abut_scene_create(&def, &scene, &err), err);
        abut_material_def jelly = abut_default_material_def();
        jelly.young = 1e5, jelly.poisson = 0.4;
        CHECK_OK(abut_scene_add_material(scene, "jelly", &jelly, &err), err);
        mesh ball;
        CHECK_OK(generate_curved_ball(0.1, 0, order, &ball, &err), err);
        abut_body_def body = abut_default_body_def();
        body.mesh = arrays_of(&ball, CELL_TET), body.material = "jelly";
        body.mesh.tetrahedron_nodes = cell_node_count(CELL_TET, order);
        CHECK_OK(abut_scene_add_body(scene, &body, &err), err);
        mesh_free(&ball);
        abut_sim *file = NULL, *defined = NULL;
        CHECK_OK(abut_sim_create(text, strlen(text), NULL, NULL, &file, &err), err);
        CHECK_OK(abut_sim_create_from(scene, NULL, &defined, &err), err);
        abut_scene_destroy(scene);
        for (int i = 0; file && defined && i < 3; i++) {
            CHECK_OK(abut_sim_step(file, &err), err);
            CHECK_OK(abut_sim_step(defined, &err), err);
            CHECK(same_state(file, defined));
        }
        abut_sim_destroy(file);
        abut_sim_destroy(defined);
    }
}

/* A surface that is filled hangs from a bar that a motor turns, and is pulled. */
static const char *const JOINED =
    "{\"abut\": 1, \"time\": {\"step\": 0.01, \"end\": 0.2}, \"materials\": {\"jelly\": "
    "{\"young\": 1e4, \"poisson\": 0.4}}, \"bodies\": [{\"name\": \"bar\", \"type\": "
    "\"rigid\", \"density\": 500, \"mesh\": {\"box\": {\"size\": [1, 0.1, 0.1], \"cells\": "
    "[1, 1, 1]}}}, {\"name\": \"wheel\", \"type\": \"rigid\", \"density\": 500, \"mesh\": "
    "{\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1]}}, \"translate\": [-0.5, 0, "
    "0.3]},{\"name\": \"ball\", \"mesh\": {\"sphere\": {\"radius\": 0.1, \"level\": 1}, "
    "\"fill\": {\"cells\": 4}}, \"material\": \"jelly\", \"translate\": [0.5, -0.3, 0], "
    "\"force\": [{\"until\": 0.05, \"force\": [0, 0, 2]}]}], \"joints\": [{\"name\": "
    "\"axle\", \"type\": \"hinge\", \"body\": \"bar\", \"point\": [-0.5, 0, 0], \"axis\": "
    "[0, 0, 1], \"turn\": {\"limits\": [-90, 90], \"damping\": 0.1, \"drive\": "
    "{\"position\": \"30 * t\", \"stiffness\": 50, \"damping\": 2, \"max_effort\": "
    "9}}},{\"name\": \"hub\", \"type\": \"hinge\", \"body\": \"wheel\", \"point\": [-0.5, 0, "
    "0.3], \"axis\": [0, 0, 1]},{\"name\": \"gear\", \"type\": \"gear\", \"first\": \"hub\", "
    "\"second\": \"axle\", \"ratio\": 2},{\"name\": \"pull\", \"type\": \"spring\", "
    "\"body\": \"bar\", \"point\": [0.5, 0, 0], \"to_point\": [0, 0, 0], \"length\": 0, "
    "\"slide\": {\"stiffness\": 20}}], \"attachments\": [{\"body\": \"ball\", \"to\": "
    "\"bar\", \"nodes\": {\"list\": [0, 1, 2]}, \"stiffness\": 300, \"damping\": 3}]}";

static void define_joints(abut_scene *scene)
{
    abut_joint_def axle = abut_default_joint_def(), hub, gear = axle, pull = axle;
    axle.name = "axle", axle.type = "hinge", axle.body = "bar", axle.point[0] = -0.5;
    axle.axis[2] = 1, hub = axle;
    axle.turn.limits[0] = -90, axle.turn.limits[1] = 90, axle.turn.damping = 0.1;
    axle.turn.position = "30 * t", axle.turn.drive_stiffness = 50;
    axle.turn.drive_damping = 2, axle.turn.max_effort = 9;
    hub.name = "hub", hub.body = "wheel", hub.point[2] = 0.3;
    gear.name = "gear", gear.type = "gear", gear.first = "hub", gear.second = "axle";
    gear.ratio = 2;
    pull.name = "pull", pull.type = "spring", pull.body = "bar", pull.point[0] = 0.5;
    pull.has_to_point = pull.has_length = true, pull.slide.stiffness = 20;
    const abut_joint_def *all[] = {&axle, &hub, &gear, &pull};
    for (int i = 0; i < 4; i++) CHECK_OK(abut_scene_add_joint(scene, all[i], &err), err);
    abut_attachment_def hold = abut_default_attachment_def();
    const int32_t nodes[] = {0, 1, 2};
    hold.body = "ball", hold.to = "bar", hold.nodes = nodes, hold.node_count = 3;
    hold.stiffness = 300, hold.damping = 3;
    CHECK_OK(abut_scene_add_attachment(scene, &hold, &err), err);
}

static abut_scene *define_joined(void)
{
    abut_scene_def def = abut_default_scene_def();
    abut_scene *scene = NULL;
    def.step = 0.01, def.end = 0.2;
    CHECK_OK(abut_scene_create(&def, &scene, &err), err);
    abut_material_def jelly = abut_default_material_def();
    jelly.young = 1e4, jelly.poisson = 0.4;
    CHECK_OK(abut_scene_add_material(scene, "jelly", &jelly, &err), err);
    mesh shapes[3];
    CHECK_OK(generate_box(vec3_make(1, 0.1, 0.1), (const int[]){1, 1, 1}, &shapes[0], &err), err);
    CHECK_OK(generate_box(vec3_make(0.1, 0.1, 0.1), (const int[]){1, 1, 1}, &shapes[1], &err), err);
    CHECK_OK(generate_icosphere(0.1, 1, &shapes[2], &err), err);
    static const char *const names[] = {"bar", "wheel", "ball"};
    for (int i = 0; i < 3; i++) {
        abut_body_def body = abut_default_body_def();
        body.name = names[i];
        body.mesh = arrays_of(&shapes[i], i < 2 ? CELL_TET : CELL_TRIANGLE);
        if (i < 2) body.type = "rigid", body.density = 500;
        if (i == 1) body.translate[0] = -0.5, body.translate[2] = 0.3;
        if (i == 2) body.material = "jelly", body.translate[0] = 0.5, body.translate[1] = -0.3;
        if (i == 2) body.fill.given = true, body.fill.cells = 4;
        CHECK_OK(abut_scene_add_body(scene, &body, &err), err);
        mesh_free(&shapes[i]);
    }
    abut_force_def force = abut_default_force_def();
    force.until = 0.05, force.force[2] = 2;
    CHECK_OK(abut_scene_add_force(scene, 2, &force, &err), err);
    define_joints(scene);
    return scene;
}

TEST(joints_and_fill)
{
    abut_scene *scene = define_joined();
    abut_sim *file = NULL, *defined = NULL;
    CHECK_OK(abut_sim_create(JOINED, strlen(JOINED), NULL, NULL, &file, &err), err);
    CHECK_OK(abut_sim_create_from(scene, NULL, &defined, &err), err);
    abut_scene_destroy(scene);
    for (int i = 0; file && defined && i < 8; i++) {
        CHECK_OK(abut_sim_step(file, &err), err);
        CHECK_OK(abut_sim_step(defined, &err), err);
        CHECK(same_state(file, defined));
    }
    CHECK(defined && abut_sim_joint_count(defined) >= 4);
    abut_sim_destroy(file);
    abut_sim_destroy(defined);
}

/* A fill of which only that it is wanted is said. */
TEST(fill_by_default)
{
    abut_body_def body = abut_default_body_def();
    json_t *object = NULL;
    body.file = "scan.stl";
    CHECK_OK(document_write_body(&body, &object, &err), err);
    CHECK(!json_object_get(json_object_get(object, "mesh"), "fill"));
    json_decref(object);
    body.fill.given = true;
    CHECK_OK(document_write_body(&body, &object, &err), err);
    CHECK(json_is_object(json_object_get(json_object_get(object, "mesh"), "fill")));
    json_decref(object);
}

/* Lengths reach the stepper: relative ones by the size of the scene, others as they are. */
TEST(lengths)
{
    abut_scene_def def = abut_default_scene_def();
    def.contact.dhat = (abut_length){1e-3, false}; /* the number of the default, in metres */
    json_t *object = NULL;
    CHECK_OK(definition_write(&scene_definition, &def, &object, &err), err);
    CHECK(json_number_value(json_object_get(json_object_get(object, "contact"), "dhat")) == 1e-3);
    CHECK(json_object_size(object) == 1);
    json_decref(object);
    abut_scene *scene = define_scene();
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create_from(scene, NULL, &sim, &err), err);
    const stepper *s = sim->stepper;
    CHECK(s->options.contact_options.dhat == 0.002 && s->model->extent > 0.1);
    CHECK(s->options.eps_v == 1e-3 * s->model->extent);
    CHECK(s->options.tolerance == 1e-2 * s->model->extent);
    abut_sim_destroy(sim);
    abut_scene_destroy(scene);
}

/* --- What is wrong --- */

static void refuse(const abut_scene *scene, const char *place, const char *message)
{
    abut_sim *sim = NULL;
    CHECK(abut_sim_create_from(scene, NULL, &sim, &err) != ABUT_OK && !sim);
    bool good = strstr(err.place, place) && strstr(err.message, message);
    CHECK(good);
    if (!good) printf("  %s: %s\n", err.place, err.message);
}

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

/* A scene of one tetrahedron, with a body that the test has changed. */
static abut_scene *one_body(const abut_body_def *body)
{
    abut_scene_def def = abut_default_scene_def();
    abut_scene *scene = NULL;
    def.step = 0.01, def.end = 1;
    CHECK_OK(abut_scene_create(&def, &scene, &err), err);
    abut_material_def soft = abut_default_material_def();
    soft.young = 1e5, soft.poisson = 0.3;
    CHECK_OK(abut_scene_add_material(scene, "soft", &soft, &err), err);
    CHECK_OK(abut_scene_add_body(scene, body, &err), err);
    return scene;
}

static abut_body_def tetrahedron(const int32_t nodes[4])
{
    abut_body_def body = abut_default_body_def();
    body.mesh = (abut_mesh_def){
        .vertices = corners, .vertex_count = 4, .tetrahedra = nodes, .tetrahedron_count = 1};
    body.material = "soft";
    return body;
}

TEST(checks_of_the_scene)
{
    const int32_t right[4] = {0, 1, 2, 3}, beyond[4] = {0, 1, 2, 4}, negative[4] = {0, 1, 2, -1};
    abut_body_def wrong[7];
    for (int i = 0; i < 7; i++) wrong[i] = tetrahedron(i == 0 ? beyond : i == 1 ? negative : right);
    wrong[2].material = "hard";
    wrong[3].type = "deformabel";
    wrong[4].thickness = 0.1;
    wrong[5].mesh = (abut_mesh_def){0};
    wrong[6].mesh.tetrahedron_nodes = 3;
    static const char *const expected[7][2] = {
        {"bodies[0].mesh", "4"},
        {"bodies[0].mesh.given.tetrahedra[0]", "must be"},
        {"bodies[0].material", "no entry"},
        {"bodies[0].type", "did you mean \"deformable\""},
        {"bodies[0].shell", "is not for"},
        {"bodies[0].mesh", "is missing"},
        {"bodies[0].mesh.given.tetrahedra", "4, 10, 20 or 35 nodes, found lists of 3"}};
    for (int i = 0; i < 7; i++) {
        abut_scene *scene = one_body(&wrong[i]);
        refuse(scene, expected[i][0], expected[i][1]);
        abut_scene_destroy(scene);
    }
    abut_body_def body = tetrahedron(right);
    abut_scene *scene = one_body(&body);
    abut_sim *sim = NULL;
    CHECK_OK(abut_sim_create_from(scene, NULL, &sim, &err), err);
    abut_sim_destroy(sim);
    const char *const changes[] = {"time.step=-1"};
    abut_sim_options options = abut_default_sim_options();
    options.overrides = changes, options.override_count = 1;
    CHECK(abut_sim_create_from(scene, &options, &sim, &err) == ABUT_ERROR_INPUT);
    CHECK_OK(abut_sim_create_from(scene, NULL, &sim, &err), err); /* the scene is as it was */
    abut_sim_destroy(sim);
    abut_scene_destroy(scene);
}

#define REFUSED(call, where, what)                                                                 \
    do {                                                                                           \
        CHECK((call) == ABUT_ERROR_INPUT);                                                         \
        CHECK(strstr(err.place, where) && strstr(err.message, what));                              \
    } while (0)

TEST(wrong_members)
{
    const int32_t right[4] = {0, 1, 2, 3};
    abut_body_def body = tetrahedron(right);
    abut_scene *scene = one_body(&body), *none = NULL;
    abut_material_def material = abut_default_material_def();
    REFUSED(abut_scene_add_material(scene, "soft", &material, &err), "materials", "already");
    REFUSED(abut_scene_add_material(scene, NULL, &material, &err), "materials", "name");
    material.young = NAN;
    REFUSED(abut_scene_add_material(scene, "hard", &material, &err), "young", "finite");
    double far[] = {0, 0, 0, 1, 0, 0, 0, INFINITY, 0, 0, 0, 1};
    body.mesh.vertices = far;
    REFUSED(abut_scene_add_body(scene, &body, &err), "mesh.given.vertices[2]", "finite");
    body.mesh.vertices = NULL;
    REFUSED(abut_scene_add_body(scene, &body, &err), "mesh.given.vertices", "4 entries");
    body = tetrahedron(right);
    body.velocity[2] = NAN;
    REFUSED(abut_scene_add_body(scene, &body, &err), "velocity[2]", "finite");
    body = tetrahedron(right);
    body.name = "\xff\xfe";
    REFUSED(abut_scene_add_body(scene, &body, &err), "name", "UTF-8");
    abut_fix_def fix = abut_default_fix_def();
    REFUSED(abut_scene_add_fix(scene, 1, &fix, &err), "body", "no body 1");
    abut_force_def force = abut_default_force_def();
    REFUSED(abut_scene_add_force(scene, 7, &force, &err), "body", "no body 7");
    abut_joint_def joint = abut_default_joint_def();
    joint.turn.limits[1] = INFINITY;
    REFUSED(abut_scene_add_joint(scene, &joint, &err), "turn.limits[1]", "finite");
    joint = abut_default_joint_def();
    joint.has_to_point = true, joint.to_point[1] = NAN;
    REFUSED(abut_scene_add_joint(scene, &joint, &err), "to_point", "finite");
    joint = abut_default_joint_def();
    joint.has_length = true, joint.length = NAN;
    REFUSED(abut_scene_add_joint(scene, &joint, &err), "length", "finite");
    joint = abut_default_joint_def();
    CHECK_OK(abut_scene_add_joint(scene, &joint, &err), err);
    refuse(scene, "joints[0].type", "missing");
    abut_scene_def def = abut_default_scene_def();
    def.has_ground = true, def.ground = NAN;
    REFUSED(abut_scene_create(&def, &none, &err), "ground", "finite");
    CHECK(!none);
    abut_scene_destroy(scene);
    abut_scene_destroy(NULL);
}

int main(void)
{
    RUN(rows_are_keys);
    RUN(defaults_write_nothing);
    RUN(same_bits_as_a_file);
    RUN(cells_of_high_order);
    RUN(joints_and_fill);
    RUN(fill_by_default);
    RUN(lengths);
    RUN(checks_of_the_scene);
    RUN(wrong_members);
    return TEST_END();
}

/* Every key of a body with every type of body: it is either for that type, and then changes what is
 * built or how it moves, or it is refused with a message that names the key and the type. Likewise
 * the keys of `remesh` with every method. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "mesh/generate.h"
#include "mesh/mesh_io.h"
#include "scene/build.h"
#include "scene/schema_table.h"

#include <unistd.h>

static abut_error err;

/* A body of each type, its underside at y = 0.01 above the ground; body 1 is just above it. */
static const struct {
    const char *type, *mesh, *own;
    double top;
} kinds[] = {
    {"deformable", "{'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}", "", 0.1},
    {"obstacle", "{'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}", "", 0.1},
    {"shell", "{'grid': {'size': [0.2, 0.2], 'cells': [2, 2]}}", "{'thickness': 1e-3}", 0},
    {"rod", "{'polyline': {'from': [-0.1, 0, 0], 'to': [0.1, 0, 0.01], 'segments': 4}}",
     "{'diameter': 1e-2}", 0},
    {"particles", "{'lattice': {'counts': [2, 1, 2], 'spacing': 0.1}}", "{'radius': 0.01}", 0},
    {"rigid", "{'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}", "", 0.1},
    {"affine", "{'box': {'size': [0.2, 0.2, 0.2], 'cells': [1, 1, 1]}}", "", 0.1},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* For every key of the table: a value that is not the default, and the types that read it (d
 * deformable, o obstacle, s shell, r rod, p particles, R rigid, A affine). `with`: what the value
 * needs beside it, in both scenes that are compared. */
static const struct {
    const char *key, *value, *types, *with;
} keys[] = {
    {"name", "'other'", "dosrpRA", ""},
    {"type", NULL, "dosrpRA", ""},
    {"enabled", "false", "dosrpRA", ""},
    {"mesh", NULL, "dosrpRA", ""},
    {"split", "true", "dosrpRA", ""},
    {"scale", "[1, 1, 0.9]", "dosrpRA", ""},
    {"rotate", "[0, 5, 0]", "dosrpRA", ""},
    {"translate", NULL, "dosrpRA", ""},
    {"material", "{'young': 3e5, 'poisson': 0.3, 'density': 700}", "dsrpRA", ""},
    {"density", "700", "dsrpRA", ""},
    {"total_mass", "0.7", "RA", ""},
    {"inertial", "{'mass': 1, 'center': [0, 0, 0], 'inertia': [1, 1, 1, 0, 0, 0]}", "RA", ""},
    {"mass_from", "'area'", "RA", ""},
    {"orthogonality", "10", "A", ""},
    {"mass", "'consistent'", "d", ""},
    {"order", "2", "d", ""},
    {"surface", "{'segments': 2}", "d", ""},
    {"remesh", "true", "d", ""},
    {"regions", "{'box': [[-1, -1, -1], [1, 1, 1]], 'material': {'young': 3e5, 'poisson': 0.3}}",
     "d", ""},
    {"densities", "'densities.txt'", "d", ""},
    {"mass_like", "'fine.msh'", "d", ""},
    {"velocity", "[0.1, 0, 0]", "dsrpRA", ""},
    {"angular_velocity", "[0, 20, 0]", "dsrpRA", ""},
    {"velocity_field", "['x', 0, 0]", "dsrp", ""},
    {"boundary", "{'number': 1, 'all': true}", "ds", "'fix': {'nodes': {'boundary': 1}}"},
    {"fix", "{'axes': 'x', 'motion': {'velocity': [0.1, 0, 0]}}", "dsrpRA", ""},
    {"force", "{'force': [0.1, 0, 0]}", "dsrpRA", ""},
    {"surface_loads", "{'pressure': 100}", "d", ""},
    {"motion", "{'velocity': [0.1, 0, 0]}", "oRA", ""},
    {"displacement", "['0.1*t', 0, 0]", "o", ""},
    {"poses", "[{'translate': [1e-3, 0, 0]}]", "RA", ""},
    {"collision_group", "1", "dosrpRA", ""},
    {"sequence", "{'files': [{'file': 'moved.obj'}]}", "dosrp", ""},
    {"friction", "0.9", "dosrpRA", ""},
    {"offset", "4e-3", "dosrpRA", ""},
    {"weights", "{'mass': 0.5}", "dsrp", ""},
    {"shell", "{'thickness': 2e-3}", "s", ""},
    {"rod", "{'diameter': 2e-2}", "r", ""},
    {"particles", "{'radius': 0.02}", "p", ""},
    {"parameters", "{'stiffness': 1}", "", ""}, /* of kinds that tests/extend has */
};
enum { KEYS = sizeof keys / sizeof *keys };

static bool reads(size_t key, size_t kind) { return strchr(keys[key].types, "dosrpRA"[kind]); }

/* The key that the type cannot be without. */
static bool is_own(const char *key, size_t kind) { return strcmp(key, kinds[kind].type) == 0; }

/* The scene with the kind; key NULL: as it is. */
static void write_scene(size_t kind, const char *key, const char *value, const char *with)
{
    char text[3000], more[1200] = "";
    size_t n = 0;
    bool simulated = strcmp(kinds[kind].type, "obstacle") != 0;
    if (simulated && !(key && strcmp(key, "material") == 0) &&
        !(key && (strcmp(key, "total_mass") == 0 || strcmp(key, "inertial") == 0)))
        n += (size_t)snprintf(more + n, sizeof more - n,
                              ", 'material': {'young': 1e5, 'poisson': 0.3, 'density': 1000}");
    if (kinds[kind].own[0] && !(key && is_own(key, kind)))
        n += (size_t)snprintf(more + n, sizeof more - n, ", '%s': %s", kinds[kind].type,
                              kinds[kind].own);
    if (with[0]) n += (size_t)snprintf(more + n, sizeof more - n, ", %s", with);
    if (key && value) snprintf(more + n, sizeof more - n, ", '%s': %s", key, value);
    snprintf(text, sizeof text,
             "{'abut': 1, 'time': {'step': 0.01, 'steps': 2}, 'ground': 0, 'contact': {'dhat': "
             "0.02, 'friction': 0.3, 'eps_v': 1e-3}, 'bodies': [{'type': '%s', 'mesh': %s, "
             "'translate': [0, %g, 0]%s}, {'name': 'top', 'collision_group': 1, 'mesh': {'box': "
             "{'size': [0.3, 0.1, 0.3], 'cells': [1, 1, 1]}}, 'translate': [0.01, %g, 0], "
             "'velocity': [0.5, -0.1, 0.1], 'material': {'young': 1e5, 'poisson': 0.3}}]}",
             kinds[kind].type, kinds[kind].mesh, kinds[kind].top + 0.01, more,
             2 * kinds[kind].top + 0.07);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    CHECK_OK(atomic_write("scene.json", text, strlen(text), &err), err);
}

/* Names, sizes and how it moves, as one number; 0 when it fails. */
static uint64_t outcome(const char *const *overrides, size_t count)
{
    scene_def *scene = NULL;
    stepper *s = NULL;
    uint64_t sum = 1469598103934665603u;
    step_statistics statistics;
    abut_status status = scene_load("scene.json", overrides, count, NULL, &scene, &err);
    if (status == ABUT_OK) status = scene_build(scene, NULL, &s, &err);
    for (int k = 0; status == ABUT_OK && k < 2; k++) status = stepper_advance(s, &statistics, &err);
    for (size_t i = 0; status == ABUT_OK && i < scene->body_count; i++) {
        for (const char *c = scene->bodies[i].name; *c; c++)
            sum = (sum ^ (uint64_t)*c) * 1099511628211u;
        sum = (sum ^ scene->bodies[i].remesh) * 1099511628211u;
    }
    for (size_t i = 0; status == ABUT_OK && i < s->state.scalars; i++) {
        uint64_t bits[2];
        memcpy(&bits[0], &s->state.x[i], sizeof bits[0]);
        memcpy(&bits[1], &s->state.v[i], sizeof bits[1]);
        sum = ((sum ^ bits[0]) * 1099511628211u ^ bits[1]) * 1099511628211u;
    }
    stepper_destroy(s);
    scene_free(scene);
    return status == ABUT_OK ? sum : 0;
}

/* Files that some values name: for the kind's own mesh. */
static void write_files(size_t kind)
{
    mesh shape, fine;
    int cells[3] = {2, 2, 2};
    scene_def *scene = NULL;
    write_scene(kind, NULL, NULL, "");
    CHECK_OK(scene_load("scene.json", NULL, 0, NULL, &scene, &err), err);
    CHECK_OK(scene_body_mesh(scene, 0, &shape, &err), err);
    char text[4000];
    size_t n = 0;
    for (size_t i = 0; i < shape.vertex_count; i++) {
        vec3 x = shape.vertices[i];
        n += (size_t)snprintf(text + n, sizeof text - n, "v %.17g %.17g %.17g\n", x.x + 1e-3, x.y,
                              x.z);
    }
    CHECK_OK(atomic_write("moved.obj", text, n, &err), err);
    CHECK_OK(atomic_write("densities.txt", "1 2 3 4 5 6\n", 12, &err), err);
    CHECK_OK(generate_box(vec3_make(0.2, 0.2, 0.21), cells, &fine, &err), err);
    CHECK_OK(mesh_write("fine.msh", &fine, &err), err);
    mesh_free(&fine);
    mesh_free(&shape);
    scene_free(scene);
}

TEST(every_key_is_listed)
{
    for (size_t i = 0; i < schema_body.field_count; i++) {
        size_t k = 0;
        while (k < KEYS && strcmp(keys[k].key, schema_body.fields[i].key) != 0) k++;
        CHECK(k < KEYS);
        if (k == KEYS) printf("  %s\n", schema_body.fields[i].key);
    }
    for (size_t i = 0; i < KINDS; i++) CHECK(strcmp(kinds[i].type, body_kind_words[i]) == 0);
}

static void refused(size_t key, size_t kind)
{
    char place[80], word[80];
    uint64_t result = outcome(NULL, 0);
    snprintf(place, sizeof place, "scene.json: bodies[0].%s", keys[key].key);
    snprintf(word, sizeof word, "is not for the type \"%s\"", kinds[kind].type);
    bool good = result == 0 && err.code == ABUT_ERROR_INPUT && strcmp(err.place, place) == 0 &&
                strstr(err.message, word);
    CHECK(good);
    if (!good)
        printf("  %s of %s: %s\n", keys[key].key, kinds[kind].type,
               result ? "accepted" : err.message);
}

TEST(keys_are_read_or_refused)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        write_files(kind);
        for (size_t k = 0; k < KEYS; k++) {
            if (!keys[k].value) continue;
            memset(&err, 0, sizeof err);
            write_scene(kind, keys[k].key, keys[k].value, reads(k, kind) ? keys[k].with : "");
            if (!reads(k, kind)) {
                refused(k, kind);
                continue;
            }
            /* Meshes of scenes that are remeshed. */
            const char *remesh[] = {"remesh={\"method\": \"uniform\"}", "bodies[0].remesh=false"};
            bool adapts = strcmp(keys[k].key, "remesh") == 0;
            uint64_t with = outcome(remesh, adapts ? 1 : 0);
            if (!adapts) write_scene(kind, NULL, NULL, keys[k].with);
            uint64_t without = outcome(remesh, adapts ? 2 : 0);
            bool good = with != 0 && without != 0 && with != without;
            CHECK(good);
            if (!good)
                printf("  %s of %s: %s\n", keys[k].key, kinds[kind].type,
                       with && without ? "makes no difference" : err.message);
        }
    }
}

/* What is written out has every default, and may be read again. */
TEST(defaults_are_no_offence)
{
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t k = 0; k < schema_body.field_count; k++) {
            const schema_field *field = &schema_body.fields[k];
            if (!field->initial || strcmp(field->key, "type") == 0 ||
                strcmp(field->key, "translate") == 0)
                continue;
            memset(&err, 0, sizeof err);
            write_scene(kind, field->key, field->initial, "");
            scene_def *scene = NULL;
            CHECK_OK(scene_load("scene.json", NULL, 0, NULL, &scene, &err), err);
            scene_free(scene);
        }
}

/* e: energy, s: sizing field, u: uniform. */
TEST(remesh_keys_hold_under_their_method)
{
    static const struct {
        const char *key, *value, *methods;
    } of_remesh[] = {{"every", "2", "es"},
                     {"split", "false", "es"},
                     {"collapse", "false", "es"},
                     {"swap", "true", "e"},
                     {"smooth", "true", "e"},
                     {"split_tolerance", "1", "e"},
                     {"collapse_tolerance", "1", "e"},
                     {"screening", "0.5", "e"},
                     {"least_gain", "0.5", "e"},
                     {"split_threshold", "0.5", "e"},
                     {"collapse_threshold", "0.5", "e"},
                     {"depth", "2", "es"},
                     {"min_edge", "1", "es"},
                     {"max_edge", "2", "es"},
                     {"quality", "0.1", "es"},
                     {"max_cells", "100", "esu"},
                     {"step", "2", "u"},
                     {"levels", "2", "u"},
                     {"stretch_change", "1", "s"},
                     {"contact_gap", "1", "s"}};
    write_scene(0, NULL, NULL, "");
    for (size_t k = 0; k < sizeof of_remesh / sizeof *of_remesh; k++)
        for (int m = 0; m < 3; m++) {
            char value[200], word[80];
            const char *overrides[] = {value};
            scene_def *scene = NULL;
            memset(&err, 0, sizeof err);
            snprintf(value, sizeof value, "remesh={\"method\": \"%s\", \"%s\": %s}",
                     remesh_method_words[m], of_remesh[k].key, of_remesh[k].value);
            snprintf(word, sizeof word, "is not for the method \"%s\"", remesh_method_words[m]);
            abut_status status = scene_load("scene.json", overrides, 1, NULL, &scene, &err);
            bool holds = strchr(of_remesh[k].methods, "esu"[m]) != NULL;
            bool good = holds ? status == ABUT_OK
                              : status == ABUT_ERROR_INPUT && strstr(err.message, word) &&
                                    strstr(err.place, of_remesh[k].key);
            CHECK(good);
            if (!good) printf("  %s: %s\n", value, err.message);
            scene_free(scene);
        }
}

static char warned[2000];

static void keep(void *user, abut_log_level level, const char *message)
{
    (void)user, (void)level;
    snprintf(warned + strlen(warned), sizeof warned - strlen(warned), "%s\n", message);
}

/* Another method by --set takes the keys of the old one away, and says so. */
TEST(overriding_a_word_removes_what_is_not_for_it)
{
    const char *overrides[] = {"remesh={\"split_tolerance\": 1, \"every\": 3}",
                               "remesh.method=sizing-field"};
    logger log = {keep, NULL, ABUT_LOG_WARNING};
    scene_def *scene = NULL;
    write_scene(0, NULL, NULL, "");
    CHECK_OK(scene_load("scene.json", overrides, 2, &log, &scene, &err), err);
    CHECK(scene && scene->remesh.every == 3);
    CHECK(strstr(warned, "removes \"split_tolerance\"") && !strstr(warned, "every"));
    scene_free(scene);
}

int main(void)
{
    char folder[] = "/tmp/abut-keys-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) return EXIT_FAILURE;
    RUN(every_key_is_listed);
    RUN(keys_are_read_or_refused);
    RUN(defaults_are_no_offence);
    RUN(remesh_keys_hold_under_their_method);
    RUN(overriding_a_word_removes_what_is_not_for_it);
    const char *files[] = {"scene.json", "moved.obj", "densities.txt", "fine.msh"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(files[i]);
    if (rmdir(folder) != 0) printf("%s stays\n", folder);
    return TEST_END();
}

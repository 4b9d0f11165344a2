#include "scene/load.h"

#include "base/memory.h"
#include "scene/deprecated.h"
#include "scene/import_ipc.h"
#include "scene/import_polyfem.h"
#include "scene/import_rigid.h"
#include "scene/native.h"
#include "scene/override.h"
#include "scene/robot.h"
#include "scene/scene.h"
#include "scene/schema.h"

#include <ctype.h>
#include <string.h>

/* --- Which kind --- */

/* NULL: this kind is recognised but cannot be read. */
static const struct {
    const char *name;
    scene_importer import;
} kinds[] = {
    [SCENE_NATIVE] = {"native scene", NULL},
    [SCENE_POLYFEM] = {"PolyFEM JSON", import_polyfem},
    [SCENE_RIGID_IPC] = {"rigid-ipc JSON", import_rigid},
    [SCENE_IPC_TEXT] = {"IPC text script", import_ipc},
    [SCENE_URDF] = {"URDF robot", import_urdf},
    [SCENE_MJCF] = {"MuJoCo MJCF", import_mjcf},
    [SCENE_UNKNOWN] = {"unknown kind of file", NULL},
};

const char *scene_kind_name(scene_kind kind) { return kinds[kind].name; }

static bool has_any(const json_t *object, const char *const *keys)
{
    for (; *keys; keys++)
        if (json_object_get(object, *keys)) return true;
    return false;
}

static scene_kind kind_of_json(const json_t *document)
{
    static const char *const native[] = {"abut", NULL};
    static const char *const rigid[] = {"rigid_body_problem", "scene_type", "args", NULL};
    static const char *const polyfem[] = {"geometry",       "boundary_conditions", "common",
                                          "preset_problem", "problem_params",      "body_params",
                                          "meshes",         "initial_conditions",  NULL};
    if (has_any(document, native)) return SCENE_NATIVE;
    if (has_any(document, rigid)) return SCENE_RIGID_IPC;
    if (has_any(document, polyfem)) return SCENE_POLYFEM;
    return SCENE_UNKNOWN;
}

static bool starts_with_word(const char *line, size_t length, const char *word)
{
    size_t n = strlen(word);
    return length >= n && memcmp(line, word, n) == 0 &&
           (length == n || isspace((unsigned char)line[n]));
}

/* Scripts of the IPC reference program: a keyword at the start of each line. Two known lines that
 * only it has are enough, and so is the one that lists shapes. */
static scene_kind kind_of_text(const char *text, size_t size)
{
    static const char *const words[] = {
        "energy",          "warmStart",        "size",        "time",      "density",
        "stiffness",       "script",           "shapes",      "halfSpace", "ground",
        "selfCollisionOn", "constraintSolver", "handleRatio", "zoom",      "view",
        "selfFric",        "turnOffGravity",   "tol",         "dHat",      "timeIntegration",
        "fricIterAmt",     "cameraTracking",   "restart",     "epsv"};
    enum { LOOK_AT = 65536 }; /* bytes; a mesh may be much larger */
    size_t known = 0;
    if (ipc_is_link(text, size)) return SCENE_IPC_TEXT;
    const char *end = text + (size < LOOK_AT ? size : LOOK_AT);
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = newline ? newline : end;
        while (text < line_end && isspace((unsigned char)*text)) text++;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (starts_with_word(text, (size_t)(line_end - text), words[i])) known++;
        if (starts_with_word(text, (size_t)(line_end - text), "shapes input")) known++;
        text = line_end + 1;
    }
    return known >= 2 ? SCENE_IPC_TEXT : SCENE_UNKNOWN;
}

/* JSON starts with a brace or bracket; an empty file counts, for the sake of the message. */
static bool starts_like_json(const file_bytes *bytes)
{
    size_t at = 0;
    while (at < bytes->size && isspace((unsigned char)bytes->data[at])) at++;
    return at == bytes->size || bytes->data[at] == '{' || bytes->data[at] == '[';
}

/* XML with such an element in it; VTU files are XML as well. */
static bool is_xml_with(const file_bytes *bytes, const char *root)
{
    enum { LOOK_AT = 65536 };
    size_t at = 0, size = bytes->size < LOOK_AT ? bytes->size : LOOK_AT;
    while (at < size && isspace((unsigned char)bytes->data[at])) at++;
    return at < size && bytes->data[at] == '<' &&
           memmem(bytes->data, size, root, strlen(root)) != NULL;
}

bool scene_looks_like(const file_bytes *bytes)
{
    return bytes->size > 0 && (starts_like_json(bytes) || is_xml_with(bytes, "<robot") ||
                               is_xml_with(bytes, "<mujoco") ||
                               kind_of_text(bytes->data, bytes->size) == SCENE_IPC_TEXT);
}

scene_kind scene_recognise(const file_bytes *bytes, json_t **document, json_error_t *syntax)
{
    *document = NULL;
    if (is_xml_with(bytes, "<robot")) return SCENE_URDF;
    if (is_xml_with(bytes, "<mujoco")) return SCENE_MJCF;
    if (!starts_like_json(bytes)) return kind_of_text(bytes->data, bytes->size);
    *document = json_loadb(bytes->data, bytes->size, JSON_REJECT_DUPLICATES, syntax);
    return *document ? kind_of_json(*document) : SCENE_UNKNOWN;
}

/* --- Reading --- */

static abut_status syntax_error(const char *path, const json_error_t *syntax, abut_error *err)
{
    /* The reader leaves no text when it ran out of memory before the first character. */
    if (!syntax->text[0] || json_error_code(syntax) == json_error_out_of_memory)
        return error_memory(err, "reading the scene");
    char place[200];
    snprintf(place, sizeof place, "%.150s: line %d, column %d", path, syntax->line, syntax->column);
    return error_set(err, ABUT_ERROR_INPUT, place, "not valid JSON: %s", syntax->text);
}

static abut_status unknown_kind(const char *path, const json_t *document, abut_error *err)
{
    if (document)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "not a scene: a native scene is an object with \"abut\": 1 at the top");
    return error_set(
        err, ABUT_ERROR_INPUT, path,
        "not a scene: neither JSON, a script of the IPC program nor a URDF or MJCF robot");
}

static abut_status document_of(const char *path, const file_bytes *bytes, const logger *log,
                               json_t **native, abut_error *err)
{
    *native = NULL;
    json_error_t syntax = {0};
    json_t *document;
    scene_kind kind = scene_recognise(bytes, &document, &syntax);
    if (kind == SCENE_NATIVE) {
        *native = document;
        return ABUT_OK;
    }
    bool broken_json = !document && (syntax.line != 0 || syntax.text[0]);
    abut_status status;
    if (kind == SCENE_UNKNOWN)
        status = broken_json ? syntax_error(path, &syntax, err) : unknown_kind(path, document, err);
    else if (kinds[kind].import)
        status = kinds[kind].import(path, log, native, err);
    else
        status = error_set(err, ABUT_ERROR_UNSUPPORTED, path,
                           "this is a scene of another program (%s); reading it is not supported",
                           scene_kind_name(kind));
    json_decref(document);
    return status;
}

abut_status scene_read_document(const char *path, const logger *log, json_t **native,
                                abut_error *err)
{
    *native = NULL;
    file_bytes bytes;
    TRY(file_read(path, &bytes, err));
    abut_status status = document_of(path, &bytes, log, native, err);
    file_free(&bytes);
    return status;
}

/* --- From file to scene --- */

/* Paths in messages: as given, but only the name when it is too long to leave room for the field.
 */
static const char *short_path(const char *path)
{
    return strlen(path) > 120 ? path_name(path) : path;
}

abut_status scene_from_document(const char *path, json_t *document, const char *const *overrides,
                                size_t override_count, const logger *log, scene_def **out,
                                abut_error *err)
{
    *out = NULL;
    json_t *resolved = NULL;
    deprecated_rename(document, short_path(path), log);
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < override_count && status == ABUT_OK; i++) {
        char text[1000];
        const char *assignment = deprecated_assignment(overrides[i], text, sizeof text, log);
        status = override_apply(document, &schema_scene, assignment, log, err);
    }
    problem_list problems = {.file = short_path(path), .err = err, .log = log};
    if (status == ABUT_OK) status = schema_resolve(&schema_scene, document, &problems, &resolved);
    json_decref(document);
    if (status == ABUT_OK) status = native_to_scene(path, resolved, out, err);
    return status;
}

abut_status scene_load_bytes(const char *path, const file_bytes *bytes,
                             const char *const *overrides, size_t override_count, const logger *log,
                             scene_def **out, abut_error *err)
{
    json_t *document;
    *out = NULL;
    TRY(document_of(path, bytes, log, &document, err));
    return scene_from_document(path, document, overrides, override_count, log, out, err);
}

abut_status scene_load(const char *path, const char *const *overrides, size_t override_count,
                       const logger *log, scene_def **out, abut_error *err)
{
    *out = NULL;
    file_bytes bytes;
    TRY(file_read(path, &bytes, err));
    abut_status status = scene_load_bytes(path, &bytes, overrides, override_count, log, out, err);
    file_free(&bytes);
    return status;
}

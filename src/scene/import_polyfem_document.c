#include "scene/import_polyfem.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMMON_FILES = 20, PATH_SIZE = 2048 };

abut_status polyfem_error(const polyfem_scene *s, abut_status code, const char *field,
                          const char *format, abut_error *err, ...)
{
    char place[400], text[400];
    va_list arguments;
    va_start(arguments, err);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "%.200s%s%.150s",
             strlen(s->path) > 120 ? path_name(s->path) : s->path, field[0] ? ": " : "", field);
    return error_set(err, code, place, "%s", text);
}

/* ---------------------------------------------------------------------------------------------- */
/* Values                                                                                         */

const json_t *polyfem_get(const json_t *object, const char *path)
{
    const json_t *at = object;
    while (at && *path) {
        size_t length = strcspn(path, "/");
        char key[128];
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        at = json_object_get(at, key);
        path += length;
        if (*path == '/') path++;
    }
    return json_is_null(at) ? NULL : at;
}

double polyfem_number(const json_t *object, const char *path, double otherwise)
{
    const json_t *value = polyfem_get(object, path);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

bool polyfem_flag(const json_t *object, const char *path, bool otherwise)
{
    const json_t *value = polyfem_get(object, path);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

vec3 polyfem_vector(const json_t *value, double otherwise)
{
    double a[3] = {otherwise, otherwise, otherwise};
    for (size_t k = 0; k < 3; k++) {
        if (json_is_number(value)) a[k] = json_number_value(value);
        if (k < json_array_size(value)) a[k] = json_number_value(json_array_get(value, k));
    }
    return vec3_make(a[0], a[1], a[2]);
}

bool polyfem_vector_has_text(const json_t *value)
{
    for (size_t k = 0; k < json_array_size(value); k++)
        if (json_is_string(json_array_get(value, k))) return true;
    return false;
}

json_t *polyfem_json_vector(vec3 a)
{
    return json_pack("[f, f, f]", a.x + 0.0, a.y + 0.0, a.z + 0.0);
}

/* ---------------------------------------------------------------------------------------------- */
/* Files                                                                                          */

static void add_folder(polyfem_scene *s, const char *folder)
{
    for (size_t i = 0; i < json_array_size(s->folders); i++)
        if (strcmp(json_string_value(json_array_get(s->folders, i)), folder) == 0) return;
    json_array_append_new(s->folders, json_string(folder));
}

char *polyfem_find_file(const polyfem_scene *s, const char *name)
{
    char path[PATH_SIZE];
    for (size_t i = 0; i < json_array_size(s->folders); i++) {
        path_join(path, sizeof path, json_string_value(json_array_get(s->folders, i)), name);
        if (!file_exists(path)) continue;
        /* The native document looks for relative paths beside the scene. */
        char *whole = realpath(path, NULL), *copy = mem_strdup(whole ? whole : path);
        free(whole);
        return copy;
    }
    return NULL;
}

static abut_status load_json(const polyfem_scene *s, const char *path, json_t **out,
                             abut_error *err)
{
    json_error_t syntax;
    *out = NULL;
    if (!file_exists(path))
        return polyfem_error(s, ABUT_ERROR_IO, "/common", "there is no file \"%s\"", err, path);
    *out = json_load_file(path, JSON_REJECT_DUPLICATES, &syntax);
    if (!*out)
        return polyfem_error(s, ABUT_ERROR_INPUT, "", "cannot read %s: line %d: %s", err, path,
                             syntax.line, syntax.text);
    return json_is_object(*out)
               ? ABUT_OK
               : polyfem_error(s, ABUT_ERROR_INPUT, "", "%s is not an object", err, path);
}

/* ---------------------------------------------------------------------------------------------- */
/* Merging                                                                                        */

/* RFC 7396: objects are merged, null removes, everything else replaces. */
static void merge(json_t *to, const json_t *from)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)from, key, value)
    {
        json_t *old = json_object_get(to, key);
        if (json_is_null(value)) {
            json_object_del(to, key);
        } else if (json_is_object(value)) {
            if (!json_is_object(old)) {
                json_object_set_new(to, key, json_object());
                old = json_object_get(to, key);
            }
            merge(old, value);
        } else {
            json_object_set_new(to, key, json_deep_copy(value));
        }
    }
}

/* The object or list that a JSON pointer's last part is in; *last is that part. With `create`,
 * missing objects are made. */
static json_t *find_parent(json_t *document, const char *pointer, bool create, char *last,
                           size_t size)
{
    json_t *at = document;
    while (at && *pointer == '/') {
        pointer++;
        size_t length = strcspn(pointer, "/");
        snprintf(last, size, "%.*s", (int)length, pointer);
        pointer += length;
        if (!*pointer) return at;
        if (create && json_is_object(at) && !json_object_get(at, last))
            json_object_set_new(at, last, json_object());
        at = json_is_array(at) ? json_array_get(at, (size_t)strtoul(last, NULL, 10))
                               : json_object_get(at, last);
    }
    return NULL;
}

/* One operation of RFC 6902. */
static abut_status apply_patch(const polyfem_scene *s, json_t *document, const json_t *patch,
                               size_t index, abut_error *err)
{
    char field[40], last[128] = "";
    snprintf(field, sizeof field, "/patch/%zu", index);
    const char *op = json_string_value(json_object_get(patch, "op"));
    const char *path = json_string_value(json_object_get(patch, "path"));
    json_t *value = json_object_get(patch, "value");
    if (!op || !path) return polyfem_error(s, ABUT_ERROR_INPUT, field, "needs op and path", err);
    bool removes = strcmp(op, "remove") == 0, adds = strcmp(op, "add") == 0;
    json_t *parent = find_parent(document, path, adds, last, sizeof last);
    if (!removes && !adds && strcmp(op, "replace") != 0)
        return polyfem_error(s, ABUT_ERROR_UNSUPPORTED, field, "operation \"%s\" is not supported",
                             err, op);
    if (!parent || (!removes && !value))
        return polyfem_error(s, ABUT_ERROR_INPUT, field, "there is no \"%s\" to %s", err, path, op);
    int failed = 0;
    if (json_is_array(parent)) {
        size_t i =
            strcmp(last, "-") == 0 ? json_array_size(parent) : (size_t)strtoul(last, NULL, 10);
        failed = removes ? json_array_remove(parent, i)
                 : adds  ? json_array_insert_new(parent, i, json_deep_copy(value))
                         : json_array_set_new(parent, i, json_deep_copy(value));
    } else if (removes) {
        failed = json_object_del(parent, last);
    } else {
        failed = json_object_set_new(parent, last, json_deep_copy(value));
    }
    return failed ? polyfem_error(s, ABUT_ERROR_INPUT, field, "cannot %s \"%s\"", err, op, path)
                  : ABUT_OK;
}

/* Replaces *document by its common file with the document merged into it. `file` is its path. */
static abut_status apply_common(polyfem_scene *s, json_t **document, const char *file, int depth,
                                abut_error *err)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    path_folder(folder, sizeof folder, file);
    add_folder(s, folder);
    const char *root = json_string_value(json_object_get(*document, "root_path"));
    if (root) {
        path_join(path, sizeof path, folder, root);
        path_folder(folder, sizeof folder, path);
        if (file_is_directory(folder)) add_folder(s, folder);
        path_folder(folder, sizeof folder, file);
    }
    json_t *patch = json_incref(json_object_get(*document, "patch"));
    const char *name = json_string_value(json_object_get(*document, "common"));
    if (!name) name = json_string_value(json_object_get(*document, "default_params"));
    abut_status status = ABUT_OK;
    json_t *base = NULL;
    if (name && name[0]) {
        path_join(path, sizeof path, folder, name);
        bool optional = !json_object_get(*document, "common") && !file_exists(path);
        if (depth == MOST_COMMON_FILES)
            status =
                polyfem_error(s, ABUT_ERROR_INPUT, "/common", "the files include each other", err);
        else if (optional)
            log_message(s->log, ABUT_LOG_WARNING, "%s: there is no file \"%s\" of defaults",
                        s->path, name);
        else
            status = load_json(s, path, &base, err);
        if (status == ABUT_OK && base) status = apply_common(s, &base, path, depth + 1, err);
    }
    if (status == ABUT_OK && base) {
        merge(base, *document);
        json_decref(*document);
        *document = base;
        base = NULL;
    }
    for (size_t i = 0; status == ABUT_OK && i < json_array_size(patch); i++)
        status = apply_patch(s, *document, json_array_get(patch, i), i, err);
    json_object_del(*document, "common");
    json_object_del(*document, "default_params");
    json_object_del(*document, "patch");
    json_object_del(*document, "root_path");
    json_decref(patch);
    json_decref(base);
    return status;
}

abut_status polyfem_read(polyfem_scene *s, abut_error *err)
{
    s->folders = json_array();
    if (!s->folders) return error_memory(err, "reading the scene");
    TRY(load_json(s, s->path, &s->document, err));
    return apply_common(s, &s->document, s->path, 0, err);
}

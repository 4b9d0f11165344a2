#include "scene/native.h"

#include "base/file.h"
#include "base/memory.h"
#include "mesh/components.h"
#include "scene/body_mesh.h"
#include "scene/schema_table.h"

#include <string.h>

/* --- Bodies that are split --- */

static const char *name_of(const json_t *body)
{
    return json_string_value(json_object_get(body, "name"));
}

static abut_status count_pieces(const json_t *body, const scene_def *scene, size_t *count,
                                abut_error *err)
{
    mesh_def def = {0};
    mesh shape;
    schema_source from = {scene->resolved, scene->folder};
    abut_status status = schema_read(&schema_mesh, json_object_get(body, "mesh"), &from, &def, err);
    if (status == ABUT_OK) status = body_mesh_make(&def, NULL, &shape, err);
    if (status == ABUT_OK) {
        status = mesh_count_components(&shape, count, err);
        mesh_free(&shape);
    }
    schema_release(&schema_mesh, &def);
    return error_add_place(err, name_of(body), status);
}

/* A body for every piece of the mesh. */
static abut_status append_pieces(json_t *list, json_t *body, size_t count, abut_error *err)
{
    bool ok = json_object_set_new(body, "split", json_false()) == 0;
    for (size_t k = 0; ok && k < count; k++) {
        json_t *piece = json_deep_copy(body);
        ok = piece &&
             json_object_set_new(piece, "name", json_sprintf("%s.%zu", name_of(body), k)) == 0;
        ok = ok && json_object_set_new(json_object_get(piece, "mesh"), "component",
                                       json_integer((json_int_t)k)) == 0;
        ok = ok && json_array_append(list, piece) == 0;
        json_decref(piece);
    }
    return ok ? ABUT_OK : error_memory(err, "splitting a body");
}

/* Replaces bodies that are to be split by their pieces. */
static abut_status split_bodies(scene_def *scene, abut_error *err)
{
    json_t *old = json_object_get(scene->resolved, "bodies"), *list = json_array();
    abut_status status = list ? ABUT_OK : error_memory(err, "splitting bodies");
    for (size_t i = 0; status == ABUT_OK && i < json_array_size(old); i++) {
        json_t *body = json_array_get(old, i);
        size_t count = 0;
        if (!json_is_true(json_object_get(body, "split"))) {
            if (json_array_append(list, body) != 0) status = error_memory(err, "splitting bodies");
            continue;
        }
        status = count_pieces(body, scene, &count, err);
        if (status == ABUT_OK) status = append_pieces(list, body, count, err);
    }
    if (status == ABUT_OK && json_object_set(scene->resolved, "bodies", list) != 0)
        status = error_memory(err, "splitting bodies");
    json_decref(list);
    return status;
}

/* --- The scene --- */

/* The half space that "ground" stands for comes after those that are listed. */
static abut_status add_ground(scene_def *scene, abut_error *err)
{
    if (!scene->has_ground) return ABUT_OK;
    size_t count = scene->half_space_count;
    half_space_def *planes = mem_realloc(scene->half_spaces, count + 1, sizeof *scene->half_spaces);
    if (!planes) return error_memory(err, "reading the scene");
    planes[count] =
        (half_space_def){.origin = {0, scene->ground, 0}, .normal = {0, 1, 0}, .friction = -1};
    scene->half_spaces = planes;
    scene->half_space_count = count + 1;
    return ABUT_OK;
}

bool scene_names(const scene_def *scene, const char *name, size_t body)
{
    if (strcmp(scene->bodies[body].name, name) == 0) return true;
    if (!schema_piece_of(scene->bodies[body].name, name)) return false;
    for (size_t i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].name, name) == 0) return false;
    return true;
}

static abut_status fill(scene_def *scene, const char *path, abut_error *err)
{
    size_t size = strlen(path) + 2;
    scene->folder = mem_alloc(size, 1);
    if (!scene->folder) return error_memory(err, "reading the scene");
    path_folder(scene->folder, size, path);
    scene->path = mem_strdup(path);
    if (!scene->path) return error_memory(err, "reading the scene");
    TRY(split_bodies(scene, err));
    schema_source from = {scene->resolved, scene->folder};
    TRY(schema_read(&schema_scene, scene->resolved, &from, scene, err));
    return add_ground(scene, err);
}

abut_status native_to_scene(const char *path, json_t *resolved, scene_def **out, abut_error *err)
{
    *out = NULL;
    scene_def *scene = mem_calloc(1, sizeof *scene);
    if (!scene) {
        json_decref(resolved);
        return error_memory(err, "reading the scene");
    }
    scene->resolved = resolved;
    scene->pieces = mem_calloc(1, sizeof *scene->pieces);
    abut_status status =
        scene->pieces ? fill(scene, path, err) : error_memory(err, "reading the scene");
    if (status == ABUT_OK)
        *out = scene;
    else
        scene_free(scene);
    return status;
}

void scene_free(scene_def *scene)
{
    if (!scene) return;
    schema_release(&schema_scene, scene);
    mem_free(scene->folder);
    mem_free(scene->path);
    piece_cache_free(scene->pieces);
    json_decref(scene->resolved);
    mem_free(scene);
}

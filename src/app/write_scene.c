#include "app/write_scene.h"

#include "base/file.h"
#include "base/json_text.h"
#include "scene/load.h"

#include <stdlib.h>
#include <string.h>

/* Native documents name files relative to their own folder; in another folder these are wrong. */
static abut_status make_path_absolute(json_t *holder, const char *key, const char *folder,
                                      abut_error *err)
{
    const char *name = json_string_value(json_object_get(holder, key));
    if (!name || name[0] == '/') return ABUT_OK;
    char joined[4200];
    path_join(joined, sizeof joined, folder, name);
    char *real = realpath(joined, NULL);
    int failed = json_object_set_new(holder, key, json_string(real ? real : joined));
    free(real);
    return failed ? error_memory(err, "converting a scene") : ABUT_OK;
}

static abut_status make_paths_absolute(json_t *scene, const char *folder, abut_error *err)
{
    size_t i;
    json_t *body;
    json_array_foreach(json_object_get(scene, "bodies"), i, body)
    {
        json_t *source = json_object_get(body, "mesh");
        /* A mesh may be just a path. */
        TRY(make_path_absolute(json_is_string(source) ? body : source,
                               json_is_string(source) ? "mesh" : "file", folder, err));
        TRY(make_path_absolute(json_object_get(body, "sequence"), "folder", folder, err));
    }
    return ABUT_OK;
}

/* Adds the move to `translate` of each body that moves. */
static abut_status apply_moves(json_t *scene, const vec3 *moves, abut_error *err)
{
    size_t i;
    json_t *body;
    json_array_foreach(json_object_get(scene, "bodies"), i, body)
    {
        if (vec3_norm2(moves[i]) == 0) continue;
        json_t *before = json_object_get(body, "translate"), *after = json_array();
        for (int c = 0; after && c < 3; c++)
            json_array_append_new(after,
                                  json_real(json_number_value(json_array_get(before, (size_t)c)) +
                                            vec3_get(moves[i], c)));
        if (json_array_size(after) != 3 || json_object_set_new(body, "translate", after))
            return error_memory(err, "moving bodies");
    }
    return ABUT_OK;
}

abut_status write_native_scene(const char *path, const char *out, const vec3 *moves,
                               abut_error *err)
{
    logger silent = {0}; /* what there is to say has been said */
    json_t *native;
    TRY(scene_read_document(path, &silent, &native, err));
    char folder[4200];
    path_folder(folder, sizeof folder, path);
    abut_status status = make_paths_absolute(native, folder, err);
    if (status == ABUT_OK && moves) status = apply_moves(native, moves, err);
    char *text = NULL;
    if (status == ABUT_OK) {
        text = json_text(native, JSON_INDENT(2));
        if (!text) status = error_memory(err, "writing a scene");
    }
    json_decref(native);
    if (status == ABUT_OK) status = atomic_write(out, text, strlen(text), err);
    free(text);
    return status;
}

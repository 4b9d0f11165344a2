/* Obstacles of PolyFEM that move through a sequence of meshes: the files of "mesh_sequence", which
 * is a list of names, a folder, or a pattern. */
#include "scene/import_polyfem_shape.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 2048 };

/* Numbers in names count by their value, as there. */
static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static json_t *sorted(const char **names, size_t count)
{
    json_t *list = json_array();
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(names[i]));
    return list;
}

static json_t *files_of_folder(const char *folder)
{
    json_t *found = json_array(), *list = NULL;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
        char path[PATH_SIZE];
        if (entry->d_name[0] == '.') continue;
        path_join(path, sizeof path, folder, entry->d_name);
        if (!file_is_directory(path)) json_array_append_new(found, json_string(path));
    }
    if (directory) closedir(directory);
    size_t count = json_array_size(found);
    const char **names = mem_alloc(count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = json_string_value(json_array_get(found, i));
    if (names) list = sorted(names, count);
    mem_free(names);
    json_decref(found);
    return list;
}

static json_t *files_of_pattern(const polyfem_scene *s, const char *pattern)
{
    json_t *list = NULL;
    for (size_t i = 0; !list && i < json_array_size(s->folders); i++) {
        char path[PATH_SIZE];
        glob_t matches;
        path_join(path, sizeof path, json_string_value(json_array_get(s->folders, i)), pattern);
        if (glob(path, 0, NULL, &matches) == 0 && matches.gl_pathc > 0)
            list = sorted((const char **)matches.gl_pathv, matches.gl_pathc);
        globfree(&matches);
    }
    return list ? list : json_array();
}

static abut_status named_files(const polyfem_scene *s, const polyfem_shape *shape,
                               const json_t *names, json_t *list, abut_error *err)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        char *path = name ? polyfem_find_file(s, name) : NULL;
        if (!path)
            return polyfem_error(s, ABUT_ERROR_IO, shape->field, "there is no file \"%s\"", err,
                                 name ? name : "");
        json_array_append_new(list, json_string(path));
        mem_free(path);
    }
    return ABUT_OK;
}

abut_status polyfem_find_sequence(const polyfem_scene *s, polyfem_shape *shape, abut_error *err)
{
    const json_t *names = polyfem_get(shape->json, "mesh_sequence");
    const char *text = json_string_value(names);
    if (json_is_array(names)) {
        shape->sequence = json_array();
        TRY(named_files(s, shape, names, shape->sequence, err));
    } else if (text) {
        char *folder = polyfem_find_file(s, text);
        shape->sequence = folder && file_is_directory(folder) ? files_of_folder(folder)
                                                              : files_of_pattern(s, text);
        mem_free(folder);
    }
    if (json_array_size(shape->sequence) == 0)
        return polyfem_error(
            s, ABUT_ERROR_IO, shape->field,
            "\"mesh_sequence\" must be a list of files, a folder or a pattern, and "
            "there must be files; found %s%s%s",
            err, text ? "\"" : "none", text ? text : "", text ? "\"" : "");
    if (!(polyfem_number(shape->json, "fps", 0) > 0))
        return polyfem_error(s, ABUT_ERROR_INPUT, shape->field,
                             "\"fps\", the files per second, must be a number > 0", err);
    return ABUT_OK;
}

json_t *polyfem_sequence_json(const polyfem_shape *shape)
{
    json_t *files = json_array();
    for (size_t i = 0; i < json_array_size(shape->sequence); i++)
        json_array_append_new(files,
                              json_pack("{s:O}", "file", json_array_get(shape->sequence, i)));
    return json_pack("{s:o, s:f, s:b}", "files", files, "fps",
                     polyfem_number(shape->json, "fps", 0), "transform", 1);
}

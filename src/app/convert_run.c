#include "app/convert_run.h"

#include "app/export_page.h"
#include "base/file.h"
#include "base/memory.h"
#include "output/film_files.h"
#include "output/gltf.h"
#include "output/usd.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Names of the bodies that frames count, from scene.json; NULL for those it does not tell. */
static const char **find_names(const json_t *scene, size_t count)
{
    const char **names = mem_calloc(count + 1, sizeof *names);
    const json_t *bodies = json_object_get(scene, "bodies"), *body;
    size_t i, built = 0;
    json_array_foreach(bodies, i, body)
    {
        if (json_is_false(json_object_get(body, "enabled")) || built >= count || !names) continue;
        names[built++] = json_string_value(json_object_get(body, "name"));
    }
    return names;
}

static void report_result(const char *path, const gltf_report *r)
{
    printf("%s: %zu bodies, %zu of them moving as a whole, %zu deforming, %zu poses, %.1f MB\n",
           path, r->bodies, r->moving, r->deforming, r->keys, (double)r->bytes / 1e6);
}

static abut_status write_glb(const body_poses *poses, const char *const *names, const char *path,
                             size_t *files, abut_error *err)
{
    gltf_report report = {0};
    TRY(gltf_write(poses, names, path, &report, err));
    report_result(path, &report);
    *files = 0;
    return ABUT_OK;
}

static abut_status write_usd(const body_poses *poses, const char *const *names, const char *path,
                             size_t *files, abut_error *err)
{
    TRY(usd_write(poses, names, path, err));
    *files = 1;
    return ABUT_OK;
}

/* What a run is converted to, by extension. *files: how many were written; 0: it has been said. */
typedef struct film_format {
    const char *extension;
    abut_status (*write)(const body_poses *poses, const char *const *names, const char *path,
                         size_t *files, abut_error *err);
} film_format;

static const film_format formats[] = {{"glb", write_glb},      {"gltf", write_glb},
                                      {"usda", write_usd},     {"obj", film_write_obj},
                                      {"ply", film_write_ply}, {"pc2", film_write_pc2}};

static const film_format *find_format(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(path_extension(path), formats[i].extension) == 0) return &formats[i];
    return NULL;
}

static abut_status convert_to_page(const char *folder, const char *path, const command_line *line,
                                   abut_error *err)
{
    const char *page = line_value(line, "--page");
    page_report report;
    if (line->given_count > (page ? 1 : 0))
        return error_set(err, ABUT_ERROR_INPUT, folder,
                         "of the options, pages of runs have only --page");
    TRY(export_page(folder, path, page, &report, err));
    printf("%s: %zu of %zu frames, %.1f MB\n", path, report.frames, report.all_frames,
           (double)report.bytes / 1e6);
    return ABUT_OK;
}

abut_status convert_run(const char *folder, const char *path, const command_line *line,
                        abut_error *err)
{
    const film_format *format = find_format(path);
    if (strcmp(path_extension(path), "html") == 0) return convert_to_page(folder, path, line, err);
    if (strcmp(path_extension(path), "abc") == 0)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, path,
                         "Alembic is not written: Debian 12 has neither its library nor a program "
                         "that reads it to test with; found .abc, .usda and .pc2 hold the same");
    if (!format)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "a run is converted to .html, .glb, .gltf, .usda, .pc2, .obj or .ply");
    if (line->given_count > 0)
        return error_set(err, ABUT_ERROR_INPUT, folder, "the options are for meshes, not for runs");
    frame_series series = {0};
    body_poses poses = {0};
    char scene_path[4096];
    path_join(scene_path, sizeof scene_path, folder, "scene.json");
    TRY(series_find(&series, folder, err));
    abut_status status = body_poses_read(&series, &poses, err);
    json_t *scene = status == ABUT_OK ? json_load_file(scene_path, 0, NULL) : NULL;
    const char **names = scene ? find_names(scene, poses.body_count) : NULL;
    size_t files = 0;
    if (status == ABUT_OK) status = format->write(&poses, names, path, &files, err);
    if (status == ABUT_OK && files == 1)
        printf("%s: %zu bodies, %zu frames\n", path, poses.body_count, poses.frame_count);
    if (status == ABUT_OK && files > 1)
        printf("%s: %zu files, %zu bodies, %zu frames\n", path, files, poses.body_count,
               poses.frame_count);
    mem_free(names);
    json_decref(scene);
    body_poses_free(&poses);
    series_close(&series);
    return status;
}

#include "app/file_kind.h"
#include "app/print_document.h"
#include "app/scene_summary.h"
#include "app/write_scene.h"
#include "scene/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Anything that starts like JSON is taken for a scene, so that a mistake in it gets a message with
 * line and column. */
static bool recognise_scene(const char *path, const file_bytes *bytes)
{
    (void)path;
    return scene_looks_like(bytes);
}

static abut_status print_json(const scene_summary *summary, abut_error *err)
{
    return print_document(summary_json(summary), err);
}

static abut_status describe_scene(const char *path, const file_bytes *bytes, bool json,
                                  abut_error *err)
{
    logger log = stderr_log();
    scene_def *scene;
    scene_summary summary;
    TRY(scene_load_bytes(path, bytes, NULL, 0, &log, &scene, err));
    abut_status status = summary_make(scene, &summary, err);
    if (status == ABUT_OK && json) status = print_json(&summary, err);
    if (status == ABUT_OK && !json) summary_print(&summary);
    if (status == ABUT_OK && summary.error_count > 0) {
        *err = summary.first;
        status = summary.status;
    }
    summary_free(&summary);
    scene_free(scene);
    return status;
}

/* Any scene as native JSON. */
static abut_status convert_scene(const char *path, const file_bytes *bytes, const char *out,
                                 const command_line *line, abut_error *err)
{
    (void)line;
    logger log = stderr_log();
    if (strcasecmp(path_extension(out), "json") != 0)
        return error_set(err, ABUT_ERROR_INPUT, out,
                         "a scene is converted to native JSON; the name must end in .json");
    /* Loading it first checks all fields. */
    scene_def *scene;
    TRY(scene_load_bytes(path, bytes, NULL, 0, &log, &scene, err));
    scene_free(scene);
    return write_native_scene(path, out, NULL, err);
}

const file_kind kind_scene = {"scene", recognise_scene, describe_scene, convert_scene};

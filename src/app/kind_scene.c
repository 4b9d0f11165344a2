#include "app/file_kind.h"
#include "app/scene_summary.h"
#include "scene/load.h"

#include <stdio.h>
#include <stdlib.h>

/* Anything that starts like JSON is taken for a scene, so that a mistake in it gets a message with
 * line and column. */
static bool recognise_scene(const char *path, const file_bytes *bytes)
{
    (void)path;
    return scene_looks_like(bytes);
}

static abut_status print_json(const scene_summary *summary, abut_error *err)
{
    json_t *root = summary_json(summary);
    char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(root);
    if (!text) return error_memory(err, "writing JSON");
    puts(text);
    free(text);
    return ABUT_OK;
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

const file_kind kind_scene = {"scene", recognise_scene, describe_scene, NULL};

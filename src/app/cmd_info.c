#include "app/commands.h"
#include "app/describe.h"

/* Meshes come last: their formats include some that are recognised by the name only. */
static const file_kind kinds[] = {
    {"scene", recognise_scene, describe_scene},
    {"mesh", recognise_mesh, describe_mesh},
};

static abut_status describe_file(const char *path, bool json, abut_error *err)
{
    file_bytes bytes;
    TRY(file_read(path, &bytes, err));
    abut_status status = ABUT_OK;
    bool known = false;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !known; k++) {
        known = kinds[k].recognise(path, &bytes);
        if (known) status = kinds[k].describe(path, &bytes, json, err);
    }
    file_free(&bytes);
    if (!known)
        return error_set(err, ABUT_ERROR_INPUT, path,
                         "this is neither a scene nor a mesh of a known format");
    return status;
}

static abut_status run(const command_line *line, abut_error *err)
{
    for (size_t i = 0; i < line->argument_count; i++)
        TRY(describe_file(line->arguments[i], line_has(line, "--json"), err));
    return ABUT_OK;
}

static const option_def options[] = {
    {"--json", NULL, NULL, "print one JSON object per file instead of lines for people",
     COMPLETE_NOTHING},
};

const command_def command_info = {
    .name = "info",
    .summary = "describe a mesh or a scene",
    .arguments = "FILE...",
    .details =
        "For a mesh: its format, vertices and cells, bounds, components, surface, volume, area, "
        "edge lengths, inverted and degenerate cells, whether it is closed, and tags. For a "
        "scene: its options, and the mesh, mass, bounds and conditions of each body. The kind of "
        "file is recognised from its content.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = -1,
    .complete = COMPLETE_FILE,
    .run = run,
};

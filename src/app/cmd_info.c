#include "app/commands.h"
#include "app/file_kind.h"

static abut_status describe_file(const char *path, bool json, abut_error *err)
{
    file_bytes bytes;
    const file_kind *kind;
    TRY(file_kind_open(path, &bytes, &kind, err));
    abut_status status = kind->describe(path, &bytes, json, err);
    file_free(&bytes);
    return status;
}

static abut_status run(const command_line *line, abut_error *err)
{
    for (size_t i = 0; i < line->argument_count; i++)
        TRY(describe_file(line->arguments[i], line_has(line, "--json"), err));
    return ABUT_OK;
}

static const option_def options[] = {
    {"--json", NULL, NULL, "print one JSON object per file instead of human-readable lines",
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

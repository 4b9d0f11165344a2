#include "app/commands.h"
#include "app/print_document.h"
#include "base/memory.h"
#include "scene/schema.h"

#include <stdio.h>
#include <stdlib.h>

static abut_status print_json_schema(abut_error *err)
{
    json_t *schema;
    TRY(schema_to_json(&schema_scene, &schema, err));
    return print_document(schema, err);
}

static abut_status print_markdown(abut_error *err)
{
    char *page;
    TRY(schema_to_markdown(&schema_scene, &page, err));
    fputs(page, stdout);
    mem_free(page);
    return ABUT_OK;
}

static abut_status run(const command_line *line, abut_error *err)
{
    bool json = line_has(line, "--json"), markdown = line_has(line, "--markdown");
    if (json && markdown)
        return error_set(err, ABUT_ERROR_INPUT, "schema", "give --json or --markdown, not both");
    return json ? print_json_schema(err) : print_markdown(err);
}

static const option_def options[] = {
    {"--json", NULL, NULL, "print a JSON Schema, which editors use to help while you type",
     COMPLETE_NOTHING},
    {"--markdown", NULL, NULL, "print the reference page (this is the default)", COMPLETE_NOTHING},
};

const command_def command_schema = {
    .name = "schema",
    .summary = "print the format of scene files",
    .arguments = "",
    .details = "The files docs/scene.schema.json and docs/scene-reference.md are made with it.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 0,
    .max_arguments = 0,
    .complete = COMPLETE_NOTHING,
    .run = run,
};

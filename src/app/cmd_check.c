#include "app/commands.h"
#include "app/scene_summary.h"
#include "scene/build.h"
#include "scene/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_OVERRIDES = 256 };

/* Initial intersections and nodes behind half spaces. */
static abut_status check_start(scene_summary *summary, abut_error *err)
{
    const scene_def *scene = summary->scene;
    start_report report;
    TRY(start_check(scene, summary->meshes, &report, err));
    for (size_t i = 0; i < report.shown; i++) {
        abut_error found_error;
        error_set(&found_error, ABUT_ERROR_INFEASIBLE, scene->path, "at the start, %s",
                  report.text[i]);
        summary_error(summary, &found_error);
    }
    size_t found = report.intersections + report.too_close + report.behind_planes;
    if (found > report.shown) {
        fprintf(stderr, "abut: %s: and %zu more such places\n", scene->path, found - report.shown);
        summary->error_count += found - report.shown;
    }
    if (scene->contact_enabled)
        printf("  start       %zu intersection%s, %zu node%s behind half spaces",
               report.intersections, report.intersections == 1 ? "" : "s", report.behind_planes,
               report.behind_planes == 1 ? "" : "s");
    if (report.too_close > 0) printf(", %zu pairs within their offset", report.too_close);
    if (isfinite(report.min_distance)) printf(", smallest distance %.6g m", report.min_distance);
    if (scene->contact_enabled) printf("\n");
    return ABUT_OK;
}

/* Warnings of the building; that conditions select nothing the summary has said. */
static void count_warning(void *user, abut_log_level level, const char *message)
{
    if (level == ABUT_LOG_WARNING && !strstr(message, "selects no nodes"))
        summary_warning(user, "%s", message);
}

/* What only shows when it is built: Jacobians of curved cells, masses, collision surfaces,
 * conditions that contradict each other. */
static void check_building(scene_summary *summary, const logger *log, stepper **built)
{
    const scene_def *scene = summary->scene;
    abut_error found_error;
    body_shapes shapes = {0};
    abut_status result =
        scene->remesh.on ? body_shapes_init(&shapes, scene, &found_error) : ABUT_OK;
    if (result == ABUT_OK)
        result =
            scene_build_shapes(scene, scene->remesh.on ? &shapes : NULL, log, built, &found_error);
    if (result != ABUT_OK) summary_error(summary, &found_error);
    body_shapes_free(&shapes);
}

/* Prescribed bodies that will go through each other. */
static void check_motion(scene_summary *summary, stepper *built)
{
    abut_error found_error;
    const scene_def *scene = summary->scene;
    abut_status result = stepper_foresee(built, scene->end_time, scene->remesh.on, &found_error);
    if (error_add_place(&found_error, scene->path, result) != ABUT_OK)
        summary_error(summary, &found_error);
}

static abut_status check_scene(const scene_def *scene, abut_error *err)
{
    scene_summary summary;
    stepper *built = NULL;
    logger log = {count_warning, &summary, ABUT_LOG_WARNING};
    abut_status status = summary_make(scene, &summary, err);
    if (status == ABUT_OK) {
        summary_print(&summary);
        if (summary.error_count == 0) check_building(&summary, &log, &built);
        status = check_start(&summary, err);
        if (status == ABUT_OK && summary.error_count == 0) check_motion(&summary, built);
        stepper_destroy(built);
    }
    if (status == ABUT_OK) {
        if (summary.error_count + summary.warning_count == 0)
            printf("  result      no problems found\n");
        else
            printf("  result      %zu error%s, %zu warning%s\n", summary.error_count,
                   summary.error_count == 1 ? "" : "s", summary.warning_count,
                   summary.warning_count == 1 ? "" : "s");
        fflush(stdout);
        if (summary.error_count > 0) *err = summary.first;
        status = summary.status;
    }
    summary_free(&summary);
    return status;
}

static abut_status run(const command_line *line, abut_error *err)
{
    const char *overrides[MOST_OVERRIDES];
    size_t count = line_values(line, "--set", overrides, MOST_OVERRIDES);
    if (count > MOST_OVERRIDES)
        return error_set(err, ABUT_ERROR_INPUT, "check", "--set may be used %d times at most",
                         MOST_OVERRIDES);
    logger log = stderr_log();
    scene_def *scene;
    TRY(scene_load(line->arguments[0], overrides, count, &log, &scene, err));
    abut_status status = check_scene(scene, err);
    scene_free(scene);
    return status;
}

static const option_def options[] = {
    {"--set", NULL, "PATH=VALUE", "change a field of the scene, for example time.step=0.02",
     COMPLETE_NOTHING},
};

const command_def command_check = {
    .name = "check",
    .summary = "check a scene without simulating it",
    .arguments = "SCENE",
    .details =
        "Reads the scene and its meshes, and lists what is wrong: fields with unknown names or "
        "values out of range, meshes that cannot be read, inverted elements, bodies that intersect "
        "at the start or lie behind a half space, prescribed bodies that will go through each "
        "other, conditions that select no nodes.\n\nThe exit "
        "code is 2 for wrong fields, 4 for a start that cannot be simulated, 5 for files that "
        "cannot be read, and 0 when there are no more than warnings.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .complete = COMPLETE_FILE,
    .run = run,
};

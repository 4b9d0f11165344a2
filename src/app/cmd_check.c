#include "app/commands.h"
#include "app/scene_advice.h"
#include "app/scene_summary.h"
#include "app/write_scene.h"
#include "base/memory.h"
#include "scene/separate.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One line per pair of bodies that meet, with the shortest move that parts them. */
static abut_status list_separations(const scene_def *scene, start_surface *s, double gap,
                                    abut_error *err)
{
    separation_list pairs = {0};
    abut_status status = find_separations(scene, s, gap, &pairs, err);
    for (size_t i = 0; status == ABUT_OK && i < pairs.count; i++) {
        const separation *p = &pairs.data[i];
        const char *a = scene->bodies[p->first].name, *b = scene->bodies[p->second].name;
        if (p->first == p->second)
            fprintf(stderr, "abut: %s: \"%s\" meets itself at %zu places\n", scene->path, a,
                    p->places);
        else if (!p->found)
            fprintf(stderr,
                    "abut: %s: \"%s\" and \"%s\" meet at %zu places; no straight move "
                    "was found that parts them\n",
                    scene->path, a, b, p->places);
        else
            fprintf(stderr,
                    "abut: %s: \"%s\" and \"%s\" meet at %zu places, %.4g m deep; moving "
                    "\"%s\" by (%.6g, %.6g, %.6g) parts them\n",
                    scene->path, a, b, p->places, p->depth, scene->bodies[p->moved].name, p->move.x,
                    p->move.y, p->move.z);
    }
    array_free(&pairs);
    return status;
}

/* Writes the scene with bodies moved apart. */
static abut_status write_free(const scene_def *scene, start_surface *s, double gap, const char *out,
                              abut_error *err)
{
    bool is_free;
    vec3 *moves = mem_calloc(scene->body_count + 1, sizeof *moves);
    if (!moves) return error_memory(err, "separating bodies");
    abut_status status = free_start(scene, s, gap, moves, &is_free, err);
    if (status == ABUT_OK && !is_free)
        status =
            error_set(err, ABUT_ERROR_INFEASIBLE, scene->path,
                      "no straight moves were found that free the start; %s is not written", out);
    if (status == ABUT_OK) status = write_native_scene(scene->path, out, moves, err);
    for (size_t i = 0; status == ABUT_OK && i < scene->body_count; i++)
        if (vec3_norm2(moves[i]) > 0)
            printf("  free        \"%s\" moved by (%.6g, %.6g, %.6g)\n", scene->bodies[i].name,
                   moves[i].x, moves[i].y, moves[i].z);
    if (status == ABUT_OK) printf("  free        the scene is in %s\n", out);
    mem_free(moves);
    return status;
}

/* How the bodies can be parted, in words, and as a scene where `out` is given. */
static abut_status part_bodies(const scene_summary *summary, const char *out, abut_error *err)
{
    start_surface surface;
    double gap = start_length(summary->scene->lengths.dhat, summary->size);
    abut_status status =
        start_surface_make(summary->scene, summary->meshes, summary->size, &surface, err);
    if (status == ABUT_OK) status = list_separations(summary->scene, &surface, gap, err);
    if (status == ABUT_OK && out) status = write_free(summary->scene, &surface, gap, out, err);
    start_surface_free(&surface);
    return status;
}

/* Where bodies meet at the start, or nodes are behind half spaces. */
static abut_status list_problems(scene_summary *summary, const char *free, abut_error *err)
{
    const scene_def *scene = summary->scene;
    start_report report;
    TRY(start_check(scene, summary->meshes, &report, err));
    for (size_t i = 0; i < report.shown; i++)
        fprintf(stderr, "abut: %s: at the start, %s\n", scene->path, report.text[i]);
    size_t found = report.intersections + report.too_close + report.behind_planes;
    if (report.intersections > 0 || (free && found > 0)) TRY(part_bodies(summary, free, err));
    if (found > report.shown)
        fprintf(stderr, "abut: %s: and %zu more such places\n", scene->path, found - report.shown);
    if (found > 0 && summary->error_count == 0) {
        abut_error problem_found;
        error_set(&problem_found, ABUT_ERROR_INFEASIBLE, scene->path, "at the start, %s",
                  report.text[0]);
        summary_error(summary, &problem_found);
    }
    if (scene->options.contact)
        printf("  start       %zu intersection%s, %zu node%s behind half spaces",
               report.intersections, report.intersections == 1 ? "" : "s", report.behind_planes,
               report.behind_planes == 1 ? "" : "s");
    if (report.too_close > 0) printf(", %zu pairs within their offset", report.too_close);
    if (isfinite(report.min_distance)) printf(", smallest distance %.6g m", report.min_distance);
    if (scene->options.contact) printf("\n");
    return ABUT_OK;
}

/* Warnings of the building; that conditions select nothing the summary has said. */
static void count_warning(void *user, abut_log_level level, const char *message)
{
    if (level == ABUT_LOG_WARNING && !strstr(message, "selects no nodes"))
        summary_warning(user, "%s", message);
}

/* What a run would refuse before its first step. */
static void check_preparing(scene_summary *summary)
{
    abut_sim sim = {.scene = (scene_def *)summary->scene, /* only read */
                    .log = {count_warning, summary, ABUT_LOG_WARNING}};
    abut_error refused;
    abut_status status = sim_prepare(&sim, NULL, &refused);
    if (sim.stepper) summary_weigh(summary, sim.stepper->model);
    if (status != ABUT_OK) summary_error(summary, &refused);
    sim_release(&sim);
}

static abut_status check_scene(const scene_def *scene, const char *free, abut_error *err)
{
    scene_summary summary;
    abut_status status = summary_make(scene, &summary, err);
    if (status == ABUT_OK) {
        if (summary.error_count == 0) check_preparing(&summary);
        scene_advise(&summary);
        summary_print(&summary);
        status = list_problems(&summary, free, err);
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
    size_t count;
    const char *const *overrides = line_values(line, "--set", &count);
    logger log = stderr_log();
    scene_def *scene;
    TRY(scene_load(line->arguments[0], overrides, count, &log, &scene, err));
    abut_status status = check_scene(scene, line_value(line, "--free"), err);
    scene_free(scene);
    return status;
}

static const option_def options[] = {
    {"--set", NULL, "PATH=VALUE", "change a field of the scene, for example time.step=0.02",
     COMPLETE_NOTHING},
    {"--free", NULL, "FILE",
     "write the scene with bodies moved apart that meet at the start, where straight moves do that",
     COMPLETE_FILE},
};

const command_def command_check = {
    .name = "check",
    .summary = "check a scene without simulating it",
    .arguments = "SCENE",
    .details =
        "Reads the scene and its meshes, and lists what is wrong: fields with unknown names or "
        "values out of range, meshes that cannot be read, inverted elements, bodies that intersect "
        "at the start or lie behind a half space, prescribed bodies that will go through each "
        "other, conditions that select no nodes. It warns of what is most likely not meant: bodies "
        "that cannot carry their own weight or fly ten times their size in a step (units), dhat "
        "beyond the thickness of a body, nearly flat tetrahedra, an end that is no multiple of "
        "the step, surfaces with holes. For bodies that meet at the start it tells how deep, and "
        "the "
        "shortest straight move that parts each pair.\n\nThe exit "
        "code is 2 for wrong fields, 4 for a start that cannot be simulated, 5 for files that "
        "cannot be read, and 0 when there are no more than warnings.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .complete = COMPLETE_FILE,
    .run = run,
};

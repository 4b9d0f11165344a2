/* `abut view`: a run in the browser. */
#include "app/commands.h"
#include "app/play.h"
#include "app/view_session.h"
#include "base/file.h"
#include "base/json_text.h"
#include "scene/load.h"

#include <abut/sim.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run has a folder of frames; one whose start was refused has the file that shows why. */
static abut_status check_folder(const char *folder, abut_error *err)
{
    char frames[4096], refused[4096];
    path_join(frames, sizeof frames, folder, "frames");
    path_join(refused, sizeof refused, folder, "start_problems.vtu");
    if (file_is_directory(frames) || file_exists(refused)) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, folder,
                     "is not the folder of a run: it has no folder 'frames'");
}

static abut_status serve(const command_line *line, const char *folder, const char *reason,
                         play *played, abut_error *err)
{
    view_options options = {.folder = folder, .problem = reason, .play = played};
    view_server *server;
    TRY(view_read_options(line, &options, err));
    options.other = line_value(line, "--compare");
    if (options.other) TRY(check_folder(options.other, err));
    TRY(view_session_start(&options, line_has(line, "--open"), &server, err));
    if (isatty(STDOUT_FILENO)) puts("Ctrl-C ends it");
    fflush(stdout);
    view_session_wait();
    view_server_stop(server);
    return ABUT_OK;
}

/* Removes the files of a folder and the folder; deeper levels first. */
static void remove_folder(const char *folder)
{
    DIR *list = opendir(folder);
    if (!list) return;
    for (struct dirent *item; (item = readdir(list));) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        char path[4096];
        path_join(path, sizeof path, folder, item->d_name);
        if (unlink(path) != 0) remove_folder(path);
    }
    closedir(list);
    rmdir(folder);
}

static void show_message(void *user, abut_log_level level, const char *message)
{
    (void)user, (void)level;
    fprintf(stderr, "%s\n", message);
}

static abut_status load_start(const char *scene, const char *folder, abut_sim **out,
                              abut_error *err)
{
    abut_sim_options options = abut_default_sim_options();
    const char *overrides[] = {"output.every=1", "output.formats=[\"vtu\"]"};
    options.overrides = overrides;
    options.override_count = 2;
    options.log = show_message;
    options.problem_folder = folder;
    return abut_sim_load(scene, &options, out, err);
}

/* Where everything stands before the first step, as a run of no steps in a temporary folder. */
static abut_status write_start(abut_sim *sim, const char *folder, abut_error *err)
{
    abut_run_options options = abut_default_run_options();
    options.folder = folder;
    options.steps = 0;
    return abut_sim_run(sim, &options, err);
}

/* The scene beside a start that was refused: the page takes names and the floor from it. */
static abut_status write_scene(const char *scene_path, const char *folder, abut_error *err)
{
    scene_def *scene;
    char path[4096];
    TRY(scene_load(scene_path, NULL, 0, NULL, &scene, err));
    char *text = json_text(scene->resolved, JSON_INDENT(2));
    path_join(path, sizeof path, folder, "scene.json");
    abut_status status =
        text ? atomic_write(path, text, strlen(text), err) : error_memory(err, "writing the scene");
    free(text);
    scene_free(scene);
    return status;
}

/* The start of a scene, or with --play a simulation of it. Takes sim over. */
static abut_status serve_scene(const command_line *line, abut_sim *sim, const char *folder,
                               abut_error *err)
{
    play *played = NULL;
    abut_status status = ABUT_OK;
    if (!line_has(line, "--play")) {
        status = write_start(sim, folder, err);
        abut_sim_destroy(sim);
    } else {
        status = write_scene(line->arguments[0], folder, err);
        if (status == ABUT_OK)
            status = play_start(sim, folder, &played, err);
        else
            abut_sim_destroy(sim);
    }
    if (status == ABUT_OK) status = serve(line, folder, NULL, played, err);
    play_stop(played);
    return status;
}

static abut_status view_scene(const command_line *line, abut_error *err)
{
    const char *temporary = getenv("TMPDIR");
    const char *scene = line->arguments[0];
    char folder[4096], marked[4096], reason[sizeof err->message] = "";
    snprintf(folder, sizeof folder, "%s/abut-view-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return error_set(err, ABUT_ERROR_IO, folder, "cannot create a temporary folder: %s",
                         strerror(errno));
    path_join(marked, sizeof marked, folder, "start_problems.vtu");
    abut_sim *sim = NULL;
    abut_status status = load_start(scene, folder, &sim, err);
    if (status == ABUT_OK)
        status = serve_scene(line, sim, folder, err);
    else if (status == ABUT_ERROR_INFEASIBLE && file_exists(marked)) {
        snprintf(reason, sizeof reason, "%s", err->message);
        char *file = strstr(reason, "; all are marked in");
        if (file) *file = 0; /* the page shows them */
        status = write_scene(scene, folder, err);
        if (status == ABUT_OK) status = serve(line, folder, reason, NULL, err);
    }
    remove_folder(folder);
    return status;
}

static abut_status run(const command_line *line, abut_error *err)
{
    const char *input = line->arguments[0];
    if (!file_exists(input) && !file_is_directory(input))
        return error_set(err, ABUT_ERROR_IO, input, "there is no such folder or scene");
    if (!file_is_directory(input)) return view_scene(line, err);
    if (line_has(line, "--play"))
        return error_set(err, ABUT_ERROR_INPUT, "--play",
                         "needs a scene; '%s' is the folder of a run", input);
    TRY(check_folder(input, err));
    return serve(line, input, NULL, NULL, err);
}

static const option_def options[] = {
    {"--compare", NULL, "DIR", "a second run, which the page can draw over the first or beside it",
     COMPLETE_FILE},
    {"--play", NULL, NULL,
     "simulate the scene while you look (up to 2000 nodes): go, pause, step, reset, and pull "
     "bodies with the mouse",
     COMPLETE_NOTHING},
    VIEW_OPTION_DEFS};

const command_def command_view = {
    .name = "view",
    .summary = "look at a run, or at the start of a scene, in a browser",
    .arguments = "DIR|SCENE",
    .details =
        "Serves a page for this machine and prints its address; the run may still be going on, new "
        "frames appear by themselves. The address contains a random word, and only the frames, "
        "steps.csv, run.json and scene.json of the folder can be read, nothing can be changed. "
        "For a scene its state before the first step is shown; where that cannot be simulated, the "
        "places that intersect are marked. With --play it is simulated as long as you look, and "
        "nothing of it is kept.\n"
        "The page is built once by 'make viewer' and needs no network. Ctrl-C ends the server.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .complete = COMPLETE_FILE,
    .run = run,
};

/* `abut view`: a run in the browser. */
#include "app/commands.h"
#include "app/view_session.h"
#include "base/file.h"

#include <abut/sim.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static abut_status serve(const command_line *line, const char *folder, abut_error *err)
{
    view_options options = {.folder = folder};
    view_server *server;
    TRY(view_read_options(line, &options, err));
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

/* Where everything stands before the first step, as a run of no steps in a temporary folder. */
static abut_status write_start(const char *scene, const char *folder, abut_error *err)
{
    abut_sim_options sim_options = abut_default_sim_options();
    abut_run_options options = abut_default_run_options();
    const char *overrides[] = {"output.every=1", "output.formats=[\"vtu\"]"};
    sim_options.overrides = overrides;
    sim_options.override_count = 2;
    sim_options.log = show_message;
    options.folder = folder;
    options.steps = 0;
    abut_sim *sim;
    TRY(abut_sim_load(scene, &sim_options, &sim, err));
    abut_status status = abut_sim_run(sim, &options, err);
    abut_sim_destroy(sim);
    return status;
}

static abut_status view_scene(const command_line *line, abut_error *err)
{
    const char *temporary = getenv("TMPDIR");
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/abut-view-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return error_set(err, ABUT_ERROR_IO, folder, "cannot create a temporary folder: %s",
                         strerror(errno));
    abut_status status = write_start(line->arguments[0], folder, err);
    if (status == ABUT_OK) status = serve(line, folder, err);
    remove_folder(folder);
    return status;
}

static abut_status run(const command_line *line, abut_error *err)
{
    const char *input = line->arguments[0];
    char frames[4096];
    if (!file_exists(input) && !file_is_directory(input))
        return error_set(err, ABUT_ERROR_IO, input, "there is no such folder or scene");
    if (!file_is_directory(input)) return view_scene(line, err);
    path_join(frames, sizeof frames, input, "frames");
    if (!file_is_directory(frames))
        return error_set(err, ABUT_ERROR_INPUT, input,
                         "is not the folder of a run: it has no folder 'frames'");
    return serve(line, input, err);
}

static const option_def options[] = {VIEW_OPTION_DEFS};

const command_def command_view = {
    .name = "view",
    .summary = "look at a run, or at the start of a scene, in a browser",
    .arguments = "DIR|SCENE",
    .details =
        "Serves a page for this machine and prints its address; the run may still be going on, new "
        "frames appear by themselves. The address contains a random word, and only the frames, "
        "steps.csv, run.json and scene.json of the folder can be read, nothing can be changed. "
        "For a scene its state before the first step is shown.\n"
        "The page is built once by 'make viewer' and needs no network. Ctrl-C ends the server.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .complete = COMPLETE_FILE,
    .run = run,
};

#include "app/commands.h"
#include "app/progress.h"
#include "app/view_session.h"

#include <abut/sim.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Number of the signal that came; the run stops between two Newton iterations. */
static volatile sig_atomic_t stop_requested;

/* A second request does not wait for a checkpoint: files are never half written, and the last one
 * is good. Only what signal handlers may do. */
static void request_stop(int signal_number)
{
    static const char note[] =
        "\nstopping; once more to stop at once (--resume then goes on from the last "
        "checkpoint)\n";
    if (stop_requested) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        return;
    }
    stop_requested = signal_number;
    if (isatty(STDERR_FILENO) && write(STDERR_FILENO, note, sizeof note - 1) < 0) return;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = request_stop};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

typedef struct run_display {
    progress bar;
    double end_time;
} run_display;

static bool stop_now(void *user)
{
    (void)user;
    return stop_requested;
}

static bool show_progress(void *user, const abut_step_info *info, int64_t steps_total)
{
    run_display *display = user;
    progress_state state = {.step = info->step,
                            .steps = steps_total,
                            .time = info->time,
                            .end_time = display->end_time,
                            .newton_iterations = info->newton_iterations,
                            .contact_count = (int64_t)info->contact_count};
    progress_update(&display->bar, &state);
    return !stop_requested;
}

static void show_message(void *user, abut_log_level level, const char *message)
{
    static const char *const prefixes[] = {"error: ", "warning: ", "", ""};
    char text[2200];
    snprintf(text, sizeof text, "%s%s", prefixes[level], message);
    progress_message(&((run_display *)user)->bar, text);
}

/* Default folder: the scene's name without extension, with ".run" behind it, in the working folder.
 */
static void default_folder(const char *scene, char *out, size_t size)
{
    const char *slash = strrchr(scene, '/');
    const char *name = slash ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    snprintf(out, size, "%.*s.run", dot && dot != name ? (int)(dot - name) : (int)strlen(name),
             name);
}

static abut_status read_options(const command_line *line, run_display *display,
                                abut_sim_options *sim_options, abut_run_options *options,
                                abut_error *err)
{
    int64_t threads = 0;
    TRY(line_integer(line, "--threads", 1, 4096, &threads, err));
    TRY(line_integer(line, "--steps", 0, INT64_MAX, &options->steps, err));
    bool quiet = line_has(line, "--quiet"), verbose = line_has(line, "--verbose");
    if (quiet && verbose)
        return error_set(err, ABUT_ERROR_INPUT, "--quiet", "contradicts --verbose");
    quiet = quiet || abut_rank() > 0;
    sim_options->overrides = line_values(line, "--set", &sim_options->override_count);
    sim_options->threads = (int)threads;
    sim_options->log = quiet ? NULL : show_message;
    sim_options->log_user = display;
    sim_options->log_level = verbose ? ABUT_LOG_DEBUG : ABUT_LOG_WARNING;
    options->resume = line_has(line, "--resume");
    options->progress = show_progress;
    options->progress_user = display;
    options->stop = stop_now;
    return ABUT_OK;
}

/* With --view the page shows the run while it goes, and until the next Ctrl-C. */
static abut_status run_and_view(const command_line *line, abut_sim *sim,
                                const abut_run_options *options, progress *bar, abut_error *err)
{
    view_server *server = NULL;
    view_options view = {.folder = options->folder};
    if (line_has(line, "--view") && abut_rank() == 0) {
        TRY(view_read_options(line, &view, err));
        TRY(view_session_start(&view, line_has(line, "--open"), &server, err));
    }
    abut_status status = abut_sim_run(sim, options, err);
    progress_finish(bar);
    bool quiet = line_has(line, "--quiet") || abut_rank() > 0;
    if (!quiet && status == ABUT_OK) printf("results are in %s\n", options->folder);
    if (!quiet && status == ABUT_INTERRUPTED)
        printf("stopped; go on with --resume (results are in %s)\n", options->folder);
    if (server && stop_requested != SIGTERM) {
        printf("Ctrl-C ends the viewer at %s\n", view_server_address(server));
        fflush(stdout);
        view_session_wait();
    }
    view_server_stop(server);
    return status;
}

static abut_status run(const command_line *line, abut_error *err)
{
    run_display display = {0};
    abut_sim_options sim_options = abut_default_sim_options();
    abut_run_options options = abut_default_run_options();
    TRY(abut_ranks_start(line_value(line, "--petsc-options"), err));
    TRY(read_options(line, &display, &sim_options, &options, err));
    char folder[4096];
    default_folder(line->arguments[0], folder, sizeof folder);
    const char *given = line_value(line, "--output");
    options.folder = given ? given : folder;
    sim_options.problem_folder = options.folder;
    progress_start(&display.bar, stderr, line_has(line, "--quiet") || abut_rank() > 0);
    catch_signals();
    abut_sim *sim = NULL;
    TRY(abut_sim_load(line->arguments[0], &sim_options, &sim, err));
    display.end_time = (double)abut_sim_steps_total(sim) * abut_sim_time_step(sim);
    abut_status status = run_and_view(line, sim, &options, &display.bar, err);
    abut_sim_destroy(sim);
    return status;
}

static const option_def options[] = {
    {"--output", "-o", "DIR", "folder for the results (default: name of the scene with .run)",
     COMPLETE_FOLDER},
    {"--steps", NULL, "N", "stop after step N instead of the scene's end time", COMPLETE_NOTHING},
    {"--threads", NULL, "N", "number of threads (default: one per core)", COMPLETE_NOTHING},
    {"--resume", NULL, NULL, "go on from the checkpoint in the folder, if there is one",
     COMPLETE_NOTHING},
    {"--set", NULL, "PATH=VALUE",
     "change a field of the scene, such as time.step=0.02 (repeatable)", COMPLETE_NOTHING},
    {"--petsc-options", NULL, "TEXT",
     "options for PETSc, such as \"-log_view\"; starts PETSc and MPI", COMPLETE_NOTHING},
    {"--view", NULL, NULL, "serve a page to watch it in a browser, until Ctrl-C (see abut view)",
     COMPLETE_NOTHING},
    {"--quiet", NULL, NULL, "print errors only", COMPLETE_NOTHING},
    {"--verbose", NULL, NULL, "print what the solver does", COMPLETE_NOTHING},
    VIEW_OPTION_DEFS,
};

const command_def command_run = {
    .name = "run",
    .summary = "simulate a scene",
    .arguments = "SCENE",
    .details =
        "Reads a scene (native JSON or a scene of another program, recognised from its content), "
        "simulates it, and writes into the folder: run.json (summary), steps.csv (one row per "
        "step), frames/ (VTU files and frames.pvd), checkpoint.h5 and scene.json (the scene as it "
        "was run).\n"
        "Interrupt or terminate it at any time: the current step is undone (after its Newton "
        "iteration; a change of meshes and a step of \"mlcp\" are finished), a checkpoint is "
        "written, and --resume goes on from there. A second interrupt does not wait for that: "
        "like a killed run, it resumes from its last checkpoint.\n"
        "With mpirun -n N in front, and \"linear\" left alone or \"petsc\", N processes share the "
        "work and the memory (docs/cluster.md).",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .complete = COMPLETE_FILE,
    .run = run,
};

#include "app/commands.h"
#include "gradient/optimize.h"

#include <abut/sim.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t stop_requested;

/* The evaluation that is going on is finished first; a second request does not wait for it. */
static void request_stop(int signal_number)
{
    if (stop_requested) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        return;
    }
    stop_requested = signal_number;
}

static bool show(void *user, const optimize_report *r)
{
    const bool *quiet = user;
    if (*quiet) return !stop_requested;
    if (r->failure)
        printf("%4d  no run: %s\n", r->evaluation, r->failure);
    else
        printf("%4d  objective %-12.6g best %-12.6g slope %.3g%s\n", r->evaluation, r->value,
               r->best, r->slope, r->again ? "  (from the folder)" : "");
    fflush(stdout);
    return !stop_requested;
}

static void show_message(void *user, abut_log_level level, const char *message)
{
    (void)user;
    fprintf(stderr, "%s%s\n", level == ABUT_LOG_WARNING ? "warning: " : "", message);
}

static abut_status run(const command_line *line, abut_error *err)
{
    char folder[4096];
    const char *scene = line->arguments[0], *given = line_value(line, "--output");
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    snprintf(folder, sizeof folder, "%.*s.optimize",
             dot && dot != name ? (int)(dot - name) : (int)strlen(name), name);
    bool quiet = line_has(line, "--quiet");
    optimize_options options = {.folder = given ? given : folder,
                                .resume = line_has(line, "--resume"),
                                .log = {show_message, NULL, ABUT_LOG_WARNING},
                                .progress = show,
                                .user = &quiet};
    options.overrides = line_values(line, "--set", &options.override_count);
    optimize_result result = {0};
    struct sigaction action = {.sa_handler = request_stop};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    abut_status status = optimize_scene(scene, &options, &result, err);
    if (quiet) return status;
    if (status == ABUT_OK)
        printf("%d evaluations, objective %.6g -> %.6g, ended by %s; results are in %s\n",
               result.evaluations, result.first, result.best, result.reason, options.folder);
    if (status == ABUT_INTERRUPTED)
        printf("stopped; go on with --resume (results are in %s)\n", options.folder);
    return status;
}

static const option_def options[] = {
    {"--output", "-o", "DIR", "folder for the results (default: name of the scene with .optimize)",
     COMPLETE_FOLDER},
    {"--resume", NULL, NULL, "go on from the evaluations in the folder, if there are any",
     COMPLETE_NOTHING},
    {"--set", NULL, "PATH=VALUE",
     "change a field of the scene, such as optimize.evaluations=20 (repeatable)", COMPLETE_NOTHING},
    {"--quiet", NULL, NULL, "print errors only", COMPLETE_NOTHING},
};

const command_def command_optimize = {
    .name = "optimize",
    .summary = "find the parameters of a scene that make an objective small",
    .arguments = "SCENE",
    .details =
        "Runs a scene with an \"optimize\" again and again, each time with its gradient, and "
        "changes "
        "the parameters until the objective is small (docs/gradients.md). Needs the library NLopt "
        "(Debian: libnlopt0).\n"
        "Written into the folder: history.csv (one row per evaluation), best.json (the scene with "
        "the best values of keys), best.csv (all best values) and evaluations/. Interrupt it at "
        "any "
        "time: --resume goes on with the same numbers. Values with which the scene cannot be run "
        "(inverted rest shapes, bodies that intersect at the start) shorten the step of the "
        "method.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .min_arguments = 1,
    .max_arguments = 1,
    .complete = COMPLETE_FILE,
    .run = run,
};

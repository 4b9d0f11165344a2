/* abut: the command. Finds the sub-command, runs it, and turns its result into an exit code. */
#include "app/commands.h"

#include <abut/sim.h>
#include <stdio.h>
#include <string.h>

static int report(abut_status status, const abut_error *err)
{
    if (status == ABUT_OK || status == ABUT_INTERRUPTED) return exit_code_of(status);
    if (err->place[0])
        fprintf(stderr, "abut: %s: %s\n", err->place, err->message);
    else
        fprintf(stderr, "abut: %s\n", err->message);
    /* Not a mistake of typing: there is more to say than fits a line. */
    if (status == ABUT_ERROR_NOT_CONVERGED || status == ABUT_ERROR_INFEASIBLE ||
        status == ABUT_ERROR_OVERLAP)
        fputs("abut: what to do about it is in docs/troubleshooting.md\n", stderr);
    return exit_code_of(status);
}

static bool asks_for_help(int count, char **words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) return true;
    return false;
}

/* abut help [COMMAND], and `--man` for the source of the manual page. */
static abut_status run_help(int count, char **words, abut_error *err)
{
    if (count == 0) {
        print_overview();
        return ABUT_OK;
    }
    if (strcmp(words[0], "--man") == 0) {
        print_manual();
        return ABUT_OK;
    }
    const command_def *command = command_find(words[0]);
    if (!command) return command_unknown(words[0], err);
    print_help(command);
    return ABUT_OK;
}

static abut_status run_command(const command_def *command, int count, char **words, abut_error *err)
{
    if (asks_for_help(count, words)) {
        print_help(command);
        return ABUT_OK;
    }
    command_line line;
    abut_status status = line_parse(command, count, words, &line, err);
    if (status == ABUT_OK) status = command->run(&line, err);
    line_free(&line);
    return status;
}

static abut_status dispatch(int count, char **words, abut_error *err)
{
    if (count == 0)
        return error_set(err, ABUT_ERROR_INPUT, "", "which command? 'abut help' lists them");
    const char *name = words[0];
    if (strcmp(name, "help") == 0) return run_help(count - 1, words + 1, err);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return run_help(0, NULL, err);
    if (strcmp(name, "--version") == 0) {
        printf("abut %s\n", abut_version());
        return ABUT_OK;
    }
    if (strcmp(name, "complete") == 0) { /* asked by the shell, see scripts/completion */
        print_completions(count - 1, words + 1);
        return ABUT_OK;
    }
    const command_def *command = command_find(name);
    if (command) return run_command(command, count - 1, words + 1, err);
    if (name[0] == '-')
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "there is no option '%s' in front of a command; see 'abut help'", name);
    return command_unknown(name, err);
}

int main(int count, char **words)
{
    abut_choose_blas_kernels();
    abut_error err = {0};
    abut_status status = dispatch(count - 1, words + 1, &err);
    bool speaks; /* of several ranks that failed, one tells why */
    int all = abut_ranks_end(exit_code_of(status), &speaks);
    int code = exit_code_of(status);
    if (speaks && code != 0 && abut_rank_count() > 1 && status != ABUT_INTERRUPTED)
        fprintf(stderr, "abut: rank %d of %d stops all:\n", abut_rank(), abut_rank_count());
    if (speaks) report(status, &err);
    if (all > code) code = all;
    bool failed = ferror(stdout) != 0;
    if ((fflush(stdout) != 0 || failed) && code == 0) {
        fputs("abut: the output could not be written\n", stderr);
        code = exit_code_of(ABUT_ERROR_IO);
    }
    abut_ranks_finish(code);
    return code;
}

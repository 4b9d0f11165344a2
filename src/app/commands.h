/* The sub-commands. To add one: write src/app/cmd_NAME.c with `const command_def command_NAME` and
 * put X(NAME) into this list, which `abut help` follows; help, manual page and completion come from
 * the definition (run `scripts/generate-man` for the page). */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "app/command.h"

/* One per line, in the order of `abut help`. */
#define COMMANDS(X)                                                                                \
    X(run)                                                                                         \
    X(optimize)                                                                                    \
    X(check)                                                                                       \
    X(info)                                                                                        \
    X(convert)                                                                                     \
    X(mesh)                                                                                        \
    X(ccd)                                                                                         \
    X(verify)                                                                                      \
    X(render)                                                                                      \
    X(view)                                                                                        \
    X(schema)

#define DECLARE_COMMAND(name) extern const command_def command_##name;
COMMANDS(DECLARE_COMMAND)
#undef DECLARE_COMMAND

extern const command_def *const commands[];
extern const size_t command_count;

const command_def *command_find(const char *name); /* NULL when there is none */
abut_status command_unknown(const char *name, abut_error *err);

/* The exit code of the process for the result of a command: decided here and nowhere else. */
int exit_code_of(abut_status status);

/* help.c: human-readable text, the manual page, and candidates for the shell. */
void print_overview(void);
void print_help(const command_def *command);
void print_manual(void);
/* Prints the possible words at the end of a half-written command line, one per line; a last line
 * "file" or "folder" after an empty line asks the shell for names of files. */
void print_completions(int count, char **words);

#endif

#include "app/commands.h"

#include "base/text.h"

#include <string.h>

#define LIST_COMMAND(name) &command_##name,
const command_def *const commands[] = {COMMANDS(LIST_COMMAND)};
#undef LIST_COMMAND
const size_t command_count = sizeof commands / sizeof *commands;

const command_def *command_find(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

abut_status command_unknown(const char *name, abut_error *err)
{
    const char *names[sizeof commands / sizeof *commands + 1] = {"help"};
    for (size_t i = 0; i < command_count; i++) names[i + 1] = commands[i]->name;
    const char *near = text_closest(name, names, command_count + 1);
    if (near)
        return error_set(err, ABUT_ERROR_INPUT, "", "there is no command '%s'; did you mean '%s'?",
                         name, near);
    return error_set(err, ABUT_ERROR_INPUT, "", "there is no command '%s'; see 'abut help'", name);
}

int exit_code_of(abut_status status)
{
    switch (status) {
    case ABUT_OK: return 0;
    case ABUT_ERROR_INPUT: return 2;
    case ABUT_ERROR_UNSUPPORTED: return 2;
    case ABUT_ERROR_NOT_CONVERGED: return 3;
    case ABUT_ERROR_INFEASIBLE: return 4;
    case ABUT_ERROR_IO: return 5;
    case ABUT_ERROR_MEMORY: return 5;
    case ABUT_ERROR_INTERNAL: return 5;
    case ABUT_ERROR_CHECK: return 1;
    case ABUT_ERROR_OVERLAP: return 6;
    case ABUT_INTERRUPTED: return 130;
    }
    return 5;
}

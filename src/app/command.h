/* What a sub-command is: a name, its options, help text, and a function. The parser, `abut help`,
 * the manual page and the shell completion all work from these definitions. */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include "base/status.h"
#include "math/vec3.h"

#include <stdint.h>

/* What the shell may complete for a value or an argument. */
typedef enum completion_kind { COMPLETE_NOTHING, COMPLETE_FILE, COMPLETE_FOLDER } completion_kind;

typedef struct option_def {
    const char *name;   /* "--output" */
    const char *letter; /* "-o", or NULL */
    const char *value;  /* name of the value in the help, "DIR"; NULL for a switch */
    const char *help;   /* one sentence without a full stop */
    completion_kind complete;
} option_def;

typedef struct command_line command_line;

typedef struct command_def {
    const char *name;
    const char *summary;   /* one line for `abut help`, without a full stop */
    const char *arguments; /* for the usage line: "IN OUT" */
    const char *details;   /* paragraphs for `abut help NAME` and the manual page */
    const option_def *options;
    size_t option_count;
    int min_arguments, max_arguments; /* the latter -1: any number */
    completion_kind complete;         /* of the arguments */
    abut_status (*run)(const command_line *line, abut_error *err);
} command_def;

/* A command line after parsing: `--name value`, `--name=value`, `-n value`, `-nvalue`; everything
 * after `--` is an argument. */
typedef struct given_option {
    const option_def *option;
    const char *value; /* NULL for a switch */
} given_option;

struct command_line {
    const command_def *command;
    const char **arguments;
    size_t argument_count;
    given_option *given;
    size_t given_count;
    const char **values; /* for line_values */
};

/* Wrong options and wrong numbers of arguments are input errors with a suggestion. */
abut_status line_parse(const command_def *command, int count, char **words, command_line *line,
                       abut_error *err);
void line_free(command_line *line);

bool line_has(const command_line *line, const char *name);
/* Value of the last use of an option, NULL when it was not given. */
const char *line_value(const command_line *line, const char *name);
/* Values of all uses in order, until the next call; they belong to the line. */
const char *const *line_values(const command_line *line, const char *name, size_t *count);

/* Numbers; *out keeps its value when the option was not given. The bounds are inclusive. */
abut_status line_integer(const command_line *line, const char *name, int64_t low, int64_t high,
                         int64_t *out, abut_error *err);
abut_status line_number(const command_line *line, const char *name, double low, double high,
                        double *out, abut_error *err);
/* "x,y,z", or with `one_for_all` also a single number for the three. */
abut_status line_vector(const command_line *line, const char *name, bool one_for_all, vec3 *out,
                        abut_error *err);

#endif

#include "app/command.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_OPTIONS = 64 };

static abut_status unknown_option(const command_def *command, const char *word, abut_error *err)
{
    const char *names[MAX_OPTIONS + 1] = {"--help"};
    size_t count = 1;
    for (size_t i = 0; i < command->option_count && count <= MAX_OPTIONS; i++)
        names[count++] = command->options[i].name;
    const char *near = word[1] == '-' ? text_closest(word, names, count) : NULL;
    if (near)
        return error_set(err, ABUT_ERROR_INPUT, command->name,
                         "there is no option '%s'; did you mean '%s'?", word, near);
    return error_set(err, ABUT_ERROR_INPUT, command->name,
                     "there is no option '%s'; see 'abut help %s'", word, command->name);
}

/* The option that a word names, with the value that is glued to it (or NULL). */
static const option_def *find_option(const command_def *command, const char *word,
                                     const char **glued)
{
    *glued = NULL;
    for (size_t i = 0; i < command->option_count; i++) {
        const option_def *option = &command->options[i];
        size_t length = strlen(option->name);
        if (strncmp(word, option->name, length) == 0 &&
            (word[length] == '\0' || word[length] == '=')) {
            if (word[length] == '=') *glued = word + length + 1;
            return option;
        }
        if (option->letter && word[1] == option->letter[1]) {
            if (word[2] != '\0') *glued = word + 2;
            return option;
        }
    }
    return NULL;
}

static abut_status parse_option(command_line *line, char **words, int count, int *at,
                                abut_error *err)
{
    const char *glued, *word = words[*at];
    const option_def *option = find_option(line->command, word, &glued);
    if (!option) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        return unknown_option(line->command, name, err);
    }
    const char *value = glued;
    if (option->value && !value) {
        if (*at + 1 >= count)
            return error_set(err, ABUT_ERROR_INPUT, line->command->name,
                             "option '%s' needs a value: %s %s", option->name, option->name,
                             option->value);
        value = words[++*at];
    }
    if (!option->value && glued)
        return error_set(err, ABUT_ERROR_INPUT, line->command->name,
                         "option '%s' takes no value, but '%s' was given", option->name, glued);
    line->given[line->given_count++] = (given_option){option, value};
    return ABUT_OK;
}

static abut_status check_argument_count(const command_line *line, abut_error *err)
{
    const command_def *command = line->command;
    int given = (int)line->argument_count;
    if (given < command->min_arguments)
        return error_set(err, ABUT_ERROR_INPUT, command->name, "%s; usage: abut %s [OPTION]... %s",
                         given == 0 ? "an argument is missing" : "more arguments are needed",
                         command->name, command->arguments);
    if (command->max_arguments >= 0 && given > command->max_arguments)
        return error_set(err, ABUT_ERROR_INPUT, command->name,
                         "unexpected argument '%s'; usage: abut %s [OPTION]... %s",
                         line->arguments[command->max_arguments], command->name,
                         command->arguments);
    return ABUT_OK;
}

abut_status line_parse(const command_def *command, int count, char **words, command_line *line,
                       abut_error *err)
{
    *line = (command_line){.command = command};
    line->arguments = mem_alloc((size_t)count, sizeof *line->arguments);
    line->given = mem_alloc((size_t)count, sizeof *line->given);
    line->values = mem_alloc((size_t)count, sizeof *line->values);
    if (!line->arguments || !line->given || !line->values)
        return error_memory(err, "reading the command line");
    bool options_end = false;
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (!options_end && strcmp(word, "--") == 0)
            options_end = true;
        else if (!options_end && word[0] == '-' && word[1] != '\0')
            TRY(parse_option(line, words, count, &i, err));
        else
            line->arguments[line->argument_count++] = word;
    }
    return check_argument_count(line, err);
}

void line_free(command_line *line)
{
    mem_free(line->arguments);
    mem_free(line->given);
    mem_free(line->values);
    *line = (command_line){0};
}

const char *line_value(const command_line *line, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; i < line->given_count; i++)
        if (strcmp(line->given[i].option->name, name) == 0)
            value = line->given[i].value ? line->given[i].value : "";
    return value;
}

bool line_has(const command_line *line, const char *name) { return line_value(line, name) != NULL; }

const char *const *line_values(const command_line *line, const char *name, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < line->given_count; i++)
        if (strcmp(line->given[i].option->name, name) == 0)
            line->values[(*count)++] = line->given[i].value;
    return line->values;
}

/* Reads a number that ends at `stop` (or at the end of the text); NULL when there is none. */
static const char *read_number(const char *text, char stop, double *out)
{
    const char *cursor = text, *end = text + strlen(text);
    if (number_read_double(&cursor, end, out) != NUMBER_OK) return NULL;
    return *cursor == stop || *cursor == '\0' ? cursor : NULL;
}

abut_status line_number(const command_line *line, const char *name, double low, double high,
                        double *out, abut_error *err)
{
    const char *text = line_value(line, name);
    if (!text) return ABUT_OK;
    double value;
    if (!read_number(text, '\0', &value))
        return error_set(err, ABUT_ERROR_INPUT, line->command->name, "%s '%s' is not a number",
                         name, text);
    if (value < low || value > high)
        return error_set(err, ABUT_ERROR_INPUT, line->command->name,
                         "%s is %s; it must be between %g and %g", name, text, low, high);
    *out = value;
    return ABUT_OK;
}

abut_status line_integer(const command_line *line, const char *name, int64_t low, int64_t high,
                         int64_t *out, abut_error *err)
{
    double value = 0.0;
    const char *text = line_value(line, name);
    if (!text) return ABUT_OK;
    if (!read_number(text, '\0', &value) || value != floor(value))
        return error_set(err, ABUT_ERROR_INPUT, line->command->name,
                         "%s '%s' is not a whole number", name, text);
    if (value < (double)low || value > (double)high || fabs(value) > 0x1p53)
        return error_set(err, ABUT_ERROR_INPUT, line->command->name,
                         "%s is %s; it must be between %lld and %lld", name, text, (long long)low,
                         (long long)high);
    *out = (int64_t)value;
    return ABUT_OK;
}

abut_status line_vector(const command_line *line, const char *name, bool one_for_all, vec3 *out,
                        abut_error *err)
{
    const char *text = line_value(line, name);
    if (!text) return ABUT_OK;
    double v[3];
    int count = 0;
    const char *p = text;
    while (p && count < 3) {
        p = read_number(p, ',', &v[count]);
        if (p) count++;
        if (!p || *p == '\0') break;
        p++;
    }
    bool complete = p && *p == '\0';
    if (complete && count == 1 && one_for_all) {
        v[1] = v[2] = v[0];
        count = 3;
    }
    if (!complete || count != 3)
        return error_set(err, ABUT_ERROR_INPUT, line->command->name, "%s '%s' must be %sx,y,z",
                         name, text, one_for_all ? "one number or " : "three numbers ");
    *out = vec3_load(v);
    return ABUT_OK;
}

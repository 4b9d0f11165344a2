/* Everything that is said about the commands comes from their definitions. */
#include "app/commands.h"

#include <stdio.h>
#include <string.h>

/* ---- help ---------------------------------------------------------------------------------- */

static const char *const exit_codes[][2] = {
    {"0", "done"},
    {"2", "wrong input or usage"},
    {"3", "a step did not converge"},
    {"4", "the start is infeasible: intersecting, inverted, or beyond a limit"},
    {"5", "a file could not be read or written, or memory ran out"},
    {"130", "interrupted; a run has written a checkpoint to resume from"},
};

void print_overview(void)
{
    printf("abut %s: simulates bodies that touch and never intersect\n\n", abut_version());
    printf("usage: abut COMMAND [OPTION]... [ARGUMENT]...\n\n");
    for (size_t i = 0; i < command_count; i++)
        printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
    printf("  %-9s %s\n", "help", "explain a command: abut help COMMAND");
    printf("\n--version prints the version.\n");
}

/* Text in lines of at most 80 columns behind an indent; the first line starts at column `at`. */
static void print_wrapped(const char *text, int indent, int at)
{
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (at > indent && at + 1 + (int)length > 80) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            putchar(' ');
            at++;
        } else if (at < indent) {
            printf("%*s", indent - at, "");
            at = indent;
        }
        printf("%.*s", (int)length, text);
        at += (int)length;
        text += length;
        if (*text == '\n') {
            printf(text[1] == '\n' ? "\n\n" : "\n");
            at = 0;
            while (*text == '\n') text++;
        } else if (*text == ' ') {
            text++;
        }
    }
    putchar('\n');
}

static int option_heading(const option_def *option, char *out, size_t size)
{
    return snprintf(out, size, "%s%s%s%s%s", option->letter ? option->letter : "",
                    option->letter ? ", " : "", option->name, option->value ? " " : "",
                    option->value ? option->value : "");
}

void print_help(const command_def *command)
{
    printf("usage: abut %s%s%s%s\n\n", command->name, command->option_count ? " [OPTION]..." : "",
           command->arguments[0] ? " " : "", command->arguments);
    print_wrapped(command->summary, 0, 0);
    if (command->details) {
        putchar('\n');
        print_wrapped(command->details, 0, 0);
    }
    if (command->option_count) printf("\noptions:\n");
    for (size_t i = 0; i < command->option_count; i++) {
        char heading[96];
        int length = option_heading(&command->options[i], heading, sizeof heading);
        printf("  %s", heading);
        if (length > 24) putchar('\n');
        print_wrapped(command->options[i].help, 28, length > 24 ? 0 : length + 2);
    }
}

/* ---- manual page --------------------------------------------------------------------------- */

/* Text for troff: hyphens that are meant as such, and no line that looks like a request. */
static void print_troff(const char *text)
{
    for (bool start = true; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) printf("\\&");
        start = *text == '\n';
        if (*text == '-')
            printf("\\-");
        else if (*text == '\\')
            printf("\\e");
        else if (*text == '\n' && text[1] == '\n')
            printf("\n.PP");
        else
            putchar(*text);
    }
    putchar('\n');
}

static void print_command_manual(const command_def *command)
{
    printf(".SS \"abut %s", command->name);
    if (command->option_count) printf(" [OPTION]...");
    printf("%s%s\"\n", command->arguments[0] ? " " : "", command->arguments);
    print_troff(command->summary);
    if (command->details) {
        printf(".PP\n");
        print_troff(command->details);
    }
    for (size_t i = 0; i < command->option_count; i++) {
        char heading[96];
        option_heading(&command->options[i], heading, sizeof heading);
        printf(".TP\n.B ");
        print_troff(heading);
        print_troff(command->options[i].help);
    }
}

void print_manual(void)
{
    printf(".\\\" Written by scripts/generate-man from the definitions in src/app.\n");
    printf(".TH ABUT 1 \"\" \"abut %s\" \"User Commands\"\n", abut_version());
    printf(".SH NAME\nabut \\- simulate bodies that touch and never intersect\n");
    printf(".SH SYNOPSIS\n.B abut\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.br\n");
    printf(".B abut help\n[\\fICOMMAND\\fR]\n.br\n.B abut \\-\\-version\n");
    printf(".SH DESCRIPTION\n");
    print_troff(
        "abut simulates elastic, rigid and thin bodies in contact. Every state it writes is "
        "free of intersections and of inverted elements.\n\nOptions may be written as "
        "--name value, --name=value, -n value or -nvalue; everything after -- is an "
        "argument. abut COMMAND --help is the same as abut help COMMAND.");
    printf(".SH COMMANDS\n");
    for (size_t i = 0; i < command_count; i++) print_command_manual(commands[i]);
    printf(".SS \"abut help [COMMAND]\"\n");
    print_troff("lists the commands, or explains one");
    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++)
        printf(".TP\n.B %s\n%s\n", exit_codes[i][0], exit_codes[i][1]);
}

/* ---- completion ---------------------------------------------------------------------------- */

static void offer(const char *candidate, const char *start)
{
    if (candidate && strncmp(candidate, start, strlen(start)) == 0) printf("%s\n", candidate);
}

static void offer_names(completion_kind kind)
{
    if (kind == COMPLETE_FILE) printf("\nfile\n");
    if (kind == COMPLETE_FOLDER) printf("\nfolder\n");
}

static const option_def *option_awaiting_value(const command_def *command, const char *word)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const option_def *option = &command->options[i];
        bool named = strcmp(word, option->name) == 0 ||
                     (option->letter && strcmp(word, option->letter) == 0);
        if (named && option->value) return option;
    }
    return NULL;
}

void print_completions(int count, char **words)
{
    const char *start = count > 0 ? words[count - 1] : "";
    if (count <= 1 || (count == 2 && strcmp(words[0], "help") == 0)) {
        for (size_t i = 0; i < command_count; i++) offer(commands[i]->name, start);
        if (count <= 1) {
            offer("help", start);
            offer("--version", start);
        }
        return;
    }
    const command_def *command = command_find(words[0]);
    if (!command) return;
    const option_def *option = option_awaiting_value(command, words[count - 2]);
    if (option) {
        offer_names(option->complete);
        return;
    }
    if (start[0] != '-') {
        offer_names(command->complete);
        return;
    }
    for (size_t i = 0; i < command->option_count; i++) offer(command->options[i].name, start);
    offer("--help", start);
}

/* Parsing of options and arguments. */
#include "app/command.c"
#include "test.h"

static const option_def options[] = {
    {"--output", "-o", "DIR", "where results go", COMPLETE_FOLDER},
    {"--set", NULL, "PATH=VALUE", "change a field", COMPLETE_NOTHING},
    {"--quiet", "-q", NULL, "print errors only", COMPLETE_NOTHING},
    {"--steps", NULL, "N", "stop early", COMPLETE_NOTHING},
    {"--scale", NULL, "S", "scale", COMPLETE_NOTHING},
};
static const command_def command = {.name = "try",
                                    .summary = "",
                                    .arguments = "IN OUT",
                                    .options = options,
                                    .option_count = sizeof options / sizeof *options,
                                    .min_arguments = 1,
                                    .max_arguments = 2};
static abut_error error;

#define PARSE(line, ...)                                                                           \
    line_parse(&command, (int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)),                  \
               (char *[]){__VA_ARGS__}, line, &error)

TEST(every_form_of_an_option)
{
    command_line line;
    CHECK_OK(PARSE(&line, "-q", "in", "-oa", "--set", "x=1", "--set=y=2", "out", "-o", "b"), error);
    CHECK(line.argument_count == 2 && strcmp(line.arguments[0], "in") == 0);
    CHECK(strcmp(line.arguments[1], "out") == 0);
    CHECK(line_has(&line, "--quiet") && !line_has(&line, "--steps"));
    CHECK(strcmp(line_value(&line, "--output"), "b") == 0 && !line_value(&line, "--steps"));
    size_t count;
    const char *const *sets = line_values(&line, "--set", &count);
    CHECK(count == 2 && strcmp(sets[0], "x=1") == 0 && strcmp(sets[1], "y=2") == 0);
    line_values(&line, "--steps", &count);
    CHECK(count == 0);
    line_free(&line);
    CHECK_OK(PARSE(&line, "--", "-q", "--steps"), error);
    CHECK(line.argument_count == 2 && line.given_count == 0);
    line_free(&line);
    CHECK_OK(PARSE(&line, "-"), error); /* a lone dash is an argument */
    CHECK(line.argument_count == 1);
    line_free(&line);
}

#define REFUSED(text, ...)                                                                         \
    do {                                                                                           \
        command_line line;                                                                         \
        CHECK(PARSE(&line, __VA_ARGS__) == ABUT_ERROR_INPUT);                                      \
        if (!strstr(error.message, text)) printf("%s\n", error.message);                           \
        CHECK(strstr(error.message, text) && strcmp(error.place, "try") == 0);                     \
        line_free(&line);                                                                          \
    } while (0)

TEST(mistakes_are_explained)
{
    REFUSED("no option '--ouptut'; did you mean '--output'?", "in", "--ouptut=x");
    REFUSED("no option '--hepl'; did you mean '--help'?", "--hepl");
    REFUSED("no option '-x'; see 'abut help try'", "-x");
    REFUSED("'--output' needs a value: --output DIR", "in", "-o");
    REFUSED("'--quiet' takes no value, but 'yes' was given", "--quiet=yes");
    REFUSED("an argument is missing; usage: abut try [OPTION]... IN OUT", "-q");
    REFUSED("unexpected argument 'c'", "a", "b", "c");
}

TEST(numbers)
{
    command_line line;
    int64_t steps = 7;
    vec3 scale = {1, 2, 3};
    double number = 5;
    CHECK_OK(PARSE(&line, "in"), error);
    CHECK_OK(line_integer(&line, "--steps", 1, 100, &steps, &error), error);
    CHECK_OK(line_vector(&line, "--scale", true, &scale, &error), error);
    CHECK(steps == 7 && scale.z == 3);
    line_free(&line);
    CHECK_OK(PARSE(&line, "in", "--steps", "12", "--scale", "-1,2.5,1e-3"), error);
    CHECK_OK(line_integer(&line, "--steps", 1, 100, &steps, &error), error);
    CHECK_OK(line_number(&line, "--steps", 0, 100, &number, &error), error);
    CHECK_OK(line_vector(&line, "--scale", false, &scale, &error), error);
    CHECK(steps == 12 && number == 12 && scale.x == -1 && scale.y == 2.5 && scale.z == 1e-3);
    CHECK(line_integer(&line, "--steps", 20, 100, &steps, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "--steps is 12; it must be between 20 and 100"));
    CHECK(line_number(&line, "--steps", 0, 1, &number, &error) == ABUT_ERROR_INPUT);
    line_free(&line);
    CHECK_OK(PARSE(&line, "in", "--steps", "1.5", "--scale", "2"), error);
    CHECK(line_integer(&line, "--steps", 1, 100, &steps, &error) == ABUT_ERROR_INPUT);
    CHECK(strstr(error.message, "'1.5' is not a whole number"));
    CHECK_OK(line_vector(&line, "--scale", true, &scale, &error), error);
    CHECK(scale.x == 2 && scale.y == 2 && scale.z == 2);
    CHECK(line_vector(&line, "--scale", false, &scale, &error) == ABUT_ERROR_INPUT);
    line_free(&line);
    static const char *const wrong[] = {"1,2", "1,2,3,4", "1,2,x", ",,", "", "1,2,3 ", "1,2,nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_OK(PARSE(&line, "in", "--scale", (char *)wrong[i], "--steps", (char *)wrong[i]),
                 error);
        CHECK(line_vector(&line, "--scale", true, &scale, &error) == ABUT_ERROR_INPUT);
        CHECK(line_number(&line, "--steps", 0, 9, &number, &error) == ABUT_ERROR_INPUT);
        line_free(&line);
    }
}

int main(void)
{
    RUN(every_form_of_an_option);
    RUN(mistakes_are_explained);
    RUN(numbers);
    return TEST_END();
}

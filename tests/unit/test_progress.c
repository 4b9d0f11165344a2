/* The progress display, with a clock of our own: how often it prints, and what. */
#include "app/progress.c"
#include "test.h"

static double now;
static double fake_clock(void) { return now; }

static progress started(FILE *stream, progress_style style)
{
    progress p;
    progress_start(&p, stream, false);
    CHECK(p.style == PROGRESS_LINES); /* a file is no terminal */
    p.clock = fake_clock;
    p.style = style;
    p.started = p.last_time = now = 100;
    return p;
}

static char *written(FILE *stream, char *buffer, size_t size)
{
    fflush(stream);
    rewind(stream);
    size_t n = fread(buffer, 1, size - 1, stream);
    buffer[n] = '\0';
    return buffer;
}

static int count_of(const char *text, char c)
{
    int count = 0;
    for (; *text; text++) count += *text == c;
    return count;
}

TEST(at_most_one_line_a_second)
{
    char text[20000];
    FILE *stream = tmpfile();
    progress p = started(stream, PROGRESS_LINES);
    for (int step = 1; step <= 100; step++) {
        now += 0.05;
        progress_state state = {step, 100, 0.01 * step, 1.0, 3, 17};
        progress_update(&p, &state);
    }
    progress_finish(&p);
    written(stream, text, sizeof text);
    CHECK(count_of(text, '\n') == 6); /* at 0.05 s, four seconds after it, and the end */
    CHECK(strstr(text,
                 "step 1/100  time 0.01 s  newton_iterations 3  contact_count 17  0:05 left\n"));
    CHECK(
        strstr(text, "step 100/100  time 1 s  newton_iterations 3  contact_count 17  took 0:05\n"));
    CHECK(!strchr(text, '\r'));
    fclose(stream);
}

TEST(the_bar_rewrites_one_line)
{
    char text[20000];
    FILE *stream = tmpfile();
    progress p = started(stream, PROGRESS_BAR);
    p.width = 100;
    for (int step = 1; step <= 4; step++) {
        now += 1000;
        progress_state state = {step, 4, step, 4, 12, 3456};
        progress_update(&p, &state);
        if (step == 2) progress_message(&p, "a warning");
    }
    progress_finish(&p);
    written(stream, text, sizeof text);
    CHECK(count_of(text, '\n') == 2); /* the warning and the end */
    CHECK(strstr(text, "\r\033[Ka warning\n["));
    CHECK(strstr(text, "]  50% step 2/4  t 2 s  newton 12  contacts 3456  33:20 left"));
    CHECK(strstr(text, "] 100% step 4/4  t 4 s  newton 12  contacts 3456  took 1:06:40\n"));
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n"))
        CHECK(strlen(line) < 100 + 3);
    fclose(stream);
}

TEST(a_narrow_terminal_gets_a_cut_line)
{
    char text[2000];
    FILE *stream = tmpfile();
    progress p = started(stream, PROGRESS_BAR);
    p.width = 30;
    progress_update(&p, &(progress_state){1, 3000, 0.001, 3, 5, 100000});
    written(stream, text, sizeof text);
    CHECK(strlen(text) == 29 && strncmp(text, "step 1/3000", 11) == 0);
    fclose(stream);
}

TEST(quiet_prints_nothing)
{
    char text[100];
    FILE *stream = tmpfile();
    progress p;
    progress_start(&p, stream, true);
    progress_update(&p, &(progress_state){1, 2, 1, 2, 5, 0});
    progress_finish(&p);
    CHECK(strlen(written(stream, text, sizeof text)) == 0);
    fclose(stream);
}

/* Half the run was fast, then steps take ten times as long: the estimate follows. */
TEST(time_left_follows_the_recent_rate)
{
    FILE *stream = tmpfile();
    progress p = started(stream, PROGRESS_LINES);
    for (int step = 1; step <= 750; step++) {
        now += step <= 500 ? 0.1 : 1.0;
        progress_update(&p, &(progress_state){step, 1000, step, 1000, 1, 0});
    }
    double left = (1 - fraction_done(&p.state)) * p.seconds_per_unit;
    CHECK(left > 200 && left <= 250);
    fclose(stream);
}

TEST(unknown_number_of_steps)
{
    char text[1000];
    FILE *stream = tmpfile();
    progress p = started(stream, PROGRESS_LINES);
    progress_update(&p, &(progress_state){0, 0, 0, 2, 0, 0});
    now += 2;
    progress_update(&p, &(progress_state){5, 0, 0.5, 2, 0, 0});
    written(stream, text, sizeof text);
    CHECK(strstr(text, "step 0  time 0 s  newton_iterations 0  contact_count 0  ? left\n"));
    CHECK(strstr(text, "step 5  time 0.5 s  newton_iterations 0  contact_count 0  0:06 left\n"));
    fclose(stream);
}

int main(void)
{
    RUN(at_most_one_line_a_second);
    RUN(the_bar_rewrites_one_line);
    RUN(a_narrow_terminal_gets_a_cut_line);
    RUN(quiet_prints_nothing);
    RUN(time_left_follows_the_recent_rate);
    RUN(unknown_number_of_steps);
    return TEST_END();
}

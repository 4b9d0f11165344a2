#include "app/progress.h"

#include "base/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double bar_interval = 0.1, line_interval = 1.0; /* seconds between two prints */

static int terminal_width(FILE *stream)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
    return 80;
}

static bool is_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && !(term && strcmp(term, "dumb") == 0);
}

void progress_start(progress *p, FILE *stream, bool quiet)
{
    *p = (progress){.stream = stream, .clock = timer_now, .printed = -1.0, .width = 80};
    p->style = quiet ? PROGRESS_NONE : is_terminal(stream) ? PROGRESS_BAR : PROGRESS_LINES;
    if (p->style == PROGRESS_BAR) p->width = terminal_width(stream);
    p->started = p->last_time = p->clock();
}

static double fraction_done(const progress_state *s)
{
    double done = 0.0;
    if (s->steps > 0)
        done = (double)s->step / (double)s->steps;
    else if (s->end_time > 0.0)
        done = s->time / s->end_time;
    return fmin(fmax(done, 0.0), 1.0);
}

/* Steps differ in cost, so recent ones count more: the weight of an update falls to 1/e after a
 * tenth of the run. */
static void update_rate(progress *p, double now)
{
    double done = fraction_done(&p->state), advance = done - p->last_done;
    if (advance <= 0.0) return;
    double rate = (now - p->last_time) / advance;
    double keep = p->seconds_per_unit > 0.0 ? exp(-advance / 0.1) : 0.0;
    p->seconds_per_unit = keep * p->seconds_per_unit + (1.0 - keep) * rate;
    p->last_done = done;
    p->last_time = now;
}

static void format_duration(double seconds, char *out, size_t size)
{
    long long s = (long long)fmin(seconds + 0.5, 1e12);
    if (s >= 3600)
        snprintf(out, size, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, size, "%lld:%02lld", s / 60, s % 60);
}

static void format_left(const progress *p, double now, char *out, size_t size)
{
    double done = fraction_done(&p->state);
    char duration[40];
    if (done >= 1.0) {
        format_duration(now - p->started, duration, sizeof duration);
        snprintf(out, size, "took %s", duration);
    } else if (p->seconds_per_unit > 0.0) {
        format_duration((1.0 - done) * p->seconds_per_unit, duration, sizeof duration);
        snprintf(out, size, "%s left", duration);
    } else {
        snprintf(out, size, "? left");
    }
}

static void format_state(const progress *p, double now, char *out, size_t size)
{
    const progress_state *s = &p->state;
    char left[64], steps[32] = "";
    format_left(p, now, left, sizeof left);
    if (s->steps > 0) snprintf(steps, sizeof steps, "/%lld", (long long)s->steps);
    /* Lines may be read by programs: names as in steps.csv. The bar has 80 columns. */
    bool short_names = p->style == PROGRESS_BAR;
    snprintf(out, size, "step %lld%s  %s %.4g s  %s %lld  %s %lld  %s", (long long)s->step, steps,
             short_names ? "t" : "time", s->time, short_names ? "newton" : "newton_iterations",
             (long long)s->newton_iterations, short_names ? "contacts" : "contact_count",
             (long long)s->contact_count, left);
}

static void clear_bar(progress *p)
{
    if (p->bar_shown) fprintf(p->stream, "\r\033[K");
    p->bar_shown = false;
}

static void print_bar(progress *p, const char *text)
{
    char bar[64];
    int room = p->width - (int)strlen(text) - 9; /* "[] 100% " and the last column */
    int cells = room > 30 ? 30 : room < 0 ? 0 : room;
    double done = fraction_done(&p->state);
    int full = (int)floor(done * cells);
    memset(bar, '.', sizeof bar);
    memset(bar, '#', (size_t)full);
    clear_bar(p);
    if (cells >= 5)
        fprintf(p->stream, "[%.*s] %3d%% %s", cells, bar, (int)floor(100.0 * done), text);
    else
        fprintf(p->stream, "%.*s", p->width - 1, text);
    p->bar_shown = true;
}

static void print_state(progress *p, double now)
{
    char text[256];
    format_state(p, now, text, sizeof text);
    if (p->style == PROGRESS_BAR)
        print_bar(p, text);
    else
        fprintf(p->stream, "%s\n", text);
    fflush(p->stream);
    p->printed = now;
    p->shown_step = p->state.step;
}

void progress_update(progress *p, const progress_state *state)
{
    if (p->style == PROGRESS_NONE) return;
    double now = p->clock();
    p->state = *state;
    update_rate(p, now);
    double interval = p->style == PROGRESS_BAR ? bar_interval : line_interval;
    if (p->printed < 0.0 || now - p->printed >= interval) print_state(p, now);
}

void progress_message(progress *p, const char *text)
{
    bool shown = p->bar_shown;
    clear_bar(p);
    fprintf(p->stream, "%s\n", text);
    if (shown) print_state(p, p->clock());
}

void progress_finish(progress *p)
{
    if (p->style == PROGRESS_NONE || p->printed < 0.0) return;
    if (p->style == PROGRESS_BAR || p->shown_step != p->state.step) print_state(p, p->clock());
    if (p->style == PROGRESS_BAR) fputc('\n', p->stream);
    p->bar_shown = false;
    fflush(p->stream);
}

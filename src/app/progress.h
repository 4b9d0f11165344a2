/* How far a run is. On a terminal one line that is rewritten; elsewhere at most one line a second;
 * nothing when quiet. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum progress_style { PROGRESS_NONE, PROGRESS_LINES, PROGRESS_BAR } progress_style;

typedef struct progress_state {
    int64_t step, steps;       /* finished, and in all (0 when unknown) */
    double time, end_time;     /* simulated seconds */
    int64_t newton_iterations; /* of the last step */
    int64_t contact_count;
} progress_state;

typedef struct progress {
    FILE *stream;
    progress_style style;
    int width;               /* columns of the terminal */
    double (*clock)(void);   /* seconds; tests replace it */
    double started, printed; /* times on that clock; printed < 0: nothing yet */
    double last_time;        /* at the last update */
    double last_done;        /* fraction done at the last update */
    double seconds_per_unit; /* recent wall time for the whole run, smoothed; 0: unknown */
    bool bar_shown;
    int64_t shown_step;
    progress_state state;
} progress;

/* Chooses the style from the stream: a bar on a terminal, lines elsewhere. */
void progress_start(progress *p, FILE *stream, bool quiet);
void progress_update(progress *p, const progress_state *state);
/* A line of text that does not disturb the bar (warnings, log). */
void progress_message(progress *p, const char *text);
/* Shows the last state and ends the line. */
void progress_finish(progress *p);

#endif

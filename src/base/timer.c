#include "base/timer.h"

#include <string.h>
#include <time.h>

const char *const stage_names[STAGE_COUNT] = {
    "assembly",    "linear_solve", "broad_phase", "ccd",   "active_set",
    "line_search", "check",        "output",      "other",
};

double timer_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void timer_start(stage_timer *timer)
{
    memset(timer, 0, sizeof *timer);
    timer->current = STAGE_OTHER;
    timer->started = timer_now();
}

stage timer_switch(stage_timer *timer, stage next)
{
    double now = timer_now();
    stage previous = timer->current;
    timer->seconds[previous] += now - timer->started;
    timer->started = now;
    timer->current = next;
    return previous;
}

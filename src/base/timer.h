/* Wall clock and the accumulated seconds of the stages of a step. */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

/* Seconds on a monotonic clock. */
double timer_now(void);

typedef enum stage {
    STAGE_ASSEMBLY,     /* energies' gradients and Hessians, matrix assembly */
    STAGE_LINEAR_SOLVE, /* ordering, factorisation, solution */
    STAGE_BROAD_PHASE,
    STAGE_CCD,
    STAGE_ACTIVE_SET,
    STAGE_LINE_SEARCH, /* energy evaluations and feasibility checks */
    STAGE_CHECK,       /* exact check of accepted steps */
    STAGE_OUTPUT,
    STAGE_OTHER,
    STAGE_COUNT
} stage;

extern const char *const stage_names[STAGE_COUNT]; /* the keys of run.json's stage_seconds */

typedef struct stage_timer {
    double seconds[STAGE_COUNT];
    double started;
    stage current;
} stage_timer;

/* Time since the last switch goes to the stage that ends; returns that stage, so that
 * `stage before = timer_switch(t, STAGE_CCD); ...; timer_switch(t, before);` nests. */
stage timer_switch(stage_timer *timer, stage next);
void timer_start(stage_timer *timer);

#endif

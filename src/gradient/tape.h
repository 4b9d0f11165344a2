/* The tape of a run: for every step the state at its start and what its solve went through. A step
 * depends on its start only, so that steps that were not kept are made again, with the same bits.
 *
 * Where the tape may keep a number of states only, it keeps those from which the binomial schedule
 * (Griewank and Walther 2000, "revolve") makes the others again with the fewest steps. */
#ifndef GRADIENT_TAPE_H
#define GRADIENT_TAPE_H

#include "step/saved_state.h"

typedef struct tape_step {
    saved_state start;
    step_record record;
    ARRAY(double) adapted; /* stiffnesses of terms that had grown by the end of the step */
} tape_step;

void tape_step_free(tape_step *t);

/* Makes the step of s from its present state and writes it down. Refuses what has no derivative:
 * sub-steps, repeats, truncated steps, prescribed nodes that did not arrive. */
abut_status tape_record(stepper *s, tape_step *out, abut_error *err);
/* Puts s at the start of the step, with its predictor, loads and prescribed targets, and its terms
 * as stiff as they were. */
abut_status tape_open(stepper *s, const tape_step *t, abut_error *err);
/* Number of passes of friction, and the potential of one of them: friction lagged as in the step,
 * the stiffness of contact, all terms updated at the positions found, which are returned. */
size_t tape_passes(const tape_step *t);
const double *tape_positions(const tape_step *t, size_t pass);
abut_status tape_set_pass(stepper *s, const tape_step *t, size_t pass, abut_error *err);
/* The same with friction lagged at other positions, and the terms updated at x. */
abut_status tape_set_pass_at(stepper *s, const tape_step *t, size_t pass, const double *lag,
                             const double *x, abut_error *err);
/* Stiffnesses of terms that had grown by the end of the step; part of tape_open. */
void tape_take_adapted(stepper *s, const tape_step *t);
/* Positions of which the friction forces of a pass are. */
const double *tape_lag(const stepper *s, const tape_step *t, size_t pass);
/* True when steps of s have friction. */
bool tape_has_friction(const stepper *s);

/* Number of steps after the first from which the next snapshot is best taken, for `steps` to be
 * made backwards with `snapshots` more. */
size_t tape_best_split(size_t steps, size_t snapshots);

#endif

/* A copy of the state of a stepper: all that later steps depend on, which is what checkpoints hold.
 * Trial steps, sub-steps and resets save it, go on, and load it again. */
#ifndef STEP_SAVED_STATE_H
#define STEP_SAVED_STATE_H

#include "step/stepper.h"

typedef struct saved_state {
    int64_t steps;
    ARRAY(double) doubles; /* of the arrays of stepper_state, one after the other */
    ARRAY(int32_t) ints;
    ARRAY(double) contact_reals; /* stepper_contact_memory */
    ARRAY(int32_t) contact_ints;
} saved_state;

abut_status stepper_save(stepper *s, saved_state *out, abut_error *err);
/* `from` was saved from this stepper, or from another one of the same scene. */
abut_status stepper_load(stepper *s, const saved_state *from, abut_error *err);
void saved_state_free(saved_state *state);

#endif

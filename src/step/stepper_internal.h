/* What the files of the stepper share. */
#ifndef STEP_STEPPER_INTERNAL_H
#define STEP_STEPPER_INTERNAL_H

#include "step/stepper.h"

/* Finds the positions s->x at the end of the step from s->time; the state stays as it is. */
abut_status stepper_find_positions(stepper *s, double end, step_statistics *statistics,
                                   abut_error *err);

/* The step of the linear-complementarity stepper (mlcp_advance.c). */
abut_status stepper_solve_mlcp(stepper *s, step_statistics *statistics, abut_error *err);
abut_status stepper_advance_mlcp(stepper *s, step_statistics *statistics, abut_error *err);

#endif

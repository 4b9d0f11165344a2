/* Whether the frames of a run are all there: those that the rows of steps.csv and the scene's
 * `output` ask for, at their times. A frame that was lost or removed could have been the bad one.
 */
#ifndef VERIFY_VERIFY_STEPS_H
#define VERIFY_VERIFY_STEPS_H

#include "output/series.h"
#include "verify/verify_run.h"

/* Adds to v->missing the steps without a frame, to v->strange those of frames without a row or with
 * another time. ABUT_ERROR_INPUT when there is no steps.csv. */
abut_status verify_steps(run_verification *v, const char *folder, const frame_series *series,
                         abut_error *err);

#endif

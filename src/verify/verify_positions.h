/* Independent check of a start and of any positions of a model. Positions are an argument: nothing
 * of the state has to be put in and taken out again to look at others. */
#ifndef VERIFY_VERIFY_POSITIONS_H
#define VERIFY_VERIFY_POSITIONS_H

#include "base/log.h"
#include "body/model.h"
#include "verify/scene_verifier.h"

/* x: 3 values per block of the model. ABUT_ERROR_INFEASIBLE when they intersect: problems go to the
 * log, and all of them are marked in `folder`/start_problems.vtu unless folder is NULL. Warns of a
 * dhat above the shortest edge. */
abut_status verify_start(const scene_def *scene, const model *m, const double *x, const logger *log,
                         const char *folder, abut_error *err);

/* Counts of what is wrong at the positions x; step and time of the result are 0. */
abut_status verify_positions(const scene_def *scene, const model *m, const double *x,
                             verify_result *out, abut_error *err);

#endif

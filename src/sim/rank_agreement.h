/* Several ranks run one simulation: making sure that all run the same. */
#ifndef SIM_RANK_AGREEMENT_H
#define SIM_RANK_AGREEMENT_H

#include "base/status.h"

#include <abut/sim.h>

/* All ranks must have the same program and the same scene (its resolved text). */
abut_status ranks_check_scene(const abut_sim *sim, abut_error *err);
/* All ranks must have the same positions; `when` says what has just been done. */
abut_status ranks_check_state(const abut_sim *sim, const char *when, abut_error *err);
/* Turns the success of all ranks into a failure when one has failed. */
abut_status ranks_agree_on(abut_status status, abut_error *err);

#endif

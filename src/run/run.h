/* A whole run: steps, frames, table, summary, checkpoints, and going on after an interruption. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "sim/sim.h"

/* See abut_sim_run. */
abut_status sim_run(abut_sim *sim, const abut_run_options *options, abut_error *error);

#endif

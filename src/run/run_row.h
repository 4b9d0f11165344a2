/* What steps.csv says of a step. */
#ifndef RUN_RUN_ROW_H
#define RUN_RUN_ROW_H

#include "output/table.h"
#include "sim/sim.h"

/* Of the last step that was taken. */
step_row run_row(const abut_sim *sim, double wall_seconds);

#endif

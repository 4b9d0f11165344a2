/* The functions of sim.h for whole runs. */
#include "run/run.h"

abut_run_options abut_default_run_options(void) { return (abut_run_options){.steps = -1}; }

abut_status abut_sim_run(abut_sim *sim, const abut_run_options *options, abut_error *error)
{
    return sim_run(sim, options, error);
}

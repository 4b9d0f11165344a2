/* States in memory, copies of simulations, and back to the start (abut/control.h). */
#ifndef SIM_SIM_MEMORY_H
#define SIM_SIM_MEMORY_H

#include "sim/sim.h"

/* The bytes are the caller's: free(). */
abut_status sim_save_memory(abut_sim *sim, void **bytes, size_t *size, abut_error *err);
abut_status sim_restore_memory(abut_sim *sim, const void *bytes, size_t size, abut_error *err);
abut_status sim_copy(abut_sim *sim, abut_sim **out, abut_error *err);
abut_status sim_reset(abut_sim *sim, abut_error *err);

#endif

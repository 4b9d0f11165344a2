/* Saving and loading the state of a simulation; shared by runs and the public functions. */
#ifndef SIM_SIM_STATE_H
#define SIM_SIM_STATE_H

#include "output/checkpoint.h"
#include "sim/sim.h"

/* The scene as text, with all defaults (free() it), and its hash, which tells which scene a
 * checkpoint is of. */
abut_status sim_scene_text(const abut_sim *sim, char **text, char hash[SHA256_TEXT_SIZE],
                           abut_error *err);

/* All arrays of the state, borrowed from the simulation. */
abut_status sim_state_add(abut_sim *sim, const char *scene_hash, checkpoint_writer *w,
                          abut_error *err);
/* The same back into the simulation. */
abut_status sim_state_copy(abut_sim *sim, const checkpoint_reader *c, abut_error *err);

/* The state as a file, and back. */
abut_status sim_save(abut_sim *sim, const char *path, abut_error *error);
abut_status sim_restore(abut_sim *sim, const char *path, abut_error *error);

#endif

/* The scene of a simulation changes while it runs (abut/control.h). Numbers that the steps read
 * anew each time are written where they are, and into the scene; all else builds the scene anew and
 * carries the state over. */
#ifndef SIM_CHANGE_H
#define SIM_CHANGE_H

#include "sim/sim.h"

#include <abut/control.h>
#include <jansson.h>

abut_status sim_set_gravity(abut_sim *sim, const double gravity[3], abut_error *err);
abut_status sim_set_friction(abut_sim *sim, double friction, abut_error *err);
abut_status sim_set_body_friction(abut_sim *sim, const char *body, double friction,
                                  abut_error *err);
abut_status sim_set_pair_friction(abut_sim *sim, const char *first, const char *second,
                                  double friction, abut_error *err);

/* Takes the document over, also on failure. */
abut_status sim_change(abut_sim *sim, json_t *document, abut_error *err);
abut_status sim_set_material(abut_sim *sim, const char *name, const abut_material_def *def,
                             abut_error *err);
abut_status sim_add_body(abut_sim *sim, const abut_body_def *def, abut_error *err);
abut_status sim_remove_body(abut_sim *sim, const char *name, abut_error *err);

#endif

/* What a simulation feels: lists of contacts, forces of pairs of bodies, and who began or ceased to
 * touch in the last step (abut/control.h). */
#ifndef SIM_CONTACTS_H
#define SIM_CONTACTS_H

#include "contact/contact_list.h"
#include "measure/contact_fields.h"
#include "sim/sim.h"

#include <abut/control.h>

typedef struct sim_contacts {
    contact_pair_list touching, before; /* of the last step, and of the one before */
    contact_point_list points;
    contact_pair_list pairs;
    contact_fields fields;
    ARRAY(abut_contact_point) out_points;
    ARRAY(abut_pair_force) out_pairs;
    ARRAY(abut_contact_event) out_events;
} sim_contacts;

void sim_contacts_free(sim_contacts *c);

/* After a step: keeps who touches whom; or, after the state was set, starts from there. */
abut_status sim_contacts_note(abut_sim *sim, abut_error *err);
abut_status sim_contacts_restart(abut_sim *sim, abut_error *err);

abut_status sim_list_contacts(abut_sim *sim, const abut_contact_point **out, size_t *count,
                              abut_error *err);
abut_status sim_list_pairs(abut_sim *sim, const abut_pair_force **out, size_t *count,
                           abut_error *err);
abut_status sim_list_events(abut_sim *sim, const abut_contact_event **out, size_t *count,
                            abut_error *err);

#endif

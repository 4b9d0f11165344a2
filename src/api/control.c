/* The functions of control.h. */
#include "sim/change.h"
#include "sim/contacts.h"
#include "sim/sim_memory.h"
#include "term/user_energy.h"

double *abut_sim_targets(abut_sim *sim)
{
    if (sim->remesh || stepper_want_targets(sim->stepper, NULL) != ABUT_OK) return NULL;
    return sim->stepper->dirichlet.user;
}

abut_status abut_sim_set_gravity(abut_sim *sim, const double gravity[3], abut_error *error)
{
    return sim_set_gravity(sim, gravity, error);
}

abut_status abut_sim_set_friction(abut_sim *sim, double friction, abut_error *error)
{
    return sim_set_friction(sim, friction, error);
}

abut_status abut_sim_set_body_friction(abut_sim *sim, const char *body, double friction,
                                       abut_error *error)
{
    return sim_set_body_friction(sim, body, friction, error);
}

abut_status abut_sim_set_pair_friction(abut_sim *sim, const char *first, const char *second,
                                       double friction, abut_error *error)
{
    return sim_set_pair_friction(sim, first, second, friction, error);
}

abut_status abut_sim_set_material(abut_sim *sim, const char *name, const abut_material_def *def,
                                  abut_error *error)
{
    return sim_set_material(sim, name, def, error);
}

abut_status abut_sim_add_body(abut_sim *sim, const abut_body_def *def, abut_error *error)
{
    return sim_add_body(sim, def, error);
}

abut_status abut_sim_remove_body(abut_sim *sim, const char *name, abut_error *error)
{
    return sim_remove_body(sim, name, error);
}

abut_status abut_sim_change(abut_sim *sim, const char *text, size_t length, abut_error *error)
{
    json_error_t syntax;
    json_t *document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &syntax);
    if (!json_is_object(document)) {
        json_decref(document);
        return error_set(error, ABUT_ERROR_INPUT, "scene", "is no JSON object: %s",
                         document ? "another value" : syntax.text);
    }
    return sim_change(sim, document, error);
}

abut_status abut_sim_contacts(abut_sim *sim, const abut_contact_point **out, size_t *count,
                              abut_error *error)
{
    return sim_list_contacts(sim, out, count, error);
}

abut_status abut_sim_pair_forces(abut_sim *sim, const abut_pair_force **out, size_t *count,
                                 abut_error *error)
{
    return sim_list_pairs(sim, out, count, error);
}

abut_status abut_sim_body_force(abut_sim *sim, size_t body, double normal[3], double friction[3],
                                abut_error *error)
{
    const abut_pair_force *pairs;
    size_t count;
    if (body >= sim->stepper->model->bodies.count)
        return error_set(error, ABUT_ERROR_INPUT, "body",
                         "there is no body %zu: the scene has %zu, numbered from 0", body,
                         sim->stepper->model->bodies.count);
    TRY(sim_list_pairs(sim, &pairs, &count, error));
    for (int k = 0; k < 3; k++) normal[k] = friction[k] = 0;
    for (size_t i = 0; i < count; i++) {
        double sign = pairs[i].first == (int32_t)body    ? 1
                      : pairs[i].second == (int32_t)body ? -1
                                                         : 0;
        for (int k = 0; k < 3; k++) {
            normal[k] += sign * pairs[i].normal[k];
            friction[k] += sign * pairs[i].friction[k];
        }
    }
    return ABUT_OK;
}

abut_status abut_sim_events(abut_sim *sim, const abut_contact_event **out, size_t *count,
                            abut_error *error)
{
    return sim_list_events(sim, out, count, error);
}

abut_status abut_sim_add_energy(abut_sim *sim, const abut_energy_def *def, abut_error *error)
{
    term *t;
    if (sim->remesh)
        return error_set(error, ABUT_ERROR_UNSUPPORTED, "remesh",
                         "energies of nodes are not for scenes that are remeshed");
    TRY(user_energy_create(sim->stepper->model,
                           &(user_energy){.name = def->name,
                                          .blocks = def->nodes,
                                          .width = def->width,
                                          .count = def->count,
                                          .evaluate = def->evaluate,
                                          .user = def->user,
                                          .convex = def->convex},
                           &t, error));
    return stepper_add_term(sim->stepper, t, &user_energy_row, error);
}

abut_status abut_sim_copy(abut_sim *sim, abut_sim **out, abut_error *error)
{
    return sim_copy(sim, out, error);
}

abut_status abut_sim_reset(abut_sim *sim, abut_error *error) { return sim_reset(sim, error); }

abut_status abut_sim_save_memory(abut_sim *sim, void **bytes, size_t *size, abut_error *error)
{
    return sim_save_memory(sim, bytes, size, error);
}

abut_status abut_sim_restore_memory(abut_sim *sim, const void *bytes, size_t size,
                                    abut_error *error)
{
    return sim_restore_memory(sim, bytes, size, error);
}

bool abut_sim_set_user(abut_sim *sim, size_t body, void *user)
{
    size_t bodies = sim->stepper->model->bodies.count, count = sim->users.count;
    if (body >= bodies || !array_resize(&sim->users, bodies)) return false;
    for (size_t i = count; i < bodies; i++) sim->users.data[i] = NULL;
    sim->users.data[body] = user;
    return true;
}

void *abut_sim_user(const abut_sim *sim, size_t body)
{
    return body < sim->users.count ? sim->users.data[body] : NULL;
}

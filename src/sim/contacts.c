#include "sim/contacts.h"

#include <math.h>

void sim_contacts_free(sim_contacts *c)
{
    if (!c) return;
    array_free(&c->touching);
    array_free(&c->before);
    array_free(&c->points);
    array_free(&c->pairs);
    contact_fields_free(&c->fields);
    array_free(&c->out_points);
    array_free(&c->out_pairs);
    array_free(&c->out_events);
    mem_free(c);
}

static abut_status lists_of(abut_sim *sim, sim_contacts **out, abut_error *err)
{
    if (!sim->contacts) sim->contacts = mem_calloc(1, sizeof *sim->contacts);
    *out = sim->contacts;
    return *out ? ABUT_OK : error_memory(err, "listing contacts");
}

/* Whether a simulation has contacts that can be listed. */
static bool has_contacts(const abut_sim *sim)
{
    return sim->stepper->contact && !sim->stepper->mlcp.solver;
}

static abut_status refuse_mlcp(const abut_sim *sim, abut_error *err)
{
    if (!sim->stepper->mlcp.solver) return ABUT_OK;
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "stepper",
                     "\"mlcp\" has no list of contacts; \"barrier\" has");
}

static abut_status look(abut_sim *sim, contact_pair_list *out, abut_error *err)
{
    array_clear(out);
    return has_contacts(sim) ? contact_list_touching(sim->stepper->contact, out, err) : ABUT_OK;
}

abut_status sim_contacts_note(abut_sim *sim, abut_error *err)
{
    sim_contacts *c;
    TRY(lists_of(sim, &c, err));
    contact_pair_list older = c->before;
    c->before = c->touching;
    c->touching = older;
    return look(sim, &c->touching, err);
}

abut_status sim_contacts_restart(abut_sim *sim, abut_error *err)
{
    sim_contacts *c;
    stepper *s = sim->stepper;
    TRY(lists_of(sim, &c, err));
    if (has_contacts(sim)) TRY(contact_update(s->contact, s->state.x, s->contact->weights, err));
    TRY(look(sim, &c->touching, err));
    return look(sim, &c->before, err);
}

/* ---- Lists ---- */

static double pressure_at(const sim_contacts *c, const contact_point *p)
{
    double sum = 0;
    for (int k = 0; k < p->vertices; k++) sum += p->weight[k] * c->fields.value.data[p->vertex[k]];
    return sum;
}

abut_status sim_list_contacts(abut_sim *sim, const abut_contact_point **out, size_t *count,
                              abut_error *err)
{
    sim_contacts *c;
    const stepper *s = sim->stepper;
    *out = NULL;
    *count = 0;
    TRY(refuse_mlcp(sim, err));
    TRY(lists_of(sim, &c, err));
    array_clear(&c->points);
    if (s->contact) {
        TRY(contact_list_points(s->contact, &s->evaluation, stepper_contact_factor(s), &c->points,
                                err));
        TRY(contact_vertex_pressures(&c->fields, s, err));
    }
    if (!array_resize(&c->out_points, c->points.count + 1))
        return error_memory(err, "listing contacts");
    for (size_t i = 0; i < c->points.count; i++) {
        const contact_point *p = &c->points.data[i];
        abut_contact_point *to = &c->out_points.data[i];
        *to = (abut_contact_point){.first = p->bodies.first,
                                   .second = p->bodies.second,
                                   .distance = p->distance,
                                   .gap = p->gap,
                                   .force = p->force,
                                   .pressure = pressure_at(c, p)};
        vec3_store(to->point, p->point);
        vec3_store(to->normal, p->normal);
    }
    *out = c->out_points.data;
    *count = c->points.count;
    return ABUT_OK;
}

abut_status sim_list_pairs(abut_sim *sim, const abut_pair_force **out, size_t *count,
                           abut_error *err)
{
    sim_contacts *c;
    const stepper *s = sim->stepper;
    *out = NULL;
    *count = 0;
    TRY(refuse_mlcp(sim, err));
    TRY(lists_of(sim, &c, err));
    array_clear(&c->pairs);
    if (s->contact)
        TRY(contact_list_pairs(s->contact, s->friction, &s->evaluation, stepper_contact_factor(s),
                               &c->pairs, err));
    if (!array_resize(&c->out_pairs, c->pairs.count + 1))
        return error_memory(err, "listing contacts");
    for (size_t i = 0; i < c->pairs.count; i++) {
        const contact_pair *p = &c->pairs.data[i];
        abut_pair_force *to = &c->out_pairs.data[i];
        *to = (abut_pair_force){.first = p->bodies.first,
                                .second = p->bodies.second,
                                .contacts = p->contacts,
                                .gap = p->gap};
        vec3_store(to->normal, p->normal);
        vec3_store(to->friction, p->friction);
    }
    *out = c->out_pairs.data;
    *count = c->pairs.count;
    return ABUT_OK;
}

/* Pairs of `a` that `b` does not have. */
static bool add_events(sim_contacts *c, const contact_pair_list *a, const contact_pair_list *b,
                       bool begins)
{
    size_t k = 0;
    for (size_t i = 0; i < a->count; i++) {
        body_pair pair = a->data[i].bodies;
        while (k < b->count && body_pair_compare(b->data[k].bodies, pair) < 0) k++;
        if (k < b->count && body_pair_compare(b->data[k].bodies, pair) == 0) continue;
        if (!array_push(&c->out_events, (abut_contact_event){pair.first, pair.second, begins}))
            return false;
    }
    return true;
}

abut_status sim_list_events(abut_sim *sim, const abut_contact_event **out, size_t *count,
                            abut_error *err)
{
    sim_contacts *c;
    *out = NULL;
    *count = 0;
    TRY(refuse_mlcp(sim, err));
    TRY(lists_of(sim, &c, err));
    array_clear(&c->out_events);
    if (!add_events(c, &c->touching, &c->before, true) ||
        !add_events(c, &c->before, &c->touching, false))
        return error_memory(err, "listing contacts");
    *out = c->out_events.data;
    *count = c->out_events.count;
    return ABUT_OK;
}

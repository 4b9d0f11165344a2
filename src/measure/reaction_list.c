#include "measure/reaction_list.h"

#include "contact/contact_force.h"

#include <stdio.h>
#include <string.h>

static abut_status push(reaction_list *list, const char *name, const char *part, int number,
                        reaction value, abut_error *err)
{
    named_reaction row = {.value = value};
    /* Names of bodies are the users': those that are too long are cut, commas would part columns.
     */
    if (number >= 0)
        snprintf(row.name, sizeof row.name, "%.60s%s%d", name, part, number);
    else
        snprintf(row.name, sizeof row.name, "%.60s%s", name, part);
    for (char *c = row.name; *c; c++)
        if (*c == ',' || *c == '"') *c = '_';
    return array_push(&list->rows, row) ? ABUT_OK : error_memory(err, "measuring reactions");
}

static abut_status add_conditions(reaction_list *list, const stepper *s, abut_error *err)
{
    for (size_t i = 0; i < s->dirichlet.conditions.count; i++) {
        const condition *c = &s->dirichlet.conditions.data[i];
        const char *name = s->model->bodies.data[c->body].name;
        TRY(push(list, name, c->source >= 0 ? ".fix" : ".motion", c->source,
                 stepper_condition_reaction(s, i), err));
    }
    for (size_t i = 0; i < s->rigid.conditions.count; i++) {
        const rigid_condition *c = &s->rigid.conditions.data[i];
        int32_t body = s->model->rigids.data[c->rigid].body;
        TRY(push(list, s->model->bodies.data[body].name, c->path.source >= 0 ? ".fix" : ".motion",
                 c->path.source, stepper_rigid_condition_reaction(s, i), err));
    }
    return ABUT_OK;
}

/* The resultant of contact and friction on every body. */
static abut_status add_bodies(reaction_list *list, const stepper *s, abut_error *err)
{
    const collision_surface *surface = &s->model->surface;
    size_t count = surface->rows.count;
    if (!array_resize(&list->force, count + 1)) return error_memory(err, "measuring reactions");
    memset(list->force.data, 0, count * sizeof(vec3));
    contact_add_forces(s->contact, s->friction, &s->evaluation, stepper_contact_factor(s),
                       list->force.data);
    size_t first = list->rows.count;
    for (size_t b = 0; b < s->model->bodies.count; b++)
        TRY(push(list, s->model->bodies.data[b].name, ".contact", -1,
                 (reaction){.force = {0, 0, 0}}, err));
    for (size_t i = 0; i < count; i++) {
        reaction *sum = &list->rows.data[first + (size_t)surface->vertex_body.data[i]].value;
        vec3 force = list->force.data[i];
        sum->force = vec3_add(sum->force, force);
        sum->moment = vec3_add(sum->moment, vec3_cross(s->contact->y[i], force));
    }
    return ABUT_OK;
}

static abut_status add_half_spaces(reaction_list *list, const stepper *s, abut_error *err)
{
    for (size_t i = 0; i < s->contact->planes.count; i++) {
        contact_resultant sum = contact_plane_resultant(s->contact, s->friction, &s->evaluation,
                                                        stepper_contact_factor(s), (int32_t)i);
        TRY(push(list, "half_space", "", (int)i, (reaction){sum.force, sum.moment}, err));
    }
    return ABUT_OK;
}

abut_status reaction_list_measure(reaction_list *list, const stepper *s, abut_error *err)
{
    array_clear(&list->rows);
    TRY(add_conditions(list, s, err));
    if (!s->contact) return ABUT_OK;
    TRY(add_bodies(list, s, err));
    return add_half_spaces(list, s, err);
}

void reaction_list_free(reaction_list *list)
{
    array_free(&list->rows);
    array_free(&list->force);
}

/* The arrays that make up the state of a stepper, for saving and loading. */
#include "step/stepper_internal.h"

#include <stdio.h>

/* Positions, velocities and their history, twice (rotations of rigid bodies); rigid_motion_state,
 * linear solver, contact and conditions have at most 3 each, a term one: none grows with the scene.
 */
_Static_assert(2 * (5 + 2 * (MOTION_MAX_ORDER - 2)) + 4 * 3 + PROBLEM_MAX_TERMS <
                   STEPPER_MAX_ARRAYS,
               "the arrays of a stepper");

/* What a term keeps, if anything. */
static size_t term_array(term *t, state_array *out, size_t capacity)
{
    term_state kept = t->class->state ? t->class->state(t) : (term_state){0};
    if (kept.count == 0 || capacity == 0) return 0;
    *out = (state_array){.doubles = kept.values, .count = kept.count};
    snprintf(out->name, sizeof out->name, "%s", kept.name);
    return 1;
}

size_t stepper_state(stepper *s, state_array *out, size_t capacity)
{
    size_t count = motion_arrays(&s->state, "", out, capacity);
    count += rigid_motion_state(&s->rigid, out + count, capacity - count);
    if (array_resize(&s->memory.order, s->model->rest.count) && count + 2 < capacity) {
        linear_save(s->linear, s->memory.order.data, s->memory.order.count, s->memory.numbers,
                    s->memory.choice);
        out[count++] = (state_array){
            .name = "linear_order", .ints = s->memory.order.data, .count = s->memory.order.count};
        out[count++] = (state_array){
            .name = "linear_numbers", .doubles = s->memory.numbers, .count = LINEAR_NUMBERS};
        out[count++] = (state_array){.name = "linear_methods",
                                     .doubles = s->memory.choice,
                                     .count = LINEAR_CHOICE,
                                     .optional = true};
    }
    if (s->contact &&
        count + 2 < capacity) { /* friction of the next step starts from these forces */
        out[count++] = (state_array){.name = "kappa", .doubles = &s->evaluation.kappa, .count = 1};
        out[count++] = (state_array){.name = "persistent_contact",
                                     .earlier = "kappa_loaded",
                                     .doubles = &s->contact->persistent_contact,
                                     .count = 1};
        out[count++] = (state_array){.name = "stiffness_backoff",
                                     .earlier = "kappa_relief",
                                     .doubles = &s->contact->stiffness_backoff,
                                     .count = 1,
                                     .optional = true};
    }
    count += term_array(&s->elastic->base, out + count, capacity - count);
    for (size_t i = 0; i < s->terms.count; i++)
        count += term_array(s->terms.data[i].term, out + count, capacity - count);
    if (s->dirichlet.conditions.count && count + 1 < capacity) {
        out[count++] = (state_array){.name = "condition_began",
                                     .ints = s->dirichlet.began.data,
                                     .count = s->dirichlet.began.count};
        out[count++] = (state_array){.name = "condition_start",
                                     .doubles = s->dirichlet.start.data,
                                     .count = s->dirichlet.start.count};
    }
    return count;
}

const char *stepper_contact_memory(const stepper *s)
{
    if (s->mlcp.solver) return "mlcp";
    return s->friction && s->friction->sticks ? "anchor" : NULL;
}

abut_status stepper_save_contacts(stepper *s, saved_numbers *out, abut_error *err)
{
    return s->mlcp.solver ? mlcp_save(s->mlcp.solver, out, err)
                          : stick_anchors_save(&s->friction->anchors, out, err);
}

abut_status stepper_restore_contacts(stepper *s, const saved_numbers *saved, abut_error *err)
{
    if (s->mlcp.solver) return mlcp_restore(s->mlcp.solver, saved, err);
    return stick_anchors_restore(&s->friction->anchors, saved, s->model->surface.rows.count,
                                 s->contact->planes.count, err);
}

abut_status stepper_restore_poses(stepper *s, abut_error *err)
{
    int64_t reframed = s->rigid.reframed;
    rigid_motion_restore(&s->rigid, s->model);
    return s->contact && s->rigid.reframed > reframed ? contact_renew_poses(s->contact, err)
                                                      : ABUT_OK;
}

abut_status stepper_restore(stepper *s, int64_t steps, abut_error *err)
{
    s->state.steps = s->rigid.turn.steps = steps;
    s->state.in_substeps = s->rigid.turn.in_substeps = false;
    s->time = (double)steps * s->options.h;
    stepper_begin_span(s);
    stepper_restart_terms(s);
    TRY(stepper_restore_poses(s, err));
    if (!(s->memory.numbers[0] >= 0 && s->memory.numbers[0] <= (double)s->memory.order.count))
        return error_set(err, ABUT_ERROR_INPUT, "linear_numbers", "not a state of this scene");
    return linear_load(s->linear, s->memory.order.data, s->memory.numbers, s->memory.choice, err);
}

#include "step/saved_state.h"

#include <string.h>

typedef struct array_list {
    state_array data[STEPPER_MAX_ARRAYS];
    size_t count;
} array_list;

/* All arrays of the state. */
static void list_arrays(stepper *s, array_list *out)
{
    out->count = stepper_state(s, out->data, STEPPER_MAX_ARRAYS);
}

static bool append_doubles(saved_state *out, const double *from, size_t count)
{
    size_t at = out->doubles.count;
    if (!array_resize(&out->doubles, at + count)) return false;
    if (count > 0) memcpy(out->doubles.data + at, from, count * sizeof *from);
    return true;
}

static bool append_ints(saved_state *out, const int32_t *from, size_t count)
{
    size_t at = out->ints.count;
    if (!array_resize(&out->ints, at + count)) return false;
    if (count > 0) memcpy(out->ints.data + at, from, count * sizeof *from);
    return true;
}

static abut_status save_contacts(stepper *s, saved_state *out, abut_error *err)
{
    saved_numbers contacts;
    TRY(stepper_save_contacts(s, &contacts, err));
    if (!array_resize(&out->contact_ints, contacts.int_count) ||
        !array_resize(&out->contact_reals, contacts.real_count))
        return error_memory(err, "saving a state");
    if (contacts.int_count > 0)
        memcpy(out->contact_ints.data, contacts.ints, contacts.int_count * sizeof *contacts.ints);
    if (contacts.real_count > 0)
        memcpy(out->contact_reals.data, contacts.reals,
               contacts.real_count * sizeof *contacts.reals);
    return ABUT_OK;
}

abut_status stepper_save(stepper *s, saved_state *out, abut_error *err)
{
    array_list arrays;
    list_arrays(s, &arrays);
    array_clear(&out->doubles);
    array_clear(&out->ints);
    out->steps = s->state.steps;
    bool ok = true;
    for (size_t i = 0; ok && i < arrays.count; i++) {
        const state_array *a = &arrays.data[i];
        ok = a->doubles ? append_doubles(out, a->doubles, a->count)
                        : append_ints(out, a->ints, a->count);
    }
    if (!ok) return error_memory(err, "saving a state");
    return stepper_contact_memory(s) ? save_contacts(s, out, err) : ABUT_OK;
}

/* Whether the arrays of a stepper are as long as what was saved. */
static bool fits(const array_list *arrays, const saved_state *from)
{
    size_t doubles = 0, ints = 0;
    for (size_t i = 0; i < arrays->count; i++)
        *(arrays->data[i].doubles ? &doubles : &ints) += arrays->data[i].count;
    return doubles == from->doubles.count && ints == from->ints.count;
}

abut_status stepper_load(stepper *s, const saved_state *from, abut_error *err)
{
    array_list arrays;
    list_arrays(s, &arrays);
    if (!fits(&arrays, from))
        return error_set(err, ABUT_ERROR_INPUT, "", "the state is not one of this scene");
    size_t doubles = 0, ints = 0;
    for (size_t i = 0; i < arrays.count; i++) {
        const state_array *a = &arrays.data[i];
        if (a->doubles && a->count > 0)
            memcpy(a->doubles, from->doubles.data + doubles, a->count * sizeof *a->doubles);
        else if (a->count > 0)
            memcpy(a->ints, from->ints.data + ints, a->count * sizeof *a->ints);
        *(a->doubles ? &doubles : &ints) += a->count;
    }
    if (stepper_contact_memory(s)) {
        saved_numbers contacts = {from->contact_ints.data, from->contact_ints.count,
                                  from->contact_reals.data, from->contact_reals.count};
        TRY(stepper_restore_contacts(s, &contacts, err));
    }
    return stepper_restore(s, from->steps, err);
}

void saved_state_free(saved_state *state)
{
    array_free(&state->doubles);
    array_free(&state->ints);
    array_free(&state->contact_reals);
    array_free(&state->contact_ints);
}

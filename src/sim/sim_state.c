#include "sim/sim_state.h"

#include "base/json_text.h"
#include "sim/contacts.h"
#include "sim/remesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARRAYS = STEPPER_MAX_ARRAYS };

abut_status sim_scene_text(const abut_sim *sim, char **text, char hash[SHA256_TEXT_SIZE],
                           abut_error *err)
{
    *text = json_text(sim->scene->resolved, JSON_INDENT(2));
    if (!*text) return error_memory(err, "writing the scene");
    sha256_of(*text, strlen(*text), hash);
    return ABUT_OK;
}

/* Names of the two arrays of what contacts remember. */
static void name_contacts(const stepper *s, char *ints, char *reals, size_t size)
{
    snprintf(ints, size, "%s_ints", stepper_contact_memory(s));
    snprintf(reals, size, "%s_reals", stepper_contact_memory(s));
}

static abut_status add_contacts(stepper *s, checkpoint_writer *w, abut_error *err)
{
    saved_numbers contacts;
    char ints[20], reals[20];
    name_contacts(s, ints, reals, sizeof ints);
    TRY(stepper_save_contacts(s, &contacts, err));
    checkpoint_add_ints(w, ints, contacts.ints, contacts.int_count);
    checkpoint_add_doubles(w, reals, contacts.reals, contacts.real_count);
    return ABUT_OK;
}

abut_status sim_state_add(abut_sim *sim, const char *scene_hash, checkpoint_writer *w,
                          abut_error *err)
{
    stepper *s = sim->stepper;
    state_array *arrays = mem_calloc(MAX_ARRAYS, sizeof *arrays);
    if (!arrays) return error_memory(err, "writing a checkpoint");
    w->step = s->state.steps;
    w->time = s->time;
    w->scene_hash = scene_hash;
    size_t n = stepper_state(s, arrays, MAX_ARRAYS);
    for (size_t i = 0; i < n; i++) {
        if (arrays[i].doubles)
            checkpoint_add_doubles(w, arrays[i].name, arrays[i].doubles, arrays[i].count);
        else
            checkpoint_add_ints(w, arrays[i].name, arrays[i].ints, arrays[i].count);
    }
    mem_free(arrays);
    if (stepper_contact_memory(s)) TRY(add_contacts(s, w, err));
    return sim->remesh ? sim_remesh_save(sim, w, err) : ABUT_OK;
}

static abut_status copy_contacts(stepper *s, const checkpoint_reader *c, abut_error *err)
{
    saved_numbers contacts;
    char ints[20], reals[20];
    name_contacts(s, ints, reals, sizeof ints);
    TRY(checkpoint_get_ints(c, ints, &contacts.ints, &contacts.int_count, err));
    TRY(checkpoint_get_doubles(c, reals, &contacts.reals, &contacts.real_count, err));
    return stepper_restore_contacts(s, &contacts, err);
}

static abut_status copy_arrays(stepper *s, const checkpoint_reader *c, state_array *arrays,
                               abut_error *err)
{
    size_t n = stepper_state(s, arrays, MAX_ARRAYS);
    for (size_t i = 0; i < n; i++) {
        const state_array *a = &arrays[i];
        bool earlier = a->earlier && !checkpoint_has(c, a->name);
        const char *name = earlier ? a->earlier : a->name;
        if (a->optional && !checkpoint_has(c, name)) continue;
        if (a->doubles)
            TRY(checkpoint_copy_doubles(c, name, a->doubles, a->count, err));
        else
            TRY(checkpoint_copy_ints(c, name, a->ints, a->count, err));
    }
    if (stepper_contact_memory(s)) TRY(copy_contacts(s, c, err));
    return stepper_restore(s, c->step, err);
}

abut_status sim_state_copy(abut_sim *sim, const checkpoint_reader *c, abut_error *err)
{
    if (sim->remesh) TRY(sim_remesh_load(sim, c, err));
    state_array *arrays = mem_calloc(MAX_ARRAYS, sizeof *arrays);
    if (!arrays) return error_memory(err, "reading a checkpoint");
    abut_status status = copy_arrays(sim->stepper, c, arrays, err);
    mem_free(arrays);
    TRY(status);
    stepper_measure(sim->stepper, &sim->last);
    return sim_contacts_restart(sim, err);
}

abut_status sim_save(abut_sim *sim, const char *path, abut_error *error)
{
    char hash[SHA256_TEXT_SIZE], *text;
    TRY(sim_scene_text(sim, &text, hash, error));
    free(text);
    checkpoint_writer *w = mem_calloc(1, sizeof *w);
    if (!w) return error_memory(error, "writing a checkpoint");
    abut_status status = sim_state_add(sim, hash, w, error);
    if (status == ABUT_OK) status = checkpoint_write(w, path, error);
    checkpoint_writer_free(w);
    mem_free(w);
    return status;
}

abut_status sim_restore(abut_sim *sim, const char *path, abut_error *error)
{
    char hash[SHA256_TEXT_SIZE], *text;
    TRY(sim_scene_text(sim, &text, hash, error));
    free(text);
    checkpoint_reader *c = mem_calloc(1, sizeof *c);
    if (!c) return error_memory(error, "reading a checkpoint");
    abut_status status = checkpoint_read(path, hash, c, error);
    if (status == ABUT_OK) {
        status = sim_state_copy(sim, c, error);
        checkpoint_free(c);
    }
    mem_free(c);
    return status;
}

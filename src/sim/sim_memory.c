/* States in memory, copies of simulations, and back to the start. */
#include "sim/sim_memory.h"

#include "scene/load.h"
#include "sim/carry_bodies.h"
#include "sim/contacts.h"
#include "sim/remesh.h"
#include "sim/sim_state.h"
#include "step/saved_state.h"

#include <stdlib.h>
#include <string.h>

static abut_status scene_hash(const abut_sim *sim, char hash[SHA256_TEXT_SIZE], abut_error *err)
{
    char *text;
    TRY(sim_scene_text(sim, &text, hash, err));
    free(text);
    return ABUT_OK;
}

static abut_status write_state(abut_sim *sim, unsigned char **bytes, size_t *size, abut_error *err)
{
    char hash[SHA256_TEXT_SIZE];
    TRY(scene_hash(sim, hash, err));
    checkpoint_writer *w = mem_calloc(1, sizeof *w);
    if (!w) return error_memory(err, "saving a state");
    abut_status status = sim_state_add(sim, hash, w, err);
    if (status == ABUT_OK) status = checkpoint_to_memory(w, bytes, size, err);
    checkpoint_writer_free(w);
    mem_free(w);
    return status;
}

abut_status sim_save_memory(abut_sim *sim, void **bytes, size_t *size, abut_error *err)
{
    unsigned char *image = NULL;
    *bytes = NULL;
    *size = 0;
    TRY(write_state(sim, &image, size, err));
    *bytes = malloc(*size); /* the caller's own, who frees it as such */
    if (*bytes) memcpy(*bytes, image, *size);
    mem_free(image);
    return *bytes ? ABUT_OK : error_memory(err, "saving a state");
}

abut_status sim_restore_memory(abut_sim *sim, const void *bytes, size_t size, abut_error *err)
{
    char hash[SHA256_TEXT_SIZE];
    TRY(scene_hash(sim, hash, err));
    checkpoint_reader *c = mem_calloc(1, sizeof *c);
    if (!c) return error_memory(err, "restoring a state");
    abut_status status = checkpoint_from_memory("state", bytes, size, hash, c, err);
    if (status == ABUT_OK) {
        status = sim_state_copy(sim, c, err);
        checkpoint_free(c);
    }
    mem_free(c);
    return status;
}

/* A simulation of the scene as it is now, at its start. */
static abut_status create_again(const abut_sim *sim, abut_sim **out, abut_error *err)
{
    abut_sim *now = mem_calloc(1, sizeof *now);
    if (!now) return error_memory(err, "copying a simulation");
    now->log = sim->log;
    json_t *document = json_deep_copy(sim->scene->resolved);
    abut_status status = document ? ABUT_OK : error_memory(err, "copying a simulation");
    if (status == ABUT_OK)
        status =
            scene_from_document(sim->scene->path, document, NULL, 0, &now->log, &now->scene, err);
    if (status == ABUT_OK && now->scene->remesh.on) status = sim_remesh_create(now, err);
    if (status == ABUT_OK && !now->scene->remesh.on)
        status = scene_build(now->scene, &now->log, &now->stepper, err);
    if (status == ABUT_OK) {
        *out = now;
        return ABUT_OK;
    }
    sim_destroy(now);
    return status;
}

/* With its meshes, which may have changed. */
static abut_status carry_state(abut_sim *from, abut_sim *to, abut_error *err)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    TRY(write_state(from, &bytes, &size, err));
    abut_status status = sim_restore_memory(to, bytes, size, err);
    mem_free(bytes);
    return status;
}

static abut_status fill_copy(abut_sim *sim, abut_sim *copy, abut_error *err)
{
    TRY(carry_state(sim, copy, err));
    if (sim->remesh) return ABUT_OK;
    TRY(carry_settings(sim->stepper, copy->stepper, err));
    size_t users = sim->users.count;
    if (!array_resize(&copy->users, users)) return error_memory(err, "copying a simulation");
    if (users > 0) memcpy(copy->users.data, sim->users.data, users * sizeof *copy->users.data);
    copy->last = sim->last;
    return ABUT_OK;
}

abut_status sim_copy(abut_sim *sim, abut_sim **out, abut_error *err)
{
    abut_sim *copy = NULL;
    *out = NULL;
    TRY(create_again(sim, &copy, err));
    abut_status status = fill_copy(sim, copy, err);
    if (status == ABUT_OK)
        *out = copy;
    else
        sim_destroy(copy);
    return status;
}

/* Arrays of the state stay where they are. */
static abut_status load_start(abut_sim *sim, abut_sim *start, abut_error *err)
{
    saved_state saved = {0};
    abut_status status = stepper_save(start->stepper, &saved, err);
    if (status == ABUT_OK) status = stepper_load(sim->stepper, &saved, err);
    saved_state_free(&saved);
    return status;
}

abut_status sim_reset(abut_sim *sim, abut_error *err)
{
    abut_sim *start = NULL;
    TRY(create_again(sim, &start, err));
    abut_status status = sim->remesh ? carry_state(start, sim, err) : load_start(sim, start, err);
    sim_destroy(start);
    TRY(status);
    sim->last = (step_statistics){0};
    stepper_measure(sim->stepper, &sim->last);
    return sim_contacts_restart(sim, err);
}

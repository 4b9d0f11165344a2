#include "sim/sim.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "scene/load.h"
#include "sim/contacts.h"
#include "sim/rank_agreement.h"
#include "sim/remesh.h"
#include "verify/verify_positions.h"

#include <math.h>

abut_status sim_prepare(abut_sim *sim, const char *problem_folder, abut_error *error)
{
    if (sim->scene->remesh.on && ranks_divided())
        return error_set(error, ABUT_ERROR_UNSUPPORTED, "remesh", "remeshing runs on one rank");
    if (sim->scene->remesh.on)
        TRY(sim_remesh_create(sim, error));
    else
        TRY(scene_build(sim->scene, &sim->log, &sim->stepper, error));
    TRY(ranks_check_state(sim, "at the start", error));
    TRY(verify_start(sim->scene, sim->stepper->model, sim->stepper->state.x, &sim->log,
                     problem_folder, error));
    return error_add_place(error, sim->scene->path,
                           stepper_check_dirichlet_ahead(sim->stepper, sim->scene->end_time,
                                                         sim->scene->remesh.on, error));
}

void sim_release(abut_sim *sim)
{
    stepper_destroy(sim->stepper);
    sim_remesh_destroy(sim->remesh);
}

/* Where a scene comes from: the file, its text, or a document. */
typedef struct scene_origin {
    const char *path;
    const file_bytes *bytes;
    const json_t *document;
} scene_origin;

static abut_status load_scene(abut_sim *sim, const scene_origin *from,
                              const abut_sim_options *options, abut_error *error)
{
    const char *const *overrides = options->overrides;
    size_t count = options->override_count;
    if (from->document) {
        json_t *copy =
            count ? json_deep_copy(from->document) : json_incref((json_t *)from->document);
        if (!copy) return error_memory(error, "creating a simulation");
        return scene_from_document(from->path, copy, overrides, count, &sim->log, &sim->scene,
                                   error);
    }
    if (from->bytes)
        return scene_load_bytes(from->path, from->bytes, overrides, count, &sim->log, &sim->scene,
                                error);
    return scene_load(from->path, overrides, count, &sim->log, &sim->scene, error);
}

static abut_status fill(abut_sim *sim, const scene_origin *from, const abut_sim_options *options,
                        abut_error *error)
{
    if (options->threads > 0) parallel_set_threads(options->threads);
    TRY(load_scene(sim, from, options, error));
    TRY(ranks_check_scene(sim, error));
    return sim_prepare(sim, ranks_index() == 0 ? options->problem_folder : NULL, error);
}

static abut_status create(const scene_origin *from, const abut_sim_options *options, abut_sim **out,
                          abut_error *error)
{
    *out = NULL;
    abut_sim *sim = mem_calloc(1, sizeof *sim);
    if (!sim) return error_memory(error, "creating a simulation");
    sim->log = (logger){options->log, options->log_user, options->log_level};
    abut_status status = fill(sim, from, options, error);
    if (status != ABUT_OK) {
        sim_destroy(sim);
        return status;
    }
    stepper_measure(sim->stepper, &sim->last);
    status = sim_contacts_restart(sim, error);
    if (status != ABUT_OK) {
        sim_destroy(sim);
        return status;
    }
    *out = sim;
    return ABUT_OK;
}

abut_status sim_create(const char *path, const file_bytes *bytes, const abut_sim_options *options,
                       abut_sim **out, abut_error *error)
{
    return create(&(scene_origin){.path = path, .bytes = bytes}, options, out, error);
}

abut_status sim_create_from(const json_t *document, const abut_sim_options *options, abut_sim **out,
                            abut_error *error)
{
    return create(&(scene_origin){.path = "scene", .document = document}, options, out, error);
}

void sim_destroy(abut_sim *sim)
{
    if (!sim) return;
    sim_release(sim);
    scene_free(sim->scene);
    sim_contacts_free(sim->contacts);
    array_free(&sim->users);
    for (size_t i = 0; i < sim->retired.count; i++) mem_free(sim->retired.data[i]);
    array_free(&sim->retired);
    mem_free(sim);
}

abut_status sim_step(abut_sim *sim, abut_error *error)
{
    TRY(stepper_check_targets(sim->stepper, error));
    step_statistics statistics;
    if (sim->remesh) {
        TRY(sim_remesh_step(sim, error));
    } else {
        TRY(stepper_advance(sim->stepper, &statistics, error));
        sim->last = statistics;
    }
    return sim_contacts_note(sim, error);
}

void sim_info(const abut_sim *sim, abut_step_info *out)
{
    const step_statistics *s = &sim->last;
    *out = (abut_step_info){.step = sim->stepper->state.steps,
                            .time = sim->stepper->time,
                            .newton_iterations = s->newton_iterations,
                            .friction_iterations = s->friction_iterations,
                            .contact_count = s->contacts,
                            .min_distance = s->min_distance,
                            .kinetic = s->kinetic,
                            .elastic = s->elastic,
                            .gravity = s->gravity,
                            .contact_energy = s->contact,
                            .kappa = s->kappa};
    vec3_store(out->linear_momentum, s->linear_momentum);
    vec3_store(out->angular_momentum, s->angular_momentum);
}

int64_t sim_steps_total(const abut_sim *sim)
{
    double steps = sim->scene->end_time / sim->scene->options.h;
    return (int64_t)ceil(steps - 1e-9 * (1 + steps));
}

#include "api/sim.h"

#include "api/verify.h"
#include "base/parallel.h"

#include <math.h>

abut_sim_options abut_default_sim_options(void)
{
    return (abut_sim_options){.log_level = ABUT_LOG_WARNING};
}

abut_status abut_sim_load(const char *scene_path, const abut_sim_options *options, abut_sim **out,
                          abut_error *error)
{
    abut_sim_options defaults = abut_default_sim_options();
    if (!options) options = &defaults;
    *out = NULL;
    abut_sim *sim = mem_calloc(1, sizeof *sim);
    if (!sim) return error_memory(error, "creating a simulation");
    sim->log = (logger){options->log, options->log_user, options->log_level};
    if (options->threads > 0) parallel_set_threads(options->threads);
    abut_status status = scene_load(scene_path, options->overrides, options->override_count,
                                    &sim->log, &sim->scene, error);
    if (status == ABUT_OK) status = scene_build(sim->scene, &sim->log, &sim->stepper, error);
    if (status == ABUT_OK) status = verify_start(sim, options->problem_folder, error);
    if (status != ABUT_OK) {
        abut_sim_destroy(sim);
        return status;
    }
    stepper_measure(sim->stepper, &sim->last);
    *out = sim;
    return ABUT_OK;
}

void abut_sim_destroy(abut_sim *sim)
{
    if (!sim) return;
    stepper_destroy(sim->stepper);
    scene_free(sim->scene);
    mem_free(sim);
}

abut_status abut_sim_step(abut_sim *sim, abut_error *error)
{
    return stepper_advance(sim->stepper, &sim->last, error);
}

void abut_sim_info(const abut_sim *sim, abut_step_info *out)
{
    const step_statistics *s = &sim->last;
    *out = (abut_step_info){.step = sim->stepper->state.steps,
                            .time = sim->stepper->time,
                            .newton_iterations = s->newton_iterations,
                            .friction_iterations = s->friction_iterations,
                            .contacts = s->contacts,
                            .min_distance = s->min_distance,
                            .kinetic = s->kinetic,
                            .elastic = s->elastic,
                            .gravity = s->gravity,
                            .contact = s->contact};
    vec3_store(out->linear_momentum, s->linear_momentum);
    vec3_store(out->angular_momentum, s->angular_momentum);
}

size_t abut_sim_node_count(const abut_sim *sim) { return sim->stepper->model->rest.count; }
double *abut_sim_positions(abut_sim *sim) { return sim->stepper->state.x; }
double *abut_sim_velocities(abut_sim *sim) { return sim->stepper->state.v; }
double abut_sim_time(const abut_sim *sim) { return sim->stepper->time; }
double abut_sim_time_step(const abut_sim *sim) { return sim->scene->time_step; }

int64_t abut_sim_steps_total(const abut_sim *sim)
{
    double steps = sim->scene->end_time / sim->scene->time_step;
    return (int64_t)ceil(steps - 1e-9 * (1 + steps));
}

/* The functions of sim.h that make a simulation and take its steps. */
#include "sim/sim.h"

#include "linear/blas_kernels.h"

void abut_choose_blas_kernels(void) { blas_choose_kernels(); }

abut_sim_options abut_default_sim_options(void)
{
    return (abut_sim_options){.log_level = ABUT_LOG_WARNING};
}

static abut_status create(const char *path, const file_bytes *bytes,
                          const abut_sim_options *options, abut_sim **out, abut_error *error)
{
    abut_sim_options defaults = abut_default_sim_options();
    return sim_create(path, bytes, options ? options : &defaults, out, error);
}

abut_status abut_sim_load(const char *scene_path, const abut_sim_options *options, abut_sim **out,
                          abut_error *error)
{
    return create(scene_path, NULL, options, out, error);
}

abut_status abut_sim_create(const char *text, size_t length, const char *path,
                            const abut_sim_options *options, abut_sim **out, abut_error *error)
{
    file_bytes bytes = {.data = (char *)text, .size = length}; /* only read */
    return create(path ? path : "scene.json", &bytes, options, out, error);
}

void abut_sim_destroy(abut_sim *sim) { sim_destroy(sim); }
abut_status abut_sim_step(abut_sim *sim, abut_error *error) { return sim_step(sim, error); }
void abut_sim_info(const abut_sim *sim, abut_step_info *out) { sim_info(sim, out); }
int64_t abut_sim_steps_total(const abut_sim *sim) { return sim_steps_total(sim); }

size_t abut_sim_node_count(const abut_sim *sim) { return sim->stepper->model->rest.count; }
double *abut_sim_positions(abut_sim *sim) { return sim->stepper->state.x; }
double *abut_sim_velocities(abut_sim *sim) { return sim->stepper->state.v; }
double abut_sim_time(const abut_sim *sim) { return sim->stepper->time; }
double abut_sim_time_step(const abut_sim *sim) { return sim->scene->options.h; }

/* The checkpoint of a run: the state of the simulation, and what the run has counted so far. */
#include "run/run_internal.h"
#include "sim/sim_state.h"

#include <string.h>

abut_status run_save_checkpoint(run *r, abut_error *err)
{
    stepper *s = r->sim->stepper;
    r->checkpoint_time = timer_now();
    if (!r->frames.writes) return ABUT_OK;
    TRY(run_frames_wait(&r->frames, err)); /* whoever goes on from here finds the frames before */
    checkpoint_writer *w = mem_calloc(1, sizeof *w);
    if (!w) return error_memory(err, "writing a checkpoint");
    abut_status status = sim_state_add(r->sim, r->scene_hash, w, err);
    int64_t counters[] = {r->totals.newton_iterations, r->totals.max_contacts,
                          r->totals.contact_sum, r->frames.step,
                          r->totals.friction_not_converged_steps};
    double values[3 + STAGE_COUNT] = {r->totals.min_distance, r->totals.max_stretch,
                                      run_wall_seconds(r)};
    memcpy(values + 3, s->timer.seconds, sizeof s->timer.seconds);
    checkpoint_add_longs(w, "run_counters", counters, 5);
    checkpoint_add_doubles(w, "run_values", values, 3 + STAGE_COUNT);
    int64_t substeps[] = {r->totals.divided_steps, r->totals.substeps};
    if (substeps[0] > 0) checkpoint_add_longs(w, "run_substeps", substeps, 2);
    if (r->totals.truncated_steps > 0)
        checkpoint_add_longs(w, "run_truncated", &r->totals.truncated_steps, 1);
    path_record_save(&r->frames.paths, w);
    if (r->sim->scene->options.dirichlet_overlap)
        checkpoint_add_longs(w, "run_overlaps", &r->totals.overlap_steps, 1);
    if (s->mlcp.solver)
        checkpoint_add_doubles(w, "run_mlcp", (const double *)&r->totals.mlcp, MLCP_TOTALS);
    if (status == ABUT_OK) status = checkpoint_write(w, r->checkpoint_path, err);
    checkpoint_writer_free(w);
    mem_free(w);
    return status;
}

static abut_status load_arrays(run *r, const checkpoint_reader *c, abut_error *err)
{
    int64_t counters[5];
    double values[3 + STAGE_COUNT];
    TRY(checkpoint_copy_longs(c, "run_counters", counters, 5, err));
    TRY(checkpoint_copy_doubles(c, "run_values", values, 3 + STAGE_COUNT, err));
    if (r->sim->scene->options.dirichlet_overlap)
        TRY(checkpoint_copy_longs(c, "run_overlaps", &r->totals.overlap_steps, 1, err));
    if (r->sim->stepper->mlcp.solver)
        TRY(checkpoint_copy_doubles(c, "run_mlcp", (double *)&r->totals.mlcp, MLCP_TOTALS, err));
    int64_t substeps[2] = {0, 0};
    if (checkpoint_has(c, "run_substeps"))
        TRY(checkpoint_copy_longs(c, "run_substeps", substeps, 2, err));
    r->totals.truncated_steps = 0;
    if (checkpoint_has(c, "run_truncated"))
        TRY(checkpoint_copy_longs(c, "run_truncated", &r->totals.truncated_steps, 1, err));
    r->totals.divided_steps = substeps[0];
    r->totals.substeps = substeps[1];
    TRY(sim_state_copy(r->sim, c, err));
    TRY(path_record_load(&r->frames.paths, c, err));
    r->totals.newton_iterations = counters[0];
    r->totals.max_contacts = counters[1];
    r->totals.contact_sum = counters[2];
    r->frames.step = counters[3];
    r->totals.friction_not_converged_steps = counters[4];
    r->totals.min_distance = values[0];
    r->totals.max_stretch = values[1];
    r->wall_before = values[2];
    memcpy(r->sim->stepper->timer.seconds, values + 3, sizeof r->sim->stepper->timer.seconds);
    return ABUT_OK;
}

abut_status run_load_checkpoint(run *r, abut_error *err)
{
    checkpoint_reader *c = mem_calloc(1, sizeof *c);
    if (!c) return error_memory(err, "reading a checkpoint");
    abut_status status = checkpoint_read(r->checkpoint_path, r->scene_hash, c, err);
    if (status == ABUT_OK) {
        status = load_arrays(r, c, err);
        checkpoint_free(c);
    }
    mem_free(c);
    return status;
}

/* The row of steps.csv of the last step. */
#include "run/run_row.h"
#include "run/run_internal.h"

#include <math.h>

step_row run_row(const abut_sim *sim, double wall_seconds)
{
    const step_statistics *l = &sim->last;
    return (step_row){.step = sim->stepper->state.steps,
                      .time = sim->stepper->time,
                      .wall_seconds = wall_seconds,
                      .newton_iterations = l->newton_iterations,
                      .friction_iterations = l->friction_iterations,
                      .contact_count = (int64_t)l->contacts,
                      .min_distance = l->min_distance,
                      .kappa = l->kappa,
                      .kinetic = l->kinetic,
                      .elastic = l->elastic,
                      .gravity = l->gravity,
                      .contact_energy = l->contact,
                      .linear_momentum = l->linear_momentum,
                      .angular_momentum = l->angular_momentum,
                      .max_stretch = l->max_stretch,
                      .mean_stretch = l->sheets.mean_largest,
                      .min_stretch = l->sheets.smallest,
                      .mean_compression = l->sheets.mean_smallest,
                      .potential = l->potential,
                      .unknowns = (double)l->unknowns,
                      .splits = (double)l->remesh.splits,
                      .collapses = (double)l->remesh.collapses,
                      .swaps = (double)l->remesh.swaps,
                      .smoothings = (double)l->remesh.smoothings,
                      .friction_not_converged = l->friction_not_converged,
                      .substeps = l->substeps,
                      .truncated = l->truncated,
                      .newton_at_noise = l->newton_at_noise,
                      .joint_violation = l->joint_violation,
                      .unbalanced_force = l->unbalanced_force > 0 ? l->unbalanced_force : NAN};
}

abut_status run_append_row(run *r, abut_error *err)
{
    if (!r->frames.writes) return ABUT_OK;
    step_row row = run_row(r->sim, run_wall_seconds(r));
    return table_append(&r->table, &row, err);
}

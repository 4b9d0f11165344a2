/* The summary of a run, run.json. */
#include "base/file.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "measure/body_measure.h"
#include "measure/norms.h"
#include "measure/point_norms.h"
#include "run/run_internal.h"
#include "sim/remesh.h"
#include "verify/verify_positions.h"

#include <math.h>
#include <string.h>

static void add_remesh(const abut_sim *sim, run_summary *summary)
{
    const sim_remesh *r = sim->remesh;
    if (!r) return;
    const remesh_counts *t = &r->total;
    int64_t steps = sim->stepper->state.steps;
    summary->remesh.on = true;
    summary->remesh.splits = (int64_t)t->splits;
    summary->remesh.collapses = (int64_t)t->collapses;
    summary->remesh.swaps = (int64_t)t->swaps;
    summary->remesh.smoothings = (int64_t)t->smoothings;
    summary->remesh.attempts = (int64_t)t->attempts;
    summary->remesh.projections = (int64_t)t->projections;
    summary->remesh.changed_steps = r->changed_steps;
    summary->remesh.max_unknowns = r->max_unknowns;
    summary->remesh.mean_unknowns = steps > 0 ? (double)r->unknowns_sum / (double)steps : 0;
    summary->remesh.seconds = r->seconds;
}

static void add_mlcp(const run_totals *t, run_summary *out)
{
    out->mlcp.passes = (int64_t)t->mlcp.passes;
    out->mlcp.halvings = (int64_t)t->mlcp.halvings;
    out->mlcp.unconverged_steps = (int64_t)t->mlcp.unconverged_steps;
    for (int i = 0; i < 3; i++) {
        out->mlcp.worst[i] = t->mlcp.worst[i];
        out->mlcp.mean[i] = t->mlcp.sum[i] / fmax(1, (double)out->steps);
    }
}

static void add_counts(const model *m, run_summary *summary)
{
    summary->elements = (int64_t)m->tet_body.count;
    for (size_t k = 0; k < m->sets.count; k++) summary->elements += (int64_t)m->sets.data[k].count;
    summary->surface.vertices = (int64_t)m->surface.rows.count;
    summary->surface.edges = (int64_t)m->surface.edges.count / 2;
    summary->surface.triangles = (int64_t)m->surface.triangles.count / 3;
}

static void add_accuracy(const run_totals *t, run_summary *out)
{
    const step_accuracy *a = &t->accuracy;
    out->accuracy.steps = t->measured_steps;
    out->accuracy.momentum = a->momentum;
    out->accuracy.smallest_force = a->smallest_force;
    out->accuracy.largest_force = a->largest_force;
    out->accuracy.complementarity = a->complementarity;
    out->accuracy.slackness = a->slackness;
    out->accuracy.min_volume_ratio = a->min_volume_ratio;
    out->accuracy.admissible = a->admissible;
}

static void add_run(run *r, abut_status result, const char *message, run_summary *out)
{
    stepper *s = r->sim->stepper;
    const model *m = s->model;
    const run_totals *t = &r->totals;
    *out = (run_summary){.result = result,
                         .scene = r->sim->scene->name,
                         .message = message,
                         .steps = s->state.steps,
                         .truncated_steps = t->truncated_steps,
                         .divided_steps = t->divided_steps,
                         .substeps = t->substeps,
                         .simulated_seconds = s->time,
                         .wall_seconds = run_wall_seconds(r),
                         .newton_iterations = t->newton_iterations,
                         .contact.max_count = t->max_contacts,
                         .contact.friction_not_converged_steps = t->friction_not_converged_steps,
                         .contact.min_distance = t->min_distance,
                         .max_stretch = t->max_stretch,
                         .peak_rss_bytes = summary_peak_rss(),
                         .threads = parallel_threads(),
                         .ranks = ranks_count(),
                         .rank_rss = r->rss.count > 0 ? r->rss.data : NULL,
                         .linear = {.name = linear_name(s->linear),
                                    .reason = linear_reason(s->linear),
                                    .statistics = *linear_get_statistics(s->linear),
                                    .subset_solves = s->newton.subset_solves,
                                    .true_hessians = s->newton.region.hessians,
                                    .true_products = s->newton.region.products},
                         .body_count = m->bodies.count};
    if (s->state.steps > 0)
        out->contact.mean_count = (double)t->contact_sum / (double)s->state.steps;
    out->contact.overlap_steps = t->overlap_steps;
    out->mlcp.used = s->mlcp.solver != NULL;
    timer_switch(&s->timer, STAGE_OTHER);
    memcpy(out->stage_seconds, s->timer.seconds, sizeof out->stage_seconds);
}

/* What the independent check finds in the last state, and how far that is from the start. */
static abut_status add_last_state(const abut_sim *sim, run_summary *out, abut_error *err)
{
    stepper *s = sim->stepper;
    verify_result last;
    stepper_rest(s); /* the check needs room */
    TRY(verify_positions(sim->scene, s->model, s->state.x, &last, err));
    out->contact.intersections = (int64_t)(last.intersections + last.behind_planes + last.inside);
    out->inverted_elements =
        (int64_t)(last.inverted + elastic_count_inverted(s->elastic, s->state.x));
    out->norms = norms_measure(s->model, s->state.x);
    out->norms_at_points = point_norms_measure(s->model, s->state.x);
    return ABUT_OK;
}

/* out: an entry per body of the model. */
static abut_status measure_bodies(const model *m, const double *x, body_summary *out,
                                  abut_error *err)
{
    vec3 *y = mem_calloc(m->surface.rows.count + 1, sizeof *y);
    if (!y) return error_memory(err, "writing the summary");
    collision_surface_positions(&m->surface, x, y);
    for (size_t b = 0; b < m->bodies.count; b++) body_measure(m, x, y, b, &out[b]);
    mem_free(y);
    return ABUT_OK;
}

abut_status run_write_summary(run *r, abut_status result, const char *message, abut_error *err)
{
    const stepper *s = r->sim->stepper;
    char path[4096];
    path_join(path, sizeof path, r->options->folder, "run.json");
    run_summary summary;
    add_run(r, result, message, &summary);
    add_accuracy(&r->totals, &summary);
    add_counts(s->model, &summary);
    add_remesh(r->sim, &summary);
    add_mlcp(&r->totals, &summary);
    TRY(add_last_state(r->sim, &summary, err));
    body_summary *bodies = mem_calloc(s->model->bodies.count + 1, sizeof *bodies);
    if (!bodies) return error_memory(err, "writing the summary");
    summary.bodies = bodies;
    abut_status status = measure_bodies(s->model, s->state.x, bodies, err);
    if (status == ABUT_OK) status = summary_write(path, &summary, err);
    mem_free(bodies);
    return status;
}

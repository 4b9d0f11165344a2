/* A whole run: steps, frames, table, summary, checkpoints, and going on after an interruption. */
#include "api/way_record.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "measure/frame_fields.h"
#include "measure/point_norms.h"
#include "measure/volume_frame.h"
#include "output/series.h"
#include "output/summary.h"
#include "output/table.h"
#include "sim/rank_agreement.h"
#include "sim/remesh.h"
#include "sim/sim_state.h"
#include "step/accuracy.h"
#include "term/element_energy.h"
#include "verify/verify_positions.h"

#include <math.h>
#include <string.h>

abut_run_options abut_default_run_options(void) { return (abut_run_options){.steps = -1}; }

/* What the linear-complementarity stepper did, part of the checkpoint. */
typedef struct mlcp_totals {
    double passes, unconverged_steps, halvings;
    double worst[3], sum[3]; /* of Fischer-Burmeister errors */
} mlcp_totals;
enum { MLCP_TOTALS = sizeof(mlcp_totals) / sizeof(double) };

/* Everything that is open during a run. */
typedef struct run {
    abut_sim *sim;
    const abut_run_options *options;
    char scene_hash[SHA256_TEXT_SIZE];
    char checkpoint_path[4096];
    frame_series series;
    step_table table;
    double started, wall_before; /* wall clock at the start; seconds of earlier parts of the run */
    /* sums over all steps, part of the checkpoint */
    int64_t newton_iterations, max_contacts, contact_sum, friction_unsettled_steps;
    int64_t overlap_steps; /* in which prescribed bodies met, where that is allowed */
    double min_distance, max_stretch;
    step_accuracy accuracy; /* worst since the start or the resumption */
    int64_t measured_steps;
    mlcp_totals mlcp;
    int64_t frame_step, checkpoint_step;
    double checkpoint_time; /* wall clock */
    uint64_t mesh_version;  /* of remeshed scenes: what the frames are made for */
    model_frame frame;
    frame_fields fields;
    volume_frame volume; /* and its series, where the scene asks for them */
    frame_series volume_series;
    way_record ways;
    bool writes;       /* of several ranks, one does */
    ARRAY(size_t) rss; /* peak memory of the ranks after the last step */
} run;

/* ---------------------------------------------------------------------------------------------- */
/* Frames                                                                                         */

static abut_status prepare_frames(run *r, abut_error *err)
{
    const model *m = r->sim->stepper->model;
    TRY(model_frame_init(&r->frame, m, err));
    if (r->sim->remesh) r->mesh_version = r->sim->remesh->version;
    if (r->sim->scene->write_volume && m->sets.count > 0)
        return volume_frame_init(&r->volume, m, err);
    return ABUT_OK;
}

/* The frames of a scene whose meshes have changed are made anew. */
static abut_status renew_frames(run *r, abut_error *err)
{
    if (!r->sim->remesh || r->sim->remesh->version == r->mesh_version) return ABUT_OK;
    model_frame_free(&r->frame);
    volume_frame_free(&r->volume);
    way_record_change_mesh(&r->ways);
    return prepare_frames(r, err);
}

static abut_status write_frame(run *r, abut_error *err)
{
    r->frame_step = r->sim->stepper->state.steps;
    if (!r->writes) return ABUT_OK;
    TRY(renew_frames(r, err));
    frame f;
    if (r->volume.node.count > 0) {
        volume_frame_take(&r->volume, r->sim->stepper, &f);
        TRY(series_add(&r->volume_series, &f, err));
    }
    if (!r->sim->scene->write_vtu) return ABUT_OK;
    model_frame_take(&r->frame, r->sim->stepper, &f);
    TRY(frame_fields_choose(&r->fields, &r->frame, r->sim->stepper, r->sim->scene->frame_fields, &f,
                            err));
    TRY(way_record_give(&r->ways, &r->frame, r->sim, &f, err));
    TRY(series_add(&r->series, &f, err));
    way_record_clear(&r->ways);
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Checkpoints                                                                                    */

static double wall_seconds(const run *r) { return r->wall_before + timer_now() - r->started; }

static abut_status save_checkpoint(run *r, abut_error *err)
{
    stepper *s = r->sim->stepper;
    r->checkpoint_step = s->state.steps;
    r->checkpoint_time = timer_now();
    if (!r->writes) return ABUT_OK;
    checkpoint_writer *w = mem_calloc(1, sizeof *w);
    if (!w) return error_memory(err, "writing a checkpoint");
    abut_status status = sim_state_add(r->sim, r->scene_hash, w, err);
    int64_t counters[] = {r->newton_iterations, r->max_contacts, r->contact_sum, r->frame_step,
                          r->friction_unsettled_steps};
    double values[3 + STAGE_COUNT] = {r->min_distance, r->max_stretch, wall_seconds(r)};
    memcpy(values + 3, s->timer.seconds, sizeof s->timer.seconds);
    checkpoint_add_longs(w, "run_counters", counters, 5);
    checkpoint_add_doubles(w, "run_values", values, 3 + STAGE_COUNT);
    way_record_save(&r->ways, w);
    if (r->sim->scene->prescribed_overlap)
        checkpoint_add_longs(w, "run_overlaps", &r->overlap_steps, 1);
    if (s->mlcp) checkpoint_add_doubles(w, "run_mlcp", (const double *)&r->mlcp, MLCP_TOTALS);
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
    if (r->sim->scene->prescribed_overlap)
        TRY(checkpoint_copy_longs(c, "run_overlaps", &r->overlap_steps, 1, err));
    if (r->sim->stepper->mlcp)
        TRY(checkpoint_copy_doubles(c, "run_mlcp", (double *)&r->mlcp, MLCP_TOTALS, err));
    TRY(sim_state_copy(r->sim, c, err));
    TRY(way_record_load(&r->ways, c, err));
    r->newton_iterations = counters[0];
    r->max_contacts = counters[1];
    r->contact_sum = counters[2];
    r->frame_step = counters[3];
    r->friction_unsettled_steps = counters[4];
    r->min_distance = values[0];
    r->max_stretch = values[1];
    r->wall_before = values[2];
    memcpy(r->sim->stepper->timer.seconds, values + 3, sizeof r->sim->stepper->timer.seconds);
    r->checkpoint_step = c->step;
    return ABUT_OK;
}

static abut_status load_checkpoint(run *r, abut_error *err)
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

/* ---------------------------------------------------------------------------------------------- */
/* Summary                                                                                        */

static void add_norms(const model *m, const double *x, run_summary *summary)
{
    double l2 = 0, semi = 0, linf = 0;
    for (size_t e = 0; e < m->tet_count; e++) {
        vec3 u[4], total = {0};
        double squares = 0;
        for (size_t k = 0; k < 4; k++) {
            size_t node = (size_t)m->tets.data[4 * e + k];
            u[k] = vec3_sub(vec3_load(x + 3 * node), m->rest.data[node]);
            total = vec3_add(total, u[k]);
            squares += vec3_norm2(u[k]);
            linf = fmax(linf, vec3_max_abs(u[k]));
        }
        mat3 du =
            mat3_from_columns(vec3_sub(u[1], u[0]), vec3_sub(u[2], u[0]), vec3_sub(u[3], u[0]));
        tet4_rest room;
        const tet4_rest *shape = model_tet_rest(m, e, &room);
        l2 += shape->volume / 20 * (squares + vec3_norm2(total));
        semi += shape->volume * mat3_norm2(mat3_mul(du, shape->dm_inverse));
    }
    for (size_t i = 0; i < m->sets.count; i++)
        elements_add_norms(m, &m->sets.data[i], x, &l2, &semi, &linf);
    summary->norms.l2 = sqrt(l2);
    summary->norms.h1_semi = sqrt(semi);
    summary->norms.h1 = sqrt(l2 + semi);
    summary->norms.linf = linf;
    point_norms points = point_norms_measure(m, x);
    summary->norms_at_points.l2 = points.l2;
    summary->norms_at_points.h1 = points.h1;
    summary->norms_at_points.h1_semi = points.h1_semi;
    summary->norms_at_points.linf = points.linf;
}

/* A body without nodes of its own: the bounds of its surface, the centre from its first block. */
static void summarise_surface(const double *x, const vec3 *y, const model_body *body,
                              body_summary *out)
{
    for (size_t i = body->first_vertex; i < body->first_vertex + body->vertex_count; i++) {
        out->low = vec3_min(out->low, y[i]);
        out->high = vec3_max(out->high, y[i]);
    }
    out->center_of_mass = vec3_load(x + 3 * (size_t)body->first_block);
}

/* y: positions of the surface's vertices. */
static void summarise_body(const model *m, const double *x, const vec3 *y, size_t b,
                           body_summary *out)
{
    const model_body *body = &m->bodies.data[b];
    *out = (body_summary){.name = body->name,
                          .type = body_kind_words[body->kind],
                          .low = {INFINITY, INFINITY, INFINITY},
                          .high = {-INFINITY, -INFINITY, -INFINITY}};
    if (!body->nodal) {
        summarise_surface(x, y, body, out);
        return;
    }
    double mass = 0;
    for (int32_t i = body->first_block; i < body->first_block + body->block_count; i++) {
        vec3 p = vec3_load(x + 3 * (size_t)i);
        out->low = vec3_min(out->low, p);
        out->high = vec3_max(out->high, p);
        out->center_of_mass = vec3_mul_add(out->center_of_mass, m->load_mass.data[i], p);
        mass += m->load_mass.data[i];
    }
    if (mass > 0) out->center_of_mass = vec3_scale(1 / mass, out->center_of_mass);
}

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

static void summarise_mlcp(const run *r, run_summary *out)
{
    out->mlcp.used = r->sim->stepper->mlcp != NULL;
    out->mlcp.passes = (int64_t)r->mlcp.passes;
    out->mlcp.halvings = (int64_t)r->mlcp.halvings;
    out->mlcp.unconverged_steps = (int64_t)r->mlcp.unconverged_steps;
    for (int i = 0; i < 3; i++) {
        out->mlcp.worst[i] = r->mlcp.worst[i];
        out->mlcp.mean[i] = r->mlcp.sum[i] / fmax(1, (double)out->steps);
    }
}

static void count_elements(const model *m, run_summary *summary)
{
    summary->elements = (int64_t)m->tet_body.count;
    for (size_t k = 0; k < m->sets.count; k++) summary->elements += (int64_t)m->sets.data[k].count;
}

static abut_status write_summary(run *r, abut_status result, const char *message, abut_error *err)
{
    stepper *s = r->sim->stepper;
    const model *m = s->model;
    char path[4096];
    path_join(path, sizeof path, r->options->folder, "run.json");
    run_summary summary = {.result = result,
                           .scene = r->sim->scene->name,
                           .message = message,
                           .steps = s->state.steps,
                           .simulated_seconds = s->time,
                           .wall_seconds = wall_seconds(r),
                           .newton_iterations = r->newton_iterations,
                           .max_contact_count = r->max_contacts,
                           .friction_unsettled_steps = r->friction_unsettled_steps,
                           .min_distance = r->min_distance,
                           .max_stretch = r->max_stretch,
                           .peak_rss_bytes = summary_peak_rss(),
                           .threads = parallel_threads(),
                           .ranks = ranks_count(),
                           .rank_rss = r->rss.count > 0 ? r->rss.data : NULL,
                           .linear = {.name = linear_name(s->linear),
                                      .reason = linear_reason(s->linear),
                                      .statistics = *linear_get_statistics(s->linear),
                                      .part_solves = s->newton.part_solves},
                           .body_count = m->bodies.count};
    if (s->state.steps > 0)
        summary.mean_contact_count = (double)r->contact_sum / (double)s->state.steps;
    timer_switch(&s->timer, STAGE_OTHER);
    memcpy(summary.stage_seconds, s->timer.seconds, sizeof summary.stage_seconds);
    const step_accuracy *a = &r->accuracy;
    summary.accuracy.steps = r->measured_steps;
    summary.accuracy.momentum = a->momentum;
    summary.accuracy.smallest_force = a->smallest_force;
    summary.accuracy.largest_force = a->largest_force;
    summary.accuracy.complementarity = a->complementarity;
    summary.accuracy.slackness = a->slackness;
    summary.accuracy.min_volume_ratio = a->min_volume_ratio;
    summary.accuracy.admissible = a->admissible;
    summary.surface_vertices = (int64_t)m->surface.rows.count;
    summary.surface_edges = (int64_t)m->surface.edges.count / 2;
    summary.surface_triangles = (int64_t)m->surface.triangles.count / 3;
    summary.overlap_steps = r->overlap_steps;
    count_elements(m, &summary);
    add_remesh(r->sim, &summary);
    summarise_mlcp(r, &summary);
    verify_result last;
    TRY(verify_positions(r->sim->scene, m, s->state.x, &last, err));
    summary.intersections = (int64_t)(last.intersections + last.behind_planes + last.inside);
    summary.inverted_elements =
        (int64_t)(last.inverted + elastic_count_inverted(s->elastic, s->state.x));
    add_norms(m, s->state.x, &summary);
    body_summary *bodies = mem_calloc(m->bodies.count + 1, sizeof *bodies);
    vec3 *y = mem_calloc(m->surface.rows.count + 1, sizeof *y);
    if (!bodies || !y) {
        mem_free(bodies);
        mem_free(y);
        return error_memory(err, "writing the summary");
    }
    collision_surface_positions(&m->surface, s->state.x, y);
    for (size_t b = 0; b < m->bodies.count; b++) summarise_body(m, s->state.x, y, b, &bodies[b]);
    mem_free(y);
    summary.bodies = bodies;
    abut_status status = summary_write(path, &summary, err);
    mem_free(bodies);
    return status;
}

/* ---------------------------------------------------------------------------------------------- */
/* The run                                                                                        */

static abut_status append_row(run *r, abut_error *err)
{
    if (!r->writes) return ABUT_OK;
    const step_statistics *l = &r->sim->last;
    step_row row = {.step = r->sim->stepper->state.steps,
                    .time = r->sim->stepper->time,
                    .wall_seconds = wall_seconds(r),
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
                    .friction_unsettled = l->friction_unsettled};
    return table_append(&r->table, &row, err);
}

/* Loads the checkpoint where one is wanted, before anything of an earlier run is replaced. */
static abut_status open_folder(run *r, bool *resume, abut_error *err)
{
    const char *folder = r->options->folder;
    char path[4096], *text;
    if (r->writes) TRY(directory_create(folder, err));
    path_join(r->checkpoint_path, sizeof r->checkpoint_path, folder, "checkpoint.h5");
    path_join(path, sizeof path, folder, "scene.json");
    TRY(sim_scene_text(r->sim, &text, r->scene_hash, err));
    /* Not before all ranks have looked: the first of them writes a checkpoint soon. */
    *resume = r->options->resume && file_exists(r->checkpoint_path);
    abut_status status = ABUT_OK;
    if (!ranks_agree(*resume))
        status = error_set(err, ABUT_ERROR_IO, r->checkpoint_path, "not all ranks see this file");
    if (status == ABUT_OK && *resume) status = load_checkpoint(r, err);
    if (status == ABUT_OK && r->writes) status = atomic_write(path, text, strlen(text), err);
    free(text);
    return status;
}

/* Frames are written every so many steps; 0: never. */
static bool frame_due(const scene_def *scene, int64_t step)
{
    return scene->frame_every > 0 && step % scene->frame_every == 0;
}

static abut_status open_run(run *r, abut_error *err)
{
    const char *folder = r->options->folder;
    const scene_def *scene = r->sim->scene;
    bool resume = false;
    way_record_enable(&r->ways, r->sim);
    TRY(ranks_agree_on(open_folder(r, &resume, err), err));
    way_record_enable(&r->ways, r->sim); /* a checkpoint with other meshes brings another stepper */
    TRY(ranks_check_state(r->sim, "in the checkpoint", err));
    if (!r->writes) return ABUT_OK;
    int64_t last = resume ? r->sim->stepper->state.steps : -1;
    char path[4096];
    path_join(path, sizeof path, folder, "steps.csv");
    TRY(table_open(&r->table, path, resume ? last : TABLE_NEW, err));
    TRY(series_open(&r->series, folder, resume ? last : SERIES_NEW, err));
    r->series.write_obj = r->sim->scene->write_obj;
    atomic_remove_leftovers(folder);
    path_join(path, sizeof path, folder, "frames");
    atomic_remove_leftovers(path);
    if (scene->frame_every > 0) TRY(prepare_frames(r, err));
    if (r->sim->scene->write_volume && r->sim->stepper->model->sets.count > 0) {
        path_join(path, sizeof path, folder, "volume");
        TRY(directory_create(path, err));
        TRY(series_open(&r->volume_series, path, resume ? last : SERIES_NEW, err));
    }
    if (!resume) {
        TRY(append_row(r, err));
        if (frame_due(r->sim->scene, 0)) TRY(write_frame(r, err));
        TRY(save_checkpoint(r, err));
    }
    return ABUT_OK;
}

/* What the run shows of a step: row, frame, checkpoint. *go_on: nobody wants to stop. */
static abut_status show_step(run *r, int64_t total, bool *go_on, abut_error *err)
{
    const scene_def *scene = r->sim->scene;
    int64_t step = r->sim->stepper->state.steps;
    bool last = step == total;
    /* No more than about a minute is lost when the run is killed, unless one step takes longer. */
    bool late = ranks_any(timer_now() - r->checkpoint_time > 60);
    bool due = scene->checkpoint_every > 0 && (late || step % scene->checkpoint_every == 0);
    abut_step_info info;
    abut_sim_info(r->sim, &info);
    *go_on = !r->options->progress || r->options->progress(r->options->progress_user, &info, total);
    *go_on = !ranks_any(!*go_on); /* before anything that can fail on one rank alone */
    TRY(append_row(r, err));
    if (frame_due(scene, step) || (last && scene->frame_every > 0)) TRY(write_frame(r, err));
    return due || last || !*go_on ? save_checkpoint(r, err) : ABUT_OK;
}

/* After a step: all ranks have come to the same, and know of each other's memory. */
static abut_status compare_ranks(run *r, abut_error *err)
{
    if (!ranks_divided()) return ABUT_OK;
    if (!array_resize(&r->rss, (size_t)ranks_count()))
        return error_memory(err, "comparing the ranks");
    ranks_gather_counts((size_t)summary_peak_rss(), r->rss.data);
    return ranks_check_state(r->sim, "after a step", err);
}

static void count_step(run *r)
{
    const step_statistics *l = &r->sim->last;
    r->newton_iterations += l->newton_iterations;
    r->friction_unsettled_steps += l->friction_unsettled;
    r->contact_sum += (int64_t)l->contacts;
    if ((int64_t)l->contacts > r->max_contacts) r->max_contacts = (int64_t)l->contacts;
    r->min_distance = fmin(r->min_distance, l->min_distance);
    r->max_stretch = fmax(r->max_stretch, l->max_stretch);
    r->overlap_steps += l->prescribed_overlap;
}

static void count_mlcp(run *r)
{
    const mlcp_statistics *m = &r->sim->stepper->mlcp_statistics;
    const double errors[3] = {m->error_normal, m->error_stick, m->error_slide};
    r->mlcp.passes += m->passes;
    r->mlcp.halvings += m->halvings;
    r->mlcp.unconverged_steps += !m->converged;
    for (int i = 0; i < 3; i++) {
        r->mlcp.worst[i] = fmax(r->mlcp.worst[i], errors[i]);
        r->mlcp.sum[i] += errors[i];
    }
}

static abut_status measure_step(run *r, abut_error *err)
{
    step_accuracy now;
    TRY(stepper_accuracy(r->sim->stepper, &now, err));
    r->accuracy = accuracy_worse(&r->accuracy, &now);
    r->measured_steps++;
    return ABUT_OK;
}

static abut_status run_steps(run *r, abut_error *err)
{
    const scene_def *scene = r->sim->scene;
    stepper *s = r->sim->stepper;
    int64_t total = abut_sim_steps_total(r->sim);
    if (r->options->steps >= 0 && r->options->steps < total) total = r->options->steps;
    while (s->state.steps < total) {
        TRY(abut_sim_step(r->sim, err));
        s = r->sim->stepper; /* another one when the meshes have changed */
        TRY(way_record_note(&r->ways, s, err));
        count_step(r);
        if (s->mlcp) count_mlcp(r);
        if (scene->measures) TRY(measure_step(r, err));
        timer_switch(&s->timer, STAGE_OUTPUT);
        bool go_on = true;
        TRY(compare_ranks(r, err));
        TRY(ranks_agree_on(show_step(r, total, &go_on, err), err));
        timer_switch(&s->timer, STAGE_OTHER);
        if (!go_on && s->state.steps < total)
            return error_set(err, ABUT_INTERRUPTED, "", "interrupted after step %lld",
                             (long long)s->state.steps);
    }
    return ABUT_OK;
}

abut_status abut_sim_run(abut_sim *sim, const abut_run_options *options, abut_error *error)
{
    abut_error local;
    if (!error) error = &local;
    if (!options->folder)
        return error_set(error, ABUT_ERROR_INPUT, "", "a run needs an output folder");
    run *r = mem_calloc(1, sizeof *r);
    if (!r) return error_memory(error, "starting a run");
    *r = (run){.sim = sim,
               .options = options,
               .started = timer_now(),
               .checkpoint_time = timer_now(),
               .min_distance = INFINITY,
               .max_stretch = 1,
               .accuracy = accuracy_none(),
               .writes = ranks_index() == 0};
    abut_status status = open_run(r, error);
    bool opened = status == ABUT_OK;
    if (status == ABUT_OK) status = run_steps(r, error);
    if (opened) {
        if (status == ABUT_ERROR_NOT_CONVERGED || status == ABUT_ERROR_OVERLAP) {
            save_checkpoint(r, NULL);
            if (sim->scene->frame_every > 0 && r->frame_step != sim->stepper->state.steps)
                write_frame(r, NULL); /* the last state that was reached */
        }
        abut_error second;
        const char *message = status == ABUT_OK ? NULL : error->message;
        abut_status written = r->writes ? write_summary(r, status, message, &second) : ABUT_OK;
        if (status == ABUT_OK && written != ABUT_OK) {
            status = written;
            *error = second;
        }
    }
    if (r->table.stream) {
        abut_error second;
        abut_status closed = table_close(&r->table, &second);
        if (status == ABUT_OK && closed != ABUT_OK) {
            status = closed;
            *error = second;
        }
    }
    series_close(&r->series);
    series_close(&r->volume_series);
    volume_frame_free(&r->volume);
    model_frame_free(&r->frame);
    frame_fields_free(&r->fields);
    way_record_free(&r->ways);
    sim->stepper->way.enabled = false;
    array_free(&r->rss);
    mem_free(r);
    return status;
}

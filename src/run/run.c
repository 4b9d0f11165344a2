/* The loop of a run. Totals, frames, checkpoints and the summary have files of their own. */
#include "run/run.h"

#include "base/file.h"
#include "base/ranks.h"
#include "run/run_internal.h"
#include "sim/rank_agreement.h"
#include "sim/sim_state.h"

#include <stdlib.h>
#include <string.h>

double run_wall_seconds(const run *r) { return r->wall_before + timer_now() - r->started; }

/* Loads the checkpoint where one is wanted, before anything of an earlier run is replaced. */
static abut_status open_folder(run *r, bool *resume, abut_error *err)
{
    const char *folder = r->options->folder;
    char path[4096], *text;
    if (r->frames.writes) TRY(directory_create(folder, err));
    path_join(r->checkpoint_path, sizeof r->checkpoint_path, folder, "checkpoint.h5");
    path_join(path, sizeof path, folder, "scene.json");
    TRY(sim_scene_text(r->sim, &text, r->scene_hash, err));
    /* Not before all ranks have looked: the first of them writes a checkpoint soon. */
    *resume = r->options->resume && file_exists(r->checkpoint_path);
    abut_status status = ABUT_OK;
    if (!ranks_agree(*resume))
        status = error_set(err, ABUT_ERROR_IO, r->checkpoint_path, "not all ranks see this file");
    if (status == ABUT_OK && *resume) status = run_load_checkpoint(r, err);
    if (status == ABUT_OK && r->frames.writes) status = atomic_write(path, text, strlen(text), err);
    free(text);
    return status;
}

static abut_status open_run(run *r, abut_error *err)
{
    const char *folder = r->options->folder;
    bool resume = false;
    path_record_enable(&r->frames.paths, r->sim);
    TRY(ranks_agree_on(open_folder(r, &resume, err), err));
    /* Again: a checkpoint with other meshes brings another stepper. */
    path_record_enable(&r->frames.paths, r->sim);
    TRY(ranks_check_state(r->sim, "in the checkpoint", err));
    if (!r->frames.writes) return ABUT_OK;
    int64_t last = r->sim->stepper->state.steps;
    char path[4096];
    path_join(path, sizeof path, folder, "steps.csv");
    TRY(table_open(&r->table, path, resume ? last : TABLE_NEW, err));
    atomic_remove_leftovers(folder);
    TRY(run_frames_open(&r->frames, r->sim, folder, resume ? last : SERIES_NEW, err));
    TRY(run_reactions_open(r, resume ? last : NAMED_TABLE_NEW, err));
    TRY(run_probes_open(r, resume ? last : NAMED_TABLE_NEW, err));
    if (!resume) {
        TRY(run_append_row(r, err));
        if (run_frames_due(r->sim->scene, 0)) TRY(run_frames_write(&r->frames, r->sim, err));
        TRY(run_save_checkpoint(r, err));
    }
    return ABUT_OK;
}

/* What the run shows of a step: row, frame, checkpoint. *go_on: no stop was requested. */
static abut_status show_step(run *r, int64_t total, bool *go_on, abut_error *err)
{
    const scene_def *scene = r->sim->scene;
    int64_t step = r->sim->stepper->state.steps;
    bool last = step == total;
    /* No more than about a minute is lost when the run is killed, unless one step takes longer. */
    bool late = ranks_any(timer_now() - r->checkpoint_time > 60);
    bool due =
        scene->output.checkpoint_every > 0 && (late || step % scene->output.checkpoint_every == 0);
    abut_step_info info;
    sim_info(r->sim, &info);
    *go_on = !r->options->progress || r->options->progress(r->options->progress_user, &info, total);
    *go_on = !ranks_any(!*go_on);          /* before anything that can fail on one rank alone */
    TRY(run_frames_wait(&r->frames, err)); /* a row is behind the frames of the rows before */
    TRY(run_append_row(r, err));
    TRY(run_reactions_append(r, err));
    TRY(run_probes_append(r, err));
    if (run_frames_due(scene, step) || (last && scene->output.frame_every > 0))
        TRY(run_frames_write(&r->frames, r->sim, err));
    return due || last || !*go_on ? run_save_checkpoint(r, err) : ABUT_OK;
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

/* The step has been undone: the run ends where it began. */
static abut_status stop_in_step(run *r, abut_error *err)
{
    timer_switch(&r->sim->stepper->timer, STAGE_OUTPUT);
    TRY(ranks_agree_on(run_save_checkpoint(r, err), err));
    return error_set(err, ABUT_INTERRUPTED, "", "interrupted in step %lld, which was undone",
                     (long long)r->sim->stepper->state.steps + 1);
}

static abut_status run_steps(run *r, abut_error *err)
{
    stepper *s = r->sim->stepper;
    int64_t total = sim_steps_total(r->sim);
    if (r->options->steps >= 0 && r->options->steps < total) total = r->options->steps;
    while (s->state.steps < total) {
        s->scratch.stop = (stop_request){r->options->stop, r->options->stop_user};
        abut_status status = sim_step(r->sim, err);
        s = r->sim->stepper; /* another one when the meshes have changed */
        s->scratch.stop = (stop_request){0};
        if (status == ABUT_INTERRUPTED) return stop_in_step(r, err);
        TRY(status);
        TRY(path_record_note(&r->frames.paths, s, err));
        TRY(run_totals_add(&r->totals, r->sim, err));
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

/* The first of two failures is the one that is reported. */
static abut_status first_failure(abut_status first, abut_status second, const abut_error *of_second,
                                 abut_error *error)
{
    if (first != ABUT_OK || second == ABUT_OK) return first;
    *error = *of_second;
    return second;
}

/* After the last step, whether the run came to its end or failed: the state that was reached. */
static abut_status finish(run *r, abut_status status, abut_error *error)
{
    const abut_sim *sim = r->sim;
    if (status == ABUT_ERROR_NOT_CONVERGED || status == ABUT_ERROR_OVERLAP) {
        run_save_checkpoint(r, NULL);
        if (sim->scene->output.frame_every > 0 && r->frames.step != sim->stepper->state.steps)
            run_frames_write(&r->frames, sim, NULL);
    }
    if (!r->frames.writes) return status;
    abut_error second;
    status = first_failure(status, run_frames_wait(&r->frames, &second), &second, error);
    const char *message = status == ABUT_OK ? NULL : error->message;
    return first_failure(status, run_write_summary(r, status, message, &second), &second, error);
}

static abut_status close_run(run *r, abut_status status, abut_error *error)
{
    if (r->table.stream) {
        abut_error second;
        status = first_failure(status, table_close(&r->table, &second), &second, error);
    }
    abut_error last;
    status = first_failure(status, run_reactions_close(r, &last), &last, error);
    status = first_failure(status, run_probes_close(r, &last), &last, error);
    run_frames_close(&r->frames);
    r->sim->stepper->path.enabled = false;
    array_free(&r->rss);
    return status;
}

abut_status sim_run(abut_sim *sim, const abut_run_options *options, abut_error *error)
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
               .totals = run_totals_none(),
               .frames.writes = ranks_index() == 0};
    abut_status status = open_run(r, error);
    if (status == ABUT_OK) status = finish(r, run_steps(r, error), error);
    status = close_run(r, status, error);
    mem_free(r);
    return status;
}

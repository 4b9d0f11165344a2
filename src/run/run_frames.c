#include "run/run_frames.h"

#include "base/file.h"
#include "sim/remesh.h"

static bool writes_volume(const abut_sim *sim)
{
    return scene_writes(sim->scene, FORMAT_VOLUME) && sim->stepper->model->sets.count > 0;
}

static abut_status prepare_frames(run_frames *f, const abut_sim *sim, abut_error *err)
{
    const model *m = sim->stepper->model;
    TRY(model_frame_init(&f->frame, m, err));
    if (sim->remesh) f->mesh_version = sim->remesh->version;
    if (writes_volume(sim)) return volume_frame_init(&f->volume, m, err);
    return ABUT_OK;
}

/* The frames of a scene whose meshes have changed are made anew. */
static abut_status renew_frames(run_frames *f, const abut_sim *sim, abut_error *err)
{
    if (!sim->remesh || sim->remesh->version == f->mesh_version) return ABUT_OK;
    TRY(run_frames_wait(f, err));
    model_frame_free(&f->frame);
    volume_frame_free(&f->volume);
    path_record_change_mesh(&f->paths);
    return prepare_frames(f, sim, err);
}

abut_status run_frames_wait(run_frames *f, abut_error *err)
{
    abut_status status = series_wait(&f->volume_series, err);
    abut_status other = series_wait(&f->series, status == ABUT_OK ? err : NULL);
    return status == ABUT_OK ? other : status;
}

abut_status run_frames_write(run_frames *f, const abut_sim *sim, abut_error *err)
{
    f->step = sim->stepper->state.steps;
    if (!f->writes) return ABUT_OK;
    TRY(renew_frames(f, sim, err));
    frame shown;
    if (f->volume.node.count > 0) {
        volume_frame_take(&f->volume, sim->stepper, &shown);
        TRY(frame_fields_choose_volume(&f->fields, &f->volume, sim->stepper,
                                       sim->scene->output.frame_fields, &shown, err));
        TRY(series_add_beside(&f->volume_series, &shown, err));
    }
    if (!scene_writes(sim->scene, FORMAT_VTU)) return ABUT_OK;
    model_frame_take(&f->frame, sim->stepper, &shown);
    TRY(frame_fields_choose(&f->fields, &f->frame, sim->stepper, sim->scene->output.frame_fields,
                            &shown, err));
    TRY(path_record_give(&f->paths, &f->frame, sim, &shown, err));
    TRY(series_add_beside(&f->series, &shown, err));
    path_record_clear(&f->paths);
    return ABUT_OK;
}

bool run_frames_due(const scene_def *scene, int64_t step)
{
    return scene->output.frame_every > 0 && step % scene->output.frame_every == 0;
}

abut_status run_frames_open(run_frames *f, const abut_sim *sim, const char *folder, int64_t last,
                            abut_error *err)
{
    char path[4096];
    TRY(series_open(&f->series, folder, last, err));
    f->series.write_obj = scene_writes(sim->scene, FORMAT_OBJ);
    path_join(path, sizeof path, folder, "frames");
    atomic_remove_leftovers(path);
    if (sim->scene->output.frame_every > 0) TRY(prepare_frames(f, sim, err));
    if (!writes_volume(sim)) return ABUT_OK;
    path_join(path, sizeof path, folder, "volume");
    TRY(directory_create(path, err));
    return series_open(&f->volume_series, path, last, err);
}

void run_frames_close(run_frames *f)
{
    series_close(&f->series);
    series_close(&f->volume_series);
    volume_frame_free(&f->volume);
    model_frame_free(&f->frame);
    frame_fields_free(&f->fields);
    path_record_free(&f->paths);
}

#include "verify/verify_run.h"

#include "base/file.h"
#include "output/between.h"
#include "output/series.h"
#include "scene/load.h"
#include "verify/verify_path.h"
#include "verify/verify_steps.h"
#include "verify/verify_volume.h"

#include <math.h>
#include <string.h>

/* The scene's l from its first frame: the diagonal of all points that belong to no obstacle; a
 * lone particle is as large as it is. */
static double size_of_frame(const frame *f, const scene_def *scene)
{
    const frame_field *body = frame_find(f, FRAME_POINTS, FIELD_BODY);
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    double diameter = 0;
    for (size_t i = 0; body && body->ints && i < f->point_count; i++) {
        int32_t left = body->ints[i];
        size_t b = 0;
        for (; b < scene->body_count; b++)
            if (scene->bodies[b].enabled && left-- == 0) break;
        if (b == scene->body_count || body_rows[scene->bodies[b].type]->obstacle) continue;
        low = vec3_min(low, f->points[i]);
        high = vec3_max(high, f->points[i]);
        if (scene->bodies[b].radius > 0) diameter = 2 * scene->bodies[b].radius;
    }
    double diagonal = low.x <= high.x ? vec3_norm(vec3_sub(high, low)) : 0;
    return diagonal > 0 ? diagonal : diameter;
}

/* Whether two frames have the same points and cells: meshes of a run may change. */
static bool same_mesh(const frame *a, const frame *b)
{
    if (a->point_count != b->point_count || a->block_count != b->block_count) return false;
    for (size_t i = 0; i < a->block_count; i++) {
        const cell_block *x = &a->blocks[i], *y = &b->blocks[i];
        if (x->kind != y->kind || x->count != y->count || x->nodes_per_cell != y->nodes_per_cell ||
            memcmp(x->nodes, y->nodes, x->count * (size_t)x->nodes_per_cell * sizeof *x->nodes) !=
                0)
            return false;
    }
    return true;
}

/* Intersections at moments between two frames; other numbers belong to the frames themselves. */
static abut_status check_between(run_verification *v, const stored_frame *last,
                                 const stored_frame *next, int moments, size_t most,
                                 abut_error *err)
{
    bool neighbours =
        next->frame.step == last->frame.step + 1 && same_mesh(&next->frame, &last->frame);
    if (!neighbours || moments == 0) return ABUT_OK;
    vec3 *points = mem_alloc(next->frame.point_count + 1, sizeof *points);
    if (!points) return error_memory(err, "verifying a run");
    frame moment = next->frame;
    moment.points = points;
    verify_setup setup = v->verifier.setup;
    setup.limits = NULL;
    verify_problems problems = {0};
    abut_status status = ABUT_OK;
    for (int k = 1; status == ABUT_OK && k <= moments; k++) {
        verify_result result;
        double s = (double)k / (moments + 1);
        status = frame_between(&last->frame, &next->frame, s, points, err);
        if (status == ABUT_OK)
            status = verify_frame(&moment, &setup, most, &result, &problems, err);
        if (status != ABUT_OK) break;
        v->moments++;
        v->between += result.intersections;
        for (size_t i = 0; i < problems.count; i++)
            if (problems.data[i].kind == VERIFY_INTERSECTION)
                v->between_depth = fmax(v->between_depth, problems.data[i].depth);
        array_clear(&problems);
    }
    array_free(&problems);
    mem_free(points);
    return status;
}

/* Moments between two frames, along the path that the second one keeps if it does. */
static abut_status check_moments(run_verification *v, const stored_frame *last,
                                 const stored_frame *next, int moments, size_t most,
                                 abut_error *err)
{
    if (!v->verifier.setup.contact) return ABUT_OK;
    bool path = next->frame.path.step_count > 0;
    if (!path && (v->paths || moments < 0)) return ABUT_OK;
    if (!path) return check_between(v, last, next, moments, most, err);
    v->paths = true;
    if (moments < 0) moments = PATH_MOMENTS;
    abut_error why;
    bool changed = !same_mesh(&last->frame, &next->frame);
    abut_status status = verify_path(v, &last->frame, &next->frame, changed, moments, most, &why);
    /* Frames of the surface do not show a mesh that has changed inside only. */
    if (status == ABUT_ERROR_INPUT && !changed && v->scene->remesh.on)
        status = verify_path(v, &last->frame, &next->frame, true, moments, most, &why);
    if (status == ABUT_ERROR_INPUT) /* not of these two frames: the others can be checked */
        return array_push(&v->broken, next->frame.step) ? ABUT_OK
                                                        : error_memory(err, "verifying a run");
    if (status != ABUT_OK && err) *err = why;
    return status;
}

/* last: the frame before, replaced by this one. */
static abut_status check_entry(run_verification *v, const char *path, size_t most, int between,
                               stored_frame *last, abut_error *err)
{
    stored_frame stored;
    TRY(frame_read(path, &stored, err));
    abut_status status = ABUT_OK;
    if (!v->verifier.names)
        status = scene_verifier_init(&v->verifier, v->scene, size_of_frame(&stored.frame, v->scene),
                                     err);
    verify_result result;
    if (status == ABUT_OK)
        status = verify_frame(&stored.frame, &v->verifier.setup, most, &result, &v->problems, err);
    if (status == ABUT_OK && last->points)
        status = check_moments(v, last, &stored, between, most, err);
    stored_frame_free(last);
    *last = stored;
    if (status != ABUT_OK) return error_add_place(err, path, status);
    if (!array_push(&v->frames, result)) return error_memory(err, "verifying a run");
    v->intersections += result.intersections;
    v->inverted += result.inverted;
    v->allowed_inverted += result.allowed_inverted;
    v->allowed_inside += result.allowed_inside;
    v->behind_planes += result.behind_planes;
    v->inside += result.inside;
    v->too_close += result.too_close;
    v->strained += result.strained;
    if (result.intersections + result.inverted + result.behind_planes + result.inside +
            result.too_close + result.strained >
        0)
        v->bad_frames++;
    if (result.min_distance < v->min_distance) {
        v->min_distance = result.min_distance;
        v->min_distance_step = result.step;
    }
    return ABUT_OK;
}

static abut_status check_folder(run_verification *v, const char *folder, size_t most, int between,
                                const logger *log, abut_error *err)
{
    char path[4096];
    if (!file_exists(folder))
        return error_set(err, ABUT_ERROR_IO, folder, "there is no such folder");
    path_join(path, sizeof path, folder, "scene.json");
    if (!file_exists(path))
        return error_set(err, ABUT_ERROR_INPUT, folder,
                         "no folder of results: it has no scene.json");
    TRY(scene_load(path, NULL, 0, log, &v->scene, err));
    frame_series series;
    TRY(series_find(&series, folder, err));
    abut_status status = ABUT_OK;
    stored_frame last = {0};
    for (size_t i = 0; status == ABUT_OK && i < series.entries.count; i++) {
        path_join(path, sizeof path, series.folder, series.entries.data[i].name);
        status = check_entry(v, path, most, between, &last, err);
    }
    stored_frame_free(&last);
    if (status == ABUT_OK) status = verify_steps(v, folder, &series, err);
    series_close(&series);
    return status == ABUT_OK ? verify_volume(v, folder, err) : status;
}

abut_status verify_run(const char *folder, size_t most, const logger *log, run_verification *out,
                       abut_error *err)
{
    return verify_run_between(folder, most, -1, log, out, err);
}

abut_status verify_run_between(const char *folder, size_t most, int between, const logger *log,
                               run_verification *out, abut_error *err)
{
    *out = (run_verification){.min_distance = INFINITY, .min_distance_step = -1};
    abut_status status = check_folder(out, folder, most, between, log, err);
    if (status != ABUT_OK) run_verification_free(out);
    return status;
}

void run_verification_free(run_verification *v)
{
    scene_verifier_free(&v->verifier);
    scene_free(v->scene);
    array_free(&v->frames);
    array_free(&v->problems);
    array_free(&v->missing);
    array_free(&v->broken);
    array_free(&v->strange);
    memset(v, 0, sizeof *v);
}

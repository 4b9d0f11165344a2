#include "api/verify_steps.h"
#include "api/verify_volume.h"
#include "api/verify_way.h"

#include "api/model_frame.h"
#include "base/file.h"
#include "material/law.h"
#include "output/between.h"
#include "output/series.h"
#include "scene/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- */
/* What the scene tells                                                                           */

void scene_verifier_free(scene_verifier *v)
{
    mem_free(v->setup.body_flags);
    mem_free(v->setup.body_group);
    mem_free(v->setup.invertible);
    mem_free(v->setup.planes);
    mem_free(v->setup.thickness);
    mem_free(v->setup.limits);
    mem_free(v->names);
    memset(v, 0, sizeof *v);
}

static verify_limit limit_of(const body_def *def)
{
    verify_limit limit = {.upper = INFINITY, .strains = {INFINITY, INFINITY, INFINITY}};
    limit.upper = def->shell.upper;
    limit.lower = def->shell.lower;
    limit.warp = def->shell.warp;
    limit.pattern = def->shell.rest == REST_PATTERN;
    if (def->shell.membrane == MEMBRANE_WORD_DATA_DRIVEN)
        for (int k = 0; k < 3; k++) limit.strains[k] = def->shell.strains[k];
    return limit;
}

/* Materials whose energy stays finite when a tet loses its volume. */
static bool allows_inversion(const body_def *body)
{
    return body_rows[body->type]->solid && !elastic_laws[body->material.model]->forbids_inversion;
}

abut_status scene_verifier_init(scene_verifier *v, const scene_def *scene, double size,
                                abut_error *err)
{
    *v = (scene_verifier){.size = size, .dhat = start_length(scene->dhat, size)};
    v->setup.contact = scene->contact_enabled;
    v->setup.radius = 2 * v->dhat;
    v->setup.body_flags = mem_calloc(scene->body_count + 1, 1);
    v->setup.body_group = mem_calloc(scene->body_count + 1, sizeof *v->setup.body_group);
    v->setup.invertible = mem_calloc(scene->body_count + 1, 1);
    v->setup.planes = mem_calloc(scene->half_space_count + 1, sizeof *v->setup.planes);
    v->names = mem_calloc(scene->body_count + 1, sizeof *v->names);
    v->setup.thickness = mem_calloc(scene->body_count + 1, sizeof *v->setup.thickness);
    v->setup.limits = mem_calloc(scene->body_count + 1, sizeof *v->setup.limits);
    if (!v->setup.body_flags || !v->setup.body_group || !v->setup.invertible || !v->setup.planes ||
        !v->names || !v->setup.thickness || !v->setup.limits) {
        scene_verifier_free(v);
        return error_memory(err, "preparing the check");
    }
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!scene->bodies[i].enabled) continue;
        v->names[v->setup.body_count] = scene->bodies[i].name;
        size_t b = v->setup.body_count++;
        v->setup.invertible[b] = allows_inversion(&scene->bodies[i]);
        v->setup.body_flags[b] = start_flags(scene->bodies[i].type);
        v->setup.body_group[b] = scene->bodies[i].collision_group;
        v->setup.thickness[b] = scene->bodies[i].offset;
        v->setup.radius = fmax(v->setup.radius, 2 * (v->dhat + scene->bodies[i].offset));
        v->setup.limits[b] = limit_of(&scene->bodies[i]);
    }
    for (size_t i = 0; i < scene->half_space_count; i++) {
        const half_space_def *plane = &scene->half_spaces[i];
        v->setup.planes[v->setup.plane_count++] =
            (verify_plane){plane->origin, vec3_normalize(plane->normal)};
    }
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* The start, and a state                                                                         */

enum { LOGGED = 10, MARKED = 100000 };

static abut_status mark_problems(const char *folder, const verify_problems *problems, frame *f,
                                 abut_error *err)
{
    int32_t *kind = mem_calloc(f->point_count + 1, sizeof *kind);
    double *depth = mem_calloc(f->point_count + 1, sizeof *depth);
    abut_status status = kind && depth ? ABUT_OK : error_memory(err, "marking problems");
    for (size_t i = 0; status == ABUT_OK && i < problems->count; i++) {
        const verify_problem *p = &problems->data[i];
        for (size_t k = 0; k < p->first_count + p->second_count; k++) {
            int32_t node = k < p->first_count ? p->first[k] : p->second[k - p->first_count];
            kind[node] |= 1 << p->kind;
            depth[node] = fmax(depth[node], p->depth);
        }
    }
    if (status == ABUT_OK) {
        char path[4096];
        path_join(path, sizeof path, folder, "start_problems.vtu");
        frame_add_ints(f, FRAME_POINTS, "problem", 1, kind);
        frame_add_doubles(f, FRAME_POINTS, "depth", 1, depth);
        status = directory_create(folder, err);
        if (status == ABUT_OK) status = frame_write_vtu(f, path, err);
    }
    mem_free(kind);
    mem_free(depth);
    return status;
}

static abut_status report_start(const abut_sim *sim, const scene_verifier *v, const char *folder,
                                const verify_result *found, const verify_problems *problems,
                                frame *f, abut_error *err)
{
    char text[400];
    const char *path = sim->scene->path;
    for (size_t i = 0; i < problems->count && i < LOGGED; i++) {
        verify_describe(&problems->data[i], v->names, text, sizeof text);
        log_message(&sim->log, ABUT_LOG_ERROR, "%s: at the start, %s", path, text);
    }
    char thickness[60] = "";
    if (found->too_close > 0)
        snprintf(thickness, sizeof thickness, ", %zu pair%s within the thickness", found->too_close,
                 found->too_close == 1 ? "" : "s");
    if (folder) TRY(mark_problems(folder, problems, f, err));
    verify_describe(&problems->data[0], v->names, text, sizeof text);
    return error_set(
        err, ABUT_ERROR_INFEASIBLE, path,
        "the start is infeasible: %zu intersection%s, %zu node%s inside bodies and %zu "
        "behind half spaces%s; the first: %s%s%s%s",
        found->intersections, found->intersections == 1 ? "" : "s", found->inside,
        found->inside == 1 ? "" : "s", found->behind_planes, thickness, text,
        folder ? "; all are marked in " : "", folder ? folder : "",
        folder ? "/start_problems.vtu" : "");
}

static void warn_of_large_dhat(const abut_sim *sim, double dhat)
{
    const collision_surface *s = &sim->stepper->model->surface;
    const model *m = sim->stepper->model;
    double shortest = INFINITY, thin = INFINITY;
    size_t count = 0, worst = 0;
    for (size_t i = 0; i < s->edge_length2.count; i++) {
        const model_body *body = &m->bodies.data[s->vertex_body.data[s->edges.data[2 * i]]];
        if (body_rows[body->kind]->obstacle || body->no_self_contact) continue;
        double length = sqrt(s->edge_length2.data[i]);
        shortest = fmin(shortest, length);
        if (!(body->offset > 0 && length < body->offset + dhat)) continue;
        count++;
        if (length - body->offset < thin) worst = i;
        thin = fmin(thin, length - body->offset);
    }
    if (count > 0) {
        const model_body *body = &m->bodies.data[s->vertex_body.data[s->edges.data[2 * worst]]];
        log_message(&sim->log, ABUT_LOG_WARNING,
                    "%s: %zu edges are shorter than offset + dhat, the worst %zu of body \"%s\" "
                    "(%g m, offset %g m, dhat %g m): neighbouring parts of one surface will repel "
                    "each other",
                    sim->scene->path, count, worst - body->first_edge, body->name,
                    sqrt(s->edge_length2.data[worst]), body->offset, dhat);
    } else if (dhat > shortest)
        log_message(&sim->log, ABUT_LOG_WARNING,
                    "%s: contact.dhat is %g m, more than the shortest edge of the simulated bodies "
                    "(%g m): neighbouring parts of one surface will repel each other",
                    sim->scene->path, dhat, shortest);
}

abut_status verify_start(const abut_sim *sim, const char *folder, abut_error *err)
{
    if (!sim->scene->contact_enabled) return ABUT_OK;
    scene_verifier v;
    model_frame mf = {0};
    verify_problems problems = {0};
    verify_result found;
    TRY(scene_verifier_init(&v, sim->scene, sim->stepper->model->extent, err));
    abut_status status = model_frame_init(&mf, sim->stepper->model, err);
    if (status == ABUT_OK) {
        warn_of_large_dhat(sim, v.dhat);
        frame f;
        model_frame_take(&mf, sim->stepper, &f);
        status = verify_frame(&f, &v.setup, MARKED, &found, &problems, err);
        if (status == ABUT_OK && problems.count > 0)
            status = report_start(sim, &v, folder, &found, &problems, &f, err);
    }
    array_free(&problems);
    model_frame_free(&mf);
    scene_verifier_free(&v);
    return status;
}

abut_status verify_state(const abut_sim *sim, verify_result *out, abut_error *err)
{
    scene_verifier v;
    model_frame mf = {0};
    verify_problems none = {0};
    TRY(scene_verifier_init(&v, sim->scene, sim->stepper->model->extent, err));
    abut_status status = model_frame_init(&mf, sim->stepper->model, err);
    if (status == ABUT_OK) {
        frame f;
        model_frame_take(&mf, sim->stepper, &f);
        status = verify_frame(&f, &v.setup, 0, out, &none, err);
    }
    model_frame_free(&mf);
    scene_verifier_free(&v);
    return status;
}

/* ---------------------------------------------------------------------------------------------- */
/* A folder of results                                                                            */

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

/* Moments between two frames, along the way that the second one keeps if it does. */
static abut_status check_moments(run_verification *v, const stored_frame *last,
                                 const stored_frame *next, int moments, size_t most,
                                 abut_error *err)
{
    if (!v->verifier.setup.contact) return ABUT_OK;
    bool way = next->frame.way.step_count > 0;
    if (!way && (v->ways || moments < 0)) return ABUT_OK;
    if (!way) return check_between(v, last, next, moments, most, err);
    v->ways = true;
    if (moments < 0) moments = WAY_MOMENTS;
    abut_error why;
    bool changed = !same_mesh(&last->frame, &next->frame);
    abut_status status = verify_way(v, &last->frame, &next->frame, changed, moments, most, &why);
    /* Frames of the surface do not show a mesh that has changed inside only. */
    if (status == ABUT_ERROR_INPUT && !changed && v->scene->remesh.on)
        status = verify_way(v, &last->frame, &next->frame, true, moments, most, &why);
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

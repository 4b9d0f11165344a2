#include "verify/verify_positions.h"

#include "base/file.h"
#include "measure/model_frame.h"

#include <math.h>
#include <stdio.h>

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

static abut_status report_start(const scene_def *scene, const logger *log, const scene_verifier *v,
                                const char *folder, const verify_result *found,
                                const verify_problems *problems, frame *f, abut_error *err)
{
    char text[400];
    const char *path = scene->path;
    for (size_t i = 0; i < problems->count && i < LOGGED; i++) {
        verify_describe(&problems->data[i], v->names, text, sizeof text);
        log_message(log, ABUT_LOG_ERROR, "%s: at the start, %s", path, text);
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

static void warn_of_large_dhat(const scene_def *scene, const model *m, const logger *log,
                               double dhat)
{
    const collision_surface *s = &m->surface;
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
        log_message(log, ABUT_LOG_WARNING,
                    "%s: %zu edges are shorter than offset + dhat, the worst %zu of body \"%s\" "
                    "(%g m, offset %g m, dhat %g m): neighbouring parts of one surface will repel "
                    "each other",
                    scene->path, count, worst - body->surface.first_edge, body->name,
                    sqrt(s->edge_length2.data[worst]), body->offset, dhat);
    } else if (dhat > shortest)
        log_message(log, ABUT_LOG_WARNING,
                    "%s: contact.dhat is %g m, more than the shortest edge of the simulated bodies "
                    "(%g m): neighbouring parts of one surface will repel each other",
                    scene->path, dhat, shortest);
}

abut_status verify_start(const scene_def *scene, const model *m, const double *x, const logger *log,
                         const char *folder, abut_error *err)
{
    if (!scene->options.contact) return ABUT_OK;
    scene_verifier v;
    model_frame mf = {0};
    verify_problems problems = {0};
    verify_result found;
    TRY(scene_verifier_init(&v, scene, m->extent, err));
    abut_status status = model_frame_init(&mf, m, err);
    if (status == ABUT_OK) {
        warn_of_large_dhat(scene, m, log, v.dhat);
        frame f;
        model_frame_at(&mf, m, x, &f);
        status = verify_frame(&f, &v.setup, MARKED, &found, &problems, err);
        if (status == ABUT_OK && problems.count > 0)
            status = report_start(scene, log, &v, folder, &found, &problems, &f, err);
    }
    array_free(&problems);
    model_frame_free(&mf);
    scene_verifier_free(&v);
    return status;
}

abut_status verify_positions(const scene_def *scene, const model *m, const double *x,
                             verify_result *out, abut_error *err)
{
    scene_verifier v;
    model_frame mf = {0};
    verify_problems none = {0};
    TRY(scene_verifier_init(&v, scene, m->extent, err));
    abut_status status = model_frame_init(&mf, m, err);
    if (status == ABUT_OK) {
        frame f;
        model_frame_at(&mf, m, x, &f);
        status = verify_frame(&f, &v.setup, 0, out, &none, err);
    }
    model_frame_free(&mf);
    scene_verifier_free(&v);
    return status;
}

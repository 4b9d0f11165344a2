#include "scene/build_cavity.h"

#include "base/ranks.h"
#include "scene/build_attachment.h"

#include <stdio.h>

/* What cannot carry cavities. */
static abut_status check_possible(const scene_def *scene, abut_error *err)
{
    const char *what = scene->options.use_mlcp ? "the stepper \"mlcp\""
                       : scene->remesh.on      ? "remeshing"
                       : ranks_divided()       ? "a run on several ranks"
                       : scene->planar         ? "a planar scene"
                                               : NULL;
    return what ? error_set(err, ABUT_ERROR_UNSUPPORTED, "", "%s cannot carry cavities", what)
                : ABUT_OK;
}

/* The triangles of a body's surface, between its nodes. */
static abut_status take_triangles(const model *m, model_cavity *out, abut_error *err)
{
    const model_body *body = &m->bodies.data[out->body];
    const collision_surface *s = &m->surface;
    for (size_t t = 0; t < 3 * body->surface.triangle_count; t++) {
        const surface_row *row =
            &s->rows.data[s->triangles.data[3 * body->surface.first_triangle + t]];
        if (row->kind != ROW_NODE)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "body",
                             "\"%.60s\" has a surface that is not one of its nodes; cavities are "
                             "for shells and for deformable bodies of linear tetrahedra",
                             body->name);
        if (!array_push(&out->triangles, row->block)) return error_memory(err, "adding a cavity");
    }
    return ABUT_OK;
}

static abut_status find_triangles(const model *m, model_cavity *out, abut_error *err)
{
    const model_body *body = &m->bodies.data[out->body];
    const double *rest = &m->rest.data[0].x;
    TRY(take_triangles(m, out, err));
    if (out->triangles.count == 0)
        return error_set(err, ABUT_ERROR_INPUT, "body", "\"%.60s\" has no triangles", body->name);
    abut_status closed = cavity_check_closed(out->triangles.data, out->triangles.count / 3, err);
    if (closed != ABUT_OK) return error_add_place(err, "body", closed);
    if (body_rows[body->kind]->solid) TRY(cavity_keep_inner(out, m->rest.count, rest, err));
    if (out->triangles.count == 0)
        return error_set(err, ABUT_ERROR_INPUT, "body",
                         "\"%.60s\" is solid: its surface encloses no cavity", body->name);
    out->volume = cavity_volume(out, rest);
    for (size_t t = 0; out->volume < 0 && t < out->triangles.count; t += 3) {
        int32_t *triangle = out->triangles.data + t, first = triangle[1];
        triangle[1] = triangle[2];
        triangle[2] = first;
    }
    out->volume = cavity_volume(out, rest);
    if (!(out->volume > 0))
        return error_set(err, ABUT_ERROR_INPUT, "body", "the cavity of \"%.60s\" has no volume",
                         body->name);
    return ABUT_OK;
}

static abut_status make_cavity(const cavity_def *def, const model *m, model_cavity *out,
                               abut_error *err)
{
    *out = (model_cavity){.body = build_find_body(m, def->body),
                          .pressure = def->pressure,
                          .outside = def->outside,
                          .exponent = def->exponent};
    if (out->body < 0)
        return error_set(err, ABUT_ERROR_INPUT, "body", "there is no body \"%.60s\"", def->body);
    if (def->amount && !(out->amount = expression_copy(def->amount)))
        return error_memory(err, "adding a cavity");
    return find_triangles(m, out, err);
}

abut_status build_cavities(const scene_def *scene, model *m, abut_error *err)
{
    for (size_t i = 0; i < scene->cavity_count; i++) {
        model_cavity made = {0};
        char place[300];
        snprintf(place, sizeof place, "%.200s: cavities[%zu]", scene->path, i);
        abut_status status = check_possible(scene, err);
        if (status == ABUT_OK) status = make_cavity(&scene->cavities[i], m, &made, err);
        if (status == ABUT_OK && !array_push(&m->cavities, made))
            status = error_memory(err, "adding a cavity");
        if (status != ABUT_OK) {
            cavity_free(&made);
            return error_add_place(err, place, status);
        }
    }
    return ABUT_OK;
}

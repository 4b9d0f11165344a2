#include "scene/build_flow.h"

#include "base/ranks.h"
#include "scene/build_attachment.h"

#include <stdio.h>

/* What cannot carry air and water. */
static abut_status check_possible(const scene_def *scene, abut_error *err)
{
    const char *what = scene->options.use_mlcp ? "the stepper \"mlcp\""
                       : scene->remesh.on      ? "remeshing"
                       : ranks_divided()       ? "a run on several ranks"
                       : scene->planar         ? "a planar scene"
                                               : NULL;
    return what ? error_set(err, ABUT_ERROR_UNSUPPORTED, "", "%s cannot carry winds and waters",
                            what)
                : ABUT_OK;
}

static bool is_obstacle(const model *m, int32_t body)
{
    return body_rows[m->bodies.data[body].kind]->obstacle;
}

/* The body of this name; without one -1. */
static abut_status find_body(const model *m, const char *name, int32_t *out, abut_error *err)
{
    *out = name ? build_find_body(m, name) : -1;
    if (name && *out < 0)
        return error_set(err, ABUT_ERROR_INPUT, "body", "there is no body \"%.60s\"", name);
    if (name && is_obstacle(m, *out))
        return error_set(err, ABUT_ERROR_INPUT, "body",
                         "\"%.60s\" is an obstacle: no force moves it", name);
    return ABUT_OK;
}

static abut_status make_wind(const wind_def *def, const model *m, model_wind *out, abut_error *err)
{
    int32_t body;
    TRY(find_body(m, def->body, &body, err));
    out->density = def->density;
    out->drag = def->drag;
    out->skin = def->skin;
    for (int k = 0; k < 3; k++)
        if (!(out->velocity[k] = expression_copy(def->velocity[k])))
            return error_memory(err, "adding wind");
    for (int32_t i = 0; i < (int32_t)m->bodies.count; i++)
        if ((body < 0 ? !is_obstacle(m, i) : i == body) && !array_push(&out->bodies, i))
            return error_memory(err, "adding wind");
    return ABUT_OK;
}

/* The body's triangles must enclose a volume. */
static abut_status check_closed(const model *m, int32_t body, abut_error *err)
{
    const model_body *b = &m->bodies.data[body];
    const int32_t *triangles = m->surface.triangles.data + 3 * b->surface.first_triangle;
    char place[100];
    snprintf(place, sizeof place, "body \"%.60s\"", b->name);
    if (b->surface.triangle_count == 0)
        return error_set(err, ABUT_ERROR_INPUT, place, "has no triangles; water acts on surfaces");
    abut_status closed = cavity_check_closed(triangles, b->surface.triangle_count, err);
    return closed == ABUT_OK ? ABUT_OK : error_add_place(err, place, closed);
}

static abut_status make_water(const water_def *def, vec3 gravity, const model *m, model_water *out,
                              abut_error *err)
{
    int32_t body;
    double g = vec3_norm(gravity);
    TRY(find_body(m, def->body, &body, err));
    if (!(g > 0))
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "water has no pressure without gravity: `gravity` is 0");
    out->up = vec3_scale(-1 / g, gravity);
    out->weight = g * def->density;
    if (!(out->level = expression_copy(def->level))) return error_memory(err, "adding water");
    for (int32_t i = 0; i < (int32_t)m->bodies.count; i++) {
        bool has = m->bodies.data[i].surface.triangle_count > 0 && !is_obstacle(m, i);
        if (body < 0 ? !has : i != body) continue;
        TRY(check_closed(m, i, err));
        if (!array_push(&out->bodies, i)) return error_memory(err, "adding water");
    }
    return ABUT_OK;
}

static abut_status build_wind(const scene_def *scene, size_t i, model *m, abut_error *err)
{
    model_wind made = {0};
    abut_status status = check_possible(scene, err);
    if (status == ABUT_OK) status = make_wind(&scene->flows.winds[i], m, &made, err);
    if (status == ABUT_OK && !array_push(&m->winds, made))
        status = error_memory(err, "adding wind");
    if (status != ABUT_OK) wind_free(&made);
    return status;
}

static abut_status build_water(const scene_def *scene, size_t i, model *m, abut_error *err)
{
    model_water made = {0};
    abut_status status = check_possible(scene, err);
    if (status == ABUT_OK)
        status = make_water(&scene->flows.waters[i], scene->options.gravity, m, &made, err);
    if (status == ABUT_OK && !array_push(&m->waters, made))
        status = error_memory(err, "adding water");
    if (status != ABUT_OK) water_free(&made);
    return status;
}

abut_status build_flows(const scene_def *scene, model *m, abut_error *err)
{
    char place[300];
    for (size_t i = 0; i < scene->flows.wind_count; i++) {
        abut_status status = build_wind(scene, i, m, err);
        snprintf(place, sizeof place, "%.200s: winds[%zu]", scene->path, i);
        if (status != ABUT_OK) return error_add_place(err, place, status);
    }
    for (size_t i = 0; i < scene->flows.water_count; i++) {
        abut_status status = build_water(scene, i, m, err);
        snprintf(place, sizeof place, "%.200s: waters[%zu]", scene->path, i);
        if (status != ABUT_OK) return error_add_place(err, place, status);
    }
    return ABUT_OK;
}

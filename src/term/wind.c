#include "term/wind.h"

#include "body/cavity.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* r across and along an element, and what each is a projection by: |v| P + v v^T / |v| is the
 * second derivative of |P r|^3 / 3. */
typedef struct split {
    vec3 across, along;
    mat3 across_by;
} split;

static split split_of(const wind_term *t, size_t e, vec3 r)
{
    const wind_patch *p = &t->patches[e];
    int count = t->on.elements.data[e].count;
    split s = {.across_by = mat3_identity(), .across = r};
    if (count == 1) return s;
    vec3 on_axis = vec3_scale(vec3_dot(r, p->axis), p->axis);
    mat3 by = mat3_outer(p->axis, p->axis);
    if (count == 2) return (split){vec3_sub(r, on_axis), on_axis, mat3_sub(mat3_identity(), by)};
    s = (split){on_axis, vec3_sub(r, on_axis), by};
    if (t->one_sided[e] && vec3_dot(r, p->axis) < 0) {
        s.across = (vec3){0};
        s.across_by = mat3_zero();
    }
    return s;
}

static vec3 relative_velocity(const wind_term *t, const evaluation *ev, size_t e, const vec3 *y)
{
    const surface_element *at = &t->on.elements.data[e];
    vec3 middle = {0};
    for (int k = 0; k < at->count; k++) middle = vec3_mul_add(middle, 1.0 / at->count, y[k]);
    vec3 moved = vec3_sub(middle, t->patches[e].start);
    return vec3_sub(vec3_scale(1 / ev->h, moved), t->patches[e].velocity);
}

static const model_wind *wind_of(const on_surface_term *on, size_t e)
{
    return &on->model->winds.data[on->elements.data[e].source];
}

static double cube(double v) { return v * v * v; }

static double energy(const on_surface_term *on, const evaluation *ev, size_t e, const vec3 *y)
{
    const wind_term *t = (const wind_term *)on;
    const model_wind *wind = wind_of(on, e);
    split s = split_of(t, e, relative_velocity(t, ev, e, y));
    double sum = wind->drag * cube(vec3_norm(s.across)) + wind->skin * cube(vec3_norm(s.along));
    return ev->h * wind->density * t->patches[e].area / 6 * sum;
}

/* factor (|v| P + v v^T / |v|) */
static mat3 curvature(vec3 v, mat3 by, double factor)
{
    double length = vec3_norm(v);
    if (length == 0) return mat3_zero();
    return mat3_add(mat3_scale(factor * length, by), mat3_scale(factor / length, mat3_outer(v, v)));
}

static void derivatives(const on_surface_term *on, const evaluation *ev, size_t e, const vec3 *y,
                        double *gradient, double *hessian)
{
    const wind_term *t = (const wind_term *)on;
    const model_wind *wind = wind_of(on, e);
    int count = on->elements.data[e].count;
    split s = split_of(t, e, relative_velocity(t, ev, e, y));
    double half = wind->density * t->patches[e].area / 2, share = 1.0 / count;
    vec3 force = vec3_scale(half * wind->drag * vec3_norm(s.across), s.across);
    force = vec3_mul_add(force, half * wind->skin * vec3_norm(s.along), s.along);
    for (int k = 0; k < count; k++) vec3_store(gradient + 3 * k, vec3_scale(share, force));
    const wind_patch *p = &t->patches[e];
    mat3 axis = mat3_outer(p->axis, p->axis);
    mat3 along_by = count == 3 ? mat3_sub(mat3_identity(), axis) : axis;
    double factor = half * share * share / ev->h;
    mat3 h = mat3_add(curvature(s.across, s.across_by, factor * wind->drag),
                      curvature(s.along, along_by, factor * wind->skin));
    for (int i = 0; i < 3 * count; i++)
        for (int j = 0; j < 3 * count; j++) hessian[3 * count * i + j] = h.m[i % 3][j % 3];
}

static const on_surface_functions functions = {energy, derivatives};

/* Area and axis of an element at the start of the step. */
static void measure(const wind_term *t, size_t e, wind_patch *out)
{
    const surface_element *at = &t->on.elements.data[e];
    const collision_surface *s = &t->on.model->surface;
    const vec3 *y = t->on.start;
    double width = s->width.count > 0 ? s->width.data[at->vertex[0]] : 0;
    vec3 a = y[at->vertex[0]], middle = a;
    *out = (wind_patch){.area = PI / 4 * width * width};
    if (at->count == 2) {
        vec3 edge = vec3_sub(y[at->vertex[1]], a);
        out->axis = vec3_normalize(edge);
        out->area = width * vec3_norm(edge);
        middle = vec3_mul_add(a, 0.5, edge);
    }
    if (at->count == 3) {
        vec3 u = vec3_sub(y[at->vertex[1]], a), v = vec3_sub(y[at->vertex[2]], a);
        vec3 area = vec3_scale(0.5, vec3_cross(u, v));
        out->area = vec3_norm(area);
        out->axis = out->area > 0 ? vec3_normalize(area) : (vec3){0};
        middle = vec3_mul_add(vec3_mul_add(a, 1.0 / 3, u), 1.0 / 3, v);
    }
    out->start = middle;
}

static void begin_step(term *base, const term_step *at)
{
    wind_term *t = (wind_term *)base;
    on_surface_begin_step(&t->on, at->x);
    t->bad = -1;
    for (size_t e = 0; e < t->on.elements.count; e++) {
        const model_wind *wind = wind_of(&t->on, e);
        wind_patch *p = &t->patches[e];
        double w[3];
        measure(t, e, p);
        for (int k = 0; k < 3; k++) {
            w[k] = expression_value(wind->velocity[k], p->start.x, p->start.y, p->start.z, at->end);
            if (!isfinite(w[k]) && t->bad < 0) {
                t->bad = t->on.elements.data[e].source;
                t->bad_time = at->end;
            }
        }
        p->velocity = vec3_load(w);
    }
}

static abut_status update(term *base, const double *x, abut_error *err)
{
    wind_term *t = (wind_term *)base;
    if (t->bad >= 0)
        return error_set(err, ABUT_ERROR_INPUT, "winds.velocity",
                         "of winds[%d] is not a number somewhere at t = %g s", t->bad, t->bad_time);
    return on_surface_update(base, x, err);
}

static void destroy(term *base)
{
    wind_term *t = (wind_term *)base;
    on_surface_free(&t->on);
    mem_free(t->patches);
    mem_free(t->one_sided);
    mem_free(t);
}

static abut_status by_start(term *base, const evaluation *ev, const double *x, const double *w,
                            double *out, abut_error *err)
{
    (void)base, (void)ev, (void)x, (void)w, (void)out;
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "winds", "no gradient: wind");
}

static const term_class wind_class = {.name = "wind",
                                      .update = update,
                                      .value = on_surface_value,
                                      .derivatives = on_surface_derivatives,
                                      .begin_step = begin_step,
                                      .by_start = by_start,
                                      .destroy = destroy};

static abut_status add_body(wind_term *t, int32_t body, int32_t source, abut_error *err)
{
    const body_surface *part = &t->on.model->bodies.data[body].surface;
    const int32_t *triangles = t->on.model->surface.triangles.data + 3 * part->first_triangle;
    size_t before = t->on.elements.count;
    TRY(on_surface_add_body(&t->on, body, true, source, err));
    size_t count = t->on.elements.count;
    bool *sided = mem_realloc(t->one_sided, count + 1, sizeof *sided);
    if (!sided) return error_memory(err, "adding wind");
    t->one_sided = sided;
    bool closed = part->triangle_count > 0 &&
                  cavity_check_closed(triangles, part->triangle_count, NULL) == ABUT_OK;
    for (size_t e = before; e < count; e++) sided[e] = closed;
    return ABUT_OK;
}

static abut_status fill(wind_term *t, const model *m, abut_error *err)
{
    TRY(on_surface_begin(&t->on, &wind_class, m, &functions, err));
    for (size_t i = 0; i < m->winds.count; i++)
        for (size_t k = 0; k < m->winds.data[i].bodies.count; k++)
            TRY(add_body(t, m->winds.data[i].bodies.data[k], (int32_t)i, err));
    t->patches = mem_calloc(t->on.elements.count + 1, sizeof *t->patches);
    if (!t->patches) return error_memory(err, "adding wind");
    t->bad = -1;
    return on_surface_finish(&t->on, err);
}

static abut_status create(const model *m, term **out, abut_error *err)
{
    wind_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "adding wind");
    abut_status status = fill(t, m, err);
    if (status == ABUT_OK)
        *out = &t->on.base;
    else
        destroy(&t->on.base);
    return status;
}

static bool has_wind(const model *m) { return m->winds.count > 0; }

const term_row wind_row = {.needed = has_wind, .create = create, .is_load = true};

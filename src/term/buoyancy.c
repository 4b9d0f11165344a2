#include "term/buoyancy.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

/* Of s^2, nothing cut off. */
static double whole_mean(const double s[3], double first[3], double second[3][3])
{
    double sum = s[0] + s[1] + s[2], mean = 0;
    for (int i = 0; i < 3; i++) {
        mean += (s[i] * s[i] + s[i] * sum) / 12;
        first[i] = (s[i] + sum) / 6;
        for (int j = 0; j < 3; j++) second[i][j] = (i == j ? 2.0 : 1.0) / 6;
    }
    return mean;
}

/* Corner k alone is wet: a^4 / (6 (a - b) (a - c)), by the derivatives of its logarithm. */
static double corner_mean(const double s[3], int k, double first[3], double second[3][3])
{
    int b = (k + 1) % 3, c = (k + 2) % 3;
    double a = s[k], p = 1 / (a - s[b]), q = 1 / (a - s[c]), mean = a * a * a * a * p * q / 6;
    double slope[3], bend[3][3] = {{0}};
    slope[k] = 4 / a - p - q;
    slope[b] = p;
    slope[c] = q;
    bend[k][k] = -4 / (a * a) + p * p + q * q;
    bend[k][b] = bend[b][k] = -p * p;
    bend[k][c] = bend[c][k] = -q * q;
    bend[b][b] = p * p;
    bend[c][c] = q * q;
    for (int i = 0; i < 3; i++) {
        first[i] = mean * slope[i];
        for (int j = 0; j < 3; j++) second[i][j] = mean * (slope[i] * slope[j] + bend[i][j]);
    }
    return mean;
}

double wet_mean(const double s[3], double first[3], double second[3][3])
{
    int wet = 0, last_wet = 0, last_dry = 0;
    for (int i = 0; i < 3; i++) {
        wet += s[i] > 0;
        if (s[i] > 0)
            last_wet = i;
        else
            last_dry = i;
    }
    memset(first, 0, 3 * sizeof *first);
    memset(second, 0, 9 * sizeof **second);
    if (wet == 0) return 0;
    if (wet == 1) return corner_mean(s, last_wet, first, second);
    double mean = whole_mean(s, first, second);
    if (wet == 3 || s[last_dry] == 0) return mean;
    /* The whole without the corner that is dry. */
    double dry[3] = {-s[0], -s[1], -s[2]}, by_dry[3], by_dry2[3][3];
    mean -= corner_mean(dry, last_dry, by_dry, by_dry2);
    for (int i = 0; i < 3; i++) {
        first[i] += by_dry[i];
        for (int j = 0; j < 3; j++) second[i][j] -= by_dry2[i][j];
    }
    return mean;
}

/* A triangle in water. */
typedef struct wet_triangle {
    double weight, area; /* N/m^3; seen from above, m^2 */
    double mean, first[3], second[3][3];
    vec3 up, by_area[3]; /* derivatives of the area by the corners */
} wet_triangle;

static wet_triangle triangle_of(const on_surface_term *on, size_t e, const vec3 *y)
{
    const buoyancy_term *t = (const buoyancy_term *)on;
    int32_t source = on->elements.data[e].source;
    const model_water *water = &on->model->waters.data[source];
    wet_triangle out = {.weight = water->weight, .up = water->up};
    double s[3];
    for (int k = 0; k < 3; k++) s[k] = t->level[source] - vec3_dot(water->up, y[k]);
    out.mean = wet_mean(s, out.first, out.second);
    for (int k = 0; k < 3; k++)
        out.by_area[k] =
            vec3_scale(0.5, vec3_cross(water->up, vec3_sub(y[(k + 2) % 3], y[(k + 1) % 3])));
    vec3 u = vec3_sub(y[1], y[0]), v = vec3_sub(y[2], y[0]);
    out.area = 0.5 * vec3_dot(water->up, vec3_cross(u, v));
    return out;
}

static double energy(const on_surface_term *on, const evaluation *ev, size_t e, const vec3 *y)
{
    (void)ev;
    wet_triangle w = triangle_of(on, e, y);
    return -0.5 * w.weight * w.area * w.mean;
}

/* Second derivative of area x mean by corners a and b. */
static mat3 corner_block(const wet_triangle *w, int a, int b)
{
    mat3 out = mat3_zero();
    const double up[3] = {w->up.x, w->up.y, w->up.z};
    double first[3], second[3];
    vec3_store(first, w->by_area[a]);
    vec3_store(second, w->by_area[b]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.m[i][j] = w->area * w->second[a][b] * up[i] * up[j] -
                          first[i] * w->first[b] * up[j] - w->first[a] * up[i] * second[j];
    if (a == b) return out;
    double sign = b == (a + 1) % 3 ? -0.5 : 0.5;
    return mat3_add(out, mat3_scale(sign * w->mean, mat3_cross(w->up)));
}

static void derivatives(const on_surface_term *on, const evaluation *ev, size_t e, const vec3 *y,
                        double *gradient, double *hessian)
{
    wet_triangle w = triangle_of(on, e, y);
    double factor = -0.5 * w.weight;
    for (int a = 0; a < 3; a++) {
        vec3 part = vec3_scale(w.mean, w.by_area[a]);
        part = vec3_mul_add(part, -w.area * w.first[a], w.up);
        vec3_store(gradient + 3 * a, vec3_scale(factor, part));
        for (int b = 0; b < 3; b++) {
            mat3 block = corner_block(&w, a, b);
            for (int i = 0; i < 9; i++)
                hessian[9 * (3 * a + i / 3) + 3 * b + i % 3] = factor * block.m[i / 3][i % 3];
        }
    }
    if (!ev->exact) psd_project(9, hessian);
}

static const on_surface_functions functions = {energy, derivatives};

static void begin_step(term *base, const term_step *at)
{
    buoyancy_term *t = (buoyancy_term *)base;
    t->bad = -1;
    for (size_t i = 0; i < t->on.model->waters.count; i++) {
        t->level[i] = expression_value(t->on.model->waters.data[i].level, 0, 0, 0, at->end);
        if (isfinite(t->level[i]) || t->bad >= 0) continue;
        t->bad = (int)i;
        t->bad_time = at->end;
    }
}

static abut_status update(term *base, const double *x, abut_error *err)
{
    buoyancy_term *t = (buoyancy_term *)base;
    if (t->bad >= 0)
        return error_set(err, ABUT_ERROR_INPUT, "waters.level",
                         "of waters[%d] is not a number at t = %g s", t->bad, t->bad_time);
    return on_surface_update(base, x, err);
}

static void destroy(term *base)
{
    buoyancy_term *t = (buoyancy_term *)base;
    on_surface_free(&t->on);
    mem_free(t->level);
    mem_free(t);
}

static const term_class buoyancy_class = {.name = "buoyancy",
                                          .update = update,
                                          .value = on_surface_value,
                                          .derivatives = on_surface_derivatives,
                                          .begin_step = begin_step,
                                          .destroy = destroy};

static abut_status fill(buoyancy_term *t, const model *m, abut_error *err)
{
    TRY(on_surface_begin(&t->on, &buoyancy_class, m, &functions, err));
    for (size_t i = 0; i < m->waters.count; i++)
        for (size_t k = 0; k < m->waters.data[i].bodies.count; k++)
            TRY(on_surface_add_body(&t->on, m->waters.data[i].bodies.data[k], false, (int32_t)i,
                                    err));
    t->level = mem_calloc(m->waters.count + 1, sizeof *t->level);
    if (!t->level) return error_memory(err, "adding water");
    begin_step(&t->on.base, &(term_step){0});
    return on_surface_finish(&t->on, err);
}

static abut_status create(const model *m, term **out, abut_error *err)
{
    buoyancy_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "adding water");
    abut_status status = fill(t, m, err);
    if (status == ABUT_OK)
        *out = &t->on.base;
    else
        destroy(&t->on.base);
    return status;
}

static bool has_water(const model *m) { return m->waters.count > 0; }

const term_row buoyancy_row = {.needed = has_water, .create = create, .is_load = true};

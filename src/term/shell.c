#include "term/shell.h"
#include "term/keep.h"
#include "term/term_row.h"

#include "fem/hinge.h"
#include "math/eigen.h"
#include "math/svd.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------- */
/* Membrane                                                                                       */

static const membrane_parameters *material_of(const model *m, size_t e)
{
    return &m->bodies.data[m->codim.triangle_body.data[e]].membrane;
}

static double membrane_element_energy(const element_term *t, const double *x, size_t e)
{
    vec3 corners[3];
    element_term_positions(t, x, e, corners);
    return tri3_energy(&t->model->codim.triangle_rest.data[e], material_of(t->model, e), corners);
}

static void membrane_element_evaluate(const element_term *t, const double *x, size_t e,
                                      double factor, bool project, double *gradient,
                                      double *hessian)
{
    vec3 corners[3];
    element_term_positions(t, x, e, corners);
    tri3_evaluate(&t->model->codim.triangle_rest.data[e], material_of(t->model, e), corners, factor,
                  project, (vec3 *)gradient, (mat3 *)hessian);
}

static double membrane_element_step(const element_term *t, const double *x, const double *p,
                                    size_t e, double limit)
{
    const membrane_parameters *material = material_of(t->model, e);
    if (material->model != MEMBRANE_DATA_DRIVEN) return limit;
    const tri3_rest *rest = &t->model->codim.triangle_rest.data[e];
    vec3 corners[3], moves[3], f[2], d[2];
    element_term_positions(t, x, e, corners);
    element_term_positions(t, p, e, moves);
    tri3_deformation(rest, corners, f);
    tri3_deformation(rest, moves, d);
    return membrane_max_step(material, f[0], f[1], d[0], d[1], KEEP_ROOM, limit);
}

static const term_class membrane_class = {.name = "membrane",
                                          .value = element_term_value,
                                          .derivatives = element_term_derivatives,
                                          .max_step = element_term_max_step,
                                          .destroy = element_term_destroy};

abut_status membrane_create(const model *m, term **out, abut_error *err)
{
    static const element_functions functions = {membrane_element_energy, membrane_element_evaluate,
                                                membrane_element_step};
    element_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the membrane term");
    element_term_init(t, &membrane_class, m, &functions, 3, m->codim.triangle_rest.count,
                      m->codim.triangles.data);
    *out = &t->base;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Bending                                                                                        */

static double bending_element_energy(const element_term *t, const double *x, size_t e)
{
    const hinge_rest *rest = &t->model->codim.hinge_rest.data[e];
    vec3 v[4];
    element_term_positions(t, x, e, v);
    double change = hinge_angle(v) - rest->angle;
    return 0.5 * rest->stiffness * change * change;
}

/* Below this change of the angle (rad) the curvature of theta is a small part of the stiffness, and
 * the rest, grad grad^T, is semi-definite without any projection. */
static const double SMALL_ANGLE = 0.1;

/* stiffness grad grad^T as blocks. */
static void store_outer(const vec3 g[4], double stiffness, double *hessian)
{
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++, hessian += 9) {
            mat3 block = mat3_outer(vec3_scale(stiffness, g[a]), g[b]);
            memcpy(hessian, block.m, sizeof block.m);
        }
}

/* stiffness grad grad^T + moment grad^2 theta. */
static void store_curved(const vec3 x[4], vec3 g[4], double stiffness, double moment,
                         double *hessian)
{
    double dense[144];
    hinge_hessian(x, g, dense);
    for (size_t i = 0; i < 144; i++) dense[i] *= moment;
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < 4; b++) {
            mat3 block = mat3_outer(vec3_scale(stiffness, g[a]), g[b]);
            for (size_t i = 0; i < 9; i++)
                dense[12 * (3 * a + i / 3) + 3 * b + i % 3] += block.m[i / 3][i % 3];
        }
    stencil_store_blocks(4, dense, hessian);
}

static void bending_element_evaluate(const element_term *t, const double *x, size_t e,
                                     double factor, bool project, double *gradient, double *hessian)
{
    const hinge_rest *rest = &t->model->codim.hinge_rest.data[e];
    double stiffness = factor * rest->stiffness;
    vec3 v[4], g[4];
    element_term_positions(t, x, e, v);
    double angle = hinge_gradient(v, g), moment = stiffness * (angle - rest->angle);
    if (gradient)
        for (int k = 0; k < 4; k++) vec3_store(gradient + 3 * k, vec3_scale(moment, g[k]));
    if (!hessian) return;
    if (!project) {
        store_curved(v, g, stiffness, moment, hessian);
        return;
    }
    if (fabs(angle - rest->angle) < SMALL_ANGLE) {
        store_outer(g, stiffness, hessian);
        return;
    }
    hinge_semidefinite(v, stiffness, moment, (mat3 *)hessian);
}

static const term_class bending_class = {.name = "bending",
                                         .value = element_term_value,
                                         .derivatives = element_term_derivatives,
                                         .destroy = element_term_destroy};

abut_status bending_create(const model *m, term **out, abut_error *err)
{
    static const element_functions functions = {bending_element_energy, bending_element_evaluate,
                                                NULL};
    element_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the bending term");
    element_term_init(t, &bending_class, m, &functions, 4, m->codim.hinge_rest.count,
                      m->codim.hinges.data);
    *out = &t->base;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */

stretch_range shell_stretch(const model *m, const double *x)
{
    stretch_range range = {1, 1, 1, 1};
    const codim_elements *c = &m->codim;
    size_t stretched = 0, compressed = 0;
    double sum_stretched = 0, sum_compressed = 0;
    for (size_t e = 0; e < c->triangle_rest.count; e++) {
        vec3 corners[3], f[2];
        for (size_t k = 0; k < 3; k++)
            corners[k] = vec3_load(x + 3 * (size_t)c->triangles.data[3 * e + k]);
        double s[2];
        tri3_deformation(&c->triangle_rest.data[e], corners, f);
        svd32_values(f[0], f[1], s);
        if (e == 0 || s[0] > range.largest) range.largest = s[0];
        if (e == 0 || s[1] < range.smallest) range.smallest = s[1];
        if (s[0] > 1) {
            sum_stretched += s[0];
            stretched++;
        }
        if (s[1] < 1) {
            sum_compressed += s[1];
            compressed++;
        }
    }
    if (stretched) range.mean_largest = sum_stretched / (double)stretched;
    if (compressed) range.mean_smallest = sum_compressed / (double)compressed;
    return range;
}

static bool has_triangles(const model *m) { return m->codim.triangle_rest.count > 0; }
static bool has_hinges(const model *m) { return m->codim.hinge_rest.count > 0; }

const term_row membrane_row = {
    .needed = has_triangles, .create = membrane_create, .damping = TERM_DAMPED_STRETCH};
const term_row bending_row = {
    .needed = has_hinges, .create = bending_create, .damping = TERM_DAMPED_BENDING};

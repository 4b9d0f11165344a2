#include "term/rod.h"
#include "term/term_row.h"

#include "fem/rod.h"
#include "math/eigen.h"

static double stretch_energy(const element_term *t, const double *x, size_t e)
{
    const segment_rest *rest = &t->model->codim.segment_rest.data[e];
    vec3 v[2];
    element_term_positions(t, x, e, v);
    return segment_energy(v, rest->length, rest->stiffness);
}

static void stretch_evaluate(const element_term *t, const double *x, size_t e, double factor,
                             bool project, double *gradient, double *hessian)
{
    const segment_rest *rest = &t->model->codim.segment_rest.data[e];
    vec3 v[2];
    element_term_positions(t, x, e, v);
    segment_evaluate(v, rest->length, rest->stiffness, factor, project, (vec3 *)gradient,
                     (mat3 *)hessian);
}

static double joint_energy(const element_term *t, const double *x, size_t e)
{
    vec3 v[3];
    element_term_positions(t, x, e, v);
    return bend_energy(v, t->model->codim.joint_stiffness.data[e]);
}

static void joint_evaluate(const element_term *t, const double *x, size_t e, double factor,
                           bool project, double *gradient, double *hessian)
{
    vec3 v[3];
    double dense[81];
    element_term_positions(t, x, e, v);
    bend_evaluate(v, factor * t->model->codim.joint_stiffness.data[e], (vec3 *)gradient,
                  hessian ? dense : NULL);
    if (!hessian) return;
    if (project) psd_project_stencil(3, dense);
    stencil_store_blocks(3, dense, hessian);
}

static const term_class stretch_class = {.name = "rod stretch",
                                         .value = element_term_value,
                                         .derivatives = element_term_derivatives,
                                         .destroy = element_term_destroy};
static const term_class bend_class = {.name = "rod bending",
                                      .value = element_term_value,
                                      .derivatives = element_term_derivatives,
                                      .destroy = element_term_destroy};

abut_status rod_stretch_create(const model *m, term **out, abut_error *err)
{
    static const element_functions functions = {stretch_energy, stretch_evaluate, NULL};
    element_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the term of rods");
    element_term_init(t, &stretch_class, m, &functions, 2, m->codim.segment_rest.count,
                      m->codim.segments.data);
    *out = &t->base;
    return ABUT_OK;
}

abut_status rod_bend_create(const model *m, term **out, abut_error *err)
{
    static const element_functions functions = {joint_energy, joint_evaluate, NULL};
    element_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the term of rods");
    element_term_init(t, &bend_class, m, &functions, 3, m->codim.joint_stiffness.count,
                      m->codim.joints.data);
    *out = &t->base;
    return ABUT_OK;
}

static bool has_segments(const model *m) { return m->codim.segment_rest.count > 0; }
static bool has_joints(const model *m) { return m->codim.joint_stiffness.count > 0; }

const term_row rod_stretch_row = {
    .needed = has_segments, .create = rod_stretch_create, .damping = TERM_DAMPED_STRETCH};
const term_row rod_bend_row = {
    .needed = has_joints, .create = rod_bend_create, .damping = TERM_DAMPED_BENDING};

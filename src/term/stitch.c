#include "term/stitch.h"
#include "term/term_row.h"

#include <string.h>

static void weights(const stitch_rest *rest, double w[3])
{
    w[0] = 1;
    w[1] = -(1 - rest->ratio);
    w[2] = -rest->ratio;
}

static vec3 gap(const element_term *t, const double *x, size_t e, const double w[3])
{
    vec3 v[3], sum = {0, 0, 0};
    element_term_positions(t, x, e, v);
    for (int k = 0; k < 3; k++) sum = vec3_mul_add(sum, w[k], v[k]);
    return sum;
}

static double energy(const element_term *t, const double *x, size_t e)
{
    const stitch_rest *rest = &t->model->codim.stitch_rest.data[e];
    double w[3];
    weights(rest, w);
    return 0.5 * rest->stiffness * vec3_norm2(gap(t, x, e, w));
}

static void evaluate(const element_term *t, const double *x, size_t e, double factor, bool project,
                     double *gradient, double *hessian)
{
    (void)project; /* quadratic */
    const stitch_rest *rest = &t->model->codim.stitch_rest.data[e];
    double w[3], stiffness = factor * rest->stiffness;
    weights(rest, w);
    vec3 force = vec3_scale(stiffness, gap(t, x, e, w));
    for (int a = 0; gradient && a < 3; a++) vec3_store(gradient + 3 * a, vec3_scale(w[a], force));
    for (int a = 0; hessian && a < 3; a++)
        for (int b = a; b < 3; b++, hessian += 9) {
            mat3 block = mat3_scale(stiffness * w[a] * w[b], mat3_identity());
            memcpy(hessian, block.m, sizeof block.m);
        }
}

static const term_class stitch_class = {.name = "stitches",
                                        .value = element_term_value,
                                        .derivatives = element_term_derivatives,
                                        .destroy = element_term_destroy};

abut_status stitch_create(const model *m, term **out, abut_error *err)
{
    static const element_functions functions = {energy, evaluate, NULL};
    element_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the term of stitches");
    element_term_init(t, &stitch_class, m, &functions, 3, m->codim.stitch_rest.count,
                      m->codim.stitches.data);
    *out = &t->base;
    return ABUT_OK;
}

static bool has_stitches(const model *m) { return m->codim.stitch_rest.count > 0; }

const term_row stitch_row = {.needed = has_stitches, .create = stitch_create};

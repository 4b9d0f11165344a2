/* A term that abut does not have: every node with mass hangs on a spring from where it rests,
 * k m/2 |x - rest|^2. This file, and one row of terms.h, is all that it takes. */
#include "base/memory.h"
#include "term/element.h"
#include "term/term_row.h"

#include <string.h>

static const double STIFFNESS = 100; /* k, 1/s^2 */

typedef struct tether_term {
    element_term element;
    ARRAY(int32_t) nodes;
} tether_term;

static vec3 away(const element_term *t, const double *x, size_t e, double *stiffness)
{
    size_t node = (size_t)t->base.groups[0].blocks[e];
    *stiffness = STIFFNESS * t->model->mass.data[node];
    return vec3_sub(vec3_load(x + 3 * node), t->model->rest.data[node]);
}

static double energy(const element_term *t, const double *x, size_t e)
{
    double k;
    vec3 d = away(t, x, e, &k);
    return 0.5 * k * vec3_norm2(d);
}

static void evaluate(const element_term *t, const double *x, size_t e, double factor, bool project,
                     double *gradient, double *hessian)
{
    (void)project; /* quadratic */
    double k;
    vec3 d = away(t, x, e, &k);
    if (gradient) vec3_store(gradient, vec3_scale(factor * k, d));
    for (int i = 0; hessian && i < 9; i++) hessian[i] = i % 4 == 0 ? factor * k : 0;
}

static void destroy(term *base)
{
    array_free(&((tether_term *)base)->nodes);
    mem_free(base);
}

static const term_class tether_class = {.name = "tether",
                                        .value = element_term_value,
                                        .derivatives = element_term_derivatives,
                                        .destroy = destroy};

static bool needed(const model *m) { return m->rest.count > 0; }

static abut_status create(const model *m, term **out, abut_error *err)
{
    static const element_functions functions = {energy, evaluate, NULL};
    tether_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating tethers");
    *out = &t->element.base;
    bool ok = true;
    for (size_t i = 0; ok && i < m->rest.count; i++)
        if (m->mass.data[i] > 0) ok = array_push(&t->nodes, (int32_t)i);
    element_term_init(&t->element, &tether_class, m, &functions, 1, t->nodes.count, t->nodes.data);
    if (ok) return ABUT_OK;
    destroy(*out);
    return error_memory(err, "creating tethers");
}

const term_row tether_row = {.needed = needed, .create = create};

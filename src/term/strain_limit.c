#include "term/strain_limit.h"
#include "term/keep.h"
#include "term/term_row.h"

#include <math.h>
#include <string.h>

static const double KAPPA_START = 1e3, KAPPA_MAX = 1e5; /* Pa */
static const double CLOSE = 1e-4;                       /* of the width of the barrier */

static const strain_limit *limit_of(const strain_limit_term *t, size_t e)
{
    const model *m = t->element.model;
    return &m->bodies.data[m->codim.triangle_body.data[t->triangles.data[e]]].limit;
}

static const tri3_rest *rest_of(const strain_limit_term *t, size_t e)
{
    return &t->element.model->codim.triangle_rest.data[t->triangles.data[e]];
}

static double energy(const element_term *base, const double *x, size_t e)
{
    const strain_limit_term *t = (const strain_limit_term *)base;
    vec3 corners[3];
    element_term_positions(base, x, e, corners);
    return t->kappa * tri3_limit_energy(rest_of(t, e), limit_of(t, e), corners);
}

static void evaluate(const element_term *base, const double *x, size_t e, double factor,
                     bool project, double *gradient, double *hessian)
{
    const strain_limit_term *t = (const strain_limit_term *)base;
    vec3 corners[3];
    element_term_positions(base, x, e, corners);
    tri3_limit_evaluate(rest_of(t, e), limit_of(t, e), corners, factor * t->kappa, project,
                        (vec3 *)gradient, (mat3 *)hessian);
}

static double max_step(const element_term *base, const double *x, const double *p, size_t e,
                       double limit)
{
    const strain_limit_term *t = (const strain_limit_term *)base;
    vec3 corners[3], moves[3], f[2], d[2];
    element_term_positions(base, x, e, corners);
    element_term_positions(base, p, e, moves);
    tri3_deformation(rest_of(t, e), corners, f);
    tri3_deformation(rest_of(t, e), moves, d);
    return strain_limit_max_step(limit_of(t, e), f[0], f[1], d[0], d[1], KEEP_ROOM, limit);
}

static bool adapt(term *base, const double *x)
{
    strain_limit_term *t = (strain_limit_term *)base;
    bool grow = false;
    for (size_t e = 0; e < t->triangles.count; e++) {
        vec3 corners[3], f[2];
        element_term_positions(&t->element, x, e, corners);
        tri3_deformation(rest_of(t, e), corners, f);
        bool close = strain_limit_room(limit_of(t, e), f[0], f[1]) < CLOSE;
        grow = grow || (close && t->close[e]);
        t->close[e] = close;
    }
    if (!grow || t->kappa >= KAPPA_MAX) return false;
    t->kappa = fmin(KAPPA_MAX, 2 * t->kappa);
    return true;
}

void strain_limit_begin_step(strain_limit_term *t) { memset(t->close, 0, t->triangles.count); }

static void begin_step(term *base, const term_step *at)
{
    (void)at;
    strain_limit_begin_step((strain_limit_term *)base);
}

static term_state state(term *base)
{
    return (term_state){"kappa_strain", &((strain_limit_term *)base)->kappa, 1};
}

static void destroy(term *base)
{
    strain_limit_term *t = (strain_limit_term *)base;
    array_free(&t->triangles);
    array_free(&t->blocks);
    mem_free(t->close);
    mem_free(t);
}

static const term_class strain_limit_class = {.name = "strain limit",
                                              .value = element_term_value,
                                              .derivatives = element_term_derivatives,
                                              .max_step = element_term_max_step,
                                              .obstructions = strain_limit_obstructions,
                                              .adapt = adapt,
                                              .begin_step = begin_step,
                                              .state = state,
                                              .destroy = destroy};

bool strain_limit_needed(const model *m)
{
    for (size_t e = 0; e < m->codim.triangle_body.count; e++)
        if (strain_limit_exists(&m->bodies.data[m->codim.triangle_body.data[e]].limit)) return true;
    return false;
}

static bool list_triangles(strain_limit_term *t, const model *m)
{
    for (size_t e = 0; e < m->codim.triangle_rest.count; e++) {
        if (!strain_limit_exists(&m->bodies.data[m->codim.triangle_body.data[e]].limit)) continue;
        if (!array_push(&t->triangles, (int32_t)e)) return false;
        for (size_t k = 0; k < 3; k++)
            if (!array_push(&t->blocks, m->codim.triangles.data[3 * e + k])) return false;
    }
    t->close = mem_calloc(t->triangles.count + 1, 1);
    return t->close != NULL;
}

abut_status strain_limit_create(const model *m, strain_limit_term **out, abut_error *err)
{
    static const element_functions functions = {energy, evaluate, max_step};
    strain_limit_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the strain limit");
    if (!list_triangles(t, m)) {
        destroy(&t->element.base);
        return error_memory(err, "creating the strain limit");
    }
    t->kappa = KAPPA_START;
    element_term_init(&t->element, &strain_limit_class, m, &functions, 3, t->triangles.count,
                      t->blocks.data);
    *out = t;
    return ABUT_OK;
}

static abut_status create_term(const model *m, term **out, abut_error *err)
{
    strain_limit_term *t = NULL;
    TRY(strain_limit_create(m, &t, err));
    *out = &t->element.base;
    return ABUT_OK;
}

const term_row strain_limit_row = {
    .needed = strain_limit_needed, .create = create_term, .is_limit = true};

#include "term/cavity.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

static double gas_energy(const model_cavity *c, double amount, double volume)
{
    if (!(volume > 0)) return INFINITY;
    double l = log(c->volume / volume), e = c->exponent - 1;
    double work = e > 0 ? expm1(e * l) / e : l;
    return amount * c->pressure * c->volume * work + c->outside * (volume - c->volume);
}

static double gas_pressure(const model_cavity *c, double amount, double volume)
{
    return amount * c->pressure * pow(c->volume / volume, c->exponent);
}

static abut_status update(term *base, const double *x, abut_error *err)
{
    cavity_term *t = (cavity_term *)base;
    if (t->bad >= 0)
        return error_set(err, ABUT_ERROR_INPUT, "cavities.amount",
                         "is %g at t = %g s; it must be above 0", t->amount[t->bad], t->bad_time);
    for (size_t k = 0; k < t->model->cavities.count; k++) {
        const model_cavity *c = &t->model->cavities.data[k];
        double volume = cavity_volume(c, x);
        t->gas[k] = (cavity_gas){volume, gas_pressure(c, t->amount[k], volume)};
    }
    return ABUT_OK;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    const cavity_term *t = (const cavity_term *)base;
    double sum = 0;
    for (size_t k = 0; k < t->model->cavities.count; k++) {
        const model_cavity *c = &t->model->cavities.data[k];
        sum += gas_energy(c, t->amount[k], cavity_volume(c, x));
    }
    return ev->force_factor * sum;
}

/* The derivative of the area vector by corner j is the cross product with the edge across. */
static void load_triangle(const int32_t *nodes, const double *x, vec3 *area, vec3 across[3])
{
    vec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = vec3_load(x + 3 * (size_t)nodes[k]);
    for (int k = 0; k < 3; k++) across[k] = vec3_sub(p[(k + 2) % 3], p[(k + 1) % 3]);
    *area = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
}

/* factor x the symmetric part of d(N/6)/dx. */
static void triangle_hessian(const vec3 across[3], double factor, bool project, double *blocks)
{
    double dense[81];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            mat3 block =
                mat3_scale(factor / 12, mat3_sub(mat3_cross(across[b]), mat3_cross(across[a])));
            for (int i = 0; i < 9; i++)
                dense[9 * (3 * a + i / 3) + 3 * b + i % 3] = block.m[i / 3][i % 3];
        }
    if (project) psd_project(9, dense);
    stencil_store_blocks(3, dense, blocks);
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const cavity_term *t = (const cavity_term *)base;
    const model_cavity *c = &t->model->cavities.data[group];
    double factor = -ev->force_factor * (t->gas[group].pressure - c->outside);
    for (size_t e = begin; e < end; e++) {
        vec3 area, across[3];
        load_triangle(c->triangles.data + 3 * e, x, &area, across);
        for (size_t k = 0; gradient && k < 3; k++)
            vec3_store(gradient + 9 * (e - begin) + 3 * k, vec3_scale(factor / 6, area));
        if (hessian) triangle_hessian(across, factor, !ev->exact, hessian + 54 * (e - begin));
    }
}

static bool low_rank(const term *base, const evaluation *ev, int k, const double *x, double *u)
{
    const cavity_term *t = (const cavity_term *)base;
    if (k >= (int)t->model->cavities.count) return false;
    const model_cavity *c = &t->model->cavities.data[k];
    const cavity_gas *gas = &t->gas[k];
    double factor = sqrt(ev->force_factor * c->exponent * gas->pressure / gas->volume) / 6;
    memset(u, 0, 3 * t->model->rest.count * sizeof *u);
    for (size_t e = 0; e < c->triangles.count; e += 3) {
        const int32_t *nodes = c->triangles.data + e;
        vec3 area, across[3];
        load_triangle(nodes, x, &area, across);
        for (int i = 0; i < 3; i++) {
            double *at = u + 3 * (size_t)nodes[i];
            vec3_store(at, vec3_mul_add(vec3_load(at), factor, area));
        }
    }
    return true;
}

static void begin_step(term *base, const term_step *at)
{
    cavity_term *t = (cavity_term *)base;
    t->bad = -1;
    for (size_t k = 0; k < t->model->cavities.count; k++) {
        const expression *amount = t->model->cavities.data[k].amount;
        t->amount[k] = amount ? expression_value(amount, 0, 0, 0, at->end) : 1;
        if (!(t->amount[k] > 0 && isfinite(t->amount[k])) && t->bad < 0) {
            t->bad = (int)k;
            t->bad_time = at->end;
        }
    }
}

/* The amounts of gas are what the last step ended with. */
static term_state state(term *base)
{
    cavity_term *t = (cavity_term *)base;
    return (term_state){"cavity_amount", t->amount, t->model->cavities.count};
}

static void destroy(term *base) { mem_free(base); }

static const term_class cavity_class = {.name = "cavities",
                                        .update = update,
                                        .value = value,
                                        .derivatives = derivatives,
                                        .low_rank = low_rank,
                                        .begin_step = begin_step,
                                        .state = state,
                                        .destroy = destroy};

const cavity_term *cavity_term_of(const term *t)
{
    return t && t->class == &cavity_class ? (const cavity_term *)t : NULL;
}

static abut_status create(const model *m, term **out, abut_error *err)
{
    cavity_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the term of cavities");
    t->base = (term){.class = &cavity_class, .group_count = (int)m->cavities.count};
    t->model = m;
    for (size_t k = 0; k < m->cavities.count; k++) {
        const model_cavity *c = &m->cavities.data[k];
        t->base.groups[k] = (stencil_group){3, c->triangles.count / 3, c->triangles.data};
    }
    begin_step(&t->base, &(term_step){0});
    abut_status status = ABUT_OK;
    if (t->bad >= 0) status = update(&t->base, NULL, err);
    if (status != ABUT_OK)
        destroy(&t->base);
    else
        *out = &t->base;
    return status;
}

static bool has_cavities(const model *m) { return m->cavities.count > 0; }

const term_row cavity_row = {.needed = has_cavities, .create = create};

#include "term/damping.h"

#include "base/parallel.h"
#include "fem/tet4.h"

#include <string.h>

enum { BLOCKS = 10, DOUBLES = 90 };

bool damping_needed(const model *m)
{
    for (size_t i = 0; i < m->bodies.count; i++)
        if (m->bodies.data[i].damping > 0) return true;
    return false;
}

/* out = K u of one element, K stored as the blocks of the upper triangle. */
static void multiply(const double *k, const double *u, double *out)
{
    memset(out, 0, 12 * sizeof *out);
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++, k += 9)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    out[3 * a + r] += k[3 * r + c] * u[3 * b + c];
                    if (a != b) out[3 * b + c] += k[3 * r + c] * u[3 * a + r];
                }
}

static void displacement(const damping_term *t, const double *x, size_t e, double *u)
{
    for (size_t k = 0; k < 12; k++) {
        size_t at = 3 * (size_t)t->model->tets.data[4 * e + k / 3] + k % 3;
        u[k] = x[at] - t->start[at];
    }
}

typedef struct range_work {
    damping_term *t;
    const double *x;
} range_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    double sum = 0;
    for (size_t e = begin; e < end; e++) {
        double u[12], force[12];
        displacement(w->t, w->x, e, u);
        multiply(w->t->stiffness + DOUBLES * e, u, force);
        for (int i = 0; i < 12; i++) sum += 0.5 * u[i] * force[i];
    }
    return sum;
}

static double value(term *base, const double *x)
{
    range_work work = {(damping_term *)base, x};
    return base->weight * parallel_sum(work.t->model->tet_count, energy_range, &work);
}

static void derivatives(const term *base, int group, const double *x, size_t begin, size_t end,
                        double *gradient, double *hessian)
{
    (void)group;
    const damping_term *t = (const damping_term *)base;
    for (size_t e = begin; e < end; e++) {
        const double *k = t->stiffness + DOUBLES * e;
        if (gradient) {
            double u[12], *g = gradient + 12 * (e - begin);
            displacement(t, x, e, u);
            multiply(k, u, g);
            for (int i = 0; i < 12; i++) g[i] *= base->weight;
        }
        if (hessian)
            for (size_t i = 0; i < DOUBLES; i++)
                hessian[DOUBLES * (e - begin) + i] = base->weight * k[i];
    }
}

static void destroy(term *base)
{
    damping_term *t = (damping_term *)base;
    mem_free(t->stiffness);
    mem_free(t->start);
    mem_free(t);
}

static const term_class damping_class = {
    .name = "damping", .value = value, .derivatives = derivatives, .destroy = destroy};

abut_status damping_create(const model *m, damping_term **out, abut_error *err)
{
    damping_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the damping term");
    t->base = (term){.class = &damping_class, .weight = 1, .enabled = true, .group_count = 1};
    t->base.groups[0] = (stencil_group){4, m->tet_count, m->tets.data};
    t->model = m;
    t->stiffness = mem_calloc(m->tet_count, DOUBLES * sizeof *t->stiffness);
    t->start = mem_calloc(3 * m->rest.count, sizeof *t->start);
    if (!t->stiffness || !t->start) {
        destroy(&t->base);
        return error_memory(err, "creating the damping term");
    }
    *out = t;
    return ABUT_OK;
}

static void lag_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    const model *m = w->t->model;
    for (size_t e = begin; e < end; e++) {
        const model_body *body = &m->bodies.data[m->tet_body.data[e]];
        vec3 position[4];
        mat3 blocks[BLOCKS];
        for (size_t k = 0; k < 4; k++)
            position[k] = vec3_load(w->x + 3 * (size_t)m->tets.data[4 * e + k]);
        tet4_rest weighted = m->tet_rest.data[e];
        weighted.volume *= body->damping;
        tet4_evaluate(&weighted, &body->material, position, true, NULL, blocks);
        memcpy(w->t->stiffness + DOUBLES * e, blocks, sizeof blocks);
    }
}

void damping_lag(damping_term *t, const double *x)
{
    memcpy(t->start, x, 3 * t->model->rest.count * sizeof *t->start);
    range_work work = {t, x};
    parallel_for(t->model->tet_count, 256, lag_range, &work);
}

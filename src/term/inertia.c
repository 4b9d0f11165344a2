#include "term/inertia.h"

#include "base/parallel.h"

#include <string.h>

/* Consistent mass of a linear tet: m / 20 (1 + delta_ab). */
static double pair_mass(double mass, int a, int b) { return mass / 20 * (a == b ? 2 : 1); }

typedef struct value_work {
    const inertia_term *t;
    const double *x;
} value_work;

static double node_energy(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        size_t at = 3 * (size_t)w->t->nodes.data[i];
        vec3 x = vec3_load(w->x + at);
        vec3 d = vec3_sub(x, vec3_load(w->t->x_tilde + at));
        sum += 0.5 * w->t->mass_factor * w->t->lumped.data[i] * vec3_norm2(d);
        sum -= w->t->load_factor * vec3_dot(vec3_load(w->t->force + at), x);
    }
    return sum;
}

static double element_energy(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        vec3 d[4], total = {0};
        double squares = 0;
        for (int k = 0; k < 4; k++) {
            size_t at = 3 * (size_t)w->t->element_nodes.data[4 * i + (size_t)k];
            d[k] = vec3_sub(vec3_load(w->x + at), vec3_load(w->t->x_tilde + at));
            total = vec3_add(total, d[k]);
            squares += vec3_norm2(d[k]);
        }
        sum += 0.5 * w->t->mass_factor * w->t->element_mass.data[i] / 20 *
               (squares + vec3_norm2(total));
    }
    return sum;
}

static double value(term *base, const double *x)
{
    inertia_term *t = (inertia_term *)base;
    value_work work = {t, x};
    return base->weight * (parallel_sum(t->nodes.count, node_energy, &work) +
                           parallel_sum(t->element_mass.count, element_energy, &work));
}

static void node_derivatives(const inertia_term *t, const double *x, size_t begin, size_t end,
                             double *gradient, double *hessian)
{
    for (size_t i = begin; i < end; i++) {
        size_t at = 3 * (size_t)t->nodes.data[i], out = 3 * (i - begin);
        double mass = t->base.weight * t->mass_factor * t->lumped.data[i];
        double load = t->base.weight * t->load_factor;
        for (size_t c = 0; gradient && c < 3; c++)
            gradient[out + c] = mass * (x[at + c] - t->x_tilde[at + c]) - load * t->force[at + c];
        if (!hessian) continue;
        double *h = hessian + 9 * (i - begin);
        memset(h, 0, 9 * sizeof *h);
        h[0] = h[4] = h[8] = mass;
    }
}

static void element_derivatives(const inertia_term *t, const double *x, size_t begin, size_t end,
                                double *gradient, double *hessian)
{
    for (size_t i = begin; i < end; i++) {
        double mass = t->base.weight * t->mass_factor * t->element_mass.data[i];
        const int32_t *nodes = t->element_nodes.data + 4 * i;
        double *h = hessian ? hessian + 90 * (i - begin) : NULL;
        for (int a = 0; a < 4; a++) {
            vec3 sum = {0};
            for (int b = 0; b < 4; b++) {
                size_t at = 3 * (size_t)nodes[b];
                vec3 d = vec3_sub(vec3_load(x + at), vec3_load(t->x_tilde + at));
                sum = vec3_mul_add(sum, pair_mass(mass, a, b), d);
            }
            if (gradient) vec3_store(gradient + 12 * (i - begin) + 3 * a, sum);
            for (int b = a; h && b < 4; b++, h += 9) {
                memset(h, 0, 9 * sizeof *h);
                h[0] = h[4] = h[8] = pair_mass(mass, a, b);
            }
        }
    }
}

static void derivatives(const term *base, int group, const double *x, size_t begin, size_t end,
                        double *gradient, double *hessian)
{
    const inertia_term *t = (const inertia_term *)base;
    if (group == 0)
        node_derivatives(t, x, begin, end, gradient, hessian);
    else
        element_derivatives(t, x, begin, end, gradient, hessian);
}

static void destroy(term *base)
{
    inertia_term *t = (inertia_term *)base;
    array_free(&t->nodes);
    array_free(&t->lumped);
    array_free(&t->element_nodes);
    array_free(&t->element_mass);
    mem_free(t->x_tilde);
    mem_free(t->force);
    mem_free(t);
}

static const term_class inertia_class = {
    .name = "inertia", .value = value, .derivatives = derivatives, .destroy = destroy};

abut_status inertia_create(const model *m, inertia_term **out, abut_error *err)
{
    inertia_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the inertia term");
    size_t blocks = m->rest.count;
    t->base = (term){.class = &inertia_class, .weight = 1, .enabled = true};
    t->model = m;
    t->mass_factor = 1;
    t->x_tilde = mem_calloc(3 * blocks, sizeof *t->x_tilde);
    t->force = mem_calloc(3 * blocks, sizeof *t->force);
    bool ok = t->x_tilde && t->force;
    for (size_t i = 0; ok && i < blocks; i++) {
        bool consistent = m->bodies.data[m->body.data[i]].consistent_mass;
        ok = array_push(&t->nodes, (int32_t)i) &&
             array_push(&t->lumped, consistent ? 0.0 : m->mass.data[i]);
    }
    for (size_t i = 0; ok && i < m->tet_count; i++) {
        const model_body *body = &m->bodies.data[m->tet_body.data[i]];
        if (!body->consistent_mass) continue;
        ok = array_push(&t->element_mass, body->density * m->tet_rest.data[i].volume);
        for (size_t k = 0; ok && k < 4; k++)
            ok = array_push(&t->element_nodes, m->tets.data[4 * i + k]);
    }
    if (!ok) {
        destroy(&t->base);
        return error_memory(err, "creating the inertia term");
    }
    t->base.group_count = t->element_mass.count ? 2 : 1;
    t->base.groups[0] = (stencil_group){1, t->nodes.count, t->nodes.data};
    t->base.groups[1] = (stencil_group){4, t->element_mass.count, t->element_nodes.data};
    *out = t;
    return ABUT_OK;
}

void inertia_multiply(const inertia_term *t, const double *x, double *y)
{
    memset(y, 0, 3 * t->model->rest.count * sizeof *y);
    for (size_t i = 0; i < t->nodes.count; i++)
        for (size_t c = 0; c < 3; c++) {
            size_t at = 3 * (size_t)t->nodes.data[i] + c;
            y[at] += t->lumped.data[i] * x[at];
        }
    for (size_t i = 0; i < t->element_mass.count; i++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                for (size_t c = 0; c < 3; c++) {
                    size_t to = 3 * (size_t)t->element_nodes.data[4 * i + (size_t)a] + c;
                    size_t from = 3 * (size_t)t->element_nodes.data[4 * i + (size_t)b] + c;
                    y[to] += pair_mass(t->element_mass.data[i], a, b) * x[from];
                }
}

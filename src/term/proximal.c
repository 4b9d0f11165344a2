#include "term/proximal.h"

#include "base/parallel.h"

#include <string.h>

typedef struct sum_work {
    const proximal_term *t;
    const double *x;
} sum_work;

static vec3 displacement_of(const proximal_term *t, const double *x, size_t i)
{
    size_t at = 3 * (size_t)t->nodes.data[i];
    return vec3_sub(vec3_load(x + at), vec3_load(t->start + at));
}

static double partial_sum(void *context, size_t begin, size_t end)
{
    const sum_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += vec3_norm2(displacement_of(w->t, w->x, i));
    return sum;
}

static double value(const term *t, const evaluation *ev, const double *x)
{
    (void)ev;
    sum_work work = {(const proximal_term *)t, x};
    return 0.5 * work.t->weight * parallel_sum(work.t->nodes.count, partial_sum, &work);
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const proximal_term *t = (const proximal_term *)base;
    (void)ev, (void)group;
    for (size_t i = begin; i < end; i++) {
        if (gradient)
            vec3_store(gradient + 3 * (i - begin), vec3_scale(t->weight, displacement_of(t, x, i)));
        if (!hessian) continue;
        double *h = hessian + 9 * (i - begin);
        memset(h, 0, 9 * sizeof *h);
        h[0] = h[4] = h[8] = t->weight;
    }
}

static void destroy(term *base)
{
    proximal_term *t = (proximal_term *)base;
    array_free(&t->nodes);
    mem_free(t);
}

abut_status proximal_create(const model *m, double weight, const double *start, proximal_term **out,
                            abut_error *err)
{
    static const term_class class = {
        .name = "proximal", .value = value, .derivatives = derivatives, .destroy = destroy};
    proximal_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the proximal term");
    t->base = (term){.class = &class, .group_count = 1};
    t->start = start;
    t->weight = weight;
    *out = t;
    for (size_t i = 0; i < m->rest.count; i++)
        if (body_rows[m->bodies.data[m->body.data[i]].kind]->solid &&
            !array_push(&t->nodes, (int32_t)i))
            return error_memory(err, "creating the proximal term");
    t->base.groups[0] = (stencil_group){1, t->nodes.count, t->nodes.data};
    return ABUT_OK;
}

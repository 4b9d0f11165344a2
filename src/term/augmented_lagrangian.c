#include "term/augmented_lagrangian.h"

#include <string.h>

/* x - target in the prescribed components, 0 in the others. */
static vec3 gap(const augmented_lagrangian_term *t, const double *x, size_t i)
{
    vec3 d = vec3_sub(vec3_load(x + 3 * (size_t)t->nodes.data[i]), t->target.data[i]);
    int axes = t->axes.data[i];
    return (vec3){axes & 1 ? d.x : 0, axes & 2 ? d.y : 0, axes & 4 ? d.z : 0};
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    (void)ev;
    const augmented_lagrangian_term *t = (const augmented_lagrangian_term *)base;
    double sum = 0;
    for (size_t i = 0; i < t->nodes.count; i++) {
        vec3 d = gap(t, x, i);
        double m = t->mass.data[i];
        sum +=
            0.5 * t->stiffness * m * vec3_norm2(d) - sqrt(m) * vec3_dot(t->multiplier.data[i], d);
    }
    return sum;
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)ev;
    (void)group;
    const augmented_lagrangian_term *t = (const augmented_lagrangian_term *)base;
    for (size_t i = begin; i < end; i++) {
        vec3 d = gap(t, x, i), l = t->multiplier.data[i];
        double m = t->mass.data[i], k = t->stiffness * m, root = sqrt(m);
        int axes = t->axes.data[i];
        vec3 g = {axes & 1 ? k * d.x - root * l.x : 0, axes & 2 ? k * d.y - root * l.y : 0,
                  axes & 4 ? k * d.z - root * l.z : 0};
        if (gradient) vec3_store(gradient + 3 * (i - begin), g);
        if (!hessian) continue;
        double *h = hessian + 9 * (i - begin);
        memset(h, 0, 9 * sizeof *h);
        for (int c = 0; c < 3; c++)
            if (axes & 1 << c) h[4 * c] = k;
    }
}

static void destroy(term *base)
{
    augmented_lagrangian_term *t = (augmented_lagrangian_term *)base;
    array_free(&t->nodes);
    array_free(&t->mass);
    array_free(&t->length);
    array_free(&t->target);
    array_free(&t->multiplier);
    array_free(&t->axes);
    mem_free(t);
}

static const term_class augmented_lagrangian_class = {
    .name = "attachment", .value = value, .derivatives = derivatives, .destroy = destroy};

abut_status augmented_lagrangian_create(augmented_lagrangian_term **out, abut_error *err)
{
    augmented_lagrangian_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the attachment term");
    t->base = (term){.class = &augmented_lagrangian_class, .dynamic = true, .group_count = 1};
    t->base.groups[0].width = 1;
    *out = t;
    return ABUT_OK;
}

void augmented_lagrangian_clear(augmented_lagrangian_term *t)
{
    array_clear(&t->nodes);
    array_clear(&t->mass);
    array_clear(&t->length);
    array_clear(&t->target);
    array_clear(&t->multiplier);
    array_clear(&t->axes);
    t->base.groups[0].count = 0;
}

abut_status augmented_lagrangian_add(augmented_lagrangian_term *t, int32_t block, double mass,
                                     double length, vec3 target, int axes, abut_error *err)
{
    if (!array_push(&t->nodes, block) || !array_push(&t->mass, mass) ||
        !array_push(&t->length, length) || !array_push(&t->target, target) ||
        !array_push(&t->multiplier, (vec3){0}) || !array_push(&t->axes, (uint8_t)axes))
        return error_memory(err, "attaching nodes");
    return ABUT_OK;
}

void augmented_lagrangian_ready(augmented_lagrangian_term *t)
{
    t->base.groups[0] = (stencil_group){1, t->nodes.count, t->nodes.data};
}

void augmented_lagrangian_update_multipliers(augmented_lagrangian_term *t, const double *x)
{
    for (size_t i = 0; i < t->nodes.count; i++)
        t->multiplier.data[i] = vec3_mul_add(t->multiplier.data[i],
                                             -t->stiffness * sqrt(t->mass.data[i]), gap(t, x, i));
}

double augmented_lagrangian_distance2(const augmented_lagrangian_term *t, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < t->nodes.count; i++)
        sum += t->length.data[i] * t->length.data[i] * vec3_norm2(gap(t, x, i));
    return sum;
}

double augmented_lagrangian_gap(const augmented_lagrangian_term *t, const double *x, size_t i)
{
    return vec3_norm(gap(t, x, i));
}

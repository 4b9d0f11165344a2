#include "term/affine.h"

#include "base/parallel.h"
#include "math/eigen.h"

#include <string.h>

static mat3 frame_at(const affine_term *t, const double *x, size_t i)
{
    const int32_t *b = t->blocks.data + 3 * i;
    return mat3_from_columns(vec3_load(x + 3 * (size_t)b[0]), vec3_load(x + 3 * (size_t)b[1]),
                             vec3_load(x + 3 * (size_t)b[2]));
}

/* A^T A - I */
static mat3 strain(mat3 a) { return mat3_sub(mat3_mul(mat3_transpose(a), a), mat3_identity()); }

static const rigid_body *body_of(const affine_term *t, size_t i)
{
    return &t->model->rigids.data[t->rigids.data[i]];
}

typedef struct value_work {
    const affine_term *t;
    const evaluation *ev;
    const double *x;
} value_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const value_work *w = context;
    const affine_term *t = w->t;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const rigid_body *r = body_of(t, i);
        mat3 a = frame_at(t, w->x, i);
        mat3 d = mat3_sub(a, frame_at(t, t->x_tilde, i));
        mat3 dj = mat3_mul(d, r->moment);
        double inertia = 0, load = 0;
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) {
                inertia += dj.m[k][l] * d.m[k][l];
                load += a.m[k][l] * t->load.data[i].m[l][k];
            }
        sum += 0.5 * w->ev->mass_factor * inertia + load +
               w->ev->force_factor * r->stiffness * mat3_norm2(strain(a));
    }
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    value_work work = {(const affine_term *)base, ev, x};
    return parallel_sum(work.t->rigids.count, energy_range, &work);
}

double affine_stored_energy(const affine_term *t, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < t->rigids.count; i++)
        sum += body_of(t, i)->stiffness * mat3_norm2(strain(frame_at(t, x, i)));
    return sum;
}

/* (A - A~) J + M^T + 4 s k A (A^T A - I), column by column. */
static void add_gradient(const affine_term *t, const evaluation *ev, const double *x, size_t i,
                         double *out)
{
    const rigid_body *r = body_of(t, i);
    mat3 a = frame_at(t, x, i), d = mat3_sub(a, frame_at(t, t->x_tilde, i));
    mat3 g = mat3_add(mat3_scale(ev->mass_factor, mat3_mul(d, r->moment)),
                      mat3_transpose(t->load.data[i]));
    g = mat3_add(g, mat3_scale(4 * ev->force_factor * r->stiffness, mat3_mul(a, strain(a))));
    for (int k = 0; k < 3; k++) vec3_store(out + 3 * k, mat3_column(g, k));
}

/* Block (i, l) is J_il I + 4 s k (delta_il A A^T + a_l a_i^T + S_il I), S = A^T A - I. The first
 * two summands of the bracket are half of |B + B^T|^2 with B = A^T V, never negative; S is
 * projected where asked for. */
static void add_hessian(const affine_term *t, const evaluation *ev, const double *x, size_t i,
                        double *out)
{
    const rigid_body *r = body_of(t, i);
    double k = 4 * ev->force_factor * r->stiffness;
    mat3 a = frame_at(t, x, i), aat = mat3_mul(a, mat3_transpose(a)), s = strain(a);
    if (!ev->exact) psd_project3(&s);
    for (int p = 0; p < 3; p++)
        for (int q = p; q < 3; q++, out += 9) {
            mat3 h = mat3_scale(k, mat3_outer(mat3_column(a, q), mat3_column(a, p)));
            if (p == q) h = mat3_add(h, mat3_scale(k, aat));
            double isotropic = ev->mass_factor * r->moment.m[p][q] + k * s.m[p][q];
            for (int c = 0; c < 3; c++) h.m[c][c] += isotropic;
            memcpy(out, h.m, sizeof h.m);
        }
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)group;
    const affine_term *t = (const affine_term *)base;
    for (size_t i = begin; i < end; i++) {
        if (gradient) add_gradient(t, ev, x, i, gradient + 9 * (i - begin));
        if (hessian) add_hessian(t, ev, x, i, hessian + 54 * (i - begin));
    }
}

static void destroy(term *base)
{
    affine_term *t = (affine_term *)base;
    array_free(&t->blocks);
    array_free(&t->rigids);
    array_free(&t->load);
    mem_free(t);
}

static const term_class affine_class = {
    .name = "affine", .value = value, .derivatives = derivatives, .destroy = destroy};

abut_status affine_create(const model *m, const double *x_tilde, affine_term **out, abut_error *err)
{
    affine_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the term of affine bodies");
    t->base = (term){.class = &affine_class, .group_count = 1};
    t->model = m;
    t->x_tilde = x_tilde;
    bool ok = true;
    for (size_t i = 0; ok && i < m->rigids.count; i++) {
        if (!m->rigids.data[i].affine) continue;
        ok = array_push(&t->rigids, (int32_t)i) && array_push(&t->load, mat3_zero());
        for (int k = 1; ok && k <= 3; k++) ok = array_push(&t->blocks, m->rigids.data[i].block + k);
    }
    if (!ok) {
        destroy(&t->base);
        return error_memory(err, "creating the term of affine bodies");
    }
    t->base.groups[0] = (stencil_group){3, t->rigids.count, t->blocks.data};
    *out = t;
    return ABUT_OK;
}

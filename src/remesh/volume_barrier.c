#include "remesh/volume_barrier.h"

#include "math/eigen.h"
#include "remesh/simplex_cut.h"

#include <math.h>
#include <string.h>

static void gather(const volume_barrier *t, const double *x, size_t c, vec3 corners[4])
{
    for (int k = 0; k <= t->dimension; k++)
        corners[k] =
            vec3_load(x + 3 * (size_t)t->cells.data[c * (size_t)(t->dimension + 1) + (size_t)k]);
}

static double ratio_of(const volume_barrier *t, const double *x, size_t c)
{
    vec3 corners[4];
    gather(t, x, c, corners);
    return simplex_size(t->dimension, corners) / t->size.data[c];
}

double volume_barrier_smallest(const volume_barrier *t, const double *x)
{
    double least = INFINITY;
    for (size_t c = 0; c < t->size.count; c++) least = fmin(least, ratio_of(t, x, c));
    return least;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    (void)ev;
    const volume_barrier *t = (const volume_barrier *)base;
    double sum = 0;
    for (size_t c = 0; c < t->size.count; c++) {
        double r = ratio_of(t, x, c) / t->limit;
        if (!(r > 0)) return INFINITY;
        if (r < 1) sum -= t->size.data[c] * (r - 1) * (r - 1) * log(r);
    }
    return t->stiffness * sum;
}

static bool accepts(term *base, const double *x)
{
    return volume_barrier_smallest((volume_barrier *)base, x) > 0;
}

/* Derivative of the size by every corner. */
static void size_gradient(int d, const vec3 *x, double *g)
{
    if (d == 2) {
        for (int k = 0; k < 3; k++) {
            vec3 side = vec3_sub(x[(k + 2) % 3], x[(k + 1) % 3]);
            vec3_store(g + 3 * k, (vec3){-0.5 * side.y, 0.5 * side.x, 0});
        }
        return;
    }
    vec3 a = vec3_sub(x[1], x[0]), b = vec3_sub(x[2], x[0]), c = vec3_sub(x[3], x[0]);
    vec3 g1 = vec3_scale(1.0 / 6, vec3_cross(b, c)), g2 = vec3_scale(1.0 / 6, vec3_cross(c, a)),
         g3 = vec3_scale(1.0 / 6, vec3_cross(a, b));
    vec3_store(g, vec3_scale(-1, vec3_add(g1, vec3_add(g2, g3))));
    vec3_store(g + 3, g1);
    vec3_store(g + 6, g2);
    vec3_store(g + 9, g3);
}

/* Adds factor times the second derivatives of the size; those of the gradient by one coordinate
 * after the other, which are exact differences: the gradient is at most quadratic. */
static void add_size_hessian(int d, const vec3 *x, double factor, double *h)
{
    int n = 3 * (d + 1);
    for (int j = 0; j < n; j++) {
        if (d == 2 && j % 3 == 2) continue;
        vec3 plus[4], minus[4];
        double gp[12], gm[12];
        for (int k = 0; k <= d; k++) plus[k] = minus[k] = x[k];
        ((double *)&plus[j / 3])[j % 3] += 0.5;
        ((double *)&minus[j / 3])[j % 3] -= 0.5;
        size_gradient(d, plus, gp);
        size_gradient(d, minus, gm);
        for (int i = 0; i < n; i++) h[n * i + j] += factor * (gp[i] - gm[i]);
    }
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)group;
    const volume_barrier *t = (const volume_barrier *)base;
    int d = t->dimension, n = 3 * (d + 1);
    size_t width = (size_t)(d + 1), pairs = width * (width + 1) / 2;
    for (size_t c = begin; c < end; c++) {
        double *g = gradient ? gradient + (c - begin) * (size_t)n : NULL;
        double *h = hessian ? hessian + (c - begin) * 9 * pairs : NULL;
        if (g) memset(g, 0, (size_t)n * sizeof *g);
        if (h) memset(h, 0, 9 * pairs * sizeof *h);
        double r = ratio_of(t, x, c) / t->limit;
        if (!(r < 1)) continue;
        /* By the size: V cancels in the first derivative. */
        double scale = t->stiffness / t->limit;
        double first = -scale * (r - 1) * (2 * log(r) + (r - 1) / r);
        double second = -scale / (t->limit * t->size.data[c]) *
                        (2 * log(r) + 4 * (r - 1) / r - (r - 1) * (r - 1) / (r * r));
        vec3 corners[4];
        double slope[12], full[144];
        gather(t, x, c, corners);
        size_gradient(d, corners, slope);
        for (int i = 0; g && i < n; i++) g[i] = first * slope[i];
        if (!h) continue;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) full[n * i + j] = second * slope[i] * slope[j];
        add_size_hessian(d, corners, first, full);
        if (!ev->exact) psd_project(n, full);
        for (int a = 0; a <= d; a++)
            for (int b = a; b <= d; b++, h += 9)
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++) h[3 * i + j] = full[n * (3 * a + i) + 3 * b + j];
    }
}

static void destroy(term *base)
{
    volume_barrier *t = (volume_barrier *)base;
    array_free(&t->cells);
    array_free(&t->size);
    mem_free(t);
}

static const term_class volume_barrier_class = {.name = "volume barrier",
                                                .value = value,
                                                .derivatives = derivatives,
                                                .accepts = accepts,
                                                .destroy = destroy};

static bool add_cells(volume_barrier *t, const int32_t *blocks, size_t count)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count * (size_t)(t->dimension + 1); i++)
        ok = array_push(&t->cells, blocks[i]);
    return ok;
}

abut_status volume_barrier_create(const model *m, volume_barrier **out, abut_error *err)
{
    volume_barrier *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the volume barrier");
    t->base = (term){.class = &volume_barrier_class, .group_count = 1};
    t->stiffness = 1;
    t->dimension = m->planar ? 2 : 3;
    t->limit = 0.1;
    cell_kind kind = m->planar ? CELL_TRIANGLE : CELL_TET;
    bool ok = m->planar || add_cells(t, m->tets.data, m->tet_count);
    for (size_t i = 0; ok && i < m->sets.count; i++) {
        const element_set *s = &m->sets.data[i];
        if (s->kind == kind && s->order == 1) ok = add_cells(t, s->blocks.data, s->count);
    }
    size_t count = t->cells.count / (size_t)(t->dimension + 1);
    ok = ok && array_resize(&t->size, count);
    if (!ok) {
        destroy(&t->base);
        return error_memory(err, "creating the volume barrier");
    }
    for (size_t c = 0; c < count; c++) {
        vec3 corners[4];
        gather(t, (const double *)m->rest.data, c, corners);
        t->size.data[c] = simplex_size(t->dimension, corners);
    }
    t->base.groups[0] = (stencil_group){t->dimension + 1, count, t->cells.data};
    *out = t;
    return ABUT_OK;
}

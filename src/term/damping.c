#include "term/damping.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "fem/tet4.h"

#include <math.h>
#include <string.h>

bool damping_needed(const model *m)
{
    for (size_t i = 0; i < m->bodies.count; i++)
        if (m->bodies.data[i].damping > 0 || m->bodies.data[i].bend_damping > 0) return true;
    return false;
}

static size_t block_doubles(int width) { return 9 * (size_t)width * (size_t)(width + 1) / 2; }

enum { MAX_SCALARS = 3 * ELEMENT_MAX_NODES };

/* out = K u of one element, K stored as the blocks of the upper triangle. */
static void multiply(int width, const double *k, const double *u, double *out)
{
    memset(out, 0, 3 * (size_t)width * sizeof *out);
    for (int a = 0; a < width; a++)
        for (int b = a; b < width; b++, k += 9)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    out[3 * a + r] += k[3 * r + c] * u[3 * b + c];
                    if (a != b) out[3 * b + c] += k[3 * r + c] * u[3 * a + r];
                }
}

static void displacement(const damping_term *t, int group, const double *x, size_t e, double *u)
{
    const stencil_group *g = &t->base.groups[group];
    for (int k = 0; k < 3 * g->width; k++) {
        int32_t block = g->blocks[e * (size_t)g->width + (size_t)(k / 3)];
        size_t at = 3 * (size_t)block + (size_t)(k % 3);
        u[k] = x[at] - t->start[at];
    }
}

typedef struct range_work {
    const damping_term *t;
    int group;
    const double *x;
} range_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    int width = w->t->base.groups[w->group].width;
    double sum = 0;
    for (size_t e = begin; e < end; e++) {
        double u[MAX_SCALARS], force[MAX_SCALARS];
        displacement(w->t, w->group, w->x, e, u);
        multiply(width, w->t->stiffness[w->group] + block_doubles(width) * e, u, force);
        for (int i = 0; i < 3 * width; i++) sum += 0.5 * u[i] * force[i];
    }
    return sum;
}

static double value(const term *base, const evaluation *ev, const double *x)
{
    double sum = 0;
    for (int g = 0; g < base->group_count; g++) {
        range_work work = {(const damping_term *)base, g, x};
        sum += ranks_sum_of(base->groups[g].count, energy_range, &work);
    }
    return ev->force_factor / ev->h * sum;
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    const damping_term *t = (const damping_term *)base;
    int width = base->groups[group].width;
    size_t doubles = block_doubles(width), scalars = 3 * (size_t)width;
    double weight = ev->force_factor / ev->h;
    for (size_t e = begin; e < end; e++) {
        const double *k = t->stiffness[group] + doubles * e;
        if (gradient) {
            double u[MAX_SCALARS], *g = gradient + scalars * (e - begin);
            displacement(t, group, x, e, u);
            multiply(width, k, u, g);
            for (size_t i = 0; i < scalars; i++) g[i] *= weight;
        }
        if (hessian)
            for (size_t i = 0; i < doubles; i++) hessian[doubles * (e - begin) + i] = weight * k[i];
    }
}

static void destroy(term *base)
{
    damping_term *t = (damping_term *)base;
    for (int g = 0; g < TERM_MAX_GROUPS; g++) mem_free(t->stiffness[g]);
    mem_free(t->start);
    mem_free(t);
}

static abut_status by_start(term *base, const evaluation *ev, const double *x, const double *w,
                            double *out, abut_error *err);

static const term_class damping_class = {.name = "damping",
                                         .value = value,
                                         .derivatives = derivatives,
                                         .by_start = by_start,
                                         .destroy = destroy};

_Static_assert(1 + ELEMENT_MAX_SETS + 8 <= TERM_MAX_GROUPS, "tets, sets, shells and rods");

static bool allocate_stiffness(damping_term *t, int group)
{
    const stencil_group *g = &t->base.groups[group];
    t->stiffness[group] = mem_calloc(g->count, block_doubles(g->width) * sizeof(double));
    return t->stiffness[group] != NULL;
}

abut_status damping_add_term(damping_term *t, const term *source, bool bending, abut_error *err)
{
    int group = t->base.group_count;
    if (group == TERM_MAX_GROUPS)
        return error_set(err, ABUT_ERROR_INTERNAL, "", "too many kinds of damped elements");
    t->base.groups[group] = source->groups[0];
    t->source[group] = source;
    t->bending[group] = bending;
    t->base.group_count++;
    return allocate_stiffness(t, group) ? ABUT_OK : error_memory(err, "creating the damping term");
}

abut_status damping_create(const model *m, const elastic_term *elastic, damping_term **out,
                           abut_error *err)
{
    damping_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "creating the damping term");
    t->base = (term){.class = &damping_class};
    t->base.group_count = elastic->base.group_count;
    for (int g = 0; g < elastic->base.group_count; g++) {
        t->base.groups[g] = elastic->base.groups[g];
        t->source[g] = &elastic->base;
        t->source_group[g] = g;
    }
    t->model = m;
    t->start = mem_calloc(3 * m->rest.count, sizeof *t->start);
    bool ok = t->start != NULL;
    for (int g = 0; ok && g < t->base.group_count; g++) ok = allocate_stiffness(t, g);
    if (!ok) {
        destroy(&t->base);
        return error_memory(err, "creating the damping term");
    }
    *out = t;
    return ABUT_OK;
}

/* The Hessian of the elements' term without its weight. */
static void lag_source(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    const damping_term *t = w->t;
    const term *source = t->source[w->group];
    const stencil_group *g = &t->base.groups[w->group];
    size_t doubles = block_doubles(g->width);
    double *out = t->stiffness[w->group];
    evaluation unit = evaluation_unit();
    source->class->derivatives(source, &unit, t->source_group[w->group], w->x, begin, end, NULL,
                               out + doubles * begin);
    for (size_t e = begin; e < end; e++) {
        int32_t block = g->blocks[e * (size_t)g->width];
        const model_body *body = &t->model->bodies.data[t->model->body.data[block]];
        double factor = (t->bending[w->group] ? body->bend_damping : body->damping);
        for (size_t i = 0; i < doubles; i++) out[doubles * e + i] *= factor;
    }
}

void damping_lag(damping_term *t, const double *x)
{
    memcpy(t->start, x, 3 * t->model->rest.count * sizeof *t->start);
    for (int g = 0; g < t->base.group_count; g++) {
        range_work work = {t, g, x};
        parallel_for(t->base.groups[g].count, g == 0 ? 256 : 32, lag_source, &work);
    }
}

/* Stiffness of one element at the positions `at`. */
static void lag_element(const damping_term *t, int group, const double *at, size_t e)
{
    range_work work = {t, group, at};
    lag_source(&work, e, e + 1);
}

static double work_of(int width, const double *k, const double *w, const double *u)
{
    double force[MAX_SCALARS], sum = 0;
    multiply(width, k, u, force);
    for (int i = 0; i < 3 * width; i++) sum += w[i] * force[i];
    return sum;
}

/* d(w K(start) u) / d(start) of one element: -K w by u = x - start, and the change of the projected
 * stiffness by central differences, one scalar after the other. */
static void element_by_start(const damping_term *t, int group, double *at, double weight,
                             const double *w, const double *u, size_t e, double *out)
{
    static const double STEP =
        1e-5; /* of the element's size: rounding and truncation are about 1e-10 */
    const stencil_group *g = &t->base.groups[group];
    const int32_t *blocks = g->blocks + e * (size_t)g->width;
    double *k = t->stiffness[group] + block_doubles(g->width) * e, force[MAX_SCALARS];
    double *before = mem_alloc(block_doubles(g->width), sizeof *before), size = 0;
    if (!before) return;
    memcpy(before, k, block_doubles(g->width) * sizeof *k);
    multiply(g->width, k, w, force);
    for (int b = 1; b < g->width; b++)
        size = fmax(size, vec3_max_abs(vec3_sub(vec3_load(at + 3 * (size_t)blocks[b]),
                                                vec3_load(at + 3 * (size_t)blocks[0]))));
    for (int i = 0; i < 3 * g->width; i++) {
        size_t scalar = 3 * (size_t)blocks[i / 3] + (size_t)(i % 3);
        double kept = at[scalar], difference = 0;
        for (int sign = -1; sign <= 1; sign += 2) {
            at[scalar] = kept + sign * STEP * size;
            lag_element(t, group, at, e);
            difference += sign * work_of(g->width, k, w, u);
        }
        at[scalar] = kept;
        out[scalar] += weight * (difference / (2 * STEP * size) - force[i]);
    }
    memcpy(k, before, block_doubles(g->width) * sizeof *k);
    mem_free(before);
}

static abut_status by_start(term *base, const evaluation *ev, const double *x, const double *w,
                            double *out, abut_error *err)
{
    damping_term *t = (damping_term *)base;
    size_t scalars = 3 * t->model->rest.count;
    double *at = mem_alloc(scalars, sizeof *at);
    if (!at) return error_memory(err, "differentiating damping");
    memcpy(at, t->start, scalars * sizeof *at);
    for (int g = 0; g < base->group_count; g++)
        for (size_t e = 0; e < base->groups[g].count; e++) {
            const stencil_group *group = &base->groups[g];
            double u[MAX_SCALARS], part[MAX_SCALARS], any = 0;
            displacement(t, g, x, e, u);
            for (int i = 0; i < 3 * group->width; i++) {
                int32_t block = group->blocks[e * (size_t)group->width + (size_t)(i / 3)];
                part[i] = w[3 * (size_t)block + (size_t)(i % 3)];
                any = fmax(any, fabs(part[i]));
            }
            if (any > 0) element_by_start(t, g, at, ev->force_factor / ev->h, part, u, e, out);
        }
    mem_free(at);
    return ABUT_OK;
}

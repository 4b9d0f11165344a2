#include "term/user_energy.h"

#include "base/memory.h"
#include "math/eigen.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Numbers of one kind that a call of the function gets at most: one page of the stack for each. */
enum { ROOM = 4096, MAX_SCALARS = 3 * USER_ENERGY_MAX_WIDTH };
_Static_assert((int)MAX_SCALARS <= (int)EIGEN_MAX && MAX_SCALARS * MAX_SCALARS <= ROOM,
               "room of a stencil");

typedef enum failure { NO_FAILURE, FAILED, NOT_FINITE } failure;

typedef struct user_energy_term {
    term base;
    user_energy def;
    char *name;
    int32_t *blocks;
    atomic_int *failure; /* evaluations change nothing of a term; this is about them */
} user_energy_term;

static void gather(const user_energy_term *t, const double *x, size_t first, size_t count,
                   double *out)
{
    const int32_t *blocks = t->blocks + first * (size_t)t->def.width;
    for (size_t i = 0; i < count * (size_t)t->def.width; i++)
        memcpy(out + 3 * i, x + 3 * (size_t)blocks[i], 3 * sizeof *out);
}

static bool call(const user_energy_term *t, const double *x, size_t first, size_t count,
                 double *energy, double *gradient, double *hessian)
{
    double positions[ROOM];
    gather(t, x, first, count, positions);
    if (t->def.evaluate(t->def.user, first, count, positions, energy, gradient, hessian))
        return true;
    atomic_store(t->failure, FAILED);
    return false;
}

static size_t at_once(const user_energy_term *t, bool hessian)
{
    size_t scalars = 3 * (size_t)t->def.width;
    return hessian ? ROOM / (scalars * scalars) : ROOM / scalars;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static double value(const term *base, const evaluation *ev, const double *x)
{
    const user_energy_term *t = (const user_energy_term *)base;
    double sum = 0, energy[ROOM];
    size_t step = at_once(t, false);
    for (size_t first = 0; first < t->def.count; first += step) {
        size_t count = smaller(step, t->def.count - first);
        if (!call(t, x, first, count, energy, NULL, NULL)) return INFINITY;
        for (size_t i = 0; i < count; i++) sum += energy[i];
    }
    if (isnan(sum)) {
        atomic_store(t->failure, NOT_FINITE);
        return INFINITY;
    }
    return ev->force_factor * sum;
}

static bool all_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

/* Of stencils whose function failed nothing is left: the step ends at the next update. */
static void take_gradient(const user_energy_term *t, double factor, size_t count, bool good,
                          double *gradient)
{
    size_t numbers = 3 * (size_t)t->def.width * count;
    if (good && !all_finite(gradient, numbers)) {
        atomic_store(t->failure, NOT_FINITE);
        good = false;
    }
    for (size_t i = 0; i < numbers; i++) gradient[i] = good ? factor * gradient[i] : 0;
}

static void take_hessian(const user_energy_term *t, const evaluation *ev, size_t count, bool good,
                         double *dense, double *blocks)
{
    int n = 3 * t->def.width;
    size_t numbers = (size_t)(n * n), stored = (size_t)(9 * t->def.width * (t->def.width + 1) / 2);
    if (good && !all_finite(dense, numbers * count)) {
        atomic_store(t->failure, NOT_FINITE);
        good = false;
    }
    for (size_t i = 0; i < count; i++, dense += numbers, blocks += stored) {
        for (size_t k = 0; k < numbers; k++) dense[k] = good ? ev->force_factor * dense[k] : 0;
        if (good && !ev->exact && !t->def.convex) psd_project(n, dense);
        stencil_store_blocks(t->def.width, dense, blocks);
    }
}

static void derivatives(const term *base, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)group;
    const user_energy_term *t = (const user_energy_term *)base;
    size_t step = at_once(t, hessian != NULL), scalars = 3 * (size_t)t->def.width;
    size_t stored = (size_t)(9 * t->def.width * (t->def.width + 1) / 2);
    double dense[ROOM];
    for (size_t first = begin; first < end; first += step) {
        size_t count = smaller(step, end - first), at = first - begin;
        double *part = gradient ? gradient + at * scalars : NULL;
        bool good = call(t, x, first, count, NULL, part, hessian ? dense : NULL);
        if (part) take_gradient(t, ev->force_factor, count, good, part);
        if (hessian) take_hessian(t, ev, count, good, dense, hessian + at * stored);
    }
}

/* Says what went wrong since the last time. */
static abut_status update(term *base, const double *x, abut_error *err)
{
    (void)x;
    const user_energy_term *t = (const user_energy_term *)base;
    int found = atomic_exchange(t->failure, NO_FAILURE);
    if (found == FAILED)
        return error_set(err, ABUT_ERROR_INPUT, t->name, "the function of this energy has failed");
    if (found == NOT_FINITE)
        return error_set(err, ABUT_ERROR_INPUT, t->name,
                         "the function of this energy gave a number that is not finite");
    return ABUT_OK;
}

static void destroy(term *base)
{
    user_energy_term *t = (user_energy_term *)base;
    mem_free(t->name);
    mem_free(t->blocks);
    mem_free(t->failure);
    mem_free(t);
}

static const term_class user_energy_class = {.name = "user energy",
                                             .update = update,
                                             .value = value,
                                             .derivatives = derivatives,
                                             .destroy = destroy};

const term_row user_energy_row = {.damping = TERM_UNDAMPED};

const user_energy *user_energy_of(const term *t)
{
    return t->class == &user_energy_class ? &((const user_energy_term *)t)->def : NULL;
}

static abut_status check(const model *m, const user_energy *from, const char *name, abut_error *err)
{
    if (!from->evaluate) return error_set(err, ABUT_ERROR_INPUT, name, "there is no function");
    if (from->width < 1 || from->width > USER_ENERGY_MAX_WIDTH)
        return error_set(err, ABUT_ERROR_INPUT, name, "width is %d; 1 to %d nodes are possible",
                         from->width, USER_ENERGY_MAX_WIDTH);
    if (from->count > 0 && !from->blocks)
        return error_set(err, ABUT_ERROR_INPUT, name, "%zu stencils, but no array of nodes",
                         from->count);
    for (size_t i = 0; i < from->count * (size_t)from->width; i++)
        if (from->blocks[i] < 0 || from->blocks[i] >= model_block_count(m))
            return error_set(err, ABUT_ERROR_INPUT, name,
                             "stencil %zu names node %d; there are %d, numbered from 0",
                             i / (size_t)from->width, (int)from->blocks[i], model_block_count(m));
    return ABUT_OK;
}

abut_status user_energy_create(const model *m, const user_energy *from, term **out, abut_error *err)
{
    const char *name = from->name ? from->name : "energy";
    TRY(check(m, from, name, err));
    user_energy_term *t = mem_calloc(1, sizeof *t);
    if (!t) return error_memory(err, "adding an energy");
    size_t blocks = from->count * (size_t)from->width;
    t->base.class = &user_energy_class;
    t->def = *from;
    t->name = mem_strdup(name);
    t->blocks = mem_alloc(blocks + 1, sizeof *t->blocks);
    t->failure = mem_calloc(1, sizeof *t->failure);
    if (!t->name || !t->blocks || !t->failure) {
        destroy(&t->base);
        return error_memory(err, "adding an energy");
    }
    if (blocks > 0) memcpy(t->blocks, from->blocks, blocks * sizeof *t->blocks);
    t->def.name = t->name;
    t->def.blocks = t->blocks;
    t->base.group_count = 1;
    t->base.groups[0] = (stencil_group){from->width, from->count, t->blocks};
    *out = &t->base;
    return ABUT_OK;
}

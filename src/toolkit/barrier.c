/* The functions of contact.h on the barrier of an active set and its stiffness. */
#include "toolkit/active_set.h"

#include "base/parallel.h"
#include "term/term.h"

#include <math.h>

/* ---- Barrier -------------------------------------------------------------------------------- */

abut_barrier abut_default_barrier(void)
{
    return (abut_barrier){.kind = ABUT_BARRIER_C2, .stiffness = 1};
}

_Static_assert((int)ABUT_BARRIER_C2 == BARRIER_C2 && (int)ABUT_BARRIER_C1 == BARRIER_C1 &&
                   (int)ABUT_BARRIER_C0 == BARRIER_C0,
               "one order for one concept");
const char *const *abut_barrier_kind_words(void) { return barrier_kind_words; }

static abut_status inner_kind(abut_barrier_kind kind, barrier_kind *out, abut_error *error)
{
    if ((int)kind < 0 || (int)kind > ABUT_BARRIER_C0)
        return error_set(error, ABUT_ERROR_INPUT, "kind", "%d is no kind of barrier", (int)kind);
    *out = (barrier_kind)kind;
    return ABUT_OK;
}

abut_status barrier_law_of(const abut_active_set *s, const abut_barrier *barrier, barrier_law *out,
                           abut_error *error)
{
    if (!s->mesh)
        return error_set(error, ABUT_ERROR_INPUT, "set", "the active set has not been built");
    if (!(isfinite(barrier->stiffness) && barrier->stiffness >= 0))
        return error_set(error, ABUT_ERROR_INPUT, "stiffness", "%g is not allowed, only >= 0",
                         barrier->stiffness);
    TRY(inner_kind(barrier->kind, &out->kind, error));
    out->shat = s->dhat * s->dhat;
    out->factor = barrier->stiffness;
    if (barrier->physical) out->factor *= barrier_physical_scale(out->kind, s->dhat);
    return ABUT_OK;
}

typedef struct barrier_work {
    const abut_active_set *s;
    barrier_law law;
    stencil_list list;
    bool project;
} barrier_work;

static double list_value(void *context, size_t begin, size_t end)
{
    const barrier_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += barrier_stencil_value(&w->law, w->list, &w->s->set.lists[w->list].data[i],
                                     w->s->y.data);
    return sum;
}

abut_status abut_barrier_value(const abut_active_set *s, const abut_barrier *barrier, double *value,
                               abut_error *error)
{
    barrier_work work = {.s = s};
    TRY(barrier_law_of(s, barrier, &work.law, error));
    double factor = work.law.factor;
    work.law.factor = 1; /* applied to the sum, as the solver does */
    *value = 0;
    for (int k = 0; k < STENCIL_LISTS; k++) {
        work.list = (stencil_list)k;
        *value += parallel_sum(s->set.lists[k].count, list_value, &work);
    }
    *value *= factor;
    return ABUT_OK;
}

static void barrier_derivatives(const void *context, int group, size_t begin, size_t end,
                                double *gradient, double *blocks)
{
    const barrier_work *w = context;
    int width = stencil_list_width[group];
    size_t n = 3 * (size_t)width, pairs = (size_t)(width * (width + 1) / 2);
    for (size_t i = begin; i < end; i++) {
        double h[144];
        barrier_stencil_derivatives(
            &w->law, (stencil_list)group, &w->s->set.lists[group].data[i], w->s->y.data, w->project,
            gradient ? gradient + (i - begin) * n : NULL, blocks ? h : NULL);
        if (blocks) stencil_store_blocks(width, h, blocks + (i - begin) * 9 * pairs);
    }
}

static stencil_source source_of(const barrier_work *work)
{
    stencil_source source = {
        .group_count = STENCIL_LISTS, .derivatives = barrier_derivatives, .context = work};
    for (int k = 0; k < STENCIL_LISTS; k++)
        source.groups[k] = (source_group){stencil_list_width[k], work->s->set.lists[k].count,
                                          work->s->vertices[k].data};
    return source;
}

abut_status abut_barrier_gradient(abut_active_set *s, const abut_barrier *barrier, double *gradient,
                                  abut_error *error)
{
    barrier_work work = {.s = s};
    TRY(barrier_law_of(s, barrier, &work.law, error));
    stencil_source source = source_of(&work);
    return assemble_gradient(&s->assembly, &source, s->mesh, gradient, error);
}

abut_status abut_barrier_hessian(abut_active_set *s, const abut_barrier *barrier,
                                 const abut_hessian_options *options, abut_matrix *matrix,
                                 abut_error *error)
{
    barrier_work work = {.s = s, .project = !(options && options->exact)};
    TRY(barrier_law_of(s, barrier, &work.law, error));
    stencil_source source = source_of(&work);
    return assemble_hessian(&s->assembly, &source, s->mesh, options && options->upper, &matrix->csr,
                            error);
}

/* ---- Stiffness ------------------------------------------------------------------------------ */

abut_status abut_initial_stiffness(const abut_barrier *barrier, double dhat, double extent,
                                   double mean_mass, const double *barrier_gradient,
                                   const double *other_gradient, size_t count, abut_stiffness *out,
                                   abut_error *error)
{
    const char *names[3] = {"dhat", "extent", "mean_mass"};
    const double values[3] = {dhat, extent, mean_mass};
    for (int i = 0; i < 3; i++)
        if (!(isfinite(values[i]) && values[i] > 0))
            return error_set(error, ABUT_ERROR_INPUT, names[i], "%g is not allowed, only > 0",
                             values[i]);
    barrier_kind kind = BARRIER_C2;
    TRY(inner_kind(barrier->kind, &kind, error));
    double scale = barrier->physical ? barrier_physical_scale(kind, dhat) : 1;
    stiffness_bounds(kind, dhat, extent, mean_mass, scale, &out->lowest, &out->highest);
    double balanced = 0;
    if (barrier_gradient && other_gradient)
        balanced = stiffness_balance(barrier_gradient, other_gradient, count);
    out->value = fmin(out->highest, fmax(out->lowest, balanced));
    return ABUT_OK;
}

abut_status abut_adapt_stiffness(abut_active_set *s, double extent, abut_stiffness *stiffness,
                                 abut_error *error)
{
    if (!s->mesh)
        return error_set(error, ABUT_ERROR_INPUT, "set", "the active set has not been built");
    close_pairs_begin(&s->close);
    if (!close_pairs_add_set(&s->close, &s->set, stiffness_tiny_gap(extent)))
        return error_memory(error, "adapting the stiffness");
    if (close_pairs_shrink(&s->close, 1))
        stiffness->value = fmin(stiffness->highest, fmax(stiffness->value, 2 * stiffness->value));
    return ABUT_OK;
}

#include "term/element.h"

#include "base/ranks.h"

#include <assert.h>
#include <math.h>

void element_term_init(element_term *t, const term_class *class, const model *m,
                       const element_functions *functions, int width, size_t count,
                       const int32_t *blocks)
{
    t->base = (term){.class = class, .group_count = 1};
    t->base.groups[0] = (stencil_group){width, count, blocks};
    t->model = m;
    t->functions = functions;
}

typedef struct range_work {
    const element_term *t;
    const double *x, *p;
    double limit;
} range_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    double sum = 0;
    for (size_t e = begin; e < end; e++) sum += w->t->functions->energy(w->t, w->x, e);
    return sum;
}

double element_term_value(const term *base, const evaluation *ev, const double *x)
{
    range_work work = {(const element_term *)base, x, NULL, 0};
    return ev->force_factor * ranks_sum_of(base->groups[0].count, energy_range, &work);
}

void element_term_derivatives(const term *base, const evaluation *ev, int group, const double *x,
                              size_t begin, size_t end, double *gradient, double *hessian)
{
    (void)group;
    const element_term *t = (const element_term *)base;
    size_t width = (size_t)base->groups[0].width, blocks = width * (width + 1) / 2;
    for (size_t e = begin; e < end; e++)
        t->functions->evaluate(t, x, e, ev->force_factor, !ev->exact,
                               gradient ? gradient + 3 * width * (e - begin) : NULL,
                               hessian ? hessian + 9 * blocks * (e - begin) : NULL);
}

static double step_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    double alpha = w->limit;
    for (size_t e = begin; e < end; e++)
        alpha = w->t->functions->max_step(w->t, w->x, w->p, e, alpha);
    return alpha;
}

abut_status element_term_max_step(const term *base, const double *x, const double *p, double limit,
                                  step_bound *bound, stage_timer *timer, abut_error *err)
{
    (void)timer;
    (void)err;
    range_work work = {(const element_term *)base, x, p, limit};
    *bound = (step_bound){.alpha = limit, .group = -1};
    if (work.t->functions->max_step)
        bound->alpha = fmin(limit, ranks_min_of(base->groups[0].count, step_range, &work));
    return ABUT_OK;
}

void element_term_destroy(term *base) { mem_free(base); }

void element_term_positions(const element_term *t, const double *x, size_t e, vec3 *out)
{
    const stencil_group *g = &t->base.groups[0];
    for (int k = 0; k < g->width; k++)
        out[k] = vec3_load(x + 3 * (size_t)g->blocks[(size_t)g->width * e + (size_t)k]);
}

void term_add_gradient(const term *t, const evaluation *ev, const double *x, double *gradient)
{
    for (int k = 0; k < t->group_count; k++) {
        const stencil_group *g = &t->groups[k];
        assert(g->width <= TERM_MAX_WIDTH); /* problem_add_term sees to it */
        for (size_t e = 0; e < g->count; e++) {
            double part[3 * TERM_MAX_WIDTH];
            t->class->derivatives(t, ev, k, x, e, e + 1, part, NULL);
            for (int i = 0; i < 3 * g->width; i++) {
                int32_t block = g->blocks[e * (size_t)g->width + (size_t)(i / 3)];
                if (block >= 0) gradient[3 * (size_t)block + (size_t)(i % 3)] += part[i];
            }
        }
    }
}

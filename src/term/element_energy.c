#include "term/element_energy.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "math/svd.h"

#include <math.h>

typedef struct range_work {
    const model *m;
    const element_set *s;
    const double *x, *p;
    double limit, fraction;
    const point_states *states;
} range_work;

static double energy_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    return element_energy(w->s, w->x, w->m->rest.data, w->states, begin, end);
}

double elements_energy(const model *m, const element_set *s, const double *x,
                       const point_states *states)
{
    range_work work = {.m = m, .s = s, .x = x, .states = states};
    return ranks_sum_of(s->count, energy_range, &work);
}

void elements_derivatives(const model *m, const element_set *s, const double *x,
                          const point_states *states, double weight, bool project, size_t begin,
                          size_t end, double *gradient, double *hessian)
{
    element_derivatives(s, x, m->rest.data, states, weight, project, begin, end, gradient, hessian);
}

static double allowed_step(const range_work *w, size_t e, double limit)
{
    if (!elastic_forbids_inversion(&w->s->material.data[e])) return limit;
    vec3 x[CELL_MAX_NODES], p[CELL_MAX_NODES];
    element_map_nodes(w->s, e, w->x, w->m->rest.data, x);
    element_map_direction(w->s, e, w->p, p);
    return fmin(limit, positivity_max_step(&w->s->positive, x, p, limit, w->fraction));
}

static double step_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    double alpha = w->limit;
    for (size_t e = begin; e < end; e++) alpha = allowed_step(w, e, alpha);
    return alpha;
}

/* The number of the first element that does not allow the whole limit. */
static double holding_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    for (size_t e = begin; e < end; e++)
        if (allowed_step(w, e, w->limit) < w->limit) return (double)e;
    return INFINITY;
}

double elements_max_step(const model *m, const element_set *s, const double *x, const double *p,
                         double limit, double fraction)
{
    range_work work = {m, s, x, p, limit, fraction, NULL};
    return fmin(limit, ranks_min_of(s->count, step_range, &work));
}

int64_t elements_holding(const model *m, const element_set *s, const double *x, const double *p,
                         double step, double fraction)
{
    /* Limits are found by shortening: the one that limited the step does not allow twice as much.
     */
    range_work work = {m, s, x, p, 2 * step, fraction, NULL};
    double first = ranks_min_of(s->count, holding_range, &work);
    return first < INFINITY ? (int64_t)first : -1;
}

static double volume_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    double least = INFINITY, u[3 * ELEMENT_MAX_STRIDE];
    for (size_t e = begin; e < end; e++) {
        element_gather(w->s, e, w->x, w->m->rest.data, u);
        for (int i = 0; i < w->s->rule.count; i++)
            least = fmin(least, mat3_determinant(element_deformation(w->s, e, u, i)));
    }
    return least;
}

double elements_min_volume_ratio(const model *m, const element_set *s, const double *x)
{
    range_work work = {.m = m, .s = s, .x = x};
    return ranks_min_of(s->count, volume_range, &work);
}

static double stretch_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    double largest = 0, u[3 * ELEMENT_MAX_STRIDE];
    for (size_t e = begin; e < end; e++) {
        element_gather(w->s, e, w->x, w->m->rest.data, u);
        for (int i = 0; i < w->s->rule.count; i++) {
            mat3 left, right;
            double stretch[3];
            svd3(element_deformation(w->s, e, u, i), &left, stretch, &right);
            largest = fmax(largest, stretch[0]);
        }
    }
    return largest;
}

double elements_max_stretch(const model *m, const element_set *s, const double *x)
{
    range_work work = {.m = m, .s = s, .x = x};
    return ranks_max_of(s->count, stretch_range, &work);
}

static double inverted_range(void *context, size_t begin, size_t end)
{
    const range_work *w = context;
    double count = 0;
    for (size_t e = begin; e < end; e++) {
        vec3 x[CELL_MAX_NODES];
        element_map_nodes(w->s, e, w->x, w->m->rest.data, x);
        count += positivity_check(&w->s->positive, x) != POSITIVE;
    }
    return count;
}

size_t elements_count_inverted(const model *m, const element_set *s, const double *x)
{
    range_work work = {.m = m, .s = s, .x = x};
    return (size_t)parallel_sum(s->count, inverted_range, &work);
}

void elements_add_norms(const model *m, const element_set *s, const double *x, double *l2,
                        double *semi, double *largest)
{
    double u[3 * ELEMENT_MAX_STRIDE];
    for (size_t e = 0; e < s->count; e++) {
        element_gather(s, e, x, m->rest.data, u);
        for (int c = 0; c < 3; c++) {
            const double *v = u + c * s->stride;
            for (int a = 0; a < s->nodes; a++) {
                *largest = fmax(*largest, fabs(v[a]));
                for (int b = 0; b < s->nodes; b++)
                    *l2 += element_mass(s, e, a, b) / s->density.data[e] * v[a] * v[b];
            }
        }
        for (int i = 0; i < s->elastic_points; i++) {
            mat3 gradient = mat3_sub(element_deformation(s, e, u, i), mat3_identity());
            size_t point = s->affine ? e : e * (size_t)s->rule.count + (size_t)i;
            double measure = s->points.data[point].measure;
            *semi += (s->affine ? s->rule.weights[i] : 1) * measure * mat3_norm2(gradient);
        }
    }
}

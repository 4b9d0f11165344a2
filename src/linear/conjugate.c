#include "linear/conjugate.h"

#include "base/parallel.h"
#include "linear/work.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 8192 };

void conjugate_free(conjugate *c)
{
    array_free(&c->r);
    array_free(&c->z);
    array_free(&c->p);
    array_free(&c->q);
}

typedef struct dot_pair {
    const double *a, *b;
} dot_pair;

static double dot_partial(void *context, size_t begin, size_t end)
{
    const dot_pair *d = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += d->a[i] * d->b[i];
    return sum;
}

double conjugate_dot(size_t n, const double *a, const double *b)
{
    dot_pair d = {a, b};
    return parallel_sum(n, dot_partial, &d);
}

typedef struct update_work {
    conjugate *c;
    double *x, factor;
} update_work;

static void next_direction(void *context, size_t begin, size_t end)
{
    const update_work *w = context;
    double *p = w->c->p.data, *z = w->c->z.data;
    for (size_t i = begin; i < end; i++) p[i] = z[i] + w->factor * p[i];
}

static void next_solution(void *context, size_t begin, size_t end)
{
    const update_work *w = context;
    const double *p = w->c->p.data, *q = w->c->q.data;
    for (size_t i = begin; i < end; i++) {
        w->x[i] += w->factor * p[i];
        w->c->r.data[i] -= w->factor * q[i];
    }
}

static double iteration_work(const conjugate_operators *o, size_t n)
{
    return o->work + WORK_VECTOR * (double)n;
}

conjugate_bound conjugate_limit(const linear_system *system, const conjugate_operators *o,
                                double spent, int most)
{
    enum { LEAST = 4 };
    if (!(system->work_limit > 0)) return (conjugate_bound){(size_t)most, false};
    double room = (system->work_limit - spent) / iteration_work(o, 3 * (size_t)system->a->size);
    return (conjugate_bound){(size_t)fmin(most, fmax(LEAST, room)), room < most};
}

static abut_status too_slow(double tolerance, size_t iterations, abut_error *err)
{
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "conjugate gradients did not reach %g in %zu iterations", tolerance,
                     iterations);
}

/* Where `k` iterations led from `start` to `now`, all that are needed at this rate. */
static double needed(size_t k, double start, double now, double target)
{
    return now < start ? (double)k * log(start / target) / log(start / now) : INFINITY;
}

/* Whether this iteration is the last that may be made. */
static bool is_last(const conjugate_bound *bound, size_t k, double start, double now, double target)
{
    static const double BEHIND = 3, NEAR = 1.33;
    size_t most = bound->most, extended = (size_t)(NEAR * (double)most);
    if (!bound->by_work || k < most / 2) return k == most;
    if (k == most / 2) return needed(k, start, now, target) > BEHIND * (double)most;
    if (k == most) return needed(k, start, now, target) > (double)extended;
    return k == extended;
}

abut_status conjugate_solve(conjugate *c, const conjugate_operators *o, size_t n, const double *b,
                            double *x, double tolerance, conjugate_bound bound,
                            linear_statistics *statistics, abut_error *err)
{
    if (!array_resize(&c->r, n) || !array_resize(&c->z, n) || !array_resize(&c->p, n) ||
        !array_resize(&c->q, n))
        return error_memory(err, "preparing conjugate gradients");
    if (n == 0) return ABUT_OK;
    memset(x, 0, n * sizeof *x);
    memcpy(c->r.data, b, n * sizeof *b);
    memset(c->p.data, 0, n * sizeof *b);
    double target = 0, before = 1, start = 0;
    c->indefinite = false;
    update_work work = {c, x, 0};
    for (size_t k = 0;; k++) {
        o->precondition(o->context, c->r.data, c->z.data);
        double rho = conjugate_dot(n, c->r.data, c->z.data);
        if (k == 0) start = rho;
        if (k == 0) target = tolerance * tolerance * rho;
        if (k > statistics->most_iterations) statistics->most_iterations = k;
        if (!(rho > target)) { /* also when there is nothing to solve */
            if (isfinite(rho) && rho >= 0) return ABUT_OK;
            c->indefinite = true;
            return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                             "the preconditioner is not positive definite (%g)", rho);
        }
        if (is_last(&bound, k, start, rho, target)) return too_slow(tolerance, k, err);
        work.factor = k ? rho / before : 0;
        before = rho;
        parallel_for(n, CHUNK, next_direction, &work);
        o->multiply(o->context, c->p.data, c->q.data);
        double curvature = conjugate_dot(n, c->p.data, c->q.data);
        c->indefinite = !(curvature > 0);
        if (c->indefinite)
            return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                             "the Newton matrix is not positive definite (curvature %g)",
                             curvature);
        work.factor = rho / curvature;
        parallel_for(n, CHUNK, next_solution, &work);
        statistics->iterations++;
        statistics->iteration_work += iteration_work(o, n);
    }
}

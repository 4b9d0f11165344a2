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

size_t conjugate_limit(const linear_system *system, const conjugate_operators *o, double spent,
                       int most)
{
    enum { LEAST = 4 };
    if (!(system->work_limit > 0)) return (size_t)most;
    double room = (system->work_limit - spent) / iteration_work(o, 3 * (size_t)system->a->size);
    return (size_t)fmin(most, fmax(LEAST, room));
}

static abut_status too_slow(double tolerance, size_t iterations, abut_error *err)
{
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "conjugate gradients did not reach %g in %zu iterations", tolerance,
                     iterations);
}

abut_status conjugate_solve(conjugate *c, const conjugate_operators *o, size_t n, const double *b,
                            double *x, double tolerance, size_t limit,
                            linear_statistics *statistics, abut_error *err)
{
    if (!array_resize(&c->r, n) || !array_resize(&c->z, n) || !array_resize(&c->p, n) ||
        !array_resize(&c->q, n))
        return error_memory(err, "preparing conjugate gradients");
    if (n == 0) return ABUT_OK;
    memset(x, 0, n * sizeof *x);
    memcpy(c->r.data, b, n * sizeof *b);
    memset(c->p.data, 0, n * sizeof *b);
    double target = 0, before = 1;
    update_work work = {c, x, 0};
    for (size_t k = 0;; k++) {
        o->precondition(o->context, c->r.data, c->z.data);
        double rho = conjugate_dot(n, c->r.data, c->z.data);
        if (k == 0) target = tolerance * tolerance * rho;
        if (k > statistics->most_iterations) statistics->most_iterations = k;
        if (!(rho > target)) { /* also when there is nothing to solve */
            if (isfinite(rho) && rho >= 0) return ABUT_OK;
            return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                             "the preconditioner is not positive definite (%g)", rho);
        }
        if (k == limit) return too_slow(tolerance, k, err);
        work.factor = k ? rho / before : 0;
        before = rho;
        parallel_for(n, CHUNK, next_direction, &work);
        o->multiply(o->context, c->p.data, c->q.data);
        double curvature = conjugate_dot(n, c->p.data, c->q.data);
        if (!(curvature > 0))
            return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                             "the Newton matrix is not positive definite (curvature %g)",
                             curvature);
        work.factor = rho / curvature;
        parallel_for(n, CHUNK, next_solution, &work);
        statistics->iterations++;
        statistics->iteration_work += iteration_work(o, n);
    }
}

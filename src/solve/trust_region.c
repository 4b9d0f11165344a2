#include "solve/trust_region.h"

#include "linear/conjugate.h"
#include "solve/true_newton.h"

#include <math.h>
#include <string.h>

/* Ratios of what was gained to what was promised, as in any trust region (Conn, Gould and Toint
 * 2000): below POOR the radius shrinks, above GOOD it may grow. */
static const double POOR = 0.25, GOOD = 0.75;
/* In lengths of P's direction: at first, and at most. */
static const double FIRST_RADIUS = 2, LARGEST_RADIUS = 1e3;

void trust_region_free(trust_region *t)
{
    array_free(&t->residual);
    array_free(&t->preconditioned);
    array_free(&t->search);
    array_free(&t->product);
}

void trust_region_begin(trust_region *t)
{
    t->radius = FIRST_RADIUS;
    t->stiff = false;
}

static bool resize(trust_region *t, size_t n)
{
    return array_resize(&t->residual, n) && array_resize(&t->preconditioned, n) &&
           array_resize(&t->search, n) && array_resize(&t->product, n);
}

static void add_scaled(size_t n, double factor, const double *v, double *to)
{
    for (size_t i = 0; i < n; i++) to[i] += factor * v[i];
}

/* The larger t >= 0 with |q + t d|^2 = limit, from q.q, q.d and d.d <= limit in the same metric. */
static double to_boundary(double qq, double qd, double dd, double limit)
{
    return (-qd + sqrt(qd * qd + dd * fmax(0, limit - qq))) / dd;
}

/* Steihaug and Toint's iteration on the matrix of the problem. Norms in the metric of P come from
 * recurrences. t->search is P's direction at first, t->residual the right side. */
static void minimise_model(trust_region *t, const problem *p, linear_solver *linear, size_t n,
                           double *direction)
{
    enum { MOST_PRODUCTS = 30 };
    static const double ENOUGH = 0.1; /* of the residual, in the norm of the preconditioner */
    double *r = t->residual.data, *z = t->preconditioned.data, *d = t->search.data;
    double *w = t->product.data, rz = conjugate_dot(n, r, d), first = rz;
    double qq = 0, qd = 0, dd = rz, limit = t->radius * t->radius * first;
    trust_model *m = &t->model;
    for (int k = 0; k < MOST_PRODUCTS; k++) {
        block_matrix_multiply(&p->matrix, d, w);
        t->products++;
        double curvature = conjugate_dot(n, d, w), a = rz / curvature;
        if (k == 0) m->softness = curvature / rz;
        m->boundary = !(curvature > 0) || !(qq + a * (2 * qd + a * dd) < limit);
        if (m->boundary) a = to_boundary(qq, qd, dd, limit);
        add_scaled(n, a, d, direction);
        m->slope += a * rz; /* g.d is -rz in all of them: residuals are orthogonal */
        m->gain += a * rz - 0.5 * a * a * curvature;
        qq += a * (2 * qd + a * dd);
        if (m->boundary) break;
        add_scaled(n, -a, w, r);
        linear_solve_again(linear, r, z);
        double next = conjugate_dot(n, r, z), b = next / rz;
        if (!(next > ENOUGH * ENOUGH * first)) break;
        for (size_t i = 0; i < n; i++) d[i] = z[i] + b * d[i];
        qd = b * (qd + a * dd);
        dd = next + b * b * dd;
        rz = next;
    }
    m->length = sqrt(qq / first);
}

abut_status trust_region_direction(trust_region *t, problem *p, const evaluation *ev,
                                   linear_solver *linear, const double *x, const double *right,
                                   const double *step, bool usable, double *direction,
                                   abut_error *err)
{
    size_t n = 3 * (size_t)p->free_count;
    double slope = conjugate_dot(n, right, step);
    if (!t->stiff || !usable || !(slope > 0)) {
        t->model = (trust_model){slope, 0.5 * slope, 1, 1, false, false};
        memcpy(direction, step, n * sizeof *direction);
        return ABUT_OK;
    }
    if (!resize(t, n)) return error_memory(err, "computing Newton's direction");
    TRY(true_newton_assemble(p, ev, x, err));
    stage before = timer_switch(p->timer, STAGE_LINEAR_SOLVE);
    t->hessians++;
    t->model = (trust_model){.true_one = true};
    memcpy(t->residual.data, right, n * sizeof *right);
    memcpy(t->search.data, step, n * sizeof *step);
    memset(direction, 0, n * sizeof *direction);
    minimise_model(t, p, linear, n, direction);
    timer_switch(p->timer, before);
    return ABUT_OK;
}

void trust_region_replace(trust_region *t, double slope)
{
    static const double SHARE = 0.6;
    t->model = (trust_model){.slope = SHARE * slope, .gain = SHARE * slope};
}

double trust_region_promise(const trust_region *t, double alpha)
{
    return alpha * (t->model.slope - alpha * (t->model.slope - t->model.gain));
}

/* P is stiff where the curvature along its direction is below GOOD of P's own: by a product, if
 * there was one, else by the energy along a whole step, for which the ratio is 2 less the
 * curvature. Steps that collisions cut short are not too short for lack of a longer direction. */
void trust_region_learn(trust_region *t, double tried, double gain, double taken)
{
    const trust_model *m = &t->model;
    if (m->length == 0) return;
    double ratio = gain / trust_region_promise(t, tried);
    if (ratio < POOR)
        t->radius = fmax(1, fmin(0.5, taken) * m->length);
    else if (ratio > GOOD && m->boundary && tried == 1)
        t->radius = fmin(2 * t->radius, LARGEST_RADIUS);
    t->stiff = m->true_one ? m->softness < GOOD : tried == 1 && ratio > 2 - GOOD;
}

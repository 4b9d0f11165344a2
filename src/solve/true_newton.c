#include "solve/true_newton.h"

#include "linear/conjugate.h"

#include <math.h>
#include <string.h>

void true_newton_free(true_newton *t)
{
    array_free(&t->residual);
    array_free(&t->preconditioned);
    array_free(&t->search);
    array_free(&t->product);
    minres_free(&t->stationary);
}

static bool resize(true_newton *t, size_t n)
{
    return array_resize(&t->residual, n) && array_resize(&t->preconditioned, n) &&
           array_resize(&t->search, n) && array_resize(&t->product, n);
}

/* The factor of the projected matrix is not touched by this. */
static abut_status assemble_true_hessian(problem *p, const evaluation *ev, const double *x,
                                         abut_error *err)
{
    stage before = timer_switch(p->timer, STAGE_ASSEMBLY);
    evaluation exact = *ev;
    exact.exact = true;
    abut_status status = problem_derivatives(p, &exact, x, true, err);
    timer_switch(p->timer, before);
    return status;
}

/* The largest a >= 0 with all entries of direction + a d within +-limit. */
static double room_along(size_t n, const double *direction, const double *d, double limit)
{
    double room = INFINITY;
    for (size_t i = 0; i < n; i++)
        if (d[i] != 0) room = fmin(room, (copysign(limit, d[i]) - direction[i]) / d[i]);
    return fmax(room, 0);
}

static double largest_entry(size_t n, const double *v)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    return largest;
}

static void add_scaled(size_t n, double factor, const double *v, double *to)
{
    for (size_t i = 0; i < n; i++) to[i] += factor * v[i];
}

/* Returns the number of products. */
static int iterate(true_newton *t, const problem *p, linear_solver *linear, size_t n, double limit,
                   double *direction)
{
    enum { MOST_PRODUCTS = 30 };
    static const double ENOUGH = 0.05; /* of the residual, in the norm of the preconditioner */
    double *r = t->residual.data, *z = t->preconditioned.data, *d = t->search.data;
    double *q = t->product.data, rz = conjugate_dot(n, r, d), first = rz;
    for (int k = 1; k <= MOST_PRODUCTS; k++) {
        block_matrix_multiply(&p->matrix, d, q);
        double curvature = conjugate_dot(n, d, q), room = room_along(n, direction, d, limit);
        double length = curvature > 0 ? rz / curvature : INFINITY;
        add_scaled(n, fmin(length, room), d, direction);
        if (!(length < room)) return k;
        add_scaled(n, -length, q, r);
        linear_solve_again(linear, r, z);
        double next = conjugate_dot(n, r, z);
        if (!(next > ENOUGH * ENOUGH * first)) return k;
        for (size_t i = 0; i < n; i++) d[i] = z[i] + next / rz * d[i];
        rz = next;
    }
    return MOST_PRODUCTS;
}

abut_status true_newton_direction(true_newton *t, problem *p, const evaluation *ev,
                                  linear_solver *linear, const double *x, const double *right,
                                  const double *step, double *direction, abut_error *err)
{
    size_t n = 3 * (size_t)p->free_count;
    if (!resize(t, n)) return error_memory(err, "computing Newton's direction");
    TRY(assemble_true_hessian(p, ev, x, err));
    stage before = timer_switch(p->timer, STAGE_LINEAR_SOLVE);
    memcpy(t->residual.data, right, n * sizeof *right);
    memcpy(t->search.data, step, n * sizeof *step);
    memset(direction, 0, n * sizeof *direction);
    static const double SAME = 1.1;
    double length = largest_entry(n, step);
    int products = iterate(t, p, linear, n, t->trust * length, direction);
    if (products == 1 && t->trust > SAME && largest_entry(n, direction) < SAME * length)
        t->trust = 0;
    timer_switch(p->timer, before);
    return ABUT_OK;
}

typedef struct operators {
    const block_matrix *matrix;
    linear_solver *linear;
} operators;

static void multiply(void *context, const double *x, double *y)
{
    const operators *o = context;
    block_matrix_multiply(o->matrix, x, y);
}

static void precondition(void *context, const double *r, double *z)
{
    const operators *o = context;
    linear_solve_again(o->linear, r, z);
}

abut_status true_newton_stationary(true_newton *t, problem *p, const evaluation *ev,
                                   linear_solver *linear, const double *x, const double *right,
                                   double *direction, bool *found, abut_error *err)
{
    enum { MOST_PRODUCTS = 300 };
    static const double EXACT = 1e-10;
    size_t n = 3 * (size_t)p->free_count;
    TRY(assemble_true_hessian(p, ev, x, err));
    stage before = timer_switch(p->timer, STAGE_LINEAR_SOLVE);
    operators o = {&p->matrix, linear};
    conjugate_operators c = {multiply, precondition, &o, 0};
    abut_status status =
        minres_solve(&t->stationary, &c, n, right, direction, EXACT, MOST_PRODUCTS, err);
    timer_switch(p->timer, before);
    *found = status == ABUT_OK && conjugate_dot(n, right, direction) > 0;
    return status == ABUT_ERROR_NOT_CONVERGED ? ABUT_OK : status;
}

void true_newton_learn(true_newton *t, bool whole)
{
    static const double MOST = 100;
    t->trust = whole ? fmin(MOST, 2 * t->trust) : fmax(1, t->trust / 2);
}

#include "solve/true_newton.h"

#include "linear/conjugate.h"

#include <math.h>
#include <string.h>

void true_newton_free(true_newton *t) { minres_free(&t->stationary); }

abut_status true_newton_assemble(problem *p, const evaluation *ev, const double *x, abut_error *err)
{
    stage before = timer_switch(p->timer, STAGE_ASSEMBLY);
    evaluation exact = *ev;
    exact.exact = true;
    abut_status status = problem_derivatives(p, &exact, x, true, err);
    timer_switch(p->timer, before);
    return status;
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
    TRY(true_newton_assemble(p, ev, x, err));
    stage before = timer_switch(p->timer, STAGE_LINEAR_SOLVE);
    operators o = {&p->matrix, linear};
    conjugate_operators c = {multiply, precondition, &o, 0};
    abut_status status =
        minres_solve(&t->stationary, &c, n, right, direction, EXACT, MOST_PRODUCTS, err);
    timer_switch(p->timer, before);
    *found = status == ABUT_OK && conjugate_dot(n, right, direction) > 0;
    return status == ABUT_ERROR_NOT_CONVERGED ? ABUT_OK : status;
}

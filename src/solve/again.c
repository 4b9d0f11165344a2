#include "solve/again.h"

bool newton_can_respond(const newton_solver *n)
{
    const problem *p = n->problem;
    return !n->shifted && !p->share && !p->restricted && linear_can_solve_again(n->linear) &&
           linear_get_statistics(n->linear)->exact;
}

/* out <- matrix^-1 of what n->trial holds over the unknowns. */
static void solve_trial(newton_solver *n, double *out)
{
    problem *p = n->problem;
    for (size_t i = 0; p->any_mask && i < 3 * (size_t)p->free_count; i++)
        if (p->mask[i]) n->trial[i] = 0;
    linear_solve_again(n->linear, n->trial, n->direction);
    problem_expand(p, n->direction, out);
}

static abut_status direction(void *context, double *out, abut_error *err)
{
    newton_again *again = context;
    newton_solver *n = again->newton;
    problem *p = n->problem;
    stage before = timer_switch(p->timer, STAGE_ASSEMBLY);
    abut_status status = problem_derivatives(p, again->ev, again->x, false, err);
    timer_switch(p->timer, STAGE_LINEAR_SOLVE);
    for (size_t i = 0; i < 3 * (size_t)p->free_count; i++) n->trial[i] = -p->gradient[i];
    if (status == ABUT_OK) solve_trial(n, out);
    timer_switch(p->timer, before);
    return status;
}

static void move(void *context, const double *force, double *out)
{
    newton_again *again = context;
    newton_solver *n = again->newton;
    problem *p = n->problem;
    stage before = timer_switch(p->timer, STAGE_LINEAR_SOLVE);
    for (size_t k = 0; k < (size_t)p->free_count; k++)
        for (size_t c = 0; c < 3; c++)
            n->trial[3 * k + c] = again->ev->force_factor * force[3 * (size_t)p->free_block[k] + c];
    solve_trial(n, out);
    timer_switch(p->timer, before);
}

newton_response newton_respond(newton_again *again)
{
    return (newton_response){again, direction, move};
}

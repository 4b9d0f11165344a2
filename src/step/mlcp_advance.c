/* Steps of the linear-complementarity stepper. A step that does not converge, or whose result fails
 * the exact check, is done again in two halves, and these in halves if need be: what is too much
 * for one linearisation at that length is not for a shorter one. Only a part that fails at the
 * smallest length counts as not converged: its motion ends at the first impact. */
#include "step/stepper_internal.h"

#include <math.h>
#include <string.h>

enum { MOST_HALVINGS = 4 };

abut_status stepper_solve_mlcp(stepper *s, step_statistics *statistics, abut_error *err)
{
    for (size_t i = 0; i < s->state.scalars; i++)
        if (s->dirichlet.fixed[i]) s->x[i] = s->dirichlet.target[i];
    stage before = timer_switch(&s->timer, STAGE_LINEAR_SOLVE);
    abut_status status = mlcp_step(s->mlcp.solver, &s->evaluation, s->start, s->state.v, s->x,
                                   s->scratch.span.h, &s->mlcp.statistics, err);
    timer_switch(&s->timer, before);
    TRY(status);
    statistics->newton_iterations += s->mlcp.statistics.iterations;
    statistics->friction_iterations += s->mlcp.statistics.passes;
    return ABUT_OK;
}

/* Whether s->x passes the exact check. */
static abut_status check(stepper *s, bool *good, abut_error *err)
{
    bool found;
    guard_finding finding;
    stage before = timer_switch(&s->timer, STAGE_CHECK);
    abut_status status = guard_check(s->guard, s->x, &found, &finding, err);
    timer_switch(&s->timer, before);
    *good = status == ABUT_OK && !found;
    return status;
}

static void add_statistics(mlcp_statistics *total, const mlcp_statistics *part)
{
    total->iterations += part->iterations;
    total->passes += part->passes;
    total->contacts = part->contacts;
    total->sticking = part->sticking;
    total->converged = total->converged && part->converged;
    total->residual = fmax(total->residual, part->residual);
    total->error_normal = fmax(total->error_normal, part->error_normal);
    total->error_stick = fmax(total->error_stick, part->error_stick);
    total->error_slide = fmax(total->error_slide, part->error_slide);
}

static abut_status advance_part(stepper *s, double begin, double end, int halvings,
                                mlcp_statistics *total, step_statistics *statistics,
                                abut_error *err)
{
    s->time = begin;
    s->scratch.span.h = end - begin;
    s->scratch.span.end = end;
    TRY(stepper_find_positions(s, end, statistics, err));
    bool free;
    TRY(check(s, &free, err));
    if (!(s->mlcp.statistics.converged && free) && halvings < MOST_HALVINGS) {
        double middle = 0.5 * (begin + end);
        mlcp_forget_step(s->mlcp.solver);
        total->halvings++;
        total->iterations += s->mlcp.statistics.iterations;
        total->passes += s->mlcp.statistics.passes;
        TRY(advance_part(s, begin, middle, halvings + 1, total, statistics, err));
        return advance_part(s, middle, end, halvings + 1, total, statistics, err);
    }
    if (!s->mlcp.statistics.converged || !free)
        log_message(s->log, ABUT_LOG_WARNING,
                    "the step to %g s did not converge (%d iterations, %d passes, residual %.2g); "
                    "its motion ends at the first impact",
                    end, s->mlcp.statistics.iterations, s->mlcp.statistics.passes,
                    s->mlcp.statistics.residual);
    if (!free) {
        s->mlcp.statistics.converged = false;
        memcpy(s->x, s->start, s->state.scalars * sizeof *s->x);
    }
    add_statistics(total, &s->mlcp.statistics);
    motion_advance(&s->state, end - begin, s->inertia->x_tilde, s->x);
    stepper_end_terms(s);
    s->state.steps--; /* counted once, by the caller */
    return ABUT_OK;
}

abut_status stepper_advance_mlcp(stepper *s, step_statistics *statistics, abut_error *err)
{
    double end = s->scratch.span.end;
    mlcp_statistics total = {.converged = true};
    *statistics = (step_statistics){.substeps = 1};
    double begin = s->time;
    memcpy(s->start, s->state.x, s->state.scalars * sizeof *s->start);
    stepper_set_targets(s, end);
    TRY(stepper_check_dirichlet_overlap(s, s->dirichlet.target, statistics, err));
    abut_status status = advance_part(s, begin, end, 0, &total, statistics, err);
    s->time = status == ABUT_OK ? end : begin;
    s->state.steps += status == ABUT_OK;
    stepper_begin_span(s);
    TRY(status);
    s->mlcp.statistics = total;
    statistics->unconverged = !total.converged;
    statistics->unknowns = 0;
    for (size_t i = 0; i < s->state.scalars; i++) statistics->unknowns += !s->dirichlet.fixed[i];
    /* For the smallest distance. */
    TRY(s->contact->base.class->update(&s->contact->base, s->state.x, err));
    stepper_measure(s, statistics);
    return ABUT_OK;
}

/* Sub-steps. What one step cannot solve in so many iterations, shorter ones often can: inertia
 * grows against all other forces with 1 / h^2, and prescribed bodies leave the others time to
 * yield. A step that does not converge is done again in two halves, and what does not converge of
 * these in halves of their own, down to h / 2^substep_halvings. A sub-step is a step in everything
 * but its length: it begins where the last one ended, goes along paths that collision detection has
 * found free, and passes the exact check. Lengths are counted in units of the smallest one, so that
 * sub-steps end at the same times however they came about, and the last one with the step. */
#include "step/saved_state.h"
#include "step/stepper_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void stepper_begin_span(stepper *s)
{
    const stepper_options *o = &s->options;
    bool divides = o->substeps.halvings > 0 && o->substeps.after > 0 && !s->mlcp.solver;
    s->scratch.span = (step_span){.h = o->h,
                                  .end = (double)(s->state.steps + 1) * o->h,
                                  .max_iterations = divides && o->substeps.after < o->max_iterations
                                                        ? o->substeps.after
                                                        : o->max_iterations};
}

abut_status stepper_keep(stepper *s, abut_error *err)
{
    if (!s->scratch.before) s->scratch.before = mem_calloc(1, sizeof *s->scratch.before);
    if (!s->scratch.before) return error_memory(err, "saving a state");
    return stepper_save(s, s->scratch.before, err);
}

/* A step that is being divided: `done` and `unit`, the length of the next sub-step, in units of
 * h / whole. */
typedef struct division {
    double begin, end, h; /* of the whole step */
    int whole, done, unit;
    int iterations; /* of Newton's method before this sub-step */
} division;

/* kappa carries the integrator's factor on forces, and the first friction of a step is that of the
 * last kappa. */
static void set_span(stepper *s, const division *d)
{
    const stepper_options *o = &s->options;
    double before = motion_force_factor(&s->state, s->scratch.span.h);
    int until = d->done + d->unit;
    bool least = d->unit == 1;
    s->scratch.span =
        (step_span){.h = d->h * d->unit / d->whole,
                    .end = until == d->whole ? d->end : d->begin + d->h * until / d->whole,
                    .max_iterations = least ? o->max_iterations
                                            : (int)fmin(o->substeps.after, o->max_iterations)};
    if (!least && o->substeps.after == 0) s->scratch.span.max_iterations = o->max_iterations;
    s->evaluation.kappa *= motion_force_factor(&s->state, s->scratch.span.h) / before;
}

/* Back to where the attempt began; stepper_load takes it for a whole step. */
static abut_status go_back(stepper *s, bool in_substeps, abut_error *err)
{
    double time = s->time;
    step_span span = s->scratch.span;
    TRY(stepper_load(s, s->scratch.before, err));
    if (!in_substeps) return ABUT_OK;
    s->state.in_substeps = s->rigid.turn.in_substeps = true;
    s->time = time;
    s->scratch.span = span;
    return ABUT_OK;
}

/* Back to the start of the step, for the reason that err has. */
abut_status stepper_undo(stepper *s, abut_status status, abut_error *err)
{
    abut_error reason = err ? *err : (abut_error){0};
    TRY(go_back(s, false, err));
    if (err) *err = reason;
    return status;
}

static abut_status take_substep(stepper **at, const remesh_stage *remesh, const division *d,
                                step_statistics *statistics, abut_error *err)
{
    TRY(stepper_solve(*at, NULL, statistics, err));
    if (remesh && d->done + d->unit == d->whole)
        TRY(remesh->change(remesh->context, at, statistics, err));
    TRY(stepper_check_dirichlet_overlap(*at, (*at)->x, statistics, err));
    return stepper_finish(*at, statistics, err);
}

/* The next sub-step is as long as the last one, or twice that where this was easy and the end of a
 * longer one is met. */
static void go_on(const stepper *s, division *d, const step_statistics *statistics)
{
    int taken = statistics->newton_iterations - d->iterations;
    d->done += d->unit;
    d->iterations = statistics->newton_iterations;
    bool easy = 4 * taken < s->scratch.span.max_iterations;
    if (easy && d->done % (2 * d->unit) == 0 && d->done + 2 * d->unit <= d->whole) d->unit *= 2;
}

static abut_status advance_substeps(stepper **at, const remesh_stage *remesh, division *d,
                                    step_statistics *statistics, abut_error *err)
{
    while (d->done < d->whole) {
        set_span(*at, d);
        TRY(stepper_keep(*at, err));
        abut_status status = take_substep(at, remesh, d, statistics, err);
        if (status == ABUT_OK) {
            statistics->substeps++;
            go_on(*at, d, statistics);
            continue;
        }
        if (status != ABUT_ERROR_NOT_CONVERGED || d->unit == 1) return status;
        TRY(go_back(*at, true, err));
        d->unit /= 2;
        d->iterations = statistics->newton_iterations;
    }
    return ABUT_OK;
}

/* What the message of the last attempt says, and where it happened. */
static void explain(const stepper *s, abut_error *err)
{
    if (!err) return;
    if (motion_rule(&s->state)->is_static) name_free_body(s->model, s->dirichlet.fixed, err);
    if (s->contact) name_tightest_contact(s->contact, s->dirichlet.fixed, err);
}

/* Back to the state before the step: none of its sub-steps leads to its end. */
static abut_status give_up(stepper *s, const saved_state *first, abut_error *err)
{
    char text[120];
    snprintf(text, sizeof text, " (in a sub-step of %g s from %g s on)", s->scratch.span.h,
             s->time);
    abut_error reason = err ? *err : (abut_error){0};
    size_t length = strlen(reason.message);
    snprintf(reason.message + length, sizeof reason.message - length, "%s", text);
    explain(s, &reason);
    TRY(stepper_load(s, first, err));
    if (err) *err = reason;
    return ABUT_ERROR_NOT_CONVERGED;
}

abut_status step_advance_in_substeps(stepper **at, const remesh_stage *remesh,
                                     step_statistics *statistics, abut_error *err)
{
    stepper *s = *at;
    int halvings = s->options.substeps.halvings;
    if (halvings == 0) {
        explain(s, err);
        return stepper_undo(s, ABUT_ERROR_NOT_CONVERGED, err);
    }
    log_message(s->log, ABUT_LOG_WARNING, "the step to %g s is done in sub-steps: %s",
                s->scratch.span.end, err ? err->message : "it did not converge");
    TRY(go_back(s, false, err));
    division d = {.begin = s->time,
                  .end = s->scratch.span.end,
                  .h = s->scratch.span.h,
                  .whole = 1 << halvings,
                  .unit = 1 << (halvings - 1),
                  .iterations = statistics->newton_iterations};
    saved_state first = *s->scratch.before;
    *s->scratch.before = (saved_state){0};
    motion_begin_substeps(&s->state);
    motion_begin_substeps(&s->rigid.turn);
    statistics->substeps = 0;
    abut_status status = advance_substeps(at, remesh, &d, statistics, err);
    s = *at;
    step_path_finish(&s->path, false);
    if (status == ABUT_OK) {
        motion_end_substeps(&s->state);
        motion_end_substeps(&s->rigid.turn);
        double before = motion_force_factor(&s->state, s->scratch.span.h);
        stepper_begin_span(s);
        s->evaluation.kappa *= motion_force_factor(&s->state, s->scratch.span.h) / before;
    } else if (status == ABUT_ERROR_NOT_CONVERGED) {
        status = give_up(s, &first, err);
    } else if (status == ABUT_INTERRUPTED) {
        saved_state last = *s->scratch.before;
        *s->scratch.before = first;
        first = last;
        status = stepper_undo(s, status, err);
    }
    saved_state_free(&first);
    return status;
}

/* The minimum of the incremental potential: Newton, repeated with new friction forces. */
#include "base/ranks.h"
#include "solve/again.h"
#include "step/stepper_internal.h"

#include <math.h>

enum { MAX_FRICTION_ITERATIONS = 100 };

bool stepper_friction_acts(const stepper *s)
{
    if (!s->contact || !term_counts(s, &s->friction->base)) return false;
    for (int i = 0; i < FRICTION_LISTS; i++)
        if (s->friction->lists[i].count > 0) return true;
    return false;
}

/* Whether a body sticks or slides is decided by differences of eps_v: where friction acts, a
 * direction longer than that proves nothing. (The stiffness of sticking makes the first direction
 * short, whatever the load.) */
double stepper_convergence_length(const stepper *s)
{
    double h = s->scratch.span.h;
    double length =
        motion_rule(&s->state)->is_static ? s->options.tolerance : s->options.tolerance * h;
    return stepper_friction_acts(s) ? fmin(length, s->options.eps_v * h) : length;
}

/* On all ranks at the same iterate. */
static bool stop_is_asked(const stop_request *stop)
{
    return stop->asked && ranks_any(stop->asked(stop->user));
}

/* Every iterate is part of the path, also those of subset solves. The run may end here; the step is
 * then undone by step_advance. */
static abut_status note_move(void *context, const double *x, abut_error *err)
{
    stepper *s = context;
    if (stop_is_asked(&s->scratch.stop))
        return error_set(err, ABUT_INTERRUPTED, "", "interrupted in the step to %g s",
                         s->scratch.span.end);
    return step_path_add(&s->path, x, err);
}

/* Iterates stay where the rotation vector is a chart: with turns of at most a quarter per
 * iteration, which rigid inertia sees to, and |theta| <= pi in between, no iterate comes near
 * |theta| = 2 pi. */
static abut_status wrap_rotations(stepper *s, bool *changed, abut_error *err)
{
    if (!s->rigid.inertia || !rigid_inertia_wrap(s->rigid.inertia, s->x)) return ABUT_OK;
    *changed = true;
    return step_path_break(&s->path, s->x, err);
}

/* Constraints of terms that are met by multipliers of their own. */
static abut_status tighten(stepper *s, const double *x, double direction, bool *changed,
                           bool *may_stop, abut_error *err)
{
    bool at_rest =
        !s->newton.shifted && !s->augmented.active && direction <= stepper_convergence_length(s);
    newton_again again = {&s->newton, &s->evaluation, x};
    newton_response response = newton_respond(&again);
    bool usable = !*changed && newton_can_respond(&s->newton);
    for (size_t i = 0; i < s->terms.count; i++) {
        term *t = s->terms.data[i].term;
        bool met = true, moved = false;
        if (t->class->tighten)
            TRY(t->class->tighten(t, x, at_rest, usable ? &response : NULL, &met, &moved, err));
        if (!met) *may_stop = false;
        if (moved) *changed = true;
    }
    return ABUT_OK;
}

/* What prescribed nodes press with, on their path to their targets, is no load that contacts have
 * to carry: beyond the bound of the paper they would throw out what is crushed. */
static bool may_stiffen(const stepper *s)
{
    if (!term_counts(s, &s->contact->base)) return false;
    return !s->augmented.active || s->evaluation.kappa < s->contact->kappa_max;
}

static abut_status after_iteration(void *context, const double *x, double direction, bool *changed,
                                   bool *may_stop, abut_error *err)
{
    stepper *s = context;
    if (s->contact && term_counts(s, &s->friction->base)) friction_note_iterate(s->friction);
    if (s->contact && may_stiffen(s) && contact_adapt_stiffness(s->contact, &s->evaluation.kappa))
        *changed = true;
    if (problem_adapt(&s->problem, &s->evaluation, x)) *changed = true;
    TRY(wrap_rotations(s, changed, err));
    TRY(tighten(s, x, direction, changed, may_stop, err));
    return s->augmented.active ? stepper_update_lagrangian(s, x, direction, changed, may_stop, err)
                               : ABUT_OK;
}

/* Normal forces and frames of friction from the positions x. */
abut_status stepper_lag_friction(stepper *s, const double *x, abut_error *err)
{
    step_record *record = s->scratch.record;
    TRY(problem_update(&s->problem, &s->evaluation, x, err));
    if (record && !array_push(&record->lag_kappa, s->evaluation.kappa))
        return error_memory(err, "recording a step");
    return friction_lag(s->friction, s->evaluation.kappa, err);
}

/* Notes how far the forces of another pass moved the state. Lagging need not converge (IPC, section
 * 4): when the moves of eight passes have not shrunk by half, further ones change nothing for the
 * better. */
static bool lagging_in_circles(double *moves, int pass, double move)
{
    enum { WINDOW = 8 };
    moves[pass] = move;
    return pass >= WINDOW && move > 0.5 * moves[pass - WINDOW];
}

/* True Hessians decide how impacts rebound at a rough tolerance, for which a scene may do without
 * them; that is no reason under a lasting load. */
static newton_hessian hessian(const stepper *s)
{
    bool pressed = s->contact && contact_under_lasting_load(s->contact);
    return pressed ? NEWTON_ADAPTIVE : s->options.hessian;
}

/* Iterations that are left of the step's budget, at most those of the options. */
static int iterations_left(const stepper *s, int used)
{
    int most = s->scratch.span.max_iterations, budget = s->options.budget;
    return budget > 0 && budget - used < most ? budget - used : most;
}

/* Whether Newton's method was stopped by the budget and by nothing else. Every iterate is feasible,
 * so that a step may end with any of them; prescribed nodes that have not arrived go on in the next
 * one. */
static bool is_out_of_budget(const stepper *s, abut_status status, const newton_result *result,
                             int used)
{
    bool ended = status == ABUT_OK || (status == ABUT_ERROR_NOT_CONVERGED && !result->stalled);
    return s->options.budget > 0 && used >= s->options.budget && ended;
}

/* To the last digits: forces balance, and where terms hold constraints, these are met. The one
 * disturbs the other, by less each time. */
static abut_status settle(stepper *s, double *left, abut_error *err)
{
    enum { ROUNDS = 20 };
    bool moved = true;
    for (int k = 0; k < ROUNDS && moved; k++) {
        TRY(stepper_polish(s, left, err));
        moved = false;
        for (size_t i = 0; i < s->terms.count; i++) {
            term *t = s->terms.data[i].term;
            if (t->class->constraints && t->class->constraints->settle(t, s->x)) moved = true;
        }
    }
    return moved ? stepper_polish(s, left, err) : ABUT_OK;
}

/* A pass of a recorded step is over: to the last digits, and written down. */
static abut_status record_pass(stepper *s, abut_error *err)
{
    step_record *r = s->scratch.record;
    if (!r) return ABUT_OK;
    if (!s->augmented.active) TRY(settle(s, &r->left, err));
    for (size_t i = 0; i < s->terms.count; i++) {
        term *t = s->terms.data[i].term;
        if (!t->class->constraints) continue;
        term_state found = t->class->constraints->multipliers(t);
        for (size_t k = 0; k < found.count; k++)
            if (!array_push(&r->multipliers, found.values[k]))
                return error_memory(err, "recording a step");
    }
    return step_record_pass(r, s->x, s->state.scalars, s->evaluation.kappa, s->augmented.active,
                            err);
}

/* Newton, repeated with new friction forces as often as asked. */
abut_status stepper_minimise(stepper *s, bool friction, step_statistics *statistics,
                             abut_error *err)
{
    newton_options options = {.tolerance = stepper_convergence_length(s),
                              .max_iterations = s->scratch.span.max_iterations,
                              .look_ahead = s->options.look_ahead,
                              .hessian = hessian(s),
                              .true_first = s->options.true_first,
                              .measure = s->options.stop.measure,
                              .force_tolerance = s->options.stop.force_tolerance,
                              .forcing = s->options.forcing,
                              .local = s->options.stop.measure == NEWTON_LARGEST};
    newton_hooks hooks = {s, after_iteration};
    s->newton.on_move = note_move;
    s->newton.on_move_context = s;
    int passes = s->options.friction_iterations > 0 ? s->options.friction_iterations
                                                    : MAX_FRICTION_ITERATIONS;
    double moves[MAX_FRICTION_ITERATIONS];
    int used = 0;
    for (int pass = 0; pass < (friction ? passes : 1); pass++) {
        newton_result result;
        options.max_iterations = iterations_left(s, used);
        abut_status status =
            newton_minimize(&s->newton, &s->evaluation, s->x, &options, &hooks, &result, err);
        statistics->newton_iterations += result.iterations;
        statistics->newton_at_noise = statistics->newton_at_noise || result.at_noise;
        if (result.unbalanced > 0) statistics->unbalanced_force = result.unbalanced;
        used += result.iterations;
        bool last = !friction || pass + 1 == passes;
        if (is_out_of_budget(s, status, &result, used) && !(status == ABUT_OK && last)) {
            statistics->truncated = true;
            return ABUT_OK;
        }
        if (status == ABUT_ERROR_NOT_CONVERGED && s->augmented.active)
            return report_unreached(s->model, s->augmented.term, s->x,
                                    stepper_dirichlet_progress(s, s->x),
                                    statistics->newton_iterations, err);
        TRY(status);
        TRY(record_pass(s, err));
        if (!friction) break;
        statistics->friction_iterations = pass + 1;
        /* One iteration means that the refreshed forces left the state as it is. */
        if (pass > 0 && result.iterations <= 1) break;
        bool until_converged = s->options.friction_iterations == 0;
        if (pass + 1 == passes || (until_converged && pass > 0 &&
                                   lagging_in_circles(moves, pass - 1, result.first_direction))) {
            statistics->friction_not_converged = until_converged;
            break;
        }
        TRY(stepper_lag_friction(s, s->x, err));
        TRY(stepper_renew_stiffness(s, s->x, err));
    }
    return ABUT_OK;
}

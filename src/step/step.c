/* One time step, stage by stage; docs/one-step.md walks through it. */
#include "step/followers.h"
#include "step/stepper_internal.h"

#include <string.h>

static abut_status renew_poses(stepper *s, abut_error *err)
{
    for (size_t i = 0; i < s->loads.adhesions.count; i++)
        TRY(contact_renew_poses(s->loads.adhesions.data[i]->pairs, err));
    return contact_renew_poses(s->contact, err);
}

/* Where the step begins, and where the iterate does. */
static abut_status begin(stepper *s, abut_error *err)
{
    size_t scalars = s->state.scalars;
    int64_t reframed = s->rigid.reframed;
    rigid_motion_reframe(&s->rigid, s->model, &s->state, s->time);
    if (s->contact && s->rigid.reframed > reframed) TRY(renew_poses(s, err));
    memcpy(s->start, s->state.x, scalars * sizeof *s->start);
    memcpy(s->x, s->scratch.guess ? s->scratch.guess : s->state.x, scalars * sizeof *s->x);
    return step_path_begin(&s->path, s->x, scalars, err);
}

/* The integrator's predictor and factors, loads, and damping at the start of the step. */
static void predict(stepper *s, double end)
{
    double h = s->scratch.span.h, factor = motion_force_factor(&s->state, h);
    motion_predict(&s->state, h, s->inertia->x_tilde);
    stepper_set_forces(s, s->time, end);
    s->evaluation.mass_factor = motion_rule(&s->state)->is_static ? 0 : 1;
    s->evaluation.load_factor = s->evaluation.force_factor = factor;
    s->evaluation.h = h;
    if (s->friction) {
        friction_set_length(s->friction, s->options.eps_v, h);
        s->friction->factor = factor;
    }
    s->elastic->base.class->restart(&s->elastic->base, s->start);
    if (s->damping) damping_lag(s->damping, s->start);
    if (s->model->rigids.count > 0) rigid_motion_predict(&s->rigid, &s->state, s->time, h, factor);
}

/* Dirichlet data at the end of the step. */
static abut_status prescribe(stepper *s, double end, abut_error *err)
{
    stepper_set_targets(s, end);
    TRY(problem_set_fixed(&s->problem, s->dirichlet.fixed, err));
    /* Pairs of which no vertex can respond are no contacts, also while an augmented Lagrangian
     * moves some of them. */
    if (s->contact) contact_set_fixed(s->contact, s->dirichlet.fixed);
    for (size_t i = 0; i < s->loads.adhesions.count; i++)
        contact_set_fixed(s->loads.adhesions.data[i]->pairs, s->dirichlet.fixed);
    return ABUT_OK;
}

/* What was noted in the last step is forgotten: a step depends on its start only. */
static void forget(stepper *s, double end)
{
    term_step at = {s->start, end, s->scratch.span.h};
    if (s->contact) set_term_counts(s, &s->friction->base, false);
    if (s->contact) contact_begin_step(s->contact);
    for (size_t i = 0; i < s->loads.adhesions.count; i++)
        adhesion_begin_step(s->loads.adhesions.data[i], s->start);
    s->elastic->base.class->begin_step(&s->elastic->base, &at);
    for (size_t i = 0; i < s->terms.count; i++) {
        term *t = s->terms.data[i].term;
        if (t->class->begin_step) t->class->begin_step(t, &at);
    }
    problem_begin_step(&s->problem);
    linear_begin_step(s->linear);
}

/* Friction forces of the first pass, from the contacts at the start. */
static abut_status lag_at_start(stepper *s, abut_error *err)
{
    friction_set_start(s->friction, s->start);
    TRY(stepper_choose_first_stiffness(s, err));
    return stepper_lag_friction(s, s->start, err);
}

/* From now on they count. */
static abut_status begin_friction(stepper *s, abut_error *err)
{
    TRY(problem_update(&s->problem, &s->evaluation, s->x, err));
    set_term_counts(s, &s->friction->base, true);
    return ABUT_OK;
}

abut_status stepper_begin_step(stepper *s, double end, abut_error *err)
{
    TRY(begin(s, err));
    predict(s, end);
    TRY(prescribe(s, end, err));
    forget(s, end);
    return ABUT_OK;
}

abut_status stepper_take_friction(stepper *s, const double *x, double kappa, abut_error *err)
{
    s->evaluation.kappa = kappa;
    friction_set_start(s->friction, s->start);
    TRY(stepper_lag_friction(s, x, err));
    set_term_counts(s, &s->friction->base, true);
    return ABUT_OK;
}

abut_status stepper_find_positions(stepper *s, double end, step_statistics *statistics,
                                   abut_error *err)
{
    TRY(stepper_begin_step(s, end, err));
    step_record_clear(s->scratch.record);
    if (s->mlcp.solver) return stepper_solve_mlcp(s, statistics, err);
    bool friction = s->contact && friction_possible(s->friction);
    bool split = s->options.split_limits && stepper_has_limit(s);
    if (friction) TRY(lag_at_start(s, err));
    if (split) TRY(stepper_solve_elastic_part(s, statistics, err));
    TRY(stepper_move_dirichlet(s, err));
    if (s->contact) TRY(stepper_choose_stiffness(s, err));
    if (friction) TRY(begin_friction(s, err));
    TRY(stepper_warm_start(s, err));
    abut_status status = stepper_minimise(s, friction, statistics, err);
    if (split) stepper_join_split(s);
    return status;
}

/* The exact check of the positions found. Should it fail, the step is repeated with a check of
 * every position on the path. */
static abut_status guard_positions(stepper *s, double end, step_statistics *statistics,
                                   abut_error *err)
{
    for (int again = 0; s->guard; again++) {
        bool found;
        guard_finding finding;
        stage before = timer_switch(&s->timer, STAGE_CHECK);
        abut_status status = guard_check(s->guard, s->x, &found, &finding, err);
        timer_switch(&s->timer, before);
        TRY(status);
        if (!found) break;
        char text[320];
        guard_describe(s->guard, &finding, text, sizeof text);
        statistics->repeats += again == 0;
        if (again > 0)
            return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                             "the result of the step fails the exact check: %s", text);
        log_message(s->log, ABUT_LOG_WARNING,
                    "the step to %g s failed the exact check and is repeated: %s", end, text);
        set_term_counts(s, &s->guard->base, true);
        status = stepper_find_positions(s, end, statistics, err);
        set_term_counts(s, &s->guard->base, s->options.check_every_trial);
        TRY(status);
    }
    return ABUT_OK;
}

abut_status stepper_solve(stepper *s, const double *guess, step_statistics *statistics,
                          abut_error *err)
{
    double end = s->scratch.span.end;
    s->scratch.guess = guess;
    abut_status status = stepper_find_positions(s, end, statistics, err);
    if (status == ABUT_OK) status = guard_positions(s, end, statistics, err);
    s->scratch.guess = NULL;
    TRY(status);
    if (s->contact) TRY(step_path_join(&s->path, s->contact, &s->timer, err));
    TRY(problem_update(&s->problem, &s->evaluation, s->x, err));
    stepper_measure_potential(s, statistics);
    return ABUT_OK;
}

/* Newmark's rule makes the accelerations of nodes that are moved with a jump in velocity grow
 * without bound; once released they would fly off. Prescribed nodes have the velocity of their
 * motion and no acceleration. */
static void store_dirichlet(stepper *s)
{
    if (!motion_rule(&s->state)->has_accelerations) return;
    for (size_t i = 0; i < s->state.scalars; i++) {
        if (!s->dirichlet.fixed[i] || s->dirichlet.fixed[i] == FIXED_FOLLOWS) continue;
        s->state.v[i] = (s->x[i] - s->start[i]) / s->scratch.span.h;
        s->state.a[i] = 0;
    }
}

abut_status stepper_finish(stepper *s, step_statistics *statistics, abut_error *err)
{
    linear_end_step(s->linear);
    stepper_find_reactions(s);
    if (s->contact) contact_end_step(s->contact, statistics->newton_iterations);
    double h = s->scratch.span.h;
    motion_advance(&s->state, h, s->inertia->x_tilde, s->x);
    store_dirichlet(s);
    if (s->model->rigids.count > 0)
        rigid_motion_advance(&s->rigid, &s->state, h, s->start, s->dirichlet.fixed);
    TRY(stepper_drop_contact_accelerations(s, err));
    if (s->friction) TRY(friction_end_step(s->friction, err));
    stepper_end_terms(s);
    stepper_measure(s, statistics);
    s->time = s->scratch.span.end;
    step_path_finish(&s->path, s->state.in_substeps);
    if (!s->state.in_substeps) stepper_begin_span(s);
    return ABUT_OK;
}

abut_status step_advance(stepper **at, const remesh_stage *remesh, step_statistics *statistics,
                         abut_error *err)
{
    stepper *s = *at;
    *statistics = (step_statistics){.substeps = 1};
    stepper_begin_span(s);
    if (s->mlcp.solver) return stepper_advance_mlcp(s, statistics, err);
    TRY(stepper_keep(s, err));
    abut_status status = stepper_solve(s, NULL, statistics, err);
    if (status == ABUT_ERROR_NOT_CONVERGED)
        return step_advance_in_substeps(at, remesh, statistics, err);
    if (status == ABUT_INTERRUPTED) return stepper_undo(s, status, err);
    TRY(status);
    if (remesh) TRY(remesh->change(remesh->context, at, statistics, err));
    TRY(stepper_check_dirichlet_overlap(*at, (*at)->x, statistics, err));
    return stepper_finish(*at, statistics, err);
}

abut_status stepper_advance(stepper *s, step_statistics *statistics, abut_error *err)
{
    return step_advance(&s, NULL, statistics, err);
}

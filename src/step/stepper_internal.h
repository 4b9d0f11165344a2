/* What the files of the stepper share. */
#ifndef STEP_STEPPER_INTERNAL_H
#define STEP_STEPPER_INTERNAL_H

#include "step/stepper.h"

/* Whether a term counts in the present stage of the step. */
static inline bool term_counts(const stepper *s, const term *t)
{
    return !(s->evaluation.without & term_bit(t));
}

static inline void set_term_counts(stepper *s, const term *t, bool on)
{
    if (on)
        s->evaluation.without &= ~term_bit(t);
    else
        s->evaluation.without |= term_bit(t);
}

/* The span of the next whole step. */
void stepper_begin_span(stepper *s);
/* Keeps the state, from which a failed attempt is repeated (substeps.c). */
abut_status stepper_keep(stepper *s, abut_error *err);
/* Back to that state, for a reason that err has; returns its status. */
abut_status stepper_undo(stepper *s, abut_status status, abut_error *err);
/* The step again, after a first attempt that failed for the reason in err, in sub-steps. */
abut_status step_advance_in_substeps(stepper **at, const remesh_stage *remesh,
                                     step_statistics *statistics, abut_error *err);

/* Finds the positions s->x at the end of the step from s->time; the state stays as it is. */
abut_status stepper_find_positions(stepper *s, double end, step_statistics *statistics,
                                   abut_error *err);

/* Gravity and loads of the step from `time` to `end` (loads.c). */
void stepper_set_forces(stepper *s, double time, double end);

/* Room for what the conditions remember (dirichlet.c). */
abut_status stepper_prepare_conditions(stepper *s, abut_error *err);
/* Marks the prescribed scalars (s->fixed) of the step from s->time and their targets at `end`. */
void stepper_set_targets(stepper *s, double end);
/* The same for those that a caller has set, which go before (targets.c). */
void stepper_set_user_targets(stepper *s, double end);

/* Reactions of the step that ends at s->x, where asked for (reactions.c). */
void stepper_find_reactions(stepper *s);

/* Tells the terms of the table that s->state.x is the result of a step. */
void stepper_end_terms(stepper *s);

/* s->x <- where Newton's method begins (warm_start.c). */
abut_status stepper_warm_start(stepper *s, abut_error *err);

/* Newton, repeated with new friction forces as often as asked (minimise.c); the forces at x. */
abut_status stepper_minimise(stepper *s, bool friction, step_statistics *statistics,
                             abut_error *err);
abut_status stepper_lag_friction(stepper *s, const double *x, abut_error *err);
/* The minimum to the last digits, for steps that are recorded (polish.c). */
abut_status stepper_polish(stepper *s, double *left, abut_error *err);
/* Whether some contact has a friction force in the present pass. */
bool stepper_friction_acts(const stepper *s);
/* How long Newton's direction may be at the end, m. */
double stepper_convergence_length(const stepper *s);

/* Strain limits in a second solve (split_limits.c): whether there are any; the first solve, which
 * makes its result the target of inertia; what the update of the velocities expects. */
bool stepper_has_limit(const stepper *s);
abut_status stepper_solve_elastic_part(stepper *s, step_statistics *statistics, abut_error *err);
void stepper_join_split(stepper *s);

/* Potential at s->x, which the terms were updated for, and number of unknowns (measure.c). */
void stepper_measure_potential(const stepper *s, step_statistics *out);

/* Prescribed nodes (dirichlet_lagrangian.c): moves them as far as the other terms allow, and begins
 * an augmented Lagrangian when that is not the whole path; after a Newton iteration at x with this
 * direction, updates the augmented Lagrangian or releases it; the share of the path that is done.
 */
abut_status stepper_move_dirichlet(stepper *s, abut_error *err);
abut_status stepper_update_lagrangian(stepper *s, const double *x, double direction, bool *changed,
                                      bool *may_stop, abut_error *err);
double stepper_dirichlet_progress(const stepper *s, const double *x);

/* The stiffness of contact (stepper_stiffness.c): for the step, once prescribed nodes have moved;
 * before that for the first forces of friction; and anew at x where PolyFEM's rule does so, which
 * is when prescribed nodes have arrived and with every new set of friction forces. */
abut_status stepper_choose_stiffness(stepper *s, abut_error *err);
abut_status stepper_choose_first_stiffness(stepper *s, abut_error *err);
abut_status stepper_renew_stiffness(stepper *s, const double *x, abut_error *err);

/* Newmark's accelerations (accelerations.c): at the start; without contact at the end of a step. */
abut_status stepper_start_accelerations(stepper *s, abut_error *err);
abut_status stepper_drop_contact_accelerations(stepper *s, abut_error *err);
bool stepper_contact_is_implicit(const stepper *s);

/* The step of the linear-complementarity stepper (mlcp_advance.c). */
abut_status stepper_solve_mlcp(stepper *s, step_statistics *statistics, abut_error *err);
abut_status stepper_advance_mlcp(stepper *s, step_statistics *statistics, abut_error *err);

#endif

/* Strain limits in a second solve, after the elastic one, as other methods have them (Codimensional
 * IPC, section 6.3); for comparisons. */
#include "step/stepper_internal.h"

#include <string.h>

/* Elasticity on, contact and limits off, or vice versa. */
static void enable_elasticity(stepper *s, bool on)
{
    for (size_t i = 0; i < s->terms.count; i++)
        set_term_counts(s, s->terms.data[i].term, s->terms.data[i].row->is_limit ? !on : on);
    if (s->damping) set_term_counts(s, &s->damping->base, on);
    if (s->contact) set_term_counts(s, &s->contact->base, !on);
}

bool stepper_has_limit(const stepper *s)
{
    for (size_t i = 0; i < s->terms.count; i++)
        if (s->terms.data[i].row->is_limit) return true;
    return false;
}

/* The elastic step alone, x_hat, then the feasible positions nearest to it in the norm of the
 * masses, with contact and friction. Makes x_hat the target of inertia; the second solve is the
 * caller's. */
abut_status stepper_solve_elastic_part(stepper *s, step_statistics *statistics, abut_error *err)
{
    bool guarded = s->guard && term_counts(s, &s->guard->base);
    if (guarded) set_term_counts(s, &s->guard->base, false);
    enable_elasticity(s, true);
    abut_status status = stepper_move_dirichlet(s, err);
    if (status == ABUT_OK) status = stepper_minimise(s, false, statistics, err);
    if (guarded) set_term_counts(s, &s->guard->base, true);
    enable_elasticity(s, false);
    TRY(status);
    memcpy(s->inertia->x_tilde, s->x, s->state.scalars * sizeof *s->x);
    memcpy(s->x, s->start, s->state.scalars * sizeof *s->x);
    s->evaluation.load_factor = 0;
    return step_path_begin(&s->path, s->x, s->state.scalars,
                           err); /* iterates of the elastic solve are not on the path */
}

/* What the update of the velocities and the next measure expect. */
void stepper_join_split(stepper *s)
{
    for (size_t i = 0; i < s->terms.count; i++) set_term_counts(s, s->terms.data[i].term, true);
    if (s->damping) set_term_counts(s, &s->damping->base, true);
    if (s->contact) set_term_counts(s, &s->contact->base, true);
    motion_predict(&s->state, s->scratch.span.h, s->inertia->x_tilde);
    s->evaluation.load_factor = motion_force_factor(&s->state, s->scratch.span.h);
}

/* Warm start: where Newton's method begins. The minimum is near where the bodies would be if they
 * went on as in the step before, so the iteration starts there: at x + h v + h^2 a or at x + h v,
 * whichever of these and x has the least energy and can be reached on a straight path without
 * contact. Bodies that turn with a clamp, fall or slide are then a term of higher order in h away
 * from the minimum, not h v; resting ones begin where they are, as before (docs/theory/newton.md).
 */
#include "solve/follow.h"
#include "step/stepper_internal.h"

#include <string.h>

typedef struct start_search {
    const double *from; /* the configuration that all paths begin at */
    double energy;      /* of s->x, the best so far */
} start_search;

/* s->scratch.work <- the path from s->x to the configuration predicted with this order. False when
 * nothing moves. */
static bool set_predicted_path(stepper *s, int order)
{
    double h = s->scratch.span.h, *path = s->scratch.work;
    bool any = false;
    for (size_t i = 0; i < s->state.scalars; i++) {
        path[i] = h * s->state.v[i];
        if (order > 1) path[i] += h * h * s->state.a[i];
    }
    rigid_motion_turn_ahead(&s->rigid, &s->state, h, path);
    for (size_t i = 0; i < s->state.scalars; i++) {
        if (s->dirichlet.fixed[i]) path[i] = 0;
        any = any || path[i] != 0;
    }
    return any;
}

/* Whether all unknowns are where the step begins: nothing has carried them along yet. */
static bool is_at_start(const stepper *s)
{
    for (size_t i = 0; i < s->state.scalars; i++)
        if (!s->dirichlet.fixed[i] && s->x[i] != s->start[i]) return false;
    return true;
}

/* s->x <- the end of the path, where that is feasible and has less energy. */
static abut_status try_start(stepper *s, start_search *search, abut_error *err)
{
    double alpha = 1, *trial = s->newton.trial;
    problem_direct(&s->problem, search->from, s->scratch.work);
    TRY(problem_max_step(&s->problem, &s->evaluation, search->from, s->scratch.work, 1.0, &alpha,
                         err));
    if (alpha < 1) return ABUT_OK;
    for (size_t i = 0; i < s->state.scalars; i++) trial[i] = search->from[i] + s->scratch.work[i];
    problem_follow(&s->problem, trial);
    if (!problem_accepts(&s->problem, &s->evaluation, trial)) return ABUT_OK;
    TRY(problem_update(&s->problem, &s->evaluation, trial, err));
    double energy = problem_value(&s->problem, &s->evaluation, trial);
    if (!(energy < search->energy)) return ABUT_OK;
    search->energy = energy;
    memcpy(s->x, trial, s->state.scalars * sizeof *s->x);
    return ABUT_OK;
}

abut_status stepper_warm_start(stepper *s, abut_error *err)
{
    enum { HIGHEST_ORDER = 2 };
    bool wanted = s->options.warm_start && !s->scratch.guess && !s->augmented.active;
    /* Smoothed friction holds a body only around the positions that the step starts from; further
     * on it is constant, and a start that slides already may go on sliding where the body would
     * have stuck. */
    if (!wanted || stepper_friction_acts(s) || !is_at_start(s)) return ABUT_OK;
    size_t bytes = s->state.scalars * sizeof *s->x;
    memcpy(s->newton.direction, s->x, bytes);
    start_search search = {.from = s->newton.direction};
    TRY(problem_update(&s->problem, &s->evaluation, s->x, err));
    search.energy = problem_value(&s->problem, &s->evaluation, s->x);
    for (int order = HIGHEST_ORDER; order > 0; order--)
        if (set_predicted_path(s, order)) TRY(try_start(s, &search, err));
    if (memcmp(s->x, search.from, bytes) == 0) return ABUT_OK;
    return step_path_add(&s->path, s->x, err);
}

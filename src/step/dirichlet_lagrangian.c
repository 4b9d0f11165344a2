/* Prescribed nodes within a step: moved as far as is feasible, the rest by an augmented Lagrangian.
 */
#include "solve/follow.h"
#include "step/stepper_internal.h"

#include <math.h>
#include <string.h>

/* Augmented Lagrangian of prescribed nodes: IPC supplement, section 5. A body stretched a
 * hundredfold resists more than the stiffest spring there (1e8) can overcome. */
static const double LAGRANGIAN_STIFFNESS = 3e7, LAGRANGIAN_STIFFNESS_MAX = 1e10;
static const double LAGRANGIAN_DONE = 0.999, LAGRANGIAN_STIFFEN = 0.9;

/* Puts prescribed nodes that have to move under the augmented Lagrangian; those already at their
 * target stay fixed. */
static abut_status start_lagrangian(stepper *s, abut_error *err)
{
    augmented_lagrangian_clear(s->augmented.term);
    s->augmented.term->stiffness = LAGRANGIAN_STIFFNESS;
    memcpy(s->scratch.work, s->dirichlet.target, s->state.scalars * sizeof *s->scratch.work);
    for (size_t i = 0; i < s->model->rest.count; i++) {
        int axes = 0;
        bool moves = false;
        for (int axis = 0; axis < 3; axis++) {
            size_t at = 3 * i + (size_t)axis;
            if (!s->dirichlet.fixed[at]) continue;
            axes |= 1 << axis;
            if (s->dirichlet.target[at] != s->start[at]) moves = true;
        }
        if (!axes || !moves) continue;
        TRY(augmented_lagrangian_add(s->augmented.term, (int32_t)i, rigid_block_mass(s->model, i),
                                     s->blocks.lengths[i], vec3_load(s->dirichlet.target + 3 * i),
                                     axes, err));
        memset(s->dirichlet.fixed + 3 * i, 0, 3);
    }
    augmented_lagrangian_ready(s->augmented.term);
    s->augmented.start2 = augmented_lagrangian_distance2(s->augmented.term, s->start);
    s->evaluation.without &= ~term_bit(&s->augmented.term->base);
    s->augmented.active = true;
    s->augmented.progress = (lagrangian_progress){0};
    return ABUT_OK;
}

double stepper_dirichlet_progress(const stepper *s, const double *x)
{
    if (s->augmented.start2 <= 0) return 1;
    return 1 - sqrt(augmented_lagrangian_distance2(s->augmented.term, x) / s->augmented.start2);
}

/* Whether the augmented Lagrangian is in balance with the other forces: Newton's direction hardly
 * takes its nodes nearer to their targets, however far the other nodes are from convergence. */
static bool lagrangian_is_balanced(const stepper *s, const double *x)
{
    static const double LITTLE = 0.1; /* of the rest of the path */
    const augmented_lagrangian_term *lagrangian = s->augmented.term;
    double left = augmented_lagrangian_distance2(lagrangian, x), moves = 0;
    for (size_t i = 0; i < lagrangian->nodes.count; i++) {
        vec3 move = vec3_load(s->newton.direction + 3 * (size_t)lagrangian->nodes.data[i]);
        moves += lagrangian->length.data[i] * lagrangian->length.data[i] * vec3_norm2(move);
    }
    return moves < LITTLE * LITTLE * left;
}

/* Multipliers are updated near the targets, where they approximate the reaction forces, and where
 * the spring is at its stiffest; near the targets a stiffer spring as well needs fewer updates than
 * multipliers alone. */
static void update_lagrangian(stepper *s, double progress, const double *x)
{
    static const double FAR = 2, NEAR = 8;
    augmented_lagrangian_term *lagrangian = s->augmented.term;
    bool stiffest = lagrangian->stiffness >= LAGRANGIAN_STIFFNESS_MAX;
    if (progress >= LAGRANGIAN_STIFFEN || stiffest)
        augmented_lagrangian_update_multipliers(lagrangian, x);
    double factor = progress >= LAGRANGIAN_STIFFEN ? NEAR : FAR;
    lagrangian->stiffness = fmin(factor * lagrangian->stiffness, LAGRANGIAN_STIFFNESS_MAX);
}

/* Fixes the nodes where they are now and drops the augmented Lagrangian. */
static abut_status release(stepper *s, abut_error *err)
{
    for (size_t i = 0; i < s->augmented.term->nodes.count; i++)
        for (int axis = 0; axis < 3; axis++)
            if (s->augmented.term->axes.data[i] & 1 << axis)
                s->dirichlet.fixed[3 * (size_t)s->augmented.term->nodes.data[i] + (size_t)axis] = 1;
    s->evaluation.without |= term_bit(&s->augmented.term->base);
    s->augmented.active = false;
    return problem_set_fixed(&s->problem, s->dirichlet.fixed, err);
}

/* The augmented Lagrangian ends a thousandth of the path short of the targets. Moves the nodes
 * there when that is feasible, as it nearly always is; s->x is Newton's iterate. */
static abut_status move_to_targets(stepper *s, abut_error *err)
{
    size_t scalars = s->state.scalars;
    double alpha = 1;
    for (size_t i = 0; i < scalars; i++) {
        s->scratch.work[i] = s->dirichlet.fixed[i] ? s->dirichlet.target[i] - s->x[i] : 0;
        s->newton.trial[i] = s->dirichlet.fixed[i] ? s->dirichlet.target[i] : s->x[i];
    }
    problem_direct(&s->problem, s->x, s->scratch.work);
    problem_follow(&s->problem, s->newton.trial);
    TRY(problem_max_step(&s->problem, &s->evaluation, s->x, s->scratch.work, 1.0, &alpha, err));
    if (alpha < 1 || !problem_accepts(&s->problem, &s->evaluation, s->newton.trial)) return ABUT_OK;
    memcpy(s->x, s->newton.trial, scalars * sizeof *s->x);
    return step_path_add(&s->path, s->x, err);
}

/* Called after every Newton iteration while the augmented Lagrangian is active. */
abut_status stepper_update_lagrangian(stepper *s, const double *x, double direction, bool *changed,
                                      bool *may_stop, abut_error *err)
{
    double progress = stepper_dirichlet_progress(s, x);
    *may_stop = false; /* also when they have arrived: the other nodes still have to converge */
    if (progress >= LAGRANGIAN_DONE) {
        *changed = true;
        TRY(release(s, err));
        TRY(stepper_renew_stiffness(s, x, err));
        return move_to_targets(s, err);
    }
    if (!lagrangian_progress_note(&s->augmented.progress, progress))
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                         "prescribed nodes have not come closer for %d iterations",
                         s->augmented.progress.stale);
    double small = fmax(1e-2 * s->model->extent * s->scratch.span.h, stepper_convergence_length(s));
    /* A direction that a shift has shortened proves no balance. */
    if (!s->newton.shifted && (direction < small || lagrangian_is_balanced(s, x))) {
        update_lagrangian(s, progress, x);
        *changed = true;
    }
    return ABUT_OK;
}

/* s->work <- displacements to the targets for prescribed scalars; the others stay, or go on with
 * their velocities. True when something has to move. */
static bool set_path(stepper *s, bool carry)
{
    double h = s->scratch.span.h;
    bool any = false;
    for (size_t i = 0; i < s->state.scalars; i++) {
        bool goes_on = carry && s->blocks.points[i / 3];
        s->scratch.work[i] = s->dirichlet.fixed[i] ? s->dirichlet.target[i] - s->x[i]
                             : goes_on             ? h * s->state.v[i]
                                                   : 0;
        any = any || (s->dirichlet.fixed[i] && s->scratch.work[i] != 0);
    }
    problem_direct(&s->problem, s->x, s->scratch.work);
    return any;
}

/* Prescribed nodes that move alone run into what is in front of them. Where that allows a longer
 * step, all others move along with their velocities: a turning clamp takes along what is wound on
 * it. Not from a guess, which has moved already. */
static abut_status choose_path(stepper *s, double *alpha, abut_error *err)
{
    double alone = 1, carried = 1;
    TRY(problem_max_step(&s->problem, &s->evaluation, s->x, s->scratch.work, 1.0, &alone, err));
    *alpha = alone;
    if (alone >= 1 || s->scratch.guess) return ABUT_OK;
    set_path(s, true);
    TRY(problem_max_step(&s->problem, &s->evaluation, s->x, s->scratch.work, 1.0, &carried, err));
    if (carried > alone)
        *alpha = carried;
    else
        set_path(s, false);
    return ABUT_OK;
}

/* Moves the prescribed nodes as far as the other terms allow; the augmented Lagrangian does the
 * rest. */
abut_status stepper_move_dirichlet(stepper *s, abut_error *err)
{
    size_t scalars = s->state.scalars;
    s->augmented.active = false;
    s->evaluation.without |= term_bit(&s->augmented.term->base);
    if (set_path(s, false)) {
        double alpha = 1;
        TRY(problem_set_fixed(&s->problem, s->dirichlet.fixed, err));
        TRY(problem_update(&s->problem, &s->evaluation, s->x, err));
        TRY(choose_path(s, &alpha, err));
        bool whole = alpha >= 1;
        for (int halvings = 0; halvings < 60; halvings++, alpha /= 2, whole = false) {
            for (size_t i = 0; i < scalars; i++)
                s->newton.trial[i] = whole && s->dirichlet.fixed[i]
                                         ? s->dirichlet.target[i]
                                         : s->x[i] + alpha * s->scratch.work[i];
            problem_follow(&s->problem, s->newton.trial);
            if (problem_accepts(&s->problem, &s->evaluation, s->newton.trial)) break;
        }
        memcpy(s->x, s->newton.trial, scalars * sizeof *s->x);
        TRY(step_path_add(&s->path, s->x, err));
        if (!whole) TRY(start_lagrangian(s, err));
    }
    return problem_set_fixed(&s->problem, s->dirichlet.fixed, err);
}

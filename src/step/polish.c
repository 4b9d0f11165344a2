/* Recorded steps are solved until the gradient of the potential is rounding: Newton's method ends
 * where the energy hides further descent, which leaves sqrt(rounding) in the positions, and
 * derivatives of a step are those of the exact minimum. What is left is written down. */
#include "solve/follow.h"
#include "step/stepper_internal.h"

#include <math.h>
#include <string.h>

static double largest_force(const problem *p)
{
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)p->free_count; i++) most = fmax(most, fabs(p->gradient[i]));
    return most;
}

/* How far single coordinates are from where their forces would balance, m: force over stiffness.
 * Counts at saddles, where the Hessian does not tell. */
static double distance_left(const problem *p)
{
    const block_matrix *m = &p->matrix;
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)p->free_count; i++) {
        int32_t j = (int32_t)(i / 3), block = p->free_block[j];
        double stiffness = fabs(m->value[block_matrix_offset(m, j, m->column_start[j]) +
                                         i % 3 * (size_t)(block_matrix_stride(m, j) + 1)]);
        double unit = p->lengths ? p->lengths[block] : 1;
        if (stiffness > 0) most = fmax(most, unit * fabs(p->gradient[i]) / stiffness);
    }
    return most;
}

/* The same where the true Hessian gives a step to the minimum. */
static double largest_move(const problem *p, const double *step)
{
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)p->free_count; i++) {
        double unit = p->lengths ? p->lengths[p->free_block[i / 3]] : 1;
        most = fmax(most, unit * fabs(step[i]));
    }
    return most;
}

/* Gradient at x, which the terms are updated for. */
static abut_status measure(stepper *s, const double *x, bool matrix, double *force, abut_error *err)
{
    evaluation exact = s->evaluation;
    exact.exact = true;
    TRY(problem_update(&s->problem, &s->evaluation, x, err));
    TRY(problem_derivatives(&s->problem, &exact, x, matrix, err));
    *force = largest_force(&s->problem);
    return ABUT_OK;
}

/* -H^-1 gradient with the true Hessian, or with the projected one where that is not definite;
 * *found: there is one. Leaves the gradient in place. *left: how far the minimum is. */
static abut_status find_direction(stepper *s, double *right, double *out, bool *found, double *left,
                                  abut_error *err)
{
    problem *p = &s->problem;
    size_t unknowns = 3 * (size_t)p->free_count;
    for (size_t i = 0; i < unknowns; i++) right[i] = -p->gradient[i];
    abut_status status = problem_solve(p, s->linear, s->x, right, 0, out, err);
    if (status == ABUT_OK) *left = largest_move(p, out);
    if (status == ABUT_ERROR_NOT_CONVERGED) {
        evaluation projected = s->evaluation;
        *left = distance_left(p);
        projected.exact = false;
        TRY(problem_derivatives(p, &projected, s->x, true, err));
        status = problem_solve(p, s->linear, s->x, right, 0, out, err);
    }
    *found = status == ABUT_OK;
    return status == ABUT_ERROR_NOT_CONVERGED ? ABUT_OK : status;
}

/* One step; *better: it was taken. */
static abut_status improve(stepper *s, double *trial, double *step, double *force, bool *better,
                           double *left, abut_error *err)
{
    problem *p = &s->problem;
    enum { HALVINGS = 4 };
    double alpha = 0, after;
    *better = false;
    bool found;
    TRY(find_direction(s, step, trial, &found, left, err));
    if (!found) return ABUT_OK;
    problem_expand(p, trial, step);
    problem_direct(p, s->x, step);
    TRY(problem_max_step(p, &s->evaluation, s->x, step, 1, &alpha, err));
    for (int k = 0; k < HALVINGS; k++, alpha *= 0.5) { /* forces may have kinks: friction's do */
        for (size_t i = 0; i < s->state.scalars; i++) trial[i] = s->x[i] + alpha * step[i];
        problem_follow(p, trial);
        TRY(measure(s, trial, true, &after, err));
        if (!(after < *force)) continue;
        *better = true;
        *force = after;
        memcpy(s->x, trial, s->state.scalars * sizeof *s->x);
        return step_path_add(&s->path, s->x, err);
    }
    return ABUT_OK;
}

abut_status stepper_polish(stepper *s, double *left, abut_error *err)
{
    enum { MOST = 100 };
    double *room = mem_alloc(2 * s->state.scalars + 1, sizeof *room), force, near = 0;
    if (!room) return error_memory(err, "recording a step");
    bool better = s->problem.free_count > 0;
    abut_status status = better ? measure(s, s->x, true, &force, err) : ABUT_OK;
    for (int k = 0; status == ABUT_OK && better && k < MOST; k++)
        status = improve(s, room, room + s->state.scalars, &force, &better, &near, err);
    mem_free(room);
    if (status != ABUT_OK) return status;
    *left = fmax(*left, near);
    return problem_update(&s->problem, &s->evaluation, s->x, err);
}

/* Recorded steps are solved until the gradient of the potential is rounding: Newton's method ends
 * where the energy hides further descent, which leaves sqrt(rounding) in the positions, and
 * derivatives of a step are those of the exact minimum. What is left is written down. */
#include "linear/minres.h"
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

typedef struct operators {
    const block_matrix *matrix;
    linear_solver *linear;
} operators;

static void multiply(void *context, const double *x, double *y)
{
    block_matrix_multiply(((const operators *)context)->matrix, x, y);
}

static void precondition(void *context, const double *r, double *z)
{
    linear_solve_again(((const operators *)context)->linear, r, z);
}

/* At a saddle, where the step of the projected matrix does not balance forces any better: that of
 * the true one, which leads to where they are 0. The factor of the projected one is there. */
static abut_status find_root(stepper *s, const double *right, double *out, bool *found,
                             abut_error *err)
{
    enum { MOST_PRODUCTS = 300 };
    static const double EXACT = 1e-10;
    problem *p = &s->problem;
    evaluation exact = s->evaluation;
    exact.exact = true;
    minres m = {0};
    operators o = {&p->matrix, s->linear};
    conjugate_operators c = {multiply, precondition, &o, 0};
    *found = linear_can_solve_again(s->linear);
    if (!*found) return ABUT_OK;
    TRY(problem_derivatives(p, &exact, s->x, true, err));
    abut_status status =
        minres_solve(&m, &c, 3 * (size_t)p->free_count, right, out, EXACT, MOST_PRODUCTS, err);
    minres_free(&m);
    *found = status == ABUT_OK;
    return status == ABUT_ERROR_NOT_CONVERGED ? ABUT_OK : status;
}

/* -H^-1 gradient with the true Hessian, or with the projected one where that is not definite;
 * *found: there is one. Leaves the gradient in place. *left: how far the minimum is. */
static abut_status find_direction(stepper *s, double *right, double *out, bool *found, bool *saddle,
                                  double *left, abut_error *err)
{
    problem *p = &s->problem;
    size_t unknowns = 3 * (size_t)p->free_count;
    for (size_t i = 0; i < unknowns; i++) right[i] = -p->gradient[i];
    abut_status status = problem_solve(p, s->linear, s->x, right, 0, out, err);
    if (status == ABUT_OK) *left = largest_move(p, out);
    *saddle = status == ABUT_ERROR_NOT_CONVERGED;
    if (*saddle) {
        evaluation projected = s->evaluation;
        *left = distance_left(p);
        projected.exact = false;
        TRY(problem_derivatives(p, &projected, s->x, true, err));
        status = problem_solve(p, s->linear, s->x, right, 0, out, err);
    }
    *found = status == ABUT_OK;
    return status == ABUT_ERROR_NOT_CONVERGED ? ABUT_OK : status;
}

/* Along the direction in `trial` over the unknowns, as far as forces become smaller; *better: they
 * did. */
static abut_status follow_direction(stepper *s, double *trial, double *step, double *force,
                                    bool *better, abut_error *err)
{
    problem *p = &s->problem;
    enum { HALVINGS = 4 };
    double alpha = 0, after;
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

/* One step; *better: it was taken. */
static abut_status improve(stepper *s, double *trial, double *step, double *force, bool *better,
                           double *left, abut_error *err)
{
    bool found, saddle;
    double before = *force;
    *better = false;
    TRY(find_direction(s, step, trial, &found, &saddle, left, err));
    if (!found) return ABUT_OK;
    TRY(follow_direction(s, trial, step, force, better, err));
    /* Without inertia a point where forces are 0 may be one of a line of such. */
    bool quasi_static = !(s->evaluation.mass_factor > 0);
    if (!saddle || quasi_static || *force < 0.5 * before) return ABUT_OK;
    /* Again from where that led, if anywhere. */
    bool again = false;
    TRY(measure(s, s->x, true, force, err));
    TRY(find_direction(s, step, trial, &found, &saddle, left, err));
    if (found && saddle) TRY(find_root(s, step, trial, &found, err));
    if (!found || !saddle) return ABUT_OK;
    *left = largest_move(&s->problem, trial);
    TRY(follow_direction(s, trial, step, force, &again, err));
    *better = *better || again;
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

/* One evaluation forwards: the run, and beside it for every scalar two neighbours of it.
 *
 * A neighbour has the number a little more or less, and a state of its own. With the minimum y of a
 * step recorded, forces of both neighbours are computed there, from their own starts, lags and
 * targets, and
 *
 *     y+- = y -+ H^-1 (G+ - G-) / 2,
 *
 * one step of Newton's method with the exact Hessian of the run, is where they are after it: the
 * linearised run, without any derivative but H, and without a tape. */
#include "gradient/forward.h"

#include "body/follower.h"
#include "constraint/follow.h"
#include "gradient/tape.h"
#include "step/followers.h"
#include "verify/verify_positions.h"

#include <math.h>
#include <string.h>

/* Of the number, or of its unit where that is less. Less than that of twin.c: here the run itself
 * follows the difference, through the kinks of friction. */
static const double STEP = 1e-7;

/* The two neighbours of the run by one scalar. */
typedef struct neighbour {
    built_scene side[2]; /* less, more */
    double difference;   /* of the scalar between the two */
    double *y[2];        /* positions of the last pass, 3 per block */
    residual_list residuals[2];
} neighbour;

typedef struct forward {
    abut_gradient *g;
    built_scene run, mirror; /* mirror: has the matrices of the steps that the run has made */
    constrained_solver solver;
    ARRAY(neighbour) neighbours;
    double *x, *right, *step, *gradient; /* 3 per block */
    ARRAY(double) rows, other;           /* of constraints */
    residual_list residuals;
    double *columns; /* of the residuals of a step, one per scalar, one after the other */
    size_t column_room;
    double *slope, *square; /* square: NULL, or scalars x scalars */
    size_t count;           /* steps */
} forward;

/* ---- making ---- */

/* A state that was loaded has its next step's span. */
static abut_status begin_run(stepper *s, abut_error *err)
{
    saved_state start = {0};
    abut_status status = stepper_save(s, &start, err);
    if (status == ABUT_OK) status = stepper_load(s, &start, err);
    saved_state_free(&start);
    return status;
}

static abut_status build_neighbour(forward *f, const double *values, size_t scalar, neighbour *out,
                                   abut_error *err)
{
    size_t n = f->g->scalars, blocks = f->run.stepper->state.scalars;
    double *moved = mem_alloc(n + 1, sizeof *moved), at = values[scalar];
    double step = STEP * fmax(fabs(at), 1), sides[2] = {at - step, at + step};
    if (!moved) return error_memory(err, "building neighbours of a scene");
    memcpy(moved, values, n * sizeof *moved);
    abut_status status = ABUT_OK;
    for (int k = 0; status == ABUT_OK && k < 2; k++) {
        moved[scalar] = sides[k];
        status = session_build(f->g, moved, NULL, 0, &out->side[k], err);
        if (status == ABUT_OK) continue;
        /* No scene on this side: the number itself is that side. */
        built_scene_free(&out->side[k]);
        sides[k] = moved[scalar] = at;
        status = session_build(f->g, moved, NULL, 0, &out->side[k], err);
    }
    mem_free(moved);
    TRY(status);
    out->difference = sides[1] - sides[0];
    for (int k = 0; k < 2; k++) TRY(begin_run(out->side[k].stepper, err));
    for (int k = 0; k < 2; k++) {
        out->y[k] = mem_alloc(blocks + 1, sizeof *out->y[k]);
        if (!out->y[k]) return error_memory(err, "building neighbours of a scene");
    }
    if (out->side[0].stepper->state.scalars != blocks ||
        out->side[1].stepper->state.scalars != blocks)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "parameter", "changes the number of nodes");
    if (out->difference > 0) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "parameter",
                     "no scene with a little more or less of number %zu can be built", scalar);
}

static void neighbour_free(neighbour *b)
{
    for (int k = 0; k < 2; k++) {
        built_scene_free(&b->side[k]);
        mem_free(b->y[k]);
        array_free(&b->residuals[k].values);
    }
}

static abut_status prepare(forward *f, const double *values, abut_error *err)
{
    TRY(session_build(f->g, values, NULL, 0, &f->run, err));
    TRY(verify_start(f->run.scene, f->run.stepper->model, f->run.stepper->state.x, &f->g->log, NULL,
                     err));
    TRY(session_build(f->g, values, NULL, 0, &f->mirror, err));
    f->count = session_step_count(f->g, &f->run);
    size_t n = f->run.stepper->state.scalars;
    double **vectors[] = {&f->x, &f->right, &f->step, &f->gradient};
    for (size_t i = 0; i < 4; i++)
        if (!(*vectors[i] = mem_calloc(n + 1, sizeof(double))))
            return error_memory(err, "differentiating a run");
    for (size_t i = 0; i < f->g->scalars; i++) {
        neighbour made = {0};
        abut_status status = build_neighbour(f, values, i, &made, err);
        if (status == ABUT_OK && !array_push(&f->neighbours, made))
            status = error_memory(err, "differentiating a run");
        if (status == ABUT_OK) continue;
        neighbour_free(&made);
        return status;
    }
    return ABUT_OK;
}

static void forward_free(forward *f)
{
    for (size_t i = 0; i < f->neighbours.count; i++) neighbour_free(&f->neighbours.data[i]);
    array_free(&f->neighbours);
    built_scene_free(&f->run);
    built_scene_free(&f->mirror);
    constrained_solver_free(&f->solver);
    array_free(&f->rows);
    array_free(&f->other);
    array_free(&f->residuals.values);
    mem_free(f->x);
    mem_free(f->right);
    mem_free(f->step);
    mem_free(f->gradient);
    mem_free(f->columns);
}

/* ---- a step ---- */

/* Positions at which a neighbour's forces are asked for: those of the run, with its own targets. */
static void place(const stepper *s, const double *y, double *x)
{
    memcpy(x, y, s->state.scalars * sizeof *x);
    for (size_t i = 0; i < s->state.scalars; i++)
        if (s->dirichlet.fixed[i] && s->dirichlet.fixed[i] != FIXED_FOLLOWS)
            x[i] = s->dirichlet.target[i];
    if (model_has_followers(s->model)) followers_place(s->model, x);
}

/* Adds factor times forces of a neighbour over the unknowns to f->gradient, and the values of its
 * rows to f->rows. */
static abut_status add_forces(forward *f, stepper *s, const tape_step *t, size_t pass,
                              const double *lag, double factor, abut_error *err)
{
    size_t rows = 0;
    place(s, tape_positions(t, pass), f->x);
    TRY(tape_set_pass_at(s, t, pass, pass == 0 ? s->start : lag, f->x, err));
    TRY(problem_derivatives(&s->problem, &s->evaluation, f->x, false, err));
    for (int32_t k = 0; k < s->problem.free_count; k++)
        for (size_t c = 0; c < 3; c++)
            f->gradient[3 * (size_t)s->problem.free_block[k] + c] +=
                factor * s->problem.gradient[3 * (size_t)k + c];
    TRY(constraints_collect(s, f->x, &rows, err));
    if (rows != f->rows.count)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "parameter", "changes what joints hold");
    constraints_values(s, rows, f->other.data);
    for (size_t i = 0; i < rows; i++) f->rows.data[i] += factor * f->other.data[i];
    return ABUT_OK;
}

static abut_status advance_pass(forward *f, neighbour *b, const tape_step *t, size_t pass,
                                abut_error *err)
{
    stepper *mirror = f->mirror.stepper;
    size_t n = mirror->state.scalars;
    memset(f->gradient, 0, n * sizeof(double));
    for (size_t i = 0; i < f->rows.count; i++) f->rows.data[i] = 0;
    for (int k = 0; k < 2; k++)
        TRY(add_forces(f, b->side[k].stepper, t, pass, b->y[k], k == 0 ? 0.5 : -0.5, err));
    for (size_t i = 0; i < n; i++)
        if (!isfinite(f->gradient[i]))
            return error_set(err, ABUT_ERROR_INFEASIBLE, "parameter",
                             "a run with a little more or less of it meets something in the step "
                             "to %g s",
                             mirror->scratch.span.end);
    TRY(constrained_solve_again(&f->solver, mirror, tape_positions(t, pass), f->gradient,
                                f->rows.data, f->step, err));
    for (int k = 0; k < 2; k++) {
        const stepper *s = b->side[k].stepper;
        for (size_t i = 0; i < n; i++)
            b->y[k][i] = tape_positions(t, pass)[i] + (k == 0 ? -1 : 1) * f->step[i];
        place(s, b->y[k], b->y[k]);
    }
    return ABUT_OK;
}

/* The factor of the exact Hessian at the end of a pass: by a system with some right side. */
static abut_status factorise(forward *f, const tape_step *t, size_t pass, abut_error *err)
{
    stepper *s = f->mirror.stepper;
    const double *y = tape_positions(t, pass);
    TRY(tape_set_pass(s, t, pass, err));
    for (size_t i = 0; i < s->state.scalars; i++) f->right[i] = 1;
    TRY(constrained_solve(&f->solver, s, y, f->right, f->step, err));
    if (!array_resize(&f->rows, f->solver.rows) || !array_resize(&f->other, f->solver.rows))
        return error_memory(err, "differentiating a run");
    return ABUT_OK;
}

static abut_status finish_step(stepper *s, const double *y, abut_error *err)
{
    step_statistics statistics = {0};
    memcpy(s->x, y, s->state.scalars * sizeof *y);
    TRY(problem_update(&s->problem, &s->evaluation, s->x, err));
    return stepper_finish(s, &statistics, err);
}

static abut_status begin_step(stepper *s, const tape_step *t, abut_error *err)
{
    TRY(stepper_begin_step(s, s->scratch.span.end, err));
    tape_take_adapted(s, t);
    return ABUT_OK;
}

/* ---- objectives ---- */

static abut_status measure(const forward *f, stepper *s, bool is_last, double *value,
                           residual_list *residuals, abut_error *err)
{
    const abut_gradient *g = f->g;
    objective_state at = {s->state.x, s->state.v, s->time, is_last};
    *value = 0;
    array_clear(&residuals->values);
    for (size_t i = 0; i < g->objectives.count; i++) {
        double part;
        TRY(objective_value(&g->objectives.data[i], s, &at, &part, err));
        *value += part;
        if (f->square) TRY(objective_residuals(&g->objectives.data[i], s, &at, residuals, err));
    }
    if (isfinite(*value)) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "objective", "is no number at %g s", s->time);
}

/* square += J^T J of the residuals of this step. */
static abut_status add_square(forward *f, abut_error *err)
{
    size_t n = f->g->scalars, m = f->residuals.values.count;
    if (m * n > f->column_room) {
        mem_free(f->columns);
        f->column_room = m * n;
        f->columns = mem_alloc(m * n, sizeof *f->columns);
        if (!f->columns) return error_memory(err, "differentiating a run");
    }
    for (size_t i = 0; i < n; i++) {
        const neighbour *b = &f->neighbours.data[i];
        for (size_t k = 0; k < m; k++)
            f->columns[i * m + k] =
                (b->residuals[1].values.data[k] - b->residuals[0].values.data[k]) / b->difference;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < m; k++)
                f->square[i * n + j] += f->columns[i * m + k] * f->columns[j * m + k];
    return ABUT_OK;
}

static abut_status add_objectives(forward *f, bool is_last, double *value, abut_error *err)
{
    double own, side[2];
    TRY(measure(f, f->run.stepper, is_last, &own, &f->residuals, err));
    *value += own;
    for (size_t i = 0; i < f->neighbours.count; i++) {
        neighbour *b = &f->neighbours.data[i];
        for (int k = 0; k < 2; k++)
            TRY(measure(f, b->side[k].stepper, is_last, &side[k], &b->residuals[k], err));
        f->slope[i] += (side[1] - side[0]) / b->difference;
    }
    return f->square ? add_square(f, err) : ABUT_OK;
}

/* ---- the run ---- */

static abut_status advance(forward *f, tape_step *t, abut_error *err)
{
    TRY(tape_record(f->run.stepper, t, err));
    TRY(tape_open(f->mirror.stepper, t, err));
    for (size_t i = 0; i < f->neighbours.count; i++)
        for (int k = 0; k < 2; k++) TRY(begin_step(f->neighbours.data[i].side[k].stepper, t, err));
    for (size_t pass = 0; pass < tape_passes(t); pass++) {
        TRY(factorise(f, t, pass, err));
        for (size_t i = 0; i < f->neighbours.count; i++)
            TRY(advance_pass(f, &f->neighbours.data[i], t, pass, err));
    }
    for (size_t i = 0; i < f->neighbours.count; i++)
        for (int k = 0; k < 2; k++) {
            neighbour *b = &f->neighbours.data[i];
            TRY(finish_step(b->side[k].stepper, b->y[k], err));
        }
    return ABUT_OK;
}

static abut_status run(forward *f, double *value, abut_error *err)
{
    tape_step t = {0};
    abut_status status = ABUT_OK;
    *value = 0;
    for (size_t i = 0; status == ABUT_OK && i < f->count; i++) {
        status = advance(f, &t, err);
        if (status == ABUT_OK) status = add_objectives(f, i + 1 == f->count, value, err);
    }
    tape_step_free(&t);
    return status;
}

static abut_status check(const abut_gradient *g, bool square, abut_error *err)
{
    if (g->objectives.count == 0)
        return error_set(err, ABUT_ERROR_INPUT, "objective", "there is none");
    if (g->scalars > FORWARD_MOST_SCALARS)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "parameter",
                         "%zu numbers; forwards, each takes two models beside the run: at most %d",
                         g->scalars, FORWARD_MOST_SCALARS);
    for (size_t i = 0; square && i < g->objectives.count; i++)
        if (!objective_is_square(&g->objectives.data[i]))
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "objective",
                             "\"%s\" is no squared distance with a weight of 0 or more, which "
                             "least squares need",
                             objective_name(&g->objectives.data[i]));
    return ABUT_OK;
}

abut_status forward_evaluate(abut_gradient *g, const double *values, double *value, double *slope,
                             double *square, abut_error *err)
{
    forward f = {.g = g, .slope = slope, .square = square};
    TRY(check(g, square != NULL, err));
    if (!values) values = g->values.data;
    f.solver.exact.least_curvature = INFINITY;
    memset(slope, 0, g->scalars * sizeof *slope);
    if (square) memset(square, 0, g->scalars * g->scalars * sizeof *square);
    abut_status status = prepare(&f, values, err);
    if (status == ABUT_OK) status = run(&f, value, err);
    g->info = (abut_gradient_info){.steps = (int64_t)f.count,
                                   .solves = f.solver.exact.solves,
                                   .saddles = f.solver.exact.saddles,
                                   .worst_residual = f.solver.exact.worst_residual,
                                   .least_curvature = f.solver.exact.least_curvature,
                                   .stiffness_frozen = g->info.stiffness_frozen};
    forward_free(&f);
    return status;
}

#include "gradient/constrained_solve.h"

#include "body/follower.h"
#include "constraint/follow.h"

#include <math.h>
#include <string.h>

/* Conjugate gradients on J H^-1 J^T, with the stiffnesses K of the rows as preconditioner: H has
 * J^T K J, so that all eigenvalues are near 1 but for those of redundant rows, which are 0. */
static const double ENOUGH = 1e-14; /* of the rows at the start, measured with K */
static const double LIMIT = 1e-6;
/* Rows below these shares of the largest entry of w, or, where they are asked to have values, of
 * the scene's size, are rounding, which redundant rows need not agree on. */
static const double NOISE = 1e-13, NOISE_LIMIT = 1e-10;
enum { MOST = 300 };

void constrained_solver_free(constrained_solver *c)
{
    exact_solver_free(&c->exact);
    array_free(&c->force);
    array_free(&c->left);
    array_free(&c->search);
    array_free(&c->product);
    array_free(&c->weight);
    array_free(&c->pull);
    array_free(&c->answer);
}

/* ---- the rows of all terms ---- */

static const term_constraints *constraints_of(const stepper *s, size_t i)
{
    return s->terms.data[i].term->class->constraints;
}

/* The table of terms has one with constraints; a second one would need its rows beside those. */
static term *constrained_term(const stepper *s)
{
    for (size_t i = 0; i < s->terms.count; i++)
        if (constraints_of(s, i)) return s->terms.data[i].term;
    return NULL;
}

abut_status constraints_collect(const stepper *s, const double *x, size_t *rows, abut_error *err)
{
    term *t = constrained_term(s);
    *rows = 0;
    return t ? t->class->constraints->collect(t, x, rows, err) : ABUT_OK;
}

void constraints_values(const stepper *s, size_t rows, double *out)
{
    const term *t = constrained_term(s);
    if (t && rows) memcpy(out, t->class->constraints->values(t), rows * sizeof *out);
}

void constraints_pull(const stepper *s, const double *y, double *out)
{
    const term *t = constrained_term(s);
    if (t) t->class->constraints->pull(t, y, out);
}

/* ---- the system ---- */

static void direct_followers(const stepper *s, const double *x, double *w)
{
    if (model_has_followers(s->model)) followers_direct(s->model, x, w);
}

static abut_status prepare(constrained_solver *c, const stepper *s, const double *x,
                           abut_error *err)
{
    size_t n = s->state.scalars;
    TRY(constraints_collect(s, x, &c->rows, err));
    if (!array_resize(&c->force, c->rows) || !array_resize(&c->left, c->rows) ||
        !array_resize(&c->search, c->rows) || !array_resize(&c->product, c->rows) ||
        !array_resize(&c->weight, c->rows) || !array_resize(&c->pull, n) ||
        !array_resize(&c->answer, n))
        return error_memory(err, "solving for derivatives");
    if (c->rows == 0) return ABUT_OK;
    const term *t = constrained_term(s);
    const double *k = t->class->constraints->weights(t);
    for (size_t i = 0; i < c->rows; i++) c->weight.data[i] = s->evaluation.force_factor * k[i];
    return ABUT_OK;
}

/* What the preconditioner makes of the rest is the next search direction; returns its measure. */
static double measure(const constrained_solver *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->rows; i++)
        sum += c->weight.data[i] * c->left.data[i] * c->left.data[i];
    return sum;
}

static double largest(size_t n, const double *v)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

/* Of rounding, in the measure. */
static double measure_of_noise(const constrained_solver *c, const stepper *s, const double *rows,
                               const double *w, double share)
{
    double size = largest(s->state.scalars, w), sum = 0;
    if (rows) size = fmax(size, s->model->extent * 1e-3);
    for (size_t i = 0; i < c->rows; i++) sum += c->weight.data[i] * pow(share * size, 2);
    return sum;
}

/* c->left <- rows - J w, with the sign that conjugate gradients reduce. */
static void look(constrained_solver *c, const stepper *s, const double *rows, const double *w)
{
    const term *t = constrained_term(s);
    t->class->constraints->push(t, w, c->left.data);
    for (size_t i = 0; rows && i < c->rows; i++) c->left.data[i] -= rows[i];
}

/* c->answer <- H^-1 J^T search, c->product <- J answer */
static abut_status apply(constrained_solver *c, stepper *s, const double *x, abut_error *err)
{
    const term *t = constrained_term(s);
    memset(c->pull.data, 0, s->state.scalars * sizeof(double));
    t->class->constraints->pull(t, c->search.data, c->pull.data);
    if (model_has_followers(s->model)) followers_pull(s->model, x, c->pull.data);
    TRY(exact_solve_again(&c->exact, s, c->pull.data, c->answer.data, err));
    direct_followers(s, x, c->answer.data);
    t->class->constraints->push(t, c->answer.data, c->product.data);
    return ABUT_OK;
}

/* w has H w = right: changes it until J w = rows, too. */
static abut_status meet_rows(constrained_solver *c, stepper *s, const double *x, const double *rows,
                             double *w, abut_error *err)
{
    size_t n = c->rows;
    memset(c->force.data, 0, n * sizeof(double));
    look(c, s, rows, w);
    double size = measure(c), first = size;
    double enough = fmax(ENOUGH * ENOUGH * first, measure_of_noise(c, s, rows, w, NOISE));
    for (size_t i = 0; i < n; i++) c->search.data[i] = c->weight.data[i] * c->left.data[i];
    for (int k = 0; k < MOST && size > enough; k++) {
        double curvature = 0;
        TRY(apply(c, s, x, err));
        for (size_t i = 0; i < n; i++) curvature += c->search.data[i] * c->product.data[i];
        if (!(curvature > 0)) break; /* what is left is of redundant rows, or rounding */
        double alpha = size / curvature, before = size;
        for (size_t i = 0; i < n; i++) c->force.data[i] += alpha * c->search.data[i];
        for (size_t i = 0; i < s->state.scalars; i++) w[i] -= alpha * c->answer.data[i];
        for (size_t i = 0; i < n; i++) c->left.data[i] -= alpha * c->product.data[i];
        size = measure(c);
        for (size_t i = 0; i < n; i++)
            c->search.data[i] =
                c->weight.data[i] * c->left.data[i] + size / before * c->search.data[i];
    }
    look(c, s, rows, w);
    bool met = measure(c) <= measure_of_noise(c, s, rows, w, NOISE_LIMIT);
    double left = met ? 0 : sqrt(measure(c) / first);
    c->exact.worst_residual = fmax(c->exact.worst_residual, left);
    if (left < LIMIT) return ABUT_OK;
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "the linear system of the gradient at %g s meets the constraints of joints to "
                     "%g only",
                     s->time + s->scratch.span.h, left);
}

abut_status constrained_solve(constrained_solver *c, stepper *s, const double *x,
                              const double *right, double *w, abut_error *err)
{
    TRY(exact_solve(&c->exact, s, x, right, w, err));
    TRY(prepare(c, s, x, err));
    direct_followers(s, x, w);
    return c->rows > 0 ? meet_rows(c, s, x, NULL, w, err) : ABUT_OK;
}

abut_status constrained_solve_again(constrained_solver *c, stepper *s, const double *x,
                                    const double *right, const double *rows, double *w,
                                    abut_error *err)
{
    TRY(exact_solve_again(&c->exact, s, right, w, err));
    direct_followers(s, x, w);
    return c->rows > 0 ? meet_rows(c, s, x, rows, w, err) : ABUT_OK;
}

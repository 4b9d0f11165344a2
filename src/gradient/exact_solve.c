#include "gradient/exact_solve.h"

#include <math.h>
#include <string.h>

static const double ENOUGH = 1e-13; /* relative residual after which refining ends */
static const double LIMIT = 1e-8;   /* above it a solution is refused */
/* Curvatures below it, relative to the diagonal, are rounding: a factorisation of a matrix with
 * such an eigenvalue is that of a matrix that may as well have none. */
static const double SINGULAR = 1e-13;

void exact_solver_free(exact_solver *e)
{
    array_free(&e->right);
    array_free(&e->step);
    array_free(&e->residual);
    array_free(&e->correction);
    array_free(&e->weakest);
    minres_free(&e->indefinite);
}

/* From all coordinates to the unknowns. */
static void gather(const problem *p, const double *full, double *free_vector)
{
    for (int32_t k = 0; k < p->free_count; k++)
        for (size_t c = 0; c < 3; c++) {
            size_t at = 3 * (size_t)p->free_block[k] + c;
            free_vector[3 * (size_t)k + c] = p->fixed[at] ? 0 : full[at];
        }
}

static double largest(size_t n, const double *v)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

/* residual = right - H step; returns its size relative to the right side. */
static double residual_of(exact_solver *e, const problem *p, size_t n)
{
    block_matrix_multiply(&p->matrix, e->step.data, e->residual.data);
    for (size_t i = 0; i < n; i++) {
        bool fixed = p->fixed[3 * (size_t)p->free_block[i / 3] + i % 3];
        e->residual.data[i] = fixed ? 0 : e->right.data[i] - e->residual.data[i];
    }
    return largest(n, e->residual.data) / largest(n, e->right.data);
}

static double refine(exact_solver *e, stepper *s, size_t n)
{
    enum { MOST = 6 };
    double size = residual_of(e, &s->problem, n);
    for (int k = 0; k < MOST && size > ENOUGH && linear_can_solve_again(s->linear); k++) {
        linear_solve_again(s->linear, e->residual.data, e->correction.data);
        for (size_t i = 0; i < n; i++) e->step.data[i] += e->correction.data[i];
        double next = residual_of(e, &s->problem, n);
        if (!(next < size)) {
            for (size_t i = 0; i < n; i++) e->step.data[i] -= e->correction.data[i];
            break;
        }
        size = next;
    }
    return residual_of(e, &s->problem, n);
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

/* ---- directions that nothing holds ---- */

static bool is_fixed(const problem *p, size_t i)
{
    return p->fixed[3 * (size_t)p->free_block[i / 3] + i % 3];
}

static double diagonal_of(const block_matrix *m, size_t i)
{
    int32_t j = (int32_t)(i / 3);
    return fabs(m->value[block_matrix_offset(m, j, m->column_start[j]) +
                         i % 3 * (size_t)(block_matrix_stride(m, j) + 1)]);
}

/* Of the direction in e->weakest, to length 1 in the measure of the diagonal. */
static bool scale_weakest(exact_solver *e, const problem *p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_fixed(p, i)) e->weakest.data[i] = 0;
        sum += diagonal_of(&p->matrix, i) * e->weakest.data[i] * e->weakest.data[i];
    }
    if (!isfinite(sum) || !(sum > 0)) return false;
    for (size_t i = 0; i < n; i++) e->weakest.data[i] /= sqrt(sum);
    return true;
}

/* The body that moves most in the direction. */
static const char *loosest_body(const exact_solver *e, const stepper *s, size_t n)
{
    const model *m = s->model;
    const char *name = "";
    double most = -1;
    for (size_t i = 0; i < n; i++) {
        int32_t block = s->problem.free_block[i / 3];
        double unit = s->problem.lengths ? s->problem.lengths[block] : 1;
        if (!(fabs(e->weakest.data[i]) * unit > most)) continue;
        for (size_t b = 0; b < m->bodies.count; b++) {
            const model_body *of = &m->bodies.data[b];
            if (block < of->first_block || block >= of->first_block + of->block_count) continue;
            most = fabs(e->weakest.data[i]) * unit;
            name = of->name;
        }
    }
    return name;
}

static abut_status refuse_loose(const exact_solver *e, const stepper *s, size_t n, abut_error *err)
{
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                     "no gradient: at %g s body \"%s\" can be moved without any force, so that "
                     "its position is not determined (as that of a body that slides without "
                     "friction and without inertia); fix it, give it friction or a dynamic "
                     "`time.integrator`",
                     s->time + s->scratch.span.h, loosest_body(e, s, n));
}

/* Inverse iteration with the factor that the solver holds finds the direction of the least
 * curvature, which is measured with the matrix itself. *found: there is one that is finite. */
static abut_status find_weakest(exact_solver *e, stepper *s, size_t n, double *curvature,
                                abut_error *err)
{
    enum { ITERATIONS = 3 };
    problem *p = &s->problem;
    if (!array_resize(&e->weakest, n + 1)) return error_memory(err, "solving for derivatives");
    uint32_t random = 1;
    for (size_t i = 0; i < n; i++) { /* no direction is left out by symmetry */
        random = random * 1664525u + 1013904223u;
        double size = sqrt(diagonal_of(&p->matrix, i));
        e->weakest.data[i] = is_fixed(p, i) ? 0 : size * ((random >> 8) / 8388608.0 - 1);
    }
    *curvature = 0;
    for (int k = 0; k < ITERATIONS; k++) {
        if (k > 0)
            for (size_t i = 0; i < n; i++) e->weakest.data[i] *= diagonal_of(&p->matrix, i);
        linear_solve_again(s->linear, e->weakest.data, e->correction.data);
        memcpy(e->weakest.data, e->correction.data, n * sizeof(double));
        if (!scale_weakest(e, p, n)) return ABUT_OK; /* no curvature at all */
        block_matrix_multiply(&p->matrix, e->weakest.data, e->correction.data);
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += e->weakest.data[i] * e->correction.data[i];
        *curvature = fabs(sum);
        if (*curvature < SINGULAR) return ABUT_OK;
    }
    return ABUT_OK;
}

static abut_status check_determined(exact_solver *e, stepper *s, size_t n, abut_error *err)
{
    double curvature = 0;
    if (!linear_can_solve_again(s->linear)) return ABUT_OK;
    TRY(find_weakest(e, s, n, &curvature, err));
    e->least_curvature = fmin(e->least_curvature, curvature);
    return curvature < SINGULAR ? refuse_loose(e, s, n, err) : ABUT_OK;
}

/* At a saddle: minimal residuals follow a direction without curvature to where rounding ends. */
static abut_status check_amplified(exact_solver *e, const stepper *s, size_t n, abut_error *err)
{
    double size = 0, cause = 0;
    if (!array_resize(&e->weakest, n + 1)) return error_memory(err, "solving for derivatives");
    for (size_t i = 0; i < n; i++) {
        double d = diagonal_of(&s->problem.matrix, i), x = e->step.data[i];
        e->weakest.data[i] = x;
        size += d * x * x;
        if (d > 0) cause += e->right.data[i] * e->right.data[i] / d;
    }
    e->least_curvature = fmin(e->least_curvature, sqrt(cause / size));
    return sqrt(cause / size) < 10 * SINGULAR ? refuse_loose(e, s, n, err) : ABUT_OK;
}

static abut_status refuse_solver(abut_error *err)
{
    return error_set(err, ABUT_ERROR_UNSUPPORTED, "solver.linear",
                     "gradients need a solver that solves for several right sides; \"direct\" "
                     "does");
}

/* With the matrix of the problem, and the factor of another one that is definite. */
static abut_status solve_preconditioned(exact_solver *e, stepper *s, size_t n, abut_error *err)
{
    enum { MOST_PRODUCTS = 500 };
    static const double EXACT = 1e-12;
    operators o = {&s->problem.matrix, s->linear};
    conjugate_operators c = {multiply, precondition, &o, 0};
    abut_status status =
        minres_solve(&e->indefinite, &c, n, e->right.data, e->step.data, EXACT, MOST_PRODUCTS, err);
    return status == ABUT_ERROR_NOT_CONVERGED ? ABUT_OK : status;
}

/* The factor of the projected matrix, then the true one instead of it. */
static abut_status solve_indefinite(exact_solver *e, stepper *s, const double *x, size_t n,
                                    const evaluation *exact, abut_error *err)
{
    evaluation projected = *exact;
    projected.exact = false;
    e->saddles++;
    TRY(problem_derivatives(&s->problem, &projected, x, true, err));
    TRY(problem_solve(&s->problem, s->linear, x, e->right.data, 0, e->step.data, err));
    if (!linear_can_solve_again(s->linear)) return refuse_solver(err);
    TRY(problem_derivatives(&s->problem, exact, x, true, err));
    return solve_preconditioned(e, s, n, err);
}

static abut_status report_residual(const stepper *s, double size, abut_error *err)
{
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "the linear system of the gradient at %g s was solved to %g only: the "
                     "step ends near a point where several solutions meet",
                     s->time + s->scratch.span.h, size);
}

abut_status exact_solve(exact_solver *e, stepper *s, const double *x, const double *right,
                        double *w, abut_error *err)
{
    problem *p = &s->problem;
    size_t n = 3 * (size_t)p->free_count;
    if (!array_resize(&e->right, n + 1) || !array_resize(&e->step, n + 1) ||
        !array_resize(&e->residual, n + 1) || !array_resize(&e->correction, n + 1))
        return error_memory(err, "solving for derivatives");
    memset(w, 0, 3 * (size_t)p->block_count * sizeof *w);
    gather(p, right, e->right.data);
    e->solves++;
    e->at_saddle = false;
    if (!(largest(n, e->right.data) > 0)) return ABUT_OK;
    evaluation exact = s->evaluation;
    exact.exact = true;
    TRY(problem_derivatives(p, &exact, x, true, err));
    abut_status status = problem_solve(p, s->linear, x, e->right.data, 0, e->step.data, err);
    double size = INFINITY;
    if (status != ABUT_OK && status != ABUT_ERROR_NOT_CONVERGED) return status;
    if (status == ABUT_OK) {
        TRY(check_determined(e, s, n, err));
        size = refine(e, s, n);
    }
    if (!(size < LIMIT)) {
        e->at_saddle = true;
        TRY(solve_indefinite(e, s, x, n, &exact, err));
        size = residual_of(e, p, n);
        TRY(check_amplified(e, s, n, err));
    }
    e->worst_residual = fmax(e->worst_residual, size);
    if (!(size < LIMIT)) return report_residual(s, size, err);
    problem_expand(p, e->step.data, w);
    return ABUT_OK;
}

abut_status exact_solve_again(exact_solver *e, stepper *s, const double *right, double *w,
                              abut_error *err)
{
    problem *p = &s->problem;
    size_t n = 3 * (size_t)p->free_count;
    memset(w, 0, 3 * (size_t)p->block_count * sizeof *w);
    gather(p, right, e->right.data);
    if (!(largest(n, e->right.data) > 0)) return ABUT_OK;
    if (!linear_can_solve_again(s->linear)) return refuse_solver(err);
    e->solves++;
    double size;
    if (e->at_saddle) {
        TRY(solve_preconditioned(e, s, n, err));
        size = residual_of(e, p, n);
    } else {
        linear_solve_again(s->linear, e->right.data, e->step.data);
        size = refine(e, s, n);
    }
    e->worst_residual = fmax(e->worst_residual, size);
    if (!(size < LIMIT)) return report_residual(s, size, err);
    problem_expand(p, e->step.data, w);
    return ABUT_OK;
}

/* Whether a stencil has something to add: a w that is not 0, and a row that is asked for. */
static bool counts(const int32_t *blocks, int width, const double *w, const uint8_t *rows)
{
    bool any = false, asked = rows == NULL;
    for (int i = 0; i < 3 * width; i++) {
        if (blocks[i / 3] < 0) continue;
        size_t at = 3 * (size_t)blocks[i / 3] + (size_t)(i % 3);
        any = any || w[at] != 0;
        asked = asked || rows[at];
    }
    return any && asked;
}

static void stencil_times(const int32_t *blocks, int width, const double *h, const double *w,
                          double *out)
{
    for (int a = 0; a < width; a++)
        for (int b = a; b < width; b++, h += 9) {
            if (blocks[a] < 0 || blocks[b] < 0) continue;
            size_t at = 3 * (size_t)blocks[a], to = 3 * (size_t)blocks[b];
            for (size_t r = 0; r < 3; r++)
                for (size_t c = 0; c < 3; c++) {
                    out[at + r] += h[3 * r + c] * w[to + c];
                    if (a != b) out[to + c] += h[3 * r + c] * w[at + r];
                }
        }
}

static abut_status group_times(const term *t, const hessian_part *part, int group, const double *x,
                               const double *w, double *out, abut_error *err)
{
    const stencil_group *g = &t->groups[group];
    evaluation exact = *part->ev;
    exact.exact = true;
    size_t width = (size_t)g->width;
    if (g->count == 0) return ABUT_OK;
    double *hessian = mem_alloc(9 * width * (width + 1) / 2, sizeof *hessian);
    if (!hessian) return error_memory(err, "differentiating a step");
    for (size_t e = 0; e < g->count; e++) {
        const int32_t *blocks = g->blocks + e * width;
        if (!counts(blocks, g->width, w, part->rows)) continue;
        t->class->derivatives(t, &exact, group, x, e, e + 1, NULL, hessian);
        stencil_times(blocks, g->width, hessian, w, out);
    }
    mem_free(hessian);
    return ABUT_OK;
}

abut_status hessian_times(const stepper *s, const hessian_part *part, const double *x,
                          const double *w, double *out, abut_error *err)
{
    for (int k = 0; k < s->problem.term_count; k++) {
        const term *t = s->problem.terms[k];
        if (part->term ? t != part->term : (part->ev->without & term_bit(t)) != 0) continue;
        for (int group = 0; group < t->group_count; group++)
            TRY(group_times(t, part, group, x, w, out, err));
    }
    return ABUT_OK;
}

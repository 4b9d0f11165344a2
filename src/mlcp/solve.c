#include "mlcp/solver.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

const char *const mlcp_preconditioner_words[] = {MLCP_PRECONDITIONERS(WORD_TEXT) NULL};

/* ---------------------------------------------------------------------------------------------- */
/* Vectors                                                                                        */

typedef struct dot_work {
    const double *a, *b;
} dot_work;

static double dot_range(void *context, size_t begin, size_t end)
{
    const dot_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += w->a[i] * w->b[i];
    return sum;
}

static double dot(const mlcp_solver *s, const mlcp_vector *a, const mlcp_vector *b)
{
    dot_work displacements = {a->u, b->u}, rows = {a->c, b->c};
    return parallel_sum(s->n, dot_range, &displacements) +
           parallel_sum(3 * s->contacts.count, dot_range, &rows);
}

static void add(const mlcp_solver *s, double factor, const mlcp_vector *from, const mlcp_vector *to)
{
    for (size_t i = 0; i < s->n; i++) to->u[i] += factor * from->u[i];
    for (size_t i = 0; i < 3 * s->contacts.count; i++) to->c[i] += factor * from->c[i];
}

/* to = from + factor to */
static void extend(const mlcp_solver *s, double factor, const mlcp_vector *from,
                   const mlcp_vector *to)
{
    for (size_t i = 0; i < s->n; i++) to->u[i] = from->u[i] + factor * to->u[i];
    for (size_t i = 0; i < 3 * s->contacts.count; i++) to->c[i] = from->c[i] + factor * to->c[i];
}

static void copy(const mlcp_solver *s, const mlcp_vector *from, const mlcp_vector *to)
{
    memcpy(to->u, from->u, s->n * sizeof *to->u);
    memcpy(to->c, from->c, 3 * s->contacts.count * sizeof *to->c);
}

/* Room for the vectors with the present number of contacts; what is in them is lost. */
static abut_status make_room(mlcp_solver *s, abut_error *err)
{
    mlcp_vector *vectors[MLCP_VECTORS] = {&s->cr.r,  &s->cr.z, &s->cr.p,
                                          &s->cr.bp, &s->cr.q, &s->cr.bz};
    for (int k = 0; k < MLCP_VECTORS; k++) {
        if (!array_resize(&s->cr.memory[2 * k], s->n + 1) ||
            !array_resize(&s->cr.memory[2 * k + 1], 3 * s->contacts.count + 1))
            return error_memory(err, "solving for contact");
        vectors[k]->u = s->cr.memory[2 * k].data;
        vectors[k]->c = s->cr.memory[2 * k + 1].data;
    }
    if (!array_resize(&s->cr.products, 3 * s->n + 1))
        return error_memory(err, "solving for contact");
    s->cr.unloaded = s->cr.products.data;
    s->cr.az = s->cr.unloaded + s->n;
    s->cr.ap = s->cr.az + s->n;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Conjugate residuals                                                                            */

static void restart(mlcp_solver *s)
{
    mlcp_residual(s);
    mlcp_precondition(s, s->options.preconditioner, &s->cr.r, &s->cr.z);
    mlcp_apply(s, &s->cr.z, s->cr.az, &s->cr.bz);
    copy(s, &s->cr.z, &s->cr.p);
    copy(s, &s->cr.bz, &s->cr.bp);
    memcpy(s->cr.ap, s->cr.az, s->n * sizeof *s->cr.ap);
}

/* y += alpha p; r -= alpha B p */
static void advance(mlcp_solver *s, double alpha)
{
    for (size_t i = 0; i < s->n; i++) {
        s->u[i] += alpha * s->cr.p.u[i];
        s->cr.unloaded[i] -= alpha * s->cr.ap[i];
    }
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        if (c->state == MLCP_OFF) continue;
        c->lambda += alpha * s->cr.p.c[3 * k];
        if (c->state != MLCP_STICKS) continue;
        for (size_t i = 0; i < 2; i++) c->gamma[i] += alpha * s->cr.p.c[3 * k + 1 + i];
    }
    add(s, -alpha, &s->cr.bp, &s->cr.r);
}

static double residual_norm(const mlcp_solver *s)
{
    dot_work work = {s->cr.r.u, s->cr.r.u};
    return sqrt(parallel_sum(s->n, dot_range, &work));
}

static double row_residual(const mlcp_solver *s)
{
    double largest = 0;
    for (size_t i = 0; i < 3 * s->contacts.count; i++) largest = fmax(largest, fabs(s->cr.r.c[i]));
    return largest;
}

/* The iteration breaks down when z.Bz = 0 although Bz is not: new rows while the rest is solved. A
 * step along C^-1 B z, with the definite preconditioner, gets past it. */
static bool step_past_breakdown(mlcp_solver *s)
{
    mlcp_precondition(s, MLCP_DIAGONAL, &s->cr.bz, &s->cr.p);
    mlcp_apply(s, &s->cr.p, s->cr.ap, &s->cr.bp);
    mlcp_precondition(s, MLCP_DIAGONAL, &s->cr.bp, &s->cr.q);
    double below = dot(s, &s->cr.bp, &s->cr.q), above = 0;
    mlcp_precondition(s, MLCP_DIAGONAL, &s->cr.r, &s->cr.z);
    above = dot(s, &s->cr.z, &s->cr.bp);
    if (!(below > 0) || !isfinite(above / below) || above == 0) return false;
    advance(s, above / below);
    restart(s);
    return true;
}

typedef struct solve_state {
    double scale; /* of the right-hand side */
    int iteration;
} solve_state;

/* Restarts of one solve after which its states are left alone until it has converged. */
enum { MOST_RESTARTS = 20, MOST_ROUNDS = 200 };

static bool converged(const mlcp_solver *s, const solve_state *state)
{
    return residual_norm(s) <= s->options.residual * state->scale &&
           row_residual(s) <= 0.25 * s->options.tolerance;
}

/* Iterates until the system with its states is solved; false at the cap or when stuck. */
static bool solve_system(mlcp_solver *s, solve_state *state)
{
    int restarts = 0;
    mlcp_unload(s);
    restart(s);
    for (; state->iteration < s->options.max_iterations; state->iteration++) {
        if (converged(s, state)) return true;
        double rho = dot(s, &s->cr.z, &s->cr.bz);
        mlcp_precondition(s, s->options.preconditioner, &s->cr.bp, &s->cr.q);
        double below = dot(s, &s->cr.bp, &s->cr.q);
        double lengths = sqrt(dot(s, &s->cr.z, &s->cr.z) * dot(s, &s->cr.bz, &s->cr.bz));
        if (!(fabs(rho) > 1e-10 * lengths) || below == 0 || !isfinite(rho / below)) {
            if (lengths == 0 || !step_past_breakdown(s)) return false;
            continue;
        }
        double alpha = rho / below;
        advance(s, alpha);
        double relative = residual_norm(s) / state->scale;
        if (alpha > 0 && restarts < MOST_RESTARTS &&
            mlcp_evaluate(s, relative, state->iteration + 1)) {
            restarts++;
            restart(s);
            continue;
        }
        add(s, -alpha, &s->cr.q, &s->cr.z);
        mlcp_apply(s, &s->cr.z, s->cr.az, &s->cr.bz);
        double beta = dot(s, &s->cr.z, &s->cr.bz) / rho;
        extend(s, beta, &s->cr.z, &s->cr.p);
        extend(s, beta, &s->cr.bz, &s->cr.bp);
        for (size_t i = 0; i < s->n; i++) s->cr.ap[i] = s->cr.az[i] + beta * s->cr.ap[i];
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------- */
/* The step                                                                                       */

static double burmeister(double a, double b) { return fabs(a + b - hypot(a, b)); }

static void measure(mlcp_solver *s, mlcp_statistics *out)
{
    for (size_t k = 0; k < s->contacts.count; k++) {
        const mlcp_contact *c = &s->contacts.data[k];
        double gap = mlcp_gap(s, c), slip[2];
        mlcp_slip(s, c, slip);
        if (c->left) continue;
        out->error_normal = fmax(out->error_normal, burmeister(c->scale_n * c->lambda, gap));
        if (c->state == MLCP_OFF) continue;
        bool sticks = c->state == MLCP_STICKS;
        out->contacts++;
        out->sticking += sticks;
        if (!(c->mu > 0)) continue;
        const double *g = sticks ? c->gamma : c->slide.force;
        double slack =
            fmax(c->scale_t[0], c->scale_t[1]) * (c->mu * fmax(0, c->lambda) - hypot(g[0], g[1]));
        /* The force of what slides along a known direction is the whole cone, at any speed. */
        double error = c->state == MLCP_SLIDES && c->slide.has_direction
                           ? fabs(slack)
                           : burmeister(slack, hypot(slip[0], slip[1]));
        double *worst = sticks ? &out->error_stick : &out->error_slide;
        *worst = fmax(*worst, error);
    }
}

static double largest_error(const mlcp_statistics *of)
{
    return fmax(of->error_normal, fmax(of->error_stick, of->error_slide));
}

static abut_status prepare(mlcp_solver *s, const evaluation *ev, double *x, abut_error *err)
{
    problem *p = s->problem;
    TRY(problem_update(p, ev, x, err));
    stage before = timer_switch(p->timer, STAGE_ASSEMBLY);
    abut_status status = problem_derivatives(p, ev, x, true, err);
    timer_switch(p->timer, before);
    TRY(status);
    if (!mlcp_matrix_copy(&s->matrix, &p->matrix)) return error_memory(err, "copying the matrix");
    s->n = 3 * (size_t)p->free_count;
    for (size_t i = 0; i < s->n; i++) {
        s->b[i] = -p->gradient[i];
        int32_t column = (int32_t)(i / 3);
        size_t stride = (size_t)block_matrix_stride(&p->matrix, column);
        size_t at = block_matrix_offset(&p->matrix, column, p->matrix.column_start[column]);
        s->diagonal[i] = p->matrix.value[at + (i % 3) * stride + i % 3];
        if (!(s->diagonal[i] > 0))
            return error_set(err, ABUT_ERROR_INFEASIBLE, "",
                             "a free node has neither mass nor stiffness");
    }
    return ABUT_OK;
}

static double length_of(const double *a, size_t n)
{
    dot_work work = {a, a};
    return sqrt(parallel_sum(n, dot_range, &work));
}

/* Solves and changes states until they fit each other. */
static bool solve_states(mlcp_solver *s, solve_state *state)
{
    s->pivoting = (mlcp_pivoting){.best = SIZE_MAX};
    for (s->round = 0; s->round < MOST_ROUNDS; s->round++) {
        if (!solve_system(s, state)) return false;
        bool references_moved = mlcp_renew_references(s);
        if (!mlcp_evaluate_solved(s) && !references_moved) return true;
    }
    return false;
}

abut_status mlcp_solve_rows(mlcp_solver *s, bool *converged, int *iterations, abut_error *err)
{
    double scale = length_of(s->b, s->n);
    solve_state state = {.scale = scale > 0 ? scale : 1};
    TRY(mlcp_prepare_rows(s, err));
    TRY(make_room(s, err));
    *converged = solve_states(s, &state);
    *iterations = state.iteration;
    return ABUT_OK;
}

/* Solve, look, linearise, until nothing changes. */
static abut_status iterate(mlcp_solver *s, mlcp_statistics *out, abut_error *err)
{
    double scale = length_of(s->b, s->n);
    solve_state state = {.scale = scale > 0 ? scale : 1};
    for (out->passes = 0; out->passes < s->options.max_passes; out->passes++) {
        s->pass = out->passes;
        TRY(make_room(s, err));
        if (!solve_states(s, &state)) break;
        bool changed;
        TRY(mlcp_detect(s, &changed, err));
        if (changed) TRY(mlcp_prepare_rows(s, err));
        if (!changed) TRY(mlcp_linearise(s, &changed, err));
        if (changed) continue;
        out->converged = true;
        break;
    }
    out->iterations = state.iteration;
    out->residual = residual_norm(s) / state.scale;
    return ABUT_OK;
}

static abut_status keep_contacts(mlcp_solver *s, abut_error *err)
{
    if (!array_resize(&s->before, s->contacts.count)) return error_memory(err, "keeping contacts");
    if (s->contacts.count > 0)
        memcpy(s->before.data, s->contacts.data, s->contacts.count * sizeof *s->before.data);
    s->h_before = s->h;
    return ABUT_OK;
}

void mlcp_forget_step(mlcp_solver *s)
{
    array_clear(&s->contacts);
    s->h = s->h_before;
    if (s->before.count == 0 || !array_resize(&s->contacts, s->before.count)) return;
    memcpy(s->contacts.data, s->before.data, s->before.count * sizeof *s->before.data);
}

/* Multipliers are forces times the square of the step. */
static void change_length(mlcp_solver *s, double h)
{
    double factor = s->h > 0 ? h / s->h * (h / s->h) : 1;
    s->h = h;
    if (factor == 1) return;
    for (size_t k = 0; k < s->contacts.count; k++) {
        mlcp_contact *c = &s->contacts.data[k];
        c->lambda *= factor;
        for (int i = 0; i < 2; i++) {
            c->gamma[i] *= factor;
            c->slide.force[i] *= factor;
            c->slide.history[i] *= factor;
        }
        for (int i = 0; i < 3; i++) c->reference[i] *= factor;
    }
}

abut_status mlcp_step(mlcp_solver *s, const evaluation *ev, const double *start,
                      const double *velocity, double *x, double h, mlcp_statistics *statistics,
                      abut_error *err)
{
    size_t scalars = 3 * s->model->rest.count;
    *statistics = (mlcp_statistics){0};
    TRY(keep_contacts(s, err));
    change_length(s, h);
    s->pass = s->round = 0;
    s->x_start = start;
    s->x_end = x;
    TRY(prepare(s, ev, x, err));
    /* The velocity at the start is the first guess. */
    for (size_t i = 0; i < s->n; i++) {
        bool masked = s->problem->any_mask && s->problem->mask[i];
        s->u[i] = masked ? 0 : h * velocity[3 * (size_t)s->problem->free_block[i / 3] + i % 3];
    }
    collision_surface_positions(&s->model->surface, start, s->start);
    mlcp_update_end(s);
    TRY(mlcp_begin_contacts(s, err));
    TRY(make_room(s, err));
    solve_state state = {.scale = fmax(length_of(s->b, s->n), 1e-300)};
    (void)solve_system(s, &state); /* without new contacts: where the step would lead */
    mlcp_update_end(s);
    TRY(mlcp_find_candidates(s, err));
    TRY(iterate(s, statistics, err));
    statistics->iterations += state.iteration;
    mlcp_update_end(s);
    for (size_t i = 0; i < scalars; i++)
        if (!isfinite(x[i])) statistics->converged = false, x[i] = start[i];
    collision_surface_positions(&s->model->surface, x, s->end);
    /* Rows are planes; whether the path is free is checked separately. */
    double part = 1;
    TRY(mlcp_free_part(s, &part, err));
    if (part < 1) statistics->converged = false;
    if (part < 1)
        for (size_t i = 0; i < scalars; i++) x[i] = start[i] + part * (x[i] - start[i]);
    measure(s, statistics);
    /* What was put up with to end a cycle shows here. */
    if (!(largest_error(statistics) <= s->options.tolerance)) statistics->converged = false;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Lifecycle                                                                                      */

abut_status mlcp_create(const model *m, problem *p, contact_term *contact,
                        const friction_term *friction, const mlcp_options *options,
                        mlcp_solver **out, abut_error *err)
{
    if (m->surface.general)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                         "the stepper \"mlcp\" is for bodies whose surface vertices are nodes");
    mlcp_solver *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the stepper");
    s->model = m;
    s->problem = p;
    s->contact = contact;
    s->friction = friction;
    s->options = *options;
    size_t vertices = m->surface.rows.count, scalars = 3 * m->rest.count;
    s->start = mem_calloc(vertices + 1, sizeof *s->start);
    s->end = mem_calloc(vertices + 1, sizeof *s->end);
    s->b = mem_calloc(scalars, sizeof *s->b);
    s->u = mem_calloc(scalars, sizeof *s->u);
    s->diagonal = mem_calloc(scalars, sizeof *s->diagonal);
    s->scratch = mem_calloc(scalars, sizeof *s->scratch);
    if (!s->start || !s->end || !s->b || !s->u || !s->diagonal || !s->scratch) {
        mlcp_destroy(s);
        return error_memory(err, "creating the stepper");
    }
    *out = s;
    return ABUT_OK;
}

void mlcp_destroy(mlcp_solver *s)
{
    if (!s) return;
    array_free(&s->contacts);
    array_free(&s->before);
    candidate_set_free(&s->found.candidates);
    mlcp_matrix_free(&s->matrix);
    mem_free(s->start);
    mem_free(s->end);
    mem_free(s->b);
    mem_free(s->u);
    mem_free(s->diagonal);
    mem_free(s->scratch);
    for (int k = 0; k < 2 * MLCP_VECTORS; k++) array_free(&s->cr.memory[k]);
    array_free(&s->cr.products);
    array_free(&s->index.start);
    array_free(&s->index.contacts);
    array_free(&s->index.mark);
    array_free(&s->found.toi);
    array_free(&s->found.impacts);
    array_free(&s->saved.ints);
    array_free(&s->saved.reals);
    vertex_pairs_free(&s->found.met);
    mem_free(s);
}

const mlcp_contact *mlcp_contacts(const mlcp_solver *s, size_t *count)
{
    *count = s->contacts.count;
    return s->contacts.data;
}

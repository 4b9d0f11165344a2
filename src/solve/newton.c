#include "solve/newton.h"

#include "base/parallel.h"
#include "solve/follow.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const newton_measure_words[] = {NEWTON_MEASURES(WORD_TEXT) NULL};
const char *const newton_hessian_words[] = {NEWTON_HESSIANS(WORD_TEXT) NULL};

/* A direction below the tolerance along which the energy does not fall is at the energy's rounding:
 * few trials tell, and x stays. */
enum { TINY_HALVINGS = 9, MAX_HALVINGS = DBL_MANT_DIG + 2, MAX_REGULARISATIONS = 8 };

/* Energies are sums over many terms; differences below this share of the value are rounding. */
static const double ENERGY_NOISE = 2e-14, STALL_NOISE = 1e-11;

/* Share of the promise that a step has to gain, or half of it is tried, too. */
static const double FAIR = 0.5;

abut_status newton_init(newton_solver *n, problem *p, linear_solver *linear, const logger *log,
                        abut_error *err)
{
    size_t scalars = 3 * (size_t)p->block_count;
    *n = (newton_solver){.problem = p, .linear = linear, .log = log};
    n->step = mem_alloc(scalars, sizeof *n->step);
    n->direction = mem_alloc(scalars, sizeof *n->direction);
    n->trial = mem_alloc(scalars, sizeof *n->trial);
    n->right = mem_alloc(scalars, sizeof *n->right);
    n->exact_direction = mem_alloc(scalars, sizeof *n->exact_direction);
    n->chosen = mem_alloc(2 * (size_t)p->block_count, sizeof *n->chosen);
    if (n->step && n->direction && n->trial && n->right && n->exact_direction && n->chosen)
        return ABUT_OK;
    newton_free(n);
    return error_memory(err, "setting up Newton's method");
}

void newton_free(newton_solver *n)
{
    mem_free(n->step);
    mem_free(n->direction);
    mem_free(n->trial);
    mem_free(n->right);
    mem_free(n->exact_direction);
    mem_free(n->chosen);
    true_newton_free(&n->exact);
    trust_region_free(&n->region);
    look_ahead_free(&n->ahead);
    force_balance_free(&n->balance);
    memset(n, 0, sizeof *n);
}

static double largest_entry(const double *v, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double a = fabs(v[i]);
        if (!(a <= largest)) largest = a; /* also catches NaN */
    }
    return largest;
}

/* Largest entry of a vector over the unknowns, each as the length that points move by it. */
static double largest_move(const problem *p, const double *v)
{
    if (!p->lengths) return largest_entry(v, 3 * (size_t)p->free_count);
    double largest = 0;
    for (size_t k = 0; k < (size_t)p->free_count; k++) {
        double move = p->lengths[p->free_block[k]] * largest_entry(v + 3 * k, 3);
        if (!(move <= largest)) largest = move;
    }
    return largest;
}

/* Root mean square of the displacements of the free blocks. */
static double mean_move(const problem *p, const double *v)
{
    double sum = 0;
    for (size_t k = 0; k < (size_t)p->free_count; k++) {
        double length = p->lengths ? p->lengths[p->free_block[k]] : 1;
        sum += length * length * vec3_norm2(vec3_load(v + 3 * k));
    }
    return sqrt(sum / (double)p->free_count);
}

/* Where the true Hessian is needed, the projected direction is too short to tell how near the
 * minimum is, and one that ends at the radius tells nothing. Where the model promises less than
 * the energy's rounding, no other direction would be better. */
static bool model_denies(const newton_solver *n, const newton_options *options, double energy)
{
    const trust_model *m = &n->region.model;
    if (!m->true_one || !(m->gain > STALL_NOISE * fabs(energy))) return false;
    return m->boundary || largest_move(n->problem, n->exact_direction) > options->tolerance;
}

/* Whether the direction passes the tolerance, and has done so as often as its measure asks. */
static bool is_tiny(const newton_solver *n, const newton_options *options, double largest,
                    double energy, int *passed)
{
    enum { RMS_PASSES = 3 };
    if (n->shifted || model_denies(n, options, energy)) *passed = 0;
    if (n->shifted || model_denies(n, options, energy)) return false;
    if (options->measure == NEWTON_LARGEST) return largest <= options->tolerance;
    *passed = mean_move(n->problem, n->step) <= options->tolerance ? *passed + 1 : 0;
    return *passed >= RMS_PASSES;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* A step along which the energy does not fall at all is as good as none. */
static abut_status try_direction(newton_solver *n, const double *x, double tolerance,
                                 abut_error *err)
{
    problem *p = n->problem;
    size_t scalars = 3 * (size_t)p->free_count;
    TRY(problem_solve(p, n->linear, x, n->right, tolerance, n->step, err));
    if (largest_entry(n->right, scalars) > 0 && dot(n->right, n->step, scalars) <= 0)
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                         "the Newton matrix is not positive definite (no descent)");
    return ABUT_OK;
}

/* Newton direction into n->step (free numbering); shifts the matrix when it is not definite. The
 * shift shortens directions by an unknown amount: those of a shifted matrix (n->shifted) are
 * descent directions but prove no convergence. */
static abut_status solve_direction(newton_solver *n, const double *x, double tolerance,
                                   abut_error *err)
{
    problem *p = n->problem;
    size_t scalars = 3 * (size_t)p->free_count;
    for (size_t i = 0; i < scalars; i++) n->right[i] = -p->gradient[i];
    abut_status status = try_direction(n, x, tolerance, err);
    double share = 1e-12;
    n->shifted = false;
    for (int k = 0; status == ABUT_ERROR_NOT_CONVERGED && k < MAX_REGULARISATIONS; k++) {
        log_message(n->log, ABUT_LOG_DEBUG, "shifting the Newton matrix by %g of its diagonal",
                    share);
        problem_shift_diagonal(p, share);
        share *= 100;
        n->shifted = true;
        status = try_direction(n, x, tolerance, err);
    }
    /* Where the gradient is zero, so is every direction. */
    if (largest_entry(n->right, scalars) == 0) n->shifted = false;
    if (status == ABUT_OK && !isfinite(largest_entry(n->step, scalars)))
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "", "the Newton direction is not finite");
    return status;
}

/* Replaces n->step by the direction of the true Hessian, where it is one of descent. */
static abut_status prefer_true_direction(newton_solver *n, const evaluation *ev, const double *x,
                                         bool *found, abut_error *err)
{
    problem *p = n->problem;
    *found = false;
    if (n->shifted || p->share || !linear_can_solve_again(n->linear)) return ABUT_OK;
    TRY(true_newton_stationary(&n->exact, p, ev, n->linear, x, n->right, n->exact_direction, found,
                               err));
    if (*found) memcpy(n->step, n->exact_direction, 3 * (size_t)p->free_count * sizeof *n->step);
    return ABUT_OK;
}

/* Forcing term of the inexact Newton method (Eisenstat and Walker 1996, choice 2): large while the
 * gradient falls slowly. A step solved less exactly than CONFIRMED does not prove convergence. */
typedef struct forcing {
    double largest, least;  /* largest 0: all systems to `least` */
    double tolerance, norm; /* of the last solve */
    bool confirm;
} forcing;

static const double CONFIRMED = 1e-3;

static forcing forcing_begin(const newton_solver *n, const newton_options *options)
{
    double least = linear_tolerance(n->linear);
    bool inexact = options->forcing > least && linear_is_iterative(n->linear);
    return (forcing){.largest = inexact ? options->forcing : 0, .least = least};
}

static double forcing_next(forcing *f, double norm)
{
    static const double GAMMA = 0.9, KEEP = 0.1;
    if (f->largest <= 0) return 0;
    double tolerance = f->largest;
    if (f->norm > 0) {
        double ratio = norm / f->norm, before = GAMMA * f->tolerance * f->tolerance;
        tolerance = GAMMA * ratio * ratio;
        if (before > KEEP) tolerance = fmax(tolerance, before);
    }
    if (f->confirm) tolerance = fmin(tolerance, CONFIRMED);
    f->norm = norm;
    f->tolerance = fmax(f->least, fmin(f->largest, tolerance));
    return f->tolerance;
}

/* True when a small step means that the minimum is near. */
static bool forcing_confirms(forcing *f)
{
    f->confirm = true;
    return f->largest <= 0 || f->tolerance <= fmax(CONFIRMED, f->least);
}

typedef struct axpy_work {
    const double *x, *p;
    double *out, alpha;
} axpy_work;

static void axpy_range(void *context, size_t begin, size_t end)
{
    const axpy_work *w = context;
    for (size_t i = begin; i < end; i++) w->out[i] = w->x[i] + w->alpha * w->p[i];
}

static void set_trial(newton_solver *n, const double *x, double alpha)
{
    axpy_work work = {x, n->direction, n->trial, alpha};
    parallel_for(3 * (size_t)n->problem->block_count, 16384, axpy_range, &work);
    problem_follow(n->problem, n->trial);
}

/* What a line search has seen. */
typedef struct search {
    double energy;      /* of the best part, which was taken */
    double tried, gain; /* the first part with a finite energy; 0: none */
    double taken;       /* 0: none */
    double here, noise; /* energy at the start, and how much of it is rounding */
    bool demanding;     /* a poor gain is not enough */
} search;

/* Energy of the part alpha of the direction, into n->trial; INFINITY where it is not feasible. */
static abut_status try_part(newton_solver *n, const evaluation *ev, const double *x, double alpha,
                            double *energy, abut_error *err)
{
    *energy = INFINITY;
    set_trial(n, x, alpha);
    if (!problem_accepts(n->problem, ev, n->trial)) return ABUT_OK;
    TRY(problem_update(n->problem, ev, n->trial, err));
    *energy = problem_value(n->problem, ev, n->trial);
    if (!isfinite(*energy)) *energy = INFINITY;
    return ABUT_OK;
}

/* Halves the part until the energy has fallen by a fair share of what the model promises for it, or
 * until half of it is no better (a poor step has leapt over the minimum: friction that changes its
 * sign). n->trial is the part that was taken unless *stale. */
static abut_status search_along(newton_solver *n, const evaluation *ev, const double *x,
                                double alpha, int halvings, search *s, newton_result *result,
                                bool *stale, abut_error *err)
{
    for (int k = 0; k < halvings; k++, alpha /= 2) {
        double trial, gain;
        *stale = true;
        TRY(try_part(n, ev, x, alpha, &trial, err));
        gain = s->here - trial;
        if (s->tried == 0 && trial < INFINITY) s->tried = alpha, s->gain = gain;
        double bound = s->taken > 0 ? s->energy : s->here + s->noise;
        if (trial < INFINITY && (s->taken > 0 ? trial < bound : trial <= bound)) {
            *stale = false;
            s->energy = trial;
            s->taken = alpha;
            if (!s->demanding || gain >= FAIR * trust_region_promise(&n->region, alpha)) break;
        } else if (s->taken > 0) {
            break;
        }
        result->halvings++;
    }
    return ABUT_OK;
}

/* A step along the direction that does not raise the energy, and is accepted by the independent
 * checks. Where its gain is above rounding, the trust region learns from it. */
static abut_status line_search(newton_solver *n, const evaluation *ev, double *x, double alpha,
                               bool tiny, double *energy, newton_result *result, bool *moved,
                               abut_error *err)
{
    problem *p = n->problem;
    size_t scalars = 3 * (size_t)p->block_count;
    /* The gain is below the rounding of the energy; the direction is good all the same. */
    bool telling = trust_region_promise(&n->region, 1) > STALL_NOISE * fabs(*energy), stale = true;
    search s = {.here = *energy, .demanding = telling && !tiny};
    s.noise = (telling ? ENERGY_NOISE : STALL_NOISE) * fabs(*energy);
    *moved = false;
    TRY(search_along(n, ev, x, alpha, tiny ? TINY_HALVINGS : MAX_HALVINGS, &s, result, &stale,
                     err));
    if (telling && s.tried > 0) trust_region_learn(&n->region, s.tried, s.gain, s.taken);
    if (s.taken == 0) return problem_update(p, ev, x, err);
    if (stale) {
        set_trial(n, x, s.taken);
        TRY(problem_update(p, ev, n->trial, err));
    }
    /* Without any change the next iteration would be the same one. */
    *moved = memcmp(x, n->trial, scalars * sizeof *x) != 0;
    memcpy(x, n->trial, scalars * sizeof *x);
    *energy = s.energy;
    return n->on_move ? n->on_move(n->on_move_context, x, err) : ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Subset solve (nonlinear elimination)                                                           */

/* In a crumpling sheet a few nodes converge late, one group after the other. Unknowns whose
 * direction is large, and those coupled to them, are then solved alone for some iterations, which
 * cost as much as they are many; this is repeated on those of them that have not converged. An
 * iteration of all unknowns follows. */
enum { LOCAL_PATIENCE = 10, LOCAL_ITERATIONS = 6, LOCAL_LEAST = 1000 };
/* Of the unknowns; of the direction before, and of the tolerance. */
static const double LOCAL_SHARE = 0.7, LOCAL_SMALL = 0.3;

/* Whether the unknowns with a large direction and their neighbours are few enough; flags in
 * n->chosen. */
static bool choose_part(newton_solver *n, double tolerance)
{
    const problem *p = n->problem;
    const block_matrix *m = &p->matrix;
    size_t count = (size_t)p->free_count, chosen = 0;
    uint8_t *part = n->chosen, *seed = n->chosen + count;
    for (size_t k = 0; k < count; k++) {
        double length = p->lengths ? p->lengths[p->free_block[k]] : 1;
        seed[k] = part[k] = length * largest_entry(n->step + 3 * k, 3) > LOCAL_SMALL * tolerance;
    }
    for (int32_t j = 0; j < m->size; j++)
        for (int32_t at = m->column_start[j]; at < m->column_start[j + 1]; at++) {
            part[j] |= seed[m->row[at]];
            part[m->row[at]] |= seed[j];
        }
    for (size_t k = 0; k < count; k++) chosen += part[k];
    return chosen > 0 && (double)chosen < LOCAL_SHARE * (double)count;
}

/* Rounds of a few iterations on what is left of the chosen unknowns. */
static abut_status solve_chosen_subset(newton_solver *n, const evaluation *ev, double *x,
                                       const newton_options *options, abut_error *err)
{
    newton_options local = *options;
    local.tolerance *= LOCAL_SMALL;
    local.force_tolerance = 0;
    local.max_iterations = LOCAL_ITERATIONS;
    local.goal = NULL;
    local.local = false;
    do {
        newton_result part;
        TRY(problem_restrict(n->problem, n->chosen, err));
        log_message(n->log, ABUT_LOG_DEBUG,
                    "  %d unknowns by themselves:", (int)n->problem->free_count);
        abut_status status = newton_minimize(n, ev, x, &local, NULL, &part, err);
        if (status != ABUT_ERROR_NOT_CONVERGED) return status;
        /* Stalled, or a singular matrix: an iteration of all unknowns may do better. */
        if (part.iterations < LOCAL_ITERATIONS) return ABUT_OK;
    } while (choose_part(n, local.tolerance));
    return ABUT_OK;
}

/* x and its energy afterwards. */
static abut_status solve_subset(newton_solver *n, const evaluation *ev, double *x,
                                const newton_options *options, double *energy, abut_error *err)
{
    linear_solver *whole = n->linear;
    trust_region region = n->region;
    /* Another solver: the order of all unknowns stays. */
    TRY(linear_create_alike(whole, &n->linear, err));
    linear_lend(whole, n->linear);
    abut_status status = solve_chosen_subset(n, ev, x, options, err);
    n->subset_solves += linear_get_statistics(n->linear)->solves;
    linear_lend(n->linear, whole);
    linear_destroy(n->linear);
    n->linear = whole;
    n->region.radius = region.radius;
    n->region.stiff = region.stiff;
    abut_status lifted = problem_lift_restriction(n->problem, err);
    TRY(status);
    TRY(lifted);
    TRY(problem_update(n->problem, ev, x, err));
    *energy = problem_value(n->problem, ev, x);
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* The iteration                                                                                  */

typedef struct iteration {
    forcing exactness;
    double energy;
    int passed;       /* directions in a row below the tolerance */
    bool refused;     /* the true Hessian's direction, where it comes first, did not lead down */
    double decrease;  /* that the quadratic model predicts */
    double direction; /* largest entry of the one before */
    bool first;       /* this direction is the true Hessian's, before all others; */
    bool other;       /* or any that is not the projected one */
    double share;     /* unbalanced force at the last short direction; 0: none yet */
    bool small;       /* the direction is short enough, */
    bool tiny;        /* and the forces balance or cannot be balanced better, */
    bool hidden;      /* of which the latter */
    int blind;        /* iterations in a row that the rounding of the energy hides, */
    double least;     /* and their least direction, where it was halved last */
    bool moved, whole;
    bool changed, may_stop; /* what the hooks say */
} iteration;

/* The direction of an iteration at x: the projected one in n->step, the one to go in
 * n->exact_direction. */
static abut_status find_direction(newton_solver *n, const evaluation *ev, const double *x,
                                  const newton_options *options, iteration *it,
                                  newton_result *result, abut_error *err)
{
    problem *p = n->problem;
    timer_switch(p->timer, STAGE_ASSEMBLY);
    TRY(problem_derivatives(p, ev, x, true, err));
    timer_switch(p->timer, STAGE_LINEAR_SOLVE);
    size_t scalars = 3 * (size_t)p->free_count;
    double norm = sqrt(dot(p->gradient, p->gradient, scalars));
    TRY(solve_direction(n, x, forcing_next(&it->exactness, norm), err));
    if (linear_get_statistics(n->linear)->exact) it->exactness.tolerance = 0;
    it->first = options->true_first && !it->refused;
    if (it->first) TRY(prefer_true_direction(n, ev, x, &it->first, err));
    timer_switch(p->timer, STAGE_LINE_SEARCH);
    it->direction = result->direction;
    result->direction = largest_move(p, n->step);
    it->decrease = 0.5 * dot(n->right, n->step, scalars);
    if (result->iterations == 0) result->first_direction = result->direction;
    bool usable = options->hessian == NEWTON_ADAPTIVE && !options->true_first && !n->shifted &&
                  !p->share && linear_can_solve_again(n->linear);
    TRY(trust_region_direction(&n->region, p, ev, n->linear, x, n->right, n->step, usable,
                               n->exact_direction, err));
    if (it->first) trust_region_replace(&n->region, 2 * it->decrease);
    it->other = it->first || n->region.model.true_one;
    result->iterations++;
    return ABUT_OK;
}

/* Where the terms stop the direction early, one that knows what stops it. */
static abut_status look_ahead_where_stopped(newton_solver *n, const evaluation *ev, const double *x,
                                            iteration *it, double *alpha, abut_error *err)
{
    static const double EARLY = 0.25;
    problem *p = n->problem;
    double before = *alpha;
    bool chosen;
    if (*alpha >= EARLY || n->shifted || p->share || !linear_can_solve_again(n->linear))
        return ABUT_OK;
    TRY(look_ahead_direction(&n->ahead, p, ev, n->linear, x, n->right, n->exact_direction, alpha,
                             &chosen, err));
    it->other = it->other || chosen;
    if (chosen)
        trust_region_replace(&n->region,
                             dot(n->right, n->exact_direction, 3 * (size_t)p->free_count));
    problem_expand(p, n->exact_direction, n->direction);
    log_message(n->log, ABUT_LOG_DEBUG,
                "  looked ahead: %d inequalities, step %.3e instead of %.3e",
                chosen ? (int)n->ahead.kept.rows.count : 0, *alpha, before);
    return ABUT_OK;
}

/* Whether the iteration may end with this direction: it is short, and forces balance at x. They
 * need not where the energy's rounding hides what is left to gain and the last step did not make
 * the unbalanced force smaller: positions have no more digits. */
static abut_status judge(newton_solver *n, const evaluation *ev, const double *x,
                         const newton_options *options, iteration *it, newton_result *result,
                         abut_error *err)
{
    it->small = it->tiny = is_tiny(n, options, result->direction, it->energy, &it->passed);
    it->hidden = false;
    if (!it->small || options->force_tolerance <= 0) return ABUT_OK;
    double before = it->share;
    TRY(force_balance_measure(&n->balance, n->problem, ev, x, &it->share, err));
    result->unbalanced = it->share;
    if (it->share <= options->force_tolerance) return ABUT_OK;
    it->hidden = before > 0 && it->share >= before &&
                 trust_region_promise(&n->region, 1) <= STALL_NOISE * fabs(it->energy);
    it->tiny = it->hidden;
    return ABUT_OK;
}

/* Line search along it, within the bounds of the terms. */
static abut_status take_step(newton_solver *n, const evaluation *ev, double *x,
                             const newton_options *options, const newton_hooks *hooks,
                             iteration *it, newton_result *result, abut_error *err)
{
    problem *p = n->problem;
    problem_expand(p, n->exact_direction, n->direction);
    problem_direct(p, x, n->direction);
    double alpha = 1;
    TRY(problem_max_step(p, ev, x, n->direction, 1.0, &alpha, err));
    problem_note_bounds(p, ev, x, n->direction);
    if (options->look_ahead) TRY(look_ahead_where_stopped(n, ev, x, it, &alpha, err));
    TRY(judge(n, ev, x, options, it, result, err));
    int halvings = result->halvings;
    TRY(line_search(n, ev, x, alpha, it->tiny, &it->energy, result, &it->moved, err));
    if (!it->moved) n->region.stiff = false; /* then the projected one's turn */
    it->refused = it->first && !it->moved;
    it->whole = it->moved && alpha == 1 && result->halvings == halvings;
    it->changed = false;
    it->may_stop = true;
    if (hooks)
        TRY(hooks->after_iteration(hooks->context, x, result->direction, &it->changed,
                                   &it->may_stop, err));
    if (it->changed) {
        TRY(problem_update(p, ev, x, err));
        it->energy = problem_value(p, ev, x);
    }
    log_message(n->log, ABUT_LOG_DEBUG, "  newton %d: |p| %.3e, step %.3e, energy %.12e",
                result->iterations, result->direction, alpha, it->energy);
    return ABUT_OK;
}

/* Solves for the late unknowns alone, where that pays. */
static abut_status solve_subset_where_slow(newton_solver *n, const evaluation *ev, double *x,
                                           const newton_options *options, iteration *it,
                                           const newton_result *result, abut_error *err)
{
    const problem *p = n->problem;
    bool slow = result->iterations > LOCAL_PATIENCE && it->whole && it->may_stop && !it->changed &&
                result->direction > LOCAL_SMALL * it->direction;
    if (options->local && slow && !it->tiny && !p->share && p->free_count > LOCAL_LEAST &&
        linear_can_solve_again(n->linear) && choose_part(n, options->tolerance))
        return solve_subset(n, ev, x, options, &it->energy, err);
    return ABUT_OK;
}

/* Why the iteration has ended without converging. */
static abut_status report_end(const newton_solver *n, const newton_options *options,
                              const newton_result *result, abut_error *err)
{
    const char *shifted =
        n->shifted ? "; its matrix is singular, as when nothing holds a body" : "";
    if (result->stalled)
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                         "no descent along the Newton direction (largest entry %g, wanted %g%s)",
                         result->direction, options->tolerance, shifted);
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "not converged after %d Newton iterations (largest entry %g, wanted %g%s)",
                     result->iterations, result->direction, options->tolerance, shifted);
}

/* Whether positions have no more digits: what is left to gain is hidden by the energy's rounding,
 * and in as many iterations as a double has digits no direction was half as long as the least
 * before. Iterations that converge, however slowly, halve theirs. */
static bool is_blind(const newton_solver *n, iteration *it, double direction)
{
    bool hidden = trust_region_promise(&n->region, 1) <= STALL_NOISE * fabs(it->energy);
    if (!hidden || it->blind == 0 || direction < 0.5 * it->least) {
        it->blind = hidden;
        it->least = direction;
        return false;
    }
    return ++it->blind > MAX_HALVINGS && !n->shifted && !it->changed && it->may_stop;
}

static abut_status iterate(newton_solver *n, const evaluation *ev, double *x,
                           const newton_options *options, const newton_hooks *hooks, iteration *it,
                           newton_result *result, abut_error *err)
{
    while (!result->converged && result->iterations < options->max_iterations) {
        TRY(find_direction(n, ev, x, options, it, result, err));
        if (options->goal && !n->shifted && it->energy - 4 * it->decrease > *options->goal) break;
        TRY(take_step(n, ev, x, options, hooks, it, result, err));
        TRY(solve_subset_where_slow(n, ev, x, options, it, result, err));
        if (it->may_stop && it->tiny && forcing_confirms(&it->exactness)) {
            result->converged = true;
            result->at_noise = !it->moved || it->hidden;
        } else if (is_blind(n, it, result->direction)) {
            result->converged = result->at_noise = true;
        }
        if (it->moved || it->tiny || it->changed) continue;
        if (it->other || !forcing_confirms(&it->exactness)) continue;
        /* What is left to gain may be less than the energy's rounding: that is the end, too. */
        bool rounding = it->small || it->decrease <= STALL_NOISE * fabs(it->energy);
        result->converged = !n->shifted && rounding && it->may_stop;
        result->at_noise = result->converged;
        result->stalled = !result->converged;
        break;
    }
    return ABUT_OK;
}

abut_status newton_minimize(newton_solver *n, const evaluation *ev, double *x,
                            const newton_options *options, const newton_hooks *hooks,
                            newton_result *result, abut_error *err)
{
    problem *p = n->problem;
    stage before = timer_switch(p->timer, STAGE_LINE_SEARCH);
    *result = (newton_result){0};
    TRY(problem_update(p, ev, x, err));
    iteration it = {.exactness = forcing_begin(n, options), .energy = problem_value(p, ev, x)};
    if (!isfinite(it.energy)) {
        timer_switch(p->timer, before);
        return error_set(err, ABUT_ERROR_INFEASIBLE, "",
                         "the energy is not finite at the start of a step");
    }
    if (p->free_count == 0) result->converged = true;
    trust_region_begin(&n->region);
    n->ahead.fresh = true;
    TRY(iterate(n, ev, x, options, hooks, &it, result, err));
    result->energy = it.energy;
    timer_switch(p->timer, before);
    return result->converged ? ABUT_OK : report_end(n, options, result, err);
}

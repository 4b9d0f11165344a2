/* Conjugate gradients preconditioned by a cycle of multigrid (linear/multigrid.h). Within a
 * time step the coarser levels are kept as long as they serve; when they do not, they get new
 * values where the pattern is the same, and are built anew where it is not. */
#include "linear/conjugate.h"
#include "linear/multigrid.h"
#include "linear/preconditioner_age.h"

enum { MAX_ITERATIONS = 500 };

typedef struct solver_multigrid {
    double tolerance;
    int max_iterations;
    multigrid levels;
    conjugate conjugate;
    uint64_t pattern_stamp; /* that the levels were made for */
    uint64_t finest_stamp;  /* of the finest level now */
    int32_t size;
    bool built;
    preconditioner_age age;
} solver_multigrid;

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    solver_multigrid *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the linear solver");
    s->tolerance = options->tolerance > 0 ? options->tolerance : 1e-8;
    s->max_iterations = options->max_iterations > 0 ? options->max_iterations : MAX_ITERATIONS;
    *self = s;
    return ABUT_OK;
}

static void destroy(void *self)
{
    solver_multigrid *s = self;
    multigrid_free(&s->levels);
    conjugate_free(&s->conjugate);
    mem_free(s);
}

static void multiply(void *context, const double *x, double *y)
{
    multigrid_multiply(&((solver_multigrid *)context)->levels, x, y);
}

static void precondition(void *context, const double *r, double *z)
{
    multigrid_cycle(&((solver_multigrid *)context)->levels, r, z);
}

/* All levels for this matrix. */
static abut_status renew(solver_multigrid *s, const linear_system *system,
                         linear_statistics *statistics, abut_error *err)
{
    const block_matrix *a = system->a;
    bool same = s->built && s->pattern_stamp == a->pattern_stamp && s->size == a->size &&
                s->finest_stamp == a->pattern_stamp;
    double before = s->levels.setup_work;
    s->built = false;
    statistics->factorizations++;
    statistics->analyses += !same;
    s->levels.most_work = system->setup_limit > 0 ? before + system->setup_limit : 0;
    abut_status status = same ? multigrid_refresh(&s->levels, a, err)
                              : multigrid_build(&s->levels, a, system->position, system->mask, err);
    statistics->setup_work += s->levels.setup_work - before;
    TRY(status);
    s->pattern_stamp = s->finest_stamp = a->pattern_stamp;
    s->size = a->size;
    s->built = true;
    return ABUT_OK;
}

static conjugate_operators operators_of(solver_multigrid *s)
{
    return (conjugate_operators){multiply, precondition, s, multigrid_cycle_work(&s->levels)};
}

/* Where stiff contacts make the smoother overshoot, the cycle is not definite and the iteration
 * breaks down before its limit: again with a wider part of the spectrum smoothed. *work: of the
 * attempt that succeeded. */
static abut_status iterate(solver_multigrid *s, const linear_system *system, double *x,
                           double tolerance, conjugate_bound bound, double *work,
                           linear_statistics *statistics, abut_error *err)
{
    enum { ATTEMPTS = 3 };
    conjugate_operators o = operators_of(s);
    abut_status status = ABUT_OK;
    for (int k = 0; k < ATTEMPTS; k++) {
        double spent = statistics->iteration_work;
        if (k > 0) multigrid_widen(&s->levels);
        status = conjugate_solve(&s->conjugate, &o, 3 * (size_t)system->a->size, system->b, x,
                                 tolerance, bound, statistics, err);
        *work = statistics->iteration_work - spent;
        if (status != ABUT_ERROR_NOT_CONVERGED || !s->conjugate.indefinite) break;
    }
    return status;
}

/* The coarser levels of an earlier matrix, as long as they serve. */
static abut_status solve_with_old(solver_multigrid *s, const linear_system *system, double *x,
                                  double tolerance, linear_statistics *statistics, abut_error *err)
{
    const block_matrix *a = system->a;
    bool same = s->finest_stamp == a->pattern_stamp;
    double before = s->levels.setup_work, work;
    s->built = false; /* unless this succeeds */
    TRY(multigrid_replace_finest(&s->levels, a, same, err));
    s->finest_stamp = a->pattern_stamp;
    s->built = true;
    double replaced = s->levels.setup_work - before; /* for every solve */
    statistics->iteration_work += replaced;
    conjugate_operators o = operators_of(s);
    linear_system limited = *system;
    limited.work_limit = preconditioner_patience(&s->age, tolerance);
    s->age.serves = false;
    TRY(iterate(s, system, x, tolerance, conjugate_limit(&limited, &o, replaced, s->max_iterations),
                &work, statistics, err));
    preconditioner_was_old(&s->age, tolerance, replaced + work);
    return ABUT_OK;
}

static abut_status solve_with_new(solver_multigrid *s, const linear_system *system, double *x,
                                  double tolerance, linear_statistics *statistics, abut_error *err)
{
    double before = statistics->setup_work, work;
    TRY(renew(s, system, statistics, err));
    statistics->factor_entries = multigrid_bytes(&s->levels) / sizeof(double);
    conjugate_operators o = operators_of(s);
    s->age.serves = false;
    TRY(iterate(s, system, x, tolerance, conjugate_limit(system, &o, 0, s->max_iterations), &work,
                statistics, err));
    preconditioner_was_new(&s->age, tolerance, statistics->setup_work - before, work);
    return ABUT_OK;
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    solver_multigrid *s = self;
    double tolerance = system->tolerance > 0 ? system->tolerance : s->tolerance;
    if (system->a->size == 0) return ABUT_OK;
    if (s->built && s->age.serves && s->size == system->a->size && s->levels.level_count > 1) {
        abut_status status = solve_with_old(s, system, x, tolerance, statistics, err);
        if (status != ABUT_ERROR_NOT_CONVERGED) return status;
    }
    return solve_with_new(s, system, x, tolerance, statistics, err);
}

static void solve_again(void *self, const double *b, double *x)
{
    solver_multigrid *s = self;
    linear_statistics unused = {0};
    conjugate_operators o = operators_of(s);
    conjugate_solve(&s->conjugate, &o, 3 * (size_t)s->size, b, x, LINEAR_AGAIN,
                    (conjugate_bound){(size_t)s->max_iterations, false}, &unused, NULL);
}

static void rest(void *self)
{
    solver_multigrid *s = self;
    multigrid_free(&s->levels);
    s->built = false;
}

/* What was built depends on earlier values: a step must not depend on the one before. */
static void begin_step(void *self) { ((solver_multigrid *)self)->built = false; }

const linear_class linear_multigrid = {.name = "multigrid",
                                       .iterative = true,
                                       .create = create,
                                       .solve = solve,
                                       .solve_again = solve_again,
                                       .rest = rest,
                                       .begin_step = begin_step,
                                       .destroy = destroy};

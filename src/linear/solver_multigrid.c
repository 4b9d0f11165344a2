/* Conjugate gradients preconditioned by a cycle of multigrid (linear/multigrid.h). The levels are
 * kept within a time step while the pattern stays, with new values. */
#include "linear/conjugate.h"
#include "linear/multigrid.h"

enum { MAX_ITERATIONS = 500 };

typedef struct solver_multigrid {
    double tolerance;
    int max_iterations;
    multigrid levels;
    conjugate conjugate;
    uint64_t pattern_stamp;
    int32_t size;
    bool built;
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

static abut_status prepare(solver_multigrid *s, const linear_system *system,
                           linear_statistics *statistics, abut_error *err)
{
    const block_matrix *a = system->a;
    if (s->built && s->pattern_stamp == a->pattern_stamp && s->size == a->size)
        return multigrid_refresh(&s->levels, a, err);
    s->built = false;
    statistics->analyses++;
    TRY(multigrid_build(&s->levels, a, system->position, system->mask, err));
    s->pattern_stamp = a->pattern_stamp;
    s->size = a->size;
    s->built = true;
    return ABUT_OK;
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    solver_multigrid *s = self;
    size_t n = 3 * (size_t)system->a->size;
    if (n == 0) return ABUT_OK;
    abut_status status = prepare(s, system, statistics, err);
    if (status != ABUT_OK) {
        s->built = false;
        return status;
    }
    statistics->factorizations++;
    statistics->factor_entries = multigrid_bytes(&s->levels) / sizeof(double);
    conjugate_operators o = {multiply, precondition, s};
    return conjugate_solve(&s->conjugate, &o, n, system->b, x,
                           system->tolerance > 0 ? system->tolerance : s->tolerance,
                           (size_t)s->max_iterations, statistics, err);
}

/* What was built depends on earlier values: a step must not depend on the one before. */
static void begin_step(void *self) { ((solver_multigrid *)self)->built = false; }

const linear_class linear_multigrid = {.name = "multigrid",
                                       .iterative = true,
                                       .create = create,
                                       .solve = solve,
                                       .begin_step = begin_step,
                                       .destroy = destroy};

/* Distributed solves through PETSc (linear/petsc_module.h). "petsc" alone factorises systems on
 * every rank while that is cheap, which is faster than sending them about, and takes smoothed
 * aggregation beyond. Both give the same bits every time. MUMPS does not: it adds what its ranks
 * send each other in the order of arrival. It is used where it is named, and where nothing else
 * converges. */
#include "base/memory.h"
#include "base/ranks.h"
#include "linear/petsc_module.h"
#include "linear/solver.h"
#include "linear/whole_system.h"

#include <string.h>

/* Blocks up to which every rank factorises, and from which none does. */
enum { FEW_BLOCKS = 10000, MANY_BLOCKS = 60000, DEFAULT_ITERATIONS = 1000 };
/* Between them: multiplications per block that a factorisation may take when GAMG runs on one rank.
 * Twice as many as in the choice of "auto" (linear/solver.c), for GAMG takes twice as long as the
 * multigrid there. */
static const double CHEAP_WORK = 2.6e6;

typedef enum distribution {
    DISTRIBUTION_OPEN,
    DISTRIBUTION_WHOLE,
    DISTRIBUTION_DIVIDED
} distribution;

typedef struct solver_petsc {
    const petsc_functions *functions;
    const char *method; /* NULL: by size */
    const char *used;
    void *self;
    double tolerance;
    int max_iterations;
    linear_options options;
    whole_system *whole;       /* NULL: not used yet */
    distribution distribution; /* of this step, without a method */
} solver_petsc;

static abut_status failure(petsc_status status, const char *text, abut_error *err)
{
    if (status == PETSC_NOT_CONVERGED)
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "", "PETSc: %s", text);
    if (status == PETSC_NOT_AVAILABLE)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "solver.linear", "%s", text);
    return error_set(err, ABUT_ERROR_INTERNAL, "", "PETSc: %s", text[0] ? text : "out of memory");
}

static abut_status use(solver_petsc *s, const char *method, abut_error *err)
{
    char text[PETSC_TEXT] = "";
    if (s->self && strcmp(s->used, method) == 0) return ABUT_OK;
    if (s->self) s->functions->destroy(s->self);
    s->self = NULL;
    petsc_status status = s->functions->create(method, &s->self, text);
    s->used = method;
    return status == PETSC_DONE ? ABUT_OK : failure(status, text, err);
}

/* Decides by the first system of a step, so that a resumed run decides alike. */
static abut_status choose_distribution(solver_petsc *s, const row_matrix *m,
                                       linear_statistics *statistics, abut_error *err)
{
    double entries, work;
    if (s->distribution != DISTRIBUTION_OPEN) return ABUT_OK;
    if (m->size < MANY_BLOCKS && !s->whole) TRY(whole_create(&s->options, &s->whole, err));
    if (m->size >= FEW_BLOCKS && m->size < MANY_BLOCKS) {
        TRY(whole_estimate(s->whole, m, statistics, &entries, &work, err));
        s->distribution = work * ranks_count() <= CHEAP_WORK * m->size ? DISTRIBUTION_WHOLE
                                                                       : DISTRIBUTION_DIVIDED;
    } else {
        s->distribution = m->size < FEW_BLOCKS ? DISTRIBUTION_WHOLE : DISTRIBUTION_DIVIDED;
    }
    if (s->distribution == DISTRIBUTION_WHOLE) return ABUT_OK;
    whole_destroy(s->whole);
    s->whole = NULL;
    return ABUT_OK;
}

static void destroy(void *self)
{
    solver_petsc *s = self;
    if (s->self) s->functions->destroy(s->self);
    whole_destroy(s->whole);
    mem_free(s);
}

static abut_status create(const char *method, const linear_options *options, void **self,
                          abut_error *err)
{
    solver_petsc *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the linear solver");
    s->method = method;
    s->options = *options;
    s->tolerance = options->tolerance > 0 ? options->tolerance : 1e-8;
    s->max_iterations = options->max_iterations > 0 ? options->max_iterations : DEFAULT_ITERATIONS;
    abut_status status = petsc_start(NULL, &s->functions, err);
    if (status == ABUT_OK && method) status = use(s, method, err);
    if (status != ABUT_OK) {
        destroy(s);
        return status;
    }
    *self = s;
    return ABUT_OK;
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    solver_petsc *s = self;
    const row_matrix *m = system->rows;
    if (!s->method) TRY(choose_distribution(s, m, statistics, err));
    if (s->distribution == DISTRIBUTION_WHOLE)
        return whole_solve(s->whole, m, system->b, x, statistics, err);
    TRY(use(s, s->method ? s->method : "gamg", err));
    petsc_system to = {.first = m->first,
                       .rows = m->rows,
                       .size = m->size,
                       .start = m->start.data,
                       .column = m->column.data,
                       .value = m->value.data,
                       .pattern_stamp = m->pattern_stamp,
                       .right = system->b,
                       .position = system->position,
                       .mask = system->mask,
                       .tolerance = system->tolerance > 0 ? system->tolerance : s->tolerance,
                       .max_iterations = s->max_iterations};
    petsc_result result;
    char text[PETSC_TEXT] = "";
    petsc_status status = s->functions->solve(s->self, &to, x, &result, text);
    statistics->exact = strcmp(s->used, "mumps") == 0;
    statistics->analyses += result.analysed;
    statistics->factorizations += result.renewed;
    statistics->iterations += (uint64_t)result.iterations;
    if ((uint64_t)result.iterations > statistics->most_iterations)
        statistics->most_iterations = (uint64_t)result.iterations;
    if (result.factor_size > 0) statistics->factor_entries = (size_t)result.factor_size;
    return status == PETSC_DONE ? ABUT_OK : failure(status, text, err);
}

/* Hierarchies and orders that were made for earlier values are made anew. */
static void begin_step(void *self)
{
    solver_petsc *s = self;
    whole_destroy(s->whole);
    s->whole = NULL;
    s->distribution = DISTRIBUTION_OPEN;
    if (!s->self || strcmp(s->used, "mumps") == 0) return;
    s->functions->destroy(s->self);
    s->self = NULL;
}

#define PETSC_CLASS(variable, class_name, method, is_iterative)                                    \
    static abut_status create_##variable(const linear_options *options, void **self,               \
                                         abut_error *err)                                          \
    {                                                                                              \
        return create(method, options, self, err);                                                 \
    }                                                                                              \
    const linear_class variable = {.name = class_name,                                             \
                                   .iterative = is_iterative,                                      \
                                   .by_rows = true,                                                \
                                   .create = create_##variable,                                    \
                                   .solve = solve,                                                 \
                                   .begin_step = begin_step,                                       \
                                   .destroy = destroy};

PETSC_CLASS(linear_petsc, "petsc", NULL, true)
PETSC_CLASS(linear_petsc_mumps, "petsc-mumps", "mumps", false)
PETSC_CLASS(linear_petsc_gamg, "petsc-gamg", "gamg", true)
PETSC_CLASS(linear_petsc_hypre, "petsc-hypre", "hypre", true)
PETSC_CLASS(linear_petsc_icc, "petsc-icc", "icc", true)
PETSC_CLASS(linear_petsc_bjacobi, "petsc-bjacobi", "bjacobi", true)

/* Supernodal Cholesky by CHOLMOD, ordered on the block graph (a third of the scalar one).
 *
 * The library is loaded when a solver is created: it brings a BLAS and its threads along, which a
 * run with another solver should not carry. */
#include "base/library.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "linear/order.h"
#include "linear/solver.h"

#include <cholmod.h>
#include <string.h>

#define TEXT_OF(x) #x
#define LIBRARY_NAME(version) "libcholmod.so." TEXT_OF(version)

/* What is used of CHOLMOD. */
#define CHOLMOD_FUNCTIONS(X)                                                                       \
    X(start) X(finish) X(analyze_p) X(factorize) X(solve2) X(free_factor) X(free_dense)

typedef struct solver_cholmod {
    cholmod_common common;
#define DECLARE(name) __typeof__(&cholmod_##name) name;
    CHOLMOD_FUNCTIONS(DECLARE)
#undef DECLARE
    /* Of the BLAS and of OpenMP, where they have them. */
    void (*set_blas_threads)(int threads);
    void (*set_levels)(int levels);
    int (*get_levels)(void);
    cholmod_factor *factor;
    cholmod_dense *solution, *work_y, *work_e;
    uint64_t pattern_stamp;
    bool analysed, reproducible;
    int32_t *order; /* of the blocks, kept while the pattern changes little */
    size_t order_size;
    double order_fill; /* entries of the factor when the order was made */
} solver_cholmod;

static abut_status load_library(solver_cholmod *s, abut_error *err)
{
    library l;
    library_open(&l, LIBRARY_NAME(CHOLMOD_MAIN_VERSION), "libcholmod.so");
#define FIND(name) library_need(&l, "cholmod_" #name, &s->name);
    CHOLMOD_FUNCTIONS(FIND)
#undef FIND
    if (l.failure[0])
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "solver.linear",
                         "CHOLMOD cannot be loaded (%s); \"direct\" needs no library", l.failure);
    library_find(&l, "openblas_set_num_threads", &s->set_blas_threads);
    library_find(&l, "omp_set_max_active_levels", &s->set_levels);
    library_find(&l, "omp_get_max_active_levels", &s->get_levels);
    return ABUT_OK;
}

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    solver_cholmod *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the linear solver");
    abut_status status = load_library(s, err);
    if (status != ABUT_OK) {
        mem_free(s);
        return status;
    }
    s->start(&s->common);
    s->common.print = 0;
    s->common.error_handler = NULL;
    s->common.supernodal = CHOLMOD_SUPERNODAL;
    s->common.quick_return_if_not_posdef = true;
    s->reproducible = options->reproducible;
    *self = s;
    return ABUT_OK;
}

static void destroy(void *self)
{
    solver_cholmod *s = self;
    s->free_factor(&s->factor, &s->common);
    s->free_dense(&s->solution, &s->common);
    s->free_dense(&s->work_y, &s->common);
    s->free_dense(&s->work_e, &s->common);
    s->finish(&s->common);
    mem_free(s->order);
    mem_free(s);
}

/* The matrix seen by CHOLMOD, sharing our arrays. */
static cholmod_sparse view_of(const block_matrix *a)
{
    return (cholmod_sparse){.nrow = 3 * (size_t)a->size,
                            .ncol = 3 * (size_t)a->size,
                            .nzmax = 9 * (size_t)a->column_start[a->size],
                            .p = a->scalar_start,
                            .i = a->scalar_row,
                            .x = a->value,
                            .stype = -1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

/* A factor that has grown by more than this since its order was made is ordered anew. */
static const double FILL_GROWTH = 1.2;

/* Symbolic factorisation with the present order. */
static bool analyse_ordered(solver_cholmod *s, const block_matrix *a)
{
    size_t n = (size_t)a->size;
    int32_t *scalar_order = mem_alloc(3 * n + 1, sizeof *scalar_order);
    if (!scalar_order) return false;
    for (size_t k = 0; k < n; k++)
        for (int c = 0; c < 3; c++) scalar_order[3 * k + (size_t)c] = 3 * s->order[k] + c;
    s->free_factor(&s->factor, &s->common);
    s->common.nmethods = 1;
    s->common.method[0].ordering = CHOLMOD_GIVEN;
    s->common.postorder = true;
    cholmod_sparse view = view_of(a);
    s->factor = s->analyze_p(&view, scalar_order, NULL, 0, &s->common);
    mem_free(scalar_order);
    return s->factor != NULL;
}

static bool make_order(solver_cholmod *s, const block_matrix *a)
{
    size_t n = (size_t)a->size;
    mem_free(s->order);
    s->order = mem_alloc(n + 1, sizeof *s->order);
    s->order_size = n;
    return s->order && order_blocks(a, s->order, NULL) == ABUT_OK;
}

/* Contacts come and go, but the order of a mesh stays good: a new order is made only when the
 * number of unknowns changes or the old order fills in too much. */
static abut_status analyse(solver_cholmod *s, const block_matrix *a, abut_error *err)
{
    bool kept = s->order && s->order_size == (size_t)a->size;
    bool ok = kept || make_order(s, a);
    ok = ok && analyse_ordered(s, a);
    if (ok && kept && s->common.lnz > FILL_GROWTH * s->order_fill) {
        kept = false;
        ok = make_order(s, a) && analyse_ordered(s, a);
    }
    if (!ok) return error_memory(err, "analysing the sparse matrix");
    if (!kept) s->order_fill = s->common.lnz;
    s->pattern_stamp = a->pattern_stamp;
    s->analysed = true;
    return ABUT_OK;
}

/* CHOLMOD's own loops ask for four threads whatever the machine has, and a BLAS call's result
 * depends on its number of threads: reproducible solves run on one thread. */
static int begin_threads(const solver_cholmod *s)
{
    int levels = s->get_levels ? s->get_levels() : 0;
    if (s->reproducible && s->set_levels) s->set_levels(0);
    if (s->set_blas_threads) s->set_blas_threads(s->reproducible ? 1 : parallel_threads());
    return levels;
}

static abut_status solve_on(solver_cholmod *s, const block_matrix *a, const double *b, double *x,
                            linear_statistics *statistics, abut_error *err)
{
    if (!s->analysed || s->pattern_stamp != a->pattern_stamp ||
        s->factor->n != 3 * (size_t)a->size) {
        TRY(analyse(s, a, err));
        statistics->analyses++;
    }
    cholmod_sparse view = view_of(a);
    statistics->factorizations++;
    if (!s->factorize(&view, s->factor, &s->common) || s->common.status == CHOLMOD_OUT_OF_MEMORY)
        return error_memory(err, "factorising the sparse matrix");
    if (s->common.status == CHOLMOD_NOT_POSDEF)
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                         "the Newton matrix is not positive definite (column %zu)",
                         s->factor->minor);
    statistics->factor_entries = s->factor->xsize;
    size_t n = 3 * (size_t)a->size;
    cholmod_dense right = {.nrow = n,
                           .ncol = 1,
                           .nzmax = n,
                           .d = n,
                           .x = (void *)b,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    if (!s->solve2(CHOLMOD_A, s->factor, &right, NULL, &s->solution, NULL, &s->work_y, &s->work_e,
                   &s->common))
        return error_memory(err, "solving the linear system");
    memcpy(x, s->solution->x, n * sizeof *x);
    return ABUT_OK;
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    const block_matrix *a = system->a;
    const double *b = system->b;
    solver_cholmod *s = self;
    int levels = begin_threads(s);
    abut_status status = solve_on(s, a, b, x, statistics, err);
    if (s->set_levels) s->set_levels(levels);
    return status;
}

static void save(const void *self, int32_t *order, size_t capacity, double *numbers)
{
    const solver_cholmod *s = self;
    if (!s->order || s->order_size > capacity) return;
    memcpy(order, s->order, s->order_size * sizeof *order);
    numbers[0] = (double)s->order_size;
    numbers[1] = s->order_fill;
}

static abut_status load(void *self, const int32_t *order, const double *numbers, abut_error *err)
{
    solver_cholmod *s = self;
    mem_free(s->order);
    s->order = NULL;
    s->analysed = false;
    s->order_size = (size_t)numbers[0];
    s->order_fill = numbers[1];
    if (s->order_size == 0) return ABUT_OK;
    s->order = mem_alloc(s->order_size + 1, sizeof *s->order);
    if (!s->order) return error_memory(err, "restoring the linear solver");
    memcpy(s->order, order, s->order_size * sizeof *order);
    return ABUT_OK;
}

const linear_class linear_cholmod = {.name = "cholmod",
                                     .create = create,
                                     .solve = solve,
                                     .save = save,
                                     .load = load,
                                     .destroy = destroy};

/* Supernodal Cholesky by CHOLMOD, ordered on the block graph (a third of the scalar one). */
#include "base/memory.h"
#include "base/parallel.h"
#include "linear/solver.h"

#include <cholmod.h>
#include <metis.h>
#include <omp.h>
#include <string.h>

/* Declared here because OpenBLAS installs no header that is safe to include beside another BLAS. */
extern void openblas_set_num_threads(int threads);

/* Below this many blocks minimum degree is as good as nested dissection and much cheaper. */
enum { SMALL_SYSTEM = 600 };

typedef struct solver_cholmod {
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *solution, *work_y, *work_e;
    uint64_t pattern_stamp;
    bool analysed, reproducible;
    int32_t *order; /* of the blocks, kept while the pattern changes little */
    size_t order_size;
    double order_fill; /* entries of the factor when the order was made */
} solver_cholmod;

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    solver_cholmod *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the linear solver");
    cholmod_start(&s->common);
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
    cholmod_free_factor(&s->factor, &s->common);
    cholmod_free_dense(&s->solution, &s->common);
    cholmod_free_dense(&s->work_y, &s->common);
    cholmod_free_dense(&s->work_e, &s->common);
    cholmod_finish(&s->common);
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

/* Nested dissection of the block graph by METIS. */
static bool order_by_metis(const block_matrix *a, idx_t *order)
{
    idx_t n = a->size;
    size_t entries = 2 * (size_t)(a->column_start[n] - n);
    idx_t *start = mem_calloc((size_t)n + 2, sizeof *start);
    idx_t *neighbours = mem_alloc(entries + 1, sizeof *neighbours);
    idx_t *inverse = mem_alloc((size_t)n, sizeof *inverse);
    bool ok = start && neighbours && inverse;
    if (ok) {
        for (idx_t j = 0; j < n; j++)
            for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++) {
                start[j + 2]++;
                start[a->row[k] + 2]++;
            }
        for (idx_t j = 0; j < n; j++) start[j + 2] += start[j + 1];
        for (idx_t j = 0; j < n; j++)
            for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++) {
                neighbours[start[j + 1]++] = a->row[k];
                neighbours[start[a->row[k] + 1]++] = j;
            }
        idx_t options[METIS_NOPTIONS];
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;
        ok = METIS_NodeND(&n, start, neighbours, NULL, options, order, inverse) == METIS_OK;
    }
    mem_free(start);
    mem_free(neighbours);
    mem_free(inverse);
    return ok;
}

/* Approximate minimum degree on the block graph, through CHOLMOD. */
static bool order_by_amd(solver_cholmod *s, const block_matrix *a, int32_t *order)
{
    cholmod_sparse graph = {.nrow = (size_t)a->size,
                            .ncol = (size_t)a->size,
                            .nzmax = (size_t)a->column_start[a->size],
                            .p = a->column_start,
                            .i = a->row,
                            .stype = -1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_PATTERN,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
    return cholmod_amd(&graph, NULL, 0, order, &s->common);
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
    cholmod_free_factor(&s->factor, &s->common);
    s->common.nmethods = 1;
    s->common.method[0].ordering = CHOLMOD_GIVEN;
    s->common.postorder = true;
    cholmod_sparse view = view_of(a);
    s->factor = cholmod_analyze_p(&view, scalar_order, NULL, 0, &s->common);
    mem_free(scalar_order);
    return s->factor != NULL;
}

static bool order_blocks(solver_cholmod *s, const block_matrix *a)
{
    size_t n = (size_t)a->size;
    mem_free(s->order);
    s->order = mem_alloc(n + 1, sizeof *s->order);
    s->order_size = n;
    if (!s->order) return false;
    bool dissect = n > SMALL_SYSTEM && a->column_start[n] > a->size;
    return (dissect && order_by_metis(a, s->order)) || order_by_amd(s, a, s->order);
}

/* Contacts come and go, but the order of a mesh stays good: a new order is made only when the
 * number of unknowns changes or the old order fills in too much. */
static abut_status analyse(solver_cholmod *s, const block_matrix *a, abut_error *err)
{
    bool kept = s->order && s->order_size == (size_t)a->size;
    bool ok = kept || order_blocks(s, a);
    ok = ok && analyse_ordered(s, a);
    if (ok && kept && s->common.lnz > FILL_GROWTH * s->order_fill) {
        kept = false;
        ok = order_blocks(s, a) && analyse_ordered(s, a);
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
    int levels = omp_get_max_active_levels();
    if (s->reproducible) omp_set_max_active_levels(0);
    openblas_set_num_threads(s->reproducible ? 1 : parallel_threads());
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
    if (!cholmod_factorize(&view, s->factor, &s->common) ||
        s->common.status == CHOLMOD_OUT_OF_MEMORY)
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
    if (!cholmod_solve2(CHOLMOD_A, s->factor, &right, NULL, &s->solution, NULL, &s->work_y,
                        &s->work_e, &s->common))
        return error_memory(err, "solving the linear system");
    memcpy(x, s->solution->x, n * sizeof *x);
    return ABUT_OK;
}

static abut_status solve(void *self, const block_matrix *a, const double *b, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    int levels = begin_threads(self);
    abut_status status = solve_on(self, a, b, x, statistics, err);
    omp_set_max_active_levels(levels);
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

const linear_class linear_cholmod = {"cholmod", create, solve, save, load, destroy};

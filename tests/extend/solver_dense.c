/* A linear solver that abut does not have: Cholesky on the dense matrix, for systems of a few
 * nodes. This file, and one row of solvers.h, is all that it takes. */
#include "base/memory.h"
#include "linear/solver.h"

#include <math.h>
#include <string.h>

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    (void)options;
    *self = mem_calloc(1, 1);
    return *self ? ABUT_OK : error_memory(err, "creating a dense solver");
}

static void destroy(void *self) { mem_free(self); }

/* Lower triangle of A, row by row. */
static void expand(const block_matrix *a, double *dense)
{
    size_t n = 3 * (size_t)a->size;
    memset(dense, 0, n * n * sizeof *dense);
    for (size_t j = 0; j < n; j++)
        for (int32_t k = a->scalar_start[j]; k < a->scalar_start[j + 1]; k++)
            dense[(size_t)a->scalar_row[k] * n + j] = a->value[k];
}

static bool factorise(size_t n, double *l)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = l[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
            if (i == j && !(sum > 0)) return false;
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    return true;
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    (void)self;
    size_t n = 3 * (size_t)system->a->size;
    double *l = mem_alloc(n * n + 1, sizeof *l);
    if (!l) return error_memory(err, "solving a dense system");
    expand(system->a, l);
    statistics->factorizations++;
    if (!factorise(n, l)) {
        mem_free(l);
        return error_set(err, ABUT_ERROR_NOT_CONVERGED, "", "the matrix is not positive definite");
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = system->b[i];
        for (size_t k = 0; k < i; k++) x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
    mem_free(l);
    return ABUT_OK;
}

const linear_class linear_dense = {
    .name = "dense", .create = create, .solve = solve, .destroy = destroy};

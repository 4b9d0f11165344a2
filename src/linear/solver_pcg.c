/* Conjugate gradients preconditioned by the inverses of the diagonal blocks. */
#include "base/array.h"
#include "base/parallel.h"
#include "linear/solver.h"

#include <math.h>
#include <string.h>

/* A row of the full matrix is gathered from the stored column part (the transposes of row j's
 * stored column) and from entries of earlier columns; row_slot lists the latter. */
typedef struct solver_pcg {
    double tolerance;
    int max_iterations;
    uint64_t pattern_stamp;
    ARRAY(int32_t) row_start, row_slot, row_column;
    ARRAY(double) r, z, p, q, inverse;
    const block_matrix *a;
    const double *in;
    double *out;
} solver_pcg;

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    solver_pcg *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the linear solver");
    s->tolerance = options->tolerance > 0 ? options->tolerance : 1e-8;
    s->max_iterations = options->max_iterations;
    s->pattern_stamp = UINT64_MAX;
    *self = s;
    return ABUT_OK;
}

static void destroy(void *self)
{
    solver_pcg *s = self;
    array_free(&s->row_start);
    array_free(&s->row_slot);
    array_free(&s->row_column);
    array_free(&s->r);
    array_free(&s->z);
    array_free(&s->p);
    array_free(&s->q);
    array_free(&s->inverse);
    mem_free(s);
}

/* Lists, for every block row, the stored blocks left of the diagonal. */
static bool index_rows(solver_pcg *s, const block_matrix *a)
{
    size_t n = (size_t)a->size, off = (size_t)a->column_start[n] - n;
    if (!array_resize(&s->row_start, n + 2) || !array_resize(&s->row_slot, off + 1) ||
        !array_resize(&s->row_column, off + 1))
        return false;
    int32_t *start = s->row_start.data;
    memset(start, 0, (n + 2) * sizeof *start);
    for (size_t j = 0; j < n; j++)
        for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++)
            start[a->row[k] + 2]++;
    for (size_t j = 0; j < n; j++) start[j + 2] += start[j + 1];
    for (size_t j = 0; j < n; j++)
        for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++) {
            int32_t at = start[a->row[k] + 1]++;
            s->row_slot.data[at] = k;
            s->row_column.data[at] = (int32_t)j;
        }
    s->pattern_stamp = a->pattern_stamp;
    return true;
}

static void multiply_rows(void *context, size_t begin, size_t end)
{
    const solver_pcg *s = context;
    const block_matrix *a = s->a;
    for (size_t i = begin; i < end; i++) {
        double sum[3] = {0};
        for (int32_t k = s->row_start.data[i]; k < s->row_start.data[i + 1]; k++) {
            int32_t column = s->row_column.data[k];
            size_t stride = (size_t)block_matrix_stride(a, column);
            const double *b = a->value + block_matrix_offset(a, column, s->row_slot.data[k]);
            const double *x = s->in + 3 * (size_t)column;
            for (int r = 0; r < 3; r++)
                sum[r] +=
                    b[r] * x[0] + b[stride + (size_t)r] * x[1] + b[2 * stride + (size_t)r] * x[2];
        }
        size_t stride = (size_t)block_matrix_stride(a, (int32_t)i);
        const double *d = a->value + block_matrix_offset(a, (int32_t)i, a->column_start[i]);
        const double *own =
            s->in + 3 * i; /* only the lower triangle of the diagonal block counts */
        sum[0] += d[0] * own[0] + d[1] * own[1] + d[2] * own[2];
        sum[1] += d[1] * own[0] + d[stride + 1] * own[1] + d[stride + 2] * own[2];
        sum[2] += d[2] * own[0] + d[stride + 2] * own[1] + d[2 * stride + 2] * own[2];
        for (int32_t k = a->column_start[i] + 1; k < a->column_start[i + 1]; k++) {
            const double *b = a->value + block_matrix_offset(a, (int32_t)i, k);
            const double *x = s->in + 3 * (size_t)a->row[k];
            for (size_t c = 0; c < 3; c++)
                sum[c] +=
                    b[c * stride] * x[0] + b[c * stride + 1] * x[1] + b[c * stride + 2] * x[2];
        }
        memcpy(s->out + 3 * i, sum, sizeof sum);
    }
}

static void invert_diagonal(void *context, size_t begin, size_t end)
{
    solver_pcg *s = context;
    for (size_t i = begin; i < end; i++) {
        size_t stride = (size_t)block_matrix_stride(s->a, (int32_t)i);
        const double *b =
            s->a->value + block_matrix_offset(s->a, (int32_t)i, s->a->column_start[i]);
        mat3 d = {{{b[0], b[1], b[2]},
                   {b[1], b[stride + 1], b[stride + 2]},
                   {b[2], b[stride + 2], b[2 * stride + 2]}}};
        double det = mat3_determinant(d);
        mat3 inverse = mat3_zero();
        if (det > 0) {
            inverse = mat3_inverse(d);
        } else {
            for (int k = 0; k < 3; k++) inverse.m[k][k] = d.m[k][k] > 0 ? 1 / d.m[k][k] : 1;
        }
        memcpy(s->inverse.data + 9 * i, inverse.m, sizeof inverse.m);
    }
}

static void precondition(void *context, size_t begin, size_t end)
{
    solver_pcg *s = context;
    for (size_t i = begin; i < end; i++) {
        mat3 inverse;
        memcpy(inverse.m, s->inverse.data + 9 * i, sizeof inverse.m);
        vec3_store(s->z.data + 3 * i, mat3_mul_vec(inverse, vec3_load(s->r.data + 3 * i)));
    }
}

typedef struct dot_pair {
    const double *a, *b;
} dot_pair;

static double dot_partial(void *context, size_t begin, size_t end)
{
    const dot_pair *d = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += d->a[i] * d->b[i];
    return sum;
}

static double dot(size_t n, const double *a, const double *b)
{
    dot_pair d = {a, b};
    return parallel_sum(n, dot_partial, &d);
}

static abut_status solve(void *self, const block_matrix *a, const double *b, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    solver_pcg *s = self;
    size_t n = 3 * (size_t)a->size;
    bool ok = array_resize(&s->r, n) && array_resize(&s->z, n) && array_resize(&s->p, n) &&
              array_resize(&s->q, n) && array_resize(&s->inverse, 3 * n);
    if (ok && s->pattern_stamp != a->pattern_stamp) {
        ok = index_rows(s, a);
        statistics->analyses++;
    }
    if (!ok) return error_memory(err, "preparing conjugate gradients");
    s->a = a;
    parallel_for((size_t)a->size, 512, invert_diagonal, s);
    memset(x, 0, n * sizeof *x);
    memcpy(s->r.data, b, n * sizeof *b);
    double target = s->tolerance * s->tolerance * dot(n, b, b), rho = 0;
    size_t limit = s->max_iterations > 0 ? (size_t)s->max_iterations : 10 * n + 100;
    for (size_t k = 0; dot(n, s->r.data, s->r.data) > target; k++) {
        if (k == limit)
            return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                             "conjugate gradients did not reach %g in %zu iterations", s->tolerance,
                             k);
        parallel_for((size_t)a->size, 512, precondition, s);
        double rho_new = dot(n, s->r.data, s->z.data);
        double beta = k ? rho_new / rho : 0.0;
        rho = rho_new;
        for (size_t i = 0; i < n; i++)
            s->p.data[i] = k ? s->z.data[i] + beta * s->p.data[i] : s->z.data[i];
        s->in = s->p.data;
        s->out = s->q.data;
        parallel_for((size_t)a->size, 256, multiply_rows, s);
        double curvature = dot(n, s->p.data, s->q.data);
        if (!(curvature > 0))
            return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                             "the Newton matrix is not positive definite (curvature %g)",
                             curvature);
        double alpha = rho / curvature;
        for (size_t i = 0; i < n; i++) {
            x[i] += alpha * s->p.data[i];
            s->r.data[i] -= alpha * s->q.data[i];
        }
        statistics->iterations++;
    }
    return ABUT_OK;
}

const linear_class linear_pcg = {
    .name = "pcg", .create = create, .solve = solve, .destroy = destroy};

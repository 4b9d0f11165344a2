/* Conjugate gradients preconditioned by an incomplete Cholesky factor: of 3x3 blocks, with the
 * pattern of the matrix. Where the factorisation breaks down, the diagonal of what is factorised is
 * enlarged and it begins anew (Manteuffel 1980). */
#include "linear/conjugate.h"
#include "linear/row_product.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 2000, MAX_SHIFTS = 16 };

typedef struct solver_ic {
    double tolerance;
    int max_iterations;
    row_product product;
    conjugate conjugate;
    ARRAY(mat3) factor; /* per block of the matrix; of diagonal blocks the inverse of the factor */
    const block_matrix *a;
} solver_ic;

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    solver_ic *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the linear solver");
    s->tolerance = options->tolerance > 0 ? options->tolerance : 1e-8;
    s->max_iterations = options->max_iterations > 0 ? options->max_iterations : MAX_ITERATIONS;
    *self = s;
    return ABUT_OK;
}

static void destroy(void *self)
{
    solver_ic *s = self;
    row_product_free(&s->product);
    conjugate_free(&s->conjugate);
    array_free(&s->factor);
    mem_free(s);
}

/* Inverse of the lower factor of a symmetric block of which the lower part counts. */
static bool invert_factor(mat3 d, mat3 *out)
{
    mat3 l = mat3_zero(), inverse = mat3_zero();
    for (int j = 0; j < 3; j++) {
        double pivot = d.m[j][j];
        for (int k = 0; k < j; k++) pivot -= l.m[j][k] * l.m[j][k];
        if (!(pivot > 1e-14 * fabs(d.m[j][j])) || !isfinite(pivot)) return false;
        l.m[j][j] = sqrt(pivot);
        for (int i = j + 1; i < 3; i++) {
            double sum = d.m[i][j];
            for (int k = 0; k < j; k++) sum -= l.m[i][k] * l.m[j][k];
            l.m[i][j] = sum / l.m[j][j];
        }
    }
    for (int j = 0; j < 3; j++) {
        inverse.m[j][j] = 1 / l.m[j][j];
        for (int i = j + 1; i < 3; i++) {
            double sum = 0;
            for (int k = j; k < i; k++) sum -= l.m[i][k] * inverse.m[k][j];
            inverse.m[i][j] = sum / l.m[i][i];
        }
    }
    *out = inverse;
    return true;
}

static void copy_blocks(solver_ic *s, double shift)
{
    const block_matrix *a = s->a;
    for (int32_t j = 0; j < a->size; j++) {
        size_t stride = (size_t)block_matrix_stride(a, j);
        for (int32_t k = a->column_start[j]; k < a->column_start[j + 1]; k++) {
            const double *from = a->value + block_matrix_offset(a, j, k);
            mat3 *to = &s->factor.data[k];
            for (size_t r = 0; r < 3; r++)
                for (size_t c = 0; c < 3; c++) to->m[r][c] = from[c * stride + r];
            if (k == a->column_start[j])
                for (int c = 0; c < 3; c++) to->m[c][c] *= 1 + shift;
        }
    }
}

/* Subtracts what column j contributes to column k of the factor, within the pattern. */
static void update_column(solver_ic *s, int32_t j, int32_t at)
{
    const block_matrix *a = s->a;
    int32_t k = a->row[at], to = a->column_start[k], end = a->column_start[k + 1];
    mat3 across = mat3_transpose(s->factor.data[at]);
    for (int32_t i = at; i < a->column_start[j + 1]; i++) {
        while (to < end && a->row[to] < a->row[i]) to++;
        if (to == end) return;
        if (a->row[to] == a->row[i])
            s->factor.data[to] = mat3_sub(s->factor.data[to], mat3_mul(s->factor.data[i], across));
    }
}

static bool try_factor(solver_ic *s, double shift)
{
    const block_matrix *a = s->a;
    copy_blocks(s, shift);
    for (int32_t j = 0; j < a->size; j++) {
        int32_t first = a->column_start[j], end = a->column_start[j + 1];
        mat3 inverse;
        if (!invert_factor(s->factor.data[first], &inverse)) return false;
        s->factor.data[first] = inverse;
        mat3 turned = mat3_transpose(inverse);
        for (int32_t k = first + 1; k < end; k++)
            s->factor.data[k] = mat3_mul(s->factor.data[k], turned);
        for (int32_t k = first + 1; k < end; k++) update_column(s, j, k);
    }
    return true;
}

static abut_status factorize(solver_ic *s, linear_statistics *statistics, abut_error *err)
{
    double shift = 0;
    for (int k = 0; k < MAX_SHIFTS; k++) {
        statistics->factorizations++;
        if (try_factor(s, shift)) return ABUT_OK;
        shift = shift > 0 ? 2 * shift : 1e-3;
    }
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "the Newton matrix is not positive definite (no incomplete factor)");
}

/* z = (L L^T)^-1 r */
static void precondition(void *context, const double *r, double *z)
{
    const solver_ic *s = context;
    const block_matrix *a = s->a;
    memcpy(z, r, 3 * (size_t)a->size * sizeof *z);
    for (int32_t j = 0; j < a->size; j++) {
        int32_t first = a->column_start[j];
        vec3 y = mat3_mul_vec(s->factor.data[first], vec3_load(z + 3 * (size_t)j));
        vec3_store(z + 3 * (size_t)j, y);
        for (int32_t k = first + 1; k < a->column_start[j + 1]; k++) {
            double *to = z + 3 * (size_t)a->row[k];
            vec3_store(to, vec3_sub(vec3_load(to), mat3_mul_vec(s->factor.data[k], y)));
        }
    }
    for (int32_t j = a->size - 1; j >= 0; j--) {
        int32_t first = a->column_start[j];
        vec3 y = vec3_load(z + 3 * (size_t)j);
        for (int32_t k = first + 1; k < a->column_start[j + 1]; k++)
            y = vec3_sub(y, mat3_tmul_vec(s->factor.data[k], vec3_load(z + 3 * (size_t)a->row[k])));
        vec3_store(z + 3 * (size_t)j, mat3_tmul_vec(s->factor.data[first], y));
    }
}

static void multiply(void *context, const double *x, double *y)
{
    const solver_ic *s = context;
    row_product_multiply(&s->product, s->a, x, y);
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    solver_ic *s = self;
    const block_matrix *a = system->a;
    if (a->size == 0) return ABUT_OK;
    if (s->product.pattern_stamp != a->pattern_stamp) statistics->analyses++;
    if (!array_resize(&s->factor, (size_t)a->column_start[a->size]) ||
        !row_product_prepare(&s->product, a))
        return error_memory(err, "preparing conjugate gradients");
    s->a = a;
    statistics->factor_entries = 9 * s->factor.count;
    TRY(factorize(s, statistics, err));
    conjugate_operators o = {multiply, precondition, s};
    return conjugate_solve(&s->conjugate, &o, 3 * (size_t)a->size, system->b, x,
                           system->tolerance > 0 ? system->tolerance : s->tolerance,
                           (size_t)s->max_iterations, statistics, err);
}

const linear_class linear_ic = {
    .name = "ic", .iterative = true, .create = create, .solve = solve, .destroy = destroy};

/* Conjugate gradients preconditioned by an incomplete Cholesky factor: of 3x3 blocks, with the
 * pattern of the matrix. Where the factorisation breaks down, the diagonal of what is factorised is
 * enlarged and it begins anew (Manteuffel 1980). */
#include "linear/block_csr.h"
#include "linear/conjugate.h"
#include "linear/work.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 2000, MAX_SHIFTS = 16 };

typedef struct solver_ic {
    double tolerance;
    int max_iterations;
    conjugate conjugate;
    block_csr whole; /* the matrix: the caller's may change before another right side comes */
    ARRAY(int32_t) start, row; /* pattern of the lower triangle, by columns */
    ARRAY(mat3) factor;        /* per block of it; of diagonal blocks the inverse of the factor */
    uint64_t pattern_stamp;
    double shift;      /* that the last factor of the step needed */
    double block_work; /* block products of the factor in the making */
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
    block_csr_free(&s->whole);
    conjugate_free(&s->conjugate);
    array_free(&s->start);
    array_free(&s->row);
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

static void copy_blocks(solver_ic *s, const block_matrix *a, double shift)
{
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
    const int32_t *row = s->row.data;
    int32_t k = row[at], to = s->start.data[k], end = s->start.data[k + 1];
    mat3 across = mat3_transpose(s->factor.data[at]);
    for (int32_t i = at; i < s->start.data[j + 1]; i++) {
        while (to < end && row[to] < row[i]) to++;
        if (to == end) return;
        if (row[to] == row[i])
            s->factor.data[to] = mat3_sub(s->factor.data[to], mat3_mul(s->factor.data[i], across));
    }
}

static bool try_factor(solver_ic *s, const block_matrix *a, double shift)
{
    copy_blocks(s, a, shift);
    for (int32_t j = 0; j < a->size; j++) {
        int32_t first = a->column_start[j], end = a->column_start[j + 1];
        mat3 inverse;
        if (!invert_factor(s->factor.data[first], &inverse)) return false;
        s->factor.data[first] = inverse;
        mat3 turned = mat3_transpose(inverse);
        for (int32_t k = first + 1; k < end; k++)
            s->factor.data[k] = mat3_mul(s->factor.data[k], turned);
        for (int32_t k = first + 1; k < end; k++) update_column(s, j, k);
        s->block_work += 0.5 * (double)(end - first) * (double)(end - first);
    }
    return true;
}

/* Matrices of a step differ little: the shift that one needed is where the next begins, a little
 * lower. */
static abut_status factorize(solver_ic *s, const block_matrix *a, linear_statistics *statistics,
                             abut_error *err)
{
    static const double LEAST = 1e-3, LOWER = 0.7;
    double shift = LOWER * s->shift < LEAST ? 0 : LOWER * s->shift;
    for (int k = 0; k < MAX_SHIFTS; k++) {
        statistics->factorizations++;
        s->block_work = 0;
        bool done = try_factor(s, a, shift);
        statistics->setup_work +=
            WORK_IC_UPDATE * s->block_work + WORK_IC_COPY * (double)a->column_start[a->size];
        if (done) {
            s->shift = shift;
            return ABUT_OK;
        }
        shift = shift > 0 ? 2 * shift : LEAST;
    }
    return error_set(err, ABUT_ERROR_NOT_CONVERGED, "",
                     "the Newton matrix is not positive definite (no incomplete factor)");
}

/* z = (L L^T)^-1 r */
static void precondition(void *context, const double *r, double *z)
{
    const solver_ic *s = context;
    const int32_t *start = s->start.data, *row = s->row.data;
    int32_t size = s->whole.rows;
    memcpy(z, r, 3 * (size_t)size * sizeof *z);
    for (int32_t j = 0; j < size; j++) {
        vec3 y = mat3_mul_vec(s->factor.data[start[j]], vec3_load(z + 3 * (size_t)j));
        vec3_store(z + 3 * (size_t)j, y);
        for (int32_t k = start[j] + 1; k < start[j + 1]; k++) {
            double *to = z + 3 * (size_t)row[k];
            vec3_store(to, vec3_sub(vec3_load(to), mat3_mul_vec(s->factor.data[k], y)));
        }
    }
    for (int32_t j = size - 1; j >= 0; j--) {
        vec3 y = vec3_load(z + 3 * (size_t)j);
        for (int32_t k = start[j] + 1; k < start[j + 1]; k++)
            y = vec3_sub(y, mat3_tmul_vec(s->factor.data[k], vec3_load(z + 3 * (size_t)row[k])));
        vec3_store(z + 3 * (size_t)j, mat3_tmul_vec(s->factor.data[start[j]], y));
    }
}

static void multiply(void *context, const double *x, double *y)
{
    block_csr_multiply(&((const solver_ic *)context)->whole, x, NULL, y);
}

static conjugate_operators operators_of(solver_ic *s)
{
    double blocks = (double)s->factor.count;
    double each = WORK_IC_ITERATION + WORK_IC_STREAM * blocks / (blocks + WORK_IC_CACHE);
    return (conjugate_operators){multiply, precondition, s, each * blocks};
}

/* Takes the matrix over. */
static abut_status copy_matrix(solver_ic *s, const block_matrix *a, linear_statistics *statistics,
                               abut_error *err)
{
    size_t n = (size_t)a->size, blocks = (size_t)a->column_start[a->size];
    bool same = s->pattern_stamp == a->pattern_stamp && s->start.count == n + 1;
    if (!same) statistics->analyses++;
    s->pattern_stamp = 0; /* unless this succeeds */
    if (!array_resize(&s->factor, blocks) || !array_resize(&s->start, n + 1) ||
        !array_resize(&s->row, blocks))
        return error_memory(err, "preparing conjugate gradients");
    if (!same) memcpy(s->start.data, a->column_start, (n + 1) * sizeof *s->start.data);
    if (!same) memcpy(s->row.data, a->row, blocks * sizeof *s->row.data);
    TRY(block_csr_from_symmetric(&s->whole, a, same, err));
    s->pattern_stamp = a->pattern_stamp;
    return ABUT_OK;
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    solver_ic *s = self;
    const block_matrix *a = system->a;
    if (a->size == 0) return ABUT_OK;
    double before = statistics->setup_work;
    TRY(copy_matrix(s, a, statistics, err));
    statistics->factor_entries = 9 * s->factor.count;
    TRY(factorize(s, a, statistics, err));
    conjugate_operators o = operators_of(s);
    return conjugate_solve(
        &s->conjugate, &o, 3 * (size_t)a->size, system->b, x,
        system->tolerance > 0 ? system->tolerance : s->tolerance,
        conjugate_limit(system, &o, statistics->setup_work - before, s->max_iterations), statistics,
        err);
}

static void solve_again(void *self, const double *b, double *x)
{
    solver_ic *s = self;
    linear_statistics unused = {0};
    conjugate_operators o = operators_of(s);
    conjugate_solve(&s->conjugate, &o, 3 * (size_t)s->whole.rows, b, x, LINEAR_AGAIN,
                    (conjugate_bound){(size_t)s->max_iterations, false}, &unused, NULL);
}

static void begin_step(void *self) { ((solver_ic *)self)->shift = 0; }

static void rest(void *self)
{
    solver_ic *s = self;
    block_csr_free(&s->whole);
    array_free(&s->factor);
    s->pattern_stamp = 0;
}

const linear_class linear_ic = {.name = "ic",
                                .iterative = true,
                                .create = create,
                                .solve = solve,
                                .solve_again = solve_again,
                                .begin_step = begin_step,
                                .rest = rest,
                                .destroy = destroy};

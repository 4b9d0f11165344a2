/* Conjugate gradients preconditioned by the inverses of the diagonal blocks. */
#include "base/parallel.h"
#include "linear/conjugate.h"
#include "linear/row_product.h"
#include "linear/work.h"

#include <string.h>

typedef struct solver_pcg {
    double tolerance;
    int max_iterations;
    row_product product;
    conjugate conjugate;
    ARRAY(double) inverse;
    const block_matrix *a;
    const double *from;
    double *to;
} solver_pcg;

static abut_status create(const linear_options *options, void **self, abut_error *err)
{
    solver_pcg *s = mem_calloc(1, sizeof *s);
    if (!s) return error_memory(err, "creating the linear solver");
    s->tolerance = options->tolerance > 0 ? options->tolerance : 1e-8;
    s->max_iterations = options->max_iterations;
    *self = s;
    return ABUT_OK;
}

static void destroy(void *self)
{
    solver_pcg *s = self;
    row_product_free(&s->product);
    conjugate_free(&s->conjugate);
    array_free(&s->inverse);
    mem_free(s);
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

static void precondition_range(void *context, size_t begin, size_t end)
{
    solver_pcg *s = context;
    for (size_t i = begin; i < end; i++) {
        mat3 inverse;
        memcpy(inverse.m, s->inverse.data + 9 * i, sizeof inverse.m);
        vec3_store(s->to + 3 * i, mat3_mul_vec(inverse, vec3_load(s->from + 3 * i)));
    }
}

static void precondition(void *context, const double *r, double *z)
{
    solver_pcg *s = context;
    s->from = r;
    s->to = z;
    parallel_for((size_t)s->a->size, 512, precondition_range, s);
}

static void multiply(void *context, const double *x, double *y)
{
    const solver_pcg *s = context;
    row_product_multiply(&s->product, s->a, x, y);
}

static abut_status solve(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err)
{
    solver_pcg *s = self;
    const block_matrix *a = system->a;
    size_t n = 3 * (size_t)a->size;
    if (s->product.pattern_stamp != a->pattern_stamp) statistics->analyses++;
    if (!array_resize(&s->inverse, 3 * n) || !row_product_prepare(&s->product, a))
        return error_memory(err, "preparing conjugate gradients");
    s->a = a;
    parallel_for((size_t)a->size, 512, invert_diagonal, s);
    conjugate_operators o = {multiply, precondition, s,
                             WORK_PCG_ITERATION * (double)a->column_start[a->size]};
    size_t most = s->max_iterations > 0 ? (size_t)s->max_iterations : 10 * n + 100;
    return conjugate_solve(&s->conjugate, &o, n, system->b, x,
                           system->tolerance > 0 ? system->tolerance : s->tolerance,
                           (conjugate_bound){most, false}, statistics, err);
}

const linear_class linear_pcg = {
    .name = "pcg", .iterative = true, .create = create, .solve = solve, .destroy = destroy};

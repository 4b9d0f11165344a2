/* Conjugate gradients preconditioned by the inverses of the diagonal blocks. */
#include "base/array.h"
#include "base/parallel.h"
#include "linear/row_product.h"
#include "linear/solver.h"

#include <math.h>
#include <string.h>

typedef struct solver_pcg {
    double tolerance;
    int max_iterations;
    row_product product;
    ARRAY(double) r, z, p, q, inverse;
    const block_matrix *a;
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
    array_free(&s->r);
    array_free(&s->z);
    array_free(&s->p);
    array_free(&s->q);
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
    if (s->product.pattern_stamp != a->pattern_stamp) statistics->analyses++;
    ok = ok && row_product_prepare(&s->product, a);
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
        row_product_multiply(&s->product, a, s->p.data, s->q.data);
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

#include "linear/row_product.h"

#include "base/parallel.h"

#include <string.h>

void row_product_free(row_product *r)
{
    array_free(&r->row_start);
    array_free(&r->row_slot);
    array_free(&r->row_column);
}

/* A row of the full matrix is gathered from the stored column part (the transposes of row j's
 * stored column) and from entries of earlier columns; row_slot lists the latter. */
bool row_product_prepare(row_product *s, const block_matrix *a)
{
    if (s->pattern_stamp == a->pattern_stamp && s->row_start.count > 0) return true;
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

typedef struct product_work {
    const row_product *rows;
    const block_matrix *a;
    const double *in;
    double *out;
} product_work;

static void multiply_rows(void *context, size_t begin, size_t end)
{
    const product_work *w = context;
    const row_product *s = w->rows;
    const block_matrix *a = w->a;
    for (size_t i = begin; i < end; i++) {
        double sum[3] = {0};
        for (int32_t k = s->row_start.data[i]; k < s->row_start.data[i + 1]; k++) {
            int32_t column = s->row_column.data[k];
            size_t stride = (size_t)block_matrix_stride(a, column);
            const double *b = a->value + block_matrix_offset(a, column, s->row_slot.data[k]);
            const double *x = w->in + 3 * (size_t)column;
            for (int r = 0; r < 3; r++)
                sum[r] +=
                    b[r] * x[0] + b[stride + (size_t)r] * x[1] + b[2 * stride + (size_t)r] * x[2];
        }
        size_t stride = (size_t)block_matrix_stride(a, (int32_t)i);
        const double *d = a->value + block_matrix_offset(a, (int32_t)i, a->column_start[i]);
        const double *own =
            w->in + 3 * i; /* only the lower triangle of the diagonal block counts */
        sum[0] += d[0] * own[0] + d[1] * own[1] + d[2] * own[2];
        sum[1] += d[1] * own[0] + d[stride + 1] * own[1] + d[stride + 2] * own[2];
        sum[2] += d[2] * own[0] + d[stride + 2] * own[1] + d[2 * stride + 2] * own[2];
        for (int32_t k = a->column_start[i] + 1; k < a->column_start[i + 1]; k++) {
            const double *b = a->value + block_matrix_offset(a, (int32_t)i, k);
            const double *x = w->in + 3 * (size_t)a->row[k];
            for (size_t c = 0; c < 3; c++)
                sum[c] +=
                    b[c * stride] * x[0] + b[c * stride + 1] * x[1] + b[c * stride + 2] * x[2];
        }
        memcpy(w->out + 3 * i, sum, sizeof sum);
    }
}

void row_product_multiply(const row_product *r, const block_matrix *a, const double *x, double *y)
{
    product_work work = {r, a, x, y};
    parallel_for((size_t)a->size, 256, multiply_rows, &work);
}

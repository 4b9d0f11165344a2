#include "mlcp/matrix.h"

#include "base/parallel.h"

typedef struct copy_work {
    mlcp_matrix *m;
    const block_matrix *a;
} copy_work;

static void copy_rows(void *context, size_t begin, size_t end)
{
    const copy_work *w = context;
    const row_product *r = &w->m->rows;
    const block_matrix *a = w->a;
    for (size_t i = begin; i < end; i++) {
        int32_t at = w->m->start.data[i];
        for (int32_t k = r->row_start.data[i]; k < r->row_start.data[i + 1]; k++, at++) {
            int32_t column = r->row_column.data[k];
            size_t stride = (size_t)block_matrix_stride(a, column);
            const double *from = a->value + block_matrix_offset(a, column, r->row_slot.data[k]);
            double *to = w->m->value.data + 9 * (size_t)at;
            w->m->column.data[at] = column;
            for (size_t p = 0; p < 3; p++)
                for (size_t q = 0; q < 3; q++) to[3 * p + q] = from[q * stride + p];
        }
        size_t stride = (size_t)block_matrix_stride(a, (int32_t)i);
        for (int32_t k = a->column_start[i]; k < a->column_start[i + 1]; k++, at++) {
            const double *from = a->value + block_matrix_offset(a, (int32_t)i, k);
            double *to = w->m->value.data + 9 * (size_t)at;
            bool diagonal = k == a->column_start[i]; /* only its lower triangle counts */
            w->m->column.data[at] = a->row[k];
            for (size_t p = 0; p < 3; p++)
                for (size_t q = 0; q < 3; q++)
                    to[3 * p + q] = diagonal && q > p
                                        ? from[p * stride + q]
                                        : from[(diagonal ? q : p) * stride + (diagonal ? p : q)];
        }
    }
}

bool mlcp_matrix_copy(mlcp_matrix *m, const block_matrix *a)
{
    if (!row_product_prepare(&m->rows, a)) return false;
    size_t n = (size_t)a->size;
    if (!array_resize(&m->start, n + 1)) return false;
    m->size = n;
    m->start.data[0] = 0;
    for (size_t i = 0; i < n; i++)
        m->start.data[i + 1] = m->start.data[i] + m->rows.row_start.data[i + 1] -
                               m->rows.row_start.data[i] + a->column_start[i + 1] -
                               a->column_start[i];
    size_t blocks = (size_t)m->start.data[n];
    if (!array_resize(&m->column, blocks + 1) || !array_resize(&m->value, 9 * blocks + 1))
        return false;
    copy_work work = {m, a};
    parallel_for(n, 256, copy_rows, &work);
    return true;
}

typedef struct product_work {
    const mlcp_matrix *m;
    const double *x;
    double *y;
} product_work;

static void multiply_rows(void *context, size_t begin, size_t end)
{
    const product_work *w = context;
    const int32_t *column = w->m->column.data;
    for (size_t i = begin; i < end; i++) {
        double a = 0, b = 0, c = 0;
        for (int32_t k = w->m->start.data[i]; k < w->m->start.data[i + 1]; k++) {
            const double *v = w->m->value.data + 9 * (size_t)k;
            const double *x = w->x + 3 * (size_t)column[k];
            a += v[0] * x[0] + v[1] * x[1] + v[2] * x[2];
            b += v[3] * x[0] + v[4] * x[1] + v[5] * x[2];
            c += v[6] * x[0] + v[7] * x[1] + v[8] * x[2];
        }
        w->y[3 * i] = a;
        w->y[3 * i + 1] = b;
        w->y[3 * i + 2] = c;
    }
}

void mlcp_matrix_multiply(const mlcp_matrix *m, const double *x, double *y)
{
    product_work work = {m, x, y};
    parallel_for(m->size, 256, multiply_rows, &work);
}

void mlcp_matrix_free(mlcp_matrix *m)
{
    row_product_free(&m->rows);
    array_free(&m->start);
    array_free(&m->column);
    array_free(&m->value);
}

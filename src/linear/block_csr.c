#include "linear/block_csr.h"

#include "base/parallel.h"

#include <string.h>

enum { ROWS_PER_TASK = 256 };

void block_csr_free(block_csr *m)
{
    array_free(&m->start);
    array_free(&m->column);
    array_free(&m->value);
    memset(m, 0, sizeof *m);
}

size_t block_csr_bytes(const block_csr *m)
{
    return m->start.capacity * sizeof *m->start.data + m->column.capacity * sizeof *m->column.data +
           m->value.capacity * sizeof *m->value.data;
}

/* ---------------------------------------------------------------------------------------------- */
/* From a symmetric matrix                                                                        */

static abut_status symmetric_pattern(block_csr *m, const block_matrix *a, abut_error *err)
{
    size_t n = (size_t)a->size, blocks = 2 * (size_t)a->column_start[n] - n;
    if (blocks > INT32_MAX || !array_resize(&m->start, n + 1) ||
        !array_resize(&m->column, blocks) || !array_resize(&m->value, 9 * blocks))
        return error_memory(err, "preparing multigrid");
    m->rows = m->columns = a->size;
    m->height = m->width = 3;
    int32_t *start = m->start.data;
    memset(start, 0, (n + 1) * sizeof *start);
    for (int32_t j = 0; j < a->size; j++) {
        start[j + 1] += a->column_start[j + 1] - a->column_start[j];
        for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++)
            start[a->row[k] + 1]++;
    }
    for (size_t i = 0; i < n; i++) start[i + 1] += start[i];
    return ABUT_OK;
}

abut_status block_csr_from_symmetric(block_csr *m, const block_matrix *a, bool same_pattern,
                                     abut_error *err)
{
    if (!same_pattern) TRY(symmetric_pattern(m, a, err));
    int32_t *next = m->start.data; /* moved on while rows are filled, and back afterwards */
    for (int32_t j = 0; j < a->size; j++) {
        size_t stride = (size_t)block_matrix_stride(a, j);
        for (int32_t k = a->column_start[j]; k < a->column_start[j + 1]; k++) {
            /* Columns come in ascending order: rows below the diagonal first see the smaller. */
            int32_t i = a->row[k], here = next[i]++;
            const double *from = a->value + block_matrix_offset(a, j, k);
            double *to = block_csr_block(m, here);
            m->column.data[here] = j;
            for (size_t r = 0; r < 3; r++)
                for (size_t c = 0; c < 3; c++)
                    to[3 * r + c] = i == j && c > r ? from[r * stride + c] : from[c * stride + r];
        }
        /* The rest of row j: the transposed blocks of its column. */
        for (int32_t k = a->column_start[j] + 1; k < a->column_start[j + 1]; k++) {
            const double *from = a->value + block_matrix_offset(a, j, k);
            int32_t here = next[j]++;
            double *to = block_csr_block(m, here);
            m->column.data[here] = a->row[k];
            for (size_t r = 0; r < 3; r++)
                for (size_t c = 0; c < 3; c++) to[3 * r + c] = from[r * stride + c];
        }
    }
    for (int32_t i = a->size; i > 0; i--) next[i] = next[i - 1];
    next[0] = 0;
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Products                                                                                       */

typedef struct vector_work {
    const block_csr *m;
    const double *x, *b;
    double *y;
} vector_work;

static inline void multiply_rows(const vector_work *w, size_t begin, size_t end, size_t height,
                                 size_t width)
{
    const block_csr *m = w->m;
    for (size_t i = begin; i < end; i++) {
        double sum[BLOCK_CSR_MAX] = {0};
        for (int32_t k = m->start.data[i]; k < m->start.data[i + 1]; k++) {
            const double *block = m->value.data + height * width * (size_t)k;
            const double *x = w->x + width * (size_t)m->column.data[k];
            for (size_t r = 0; r < height; r++)
                for (size_t c = 0; c < width; c++) sum[r] += block[r * width + c] * x[c];
        }
        double *y = w->y + height * i;
        for (size_t r = 0; r < height; r++) y[r] = w->b ? w->b[height * i + r] - sum[r] : sum[r];
    }
}

/* A copy of the loop for each of the shapes that occur. */
static void multiply_range(void *context, size_t begin, size_t end)
{
    const vector_work *w = context;
    int h = w->m->height, v = w->m->width;
    if (h == 3 && v == 3)
        multiply_rows(w, begin, end, 3, 3);
    else if (h == 6 && v == 6)
        multiply_rows(w, begin, end, 6, 6);
    else if (h == 3 && v == 6)
        multiply_rows(w, begin, end, 3, 6);
    else if (h == 6 && v == 3)
        multiply_rows(w, begin, end, 6, 3);
    else
        multiply_rows(w, begin, end, (size_t)h, (size_t)v);
}

void block_csr_multiply(const block_csr *m, const double *x, const double *b, double *y)
{
    vector_work w = {m, x, b, y};
    parallel_for((size_t)m->rows, ROWS_PER_TASK, multiply_range, &w);
}

abut_status block_csr_transpose(const block_csr *m, block_csr *out, abut_error *err)
{
    size_t blocks = (size_t)m->start.data[m->rows], area = block_csr_area(m);
    if (!array_resize(&out->start, (size_t)m->columns + 1) || !array_resize(&out->column, blocks) ||
        !array_resize(&out->value, area * blocks))
        return error_memory(err, "preparing multigrid");
    out->rows = m->columns;
    out->columns = m->rows;
    out->height = m->width;
    out->width = m->height;
    int32_t *start = out->start.data;
    memset(start, 0, ((size_t)m->columns + 1) * sizeof *start);
    for (size_t k = 0; k < blocks; k++) start[m->column.data[k] + 1]++;
    for (int32_t j = 0; j < m->columns; j++) start[j + 1] += start[j];
    for (int32_t i = 0; i < m->rows; i++)
        for (int32_t k = m->start.data[i]; k < m->start.data[i + 1]; k++) {
            int32_t here = start[m->column.data[k]]++;
            const double *from = block_csr_block(m, k);
            double *to = block_csr_block(out, here);
            out->column.data[here] = i;
            for (int r = 0; r < m->height; r++)
                for (int c = 0; c < m->width; c++) to[c * m->height + r] = from[r * m->width + c];
        }
    for (int32_t j = m->columns; j > 0; j--) start[j] = start[j - 1];
    start[0] = 0;
    return ABUT_OK;
}

static void sort_columns(int32_t *list, int32_t n)
{
    for (int32_t gap = n / 2; gap > 0; gap /= 2) /* rows are short */
        for (int32_t i = gap; i < n; i++) {
            int32_t value = list[i], j = i;
            for (; j >= gap && list[j - gap] > value; j -= gap) list[j] = list[j - gap];
            list[j] = value;
        }
}

/* Columns of each row of A B. */
static abut_status product_pattern(const block_csr *a, const block_csr *b, block_csr *out,
                                   abut_error *err)
{
    int32_t *mark = mem_alloc((size_t)b->columns + 1, sizeof *mark);
    bool ok = mark && array_resize(&out->start, (size_t)a->rows + 1);
    array_clear(&out->column);
    for (int32_t j = 0; ok && j < b->columns; j++) mark[j] = -1;
    for (int32_t i = 0; ok && i < a->rows; i++) {
        int32_t first = (int32_t)out->column.count;
        out->start.data[i] = first;
        for (int32_t k = a->start.data[i]; ok && k < a->start.data[i + 1]; k++) {
            int32_t row = a->column.data[k];
            for (int32_t l = b->start.data[row]; ok && l < b->start.data[row + 1]; l++) {
                int32_t column = b->column.data[l];
                if (mark[column] == i) continue;
                mark[column] = i;
                ok = array_push(&out->column, column);
            }
        }
        sort_columns(out->column.data + first, (int32_t)out->column.count - first);
    }
    mem_free(mark);
    if (ok) out->start.data[a->rows] = (int32_t)out->column.count;
    ok = ok && array_resize(&out->value, out->column.count * block_csr_area(out));
    return ok ? ABUT_OK : error_memory(err, "preparing multigrid");
}

typedef struct product_work {
    const block_csr *a, *b;
    block_csr *out;
} product_work;

static inline void add_block(const double *a, const double *b, double *c, size_t m, size_t k,
                             size_t n)
{
    for (size_t r = 0; r < m; r++)
        for (size_t l = 0; l < k; l++)
            for (size_t s = 0; s < n; s++) c[r * n + s] += a[r * k + l] * b[l * n + s];
}

static inline void product_row(const product_work *w, size_t i, size_t m, size_t k, size_t n)
{
    const block_csr *a = w->a, *b = w->b;
    int32_t first = w->out->start.data[i], end = w->out->start.data[i + 1];
    double *row = w->out->value.data + m * n * (size_t)first;
    memset(row, 0, m * n * (size_t)(end - first) * sizeof *row);
    for (int32_t p = a->start.data[i]; p < a->start.data[i + 1]; p++) {
        int32_t middle = a->column.data[p], to = first;
        const double *left = a->value.data + m * k * (size_t)p;
        for (int32_t q = b->start.data[middle]; q < b->start.data[middle + 1]; q++) {
            while (w->out->column.data[to] < b->column.data[q]) to++;
            add_block(left, b->value.data + k * n * (size_t)q, row + m * n * (size_t)(to - first),
                      m, k, n);
        }
    }
}

static void product_rows(void *context, size_t begin, size_t end)
{
    const product_work *w = context;
    int m = w->a->height, k = w->a->width, n = w->b->width;
    for (size_t i = begin; i < end; i++) {
        if (m == 3 && k == 3 && n == 6)
            product_row(w, i, 3, 3, 6);
        else if (m == 6 && k == 3 && n == 6)
            product_row(w, i, 6, 3, 6);
        else if (m == 6 && k == 6 && n == 6)
            product_row(w, i, 6, 6, 6);
        else
            product_row(w, i, (size_t)m, (size_t)k, (size_t)n);
    }
}

abut_status block_csr_product(const block_csr *a, const block_csr *b, bool same_pattern,
                              block_csr *out, abut_error *err)
{
    if (!same_pattern) {
        out->rows = a->rows;
        out->columns = b->columns;
        out->height = a->height;
        out->width = b->width;
        TRY(product_pattern(a, b, out, err));
    }
    product_work w = {a, b, out};
    parallel_for((size_t)a->rows, 64, product_rows, &w);
    return ABUT_OK;
}

double block_csr_product_size(const block_csr *a, const block_csr *b)
{
    double blocks = 0;
    for (int32_t k = 0; k < a->start.data[a->rows]; k++)
        blocks += b->start.data[a->column.data[k] + 1] - b->start.data[a->column.data[k]];
    return blocks * (double)a->height * (double)a->width * (double)b->width;
}

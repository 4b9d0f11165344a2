#include "linear/csr.h"

#include <string.h>

void csr_free(csr_matrix *m)
{
    array_free(&m->row_start);
    array_free(&m->column);
    array_free(&m->value);
    memset(m, 0, sizeof *m);
}

void csr_apply(const csr_matrix *a, const double *x, double *y)
{
    for (size_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int32_t k = a->row_start.data[i]; k < a->row_start.data[i + 1]; k++)
            sum += a->value.data[k] * x[a->column.data[k]];
        y[i] = sum;
    }
}

/* Adds up neighbours with the same column; every row is in order already. */
static void merge_equal(csr_matrix *m)
{
    int32_t kept = 0, begin = 0;
    for (size_t i = 0; i < m->rows; i++) {
        int32_t end = m->row_start.data[i + 1], first = kept;
        for (int32_t k = begin; k < end; k++) {
            if (kept > first && m->column.data[kept - 1] == m->column.data[k]) {
                m->value.data[kept - 1] += m->value.data[k];
                continue;
            }
            m->column.data[kept] = m->column.data[k];
            m->value.data[kept++] = m->value.data[k];
        }
        begin = end;
        m->row_start.data[i + 1] = kept;
    }
    m->column.count = m->value.count = (size_t)kept;
}

abut_status csr_transpose(const csr_matrix *a, csr_matrix *out, abut_error *err)
{
    size_t n = csr_nonzeros(a);
    out->rows = a->columns;
    out->columns = a->rows;
    if (!array_resize(&out->row_start, out->rows + 1) || !array_resize(&out->column, n) ||
        !array_resize(&out->value, n))
        return error_memory(err, "transposing a sparse matrix");
    int32_t *start = out->row_start.data;
    memset(start, 0, (out->rows + 1) * sizeof *start);
    for (size_t k = 0; k < n; k++) start[a->column.data[k] + 1]++;
    for (size_t i = 0; i < out->rows; i++) start[i + 1] += start[i];
    for (size_t i = 0; i < a->rows; i++)
        for (int32_t k = a->row_start.data[i]; k < a->row_start.data[i + 1]; k++) {
            int32_t to = start[a->column.data[k]]++;
            out->column.data[to] = (int32_t)i;
            out->value.data[to] = a->value.data[k];
        }
    memmove(start + 1, start, out->rows * sizeof *start);
    start[0] = 0;
    merge_equal(out);
    return ABUT_OK;
}

/* One row of a product: a dense accumulator and the list of columns that it has. */
typedef struct row_sum {
    double *value;
    int32_t *columns, *owner; /* owner[c] is the row that column c was last used for, plus 1 */
    size_t count;
} row_sum;

static void add_row(row_sum *sum, size_t row, double factor, const csr_matrix *b, int32_t from)
{
    for (int32_t k = b->row_start.data[from]; k < b->row_start.data[from + 1]; k++) {
        int32_t c = b->column.data[k];
        if (sum->owner[c] != (int32_t)row + 1) {
            sum->owner[c] = (int32_t)row + 1;
            sum->columns[sum->count++] = c;
            sum->value[c] = 0;
        }
        sum->value[c] += factor * b->value.data[k];
    }
}

static abut_status multiply_rows(const csr_matrix *a, const csr_matrix *b, row_sum *sum,
                                 csr_matrix *out, abut_error *err)
{
    array_clear(&out->column);
    array_clear(&out->value);
    out->row_start.data[0] = 0;
    for (size_t i = 0; i < a->rows; i++) {
        sum->count = 0;
        for (int32_t k = a->row_start.data[i]; k < a->row_start.data[i + 1]; k++)
            add_row(sum, i, a->value.data[k], b, a->column.data[k]);
        size_t total = out->column.count + sum->count;
        if (total > INT32_MAX)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                             "a sparse matrix would have more than %d entries", INT32_MAX);
        if (!array_reserve(&out->column, total) || !array_reserve(&out->value, total))
            return error_memory(err, "multiplying sparse matrices");
        for (size_t k = 0; k < sum->count; k++) {
            out->column.data[out->column.count++] = sum->columns[k];
            out->value.data[out->value.count++] = sum->value[sum->columns[k]];
        }
        out->row_start.data[i + 1] = (int32_t)total;
    }
    return ABUT_OK;
}

/* The rows come in the order of first use; two transpositions sort them in linear time. */
abut_status csr_multiply(const csr_matrix *a, const csr_matrix *b, csr_matrix *out, abut_error *err)
{
    out->rows = a->rows;
    out->columns = b->columns;
    row_sum sum = {.value = mem_alloc(b->columns, sizeof *sum.value),
                   .columns = mem_alloc(b->columns, sizeof *sum.columns),
                   .owner = mem_calloc(b->columns, sizeof *sum.owner)};
    bool ok = sum.value && sum.columns && sum.owner && array_resize(&out->row_start, out->rows + 1);
    abut_status status =
        ok ? multiply_rows(a, b, &sum, out, err) : error_memory(err, "multiplying sparse matrices");
    mem_free(sum.value);
    mem_free(sum.columns);
    mem_free(sum.owner);
    csr_matrix transposed = {0};
    if (status == ABUT_OK) status = csr_transpose(out, &transposed, err);
    if (status == ABUT_OK) status = csr_transpose(&transposed, out, err);
    csr_free(&transposed);
    return status;
}

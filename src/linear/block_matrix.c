#include "linear/block_matrix.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

void block_matrix_free(block_matrix *m)
{
    mem_free(m->column_start);
    mem_free(m->row);
    mem_free(m->column);
    mem_free(m->scalar_start);
    mem_free(m->scalar_row);
    mem_free(m->value);
    memset(m, 0, sizeof *m);
}

static abut_status reserve(block_matrix *m, size_t size, size_t blocks, abut_error *err)
{
    if (size + 1 > m->size_capacity) {
        mem_free(m->column_start);
        mem_free(m->scalar_start);
        m->size_capacity = size + size / 8 + 1;
        m->column_start = mem_alloc(m->size_capacity, sizeof *m->column_start);
        m->scalar_start = mem_alloc(3 * m->size_capacity + 1, sizeof *m->scalar_start);
    }
    if (blocks > m->block_capacity || !m->row) {
        mem_free(m->row);
        mem_free(m->column);
        mem_free(m->scalar_row);
        mem_free(m->value);
        m->block_capacity = blocks + blocks / 4 + 16;
        m->row = mem_alloc(m->block_capacity, sizeof *m->row);
        m->column = mem_alloc(m->block_capacity, sizeof *m->column);
        m->scalar_row = mem_alloc(9 * m->block_capacity, sizeof *m->scalar_row);
        m->value = mem_alloc(9 * m->block_capacity, sizeof *m->value);
    }
    if (!m->column_start || !m->scalar_start || !m->row || !m->column || !m->scalar_row ||
        !m->value) {
        block_matrix_free(m);
        return error_memory(err, "building the sparse matrix");
    }
    return ABUT_OK;
}

/* Row indices of the three scalar columns of one block column. */
static void fill_scalar_column(block_matrix *m, int32_t column)
{
    int32_t first = m->column_start[column], length = m->column_start[column + 1] - first;
    for (int32_t k = 0; k < length; k++) m->column[first + k] = column;
    for (int c = 0; c < 3; c++) {
        int32_t start = 9 * first + c * 3 * length;
        m->scalar_start[3 * column + c] = start;
        for (int32_t k = 0; k < length; k++)
            for (int r = 0; r < 3; r++)
                m->scalar_row[start + 3 * k + r] = 3 * m->row[first + k] + r;
    }
}

static void fill_scalar_columns(void *context, size_t begin, size_t end)
{
    for (size_t j = begin; j < end; j++) fill_scalar_column(context, (int32_t)j);
}

abut_status block_matrix_set_pattern(block_matrix *m, int32_t size, const uint64_t *keys,
                                     size_t count, abut_error *err)
{
    if (count + (size_t)size > (size_t)INT32_MAX / 9)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                         "the sparse matrix would have %zu blocks, at most %d are supported", count,
                         INT32_MAX / 9);
    TRY(reserve(m, (size_t)size, count + (size_t)size, err));
    m->size = size;
    m->pattern_stamp++;
    int32_t slot = 0;
    size_t k = 0;
    for (int32_t j = 0; j < size; j++) {
        m->column_start[j] = slot;
        m->row[slot++] = j;
        for (; k < count && (int32_t)(keys[k] >> 32) == j; k++) {
            int32_t row = (int32_t)(keys[k] & 0xffffffffu);
            if (row != j) m->row[slot++] = row;
        }
    }
    m->column_start[size] = slot;
    m->scalar_start[3 * size] = 9 * slot;
    parallel_for((size_t)size, 1024, fill_scalar_columns, m);
    return ABUT_OK;
}

int32_t block_matrix_find(const block_matrix *m, int32_t row, int32_t column)
{
    int32_t low = m->column_start[column], high = m->column_start[column + 1];
    if (row == column) return low;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (m->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->column_start[column + 1] && m->row[low] == row ? low : -1;
}

static void clear_range(void *context, size_t begin, size_t end)
{
    memset((double *)context + begin, 0, (end - begin) * sizeof(double));
}

void block_matrix_clear(block_matrix *m)
{
    parallel_for(9 * (size_t)m->column_start[m->size], 1 << 16, clear_range, m->value);
}

void block_matrix_mask(block_matrix *m, const uint8_t *mask)
{
    for (int32_t j = 0; j < m->size; j++)
        for (int c = 0; c < 3; c++) {
            int32_t column = 3 * j + c;
            for (int32_t k = m->scalar_start[column]; k < m->scalar_start[column + 1]; k++) {
                int32_t row = m->scalar_row[k];
                if (mask[column] || mask[row]) m->value[k] = row == column ? 1.0 : 0.0;
            }
        }
}

void block_matrix_multiply(const block_matrix *m, const double *x, double *y)
{
    memset(y, 0, 3 * (size_t)m->size * sizeof *y);
    for (int32_t j = 0; j < m->size; j++) {
        size_t stride = (size_t)block_matrix_stride(m, j);
        const double *own = x + 3 * (size_t)j;
        double sum[3] = {0, 0, 0};
        for (int32_t slot = m->column_start[j]; slot < m->column_start[j + 1]; slot++) {
            const double *b = m->value + block_matrix_offset(m, j, slot);
            const double *other = x + 3 * (size_t)m->row[slot];
            double *to = y + 3 * (size_t)m->row[slot];
            for (size_t c = 0; c < 3; c++) { /* of the diagonal block, the lower part */
                bool diagonal = m->row[slot] == j;
                for (size_t r = diagonal ? c : 0; r < 3; r++) to[r] += b[c * stride + r] * own[c];
                for (size_t r = diagonal ? c + 1 : 0; r < 3; r++)
                    sum[c] += b[c * stride + r] * other[r];
            }
        }
        for (size_t c = 0; c < 3; c++) y[3 * (size_t)j + c] += sum[c];
    }
}

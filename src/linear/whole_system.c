#include "linear/whole_system.h"

#include "base/memory.h"
#include "base/ranks.h"

#include <string.h>

struct whole_system {
    void *direct;
    block_matrix matrix;
    uint64_t pattern_stamp;
    bool known;
    ARRAY(size_t) first, blocks; /* per rank: its first row, its first block */
    ARRAY(int32_t) length;       /* per row: blocks */
    ARRAY(int32_t) column;
    ARRAY(double) value, right, x;
    key_list keys;
};

abut_status whole_create(const linear_options *options, whole_system **out, abut_error *err)
{
    *out = NULL;
    whole_system *w = mem_calloc(1, sizeof *w);
    if (!w) return error_memory(err, "creating the linear solver");
    abut_status status = linear_direct.create(options, &w->direct, err);
    if (status != ABUT_OK) {
        mem_free(w);
        return status;
    }
    *out = w;
    return ABUT_OK;
}

void whole_destroy(whole_system *w)
{
    if (!w) return;
    linear_direct.destroy(w->direct);
    block_matrix_free(&w->matrix);
    array_free(&w->first);
    array_free(&w->blocks);
    array_free(&w->length);
    array_free(&w->column);
    array_free(&w->value);
    array_free(&w->right);
    array_free(&w->x);
    array_free(&w->keys);
    mem_free(w);
}

/* Columns of all rows, and the pattern of the lower triangle. */
static abut_status gather_pattern(whole_system *w, const row_matrix *m, abut_error *err)
{
    size_t ranks = (size_t)ranks_count(), n = (size_t)m->size;
    if (!array_resize(&w->first, ranks + 1) || !array_resize(&w->blocks, ranks + 1) ||
        !array_resize(&w->length, n + 1))
        return error_memory(err, "gathering the matrix");
    ranks_gather_starts((size_t)m->rows, w->first.data);
    ranks_gather_starts((size_t)m->start.data[m->rows], w->blocks.data);
    size_t total = w->blocks.data[ranks];
    if (!array_resize(&w->column, total) || !array_resize(&w->value, 9 * total) ||
        !array_resize(&w->right, 3 * n) || !array_resize(&w->x, 3 * n) ||
        !array_reserve(&w->keys, total))
        return error_memory(err, "gathering the matrix");
    for (int32_t i = 0; i < m->rows; i++)
        w->length.data[m->first + i] = m->start.data[i + 1] - m->start.data[i];
    size_t own = w->blocks.data[ranks_index()];
    if (m->rows > 0)
        memcpy(w->column.data + own, m->column.data, m->column.count * sizeof *m->column.data);
    ranks_gather(w->length.data, sizeof *w->length.data, w->first.data);
    ranks_gather(w->column.data, sizeof *w->column.data, w->blocks.data);
    w->keys.count = 0;
    for (size_t i = 0, slot = 0; i < n; i++)
        for (int32_t k = 0; k < w->length.data[i]; k++, slot++)
            if (w->column.data[slot] < (int32_t)i)
                w->keys.data[w->keys.count++] = block_key((int32_t)i, w->column.data[slot]);
    key_list_unique(&w->keys);
    TRY(block_matrix_set_pattern(&w->matrix, m->size, w->keys.data, w->keys.count, err));
    w->pattern_stamp = m->pattern_stamp;
    w->known = true;
    return ABUT_OK;
}

static void gather_values(whole_system *w, const row_matrix *m, const double *right)
{
    size_t own = w->blocks.data[ranks_index()];
    if (m->rows > 0) {
        memcpy(w->value.data + 9 * own, m->value.data, m->value.count * sizeof *m->value.data);
        memcpy(w->right.data + 3 * (size_t)m->first, right, 3 * (size_t)m->rows * sizeof *right);
    }
    ranks_gather(w->value.data, 9 * sizeof *w->value.data, w->blocks.data);
    ranks_gather(w->right.data, 3 * sizeof *w->right.data, w->first.data);
    size_t first = 0;
    for (int32_t i = 0; i < m->size; i++) {
        size_t count = (size_t)w->length.data[i];
        const double *row = w->value.data + 9 * first;
        for (size_t k = 0; k < count; k++) {
            int32_t j = w->column.data[first + k];
            if (j > i) break;
            double *to = w->matrix.value +
                         block_matrix_offset(&w->matrix, j, block_matrix_find(&w->matrix, i, j));
            size_t stride = (size_t)block_matrix_stride(&w->matrix, j);
            for (size_t r = 0; r < 3; r++)
                for (size_t c = 0; c < 3; c++) to[c * stride + r] = row[3 * count * r + 3 * k + c];
        }
        first += count;
    }
}

abut_status whole_estimate(whole_system *w, const row_matrix *rows, linear_statistics *statistics,
                           double *entries, double *work, abut_error *err)
{
    if (!w->known || w->pattern_stamp != rows->pattern_stamp) TRY(gather_pattern(w, rows, err));
    return direct_estimate(w->direct, &w->matrix, statistics, entries, work, err);
}

abut_status whole_solve(whole_system *w, const row_matrix *rows, const double *right, double *x,
                        linear_statistics *statistics, abut_error *err)
{
    if (!w->known || w->pattern_stamp != rows->pattern_stamp) TRY(gather_pattern(w, rows, err));
    gather_values(w, rows, right);
    linear_system system = {.a = &w->matrix, .b = w->right.data};
    statistics->exact = true;
    TRY(linear_direct.solve(w->direct, &system, w->x.data, statistics, err));
    memcpy(x, w->x.data + 3 * (size_t)rows->first, 3 * (size_t)rows->rows * sizeof *x);
    return ABUT_OK;
}

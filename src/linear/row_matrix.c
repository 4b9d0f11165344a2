#include "linear/row_matrix.h"

#include "base/parallel.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

void row_matrix_free(row_matrix *m)
{
    array_free(&m->start);
    array_free(&m->column);
    array_free(&m->row);
    array_free(&m->value);
    memset(m, 0, sizeof *m);
}

abut_status row_matrix_set_pattern(row_matrix *m, int32_t first, int32_t rows, int32_t size,
                                   const uint64_t *keys, size_t count, abut_error *err)
{
    size_t most = count + (size_t)rows;
    if (most > (size_t)INT32_MAX / 9)
        return error_set(
            err, ABUT_ERROR_UNSUPPORTED, "",
            "a rank's share of the sparse matrix would have %zu blocks, at most %d are "
            "supported; use more ranks",
            count, INT32_MAX / 9);
    if (!array_resize(&m->start, (size_t)rows + 1) || !array_resize(&m->column, most) ||
        !array_resize(&m->row, most) || !array_resize(&m->value, 9 * most))
        return error_memory(err, "building the sparse matrix");
    m->first = first;
    m->rows = rows;
    m->size = size;
    m->pattern_stamp++;
    int32_t slot = 0;
    size_t k = 0;
    for (int32_t i = 0; i < rows; i++) {
        m->start.data[i] = slot;
        bool diagonal = false;
        for (; k < count && (int32_t)(keys[k] >> 32) == i; k++) {
            int32_t column = (int32_t)(keys[k] & 0xffffffffu);
            if (!diagonal && column >= first + i) {
                diagonal = true;
                if (column > first + i) m->column.data[slot++] = first + i;
            }
            m->column.data[slot++] = column;
        }
        if (!diagonal) m->column.data[slot++] = first + i;
        for (int32_t s = m->start.data[i]; s < slot; s++) m->row.data[s] = i;
    }
    m->start.data[rows] = slot;
    m->column.count = m->row.count = (size_t)slot;
    m->value.count = 9 * (size_t)slot;
    return ABUT_OK;
}

int32_t row_matrix_find(const row_matrix *m, int32_t row, int32_t column)
{
    int32_t end = m->start.data[row + 1];
    int32_t at = sorted_place_i32(m->column.data, m->start.data[row], end, column);
    return at < end && m->column.data[at] == column ? at : -1;
}

void row_matrix_clear(row_matrix *m)
{
    if (m->value.count) memset(m->value.data, 0, m->value.count * sizeof *m->value.data);
}

void row_matrix_mask(row_matrix *m, const uint8_t *mask)
{
    for (int32_t i = 0; i < m->rows; i++) {
        size_t stride = row_matrix_stride(m, i);
        const uint8_t *of_row = mask + 3 * (size_t)(m->first + i);
        for (int32_t s = m->start.data[i]; s < m->start.data[i + 1]; s++) {
            const uint8_t *of_column = mask + 3 * (size_t)m->column.data[s];
            bool diagonal = m->column.data[s] == m->first + i;
            double *block = m->value.data + row_matrix_offset(m, i, s);
            for (size_t r = 0; r < 3; r++)
                for (size_t c = 0; c < 3; c++)
                    if (of_row[r] || of_column[c])
                        block[r * stride + c] = diagonal && r == c ? 1.0 : 0.0;
        }
    }
}

/* Block of the diagonal in a row. */
static double *diagonal_block(const row_matrix *m, int32_t row)
{
    return m->value.data + row_matrix_offset(m, row, row_matrix_find(m, row, m->first + row));
}

void row_matrix_shift(row_matrix *m, double share, double least)
{
    for (int32_t i = 0; i < m->rows; i++)
        for (size_t c = 0; c < 3; c++) {
            double *entry = diagonal_block(m, i) + c * row_matrix_stride(m, i) + c;
            *entry = shifted_diagonal(*entry, share, least);
        }
}

double row_matrix_least_diagonal(const row_matrix *m)
{
    double least = INFINITY;
    for (int32_t i = 0; i < m->rows; i++)
        for (size_t c = 0; c < 3; c++) {
            double size = fabs(diagonal_block(m, i)[c * row_matrix_stride(m, i) + c]);
            if (size > 0) least = fmin(least, size);
        }
    return least;
}

/* ---------------------------------------------------------------------------------------------- */
/* Scatter                                                                                        */

abut_status scatter_append_row_keys(key_list *keys, int width, size_t count, const int32_t *blocks,
                                    int32_t first, int32_t rows, abut_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t *item = blocks + i * (size_t)width;
        if (!array_reserve(keys, keys->count + (size_t)(width * width)))
            return error_memory(err, "listing matrix entries");
        for (int a = 0; a < width; a++) {
            int32_t row = item[a] - first;
            if (item[a] < 0 || row < 0 || row >= rows) continue;
            for (int b = 0; b < width; b++)
                if (item[b] >= 0 && item[b] != item[a])
                    keys->data[keys->count++] = row_key(row, item[b]);
        }
    }
    return ABUT_OK;
}

/* Entry of the block pair (a, b) of an item for row item[a], which is this rank's. */
static bool add_entry(scatter_map *map, const row_matrix *m, int32_t row_block, int32_t column,
                      int32_t source, int flags, key_list *missing)
{
    int32_t slot = row_matrix_find(m, row_block - m->first, column);
    if (slot < 0) return array_push(missing, row_key(row_block - m->first, column));
    map->entries.data[map->entries.count++] = (scatter_entry){slot, source << 2 | flags};
    return true;
}

abut_status scatter_map_rows(scatter_map *map, int width, size_t count, const int32_t *blocks,
                             const row_matrix *matrix, key_list *missing, abut_error *err)
{
    size_t pairs = (size_t)(width * (width + 1) / 2), size = scatter_chunk(width);
    TRY(scatter_map_begin(map, width, count, (size_t)(width * width), err));
    bool ok = true;
    int32_t first = matrix->first, end = matrix->first + matrix->rows;
    for (size_t at = 0, chunk = 0; at < count; at += size, chunk++) {
        size_t last = at + size < count ? at + size : count;
        for (size_t i = at; i < last; i++) {
            const int32_t *item = blocks + i * (size_t)width;
            int32_t source = (int32_t)((i - at) * pairs);
            for (int a = 0; a < width; a++)
                for (int b = a; b < width; b++, source++) {
                    if (item[a] < 0 || item[b] < 0) continue;
                    bool own_a = item[a] >= first && item[a] < end;
                    bool own_b = item[b] >= first && item[b] < end;
                    if (item[a] == item[b]) {
                        int flags = a == b ? 0 : SCATTER_BOTH;
                        if (own_a)
                            ok = ok &&
                                 add_entry(map, matrix, item[a], item[b], source, flags, missing);
                        continue;
                    }
                    if (own_a)
                        ok = ok && add_entry(map, matrix, item[a], item[b], source, 0, missing);
                    if (own_b)
                        ok = ok && add_entry(map, matrix, item[b], item[a], source,
                                             SCATTER_TRANSPOSE, missing);
                }
        }
        scatter_map_end_chunk(map, chunk);
    }
    return ok ? ABUT_OK : error_memory(err, "extending the sparse matrix");
}

typedef struct row_gather {
    const scatter_entry *entries;
    size_t count;
    const double *buffer;
    row_matrix *m;
} row_gather;

static void gather_rows(void *context, size_t begin, size_t end)
{
    const row_gather *g = context;
    scatter_align(g->entries, g->count, &begin, &end);
    for (size_t k = begin; k < end; k++) {
        int32_t slot = g->entries[k].destination, row = g->m->row.data[slot];
        int flags = g->entries[k].source & 3;
        const double *b = g->buffer + 9 * (size_t)(g->entries[k].source >> 2);
        size_t stride = row_matrix_stride(g->m, row);
        double *to = g->m->value.data + row_matrix_offset(g->m, row, slot);
        for (size_t r = 0; r < 3; r++)
            for (size_t c = 0; c < 3; c++) {
                double value = flags & SCATTER_TRANSPOSE ? b[3 * c + r] : b[3 * r + c];
                if (flags & SCATTER_BOTH) value = b[3 * r + c] + b[3 * c + r];
                to[r * stride + c] += value;
            }
    }
}

void scatter_add_rows(const scatter_map *map, size_t chunk, const double *buffer, row_matrix *m)
{
    size_t begin = map->chunk_start.data[chunk];
    row_gather g = {map->entries.data + begin, map->chunk_start.data[chunk + 1] - begin, buffer, m};
    parallel_for(g.count, 1024, gather_rows, &g);
}

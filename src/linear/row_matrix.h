/* The rows of a symmetric matrix of 3x3 blocks that one rank owns, with all their columns.
 *
 * Ranks own adjacent rows. Every rank computes all stencils that touch its rows, so that no entry
 * is sent: an entry is the sum of the same contributions in the same order for any number of ranks.
 * A block row is stored as three scalar rows, columns ascending. */
#ifndef LINEAR_ROW_MATRIX_H
#define LINEAR_ROW_MATRIX_H

#include "linear/scatter.h"

typedef struct row_matrix {
    int32_t first, rows;  /* this rank has the block rows [first, first + rows) */
    int32_t size;         /* of all ranks */
    ARRAY(int32_t) start; /* rows + 1 */
    ARRAY(int32_t) column;
    ARRAY(int32_t) row; /* of every block, counted from `first` */
    ARRAY(double) value;
    uint64_t pattern_stamp; /* changes whenever the pattern does, on all ranks at once */
} row_matrix;

void row_matrix_free(row_matrix *m);

/* A block of a row of this rank (counted from first) and its column. */
static inline uint64_t row_key(int32_t row, int32_t column)
{
    return (uint64_t)(uint32_t)row << 32 | (uint32_t)column;
}

/* New pattern from sorted unique keys; every diagonal block is present in any case. */
abut_status row_matrix_set_pattern(row_matrix *m, int32_t first, int32_t rows, int32_t size,
                                   const uint64_t *keys, size_t count, abut_error *err);
/* Position of a block, or -1. */
int32_t row_matrix_find(const row_matrix *m, int32_t row, int32_t column);
/* Entry (r, c) of a block is at [offset + r * stride + c]. */
static inline size_t row_matrix_stride(const row_matrix *m, int32_t row)
{
    return 3 * (size_t)(m->start.data[row + 1] - m->start.data[row]);
}
static inline size_t row_matrix_offset(const row_matrix *m, int32_t row, int32_t slot)
{
    return 9 * (size_t)m->start.data[row] + 3 * (size_t)(slot - m->start.data[row]);
}

void row_matrix_clear(row_matrix *m);
/* Turns the equations of the masked scalars into x = 0; mask: 3 flags per block of all ranks. */
void row_matrix_mask(row_matrix *m, const uint8_t *mask);
/* Shifts the diagonal (shifted_diagonal in block_matrix.h). */
void row_matrix_shift(row_matrix *m, double share, double least);
/* Smallest size of a diagonal entry that is not 0, of this rank's rows; infinite: none. */
double row_matrix_least_diagonal(const row_matrix *m);

/* As for block matrices (scatter.h); blocks are numbered over all ranks. */
abut_status scatter_map_rows(scatter_map *map, int width, size_t count, const int32_t *blocks,
                             const row_matrix *matrix, key_list *missing, abut_error *err);
abut_status scatter_append_row_keys(key_list *keys, int width, size_t count, const int32_t *blocks,
                                    int32_t first, int32_t rows, abut_error *err);
void scatter_add_rows(const scatter_map *map, size_t chunk, const double *buffer, row_matrix *m);

#endif

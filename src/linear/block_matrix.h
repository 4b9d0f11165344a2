/* Symmetric sparse matrix of 3x3 blocks, the Hessian of the incremental potential.
 *
 * The lower triangle is kept by block columns, rows ascending, diagonal block first. The values are
 * stored as scalar compressed columns, exactly as CHOLMOD reads them: no conversion before a
 * factorisation. The diagonal blocks are stored in full; their upper part is ignored by solvers. */
#ifndef LINEAR_BLOCK_MATRIX_H
#define LINEAR_BLOCK_MATRIX_H

#include "base/status.h"
#include "math/vec3.h"

typedef struct block_matrix {
    int32_t size;          /* block rows and columns */
    int32_t *column_start; /* size + 1 */
    int32_t *row;          /* block rows, per column ascending */
    int32_t *column;       /* block column of every entry of row[] */
    int32_t *scalar_start; /* 3 size + 1 */
    int32_t *scalar_row;
    double *value;          /* 9 per block, laid out by scalar columns */
    uint64_t pattern_stamp; /* changes whenever the pattern does */
    size_t size_capacity, block_capacity;
} block_matrix;

/* An unordered pair of blocks packed as (column << 32 | row), column <= row. */
static inline uint64_t block_key(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)(uint32_t)a << 32 | (uint32_t)b
                 : (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
}

void block_matrix_free(block_matrix *m);

/* New pattern from sorted unique keys; every diagonal block is present in any case. */
abut_status block_matrix_set_pattern(block_matrix *m, int32_t size, const uint64_t *keys,
                                     size_t count, abut_error *err);

/* Position of a block (index into row[]), or -1 when it is not in the pattern. */
int32_t block_matrix_find(const block_matrix *m, int32_t row, int32_t column);

/* Address of entry (0, 0) of block `slot` in `column`; entry (r, c) is at [c * stride + r] with
 * stride = block_matrix_stride(m, column). */
static inline int32_t block_matrix_stride(const block_matrix *m, int32_t column)
{
    return 3 * (m->column_start[column + 1] - m->column_start[column]);
}
static inline size_t block_matrix_offset(const block_matrix *m, int32_t column, int32_t slot)
{
    return 9 * (size_t)m->column_start[column] + 3 * (size_t)(slot - m->column_start[column]);
}

void block_matrix_clear(block_matrix *m);

/* Turns the equations of the masked scalars (mask[3 b + c] != 0) into x = 0. */
void block_matrix_mask(block_matrix *m, const uint8_t *mask);

/* A diagonal entry that is shifted by a share of its own size, so that no entry freezes another;
 * least: the smallest size in the matrix, for entries that have none. Negative ones turn positive.
 */
static inline double shifted_diagonal(double entry, double share, double least)
{
    double size = fabs(entry);
    return size + share * (size > 0 || isinf(least) ? size : least);
}

/* y = A x of the symmetric matrix, on one thread. */
void block_matrix_multiply(const block_matrix *m, const double *x, double *y);

#endif

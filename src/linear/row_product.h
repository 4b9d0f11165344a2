/* Products with a symmetric block matrix by rows, in parallel and with the same bits for any number
 * of threads. Only the lower triangle of the matrix is read. */
#ifndef LINEAR_ROW_PRODUCT_H
#define LINEAR_ROW_PRODUCT_H

#include "base/array.h"
#include "linear/block_matrix.h"

/* Where the blocks of a row below the diagonal are. */
typedef struct row_product {
    uint64_t pattern_stamp;
    ARRAY(int32_t) row_start;
    ARRAY(int32_t) row_slot, row_column;
} row_product;

void row_product_free(row_product *r);
/* Indexes the rows of a pattern; nothing is done while it is the same. False: out of memory. */
bool row_product_prepare(row_product *r, const block_matrix *a);
/* y = A x; prepared for this pattern. */
void row_product_multiply(const row_product *r, const block_matrix *a, const double *x, double *y);

#endif

/* Sparse matrices of small dense blocks in compressed rows, blocks of any shape up to 6x6, for the
 * levels of multigrid. Products are computed by rows in parallel, each row in one order. */
#ifndef LINEAR_BLOCK_CSR_H
#define LINEAR_BLOCK_CSR_H

#include "base/array.h"
#include "linear/block_matrix.h"

enum { BLOCK_CSR_MAX = 6 };

typedef struct block_csr {
    int32_t rows, columns; /* in blocks */
    int height, width;     /* of a block */
    ARRAY(int32_t) start;  /* rows + 1 */
    ARRAY(int32_t) column; /* ascending in each row */
    ARRAY(double) value;   /* row-major blocks */
} block_csr;

void block_csr_free(block_csr *m);

static inline size_t block_csr_area(const block_csr *m)
{
    return (size_t)m->height * (size_t)m->width;
}
static inline double *block_csr_block(const block_csr *m, int32_t slot)
{
    return m->value.data + block_csr_area(m) * (size_t)slot;
}
size_t block_csr_bytes(const block_csr *m);

/* All rows of a symmetric matrix; with the same pattern as before only values change. */
abut_status block_csr_from_symmetric(block_csr *m, const block_matrix *a, bool same_pattern,
                                     abut_error *err);
/* y = A x, or y = b - A x when b is not NULL. */
void block_csr_multiply(const block_csr *m, const double *x, const double *b, double *y);
abut_status block_csr_transpose(const block_csr *m, block_csr *out, abut_error *err);
/* out = A B; with the same patterns as before only values change. */
abut_status block_csr_product(const block_csr *a, const block_csr *b, bool same_pattern,
                              block_csr *out, abut_error *err);
/* Multiplications of that product. */
double block_csr_product_size(const block_csr *a, const block_csr *b);

#endif

/* Sparse matrices in compressed rows, for what leaves the library or comes from outside: transpose
 * and product. Rows are in the order of their columns in every result. */
#ifndef LINEAR_CSR_H
#define LINEAR_CSR_H

#include "base/array.h"
#include "base/status.h"

typedef struct csr_matrix {
    size_t rows, columns;
    ARRAY(int32_t) row_start; /* rows + 1 */
    ARRAY(int32_t) column;
    ARRAY(double) value;
} csr_matrix;

void csr_free(csr_matrix *m);

static inline size_t csr_nonzeros(const csr_matrix *m)
{
    return m->rows > 0 ? (size_t)m->row_start.data[m->rows] : 0;
}

/* y = A x. */
void csr_apply(const csr_matrix *a, const double *x, double *y);
/* out = A^T; entries of a row with the same column are added up. Only rows, columns and the data
 * pointers of a are read. */
abut_status csr_transpose(const csr_matrix *a, csr_matrix *out, abut_error *err);
/* out = A B. */
abut_status csr_multiply(const csr_matrix *a, const csr_matrix *b, csr_matrix *out,
                         abut_error *err);

#endif

/* A block matrix in single precision beside its double precision original, for preconditioners:
 * half the bytes to read, which is what a sweep over a large matrix takes.
 *
 * Pattern and shape are those of the original, which must stay. Every row is a sum in a fixed
 * order, whatever the number of threads. */
#ifndef LINEAR_SINGLE_CSR_H
#define LINEAR_SINGLE_CSR_H

#include "linear/block_csr.h"

typedef struct single_csr {
    const block_csr *pattern;
    ARRAY(float) value; /* and SINGLE_PADDING more that may be read */
} single_csr;

/* Entries behind the last one of a vector or matrix that may be read and must be there. */
enum { SINGLE_PADDING = 8 };

/* The values of m times `scale`. */
abut_status single_csr_set(single_csr *s, const block_csr *m, double scale, abut_error *err);
void single_csr_free(single_csr *s);
size_t single_csr_bytes(const single_csr *s);

/* y = A x, or y = b - A x when b is not NULL. */
void single_csr_multiply(const single_csr *s, const float *x, const float *b, float *y);

#endif

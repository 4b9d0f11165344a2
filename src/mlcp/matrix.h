/* The matrix of a step by rows of full 3x3 blocks, one behind the other as a product reads them. A
 * step makes hundreds of products with it; the copy costs about as much as two. */
#ifndef MLCP_MATRIX_H
#define MLCP_MATRIX_H

#include "linear/row_product.h"

typedef struct mlcp_matrix {
    row_product rows; /* where the transposed blocks of a row are */
    ARRAY(int32_t) start, column;
    ARRAY(double) value; /* 9 per block, by rows */
    size_t size;
} mlcp_matrix;

/* Both triangles of the symmetric matrix. False when memory has run out. */
bool mlcp_matrix_copy(mlcp_matrix *m, const block_matrix *a);
void mlcp_matrix_multiply(const mlcp_matrix *m, const double *x, double *y);
void mlcp_matrix_free(mlcp_matrix *m);

#endif

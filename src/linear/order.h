/* Orders of elimination that keep the factor of a sparse matrix small, found on the block graph (a
 * third of the scalar one). */
#ifndef LINEAR_ORDER_H
#define LINEAR_ORDER_H

#include "base/status.h"
#include "linear/block_matrix.h"

/* order: position -> block. Both are deterministic. */
abut_status order_by_dissection(const block_matrix *a, int32_t *order, abut_error *err);
abut_status order_by_minimum_degree(const block_matrix *a, int32_t *order, abut_error *err);

/* Whichever suits the size. */
abut_status order_blocks(const block_matrix *a, int32_t *order, abut_error *err);

#endif

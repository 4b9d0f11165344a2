/* Groups of strongly coupled blocks ("aggregates"), and the motions that a coarser level can make:
 * on each aggregate those of the near null space, made orthonormal (Vanek, Mandel, Brezina 1996).
 */
#ifndef LINEAR_AGGREGATION_H
#define LINEAR_AGGREGATION_H

#include "linear/block_csr.h"

/* aggregate[i]: number of the aggregate of block i, or -1 where it is coupled to nothing, which the
 * smoother alone solves. *count: how many there are. Blocks are coupled strongly when the norm of
 * their off-diagonal block is above `threshold` times the geometric mean of the diagonal ones. */
abut_status aggregate_blocks(const block_csr *a, double threshold, int32_t *aggregate,
                             int32_t *count, abut_error *err);

/* modes: per scalar row of a, `mode_count` values each (the motions). out: the prolongation with
 * one block per row that has an aggregate; coarse: the modes of the aggregates, in the same layout.
 */
abut_status aggregate_prolongation(const block_csr *a, const int32_t *aggregate, int32_t count,
                                   const double *modes, int mode_count, block_csr *out,
                                   double *coarse, abut_error *err);

#endif

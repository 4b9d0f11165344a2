/* A system of moderate size whose rows are on several ranks, gathered and factorised by each of
 * them. */
#ifndef LINEAR_WHOLE_SYSTEM_H
#define LINEAR_WHOLE_SYSTEM_H

#include "linear/solver.h"

typedef struct whole_system whole_system;

abut_status whole_create(const linear_options *options, whole_system **out, abut_error *err);
void whole_destroy(whole_system *w);
/* Size of the factor and multiplications to compute it, before it is computed; see direct_estimate.
 */
abut_status whole_estimate(whole_system *w, const row_matrix *rows, linear_statistics *statistics,
                           double *entries, double *work, abut_error *err);
/* right and x: of this rank's rows. */
abut_status whole_solve(whole_system *w, const row_matrix *rows, const double *right, double *x,
                        linear_statistics *statistics, abut_error *err);

#endif

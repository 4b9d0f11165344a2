/* How far the forces of a state are from balancing each other. */
#ifndef SOLVE_FORCE_BALANCE_H
#define SOLVE_FORCE_BALANCE_H

#include "solve/problem.h"

/* Room for the sums, kept between calls. */
typedef struct force_balance {
    ARRAY(double) sum, buffer;
} force_balance;

void force_balance_free(force_balance *f);

/* The largest unbalanced force on an unknown, as a share of the largest force that anything acts
 * with on a coordinate, prescribed ones included: sums of the sizes of what single stencils
 * (elements, contacts, supports) contribute, so that forces which cancel count. Moments count by
 * the lever of their block. 0 where nothing acts. After problem_derivatives at x. */
abut_status force_balance_measure(force_balance *f, const problem *p, const evaluation *ev,
                                  const double *x, double *share, abut_error *err);

#endif

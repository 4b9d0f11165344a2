/* Linear systems of derivatives where terms hold constraints c(y) = 0 by multipliers of their own
 * (joints): the step's equations are G(y, lambda) = 0 and c(y) = 0, and the adjoint solves
 *
 *     H w + J^T mu = right,   J w = 0,   J = dc/dy.
 *
 * -w . dG/dp - mu . dc/dp is then the derivative by anything else in the step. */
#ifndef GRADIENT_CONSTRAINED_SOLVE_H
#define GRADIENT_CONSTRAINED_SOLVE_H

#include "gradient/exact_solve.h"

typedef struct constrained_solver {
    exact_solver exact;
    size_t rows;         /* of all terms, one after the other */
    ARRAY(double) force; /* mu */
    ARRAY(double) left, search, product, weight;
    ARRAY(double) pull, answer; /* over all coordinates */
} constrained_solver;

void constrained_solver_free(constrained_solver *c);

/* w over the unknowns (3 per block; followers as their leaders move them), and c->force. x: for
 * which the terms were updated. */
abut_status constrained_solve(constrained_solver *c, stepper *s, const double *x,
                              const double *right, double *w, abut_error *err);
/* Again with the matrix of the last solve: H w + J^T mu = right, J w = rows (NULL: 0). */
abut_status constrained_solve_again(constrained_solver *c, stepper *s, const double *x,
                                    const double *right, const double *rows, double *w,
                                    abut_error *err);

/* The rows of all terms at x, and how many they are. */
abut_status constraints_collect(const stepper *s, const double *x, size_t *rows, abut_error *err);
/* Of the rows that were collected: their values; out += J^T y. */
void constraints_values(const stepper *s, size_t rows, double *out);
void constraints_pull(const stepper *s, const double *y, double *out);

#endif

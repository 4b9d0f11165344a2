/* Least squares by Levenberg and Marquardt, with bounds: for few numbers, where each evaluation
 * gives J^T J of the residuals besides the gradient. NLopt has no method for that. */
#ifndef GRADIENT_LEVENBERG_H
#define GRADIENT_LEVENBERG_H

#include "base/status.h"

/* Value of an objective |r|^2 / 2 at z; slope: J^T r; square: J^T J, n x n. -HUGE_VAL: end. */
typedef double (*levenberg_function)(unsigned n, const double *z, double *slope, double *square,
                                     void *data);

typedef struct levenberg_problem {
    unsigned n;
    const double *low, *high;
    double tolerance; /* ends where the objective changes by less, relatively */
    double goal;
    levenberg_function function;
    void *data;
} levenberg_problem;

/* z: where it begins and ends. reason: a word. */
abut_status levenberg_minimise(const levenberg_problem *p, double *z, const char **reason,
                               abut_error *err);

#endif

/* Preconditioned conjugate gradients on vectors of 3x3 blocks, with the same bits for any number of
 * threads. The residual is measured by the preconditioner, r . M^-1 r: about the energy of the
 * error, so that stiff contacts do not outweigh all the rest. */
#ifndef LINEAR_CONJUGATE_H
#define LINEAR_CONJUGATE_H

#include "base/array.h"
#include "linear/solver.h"

typedef struct conjugate_operators {
    void (*multiply)(void *context, const double *x, double *y);     /* y = A x */
    void (*precondition)(void *context, const double *r, double *z); /* z = M^-1 r, M definite */
    void *context;
    double work; /* counted, of both together (linear/work.h) */
} conjugate_operators;

typedef struct conjugate {
    ARRAY(double) r, z, p, q;
} conjugate;

void conjugate_free(conjugate *c);
double conjugate_dot(size_t n, const double *a, const double *b);

/* Iterations that a system may take: `most`, or fewer where its counted work is limited. `spent` of
 * the limit is gone. */
size_t conjugate_limit(const linear_system *system, const conjugate_operators *o, double spent,
                       int most);

/* x from 0. ABUT_ERROR_NOT_CONVERGED: `limit` iterations were not enough, or a curvature is not
 * positive. */
abut_status conjugate_solve(conjugate *c, const conjugate_operators *o, size_t n, const double *b,
                            double *x, double tolerance, size_t limit,
                            linear_statistics *statistics, abut_error *err);

#endif

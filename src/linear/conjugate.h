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
    bool indefinite; /* why the last solve failed: the preconditioner or the matrix */
} conjugate;

void conjugate_free(conjugate *c);
double conjugate_dot(size_t n, const double *a, const double *b);

/* Iterations that a system may take. Where they are few because work is limited, not to fail is
 * worth something else: at half of them they end that are far behind, at the end those go on that
 * are nearly done, by their rate so far. */
typedef struct conjugate_bound {
    size_t most;
    bool by_work;
} conjugate_bound;

/* `most`, or fewer where the counted work of the system is limited. `spent` of the limit is gone.
 */
conjugate_bound conjugate_limit(const linear_system *system, const conjugate_operators *o,
                                double spent, int most);

/* x from 0. ABUT_ERROR_NOT_CONVERGED: the iterations were not enough, or a curvature is not
 * positive. */
abut_status conjugate_solve(conjugate *c, const conjugate_operators *o, size_t n, const double *b,
                            double *x, double tolerance, conjugate_bound bound,
                            linear_statistics *statistics, abut_error *err);

#endif

/* Smoothed aggregation multigrid for systems of 3x3 blocks: a preconditioner.
 *
 * Every level is a Galerkin product of the one above. The coarser levels move aggregates as rigid
 * bodies (6 motions), smoothed by one Jacobi step. Smoothers are Chebyshev polynomials in D^-1 A,
 * the same before and after, so that the cycle is symmetric. All loops give the same bits for any
 * number of threads. */
#ifndef LINEAR_MULTIGRID_H
#define LINEAR_MULTIGRID_H

#include "linear/block_csr.h"
#include "linear/multigrid_single.h"

typedef struct multigrid_level {
    block_csr a, prolongation, restriction, product; /* product: A times the prolongation */
    ARRAY(double) inverse;                           /* of the diagonal blocks */
    double largest;                                  /* bound of the eigenvalues of D^-1 A */
    ARRAY(double) highest;                           /* about the eigenvector of the largest */
    ARRAY(double) x, right, residual, change;
    /* Where the work in progress is, for threads. */
    double *to;
    const double *from;
    double keep, add;
} multigrid_level;

typedef struct multigrid {
    int level_count;
    multigrid_level levels[MULTIGRID_LEVELS];
    block_csr tentative;
    ARRAY(double) modes, coarse_modes;
    ARRAY(int32_t) aggregate;
    ARRAY(double) factor;  /* dense, of the coarsest level; empty: it is only smoothed */
    ARRAY(double) columns; /* scratch of that */
    single_multigrid single;
    double setup_work; /* counted (linear/work.h), of all that was built so far, and */
    double most_work;  /* what must not exceed it, or the levels are given up; 0: nothing */
} multigrid;

void multigrid_free(multigrid *m);

/* New levels for a matrix. ABUT_ERROR_NOT_CONVERGED when they are given up. position: 3 per block,
 * not finite where it is no point; NULL: only translations are known. mask: 3 per block, scalars
 * that do not move; NULL: none. */
abut_status multigrid_build(multigrid *m, const block_matrix *a, const double *position,
                            const uint8_t *mask, abut_error *err);
/* The same levels for other values in the same pattern. */
abut_status multigrid_refresh(multigrid *m, const block_matrix *a, abut_error *err);
/* Another matrix of the same size on the finest level; the coarser ones stay as they are. same: its
 * pattern is that of the finest level. */
abut_status multigrid_replace_finest(multigrid *m, const block_matrix *a, bool same,
                                     abut_error *err);

/* For cycles that are not definite: the eigenvalues of all levels were estimated too small. */
void multigrid_widen(multigrid *m);

/* One V-cycle from zero: z is about A^-1 r. */
void multigrid_cycle(multigrid *m, const double *r, double *z);

/* Factors of the smoother of degree 2: d = first D^-1 r, x += d, d = keep d + second D^-1 r, x +=
 * d, for eigenvalues of D^-1 A up to `largest`. */
typedef struct multigrid_smoothing {
    double first, keep, second;
} multigrid_smoothing;
multigrid_smoothing multigrid_smoothing_of(double largest);
/* x = A^-1 x on the coarsest level, which must have a factor. */
void multigrid_solve_coarsest(const multigrid *m, double *x);

/* y = A x on the finest level. */
void multigrid_multiply(const multigrid *m, const double *x, double *y);
size_t multigrid_bytes(const multigrid *m);
/* Counted, of a cycle and a product. */
double multigrid_cycle_work(const multigrid *m);

#endif

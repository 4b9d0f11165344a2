/* Counted work of the linear solvers, in nanoseconds of one core of the machine that the figures
 * were measured on (docs/theory/linear-solvers.md, bench/linear).
 *
 * Choices between solvers follow from these counts, never from a clock: they are the same in every
 * run, on every machine and for any number of threads. Only their ratios matter. */
#ifndef LINEAR_WORK_H
#define LINEAR_WORK_H

/* Factorisation: per multiplication; per scalar of the factor; per block of the factor's pattern
 * and of the matrix when a pattern is analysed; the same per block of the matrix when it is ordered
 * before. */
#define WORK_FACTOR 0.062
#define WORK_FACTOR_ENTRY 2.5
#define WORK_ANALYSE 60.0
#define WORK_ORDER 700.0

/* Incomplete factor: per product of two blocks; per block of the matrix that is copied; per block
 * and iteration (two triangles and a product). */
#define WORK_IC_UPDATE 16.0
#define WORK_IC_COPY 22.0
#define WORK_IC_ITERATION 11.0
/* A large one comes from memory in every sweep: more per block, half of it at so many blocks. */
#define WORK_IC_STREAM 20.0
#define WORK_IC_CACHE 1e5

/* Multigrid: per multiplication of the products that make coarser levels; per scalar of a matrix
 * that is converted or takes part in a smoothing step, a restriction, a prolongation. */
#define WORK_COARSEN 0.35
#define WORK_ENTRY 0.6

/* The dense factor of its coarsest level: per cube of a row. */
#define WORK_DENSE 0.025

/* Conjugate gradients: per unknown and iteration, all vectors. */
#define WORK_VECTOR 3.5
/* With the inverses of the diagonal blocks: per block of the matrix and iteration. */
#define WORK_PCG_ITERATION 6.5

#endif

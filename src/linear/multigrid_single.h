/* The cycle of multigrid in single precision: a sweep over a large matrix takes as long as reading
 * it, and half the bytes take half the time.
 *
 * Single precision keeps 24 bits. Where contacts are so much stiffer than the bodies that little is
 * left of a body's stiffness when the two are added, the cycle would belong to another matrix: then
 * it is not made, and that of double precision does (docs/theory/linear-solvers.md). */
#ifndef LINEAR_MULTIGRID_SINGLE_H
#define LINEAR_MULTIGRID_SINGLE_H

#include "linear/single_csr.h"

enum { MULTIGRID_LEVELS = 16 };

typedef struct single_level {
    single_csr a, prolongation, restriction;
    ARRAY(float) inverse; /* of the diagonal blocks */
    ARRAY(float) x, right, residual, change;
    /* Where the work in progress is, for threads. */
    float *to;
    const float *from;
    float keep, add;
} single_level;

typedef struct single_multigrid {
    bool ready;   /* false: the matrix is not for single precision, or was not converted */
    double scale; /* of all matrices: a power of two, so that the largest entry is about 1 */
    single_level levels[MULTIGRID_LEVELS];
    ARRAY(double) coarsest; /* solution there */
} single_multigrid;

struct multigrid;

void single_multigrid_free(single_multigrid *s);
size_t single_multigrid_bytes(const single_multigrid *s);

/* Converts all levels, or the finest where only that has changed, and sets `ready`. */
abut_status single_multigrid_set(single_multigrid *s, const struct multigrid *m, bool finest_only,
                                 abut_error *err);
/* One V-cycle from zero: z is about A^-1 r. */
void single_multigrid_cycle(single_multigrid *s, const struct multigrid *m, const double *r,
                            double *z);

#endif

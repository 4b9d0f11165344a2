/* Few vectors u whose products u u^T belong to the Newton matrix, but are not assembled, because
 * each couples all its entries (terms, `low_rank`). Systems are solved by the formula of Woodbury:
 *
 *   (H + U U^T)^-1 r = y - Z (I + U^T Z)^-1 U^T y,   y = H^-1 r,  Z = H^-1 U. */
#ifndef SOLVE_LOW_RANK_H
#define SOLVE_LOW_RANK_H

#include "base/array.h"
#include "linear/solver.h"

enum { LOW_RANK_MOST = 8 };

typedef struct low_rank {
    int count;
    size_t scalars;     /* of a vector over the unknowns */
    ARRAY(double) u, z; /* one after the other */
    ARRAY(double) full; /* over all coordinates, scratch */
} low_rank;

/* Room for vectors over so many unknowns and coordinates; forgets those that are there. */
abut_status low_rank_begin(low_rank *l, size_t scalars, size_t coordinates, abut_error *err);
/* system: the one that was just solved, step its solution, which is changed. */
abut_status low_rank_solve(low_rank *l, linear_solver *solver, const linear_system *system,
                           double *step, abut_error *err);
void low_rank_free(low_rank *l);

#endif

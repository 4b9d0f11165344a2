/* The system of Newton's last iteration, solved again for forces that a term has to find. */
#ifndef SOLVE_AGAIN_H
#define SOLVE_AGAIN_H

#include "solve/newton.h"

typedef struct newton_again {
    newton_solver *newton; /* its scratch is used */
    const evaluation *ev;
    const double *x; /* of the last update; the matrix may be of the iterate before */
} newton_again;

/* Whether the last iteration left a factor of the whole, unshifted matrix. */
bool newton_can_respond(const newton_solver *n);
newton_response newton_respond(newton_again *again);

#endif

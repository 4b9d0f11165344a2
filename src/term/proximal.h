/* Proximal term: the sum of w/2 |x - start|^2 over the nodes of deformable bodies, start being
 * their positions at the beginning of the step. PolyFEM calls it lagged regularisation: static
 * problems without Dirichlet nodes have a solution with it. */
#ifndef TERM_PROXIMAL_H
#define TERM_PROXIMAL_H

#include "base/array.h"
#include "body/model.h"
#include "term/term.h"

typedef struct proximal_term {
    term base;
    double weight; /* w; no factor of the integrator is on it */
    ARRAY(int32_t) nodes;
    const double *start; /* 3 per block of the model; the caller's */
} proximal_term;

abut_status proximal_create(const model *m, double weight, const double *start, proximal_term **out,
                            abut_error *err);

#endif

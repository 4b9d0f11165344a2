/* Inertia and dead loads: 1/2 |x - x_tilde|_M^2 - s f.x, with s the integrator's factor on forces.
 *
 * The mass matrix is lumped, plus (for bodies that ask for it, and elements of higher order always)
 * the consistent mass of their elements in place of the lumped one. */
#ifndef TERM_INERTIA_H
#define TERM_INERTIA_H

#include "body/model.h"
#include "term/term.h"

typedef struct inertia_term {
    term base;
    const model *model;
    ARRAY(int32_t) nodes;         /* group 0: blocks with lumped mass or load */
    ARRAY(double) lumped;         /* their masses (0 where the mass is consistent) */
    ARRAY(int32_t) element_nodes; /* group 1: tets with consistent mass; then the element sets */
    ARRAY(double) tet_mass;       /* density x volume */
    bool consistent;              /* some mass is: M is not diagonal */
    double *x_tilde;              /* 3 per block */
    double *force;                /* 3 per block, N */
} inertia_term;

abut_status inertia_create(const model *m, inertia_term **out, abut_error *err);
/* y = M x over all blocks (lumped or consistent as configured). */
void inertia_multiply(const inertia_term *t, const double *x, double *y);
/* Solves M x = b for the scalars that `fixed` (3 per block) does not mark; the others become 0.
 * Work: conjugate gradients, exact at once where M is diagonal. */
abut_status inertia_solve(const inertia_term *t, const uint8_t *fixed, const double *b, double *x,
                          abut_error *err);

#endif

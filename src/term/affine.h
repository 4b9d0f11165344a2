/* Affine bodies: inertia of the columns a_i of A, torques, and the stiff potential that keeps A a
 * rotation (Affine Body Dynamics, Lan et al. 2022):
 *     1/2 sum_ij J_ij (a_i - a~_i).(a_j - a~_j) + tr(A M) + s k |A^T A - I|^2.
 * The centre c is a node with the mass of the body (term/inertia.h); M as in term/rigid_inertia.h.
 */
#ifndef TERM_AFFINE_H
#define TERM_AFFINE_H

#include "body/model.h"
#include "term/term.h"

typedef struct affine_term {
    term base;
    const model *model;
    ARRAY(int32_t) blocks; /* the three columns of every affine body */
    ARRAY(int32_t) rigids; /* its number in the model's list */
    ARRAY(mat3) load;      /* M */
    const double *x_tilde; /* of all blocks, borrowed from the inertia term */
} affine_term;

abut_status affine_create(const model *m, const double *x_tilde, affine_term **out,
                          abut_error *err);
/* sum of k |A^T A - I|^2, in J. */
double affine_stored_energy(const affine_term *t, const double *x);

#endif

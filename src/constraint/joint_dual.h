/* Forces of joints by Newton's method on the dual.
 *
 * At a rest of Newton's method with the matrix A (all terms, those of the constraints included), a
 * change y of the multipliers moves the next iterate by -A^-1 J^T y. The rows are met there, to
 * first order, when
 *
 *     S y = c + J p,   S = J A^-1 J^T,   p: the direction without that change.
 *
 * S is applied by solving with the factor again, and the system is solved by conjugate gradients
 * with K as the preconditioner: K S has eigenvalues k/(1 + k) with k those of K J H^-1 J^T, near 1
 * but for the few along which many bodies move together. lambda += K c alone leaves 1/(1 + k) of
 * these per update, which in a chain of n links is 1 - O(K/n^2). Dependent rows make S singular: a
 * small share of K^-1 is added to it. */
#ifndef CONSTRAINT_JOINT_DUAL_H
#define CONSTRAINT_JOINT_DUAL_H

#include "base/array.h"
#include "constraint/joint_item.h"

/* The rows of one item. */
typedef struct dual_item {
    size_t joint, first_row, first_value; /* of the rows; of their derivatives, row by row */
    int rows, blocks;
    int32_t block[ITEM_MAX_BLOCKS];
} dual_item;

/* Scratch; grows only. */
typedef struct joint_dual {
    ARRAY(dual_item) items;
    ARRAY(double) derivatives;
    ARRAY(double) stiffness, unit;              /* per row: K; what |c| is compared with, m or 1 */
    ARRAY(double) left, search, product, force; /* per row: of the conjugate gradients; y */
    ARRAY(double) pull, answer;                 /* over all coordinates */
    uint64_t solves;                            /* in all */
} joint_dual;

void joint_dual_free(joint_dual *d);

/* Forgets the rows; adds those of an item at x, with K of its rows in m and without unit. */
void joint_dual_begin(joint_dual *d);
abut_status joint_dual_add(joint_dual *d, const joint_set *set, size_t joint, const double *x,
                           double extent, abut_error *err);
/* Of the rows: out += J^T y over all coordinates; out = J v. */
void joint_dual_pull(const joint_dual *d, const double *y, double *out);
void joint_dual_push(const joint_dual *d, const double *v, double *out);
/* d->force <- y, until no row is further from met than the tolerance (a share of its unit). */
abut_status joint_dual_solve(joint_dual *d, size_t scalars, const newton_response *response,
                             double tolerance, abut_error *err);

#endif

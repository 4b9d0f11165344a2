/* Energy and derivatives of one joint, attachment or coupling over its coordinate blocks. */
#ifndef CONSTRAINT_JOINT_ITEM_H
#define CONSTRAINT_JOINT_ITEM_H

#include "constraint/joint_rows.h"
#include "term/term.h"

/* A coupling has the blocks of two joints. */
enum { ITEM_MAX_BLOCKS = 2 * JOINT_MAX_BLOCKS, ITEM_MAX_SCALARS = 3 * ITEM_MAX_BLOCKS };

/* What the items of a model are evaluated with. */
typedef struct joint_set {
    const model *model;
    const joint_step *steps;   /* per joint */
    const double *multipliers; /* JOINT_MAX_ROWS per joint */
    const double *shares;      /* per joint and side: of the inertia of the body; NULL: 0 */
} joint_set;

bool item_is_coupling(const model_joint *j);
/* Distinct blocks of item i; returns their number. */
int item_blocks(const model *m, size_t i, int32_t blocks[ITEM_MAX_BLOCKS]);
/* Values of its rows into sum (constraint/joint_rows.h). */
void item_rows(const joint_set *set, size_t i, const double *x, joint_sum *sum);
/* The same, and for every row its derivatives by the scalars of the item's blocks (item_blocks). */
void item_row_derivatives(const joint_set *set, size_t i, const double *x, joint_sum *sum,
                          double rows[JOINT_MAX_ROWS][ITEM_MAX_SCALARS]);
/* In J; INFINITY beyond a limit. */
double item_energy(const joint_set *set, size_t i, const double *x);
/* Times the factor of forces: gradient and Hessian blocks, where not NULL, as terms deliver them. A
 * Hessian that is projected may stay below 0 by the joint's share of inertia, which the sum of all
 * terms has anyway: the force of a loaded joint acts on rotations, and to cut it off would make
 * Newton's method slow. */
void item_derivatives(const joint_set *set, size_t i, const double *x, const evaluation *ev,
                      double *gradient, double *hessian);

#endif

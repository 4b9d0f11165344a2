/* How many of the rows of all joints are independent in a pose, and which joints say again what
 * others say already.
 *
 * Joints that lead to a body which no other joint holds are independent of all others and are taken
 * off one after the other; what is left are the loops. There the rows, in the order of the joints,
 * are orthogonalised against those before them; rotations count as lengths at the edge of the body.
 * Redundant rows that agree are no obstacle: the augmented Lagrangian meets them, and only how the
 * reaction is divided between the joints is not unique. */
#ifndef CONSTRAINT_JOINT_RANK_H
#define CONSTRAINT_JOINT_RANK_H

#include "base/array.h"
#include "body/model.h"

/* A joint of which some rows depend on those of joints before it. */
typedef struct redundant_joint {
    int32_t joint;
    int rank;      /* of its own rows */
    int redundant; /* of these, how many depend on others */
} redundant_joint;

typedef struct joint_rank {
    size_t dofs;     /* of the bodies that move */
    size_t rank;     /* of all rows */
    size_t mobility; /* dofs - rank */
    bool complete;   /* false: loops of too many bodies, which were not looked at */
    ARRAY(redundant_joint) redundant;
} joint_rank;

/* At x; prescribed: per rigid and affine body, whether its motion is prescribed (NULL: none is). */
abut_status joint_rank_find(const model *m, const double *x, const uint8_t *prescribed,
                            joint_rank *out, abut_error *err);
void joint_rank_free(joint_rank *r);

#endif

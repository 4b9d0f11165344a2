/* Where followers are (body/follower.h), and how they move with their leaders. */
#ifndef CONSTRAINT_FOLLOW_H
#define CONSTRAINT_FOLLOW_H

#include "body/follower.h"

/* The point of a side at x. */
vec3 side_position(const model *m, const joint_side *s, const double *x);

/* Its derivatives by the blocks that it depends on; returns their number. */
typedef struct side_part {
    int32_t block;
    mat3 by; /* d point / d block */
} side_part;
int side_derivatives(const model *m, const joint_side *s, const double *x,
                     side_part parts[JOINT_SIDE_BLOCKS]);
/* g . d2 point / d theta2 of a rigid body's rotation; 0 for all others. */
mat3 side_curvature(const model *m, const joint_side *s, const double *x, vec3 g);

/* Puts all followers where they belong. */
void followers_place(const model *m, double *x);
/* Derivatives by followers, in v (3 per block), become derivatives by their leaders. */
void followers_pull(const model *m, const double *x, double *v);
/* Their directions, to first order, when the leaders move along p from x. */
void followers_direct(const model *m, const double *x, double *p);

#endif

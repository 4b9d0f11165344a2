/* Elastic energy of the joints of rods that resist twist (fem/twist.h), their bending (fem/rod.h)
 * included: twist takes away from the stiffness against bending, and only their sum is nearly
 * definite. Stencils: the three nodes of the joint and the angle blocks of its two edges, of which
 * only the first scalar is used. */
#ifndef TERM_TWIST_H
#define TERM_TWIST_H

#include "term/element.h"

typedef struct twist_term {
    element_term element;
    double *psi;       /* per joint: reference twist at the start of the step; state */
    vec3 (*before)[2]; /* per joint: unit tangents at the start of the step */
} twist_term;

abut_status twist_create(const model *m, twist_term **out, abut_error *err);
/* Takes the tangents at x as those of the frames: at the start, and after loading a state. */
void twist_set_start(twist_term *t, const double *x);
/* Carries the frames on from the tangents of the last call to x. */
void twist_carry(twist_term *t, const double *x);

#endif

/* Augmented Lagrangian that pulls prescribed nodes to their targets when they cannot be placed
 * there at once: sum over nodes of -sqrt(m) lambda.(x - target) + k/2 m |x - target|^2 (IPC
 * supplement 5). */
#ifndef TERM_ATTACHMENT_H
#define TERM_ATTACHMENT_H

#include "base/array.h"
#include "math/vec3.h"
#include "term/term.h"

typedef struct attachment_term {
    term base;
    ARRAY(int32_t) nodes;
    ARRAY(double) mass, length;
    ARRAY(vec3) target, multiplier;
    ARRAY(uint8_t) axes; /* bits 1, 2, 4: components that are prescribed */
    double stiffness;
} attachment_term;

abut_status attachment_create(attachment_term **out, abut_error *err);
void attachment_clear(attachment_term *t);
/* Adds a node; call attachment_ready after the last one. length: how far a point moves when a
 * scalar of the block changes by 1 (1 for nodes). */
abut_status attachment_add(attachment_term *t, int32_t block, double mass, double length,
                           vec3 target, int axes, abut_error *err);
void attachment_ready(attachment_term *t);
/* lambda <- lambda - k sqrt(m) (x - target). */
void attachment_update_multipliers(attachment_term *t, const double *x);
/* Sum of |x - target|^2 over the prescribed components, as lengths. */
double attachment_distance2(const attachment_term *t, const double *x);
/* Distance of the i-th node from its target in the prescribed components. */
double attachment_gap(const attachment_term *t, const double *x, size_t i);

#endif

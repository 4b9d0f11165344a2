/* Augmented Lagrangian that brings Dirichlet nodes to their targets when they cannot be moved there
 * at once: sum over nodes of -sqrt(m) lambda.(x - target) + k/2 m |x - target|^2 (IPC supplement
 * 5). */
#ifndef TERM_AUGMENTED_LAGRANGIAN_H
#define TERM_AUGMENTED_LAGRANGIAN_H

#include "base/array.h"
#include "math/vec3.h"
#include "term/term.h"

typedef struct augmented_lagrangian_term {
    term base;
    ARRAY(int32_t) nodes;
    ARRAY(double) mass, length;
    ARRAY(vec3) target, multiplier;
    ARRAY(uint8_t) axes; /* bits 1, 2, 4: components that are prescribed */
    double stiffness;
} augmented_lagrangian_term;

abut_status augmented_lagrangian_create(augmented_lagrangian_term **out, abut_error *err);
void augmented_lagrangian_clear(augmented_lagrangian_term *t);
/* Adds a node; call augmented_lagrangian_ready after the last one. length: how far a point moves
 * when a scalar of the block changes by 1 (1 for nodes). */
abut_status augmented_lagrangian_add(augmented_lagrangian_term *t, int32_t block, double mass,
                                     double length, vec3 target, int axes, abut_error *err);
void augmented_lagrangian_ready(augmented_lagrangian_term *t);
/* lambda <- lambda - k sqrt(m) (x - target). */
void augmented_lagrangian_update_multipliers(augmented_lagrangian_term *t, const double *x);
/* Sum of |x - target|^2 over the prescribed components, as lengths. */
double augmented_lagrangian_distance2(const augmented_lagrangian_term *t, const double *x);
/* Distance of the i-th node from its target in the prescribed components. */
double augmented_lagrangian_gap(const augmented_lagrangian_term *t, const double *x, size_t i);

#endif

/* The rules for the stiffness of the barrier (IPC supplement 6): bounds from masses and sizes, a
 * start value that balances the other forces, and doubling when a tiny distance shrinks again. */
#ifndef CONTACT_STIFFNESS_H
#define CONTACT_STIFFNESS_H

#include "base/array.h"
#include "contact/active_set.h"
#include "contact/barrier.h"

/* Lower and upper bound for a mean nodal mass and bodies of an extent (diagonal of their bounding
 * box). scale: what the barrier is multiplied by apart from the stiffness; 1 usually. */
void stiffness_bounds(barrier_kind kind, double dhat, double extent, double mean_mass, double scale,
                      double *lowest, double *highest);

/* The stiffness with which the contact gradient (at stiffness 1) opposes the rest of the gradient
 * best in the sense of least squares; may be negative. */
double stiffness_balance(const double *contact_gradient, const double *other_gradient,
                         size_t scalars);

/* Squared distance of a close stencil at an iterate, and for how many before that it was close. */
typedef struct close_pair {
    int32_t vertex[4];
    double distance2;
    int age;
} close_pair;

typedef struct close_pairs {
    ARRAY(close_pair) before, now;
} close_pairs;

void close_pairs_free(close_pairs *pairs);
/* Begins a new list of the present iterate. */
void close_pairs_begin(close_pairs *pairs);
/* How near that is in the paper: 1e-9 of the extent. */
double stiffness_tiny_gap(double extent);
/* Adds a stencil when it is nearer than the limit. False without memory. */
bool close_pairs_add(close_pairs *pairs, const int32_t vertex[4], double distance2, double limit);
bool close_pairs_add_set(close_pairs *pairs, const active_set *set, double limit);
/* True when a stencil that was close in the `patience` iterates before, at least 1, is still closer
 * now than in the last one. Ends the present list, which becomes the one before. */
bool close_pairs_shrink(close_pairs *pairs, int patience);

#endif

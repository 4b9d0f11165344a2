/* The safe projection of positions (In-timestep remeshing, equation 6.8): the positions nearest to
 * the goal in the norm of the mass matrix that neither intersect nor invert, from a feasible start,
 * by the same filtered Newton as a time step.
 *
 * The barriers must not move what is feasible already. They act only below half of the smallest
 * gap, and half of the smallest cell ratio, that the start has: gaps are not pushed open, whatever
 * the stiffness, and a goal that keeps them is met exactly. */
#ifndef REMESH_SAFE_PROJECT_H
#define REMESH_SAFE_PROJECT_H

#include "contact/contact_term.h"
#include "linear/solver.h"

typedef struct safe_projection {
    double dhat;     /* below which the contact barrier acted; 0: no contact near */
    double limit;    /* ratio of volumes below which the barrier of cells acted */
    int iterations;  /* of Newton */
    bool converged;  /* false: stopped early, feasible all the same */
    double distance; /* largest |x - goal| that is left, m */
} safe_projection;

/* contact: of the scene, for its options and half-spaces; NULL: none. fixed: 3 flags per block of
 * what stays where it is in x, which is the feasible start and becomes the result. Without contact
 * and cells that would turn, x becomes the goal (but for what is fixed). */
abut_status safe_project(const model *m, const contact_term *contact, const linear_options *linear,
                         const uint8_t *fixed, const double *goal, double *x,
                         safe_projection *result, abut_error *err);

#endif

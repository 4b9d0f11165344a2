/* The barrier energy of one stencil of the active set and its derivatives in the positions of its
 * vertices (IPC, equations 2.5 and 2.24): factor * multiplicity * b(d^2 - xi^2), xi the thickness
 * of the pair, nearly parallel edge pairs times their mollifier. The loops over stencils are
 * elsewhere: in the solver's contact term and in the toolkit layer. */
#ifndef CONTACT_BARRIER_STENCIL_H
#define CONTACT_BARRIER_STENCIL_H

#include "contact/active_set.h"
#include "contact/barrier.h"

/* Vertices per stencil of a list, and which distance function they belong to. */
extern const int stencil_list_width[STENCIL_LISTS];
extern const stencil_kind stencil_list_kind[STENCIL_LISTS];

/* The barrier as all stencils share it. */
typedef struct barrier_law {
    barrier_kind kind;
    double shat;   /* dhat^2 */
    double factor; /* on every energy: stiffness, weight of the term, scaling */
} barrier_law;

/* y: positions of the surface's vertices. */
double barrier_stencil_value(const barrier_law *law, stencil_list list, const contact_stencil *c,
                             const vec3 *y);
/* gradient[3 width] and hessian[(3 width)^2], row by row; either may be NULL. The Hessian is
 * projected to positive semi-definite where asked for. */
void barrier_stencil_derivatives(const barrier_law *law, stencil_list list,
                                 const contact_stencil *c, const vec3 *y, bool project,
                                 double *gradient, double *hessian);

/* Size of the normal force at a distance: -factor multiplicity b'(d^2 - xi^2) 2 d. */
double barrier_normal_force(const barrier_law *law, double distance2, double thickness,
                            double multiplicity);

/* The factor that gives the barrier the unit of a length, so that an area-weighted sum times a
 * stiffness in Pa is an energy: dhat over the unit of b (dhat^4 for the C2 barrier). */
double barrier_physical_scale(barrier_kind kind, double dhat);

#endif

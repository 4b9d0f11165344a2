/* From values at the points of an element's quadrature to its nodes: least squares by the
 * polynomials of one degree less than the basis (simplices) or of its degree (quads and hexes),
 * weighted like the quadrature. Exact for stresses that are such polynomials. */
#ifndef FEM_NODE_FIT_H
#define FEM_NODE_FIT_H

#include "fem/elements.h"

/* nodes x elastic_points: row a gives the value at node a. False without memory. */
bool node_fit_make(const element_set *s, double *fit);

#endif

/* Near-incompressible elements without locking: the change of volume counts by its mean over an
 * element (a pressure that is constant there, Q1/P0 and P2/P0), not point by point. The elastic law
 * keeps its other part, and an element with the volume V at rest has on top
 *
 *   V U(Theta),  Theta = (1/V) int det F dV,  U = lambda/2 (ln Theta)^2   (neo-Hookean, Hencky),
 *   V lambda/2 t^2,  t = (1/V) int tr(F - I) dV                           (linear),
 *
 * with Lame's lambda, for Hencky's law the bulk modulus. The Hessian couples all nodes of an
 * element: V U'' dTheta dTheta^T + U' int d2(det F), of which the second part is projected point by
 * point. */
#ifndef TERM_DILATATION_H
#define TERM_DILATATION_H

#include "body/model.h"
#include "term/term_row.h"

/* U'(Theta) of an element at x, Pa: its pressure, negative in compression; 0 without a mean. */
double dilatation_pressure(const element_set *s, size_t e, const double *x, const vec3 *rest);
/* U(Theta), J/m^3. */
double dilatation_energy(const element_set *s, size_t e, const double *x, const vec3 *rest);

#endif

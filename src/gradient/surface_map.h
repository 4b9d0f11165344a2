/* The rows of the collision surface as a linear map at x: directions of the coordinates become
 * directions of the vertices, and forces on the vertices forces on the coordinates. */
#ifndef GRADIENT_SURFACE_MAP_H
#define GRADIENT_SURFACE_MAP_H

#include "body/collision_surface.h"

/* out = dy/dx w */
void surface_push(const collision_surface *s, const double *x, const double *w, vec3 *out);
/* out += (dy/dx)^T bar */
void surface_pull(const collision_surface *s, const double *x, const vec3 *bar, double *out);

#endif

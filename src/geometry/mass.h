/* Mass, centre of mass and inertia of bodies: solids bounded by closed triangle surfaces, tets,
 * open surfaces, wires and points. All integrals of polynomials up to degree two are exact: over a
 * simplex with k + 1 vertices x_i and measure V, int x = V mean(x_i),   int x x^T = V /
 * ((k+1)(k+2)) (sum x_i x_i^T + S S^T),  S = sum x_i. */
#ifndef GEOMETRY_MASS_H
#define GEOMETRY_MASS_H

#include "math/vec3.h"

#include <stddef.h>
#include <stdint.h>

typedef struct mass_properties {
    double measure; /* volume, area or length; number of points */
    double mass;
    vec3 center;
    mat3 inertia; /* about the centre, in the axes of the coordinates */
} mass_properties;

/* A solid whose triangles are closed and oriented outward (inward: the measure and mass come out
 * negative). density per volume. */
mass_properties mass_of_closed_surface(const vec3 *x, const int32_t (*triangles)[3], size_t count,
                                       double density);
/* Tets of positive orientation, stride int32_t per tet (its first four are the corners). */
mass_properties mass_of_tets(const vec3 *x, const int32_t *tets, size_t stride, size_t count,
                             double density);
/* A thin sheet, density per area; a wire, density per length. */
mass_properties mass_of_surface(const vec3 *x, const int32_t (*triangles)[3], size_t count,
                                double density);
mass_properties mass_of_edges(const vec3 *x, const int32_t (*edges)[2], size_t count,
                              double density);
/* Points of equal mass. points NULL: x[0 .. count-1]. */
mass_properties mass_of_points(const vec3 *x, const int32_t *points, size_t count,
                               double point_mass);

/* Of two bodies together. */
mass_properties mass_add(const mass_properties *a, const mass_properties *b);
/* Inertia about another point, in the same axes. */
mat3 mass_inertia_about(const mass_properties *m, vec3 point);

/* int (x - center)(x - center)^T dm = (tr(inertia)/2) I - inertia, as affine bodies want it. */
mat3 mass_second_moment(const mass_properties *m);

/* True when every edge of the triangles is used once in each direction, so that they bound a solid
 * and mass_of_closed_surface makes sense. Needs memory for 3 count edges; false when there is none.
 */
bool surface_is_closed(const int32_t (*triangles)[3], size_t count);

#endif

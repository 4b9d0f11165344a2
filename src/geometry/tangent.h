/* Tangent frames of contact stencils for friction (IPC, equations 2.10 and A.7 to A.11): the
 * relative sliding of the two closest points of a stencil is u = T^T dx in R^2, T = Gamma^T P, with
 * P two orthonormal tangent columns and Gamma the signed weights of the closest points. */
#ifndef GEOMETRY_TANGENT_H
#define GEOMETRY_TANGENT_H

#include "geometry/distance.h"

typedef struct tangent_frame {
    int count; /* vertices of the stencil: 1 (half-space), 2, 3, 4 */
    double weight[STENCIL_MAX_VERTICES];
    vec3 column[2]; /* tangent unit vectors, orthogonal to each other and to the normal */
    vec3 normal;    /* column[0] x column[1] up to sign: from the second primitive to the first */
} tangent_frame;

/* Frame of a stencil in the order of its distance function. Always orthonormal, also for coincident
 * points and degenerate edges, where the choice is arbitrary but deterministic. */
tangent_frame tangent_frame_of(stencil_kind kind, const vec3 *x);
/* A vertex on a half-space; the displacement of the half-space itself is subtracted by the caller.
 */
tangent_frame tangent_frame_half_space(vec3 normal);

/* sum_i weight_i dx_i: relative displacement of the closest points. */
vec3 tangent_relative(const tangent_frame *frame, const vec3 *dx);
/* Its two tangential components, u = T^T dx. */
void tangent_displacement(const tangent_frame *frame, const vec3 *dx, double u[2]);

/* T as a row-major matrix with 3 count rows and 2 columns. */
void tangent_operator(const tangent_frame *frame, double *t);
/* T f: the forces on the vertices of a tangential force f at the contact; 3 count values. */
void tangent_spread(const tangent_frame *frame, const double f[2], double *force);

#endif

/* Positive semi-definite Hessians of functions of a squared distance, f(s(x)), such as the barrier:
 * the nearest semi-definite matrix to f'' grad s grad s^T + f' Hess s, without an eigenproblem of
 * full size. The Hessian of a stencil acts in a space of few dimensions that is known beforehand
 * (gradient and tangents of the gap, see distance.h): one for a half-space, three for two points,
 * four for a point and a line, five for a plane or two lines; the projection happens there,
 * exactly.
 */
#ifndef GEOMETRY_DISTANCE_PSD_H
#define GEOMETRY_DISTANCE_PSD_H

#include "geometry/distance.h"

/* hessian: row-major (3n)*(3n). first = f'(s), second = f''(s). */
void point_point_psd_hessian(vec3 a, vec3 b, double first, double second, double hessian[36]);
void point_edge_psd_hessian(vec3 p, vec3 e0, vec3 e1, double first, double second,
                            double hessian[81]);
void point_triangle_psd_hessian(vec3 p, vec3 t0, vec3 t1, vec3 t2, double first, double second,
                                double hessian[144]);
void edge_edge_psd_hessian(vec3 a0, vec3 a1, vec3 b0, vec3 b1, double first, double second,
                           double hessian[144]);
void half_space_psd_hessian(vec3 p, vec3 origin, vec3 normal, double first, double second,
                            double hessian[9]);

/* The same by stencil kind. */
void stencil_psd_hessian(stencil_kind kind, const vec3 *x, double first, double second,
                         double *hessian);

#endif

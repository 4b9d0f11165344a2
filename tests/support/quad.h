/* Reference derivatives in 113-bit arithmetic: central differences of the textbook formulas, good
 * to about 15 digits, so that even badly conditioned kernels can be checked closely. */
#ifndef SUPPORT_QUAD_H
#define SUPPORT_QUAD_H

__extension__ typedef __float128 quad;

typedef quad (*quad_function)(const quad *x);

/* Gradient (n) and Hessian (n x n, row-major) of f at x by central differences with step h. */
void quad_derivatives(quad_function f, int n, const double *x, double h, double *gradient,
                      double *hessian);

/* Textbook formulas of the squared distances; x holds the vertices in order. */
quad quad_point_point(const quad *x);
quad quad_point_line(const quad *x);
quad quad_point_plane(const quad *x);
quad quad_line_line(const quad *x);
/* |(a1 - a0) x (b1 - b0)|^2 */
quad quad_cross2(const quad *x);

#endif

/* Symmetric eigenproblems of small fixed size and projection to positive semi-definite matrices.
 *
 * Everything here is accurate relative to the norm of the whole matrix (backward error of a few
 * ulps), needs no memory, uses no function of libm but sqrt, and gives the same bits on every run.
 * Input that is not finite gives NaN eigenvalues and the identity as vectors. */
#ifndef MATH_EIGEN_H
#define MATH_EIGEN_H

#include "math/vec3.h"

/* [[a, b], [b, c]]: eigenvalues ascending; column k of the rotation [[cs, -sn], [sn, cs]] is the
 * eigenvector of values[k]. */
void eigen2(double a, double b, double c, double values[2], double *cs, double *sn);

/* Eigenvalues ascending; column k of vectors belongs to values[k]; vectors is a rotation. Only the
 * lower triangle of a is read. */
void eigen3(mat3 a, double values[3], mat3 *vectors);

/* Any n <= 24: a is row-major n x n, symmetric; vectors (n x n,
 * row-major) holds eigenvector k in column k, values ascending. No allocation. vectors may be a. */
enum { EIGEN_MAX = 24 };
void eigen_symmetric(int n, const double *a, double *values, double *vectors);

/* Replaces a symmetric row-major n x n matrix by the nearest positive semi-definite one (negative
 * eigenvalues set to 0). n <= EIGEN_MAX. A matrix that is positive semi-definite up to round-off
 * (n ulps of its largest entry), singular or not, is cheap and keeps its bits. The result is
 * exactly symmetric; a matrix that is not symmetric is replaced by its symmetric part first. */
void psd_project(int n, double *a);
/* The same for the Hessian of a function of 2, 3 or 4 points that does not see translations
 * (contact stencils): its 3x3 blocks sum to zero along each row, which is used and not checked.
 * Same result, faster: three dimensions are split off first. */
void psd_project_stencil(int points, double *a);

void psd_project2(double *a, double *b, double *c); /* [[a, b], [b, c]] */
void psd_project3(mat3 *a);

#endif

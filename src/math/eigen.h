/* Symmetric eigenproblems of small fixed size and projection to positive semi-definite matrices. */
#ifndef MATH_EIGEN_H
#define MATH_EIGEN_H

#include "math/vec3.h"

/* [[a, b], [b, c]]: eigenvalues ascending, unit eigenvector of values[0] is (-sin, cos)... returned
 * as the columns of the rotation [[cs, -sn], [sn, cs]]: column k belongs to values[k]. */
void eigen2(double a, double b, double c, double values[2], double *cs, double *sn);

/* Eigenvalues ascending; column k of vectors belongs to values[k]; vectors is a rotation. */
void eigen3(mat3 a, double values[3], mat3 *vectors);

/* Any n <= 24: a is row-major n x n, symmetric; vectors (n x n, row-major) holds eigenvector k in
 * column k, values ascending. No allocation. */
enum { EIGEN_MAX = 24 };
void eigen_symmetric(int n, const double *a, double *values, double *vectors);

/* Replaces a symmetric row-major n x n matrix by the nearest positive semi-definite one (negative
 * eigenvalues set to 0). Cheap when it is positive definite already. n <= EIGEN_MAX. */
void psd_project(int n, double *a);
void psd_project2(double *a, double *b, double *c); /* [[a, b], [b, c]] */
void psd_project3(mat3 *a);

#endif

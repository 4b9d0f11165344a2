/* Singular value decompositions of 3x3 and 3x2 matrices. */
#ifndef MATH_SVD_H
#define MATH_SVD_H

#include "math/vec3.h"

/* a = U diag(s) V^T with det U = det V = +1 (rotation variant): s[0] >= s[1] >= |s[2]|, and s[2]
 * carries the sign of det a. Correct for singular, repeated and negative cases; never fails. */
void svd3(mat3 a, mat3 *u, double s[3], mat3 *v);

/* f = [c0 c1] (3x2) = U diag(s) V^T with s[0] >= s[1] >= 0, U = 3x3 rotation whose first two
 * columns are the left singular vectors, V = 2x2 rotation given row-major. */
void svd32(vec3 c0, vec3 c1, mat3 *u, double s[2], double v[4]);

/* Singular values of [c0 c1] alone, to the same relative accuracy of s[0] and s[0] s[1]. For
 * columns between 1e-70 and 1e70 in length. */
void svd32_values(vec3 c0, vec3 c1, double s[2]);

#endif

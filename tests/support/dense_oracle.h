/* Reference eigenvalues and singular values in extended precision, by plain Jacobi iterations that
 * share nothing with src/math; and residual norms in extended precision. */
#ifndef DENSE_ORACLE_H
#define DENSE_ORACLE_H

#include "base/random.h"
#include "math/vec3.h"

enum { ORACLE_MAX = 24 };

/* Eigenvalues of the symmetric n x n row-major matrix, ascending. */
void oracle_eigenvalues(int n, const double *a, long double *values);

/* Singular values of a row-major rows x columns matrix (columns <= 3), descending. */
void oracle_singular_values(int rows, int columns, const double *a, long double *values);

long double oracle_determinant3(mat3 a);

/* Largest entry of |q^T q - I| for a row-major n x n matrix. */
double oracle_orthogonality(int n, const double *q);

/* Largest entry of |a - u diag(s) v^T|, all 3x3. */
double oracle_svd_residual(mat3 a, mat3 u, const double *s, mat3 v);

/* Largest entry of |a v - v diag(values)|, n x n row-major. */
double oracle_eigen_residual(int n, const double *a, const double *values, const double *v);

/* A random rotation; entries uniform in [-size, size]. */
mat3 oracle_random_rotation(random_state *r);
mat3 oracle_random_matrix(random_state *r, double size);

#endif

/* The eigen-solver of eigen_symmetric and psd_project on padded storage, for use inside math/. */
#ifndef MATH_EIGEN_DENSE_H
#define MATH_EIGEN_DENSE_H

#include "math/eigen.h"

/* Rows of n entries padded with zeros to a multiple of 4, which is the distance between rows. */
typedef struct eigen_matrix {
    _Alignas(32) double m[EIGEN_MAX * EIGEN_MAX];
} eigen_matrix;

static inline int eigen_width(int n) { return (n + 3) & ~3; }

/* Fills the padded copy from the lower triangle of a (row-major n x n), times scale. */
void eigen_matrix_load(int n, const double *a, double scale, eigen_matrix *out);

/* A power of two near 1 / magnitude (1 for 0). */
double eigen_scale(double magnitude);

/* Largest magnitude of the entries; NaN when an entry is not finite. */
double eigen_magnitude(int n, const double *a);

/* a holds a symmetric matrix with entries of size 1 and is destroyed. On return row k of rows is
 * the eigenvector of values[k], in no particular order. */
void eigen_rows(int n, eigen_matrix *a, double *values, eigen_matrix *rows);

#endif

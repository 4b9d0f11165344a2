/* Cubic splines through given points: twice continuously differentiable, one polynomial of order 3
 * between neighbours, given by the slopes at the points. */
#ifndef MATH_SPLINE_H
#define MATH_SPLINE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum spline_ends {
    SPLINE_FLAT,    /* slope 0 at both ends */
    SPLINE_NATURAL, /* second derivative 0 at both ends */
    SPLINE_PERIODIC /* first and second derivative the same at both ends */
} spline_ends;

/* Slopes at `count` >= 2 points with increasing x. False where memory is short. */
bool spline_slopes(size_t count, const double *x, const double *y, spline_ends ends, double *slope);

/* Coefficients of the piece between two points: y0 + c[0] s + c[1] s^2 + c[2] s^3, s = x - x0. */
void spline_piece(const double x[2], const double y[2], const double slope[2], double c[3]);

#endif

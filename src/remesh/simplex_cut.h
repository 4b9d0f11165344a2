/* What two simplices have in common, as simplices: the one is cut by the sides of the other, one
 * after the other. */
#ifndef REMESH_SIMPLEX_CUT_H
#define REMESH_SIMPLEX_CUT_H

#include "math/vec3.h"

/* Each side makes at most three pieces of one tet (two of a triangle). */
enum { CUT_MAX_PIECES = 81 };

typedef struct simplex_pieces {
    int count;
    vec3 corner[CUT_MAX_PIECES][4];
} simplex_pieces;

/* Signed area of a triangle in the plane (dimension 2), or volume of a tet. */
double simplex_size(int dimension, const vec3 corners[4]);
/* Barycentric coordinates; the sum of the dimension + 1 numbers is 1. */
void simplex_coordinates(int dimension, const vec3 corners[4], vec3 point, double out[4]);
/* Pieces of `a` inside of `b`. */
void simplex_cut(int dimension, const vec3 a[4], const vec3 b[4], simplex_pieces *out);

#endif

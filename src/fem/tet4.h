/* The linear tetrahedron: energy, forces and stiffness of one element from its four positions.
 *
 * F = Ds Dm^-1 with the edge vectors x_k - x_0 (k = 1, 2, 3) as columns of Ds and those of the rest
 * shape in Dm. Row k of Dm^-1 is the gradient of the shape function of node k; that of node 0 is
 * minus their sum, so everything of node 0 follows from the others. */
#ifndef FEM_TET4_H
#define FEM_TET4_H

#include "material/elastic.h"

typedef struct tet4_rest {
    mat3 dm_inverse;
    double volume; /* of the rest shape, positive */
} tet4_rest;

/* Upper triangle of the 4x4 matrix of 3x3 blocks, row by row:
 * (0,0) (0,1) (0,2) (0,3) (1,1) (1,2) (1,3) (2,2) (2,3) (3,3). */
enum { TET4_BLOCKS = 10 };

/* Index of block (a, b) for a <= b. */
static inline int tet4_block(int a, int b) { return a * (7 - a) / 2 + b; }

/* From four rest positions; false when the volume is not positive and finite. */
bool tet4_rest_make(const vec3 x[4], tet4_rest *rest);

mat3 tet4_deformation(const tet4_rest *rest, const vec3 x[4]);

double tet4_energy(const tet4_rest *rest, const elastic_parameters *material, const vec3 x[4]);

/* Energy, its gradient (minus the force) on the four nodes and its Hessian blocks, the latter two
 * where the pointers are not NULL. Diagonal blocks are exactly symmetric. With project the Hessian
 * is positive semi-definite. Nothing useful is written for an infinite energy. */
double tet4_evaluate(const tet4_rest *rest, const elastic_parameters *material, const vec3 x[4],
                     bool project, vec3 gradient[4], mat3 hessian[TET4_BLOCKS]);

/* The largest t <= 1 such that the volume at x + s direction stays above fraction times the volume
 * at x for all s <= t (the inversion filter takes 0.2). Never too large: all rounding errors are
 * counted against the step. 0 when the volume at x is not positive beyond round-off. */
double tet4_max_step(const vec3 x[4], const vec3 direction[4], double fraction);

#endif

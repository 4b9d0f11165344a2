/* The linear triangle of a thin sheet: F = [x1 - x0, x2 - x0] Dm^-1 (3x2) with the rest edges in
 * the two axes of the rest plane, warp and weft, as columns of Dm. Row k of Dm^-1 is the gradient
 * of the shape function of node k + 1; that of node 0 is minus their sum. */
#ifndef FEM_TRI3_H
#define FEM_TRI3_H

#include "material/strain_limit.h"

typedef struct tri3_rest {
    double dm_inverse[4]; /* row-major */
    double area;
    double volume; /* area times thickness */
} tri3_rest;

/* Blocks (0,0) (0,1) (0,2) (1,1) (1,2) (2,2). */
enum { TRI3_BLOCKS = 6 };

/* warp: direction of the first axis, made tangential; any axis is used where it is normal to the
 * triangle. False when the area is not positive and finite. */
bool tri3_rest_make(const vec3 x[3], vec3 warp, double thickness, tri3_rest *rest);

/* Columns of F at x; for directions the columns of the change of F. */
void tri3_deformation(const tri3_rest *rest, const vec3 x[3], vec3 f[2]);

double tri3_energy(const tri3_rest *rest, const membrane_parameters *material, const vec3 x[3]);

/* Gradient on the three nodes and Hessian blocks of factor times the energy, where the pointers are
 * not NULL. With project the Hessian is positive semi-definite. */
void tri3_evaluate(const tri3_rest *rest, const membrane_parameters *material, const vec3 x[3],
                   double factor, bool project, vec3 gradient[3], mat3 hessian[TRI3_BLOCKS]);

/* The same of the strain barrier. */
double tri3_limit_energy(const tri3_rest *rest, const strain_limit *limit, const vec3 x[3]);
void tri3_limit_evaluate(const tri3_rest *rest, const strain_limit *limit, const vec3 x[3],
                         double factor, bool project, vec3 gradient[3], mat3 hessian[TRI3_BLOCKS]);

#endif

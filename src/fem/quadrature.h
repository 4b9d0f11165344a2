/* Quadrature rules on the reference cells: exact for polynomials up to a degree (total degree on
 * simplices, degree per axis on quads and hexes), with positive weights and points inside.
 *
 * Low degrees on simplices use symmetric rules with few points; any other degree a product of
 * Gauss rules (Gauss-Jacobi along the collapsed axes of a simplex). */
#ifndef FEM_QUADRATURE_H
#define FEM_QUADRATURE_H

#include "base/status.h"
#include "mesh/mesh.h"

typedef struct quadrature {
    int count;
    double (*points)[3];
    double *weights; /* their sum is the measure of the reference cell */
} quadrature;

enum { QUADRATURE_MAX_DEGREE = 60 };

abut_status quadrature_make(cell_kind kind, int degree, quadrature *out, abut_error *err);
void quadrature_free(quadrature *q);

/* Degree that integrates products of two gradients of basis functions of order p (the elastic
 * energy of small strains) and products of two basis functions (the mass) on a cell whose map has
 * order q; q = 0 stands for an affine map. */
int quadrature_degree_stiffness(cell_kind kind, int basis_order, int geometry_order);
int quadrature_degree_mass(cell_kind kind, int basis_order, int geometry_order);

/* n points and weights of the Gauss-Jacobi rule on [0, 1] with weight (1 - x)^alpha, exact to
 * degree 2 n - 1. */
void gauss_jacobi(int n, int alpha, double *points, double *weights);

#endif

/* A lower bound of the Jacobian determinant over a part of an element, relative to rest: the
 * Bernstein coefficients of det dx/dxi divided by those at rest,
 *     r_k(u) = sum_i B_ki det J_i(u) / sum_i B_ki det J_i(0),
 * with J_i at the lattice points of the part and B the matrix of fem/positivity.h. Where all r_k
 * are positive the part is not inverted anywhere, between sample points either.
 *
 * A coefficient can be far below the determinants that it bounds; halving the part brings them
 * together quadratically. A part of a polynomial map is such a map itself, with nodes of its own:
 * all parts share the tables of the whole cell. */
#ifndef FEM_DETERMINANT_BOUND_H
#define FEM_DETERMINANT_BOUND_H

#include "fem/elements.h"

typedef struct determinant_bound {
    positivity_part part;
    double *to_part;      /* nodes of the part's map x nodes of the element, for displacements */
    vec3 *shape;          /* the part's nodes at rest */
    double *coefficients; /* at rest; 0 where it does not count */
} determinant_bound;

typedef ARRAY(determinant_bound) determinant_bound_list;

/* Bounds of parts of element e that are positive at positions x, and at least half as large as the
 * determinants at their points where parts of the least size allow it; appended to out. The element
 * must not be inverted at x. */
abut_status determinant_bound_make(const element_set *s, size_t e, const double *x,
                                   const vec3 *rest, determinant_bound_list *out, abut_error *err);
void determinant_bound_free(determinant_bound *b);

/* Ratios r_k at displacements u of the element's nodes; INFINITY for those that do not count. */
void determinant_bound_ratios(const element_set *s, const determinant_bound *b, const vec3 *u,
                              double *ratio);
/* The largest t <= limit up to which all ratios keep this fraction along u + t p. */
double determinant_bound_max_step(const element_set *s, const determinant_bound *b, const vec3 *u,
                                  const vec3 *p, double limit, double fraction);
/* Adds gradient (3 nodes doubles) and Hessian (blocks of the upper triangle as in term/term.h) of
 * sum_k f(r_k) by first and second derivatives of f in each ratio. Without `exact` only the part
 * f'' grad r grad r^T, which is positive semi-definite for convex f. Either may be NULL. */
void determinant_bound_derivatives(const element_set *s, const determinant_bound *b, const vec3 *u,
                                   const double *first, const double *second, bool exact,
                                   double *gradient, double *hessian);

#endif

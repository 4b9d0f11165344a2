/* Second-order Taylor expansions of a scalar in the features of a joint: value, gradient and
 * Hessian. The features are points and directions of the two sides (constraint/features.h), of
 * which all coordinates and constraints of joints are made by dot products and a function or two.
 */
#ifndef CONSTRAINT_JET_H
#define CONSTRAINT_JET_H

/* Per side a point and three directions, three components each. */
enum { FEATURES = 4, JET_SIZE = 2 * FEATURES * 3 };

typedef struct jet {
    double value;
    double gradient[JET_SIZE];
    double hessian[JET_SIZE][JET_SIZE];
} jet;

void jet_zero(jet *j);
/* j += factor u_i . u_k; u: the features, three components each, i and k their numbers. */
void jet_add_dot(jet *j, double factor, const double *u, int i, int k);
/* f(a), from its value and derivatives. */
void jet_compose(jet *a, double value, double first, double second);
/* atan2(s, c) */
void jet_atan2(const jet *s, const jet *c, jet *out);

#endif

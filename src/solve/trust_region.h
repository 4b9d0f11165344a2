/* Which step Newton's method takes: a trust region in the metric of the projected factor P.
 *
 * The model of the energy is g.q + 1/2 q.P q as long as P is right. Where a whole step shows that
 * it is not (the energy curves far less along it than P says: rods that buckle, contacts that slide
 * around each other under load), the next model is g.q + 1/2 q.H q with the true Hessian, minimised
 * for |q|_P <= R by conjugate gradients that P preconditions (Steihaug 1983, Toint 1981). They
 * begin with P's direction, and each of their iterates is a direction of descent that promises more
 * than the one before. R is measured in lengths of P's direction and never below one of them: to go
 * less far is the line search's business. docs/theory/newton.md has the whole of it. */
#ifndef SOLVE_TRUST_REGION_H
#define SOLVE_TRUST_REGION_H

#include "linear/solver.h"
#include "solve/problem.h"

/* The model along its direction q. */
typedef struct trust_model {
    double slope;    /* -g.q */
    double gain;     /* what it promises for the whole of q */
    double length;   /* |q|_P, in lengths of P's direction; 0: q is of another model */
    double softness; /* H's curvature along P's direction, in P's */
    bool true_one;   /* with H */
    bool boundary;   /* q ends at the radius */
} trust_model;

typedef struct trust_region {
    ARRAY(double) residual, preconditioned, search, product;
    double radius; /* in lengths of P's direction */
    bool stiff;    /* P is: the next model is the true one */
    trust_model model;
    uint64_t hessians, products; /* statistics: true Hessians, and products with them */
} trust_region;

void trust_region_free(trust_region *t);

/* A minimisation begins. */
void trust_region_begin(trust_region *t);

/* step: P's direction at x for the right side -g, which `linear` has just solved. `direction`
 * receives the model's. `usable`: H may be used; it overwrites the matrix of the problem. */
abut_status trust_region_direction(trust_region *t, problem *p, const evaluation *ev,
                                   linear_solver *linear, const double *x, const double *right,
                                   const double *step, bool usable, double *direction,
                                   abut_error *err);

/* Another direction is taken, of this slope, from a model that says nothing of curvatures (that of
 * a saddle, or with inequalities): a little more than half of the slope is taken for promised. */
void trust_region_replace(trust_region *t, double slope);

/* What the model promises for the part alpha of its direction. */
double trust_region_promise(const trust_region *t, double alpha);

/* The first part that was tried, what the energy fell by along it, and the part that was taken. */
void trust_region_learn(trust_region *t, double tried, double gain, double taken);

#endif

/* Newton's direction with what would stop it: the minimum of the quadratic model subject to linear
 * inequalities,
 *
 *     min  g.q + 1/2 q.P q     subject to   w_j.q >= b_j,   b_j < 0
 *
 * for the stencils j that the direction runs into (term/obstruction.h). Solved in the dual: with
 * the factor of P, z_j = P^-1 w_j, the multipliers are the solution of a small complementarity
 * problem with the matrix w_i.z_j. The result is a direction of descent (docs/theory/newton.md). */
#ifndef SOLVE_LOOK_AHEAD_H
#define SOLVE_LOOK_AHEAD_H

#include "linear/solver.h"
#include "solve/problem.h"

typedef struct look_ahead {
    obstruction_list found; /* along the direction of this round */
    obstruction_list kept;  /* of all rounds */
    ARRAY(size_t) order;
    ARRAY(double) columns;          /* z_j, one after the other */
    ARRAY(double) matrix;           /* w_i.z_j, MOST per row */
    ARRAY(double) violation;        /* b_j - w_j.p */
    ARRAY(double) force;            /* multipliers */
    ARRAY(double) full;             /* the direction over all coordinates */
    ARRAY(double) row, base, trial; /* over the unknowns */
    ARRAY(int32_t) island;          /* per unknown */
    ARRAY(double) part, gone;       /* per unknown or island: share of the path */
    ARRAY(double) longest;          /* per island: its largest move */
    ARRAY(double) radius;           /* per unknown: how far the inequalities may be trusted */
    bool fresh;                     /* a new minimisation: no radius is known */
    uint64_t rounds, solves;        /* statistics */
} look_ahead;

void look_ahead_free(look_ahead *l);

/* direction: over the unknowns, p at first and q afterwards; right: -g. *changed: it is another
 * one. `linear` holds the factor of P. */
abut_status look_ahead_direction(look_ahead *l, problem *p, const evaluation *ev,
                                 linear_solver *linear, const double *x, const double *right,
                                 double *direction, double *alpha, bool *chosen, abut_error *err);

#endif

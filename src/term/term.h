/* An energy term: one summand of the incremental potential.
 *
 * A term is a list of stencils, each touching a few coordinate blocks (3 scalars each), with a
 * value, a gradient and a projected Hessian. The problem (solve/problem.h) adds terms up; a new
 * physical effect is one new file here. All values include the term's weight. */
#ifndef TERM_TERM_H
#define TERM_TERM_H

#include "base/status.h"
#include "base/timer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct term term;

/* A group of stencils of equal width. blocks: count * width coordinate blocks; -1: no block, its
 * parts are dropped. */
typedef struct stencil_group {
    int width;
    size_t count;
    const int32_t *blocks;
} stencil_group;

enum { TERM_MAX_GROUPS = 20 };

typedef struct term_class {
    const char *name;
    /* Called whenever x has changed, before value or derivatives at x. Dynamic terms rebuild their
     * stencils here. May be NULL. */
    abut_status (*update)(term *t, const double *x, abut_error *err);
    /* Energy at the x of the last update; +INFINITY when x is infeasible. */
    double (*value)(term *t, const double *x);
    /* For stencils begin..end-1 of a group: gradient (3 width doubles each) and Hessian (the
     * width (width + 1) / 2 blocks a <= b of the upper triangle, row by row, each 9 doubles
     * row-major, projected to positive semi-definite unless `exact`). Either pointer may be NULL.
     * Thread-safe. */
    void (*derivatives)(const term *t, int group, const double *x, size_t begin, size_t end,
                        double *gradient, double *hessian);
    /* Largest alpha in (0, limit] such that x + s p stays feasible for all s <= alpha. May be NULL.
     */
    abut_status (*max_step)(term *t, const double *x, const double *p, double limit, double *alpha,
                            stage_timer *timer, abut_error *err);
    /* True when x, which a line search wants to accept, is feasible by an independent check (no
     * intersection, no inversion). May be NULL. */
    bool (*accepts)(term *t, const double *x);
    /* After an accepted iteration at x: adjusts stiffnesses; true when energies have changed. May
     * be NULL. */
    bool (*adapt)(term *t, const double *x);
    /* Until it is called with NULL: only some coordinates will change (3 flags per block are 1 for
     * those that will not), and what depends on none of them may be left out of everything,
     * energies included. Takes effect at the next update. May be NULL. */
    abut_status (*hold)(term *t, const uint8_t *held, abut_error *err);
    void (*destroy)(term *t);
} term_class;

/* Concrete terms embed this as their first member. */
struct term {
    const term_class *class;
    double weight; /* factor on the energy, set by the stepper (h^2, beta h^2, 1, ...) */
    bool enabled;
    bool dynamic; /* stencils change between updates */
    bool exact;   /* Hessians as they are, not projected */
    int group_count;
    stencil_group groups[TERM_MAX_GROUPS];
};

#endif

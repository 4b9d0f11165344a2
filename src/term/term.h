/* An energy term: one summand of the incremental potential.
 *
 * A term is a list of stencils, each touching a few coordinate blocks (3 scalars each), with a
 * value, a gradient and a projected Hessian. The problem (solve/problem.h) adds terms up; a new
 * physical effect is one new file here. Evaluating a term does not change it: what differs from one
 * evaluation to the next is passed along (struct evaluation). */
#ifndef TERM_TERM_H
#define TERM_TERM_H

#include "base/status.h"
#include "base/timer.h"
#include "term/obstruction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct term term;

/* What an evaluation depends on besides the term and x. A time step has one; a caller that wants
 * other factors, the true Hessian or fewer terms makes another, and no term changes. */
typedef struct evaluation {
    double force_factor; /* on energies of forces: the integrator's, such as h^2; 1: J */
    double load_factor;  /* the same on dead loads; 0 leaves them out */
    double mass_factor;  /* on inertia: 1, or 0 in quasi-static steps */
    double h;            /* s */
    double kappa;        /* stiffness of the contact barrier, the force factor included */
    bool exact;          /* Hessians as they are, not projected to positive semi-definite */
    uint64_t without;    /* terms that do not count (term_bit) */
} evaluation;

/* All factors 1: energies in J. */
static inline evaluation evaluation_unit(void)
{
    return (evaluation){.force_factor = 1, .load_factor = 1, .mass_factor = 1, .h = 1, .kappa = 1};
}

enum { TERM_MAX_WIDTH = 640 }; /* of a stencil: contact of coarse bodies with dense maps */

/* A group of stencils of equal width. blocks: count * width coordinate blocks; -1: no block, its
 * parts are dropped. */
typedef struct stencil_group {
    int width;
    size_t count;
    const int32_t *blocks;
} stencil_group;

/* Copies the blocks a <= b of a dense row-major matrix in the order in which terms deliver them. */
static inline void stencil_store_blocks(int width, const double *dense, double *blocks)
{
    int n = 3 * width;
    for (int a = 0; a < width; a++)
        for (int b = a; b < width; b++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) *blocks++ = dense[(3 * a + r) * n + 3 * b + c];
}

/* What a term allows of a step. */
typedef struct step_bound {
    double alpha;
    int group; /* of its stencils, that cut the step far short; -1: none */
    const term *by;
} step_bound;

/* Numbers that a term carries from step to step. */
typedef struct term_state {
    const char *name;
    double *values;
    size_t count;
} term_state;

/* A step that begins. */
typedef struct term_step {
    const double *x; /* positions at its start */
    double end;      /* time at its end, s */
    double h;        /* s */
} term_step;

/* What Newton's last iteration answers, for terms that have forces of their own to find; vectors
 * over all coordinates. */
typedef struct newton_response {
    void *context;
    /* The direction for the gradient at the present x, by the matrix of that iteration. */
    abut_status (*direction)(void *context, double *out, abut_error *err);
    /* Where a force (N, N m) moves the model: matrix^-1 force, times the factor of forces.
     * Prescribed coordinates and followers stay. */
    void (*move)(void *context, const double *force, double *out);
} newton_response;

/* Sets of elements (fem/elements.h), linear tets, masses, and what else is damped. */
enum { TERM_MAX_GROUPS = 32 };

/* Numbers of an element's material by which its forces can be differentiated (gradient/). */
typedef enum term_parameter { TERM_YOUNG, TERM_POISSON } term_parameter;

/* Constraints c(x) = 0 that a term meets by multipliers of its own (`tighten`), for derivatives of
 * whole steps. `collect` looks at the rows at x, and what follows is about these. */
typedef struct term_constraints {
    abut_status (*collect)(term *t, const double *x, size_t *rows, abut_error *err);
    const double *(*values)(const term *t);  /* c */
    const double *(*weights)(const term *t); /* stiffnesses K of the rows in the energy, in J */
    void (*push)(const term *t, const double *w, double *out); /* out = J w */
    void (*pull)(const term *t, const double *y, double *out); /* out (3 per block) += J^T y */
    term_state (*multipliers)(term *t);                        /* of the present step */
    /* x: the state at the start of the step that is about to begin, which may be that of a scene
     * with slightly other numbers: what is remembered of positions is computed from it. */
    void (*take_start)(term *t, const double *x);
    void (*sharpen)(term *t); /* from now on steps are recorded: they meet rows to rounding */
    /* Where rows are still off by more at x, their forces move by K c: true. */
    bool (*settle)(term *t, const double *x);
} term_constraints;

typedef struct term_class {
    const char *name;
    /* Called whenever x has changed, before value or derivatives at x. Dynamic terms rebuild their
     * stencils here. May be NULL. */
    abut_status (*update)(term *t, const double *x, abut_error *err);
    /* Energy at the x of the last update; +INFINITY when x is infeasible. */
    double (*value)(const term *t, const evaluation *ev, const double *x);
    /* For stencils begin..end-1 of a group: gradient (3 width doubles each) and Hessian (the
     * width (width + 1) / 2 blocks a <= b of the upper triangle, row by row, each 9 doubles
     * row-major, projected to positive semi-definite unless ev->exact). Either pointer may be NULL.
     * Thread-safe. */
    void (*derivatives)(const term *t, const evaluation *ev, int group, const double *x,
                        size_t begin, size_t end, double *gradient, double *hessian);
    /* Largest alpha in (0, limit] such that x + s p stays feasible for all s <= alpha, and what
     * limits it. May be NULL. */
    abut_status (*max_step)(const term *t, const double *x, const double *p, double limit,
                            step_bound *bound, stage_timer *timer, abut_error *err);
    /* Appends what stops the whole step from x along p before its end. May be NULL. */
    abut_status (*obstructions)(const term *t, const double *x, const double *p,
                                obstruction_list *out, abut_error *err);
    /* The step from x along p will be taken as far as `bounds` (one per term of the problem) allow:
     * the term may note what it wants to change in `adapt`. May be NULL. */
    void (*note_bounds)(term *t, const double *x, const double *p, const step_bound *bounds,
                        int count);
    /* True when x, which a line search wants to accept, is feasible by an independent check (no
     * intersection, no inversion). May be NULL. */
    bool (*accepts)(term *t, const double *x);
    /* After an accepted iteration at x: adjusts stiffnesses; true when energies have changed. May
     * be NULL. */
    bool (*adapt)(term *t, const double *x);
    /* Until it is called with NULL: only some coordinates will change (3 flags per block are 1 for
     * those that will not), and what depends on none of them may be left out of everything,
     * energies included. Takes effect at the next update. May be NULL. */
    abut_status (*restrict_to)(term *t, const uint8_t *fixed, abut_error *err);
    /* A step begins: forgets what was noted, so that a step depends on its start only. May be NULL.
     */
    void (*begin_step)(term *t, const term_step *at);
    /* After an accepted iteration at x: whether constraints of its own are met there. Where they
     * are not and Newton's method is at rest, their multipliers move, and it goes on with other
     * energies (*changed). response: NULL where the matrix cannot be solved with again. May be
     * NULL. */
    abut_status (*tighten)(term *t, const double *x, bool at_rest, const newton_response *response,
                           bool *met, bool *changed, abut_error *err);
    /* x is the result of the step; or a state that was loaded, from which the next one starts. May
     * be NULL. */
    void (*end_step)(term *t, const double *x);
    void (*restart)(term *t, const double *x);
    /* What checkpoints keep of it. May be NULL. */
    term_state (*state)(term *t);
    /* For derivatives of whole steps (docs/theory/gradients.md), all at the x of the last update.
     * What is NULL does not occur in the term, or is refused with the term's name. */
    /* out[e] = w . d(gradient of stencil e) / d(parameter of its element). */
    abut_status (*by_parameter)(const term *t, const evaluation *ev, int group, const double *x,
                                term_parameter by, const double *w, double *out, abut_error *err);
    /* out (3 per block) += d(w . gradient) / d(rest positions). */
    void (*by_rest)(const term *t, const evaluation *ev, int group, const double *x,
                    const double *w, double *out);
    /* out (3 per block) += d(w . gradient) / d(positions at the start of the step), for terms that
     * keep something of these. */
    abut_status (*by_start)(term *t, const evaluation *ev, const double *x, const double *w,
                            double *out, abut_error *err);
    const term_constraints *constraints; /* NULL: it has none */
    /* Vector number k whose product u u^T belongs to the Hessian beside the stencils' parts, at the
     * x of the last update: what couples many blocks with each other. u: 3 per block. False: there
     * are no more. May be NULL. */
    bool (*low_rank)(const term *t, const evaluation *ev, int k, const double *x, double *u);
    void (*destroy)(term *t);
} term_class;

/* Concrete terms embed this as their first member. */
struct term {
    const term_class *class;
    int number;   /* in its problem, from 1 on; 0: in none */
    bool dynamic; /* stencils change between updates */
    int group_count;
    stencil_group groups[TERM_MAX_GROUPS];
};

/* For evaluation.without; 0 for terms of no problem. */
static inline uint64_t term_bit(const term *t)
{
    return t->number > 0 ? (uint64_t)1 << (t->number - 1) : 0;
}

#endif

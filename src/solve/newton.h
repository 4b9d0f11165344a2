/* Projected Newton with a line search that never leaves the feasible set (IPC, Algorithm 2.1). */
#ifndef SOLVE_NEWTON_H
#define SOLVE_NEWTON_H

#include "base/log.h"
#include "base/words.h"
#include "linear/solver.h"
#include "solve/force_balance.h"
#include "solve/look_ahead.h"
#include "solve/problem.h"
#include "solve/true_newton.h"
#include "solve/trust_region.h"

/* What a stepper does after each accepted iteration. */
typedef struct newton_hooks {
    void *context;
    /* direction: largest entry of the unscaled Newton direction. Sets *changed when energies or
     * unknowns changed at the same x, and *may_stop to false to forbid convergence now. */
    abut_status (*after_iteration)(void *context, const double *x, double direction, bool *changed,
                                   bool *may_stop, abut_error *err);
} newton_hooks;

/* What the tolerance is compared with: the largest entry of the direction, or its root mean square
 * over the free nodes, three times in a row (Codimensional IPC; for comparisons: a few nodes may
 * still be far from convergence). */
#define NEWTON_MEASURES(ROW) ROW(NEWTON_LARGEST, "largest") ROW(NEWTON_RMS, "rms")
typedef enum newton_measure { NEWTON_MEASURES(WORD_CONSTANT) } newton_measure;
extern const char *const newton_measure_words[];

/* Whether directions may come from the true Hessian, where the projected one is seen to be too
 * stiff. */
#define NEWTON_HESSIANS(ROW) ROW(NEWTON_ADAPTIVE, "adaptive") ROW(NEWTON_PROJECTED, "projected")
typedef enum newton_hessian { NEWTON_HESSIANS(WORD_CONSTANT) } newton_hessian;
extern const char *const newton_hessian_words[];

typedef struct newton_options {
    double tolerance; /* on the direction (a length) */
    /* The largest unbalanced force as a share of the largest one (solve/force_balance.h): a short
     * direction is not the end before. 0: not asked for. */
    double force_tolerance;
    int max_iterations;
    bool look_ahead; /* directions that collisions stop early are found anew */
    newton_hessian hessian;
    bool true_first; /* the true Hessian in every iteration in which it gives a descent direction */
    newton_measure measure;
    double forcing; /* largest relative residual of iterative linear solves; 0: all exact */
    bool local;     /* subset solves where only some nodes are far from convergence */
    /* Ends, not converged, when the energy is unlikely to fall this far: by four times what the
     * quadratic model promises. NULL: never. */
    const double *goal;
} newton_options;

typedef struct newton_result {
    int iterations;
    int halvings; /* of the line search, in all */
    double direction;
    double first_direction; /* of the first iteration */
    double energy;
    double unbalanced; /* share of the force, where the rule asked last; 0: never */
    bool converged;
    bool
        at_noise; /* converged where the energy's rounding hides whether the last direction helps */
    bool stalled; /* the line search could not lower the energy any more near the solution */
} newton_result;

typedef struct newton_solver {
    problem *problem;
    linear_solver *linear;
    const logger *log;
    double *step, *direction, *trial, *right;
    bool shifted; /* the last direction comes from a shifted matrix: its length does not tell how
                     near the minimum is */
    true_newton exact;
    trust_region region;
    look_ahead ahead;
    force_balance balance;
    double *exact_direction; /* what was added to x last, before it was shortened */
    uint8_t *chosen;         /* per unknown: in the subset */
    uint64_t subset_solves;  /* linear systems of subset solves, not counted as iterations */
    /* Called with every accepted iterate, those of subset solves included; or NULL. */
    abut_status (*on_move)(void *context, const double *x, abut_error *err);
    void *on_move_context;
} newton_solver;

abut_status newton_init(newton_solver *n, problem *p, linear_solver *linear, const logger *log,
                        abut_error *err);
void newton_free(newton_solver *n);

/* Minimises from x (3 block_count), which is replaced by the result. hooks may be NULL; they may
 * change what ev points to.
 * ABUT_ERROR_NOT_CONVERGED: iteration cap, or no descent; x is the best feasible state. */
abut_status newton_minimize(newton_solver *n, const evaluation *ev, double *x,
                            const newton_options *options, const newton_hooks *hooks,
                            newton_result *result, abut_error *err);

#endif

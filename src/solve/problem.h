/* The sum of energy terms over the free coordinates: what a time step minimises. */
#ifndef SOLVE_PROBLEM_H
#define SOLVE_PROBLEM_H

#include "base/array.h"
#include "base/timer.h"
#include "linear/block_matrix.h"
#include "linear/scatter.h"
#include "linear/solver.h"
#include "solve/low_rank.h"
#include "solve/rank_share.h"
#include "term/term.h"

enum { PROBLEM_MAX_TERMS = 24 };

typedef struct group_maps {
    scatter_map gradient, matrix;
    /* The group's blocks in free numbering, -1 = eliminated. Where the problem is divided: rows, of
     * the stencils in `items` only, which touch this rank's rows. Where it is restricted: of those
     * in `items`, which have an unknown. */
    ARRAY(int32_t) free_blocks, items;
    size_t count; /* stencils that are computed here */
    /* The maps are valid for the present blocks, and for the matrix of this pattern (0: none). */
    bool mapped;
    uint64_t mapped_pattern;
} group_maps;

typedef struct problem {
    int32_t block_count;   /* all coordinate blocks */
    int32_t free_count;    /* blocks that are unknowns */
    int32_t *free_index;   /* block -> unknown, or -1 */
    int32_t *free_block;   /* unknown -> block */
    uint8_t *fixed;        /* 3 per block: this scalar is prescribed */
    const double *lengths; /* per block: m that points move per unit; NULL: 1; borrowed */
    const uint8_t *points; /* per block: its coordinates are a position; NULL: all; borrowed */
    uint8_t *mask;         /* the same in free numbering, for partly fixed blocks */
    bool any_mask;         /* some free block has a fixed scalar */
    ARRAY(uint8_t) whole;  /* `fixed` without the restriction, while there is one */
    bool restricted;       /* only stencils with an unknown are computed */
    bool pattern_complete; /* the matrix pattern holds the keys of all static terms */
    int term_count;
    term *terms[PROBLEM_MAX_TERMS];
    group_maps *maps[PROBLEM_MAX_TERMS];  /* per term TERM_MAX_GROUPS */
    step_bound bounds[PROBLEM_MAX_TERMS]; /* of the last problem_max_step */
    block_matrix matrix;                  /* empty when the problem is divided */
    rank_share *share;                    /* NULL: the problem is not divided */
    double *gradient;                     /* 3 free_count */
    low_rank low;                         /* of the matrix, not in it */
    key_list keys, static_keys, missing, recent;
    ARRAY(double) buffer, position;
    ARRAY(int32_t) own_blocks; /* scratch */
    uint64_t assemblies_since_pattern;
    bool new_step; /* no derivatives since problem_begin_step */
    stage_timer *timer;
} problem;

abut_status problem_init(problem *p, int32_t block_count, stage_timer *timer, abut_error *err);
void problem_free(problem *p); /* does not destroy the terms */

abut_status problem_add_term(problem *p, term *t, abut_error *err);

/* Divides the problem over the ranks: the matrix is assembled by rows, each by its owner. The
 * gradient and all else is the same on all ranks. Before anything is assembled. */
abut_status problem_divide(problem *p, abut_error *err);

/* Sets which scalars are prescribed (3 flags per block). A no-op when nothing changed. */
abut_status problem_set_fixed(problem *p, const uint8_t *fixed, abut_error *err);

/* Fixes all unknowns but the chosen ones (one flag each) until problem_lift_restriction. What
 * depends on none of the chosen ones is left out, which may change the energy by a constant. A
 * restricted problem may be restricted further. Not for divided problems. */
abut_status problem_restrict(problem *p, const uint8_t *chosen, abut_error *err);
abut_status problem_lift_restriction(problem *p, abut_error *err);

/* Begins a step: the pattern forgets contacts that are gone. A step then depends on its start only,
 * so that a resumed run has the same bits. */
void problem_begin_step(problem *p);

/* Tells the terms that x is current. */
abut_status problem_update(problem *p, const evaluation *ev, const double *x, abut_error *err);
/* Energy at x (after problem_update with the same x). */
double problem_value(const problem *p, const evaluation *ev, const double *x);
/* Gradient over the free coordinates, and optionally the matrix, at x. */
abut_status problem_derivatives(problem *p, const evaluation *ev, const double *x, bool with_matrix,
                                abut_error *err);
/* A step with matrix * step = right, as exact as `tolerance` asks (0: the solver's own). x: where
 * the matrix was computed. */
abut_status problem_solve(problem *p, linear_solver *solver, const double *x, const double *right,
                          double tolerance, double *step, abut_error *err);
/* For making an indefinite matrix definite: shifts every diagonal entry by a share of its size. */
void problem_shift_diagonal(problem *p, double share);
/* Gradient of one term alone. */
abut_status problem_term_gradient(problem *p, const term *t, const evaluation *ev, const double *x,
                                  abut_error *err);
/* Largest feasible step along p (over all coordinates, 3 block_count), at most limit; what each
 * term allows is in p->bounds. */
abut_status problem_max_step(problem *p, const evaluation *ev, const double *x,
                             const double *direction, double limit, double *alpha, abut_error *err);
/* Tells the terms that this step is about to be taken. */
void problem_note_bounds(problem *p, const evaluation *ev, const double *x,
                         const double *direction);
/* The terms adapt after an accepted iteration at x; true when energies have changed. */
bool problem_adapt(problem *p, const evaluation *ev, const double *x);
bool problem_accepts(problem *p, const evaluation *ev, const double *x);

/* Spreads a vector over the unknowns to all coordinates (0 for prescribed ones). */
void problem_expand(const problem *p, const double *free_vector, double *full_vector);

#endif

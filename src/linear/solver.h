/* Solvers of the symmetric positive definite Newton system, chosen by name (docs/solvers.md). */
#ifndef LINEAR_SOLVER_H
#define LINEAR_SOLVER_H

#include "base/log.h"
#include "linear/block_matrix.h"
#include "linear/row_matrix.h"

typedef struct linear_options {
    const char *name;    /* of a class, or "auto" */
    double tolerance;    /* relative residual of iterative solvers */
    int max_iterations;  /* of iterative solvers; 0: the default of the class */
    bool reproducible;   /* same bits for any number of threads (one BLAS thread) */
    double memory_limit; /* bytes that a factor may take; 0: half of the memory that there is */
    bool alone;          /* where the solver fails, no other takes over */
    bool factor;         /* "auto" takes a factorisation: exact solutions are needed */
    const logger *log;   /* told when a solver fails and another takes over; may be NULL */
} linear_options;

typedef struct linear_statistics {
    uint64_t solves, analyses, factorizations, iterations;
    uint64_t most_iterations; /* of one solve */
    uint64_t fallbacks;       /* solves that another solver had to do */
    size_t factor_entries;    /* scalars in the factor */
    bool exact;               /* the last solve was, whatever tolerance was asked for */
    /* Counted (linear/work.h): making factors, levels and the like; using them. */
    double setup_work, iteration_work;
} linear_statistics;

/* One system. Either the whole matrix, or the rows of this rank. */
typedef struct linear_system {
    const block_matrix *a;
    const row_matrix *rows;
    const double *b;        /* of the rows that are there */
    double tolerance;       /* of iterative solvers; 0: that of the options */
    const double *position; /* 3 per block that is there, not finite: no point; NULL: unknown */
    const uint8_t *mask;    /* 3 per block that is there: x = 0; NULL: none */
    double work_limit;      /* counted work after which an iteration has failed; 0: none */
    double setup_limit;     /* the same of making levels for it */
} linear_system;

typedef struct linear_solver linear_solver;

/* How exactly iterative solvers solve for another right side. */
#define LINEAR_AGAIN 1e-6

typedef struct linear_class {
    const char *name;
    bool iterative; /* uses the tolerance */
    bool by_rows;   /* wants the rows of this rank, not the whole matrix */
    abut_status (*create)(const linear_options *options, void **self, abut_error *err);
    /* Analyses the pattern again when its stamp has changed.
     * ABUT_ERROR_NOT_CONVERGED: not positive definite, or the iteration failed. */
    abut_status (*solve)(void *self, const linear_system *system, double *x,
                         linear_statistics *statistics, abut_error *err);
    /* Another right side with the matrix of the last solve, which was successful. NULL: not
     * offered.
     */
    void (*solve_again)(void *self, const double *b, double *x);
    /* The history that later results depend on (an ordering of the blocks): NULL when there is
     * none. order has room for `capacity` blocks; numbers is two doubles. */
    void (*save)(const void *self, int32_t *order, size_t capacity, double *numbers);
    abut_status (*load)(void *self, const int32_t *order, const double *numbers, abut_error *err);
    /* The same for what a solver has learned: LINEAR_CHOICE doubles. NULL: nothing. */
    void (*save_choice)(const void *self, double *choice);
    abut_status (*load_choice)(void *self, const double *choice, abut_error *err);
    /* What does the work, and why. NULL: the class does. */
    const char *(*describe)(const void *self, char *reason, size_t capacity);
    /* Hands the memory of the values over to another solver of this class; nothing is solved again
     * before the next solve. NULL: it keeps little. */
    void (*lend)(void *self, void *to);
    /* Others do the work for now: gives back what takes much memory. NULL: nothing does. */
    void (*rest)(void *self);
    /* A time step begins: what was kept of earlier values is forgotten. NULL: nothing is. */
    void (*begin_step)(void *self);
    void (*destroy)(void *self);
} linear_class;

/* What factorising would take: scalars of the factor, counted work (linear/work.h). self: of
 * linear_direct. */
abut_status direct_estimate(void *self, const block_matrix *a, linear_statistics *statistics,
                            double *entries, double *work, abut_error *err);
/* True when a factor of that many scalars may be made. */
bool linear_factor_fits(const linear_options *options, double entries);

extern const linear_class *const linear_classes[]; /* end with NULL */
extern const char *const linear_solver_words[];    /* in scenes: "auto" and their names */
/* NULL when there is no solver of that name ("auto" is none). */
const linear_class *linear_find(const char *name);

abut_status linear_create(const linear_options *options, linear_solver **out, abut_error *err);
/* A new one with the options of another. */
abut_status linear_create_alike(const linear_solver *other, linear_solver **out, abut_error *err);
/* A x = b with the tolerance of the options. */
abut_status linear_solve(linear_solver *solver, const block_matrix *a, const double *b, double *x,
                         abut_error *err);
abut_status linear_solve_system(linear_solver *solver, const linear_system *system, double *x,
                                abut_error *err);
/* Another right side with the matrix of the last solve, if that can be had cheaply. */
bool linear_can_solve_again(const linear_solver *solver);
void linear_solve_again(linear_solver *solver, const double *b, double *x);
/* Hands over the memory that the next solve fills anew, if both are of the same class. */
void linear_lend(linear_solver *solver, linear_solver *to);
/* A step depends on its start only, so that a run that goes on from a checkpoint has the same bits.
 */
void linear_begin_step(linear_solver *solver);
/* Nothing is solved until the next step: gives back what that would forget. */
void linear_end_step(linear_solver *solver);
/* No step may come: gives back the memory of values, which the next solve makes anew. */
void linear_rest(linear_solver *solver);
const linear_statistics *linear_get_statistics(const linear_solver *solver);
/* True when the tolerance of a system matters, so that an inexact Newton can save work. */
bool linear_is_iterative(const linear_solver *solver);
/* True when systems must come as the rows of this rank. */
bool linear_wants_rows(const linear_solver *solver);
double linear_tolerance(const linear_solver *solver);
/* The solver that was asked for or chosen, and why; texts of the solver. */
const char *linear_name(linear_solver *solver);
const char *linear_reason(linear_solver *solver);
/* For checkpoints: what a solver remembers, so that results after loading have the same bits.
 * choice is what "auto" has learned; all 0: nothing, or another name was given. */
enum { LINEAR_NUMBERS = 2, LINEAR_CHOICE = 16 };
void linear_save(const linear_solver *solver, int32_t *order, size_t capacity,
                 double numbers[LINEAR_NUMBERS], double choice[LINEAR_CHOICE]);
abut_status linear_load(linear_solver *solver, const int32_t *order,
                        const double numbers[LINEAR_NUMBERS], const double choice[LINEAR_CHOICE],
                        abut_error *err);
void linear_destroy(linear_solver *solver);

extern const linear_class linear_auto; /* in no table: it chooses among those that are */
extern const linear_class linear_direct, linear_cholmod, linear_pcg, linear_ic, linear_multigrid;
extern const linear_class linear_petsc, linear_petsc_mumps, linear_petsc_gamg, linear_petsc_hypre,
    linear_petsc_icc, linear_petsc_bjacobi;

#endif

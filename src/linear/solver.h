/* Solvers of the symmetric positive definite Newton system, chosen by name. */
#ifndef LINEAR_SOLVER_H
#define LINEAR_SOLVER_H

#include "base/log.h"
#include "linear/block_matrix.h"

typedef struct linear_options {
    const char *name;   /* "direct", "cholmod" or "pcg" */
    double tolerance;   /* relative residual of iterative solvers */
    int max_iterations; /* of iterative solvers; 0 = 10 x unknowns */
    bool reproducible;  /* same bits for any number of threads (one BLAS thread) */
} linear_options;

typedef struct linear_statistics {
    uint64_t analyses, factorizations, iterations;
    size_t factor_entries; /* scalars in the factor */
} linear_statistics;

typedef struct linear_solver linear_solver;

typedef struct linear_class {
    const char *name;
    abut_status (*create)(const linear_options *options, void **self, abut_error *err);
    /* Solves A x = b. Analyses the pattern again when its stamp has changed.
     * ABUT_ERROR_NOT_CONVERGED: not positive definite, or the iteration failed. */
    abut_status (*solve)(void *self, const block_matrix *a, const double *b, double *x,
                         linear_statistics *statistics, abut_error *err);
    /* The history that later results depend on (an ordering of the blocks): NULL when there is
     * none. order has room for `capacity` blocks; numbers is two doubles. */
    void (*save)(const void *self, int32_t *order, size_t capacity, double *numbers);
    abut_status (*load)(void *self, const int32_t *order, const double *numbers, abut_error *err);
    void (*destroy)(void *self);
} linear_class;

abut_status linear_create(const linear_options *options, linear_solver **out, abut_error *err);
abut_status linear_solve(linear_solver *solver, const block_matrix *a, const double *b, double *x,
                         abut_error *err);
const linear_statistics *linear_get_statistics(const linear_solver *solver);
/* For checkpoints: what a solver remembers, so that results after loading have the same bits. */
void linear_save(const linear_solver *solver, int32_t *order, size_t capacity, double numbers[2]);
abut_status linear_load(linear_solver *solver, const int32_t *order, const double numbers[2],
                        abut_error *err);
void linear_destroy(linear_solver *solver);

extern const linear_class linear_direct, linear_cholmod, linear_pcg;

#endif

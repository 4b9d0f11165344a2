/* Whether a preconditioner that was made for an earlier matrix of the step still serves.
 *
 * Matrices of a step differ little, and making a preconditioner costs as much as many iterations.
 * An old one may take that many more than it took when it was new; where it takes half of them, the
 * next matrix gets a new one. */
#ifndef LINEAR_PRECONDITIONER_AGE_H
#define LINEAR_PRECONDITIONER_AGE_H

#include <math.h>
#include <stdbool.h>

typedef struct preconditioner_age {
    double per_digit; /* iterations for each digit of the residual, when it was new */
    bool serves;      /* false: a new one is wanted */
} preconditioner_age;

/* Iterations that making one costs (bench/scale, multigrid: 15, GAMG: 25). */
enum { PRECONDITIONER_COST = 15 };

static inline double digits_of(double tolerance) { return fmax(1, -log10(tolerance)); }

/* Iterations that an old one may take. */
static inline int preconditioner_patience(const preconditioner_age *age, double tolerance)
{
    return (int)ceil(age->per_digit * digits_of(tolerance)) + PRECONDITIONER_COST;
}

static inline void preconditioner_was_new(preconditioner_age *age, double tolerance, int iterations)
{
    age->per_digit = iterations / digits_of(tolerance);
    age->serves = true;
}

static inline void preconditioner_was_old(preconditioner_age *age, double tolerance, int iterations)
{
    int patience = preconditioner_patience(age, tolerance);
    age->serves = iterations <= patience - PRECONDITIONER_COST / 2;
}

#endif

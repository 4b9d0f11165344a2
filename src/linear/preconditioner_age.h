/* Whether a preconditioner that was made for an earlier matrix of the step still serves.
 *
 * Matrices of a step differ little, and making a preconditioner costs as much as many iterations.
 * It is replaced as any tool that wears off: when a solve with it takes more than the solves since
 * it was made have taken on the mean, with the work of making it. Work is counted in any unit, but
 * in the same everywhere. */
#ifndef LINEAR_PRECONDITIONER_AGE_H
#define LINEAR_PRECONDITIONER_AGE_H

#include <math.h>
#include <stdbool.h>

typedef struct preconditioner_age {
    double made;      /* work of making it */
    double per_digit; /* work for each digit of the residual, when it was new */
    double spent;     /* work since it was made, with that of making it, */
    double digits;    /* and the digits that were solved to */
    bool serves;      /* false: a new one is wanted */
} preconditioner_age;

static inline double digits_of(double tolerance) { return fmax(1, -log10(tolerance)); }

/* Work after which a solve with an old one has failed: that of making a new one and solving with
 * it. */
static inline double preconditioner_patience(const preconditioner_age *age, double tolerance)
{
    return age->made + age->per_digit * digits_of(tolerance);
}

static inline void preconditioner_was_new(preconditioner_age *age, double tolerance, double made,
                                          double work)
{
    double digits = digits_of(tolerance);
    *age = (preconditioner_age){made, work / digits, made + work, digits, true};
}

static inline void preconditioner_was_old(preconditioner_age *age, double tolerance, double work)
{
    double digits = digits_of(tolerance);
    age->serves = work * age->digits <= age->spent * digits;
    age->spent += work;
    age->digits += digits;
}

#endif

/* An energy that a program brings as a function: a sum over stencils of nodes, with the derivatives
 * that the function gives. Hessians are projected here unless it says that they need not be. */
#ifndef TERM_USER_ENERGY_H
#define TERM_USER_ENERGY_H

#include "term/term_row.h"

enum { USER_ENERGY_MAX_WIDTH = 8 };

/* As in abut/control.h. */
typedef bool (*user_energy_function)(void *user, size_t first, size_t count, const double *x,
                                     double *energy, double *gradient, double *hessian);

typedef struct user_energy {
    const char *name;
    const int32_t *blocks;
    int width;
    size_t count;
    user_energy_function evaluate;
    void *user;
    bool convex;
} user_energy;

/* Name and blocks are copied. Errors: a block that the model does not have, a wrong width. */
abut_status user_energy_create(const model *m, const user_energy *from, term **out,
                               abut_error *err);
/* What it was made of; NULL for terms of another kind. Lives as long as the term. */
const user_energy *user_energy_of(const term *t);

extern const term_row user_energy_row; /* of no table: models do not ask for it */

#endif

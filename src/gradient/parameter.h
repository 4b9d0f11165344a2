/* Parameters: numbers of a scene by which a run is differentiated. One row of the table per kind
 * (parameter.c): where its numbers live, and how they enter the potential of a step. */
#ifndef GRADIENT_PARAMETER_H
#define GRADIENT_PARAMETER_H

#include "gradient/adjoint.h"

typedef struct parameter_row parameter_row;

typedef struct parameter {
    const parameter_row *row;
    char *name;          /* path of a key, or name of a body */
    int32_t body;        /* -1: a key */
    size_t first, count; /* its scalars among those of all parameters */
} parameter;

/* What a part of the derivative is computed from: w . dG with the factors of `ev` at x; inertia
 * pushes by M times `push` (3 per block). */
typedef struct parameter_pass {
    stepper *s;
    const evaluation *ev;
    const double *x, *w, *push;
} parameter_pass;

struct parameter_row {
    const char *name;
    /* Number of scalars; 0: the body has none, with the reason in err. */
    abut_status (*count)(const stepper *s, int32_t body, size_t *out, abut_error *err);
    void (*read)(const parameter *p, const stepper *s, double *values);
    /* Puts values in, before the first step. */
    abut_status (*apply)(const parameter *p, stepper *s, const double *values, abut_error *err);
    /* out -= w . dG/dp; NULL: does not enter the potential. */
    abut_status (*pass)(const parameter *p, const parameter_pass *at, double *out, abut_error *err);
    /* Adds what follows from the derivatives by the first state; NULL: nothing. */
    void (*start)(const parameter *p, const stepper *s, const motion_state *bar, double *out);
    bool is_rest;     /* its numbers are rest positions, 3 per block */
    unsigned changes; /* OBJECTIVE_READS_...: objectives that read it have no derivative by it */
};

/* NULL: there is no such kind. */
const parameter_row *parameter_find(const char *name);
extern const parameter_row parameter_key;

#endif

/* What the solve of a step went through: with the state at its start all that the positions found
 * depend on. Whoever differentiates a step (gradient/) reads it; a stepper that has none set does
 * not write one. */
#ifndef STEP_STEP_RECORD_H
#define STEP_STEP_RECORD_H

#include "base/array.h"
#include "base/status.h"

#include <stdbool.h>

typedef struct step_record {
    size_t scalars;            /* per positions */
    ARRAY(double) positions;   /* at the end of every pass of friction, one after the other */
    ARRAY(double) kappa;       /* stiffness of contact there */
    ARRAY(double) lag_kappa;   /* stiffness with which friction forces of every pass were taken */
    ARRAY(double) multipliers; /* forces of constraints that terms found, pass after pass */
    bool attached;             /* some pass ended before all prescribed nodes had arrived */
    double left; /* largest distance of a coordinate from where its forces would balance, m */
} step_record;

static inline void step_record_clear(step_record *r)
{
    if (!r) return;
    array_clear(&r->positions);
    array_clear(&r->kappa);
    array_clear(&r->lag_kappa);
    array_clear(&r->multipliers);
    r->attached = false;
    r->left = 0;
}

static inline void step_record_free(step_record *r)
{
    array_free(&r->positions);
    array_free(&r->kappa);
    array_free(&r->lag_kappa);
    array_free(&r->multipliers);
}

/* A pass that ended at x; nothing where r is NULL. */
abut_status step_record_pass(step_record *r, const double *x, size_t scalars, double kappa,
                             bool attached, abut_error *err);

#endif

/* Stiffness-proportional (Rayleigh) damping of elements with the stiffness lagged at the start of
 * the step: weight x sum of beta / 2 u^T K(x^t) u, u = x - x^t, K projected to positive
 * semi-definite. With weight = factor / h (factor the integrator's on forces) that is the force
 * -beta K v. */
#ifndef TERM_DAMPING_H
#define TERM_DAMPING_H

#include "body/model.h"
#include "term/elastic.h"

typedef struct damping_term {
    term base;
    const model *model;
    double *stiffness[TERM_MAX_GROUPS];  /* per group (as in term/elastic.h): blocks of the upper
                                            triangle of every element */
    double *start;                       /* 3 per block */
    const term *source[TERM_MAX_GROUPS]; /* the term whose elements are damped */
    int source_group[TERM_MAX_GROUPS];   /* and which of its groups */
    bool bending[TERM_MAX_GROUPS];       /* its damping is that of bending */
} damping_term;

/* True when some body of the model is damped. */
bool damping_needed(const model *m);
/* Damps the volume elements. */
abut_status damping_create(const model *m, const elastic_term *elastic, damping_term **out,
                           abut_error *err);
/* Damps the elements of a term of shells or rods, too (one group, weight above 0 when lagged),
 * each by the number of its first block's body. */
abut_status damping_add_term(damping_term *t, const term *source, bool bending, abut_error *err);
/* Takes stiffness and positions of the start of the step. */
void damping_lag(damping_term *t, const double *x);

#endif

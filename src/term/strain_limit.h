/* The strain limit of shells as an energy: kappa sum of volume x b(sigma) over the triangles of
 * bodies that have a limit (material/strain_limit.h). Steps never pass a limit; kappa doubles while
 * a triangle stays within 1e-4 of its limit's width (Codimensional IPC, 4.1). */
#ifndef TERM_STRAIN_LIMIT_H
#define TERM_STRAIN_LIMIT_H

#include "term/element.h"

typedef struct strain_limit_term {
    element_term element;
    double kappa;             /* Pa; only grows */
    ARRAY(int32_t) triangles; /* model triangle of every element */
    ARRAY(int32_t) blocks;
    uint8_t *close; /* per element: near its limit at the last iterate */
} strain_limit_term;

/* True when some shell has a limit. */
bool strain_limit_needed(const model *m);
abut_status strain_limit_create(const model *m, strain_limit_term **out, abut_error *err);

/* Triangles that stop the step from x along p (strain_limit_ahead.c). */
abut_status strain_limit_obstructions(const term *base, const double *x, const double *p,
                                      obstruction_list *out, abut_error *err);

/* Forgets which triangles were near their limit, so that a step depends on its start only. */
void strain_limit_begin_step(strain_limit_term *t);

#endif

/* Barriers on high-order elements that are about to invert between their quadrature points.
 *
 * The energy of an element acts at its quadrature points only (fem/elements.h), but steps are
 * limited wherever in the element the Jacobian determinant would vanish. Between the points the
 * determinant can approach zero without a force against it, and steps become shorter and shorter.
 * The elements that limit a step like that get a barrier on the Bernstein coefficients of their
 * determinant (fem/determinant_bound.h) from the next iteration until the time step ends: as long
 * as these are positive no point of the element inverts, so that one barrier is enough. */
#ifndef TERM_INVERSION_BARRIER_H
#define TERM_INVERSION_BARRIER_H

#include "fem/determinant_bound.h"
#include "term/elastic.h"

/* An element and the parts over which its determinant is bounded. */
typedef struct guarded_element {
    int32_t element;
    determinant_bound_list parts;
} guarded_element;

typedef struct guarded_list {
    ARRAY(guarded_element) elements;
    ARRAY(int32_t) blocks; /* the nodes of every one */
} guarded_list;

typedef struct inversion_barrier_term {
    term base;
    const model *model;
    guarded_list *lists; /* one per element set */
    int pending_set;     /* -1: none */
    ARRAY(int32_t) pending;
} inversion_barrier_term;

/* True when some element could invert between its quadrature points. */
bool inversion_barrier_needed(const model *m);
/* Looks at what bounds the steps of the elastic term of the same problem. */
abut_status inversion_barrier_create(const model *m, inversion_barrier_term **out, abut_error *err);
/* Forgets all elements, so that a step depends on its start only. */
void inversion_barrier_begin_step(inversion_barrier_term *t);

#endif

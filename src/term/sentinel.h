/* Barriers at points where a high-order element was about to turn inside out unseen.
 *
 * The energy of an element is felt at the points of its rule only (fem/elements.h), but steps are
 * held back wherever in the element the Jacobian determinant would vanish. Between the points a
 * determinant can approach zero without any force against it, and steps become shorter and shorter.
 * When an element holds a step back like that, its worst point gets the barrier of the guards from
 * the next iteration on, until the time step ends. A second time at nearly the same place the
 * barrier becomes stronger. */
#ifndef TERM_SENTINEL_H
#define TERM_SENTINEL_H

#include "term/elastic.h"

/* A point of an element: gradients of the basis functions in rest coordinates and its measure. */
typedef struct sentinel {
    int32_t element;
    double xi[3], measure;
    vec3 gradient[ELEMENT_MAX_NODES];
} sentinel;

typedef struct sentinel_list {
    ARRAY(sentinel) points;
    ARRAY(int32_t) blocks; /* the nodes of the element of every point */
} sentinel_list;

typedef struct sentinel_term {
    term base;
    const model *model;
    sentinel_list *lists; /* one per element set */
    int pending_set;      /* -1: none */
    sentinel pending;
} sentinel_term;

/* True when some element could turn inside out between the points of its rule. */
bool sentinel_needed(const model *m);
/* Looks at what bounds the steps of the elastic term of the same problem. */
abut_status sentinel_create(const model *m, sentinel_term **out, abut_error *err);
/* Forgets all points, so that a step depends on its start only. */
void sentinel_begin_step(sentinel_term *t);

#endif

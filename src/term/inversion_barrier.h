/* Barriers at points where a high-order element was about to invert between its quadrature points.
 *
 * The energy of an element acts at its quadrature points only (fem/elements.h), but steps are
 * limited wherever in the element the Jacobian determinant would vanish. Between the points the
 * determinant can approach zero without a force against it, and steps become shorter and shorter.
 * When an element limits a step like that, its worst point gets a barrier on the determinant from
 * the next iteration until the time step ends. A second time at nearly the same point the barrier
 * becomes stronger. */
#ifndef TERM_INVERSION_BARRIER_H
#define TERM_INVERSION_BARRIER_H

#include "term/elastic.h"

/* A point of an element: gradients of the basis functions in rest coordinates and its measure. */
typedef struct inversion_point {
    int32_t element;
    double xi[3], measure;
    vec3 gradient[ELEMENT_MAX_NODES];
} inversion_point;

typedef struct inversion_point_list {
    ARRAY(inversion_point) points;
    ARRAY(int32_t) blocks; /* the nodes of the element of every point */
} inversion_point_list;

typedef struct inversion_barrier_term {
    term base;
    const model *model;
    inversion_point_list *lists; /* one per element set */
    int pending_set;             /* -1: none */
    inversion_point pending;
} inversion_barrier_term;

/* True when some element could invert between its quadrature points. */
bool inversion_barrier_needed(const model *m);
/* Looks at what bounds the steps of the elastic term of the same problem. */
abut_status inversion_barrier_create(const model *m, inversion_barrier_term **out, abut_error *err);
/* Forgets all points, so that a step depends on its start only. */
void inversion_barrier_begin_step(inversion_barrier_term *t);

#endif

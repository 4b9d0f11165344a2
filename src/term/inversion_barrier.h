/* Barriers at points where a high-order element was about to turn inside out unseen.
 *
 * The energy of an element is felt at the points of its rule only (fem/elements.h), but steps are
 * held back wherever in the element the Jacobian determinant would vanish. Between the points a
 * determinant can approach zero without any force against it, and steps become shorter and shorter.
 * When an element holds a step back like that, its worst point gets the barrier of the
 * inversion-barrier points from the next iteration on, until the time step ends. A second time at
 * nearly the same place the barrier becomes stronger. */
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

/* True when some element could turn inside out between the points of its rule. */
bool inversion_barrier_needed(const model *m);
/* Looks at what bounds the steps of the elastic term of the same problem. */
abut_status inversion_barrier_create(const model *m, inversion_barrier_term **out, abut_error *err);
/* Forgets all points, so that a step depends on its start only. */
void inversion_barrier_begin_step(inversion_barrier_term *t);

#endif

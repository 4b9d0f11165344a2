/* Elastic energy of all volume elements: sum of volume x density(F), for materials
 * with parts the density of a step that begins with their states. Group 0 are the linear tets, the
 * other groups the element sets of the model. */
#ifndef TERM_ELASTIC_H
#define TERM_ELASTIC_H

#include "body/model.h"
#include "term/elastic_state.h"
#include "term/keep.h"

typedef struct elastic_term {
    term base;
    const model *model;
    elastic_state state;
    bool keeps_volume; /* some material forbids inversion: steps are filtered and states checked */
} elastic_term;

enum { ELASTIC_SET_GROUP = 1 }; /* of the first element set */

bool is_elastic_term(const term *t);
abut_status elastic_create(const model *m, elastic_term **out, abut_error *err);
/* Elements that stop the step from x along p (elastic_ahead.c). */
abut_status elastic_obstructions(const term *base, const double *x, const double *p,
                                 obstruction_list *out, abut_error *err);
/* det F of one linear tet. */
double elastic_volume_ratio(const elastic_term *t, const double *x, size_t element);
/* Smallest det F over all elements (at the points of their rules); 1 when there are none. */
double elastic_min_volume_ratio(const elastic_term *t, const double *x);
/* Largest singular value of F over all elements; 1 when there are none. */
double elastic_max_stretch(const elastic_term *t, const double *x);
/* Elements of the sets that are not shown to have a positive Jacobian determinant everywhere. */
size_t elastic_count_inverted(const elastic_term *t, const double *x);

#endif

/* The part of the elastic term (term/elastic.h) that runs over an element set. Without weights
 * unless said. */
#ifndef TERM_ELEMENT_ENERGY_H
#define TERM_ELEMENT_ENERGY_H

#include "body/model.h"

double elements_energy(const model *m, const element_set *s, const double *x,
                       const point_states *states);
/* As term_class.derivatives. */
void elements_derivatives(const model *m, const element_set *s, const double *x,
                          const point_states *states, double weight, bool project, size_t begin,
                          size_t end, double *gradient, double *hessian);
/* Largest step along p, at most limit, that keeps `fraction` of det J everywhere in the elements
 * whose material forbids inversion. */
double elements_max_step(const model *m, const element_set *s, const double *x, const double *p,
                         double limit, double fraction);
/* The first element that does not allow more than `step` along p; -1 when all do. */
int64_t elements_holding(const model *m, const element_set *s, const double *x, const double *p,
                         double step, double fraction);
/* Over all elements and points of the rule: smallest det F, largest stretch. */
double elements_min_volume_ratio(const model *m, const element_set *s, const double *x);
double elements_max_stretch(const model *m, const element_set *s, const double *x);
/* Elements whose map is not shown to have a positive determinant everywhere. */
size_t elements_count_inverted(const model *m, const element_set *s, const double *x);
/* Adds the integrals of |u|^2 and |grad u|^2 over the elements; raises *largest to the largest
 * component of a nodal displacement. */
void elements_add_norms(const model *m, const element_set *s, const double *x, double *l2,
                        double *semi, double *largest);

#endif

/* Derivatives of elastic forces by the material and by the rest shape, for gradients of whole
 * simulations. All laws are linear in their moduli: the derivative of a force by a modulus is the
 * force of another material (elastic_derivative). */
#ifndef TERM_ELASTIC_BY_H
#define TERM_ELASTIC_BY_H

#include "term/elastic.h"

/* The material whose energy is the derivative of `of` by Young's modulus, everything else in
 * proportion, or by Poisson's ratio. False: the law has parameters of its own, or moduli that do
 * not follow from these two. */
bool elastic_derivative(const elastic_parameters *of, term_parameter by, elastic_parameters *out);
/* Young's modulus and Poisson's ratio of small strains. */
void elastic_moduli(const elastic_parameters *of, double *young, double *poisson);

/* For the class of the term (term/term.h). */
abut_status elastic_by_parameter(const term *base, const evaluation *ev, int group, const double *x,
                                 term_parameter by, const double *w, double *out, abut_error *err);
/* Linear tets; the other groups are refused by who asks. */
void elastic_by_rest(const term *base, const evaluation *ev, int group, const double *x,
                     const double *w, double *out);

#endif

/* What followers (body/follower.h) add to the derivatives with respect to their leaders.
 *
 * Other terms see a follower f as a node at x_f = P(z), z the leaders: their value is that of the
 * reduced potential E(x(z)), and their derivatives by blocks that do not follow are right as they
 * are. Missing are J^T dE/dx_f in the gradient and, in the Hessian, J^T H_ff J, J^T H_fb and
 * dE/dx_f . d2P, with J = dP/dz. This term has no value and adds just these, stencil by stencil of
 * the terms that it was made for. Consistent masses, loads and damping of followers come with it.
 */
#ifndef CONSTRAINT_LED_TERM_H
#define CONSTRAINT_LED_TERM_H

#include "body/model.h"
#include "term/term.h"

/* For the static ones of these terms, which must outlive it. */
abut_status led_create(const model *m, term *const *terms, int count, term **out, abut_error *err);

/* Puts the followers of such a term where they belong in x; gives them the direction, to first
 * order, that follows from those of their leaders in p. Other terms have none. */
void led_follow(const term *t, double *x);
void led_direct(const term *t, const double *x, double *p);

#endif

/* Nodes that follow others exactly, in a step. */
#ifndef STEP_FOLLOWERS_H
#define STEP_FOLLOWERS_H

#include "step/stepper.h"

/* What s->dirichlet.fixed has for scalars that are no unknowns and not prescribed either. */
enum { FIXED_FOLLOWS = 4 };

/* The term of followers, where there are any, after all others; a node that is prescribed as well
 * is an error. */
abut_status stepper_lead_followers(stepper *s, abut_error *err);
/* Marks their scalars. */
void stepper_fix_followers(stepper *s);

#endif

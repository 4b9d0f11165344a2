/* Coordinates that are no unknowns because they follow others (constraint/led_term.h). */
#ifndef SOLVE_FOLLOW_H
#define SOLVE_FOLLOW_H

#include "constraint/led_term.h"
#include "solve/problem.h"

/* Their positions in x. */
static inline void problem_follow(const problem *p, double *x)
{
    for (int t = 0; t < p->term_count; t++) led_follow(p->terms[t], x);
}

/* Their directions in p, a direction of all others from x. */
static inline void problem_direct(const problem *p, const double *x, double *direction)
{
    for (int t = 0; t < p->term_count; t++) led_direct(p->terms[t], x, direction);
}

#endif

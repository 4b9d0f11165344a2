/* Tight-Inclusion root finding by plain breadth-first bisection of (t, u, v), as published
 * (Algorithms 3.2 and 3.3, with the corrections described in docs/theory/ccd.md). It is the
 * reference that the default method of ccd/tight_inclusion.h is measured against: slow where F has
 * grazing or infinitely many roots, but with nothing to get wrong beyond the filter. */
#ifndef CCD_BISECTION_H
#define CCD_BISECTION_H

#include "ccd/ccd.h"

/* Two levels of boxes; grows, never shrinks. One per thread, zero-initialised. */
typedef struct bisection_scratch {
    struct bisection_box *level[2];
    size_t capacity[2];
} bisection_scratch;

/* The minimum separation is measured in the maximum norm whatever options->norm says. */
ccd_result bisection_ccd(ccd_kind kind, const vec3 *start, const vec3 *end,
                         const ccd_options *options, bisection_scratch *scratch);

void bisection_scratch_free(bisection_scratch *scratch);

#endif

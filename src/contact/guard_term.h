/* The guard: an exact check that no edge of the collision surface passes through a triangle and
 * that no vertex is behind a half-space, by predicates and independent of distances and CCD (IPC
 * supplement 4, the last paragraph).
 *
 * Every accepted step is checked once. As a term it has no energy; enabled, it refuses every trial
 * position of a line search that fails the check. The stepper enables it only to repeat a step
 * whose result did fail. */
#ifndef CONTACT_GUARD_TERM_H
#define CONTACT_GUARD_TERM_H

#include "contact/contact_term.h"

typedef struct guard_term {
    term base;
    const contact_term *contact;
    pair_list pairs; /* edges and triangles whose boxes meet */
    vec3 *y;
    size_t tests; /* pairs looked at in all, for statistics */
} guard_term;

/* What a check has found: an edge and a triangle of the surface, or a vertex and a half-space. */
typedef struct guard_finding {
    int32_t edge, triangle; /* or -1 */
    int32_t vertex, plane;  /* or -1 */
} guard_finding;

abut_status guard_create(const contact_term *contact, guard_term **out, abut_error *err);
/* *found: the positions x are not feasible; the first reason goes to *finding. */
abut_status guard_check(guard_term *t, const double *x, bool *found, guard_finding *finding,
                        abut_error *err);
/* "edge 3 7 of "mat" passes through triangle 1 2 9 of "ball"": numbers of the collision surface. */
void guard_describe(const guard_term *t, const guard_finding *finding, char *text, size_t size);

#endif

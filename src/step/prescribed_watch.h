/* Prescribed surfaces among themselves. Pairs of which no vertex can respond are no contacts, so
 * nothing in a step keeps them apart: what is prescribed through something else that is prescribed
 * goes through. This looks at their ways with continuous collision detection and tells.
 *
 * Obstacles are scenery and may overlap: their pairs are not looked at, nor are those of bodies
 * that do not collide by their group. */
#ifndef STEP_PRESCRIBED_WATCH_H
#define STEP_PRESCRIBED_WATCH_H

#include "broad/candidates.h"
#include "contact/contact_term.h"

typedef struct prescribed_watch {
    const contact_term *contact; /* for its model, half-spaces and rules of collision */
    ARRAY(uint8_t) held;         /* per vertex: all coordinates that it follows are prescribed */
    ARRAY(int32_t) points;       /* those vertices */
    collision_surface part;      /* edges and triangles of which all vertices are among them */
    bool some;                   /* one of them is of no obstacle */
    bool told;                   /* that prescribed bodies meet, once */
    broad_phase *broad;          /* of the part; NULL: not made yet */
    candidate_set candidates;
    ARRAY(vec3) from, way; /* per vertex; the chord of the way */
    ARRAY(double) extra;
} prescribed_watch;

/* Two bodies that meet, or one that gets behind a half-space. */
typedef struct prescribed_finding {
    bool found;
    int32_t first, second; /* bodies; second -1: the half-space `plane` */
    int32_t plane;
    double part; /* of the way that is known to be free */
} prescribed_finding;

/* Of a zeroed watch. */
void prescribed_watch_init(prescribed_watch *w, const contact_term *contact);
void prescribed_watch_free(prescribed_watch *w);

/* The way from x to `to`, rotation vectors and all other coordinates along straight lines, for what
 * is fixed (3 flags per block). When nothing of it moves, nothing is found. */
abut_status prescribed_watch_look(prescribed_watch *w, const double *x, const double *to,
                                  const uint8_t *fixed, prescribed_finding *out, abut_error *err);
/* "the prescribed bodies "a" and "b" meet", for messages. */
void prescribed_describe(const prescribed_watch *w, const prescribed_finding *finding, char *text,
                         size_t size);

#endif

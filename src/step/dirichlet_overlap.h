/* Prescribed surfaces among themselves. Pairs of which no vertex can respond are no contacts, so
 * nothing in a step keeps them apart: what is prescribed through something else that is prescribed
 * goes through. This checks their paths by continuous collision detection.
 *
 * Obstacles are scenery and may overlap: their pairs are not looked at, nor are those of bodies
 * that do not collide by their group. */
#ifndef STEP_DIRICHLET_OVERLAP_H
#define STEP_DIRICHLET_OVERLAP_H

#include "broad/candidates.h"
#include "contact/contact_term.h"

typedef struct dirichlet_overlap {
    const contact_term *contact; /* for its model, half-spaces and rules of collision */
    /* Per vertex of the surface: a number that those share which do not move relative to each
     * other, or negative; set by who knows. NULL: not known. */
    const int32_t *groups;
    ARRAY(uint8_t) fixed; /* what the part was chosen for */
    bool chosen;
    bool some; /* a vertex of the part is of no obstacle */
    bool told; /* that prescribed bodies meet, once */
    /* The part of the surface that is prescribed, with numbers of its own: vertices all of whose
     * coordinates are prescribed, and the edges and triangles between these. */
    ARRAY(int32_t) points, body, key;
    ARRAY(uint8_t) obstacle, key_flags;
    collision_surface part; /* edges and triangles only */
    broad_phase *broad;     /* of the part; NULL: not made yet */
    /* All pairs that can meet while no vertex leaves a ball about where it was when they were
     * found; or, where these are many, the pairs of one step. */
    candidate_set candidates;
    bool crowded;
    ARRAY(vec3) center;
    double radius;                /* of the balls; negative: nothing was found yet */
    ARRAY(vec3) from, path;       /* per vertex of the part; the chord of the path, */
    ARRAY(double) off;            /* how far the path is off it at most, */
    double off_most;              /* the largest of these, */
    ARRAY(double) half_thickness; /* half of what a pair keeps, rounded up, */
    ARRAY(double) extra;          /* and by how much its boxes are wider */
} dirichlet_overlap;

/* Two bodies that meet, or one that gets behind a half-space. */
typedef struct dirichlet_finding {
    bool found;
    int32_t first, second; /* bodies; second -1: the half-space `plane` */
    int32_t plane;
    double part; /* of the path that is known to be free */
} dirichlet_finding;

/* Of a zeroed struct. */
void dirichlet_overlap_init(dirichlet_overlap *w, const contact_term *contact);
void dirichlet_overlap_free(dirichlet_overlap *w);

/* The path from x to `to`, rotation vectors and all other coordinates along straight lines, for
 * what is fixed (3 flags per block). When nothing of it moves, nothing is found. */
abut_status dirichlet_overlap_find(dirichlet_overlap *w, const double *x, const double *to,
                                   const uint8_t *fixed, dirichlet_finding *out, abut_error *err);
/* "the prescribed bodies "a" and "b" meet", for messages. */
void dirichlet_describe(const dirichlet_overlap *w, const dirichlet_finding *finding, char *text,
                        size_t size);

#endif

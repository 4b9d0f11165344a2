/* Adhesion between two bodies, or of bodies to half-spaces, by the distance d of their surfaces:
 * with the strength s (Pa) and the range D = 2 w / s the work w (J/m^2) of separation needs,
 *
 *   s (d^2 / D - D / 2) for d < D / 2,   -s (D - d)^2 / D for D / 2 <= d < D
 *
 * per area: the traction rises linearly to s at D/2 and falls to 0 at D (the normal part of Fang
 * and others 2023, as a function of d instead of d^2). It is C1, a new pair begins with no force,
 * and below dhat the contact barrier is in balance with it. Its concave branch is projected for
 * Newton's method: snapping off is real. Pairs, areas, mollified edges and the sums without
 * duplicates are those of contact (contact_term.h), searched for within D. */
#ifndef CONTACT_ADHESION_TERM_H
#define CONTACT_ADHESION_TERM_H

#include "contact/contact_term.h"

typedef struct adhesion_term {
    term base;
    contact_term *pairs; /* owned; its barrier is the attraction */
    double strength;     /* Pa */
} adhesion_term;

/* planar: sums without duplicates are for triangles. */
abut_status adhesion_create(const model *m, double strength, double work, adhesion_term **out,
                            abut_error *err);
abut_status adhesion_add_pair(adhesion_term *t, int32_t a, int32_t b, abut_error *err);
/* Of a half-space; then bodies do not adhere to each other. */
abut_status adhesion_add_half_space(adhesion_term *t, half_space plane, abut_error *err);

/* A step begins at x: vertices adhere to half-spaces by the areas that they show to them there. */
void adhesion_begin_step(adhesion_term *t, const double *x);

#endif

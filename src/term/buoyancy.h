/* Water at rest: the work to lift the water that bodies displace. With s the depth of a
 * point below the level (s < 0 above) and <s> = max(s, 0), the energy of a closed surface is
 *
 *   E = w int_volume <s> dV = -w / 2 sum_triangles A_up mean(<s>^2),
 *
 * w the weight of the water per volume and A_up the area of a triangle as seen from above, with the
 * sign of its outward normal: the divergence theorem, exact for triangles, those that the level
 * cuts included, as s is linear on them. Nothing is needed where the level cuts the surface: the
 * integrand is 0 there. Its gradient is the pressure w s on the wet part. */
#ifndef TERM_BUOYANCY_H
#define TERM_BUOYANCY_H

#include "term/on_surface.h"
#include "term/term_row.h"

typedef struct buoyancy_term {
    on_surface_term on;
    double *level;   /* per water: at the end of the step */
    int bad;         /* a water whose level is no number, -1: none */
    double bad_time; /* s */
} buoyancy_term;

/* Mean of <s>^2 over a triangle with these values at its corners, and its derivatives. */
double wet_mean(const double s[3], double first[3], double second[3][3]);

#endif

/* Air that flows past surfaces, rods and grains. With r the velocity of an element's middle
 * relative to the air, split into r_n across and r_t along it, and A its area,
 *
 *   D = h rho A / 2 (C_n |r_n|^3 + C_t |r_t|^3) / 3,   r = (c - c_start) / h - w,
 *
 * which is convex in x: its forces -rho A / 2 (C_n |r_n| r_n + C_t |r_t| r_t) never feed energy
 * into bodies in air at rest. Directions and areas are those of the start of the step. What the
 * force across a surface has across the wind is its lift. Surfaces that enclose a volume feel r_n
 * on the side that meets the air only. */
#ifndef TERM_WIND_H
#define TERM_WIND_H

#include "term/on_surface.h"
#include "term/term_row.h"

/* What an element is during a step. */
typedef struct wind_patch {
    vec3 start, velocity; /* of its middle at the start of the step, m; of the air there, m/s */
    vec3 axis;            /* unit: normal of a triangle, direction of an edge */
    double area;          /* m^2 */
} wind_patch;

typedef struct wind_term {
    on_surface_term on;
    wind_patch *patches; /* per element */
    bool *one_sided;     /* per element */
    int bad;             /* a wind whose velocity is no number, -1: none */
    double bad_time;     /* s */
} wind_term;

#endif

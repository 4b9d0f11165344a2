/* The independent checker for motions: whether a surface that moves along a path is free of contact
 * at every moment, not only at some.
 *
 * A pair of primitives is apart during [t0, t1] when one direction n separates it there:
 * n . (a_i - b_j) > 0 for all vertices a_i of the one and b_j of the other. Where they move along
 * straight lines this is linear in t, so that the two ends decide, by exact signs
 * (geometry/check_exact.h); n itself need not be exact. Where there is no such n the interval is
 * halved. That shares neither code nor idea with src/ccd, knows no tolerance, and proves what it
 * accepts: a pair whose distance is positive is accepted after some halvings, one that touches
 * never. Pairs for which the proof fails at the finest interval, or takes too long, are reported.
 *
 * Vertices of bodies that turn move along curves q + R(theta) X with q and theta linear in t. Their
 * second derivative is at most 3/2 |dtheta|^2 |X|, so that they stay within 3/16 |dtheta|^2 |X| s^2
 * of the chord of an interval of length s; the proof leaves that much room, and some for rounding.
 */
#ifndef GEOMETRY_CHECK_PATH_H
#define GEOMETRY_CHECK_PATH_H

#include "geometry/check.h"

/* How a body turns on one piece of the path. */
typedef struct check_turn {
    bool turns;
    vec3 q[2], theta[2];
} check_turn;

/* Configurations between which everything moves on. All arrays are the caller's. */
typedef struct check_path {
    const vec3
        *configurations; /* of all vertices of the surface, one configuration after the other */
    size_t configuration_count;
    const double *thickness; /* per body: pairs stay further apart than their mean; NULL: 0 */
    const check_turn *turns; /* per piece and body, NULL: none; then arms are per vertex */
    size_t body_count;
    const vec3 *arms;
    const int32_t *turns_with; /* per vertex: the body that it turns with; NULL: its own */
} check_path;

/* A pair that is not proven to be apart: from this time of a piece on. */
typedef struct check_meeting {
    check_pair pair;
    size_t piece;
    double time;
} check_meeting;

/* One pair on one piece: na and nb vertices at its two ends. True when it is proven to stay more
 * than `gap` apart; otherwise *time is where that ended. */
bool check_pair_stays_apart(const vec3 (*a)[2], int na, const vec3 (*b)[2], int nb, double gap,
                            double *time);

/* All pairs of the surface that are not proven to be apart along the path, the first piece of each
 * one; sorted like intersections. *meetings is allocated with mem_alloc. looked_at (or NULL): how
 * many pairs come so near that they were. Positions of the surface do not matter. */
abut_status check_along_path(const check_surface *surface, const check_path *path,
                             check_meeting **meetings, size_t *count, size_t *looked_at,
                             abut_error *err);

#endif

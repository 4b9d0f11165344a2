/* Additive CCD (Codimensional IPC, section 5.4): advances by safe steps, each the present gap over
 * the largest closing speed, and adds them up until the gap has shrunk to a given part of what it
 * was. Simple, and exact about thickness; slow for pairs that slide along each other at a small
 * gap, which are handed on to Tight Inclusion with the same target.
 *
 * Two changes to the published algorithm, both on the safe side: the distance is the certified
 * lower bound that a separating direction gives (rounding included), not a computed distance; and
 * the closing speed is the largest relative speed of a pair of end points, which is never more than
 * the sum of the two largest displacements. Relative motion needs no mean to be subtracted. */
#ifndef CCD_ADDITIVE_H
#define CCD_ADDITIVE_H

#include "ccd/ccd.h"

typedef struct additive_options {
    double offset;          /* xi: thickness, Euclidean; the gap is the distance beyond it */
    double keep;            /* s: part of the initial gap that must remain, 0 < s < 1 */
    double target;          /* or this gap, when it is smaller */
    double t_max;           /* t_c: early out */
    int64_t max_iterations; /* over both methods; then a conservative hit */
    int64_t hand_over;      /* iterations before Tight Inclusion takes over; 0 = at once */
} additive_options;

/* No offset, s = 0.1, no absolute target, t_max 1, 1e6 iterations, hand over after 64. */
additive_options additive_default_options(void);

/* A hit comes with a time before which the gap stays positive and at which it is at least
 * min(keep * gap at 0, target), up to rounding; result.tolerance is the gap that is left there.
 * Pairs without a gap at the start are hits at 0 (CCD_TOUCHING). result.checks counts iterations.
 */
ccd_result additive_ccd(ccd_kind kind, const vec3 *start, const vec3 *end,
                        const additive_options *options);

/* CODIM-27: a time before which the gap cannot close, whatever the method: gap over closing speed.
 */
double additive_lower_bound(ccd_kind kind, const vec3 *start, const vec3 *end, double offset);

#endif

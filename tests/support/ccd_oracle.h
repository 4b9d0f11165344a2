/* Exact answers to CCD queries, in integer arithmetic (GMP): whether two linearly moving primitives
 * touch during [0, 1], and when first. Shares no code and no idea with the methods it checks.
 *
 * The four points are coplanar when a cubic f(t) vanishes. At each of its roots (isolated exactly)
 * the signs of quadratics decide whether the primitives really touch. When f is zero for all t, the
 * first touch is at t = 0 or moves a vertex onto an edge, which are roots of quadratics again. */
#ifndef CCD_ORACLE_H
#define CCD_ORACLE_H

#include "ccd/ccd.h"

typedef struct ccd_oracle ccd_oracle;

/* NULL when out of memory. One per thread. */
ccd_oracle *ccd_oracle_new(void);
void ccd_oracle_free(ccd_oracle *oracle);

/* True if the primitives touch at some t in [0, 1]. The coordinates must be finite. */
bool ccd_oracle_hit(ccd_oracle *oracle, ccd_kind kind, const vec3 *start, const vec3 *end);

/* About the last query, which must have been a hit: whether t <= first time of impact, exactly. */
bool ccd_oracle_not_later(ccd_oracle *oracle, double t);

/* The first time of impact of the last query, correct to about 2^-50; INFINITY for a miss. */
double ccd_oracle_toi(ccd_oracle *oracle);

/* Whether at time t (a double, exactly) the primitives are within `distance` of each other in the
 * maximum norm, exactly. */
bool ccd_oracle_within(ccd_oracle *oracle, ccd_kind kind, const vec3 *start, const vec3 *end,
                       double t, double distance);

/* For a minimum separation: a time at which the primitives are within `distance` of each other in
 * the maximum norm, exactly, and at most 2^-24 after they came there if they were apart at the
 * moment before among `moments` equal steps of [0, 1]. INFINITY when they are not at any of these
 * moments. A method that says that they keep apart all along, or come there later, is wrong. */
double ccd_oracle_first_within(ccd_oracle *oracle, ccd_kind kind, const vec3 *start,
                               const vec3 *end, double distance, int moments);

#endif

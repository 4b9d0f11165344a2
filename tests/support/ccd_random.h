/* Random and adversarial CCD queries: coordinates on coarse grids (so that exact contacts, parallel
 * and coplanar configurations are common), constructed contacts and near misses, degenerate
 * primitives, all scales. */
#ifndef CCD_RANDOM_H
#define CCD_RANDOM_H

#include "base/random.h"
#include "ccd/ccd.h"

enum { CCD_RANDOM_FAMILIES = 12 };

typedef struct ccd_random_query {
    ccd_kind kind;
    int family;
    double scale; /* a power of two: typical size of the coordinates */
    vec3 start[4], end[4];
} ccd_random_query;

/* A query of the given family (0 .. CCD_RANDOM_FAMILIES - 1). */
void ccd_random_make(random_state *random, int family, ccd_random_query *query);

const char *ccd_random_family_name(int family);

#endif

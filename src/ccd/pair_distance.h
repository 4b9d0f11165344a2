/* Distance of the two primitives of a pair at one moment. */
#ifndef CCD_PAIR_DISTANCE_H
#define CCD_PAIR_DISTANCE_H

#include "ccd/ccd.h"
#include "geometry/distance.h"

/* Squared. */
static inline double pair_distance2(ccd_kind kind, const vec3 *x)
{
    switch (kind) {
    case CCD_POINT_TRIANGLE: return point_triangle_true_distance2(x[0], x[1], x[2], x[3]);
    case CCD_EDGE_EDGE: return edge_edge_true_distance2(x[0], x[1], x[2], x[3]);
    case CCD_POINT_EDGE: return point_edge_true_distance2(x[0], x[1], x[2]);
    case CCD_POINT_POINT: return point_point_distance2(x[0], x[1]);
    }
    return 0.0;
}

static inline double pair_distance(ccd_kind kind, const vec3 *x)
{
    return sqrt(pair_distance2(kind, x));
}

#endif

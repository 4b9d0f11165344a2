/* The vertices of a candidate pair, and its distance. Written for a kind that is known when it is
 * compiled: loops over the vertices become straight code, which the many pairs that are far enough
 * apart need. */
#ifndef CONTACT_PAIR_GEOMETRY_H
#define CONTACT_PAIR_GEOMETRY_H

#include "body/collision_surface.h"
#include "broad/pairs.h"
#include "ccd/pair_distance.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The vertices of the first primitive, then those of the second: up to four. */
static inline void pair_vertices(const collision_surface *s, ccd_kind kind, index_pair pair,
                                 int32_t *v)
{
    const int32_t *triangles = s->triangles.data, *edges = s->edges.data;
    switch (kind) {
    case CCD_POINT_TRIANGLE:
        v[0] = pair.first;
        memcpy(v + 1, triangles + 3 * (size_t)pair.second, 3 * sizeof *v);
        break;
    case CCD_EDGE_EDGE:
        memcpy(v, edges + 2 * (size_t)pair.first, 2 * sizeof *v);
        memcpy(v + 2, edges + 2 * (size_t)pair.second, 2 * sizeof *v);
        break;
    case CCD_POINT_EDGE:
        v[0] = pair.first;
        memcpy(v + 1, edges + 2 * (size_t)pair.second, 2 * sizeof *v);
        break;
    case CCD_POINT_POINT:
        v[0] = pair.first;
        v[1] = pair.second;
        break;
    }
}

static inline double pair_larger(double a, double b) { return a > b ? a : b; }

static inline double pair_gap(double alow, double ahigh, double blow, double bhigh)
{
    return pair_larger(0, pair_larger(alow - bhigh, blow - ahigh));
}

/* A lower bound of the squared distance from bounding boxes: cheaper than the distance itself. */
ALWAYS_INLINE double pair_box_distance2(ccd_kind kind, const vec3 *x)
{
    int n = ccd_vertex_count(kind), first = kind == CCD_EDGE_EDGE ? 2 : 1;
    vec3 alow = x[0], ahigh = x[0], blow = x[first], bhigh = x[first];
    for (int k = 1; k < first; k++) {
        alow = vec3_min(alow, x[k]);
        ahigh = vec3_max(ahigh, x[k]);
    }
    for (int k = first + 1; k < n; k++) {
        blow = vec3_min(blow, x[k]);
        bhigh = vec3_max(bhigh, x[k]);
    }
    double dx = pair_gap(alow.x, ahigh.x, blow.x, bhigh.x);
    double dy = pair_gap(alow.y, ahigh.y, blow.y, bhigh.y);
    double dz = pair_gap(alow.z, ahigh.z, blow.z, bhigh.z);
    return dx * dx + dy * dy + dz * dz;
}

/* True when the pair is certainly further apart than the root of distance2: by boxes, by the
 * normal, by the distance itself, the cheapest first. */
ALWAYS_INLINE bool pair_further_apart(ccd_kind kind, const vec3 *x, double distance2)
{
    if (pair_box_distance2(kind, x) > distance2) return true;
    if (kind == CCD_POINT_TRIANGLE && plane_keeps_apart(x[0], x[1], x[2], x[3], distance2))
        return true;
    if (kind == CCD_EDGE_EDGE && lines_keep_apart(x[0], x[1], x[2], x[3], distance2)) return true;
    return pair_distance2(kind, x) > distance2;
}

#endif

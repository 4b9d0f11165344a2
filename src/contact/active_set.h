/* The active set: all primitive pairs closer than dhat, reduced to the features that are really
 * closest, sorted by kind (IPC 2.4.3 and supplement 7).
 *
 * Point-point and point-edge stencils that come from several pairs are kept once with a
 * multiplicity. Nearly parallel edge pairs keep their four vertices for the mollifier. */
#ifndef CONTACT_ACTIVE_SET_H
#define CONTACT_ACTIVE_SET_H

#include "base/array.h"
#include "base/status.h"
#include "body/collision_surface.h"
#include "broad/candidates.h"
#include "geometry/distance.h"

#include <math.h>

typedef struct contact_stencil {
    int32_t vertex[4];   /* surface vertices, in the order of the distance function */
    double multiplicity; /* number (or weight) of the pairs that reduce to this stencil */
    double distance2;
    double thickness;    /* xi: what the distance must exceed */
    double threshold;    /* mollified edge pairs: of |u x v|^2 */
    edge_edge_type type; /* mollified edge pairs: which features are closest */
} contact_stencil;

typedef enum stencil_list {
    LIST_PP,
    LIST_PE,
    LIST_PT,
    LIST_EE,
    LIST_EE_MOLLIFIED,
    STENCIL_LISTS
} stencil_list;

typedef ARRAY(contact_stencil) stencil_array;

/* Areas at rest that vertices and edges stand for. */
typedef struct surface_areas {
    ARRAY(double) vertex; /* a third of its triangles; half of its free edges; else its width^2 */
    ARRAY(double) edge;   /* a third of its triangles; of a free edge its length times its width */
} surface_areas;

typedef struct surface_links surface_links; /* contact/max_operator.h */

/* How much pairs count; all 0: every pair once. */
typedef struct pair_weights {
    /* NULL: every pair counts 1. Otherwise pairs are weighed so that their sum is an integral over
     * the surface: a vertex against a triangle by a quarter of its area (both sides count, and
     * vertices and edges both cover the surface), edge pairs by a quarter of the sum of theirs;
     * where there are no triangles by a half. */
    const surface_areas *areas;
    surface_links *links; /* NULL: plain sums; otherwise corrected, some stencils count negative */
    /* Per vertex, see pair_stiffness.h; NULL: all pairs are as stiff. Not together with links. */
    const double *compliance;
} pair_weights;

typedef struct active_set {
    stencil_array lists[STENCIL_LISTS];
    pair_weights weights; /* that it was built with */
    double min_distance2; /* over all candidates; +INFINITY without candidates */
    double min_gap;       /* smallest distance beyond the thickness of the pair */
    /* scratch */
    ARRAY(uint8_t) type;
    ARRAY(double) distance2;
    ARRAY(double) gap;    /* only with thickness */
    ARRAY(bool) active;   /* only with links */
    ARRAY(uint64_t) keys; /* of the sorting, twice; and their indices, twice */
    ARRAY(uint32_t) indices;
    stencil_array sorted;
} active_set;

void active_set_free(active_set *set);
/* Adds the reduced stencil of a pair with the vertices g. False: out of memory. */
bool active_set_append(active_set *set, const feature_stencil *feature, const int32_t *g,
                       double distance2, double thickness, double weight);
/* Number of stencils of all lists. */
size_t active_set_count(const active_set *set);

/* d^2 - xi^2, what the barrier is a function of (Codimensional IPC, 5.1). */
static inline double stencil_offset2(double distance2, double thickness)
{
    if (thickness == 0) return distance2;
    double d = sqrt(distance2);
    return (d - thickness) * (d + thickness);
}
/* Where that ends: (xi + dhat)^2 - xi^2. */
static inline double stencil_reach2(double dhat2, double thickness)
{
    return thickness == 0 ? dhat2 : dhat2 + 2 * thickness * sqrt(dhat2);
}
/* (d - xi)^2, signed as the gap. */
static inline double stencil_gap2(const contact_stencil *c)
{
    if (c->thickness == 0) return c->distance2;
    double gap = sqrt(c->distance2) - c->thickness;
    return gap * fabs(gap);
}

/* What a pair of two sides counts; compliance may be NULL: 1. That of a side is the mean of its
 * vertices, so that nothing jumps when the closest features change. */
static inline double pair_stiffness(const double *compliance, const int32_t *a, int na,
                                    const int32_t *b, int nb)
{
    if (!compliance) return 1;
    double first = 0, second = 0;
    for (int k = 0; k < na; k++) first += compliance[a[k]] / na;
    for (int k = 0; k < nb; k++) second += compliance[b[k]] / nb;
    double softer = first > second ? first : second;
    return softer > 0 ? 1 / softer : 1;
}

/* Fills the set from candidate pairs at vertex positions y. */
abut_status active_set_build(active_set *set, const collision_surface *s,
                             const candidate_set *candidates, pair_weights weights, const vec3 *y,
                             double dhat, abut_error *err);

abut_status surface_areas_measure(surface_areas *areas, const collision_surface *s,
                                  const vec3 *rest, size_t vertex_count, abut_error *err);
/* Areas that the vertices turn to a plane with this normal at positions y: thirds of their
 * triangles (in scenes without triangles halves of their edges) that are at less than 60 degrees to
 * it; of other vertices their areas. */
void surface_facing_areas(const surface_areas *areas, const collision_surface *s, const vec3 *y,
                          vec3 normal, double *out);
void surface_areas_free(surface_areas *areas);

/* Positions of a stencil's vertices. */
static inline void stencil_positions(const contact_stencil *c, int count, const vec3 *y, vec3 *x)
{
    for (int k = 0; k < count; k++) x[k] = y[c->vertex[k]];
}

#endif

/* The improved approximation of the largest barrier of a point and a surface (Convergent IPC, Li
 * and others 2023, section 3): a sum over triangles counts a feature that neighbours share once per
 * neighbour, so shared edges are subtracted and inner vertices added again; a sum over edges has
 * shared vertices subtracted. What is left is one barrier per closest feature. */
#ifndef CONTACT_MAX_OPERATOR_H
#define CONTACT_MAX_OPERATOR_H

#include "contact/active_set.h"

/* How the parts of a surface hang together. Constant. */
struct surface_links {
    ARRAY(int32_t) neighbor_start, neighbor; /* of vertices along edges, ascending */
    ARRAY(int32_t) opposite_start, opposite; /* of edges: third vertices of their triangles */
    ARRAY(int32_t) triangle_edges;           /* 3 per triangle */
    ARRAY(uint8_t) inner;                    /* vertices all of whose edges have two triangles */
    ARRAY(int32_t) scratch;                  /* pairs that were found */
};

abut_status surface_links_make(surface_links *links, const collision_surface *s,
                               size_t vertex_count, abut_error *err);
void surface_links_free(surface_links *links);

/* Pairs of one sum that were found to be active, with the weight of a vertex or edge. */
typedef enum max_sum { SUM_TRIANGLES, SUM_EDGES_OF_EDGE, SUM_EDGES_OF_VERTEX } max_sum;

/* Appends the corrections of a sum to the lists of the set. `pairs` are the candidates of that sum
 * and `active[i]` tells which of them are closer than dhat. */
abut_status max_operator_correct(active_set *set, const collision_surface *s, max_sum sum,
                                 const int32_t (*pairs)[2], const bool *active, size_t count,
                                 const vec3 *y, double dhat, abut_error *err);
/* After merging: drops the stencils whose parts have cancelled. */
void max_operator_drop(active_set *set);

#endif

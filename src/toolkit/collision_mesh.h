/* What an abut_collision_mesh and lists of candidates hold; shared by the files that implement the
 * toolkit layer. */
#ifndef TOOLKIT_COLLISION_MESH_H
#define TOOLKIT_COLLISION_MESH_H

#include "base/memory.h"
#include "broad/candidates.h"
#include "ccd/line_search.h"
#include "contact/active_set.h"
#include "linear/csr.h"

#include <abut/contact.h>

struct abut_collision_mesh {
    size_t vertex_count, edge_count, triangle_count, point_count, group_count;
    int32_t (*edges)[2];
    int32_t (*triangles)[3];
    int32_t *points, *group;
    uint8_t *group_flags, *kinematic;
    double *thickness; /* NULL: none */
    double largest_thickness;
    double *rest; /* NULL: not given */
    bool planar;
    broad_phase *broad;
    collision_surface surface; /* as the active set wants it; edges and triangles are those above */
    surface_areas areas;       /* only with rest positions */
    csr_matrix map, map_transposed; /* only with dof_count > 0 */
    double *map_offset;             /* NULL: none */
    size_t dof_count;
    /* scratch, kept from call to call */
    candidate_set candidates;
    ARRAY(ccd_pair) pairs;
    ARRAY(double) distances;
};

struct abut_candidates {
    candidate_set set;
};

/* Three doubles per vertex are a vec3 per vertex. */
static inline const vec3 *as_vectors(const double *positions)
{
    return (const vec3 *)(const void *)positions;
}

/* All pairs within a distance on the path from start to end (NULL: at start). */
abut_status collision_mesh_pairs(abut_collision_mesh *m, const double *start, const double *end,
                                 double distance, candidate_set *out, abut_error *error);

#endif

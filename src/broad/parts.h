/* A broad phase for surfaces of bodies that do not collide with themselves: rigid and affine ones,
 * obstacles. Every body is cut once, at rest, into parts of a few neighbouring primitives. A query
 * gives one box per part, which costs a rigid body next to nothing (the box at rest, turned); only
 * parts whose boxes meet those of other bodies are looked at more closely. The cost of a query is
 * that of the parts and of what is near something else, not that of all vertices, and the pairs
 * found are exactly those of broad_candidates.
 *
 *     part_box *boxes = broad_parts_boxes(parts);   one per part, to be filled
 *     broad_parts_candidates(parts, &query, &candidates, err);
 */
#ifndef BROAD_PARTS_H
#define BROAD_PARTS_H

#include "broad/candidates.h"

typedef struct broad_part {
    int32_t vertex; /* one of its vertices: tells the body */
    int32_t arity;  /* its elements: 3 triangles, 2 edges in no triangle, 1 points in no edge */
    vec3 arm;       /* of its box at rest: from that vertex to the centre */
    vec3 half;      /* half of its extents */
} broad_part;

/* Must hold the boxes of all vertices of the part, as broad_query means them. */
typedef struct part_box {
    vec3 low, high;
} part_box;

typedef struct broad_parts broad_parts;

/* body: of every vertex; rest: positions of the vertices. No group collides with itself, whatever
 * its flags. All vertices are points. The surface's arrays must live as long. */
abut_status broad_parts_create(const broad_surface *surface, const int32_t *body, const vec3 *rest,
                               broad_parts **out, abut_error *err);
void broad_parts_destroy(broad_parts *p);
/* Reads the kinematic flags again after their values have changed. */
void broad_parts_update_filter(broad_parts *p);

size_t broad_parts_count(const broad_parts *p);
const broad_part *broad_parts_list(const broad_parts *p);
part_box *broad_parts_boxes(broad_parts *p);
/* Vertices of a part. */
const int32_t *broad_parts_vertices(const broad_parts *p, size_t part, size_t *count);

/* The same pairs as broad_candidates for this query, provided that the boxes hold the vertices'. */
abut_status broad_parts_candidates(broad_parts *p, const broad_query *query, candidate_set *out,
                                   abut_error *err);
/* How many pairs of parts met in the last query, most of its cost. */
size_t broad_parts_meetings(const broad_parts *p);
/* As broad_crossing_candidates. */
abut_status broad_parts_crossings(broad_parts *p, const vec3 *y, pair_list *out, abut_error *err);

#endif

/* An independent check of finished states: exact intersections, distances between primitives that
 * do not touch, inverted elements. It shares no code with the contact path of the solver (broad
 * phase, distances, exact predicates, CCD): all of these are here a second time, written
 * independently. geometry/check_path.h looks at motions. */
#ifndef GEOMETRY_CHECK_H
#define GEOMETRY_CHECK_H

#include "base/status.h"
#include "math/vec3.h"

#include <stdbool.h>

/* Flags of a body. */
enum {
    CHECK_BODY_OBSTACLE = 1, /* pairs of obstacles are not looked at */
    CHECK_BODY_RIGID = 2     /* pairs within the body are not looked at */
};

/* A surface of triangles, edges and points of any codimension. */
typedef struct check_surface {
    const vec3 *vertices;
    size_t vertex_count;
    const int32_t (*triangles)[3];
    size_t triangle_count;
    const int32_t (*edges)[2]; /* unique edges, of the triangles and free ones */
    size_t edge_count;
    const int32_t *points; /* vertices; those of edges or triangles may be among them */
    size_t point_count;
    const int32_t *body;          /* per vertex, or NULL for one body without flags */
    const uint8_t *body_flags;    /* per body, or NULL */
    const int32_t *body_group;    /* per body: those of equal number are not looked at; -1: none */
    const int32_t (*excluded)[2]; /* pairs of bodies that are not looked at; the lesser first */
    size_t excluded_count;
    const uint8_t *only; /* per vertex: pairs without a marked one are not looked at; or NULL */
} check_surface;

/* Whether a pair of bodies is among the excluded. */
bool check_excludes(const check_surface *s, int32_t a, int32_t b);

typedef enum check_kind {
    CHECK_EDGE_TRIANGLE,
    CHECK_EDGE_EDGE,
    CHECK_POINT_TRIANGLE,
    CHECK_POINT_EDGE,
    CHECK_POINT_POINT
} check_kind;

/* Numbers of two edges, triangles or points (for a point, its vertex). */
typedef struct check_pair {
    check_kind kind;
    int32_t first, second;
} check_pair;

const char *check_kind_name(check_kind kind); /* "edge-triangle", ... */

/* All pairs of primitives without a common vertex that intersect, touching included: every edge
 * against every triangle, edges in no triangle against each other, points in no edge or triangle
 * against everything. Sorted by kind, first, second. *pairs is allocated with mem_alloc. */
abut_status check_intersections(const check_surface *surface, check_pair **pairs, size_t *count,
                                abut_error *err);

/* For many states of one surface: the pairs that can intersect while every vertex stays in its box
 * low..high (all vertices; the positions of the surface do not matter). */
abut_status check_candidates_in(const check_surface *surface, const vec3 *low, const vec3 *high,
                                check_pair **pairs, size_t *count, abut_error *err);
/* The same for pairs that have a distance (those of check_min_distance), which are the ones that
 * can meet first when surfaces move. */
abut_status check_near_pairs_in(const check_surface *surface, const vec3 *low, const vec3 *high,
                                check_pair **pairs, size_t *count, abut_error *err);
/* As check_intersections, but of the listed pairs only. Indices and coordinates must be valid. */
abut_status check_listed(const check_surface *surface, const check_pair *candidates,
                         size_t candidate_count, check_pair **pairs, size_t *count,
                         abut_error *err);

/* Where a pair meets and how deep, in rounded arithmetic, for messages: the point where the edge
 * passes through the plane of the triangle and the part of the edge behind it (the shorter one,
 * along the normal); for the other kinds, which only touch, a point of the first primitive nearest
 * to the second, and 0. */
void check_locate(const check_surface *surface, const check_pair *pair, vec3 *position,
                  double *depth);
/* Vertices of the two primitives of a pair; returns the number of those of the first. */
size_t check_pair_vertices(const check_surface *surface, const check_pair *pair, int32_t first[3],
                           int32_t second[3], size_t *second_count);

typedef struct check_gap {
    double distance; /* INFINITY when nothing is within the radius */
    check_pair pair;
} check_gap;

/* Smallest distance, up to `radius`, between primitives without a common vertex: points and
 * triangles, edges and edges, points and free edges, free points. */
abut_status check_min_distance(const check_surface *surface, double radius, check_gap *out,
                               abut_error *err);

/* All pairs of such primitives whose distance is at most the mean of the thicknesses of their two
 * bodies (thickness: per body), sorted like intersections. */
abut_status check_too_close(const check_surface *surface, const double *thickness,
                            size_t body_count, check_pair **pairs, size_t *count, abut_error *err);

/* Tets (vertex numbers at nodes[i * stride .. +3]) whose volume is exactly not positive. *inverted,
 * if wanted (not NULL), is allocated with mem_alloc and ascending. */
abut_status check_inverted_tets(const vec3 *vertices, size_t vertex_count, const int32_t *nodes,
                                size_t stride, size_t tet_count, int32_t **inverted, size_t *count,
                                abut_error *err);

/* A vertex strictly inside a tet. */
typedef struct check_inside {
    int32_t vertex, tet;
} check_inside;

/* Points that lie strictly inside some tet (the first such tet of each). Where tets are not
 * inverted and surfaces do not intersect there are none: one that is there has jumped in without a
 * trace. Indices and coordinates must be valid. *found, NULL when empty, is allocated with
 * mem_alloc. */
abut_status check_points_inside(const vec3 *vertices, const int32_t *points, size_t point_count,
                                const int32_t *nodes, size_t stride, size_t tet_count,
                                check_inside **found, size_t *count, abut_error *err);

#endif

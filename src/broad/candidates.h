/* Candidate pairs of the collision surface: all pairs of primitives that may come close to each
 * other (static query) or meet on the path (swept query). Nothing that is closer than asked is ever
 * left out; what is in the lists is tight in the sense of boxes.
 *
 * The box of a vertex v is [min, max] of y_v and the end of its path, widened on every side by
 * inflation / 2 + extra_v (rounded outward); the box of an edge or a triangle bounds those of its
 * vertices. A pair is a candidate exactly when its two boxes touch or overlap and no rule below
 * refuses it. A tight query also wants the bounds along the diagonals x+-y, x+-z, y+-z to touch or
 * overlap (widened by the same Euclidean distance), which drops half to three quarters of the pairs
 * that need not be looked at closely. In both cases every pair whose distance anywhere on the path
 * is at most inflation + extra + extra' is in the list.
 *
 *     vt  vertex - triangle    every point of the surface against every triangle
 *     ee  edge - edge          all edges; the lower index first
 *     ve  vertex - edge        rod nodes and particles (points in no triangle) against edges in no
 *                              triangle; in planar scenes every point against every edge
 *     vv  vertex - vertex      particles (points in no edge and no triangle); lower index first
 *
 * Refused are pairs that share a vertex, pairs of two kinematic primitives, and pairs within a
 * group that does not collide with itself (a rigid body). Lists are sorted by first, then second
 * index. */
#ifndef BROAD_CANDIDATES_H
#define BROAD_CANDIDATES_H

#include "base/status.h"
#include "broad/bvh.h"
#include "broad/pairs.h"
#include "broad/vertex_boxes.h"

enum {
    BROAD_GROUP_NO_SELF = 1,   /* primitives of this group do not collide with each other */
    BROAD_GROUP_KINEMATIC = 2, /* all vertices of this group are kinematic */
};

/* The surface as the caller's arrays, which must live as long as the broad phase uses them. The
 * group of a primitive is that of its first vertex; it is kinematic when all its vertices are. */
typedef struct broad_surface {
    size_t vertex_count;
    size_t point_count;
    const int32_t *points; /* vertices that take part; NULL: all */
    size_t edge_count;
    const int32_t (*edges)[2]; /* all edges: those of the triangles and free ones */
    size_t triangle_count;
    const int32_t (*triangles)[3];
    const int32_t *group;       /* per vertex; NULL: all in group 0 */
    size_t group_count;         /* number of groups; groups from here on have no flags */
    const uint8_t *group_flags; /* BROAD_GROUP_* bits per group; NULL: none */
    const uint8_t *kinematic;   /* per vertex, on top of the groups; NULL: none */
    const uint64_t *excluded;   /* pairs of bodies that do not collide (broad_pair), ascending */
    size_t excluded_count;
    const int32_t *body; /* per vertex; of a primitive that of its first; only for `excluded` */
    bool planar;         /* 2D: only vertex-edge pairs, for all points and edges */
} broad_surface;

typedef enum candidate_kind {
    CANDIDATE_VT,
    CANDIDATE_EE,
    CANDIDATE_VE,
    CANDIDATE_VV
} candidate_kind;

/* Zero-initialised before first use. Lists only grow in memory. */
typedef struct candidate_set {
    pair_list vt, ee, ve, vv;
    double inflation; /* of the query */
    bool divided;     /* the ranks found them together, and share what follows by ranges */
    vec3 largest;     /* largest |coordinate| on the whole path, per axis: for the filter of CCD */
    int rebuilds;     /* trees that were ordered anew for this query, for statistics */
} candidate_set;

void candidate_set_free(candidate_set *set);
size_t candidate_set_count(const candidate_set *set); /* of all kinds */

typedef struct broad_phase broad_phase;

abut_status broad_create(const broad_surface *surface, broad_phase **out, abut_error *err);
void broad_destroy(broad_phase *broad);
/* Takes another surface (after remeshing), keeping the memory. */
abut_status broad_set_surface(broad_phase *broad, const broad_surface *surface, abut_error *err);
/* Reads group, group_flags and kinematic again after their values have changed. */
void broad_update_filter(broad_phase *broad);

/* All candidates. ABUT_ERROR_INPUT for positions that are not finite (also at the end of the path),
 * naming the vertex, and for an inflation that is negative or not finite. */
abut_status broad_candidates(broad_phase *broad, const broad_query *query, candidate_set *out,
                             abut_error *err);

/* Pairs of an edge and a triangle that may intersect at the positions y, by the same rules: for
 * checks of a state. */
abut_status broad_crossing_candidates(broad_phase *broad, const vec3 *y, pair_list *out,
                                      abut_error *err);

/* The candidates of a smaller query, chosen from a set that covers it (see below), without the
 * trees. `from` and `out` must differ. */
abut_status broad_select(broad_phase *broad, const broad_query *query, const candidate_set *from,
                         candidate_set *out, abut_error *err);

/* How far vertices may move (Euclidean length, beyond the path swept by the query) so that a set
 * still holds all candidates of queries with this inflation; negative when it never did. */
double candidate_set_reach(const candidate_set *set, double inflation);
/* True when the set holds all candidates of inflation `inflation` after such a displacement. */
static inline bool candidate_set_covers(const candidate_set *set, double displacement,
                                        double inflation)
{
    return displacement <= candidate_set_reach(set, inflation);
}
/* Largest length of b - a over all vertices; infinite when one is not finite. */
double broad_displacement(const vec3 *a, const vec3 *b, size_t count);

#endif

/* A bounding volume hierarchy over points, edges or triangles whose vertices move.
 *
 * The tree is implicit and eight wide: primitives are brought into an order in which eight
 * neighbours lie close together (recursive halving along the longest axis), level 0 holds their
 * boxes in packets of eight, and lane k of packet i of level n+1 bounds packet 8 i + k of level n.
 * There are no pointers: moving the vertices means one linear pass over the packets (bvh_refit_*).
 * The order is made anew only when the packets have become loose (bvh_is_loose).
 *
 * Each primitive carries what the pair filter needs, and each lane above what all primitives below
 * it share, so that whole branches are refused at once (static obstacles, the inside of rigid
 * bodies). */
#ifndef BROAD_BVH_H
#define BROAD_BVH_H

#include "base/array.h"
#include "base/status.h"
#include "broad/box8.h"

enum {
    BVH_MAX_LEVELS = 12,
    BVH_CHUNK = 64, /* packets of level 0 that one call of bvh_refit_chunk handles */
};

/* Bounds of one vertex in the stored (monotonically mapped) coordinates; the fourth is unused. */
typedef struct vertex_box {
    _Alignas(32) float low[4];
    float high[4];
} vertex_box;

/* The same along the diagonals (see box8.h); the last two are unused. */
typedef struct vertex_diagonals {
    _Alignas(64) float low[8];
    float high[8];
} vertex_diagonals;

/* What the primitives to put into a tree are; the arrays belong to the caller. */
typedef struct bvh_primitives {
    int arity;               /* vertices per primitive: 1, 2 or 3 */
    size_t count;            /* how many */
    const int32_t *subset;   /* their identifiers; NULL: 0 .. count-1 */
    const int32_t *vertices; /* arity indices for each identifier; NULL (arity 1): the identifier */
} bvh_primitives;

/* Primitives with the same key >= 0 are never paired with each other, nor are two primitives that
 * are both kinematic. */
enum { BVH_NO_KEY = -1 };

typedef struct bvh_item {
    float center[3];
    int32_t primitive; /* position in the list of primitives */
} bvh_item;

typedef struct bvh_segment {
    int32_t begin, end;
} bvh_segment;

typedef struct bvh {
    bvh_primitives primitives;
    int levels;                             /* 0 when there are no primitives */
    size_t level_first[BVH_MAX_LEVELS + 1]; /* first packet of each level */
    ARRAY(box8) packets;                    /* of all levels */
    ARRAY(diagonals8) diagonals;            /* of level 0; only where asked for */
    ARRAY(int32_t) keys;                    /* 8 per packet: key shared by all below, or -1 */
    ARRAY(uint8_t) kinematic;               /* bit per lane: all primitives below are kinematic */
    ARRAY(int32_t) ids;                     /* 8 per packet of level 0; -1 in lanes without one */
    ARRAY(int32_t) vertices[3];             /* 8 per packet of level 0; -1 in lanes without one */
    ARRAY(double) chunk_sums;               /* per chunk of level 0: spread, extent */
    double spread;         /* sum over packets: extent beyond the mean of their primitives */
    double extent;         /* sum over packets: mean extent of their primitives */
    double spread_built;   /* spread just after the order was made */
    bool fresh;            /* not refitted since the order was made */
    ARRAY(bvh_item) items; /* scratch of the build */
    ARRAY(bvh_segment) segments[2];
} bvh;

void bvh_free(bvh *tree);

/* Number of levels that this many primitives need. */
int bvh_levels_needed(size_t primitive_count);

/* Makes the order from the centres of the boxes of the vertices, with at least min_levels levels.
 * Afterwards the tree must be refitted, and the filter set, before it is used. */
abut_status bvh_build(bvh *tree, const bvh_primitives *primitives, const vertex_box *boxes,
                      int min_levels, abut_error *err);

/* Sets the filter from the key and the kinematic flag of each vertex: a primitive has the key of
 * its first vertex, and is kinematic when all its vertices are. Either may be NULL. */
void bvh_set_filter(bvh *tree, const int32_t *vertex_keys, const uint8_t *vertex_kinematic);

/* Refitting in pieces that may run in parallel: all chunks first, then the top. A length of 1 in
 * stored coordinates is `unit` in those of the user. */
size_t bvh_chunk_count(const bvh *tree);
void bvh_refit_chunk(bvh *tree, const vertex_box *boxes, size_t chunk);
void bvh_refit_top(bvh *tree, double unit);
/* Refits the bounds along the diagonals, which exist after bvh_reserve_diagonals. */
abut_status bvh_reserve_diagonals(bvh *tree, abut_error *err);
void bvh_refit_diagonals(bvh *tree, const vertex_diagonals *diagonals, size_t chunk);
/* All of it, without diagonals. */
void bvh_refit(bvh *tree, const vertex_box *boxes, double unit);

/* True when the packets have become so loose since the build that a new order pays. */
bool bvh_is_loose(const bvh *tree);

static inline size_t bvh_level_count(const bvh *tree, int level)
{
    return tree->level_first[level + 1] - tree->level_first[level];
}

#endif

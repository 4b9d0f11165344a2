/* What can be said about a mesh at a glance: sizes, volume, area, quality, closedness. */
#ifndef MESH_MEASURE_H
#define MESH_MEASURE_H

#include "mesh/mesh.h"

typedef struct mesh_measures {
    vec3 low, high;
    double diagonal;
    size_t unused_vertices; /* in no cell */
    size_t components; /* vertices without a cell not counted, unless there is no cell at all */
    size_t surface_triangles, surface_edges, surface_points, free_edges;
    size_t border_edges;       /* of one surface triangle */
    size_t nonmanifold_edges;  /* of more than two */
    size_t unoriented_edges;   /* of two triangles that run along it in the same direction */
    bool closed;               /* there are triangles, and every edge belongs to two */
    bool oriented;             /* no two neighbours disagree */
    double area;               /* of the surface */
    double volume;             /* of tets and hexes (by their corners), else enclosed by a closed,
                                  oriented surface; NAN when there is none */
    double min_edge, max_edge; /* over the edges of all cells; NAN without edges */
    size_t inverted;           /* tets and hexes of negative volume (hexes: at a corner) */
    size_t degenerate;         /* cells whose volume, area or length is 0 up to rounding */
} mesh_measures;

abut_status mesh_measure(const mesh *m, mesh_measures *out, abut_error *err);

typedef struct tag_count {
    int32_t tag;
    size_t cells;
} tag_count;

/* Tags of one block in ascending order with the number of their cells; *tags is allocated with
 * mem_alloc. A block without tags has none. */
abut_status block_tags(const cell_block *block, tag_count **tags, size_t *count, abut_error *err);

#endif

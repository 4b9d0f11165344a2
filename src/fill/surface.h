/* The triangles of a mesh made ready for filling: one block of linear triangles, corners at one
 * position merged, nothing twice, nothing without use. */
#ifndef FILL_SURFACE_H
#define FILL_SURFACE_H

#include "mesh/mesh.h"

typedef struct surface_report {
    size_t given_vertices, given_triangles;
    size_t vertices, triangles;
    double weld;       /* distance within which vertices became one, m */
    size_t degenerate; /* triangles with a repeated corner or without area, dropped */
    size_t repeated;   /* triangles that were there before, dropped */
    size_t cancelled;  /* triangles dropped in pairs of opposite orientation */
    vec3 low, high;
} surface_report;

/* weld: relative to the diagonal of the bounding box; negative: 1e-7, less where edges are short.
 * ABUT_ERROR_INPUT for meshes without triangles, with tetrahedra, of no size. */
abut_status surface_take(const mesh *in, double weld, mesh *out, surface_report *report,
                         abut_error *err);

/* The edges of triangles: how they are shared. */
typedef struct surface_edges {
    size_t border;      /* of one triangle */
    size_t nonmanifold; /* of more than two */
    size_t unbalanced;  /* not run along as often in one direction as in the other */
} surface_edges;

abut_status surface_count_edges(const int32_t (*triangles)[3], size_t count, surface_edges *out,
                                abut_error *err);

/* Intersections of a surface with itself, touching included. *pairs (allocated with mem_alloc, or
 * NULL): a triangle of either side. */
abut_status surface_crossings(const mesh *surface, int32_t (**pairs)[2], size_t *count, vec3 *first,
                              abut_error *err);

/* The triangles of such a surface. */
static inline const int32_t (*surface_triangles(const mesh *m))[3]
{
    return (const int32_t(*)[3])m->blocks[0].nodes;
}
static inline size_t surface_triangle_count(const mesh *m) { return m->blocks[0].count; }

/* Drops vertices of no triangle. */
void surface_compact(mesh *m, int32_t *scratch); /* vertex_count numbers */

#endif

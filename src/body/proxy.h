/* Linear collision surfaces of bodies with elements of any order: vertices V_S and a sparse matrix
 * W such that a vertex is at V_S + W u for displacements u of the nodes (High-Order IPC, section
 * 4).
 *
 * W comes from sampling the boundary, from finding a given surface in the cells, or from a file. */
#ifndef BODY_PROXY_H
#define BODY_PROXY_H

#include "base/array.h"
#include "base/status.h"
#include "mesh/mesh.h"

typedef int32_t proxy_triangle[3];
typedef int32_t proxy_edge[2];

typedef struct proxy {
    ARRAY(vec3) vertices;    /* at rest */
    ARRAY(size_t) row_start; /* one more than vertices */
    ARRAY(int32_t) node;     /* entries of W: vertex of the mesh of nodes */
    ARRAY(double) weight;
    ARRAY(proxy_triangle) triangles;
    ARRAY(proxy_edge) edges; /* all, each once */
    /* What is worth knowing about a surface that was found in the cells. */
    size_t outside;        /* vertices outside all cells: extrapolated */
    double farthest;       /* their largest distance from the cells */
    double largest_weight; /* largest sum of |weights| of a row */
} proxy;

void proxy_free(proxy *p);

/* The boundary of the solid cells (dimension 3, or 2 in the plane), every edge cut into `segments`
 * parts; with max_edge > 0 into as many as needed for no edge to be longer. Points that cells share
 * are welded by topology. shape: the cells as given; nodes: the same cells with the nodes of the
 * basis (fem/change_order.h). */
abut_status proxy_of_boundary(const mesh *shape, const mesh *nodes, int dimension, int segments,
                              double max_edge, proxy *out, abut_error *err);

/* An arbitrary surface of triangles (edges in the plane): each vertex takes the weights of the
 * point of a cell that lies there. Vertices outside all cells extrapolate the cell whose
 * barycentric coordinates fit best. ABUT_ERROR_INPUT for vertices whose weights would be useless.
 */
abut_status proxy_of_surface(const mesh *shape, const mesh *nodes, int dimension,
                             const mesh *surface, proxy *out, abut_error *err);

/* The same for cells and vertices of several parts, which may overlap: a vertex is looked for in
 * the cells of its own part only. Part of every cell of this dimension, and of every vertex; or
 * NULL. */
abut_status proxy_of_parts(const mesh *shape, const mesh *nodes, int dimension, const mesh *surface,
                           const int32_t *cell_part, const int32_t *vertex_part, proxy *out,
                           abut_error *err);

/* W as triplets: value[k] in row[k] (vertex of the surface) and column[k] (vertex of the mesh of
 * nodes). */
typedef struct proxy_map {
    size_t rows, columns, count;
    const int32_t *row, *column;
    const double *value;
} proxy_map;

/* A given surface and map. Errors: wrong shape, indices out of range, values that are not numbers,
 * rows that do not sum to 1. */
abut_status proxy_of_map(const mesh *nodes, const mesh *surface, const proxy_map *map, proxy *out,
                         abut_error *err);

#endif

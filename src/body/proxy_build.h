/* What the files that make proxies share. */
#ifndef BODY_PROXY_BUILD_H
#define BODY_PROXY_BUILD_H

#include "body/proxy.h"
#include "fem/lagrange.h"

/* Rest positions of the nodes of a cell. */
static inline void proxy_cell_nodes(const mesh *m, int block, size_t cell, vec3 *out)
{
    const cell_block *b = &m->blocks[block];
    for (int a = 0; a < b->nodes_per_cell; a++)
        out[a] = m->vertices[b->nodes[cell * (size_t)b->nodes_per_cell + (size_t)a]];
}

/* Adds a vertex at `position` whose weights are the basis functions of a cell at xi. */
bool proxy_add_vertex(proxy *p, const mesh *nodes, int block, size_t cell, const double xi[3],
                      vec3 position);

/* Fills in the unique edges of the triangles and closes the rows. `extra`: edges of no triangle. */
abut_status proxy_finish(proxy *p, const proxy_edge *extra, size_t extra_count, abut_error *err);

/* Takes triangles, or in the plane edges, over from a mesh; its vertices keep their numbers. */
abut_status proxy_take_cells(proxy *p, const mesh *surface, int dimension, abut_error *err);

#endif

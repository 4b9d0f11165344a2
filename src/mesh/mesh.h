/* A mesh as read from a file or made by a generator: vertices and blocks of cells of one kind and
 * order. Orientation: tets have positive volume (x1-x0, x2-x0, x3-x0 right-handed). */
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include "base/status.h"
#include "math/vec3.h"

typedef enum cell_kind {
    CELL_POINT,
    CELL_EDGE,
    CELL_TRIANGLE,
    CELL_QUAD,
    CELL_TET,
    CELL_HEX
} cell_kind;

/* Cells of one kind and polynomial order. Node order is Gmsh's (vertices first, then edge nodes,
 * face nodes, volume nodes); lines, triangles and tets may have order 1 to 4, quads and hexes 1
 * to 2. */
typedef struct cell_block {
    cell_kind kind;
    int order;
    int nodes_per_cell;
    size_t count;
    int32_t *nodes; /* count * nodes_per_cell vertex indices */
    int32_t *tags;  /* count physical tags, or NULL */
} cell_block;

enum { MESH_MAX_BLOCKS = 16 };

typedef struct mesh {
    size_t vertex_count;
    vec3 *vertices;
    int block_count;
    cell_block blocks[MESH_MAX_BLOCKS];
    /* Second positions per vertex (OBJ texture coordinates used as rest shape), or NULL. */
    vec3 *rest;
    /* OBJ "stitch v a b r" lines: vertex, edge ends, ratio. */
    size_t stitch_count;
    int32_t (*stitch_vertices)[3];
    double *stitch_ratio;
} mesh;

/* Number of nodes of a cell; 0 for a kind and order that do not exist. */
int cell_node_count(cell_kind kind, int order);
int cell_corner_count(cell_kind kind);      /* 1, 2, 3, 4, 4, 8 */
const char *cell_kind_name(cell_kind kind); /* "tet", "triangle", ... */

void mesh_free(mesh *m);
/* Empty mesh with room for n vertices (uninitialised). */
abut_status mesh_init(mesh *m, size_t vertex_count, abut_error *err);
/* Adds a block (nodes and, if wanted, tags allocated but uninitialised). */
abut_status mesh_add_block(mesh *m, cell_kind kind, int order, size_t count, bool with_tags,
                           cell_block **out, abut_error *err);
/* First block of that kind with cells in it, any order; NULL when there is none. */
const cell_block *mesh_find(const mesh *m, cell_kind kind);
abut_status mesh_copy(const mesh *from, mesh *to, abut_error *err);
/* Appends another mesh (blocks of equal kind and order are merged; missing tags become 0, a missing
 * rest shape the positions). On failure m is unchanged. */
abut_status mesh_append(mesh *m, const mesh *other, abut_error *err);
void mesh_bounds(const mesh *m, vec3 *low, vec3 *high);

/* Checks indices, repeated nodes, finite coordinates, cell sizes, stitches. Errors name the kind
 * and the number of the cell. */
abut_status mesh_validate(const mesh *m, abut_error *err);

#endif

/* Collects the vertices and cells of a mesh while a file is read, when their numbers are not known
 * in advance, and turns them into a mesh without copying. */
#ifndef MESH_BUILDER_H
#define MESH_BUILDER_H

#include "base/array.h"
#include "mesh/mesh.h"

#include <string.h>

typedef struct builder_block {
    cell_kind kind;
    int order, nodes_per_cell;
    size_t count;
    ARRAY(int32_t) nodes;
    ARRAY(int32_t) tags; /* as long as all tags are 0, empty */
} builder_block;

typedef struct builder_stitch {
    int32_t vertices[3];
    double ratio;
} builder_stitch;

typedef struct mesh_builder {
    ARRAY(vec3) vertices;
    ARRAY(vec3) rest;
    builder_block blocks[MESH_MAX_BLOCKS];
    int block_count;
    ARRAY(builder_stitch) stitches;
} mesh_builder;

void builder_free(mesh_builder *b);

/* The block of this kind and order, made if there is none. NULL when there are too many. */
builder_block *builder_find(mesh_builder *b, cell_kind kind, int order);
/* Makes room for more cells; false when out of memory. */
bool builder_reserve(builder_block *block, size_t more);
/* First tag other than 0: the cells before it get 0. False when out of memory. */
bool builder_start_tags(builder_block *block);

/* Adds a cell, whose nodes the caller fills in. NULL when out of memory. */
static inline int32_t *builder_cell(builder_block *block, int32_t tag)
{
    size_t n = (size_t)block->nodes_per_cell, first = block->nodes.count;
    if (first + n > block->nodes.capacity && !builder_reserve(block, 1)) return NULL;
    if (tag != 0 && block->tags.count == 0 && !builder_start_tags(block)) return NULL;
    if ((tag != 0 || block->tags.count > 0) && !array_push(&block->tags, tag)) return NULL;
    block->nodes.count = first + n;
    block->count++;
    return block->nodes.data + first;
}

/* A polygon as a fan of triangles around its first corner. False when out of memory. */
bool builder_polygon(builder_block *triangles, const int32_t *corners, size_t count);

/* Moves everything into a mesh; the builder is empty afterwards. */
abut_status builder_finish(mesh_builder *b, mesh *out, abut_error *err);

#endif

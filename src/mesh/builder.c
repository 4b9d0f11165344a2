#include "mesh/builder.h"

void builder_free(mesh_builder *b)
{
    array_free(&b->vertices);
    array_free(&b->rest);
    array_free(&b->stitches);
    for (int i = 0; i < b->block_count; i++) {
        array_free(&b->blocks[i].nodes);
        array_free(&b->blocks[i].tags);
    }
    b->block_count = 0;
}

builder_block *builder_find(mesh_builder *b, cell_kind kind, int order)
{
    for (int i = 0; i < b->block_count; i++)
        if (b->blocks[i].kind == kind && b->blocks[i].order == order) return &b->blocks[i];
    if (b->block_count == MESH_MAX_BLOCKS) return NULL;
    builder_block *block = &b->blocks[b->block_count++];
    *block = (builder_block){.kind = kind, .order = order};
    block->nodes_per_cell = cell_node_count(kind, order);
    return block;
}

bool builder_reserve(builder_block *block, size_t more)
{
    size_t cells = block->count + more;
    if (!array_reserve(&block->nodes, cells * (size_t)block->nodes_per_cell)) return false;
    return block->tags.count == 0 || array_reserve(&block->tags, cells);
}

bool builder_start_tags(builder_block *block)
{
    size_t room = block->nodes.capacity / (size_t)block->nodes_per_cell;
    if (!array_reserve(&block->tags, room > block->count ? room : block->count + 1)) return false;
    if (block->count > 0) memset(block->tags.data, 0, block->count * sizeof *block->tags.data);
    block->tags.count = block->count;
    return true;
}

bool builder_polygon(builder_block *triangles, const int32_t *corners, size_t count)
{
    for (size_t k = 2; k < count; k++) {
        int32_t *nodes = builder_cell(triangles, 0);
        if (!nodes) return false;
        nodes[0] = corners[0];
        nodes[1] = corners[k - 1];
        nodes[2] = corners[k];
    }
    return true;
}

static abut_status move_stitches(mesh_builder *b, mesh *out, abut_error *err)
{
    size_t count = b->stitches.count;
    if (count == 0) return ABUT_OK;
    out->stitch_vertices = mem_alloc(count, sizeof *out->stitch_vertices);
    out->stitch_ratio = mem_alloc(count, sizeof *out->stitch_ratio);
    if (!out->stitch_vertices || !out->stitch_ratio)
        return error_memory(err, "storing the stitches of a mesh");
    for (size_t i = 0; i < count; i++) {
        memcpy(out->stitch_vertices[i], b->stitches.data[i].vertices,
               sizeof out->stitch_vertices[i]);
        out->stitch_ratio[i] = b->stitches.data[i].ratio;
    }
    out->stitch_count = count;
    return ABUT_OK;
}

abut_status builder_finish(mesh_builder *b, mesh *out, abut_error *err)
{
    *out = (mesh){0};
    abut_status status = move_stitches(b, out, err);
    if (status != ABUT_OK) {
        mesh_free(out);
        return status;
    }
    out->vertices = b->vertices.data;
    out->vertex_count = b->vertices.count;
    b->vertices.data = NULL;
    if (b->rest.count == out->vertex_count) {
        out->rest = b->rest.data;
        b->rest.data = NULL;
    }
    for (int i = 0; i < b->block_count; i++) {
        builder_block *from = &b->blocks[i];
        if (from->count == 0) continue;
        cell_block *to = &out->blocks[out->block_count++];
        *to = (cell_block){.kind = from->kind, .order = from->order, .count = from->count};
        to->nodes_per_cell = from->nodes_per_cell;
        to->nodes = from->nodes.data;
        from->nodes.data = NULL;
        if (from->tags.count > 0) {
            to->tags = from->tags.data;
            from->tags.data = NULL;
        }
    }
    builder_free(b);
    return ABUT_OK;
}

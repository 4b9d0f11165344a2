#include "mesh/components.h"

#include "base/memory.h"
#include "mesh/topology.h"

#include <string.h>

/* Piece of every vertex, numbered by first vertices; -1 for vertices that no cell uses. */
static abut_status number_pieces(const mesh *m, int32_t **piece, size_t *count, abut_error *err)
{
    size_t n = m->vertex_count, components;
    int32_t *component = mem_alloc(n + 1, sizeof *component);
    int32_t *number = mem_alloc(n + 1, sizeof *number);
    uint8_t *used = mem_calloc(n + 1, 1);
    abut_status status = component && number && used
                             ? connected_components(m, component, &components, err)
                             : error_memory(err, "splitting a mesh");
    if (status == ABUT_OK) {
        bool cells = false;
        for (int b = 0; b < m->block_count; b++)
            for (size_t i = 0; i < m->blocks[b].count * (size_t)m->blocks[b].nodes_per_cell; i++) {
                used[m->blocks[b].nodes[i]] = 1;
                cells = true;
            }
        for (size_t i = 0; i < n; i++) number[i] = -1;
        *count = 0;
        for (size_t i = 0; i < n; i++) {
            int32_t c = component[i];
            bool counts = used[i] || !cells;
            if (counts && number[c] < 0) number[c] = (int32_t)(*count)++;
            component[i] = counts ? number[c] : -1;
        }
    }
    mem_free(number);
    mem_free(used);
    *piece = component;
    if (status != ABUT_OK) mem_free(component);
    return status;
}

abut_status mesh_count_components(const mesh *m, size_t *count, abut_error *err)
{
    int32_t *piece;
    TRY(number_pieces(m, &piece, count, err));
    mem_free(piece);
    return ABUT_OK;
}

/* Keeps the cells of a block whose first vertex is kept, renumbered. */
static void filter_block(cell_block *block, const int32_t *number)
{
    size_t width = (size_t)block->nodes_per_cell, kept = 0;
    for (size_t c = 0; c < block->count; c++) {
        const int32_t *nodes = block->nodes + c * width;
        if (number[nodes[0]] < 0) continue;
        for (size_t k = 0; k < width; k++) block->nodes[kept * width + k] = number[nodes[k]];
        if (block->tags) block->tags[kept] = block->tags[c];
        kept++;
    }
    block->count = kept;
}

abut_status mesh_keep_component(mesh *m, size_t which, abut_error *err)
{
    int32_t *piece;
    size_t count, kept = 0;
    TRY(number_pieces(m, &piece, &count, err));
    if (which >= count) {
        mem_free(piece);
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "there is no component %zu: the mesh has %zu, numbered from 0", which,
                         count);
    }
    for (size_t i = 0; i < m->vertex_count; i++) {
        bool keep = piece[i] == (int32_t)which;
        piece[i] = keep ? (int32_t)kept : -1;
        if (keep) m->vertices[kept++] = m->vertices[i];
    }
    m->vertex_count = kept;
    int blocks = 0;
    for (int b = 0; b < m->block_count; b++) {
        filter_block(&m->blocks[b], piece);
        if (m->blocks[b].count > 0) {
            m->blocks[blocks++] = m->blocks[b];
            continue;
        }
        mem_free(m->blocks[b].nodes);
        mem_free(m->blocks[b].tags);
    }
    m->block_count = blocks;
    mem_free(piece);
    mem_free(m->rest);
    mem_free(m->stitch_vertices);
    mem_free(m->stitch_ratio);
    m->rest = NULL;
    m->stitch_vertices = NULL;
    m->stitch_ratio = NULL;
    m->stitch_count = 0;
    return ABUT_OK;
}

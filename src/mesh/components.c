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

/* Vertices of all pieces; number becomes the index of each vertex in its piece. */
static abut_status split_vertices(const mesh *m, const int32_t *piece, int32_t *number,
                                  mesh_pieces *out, abut_error *err)
{
    size_t *sizes = mem_calloc(out->count + 1, sizeof *sizes);
    if (!sizes) return error_memory(err, "splitting a mesh");
    for (size_t i = 0; i < m->vertex_count; i++)
        if (piece[i] >= 0) number[i] = (int32_t)sizes[piece[i]]++;
    abut_status status = ABUT_OK;
    for (size_t k = 0; status == ABUT_OK && k < out->count; k++)
        status = mesh_init(&out->meshes[k], sizes[k], err);
    for (size_t i = 0; status == ABUT_OK && i < m->vertex_count; i++)
        if (piece[i] >= 0) out->meshes[piece[i]].vertices[number[i]] = m->vertices[i];
    mem_free(sizes);
    return status;
}

/* Cells of one block, which become the last block of each piece that has some. */
static abut_status split_block(const cell_block *block, const int32_t *piece, const int32_t *number,
                               mesh_pieces *out, abut_error *err)
{
    size_t width = (size_t)block->nodes_per_cell;
    size_t *cells = mem_calloc(out->count + 1, sizeof *cells);
    if (!cells) return error_memory(err, "splitting a mesh");
    for (size_t c = 0; c < block->count; c++) cells[piece[block->nodes[c * width]]]++;
    abut_status status = ABUT_OK;
    for (size_t k = 0; status == ABUT_OK && k < out->count; k++) {
        cell_block *added;
        if (cells[k] > 0)
            status = mesh_add_block(&out->meshes[k], block->kind, block->order, cells[k],
                                    block->tags != NULL, &added, err);
        cells[k] = 0;
    }
    for (size_t c = 0; status == ABUT_OK && c < block->count; c++) {
        const int32_t *nodes = block->nodes + c * width;
        mesh *to = &out->meshes[piece[nodes[0]]];
        cell_block *last = &to->blocks[to->block_count - 1];
        size_t at = cells[piece[nodes[0]]]++;
        for (size_t k = 0; k < width; k++) last->nodes[at * width + k] = number[nodes[k]];
        if (block->tags) last->tags[at] = block->tags[c];
    }
    mem_free(cells);
    return status;
}

abut_status mesh_split(const mesh *m, mesh_pieces *out, abut_error *err)
{
    int32_t *piece;
    *out = (mesh_pieces){0};
    TRY(number_pieces(m, &piece, &out->count, err));
    out->meshes = mem_calloc(out->count + 1, sizeof *out->meshes);
    int32_t *number = mem_alloc(m->vertex_count + 1, sizeof *number);
    abut_status status = out->meshes && number ? ABUT_OK : error_memory(err, "splitting a mesh");
    if (status == ABUT_OK) status = split_vertices(m, piece, number, out, err);
    for (int b = 0; status == ABUT_OK && b < m->block_count; b++)
        status = split_block(&m->blocks[b], piece, number, out, err);
    mem_free(number);
    mem_free(piece);
    if (status != ABUT_OK) mesh_pieces_free(out);
    return status;
}

void mesh_pieces_free(mesh_pieces *pieces)
{
    for (size_t k = 0; pieces->meshes && k < pieces->count; k++) mesh_free(&pieces->meshes[k]);
    mem_free(pieces->meshes);
    *pieces = (mesh_pieces){0};
}

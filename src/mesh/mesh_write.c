#include "base/memory.h"
#include "mesh/mesh_io.h"
#include "mesh/topology.h"
#include "mesh/vtu_stream.h"
#include "mesh/write.h"

#include <string.h>
#include <strings.h>

/* ---- surfaces ------------------------------------------------------------------------------ */

/* Takes over the indices of a part of the surface as a block. */
static const cell_block *own_block(flat_cells *out, int slot, cell_kind kind, void *nodes,
                                   size_t count)
{
    cell_block *block = &out->owned[slot];
    *block = (cell_block){.kind = kind, .order = 1, .count = count, .nodes = nodes};
    block->nodes_per_cell = cell_node_count(kind, 1);
    return count > 0 ? block : NULL;
}

/* A solid: its boundary, edges of no triangle, and the points that the mesh lists as cells. */
static abut_status surface_of_solid(const mesh *m, flat_cells *out, abut_error *err)
{
    surface_parts parts;
    TRY(mesh_surface(m, &parts, err));
    size_t free_edges = parts.edge_count - parts.free_edge_first;
    if (free_edges > 0)
        memmove(parts.edges, parts.edges + parts.free_edge_first, free_edges * sizeof *parts.edges);
    out->triangles = own_block(out, 0, CELL_TRIANGLE, parts.triangles, parts.triangle_count);
    out->edges = own_block(out, 1, CELL_EDGE, parts.edges, free_edges);
    out->points = mesh_find(m, CELL_POINT);
    parts.triangles = NULL;
    parts.edges = NULL;
    surface_parts_free(&parts);
    return ABUT_OK;
}

abut_status flat_cells_of(const mesh *m, const char *format, flat_cells *out, abut_error *err)
{
    *out = (flat_cells){0};
    for (int b = 0; b < m->block_count; b++)
        if (m->blocks[b].count > 0 && m->blocks[b].order > 1)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                             "%s files hold no cells of order %d (the mesh has %s cells of that "
                             "order); VTU and MSH files do",
                             format, m->blocks[b].order, cell_kind_name(m->blocks[b].kind));
    if (mesh_find(m, CELL_TET) || mesh_find(m, CELL_HEX)) return surface_of_solid(m, out, err);
    out->triangles = mesh_find(m, CELL_TRIANGLE);
    out->quads = mesh_find(m, CELL_QUAD);
    out->edges = mesh_find(m, CELL_EDGE);
    out->points = mesh_find(m, CELL_POINT);
    return ABUT_OK;
}

void flat_cells_free(flat_cells *cells)
{
    for (int i = 0; i < 3; i++) mem_free(cells->owned[i].nodes);
    *cells = (flat_cells){0};
}

/* ---- VTU ----------------------------------------------------------------------------------- */

/* One tag per cell, in the order of the blocks, when there is any. */
static abut_status add_tags(vtu_stream *vtu, const mesh *m, abut_error *err)
{
    size_t cells = 0, n = 0;
    bool tagged = false;
    for (int b = 0; b < m->block_count; b++) {
        cells += m->blocks[b].count;
        tagged |= m->blocks[b].tags != NULL;
    }
    if (!tagged) return ABUT_OK;
    int32_t *tags = mem_alloc(cells, sizeof *tags);
    if (!tags) return error_memory(err, "writing a mesh");
    for (int b = 0; b < m->block_count; b++)
        for (size_t c = 0; c < m->blocks[b].count; c++)
            tags[n++] = m->blocks[b].tags ? m->blocks[b].tags[c] : 0;
    abut_status status = vtu_add(vtu, VTU_CELL_DATA, "tag", VTU_INT32, 1, cells, tags, err);
    mem_free(tags);
    return status;
}

static abut_status fill_vtu(vtu_stream *vtu, const mesh *m, abut_error *err)
{
    size_t n = m->vertex_count;
    TRY(vtu_add(vtu, VTU_POINTS, "Points", VTU_FLOAT64, 3, n, m->vertices, err));
    TRY(vtu_add_cells(vtu, m->blocks, (size_t)m->block_count, err));
    if (m->rest) TRY(vtu_add(vtu, VTU_POINT_DATA, "rest", VTU_FLOAT64, 3, n, m->rest, err));
    return add_tags(vtu, m, err);
}

static abut_status write_vtu(const char *path, const mesh *m, abut_error *err)
{
    vtu_stream vtu = {0};
    abut_status status = fill_vtu(&vtu, m, err);
    if (status == ABUT_OK) status = vtu_write(&vtu, path, err);
    vtu_free(&vtu);
    return status;
}

/* ---- choosing ------------------------------------------------------------------------------ */

typedef abut_status (*stream_writer)(FILE *file, const mesh *m, abut_error *err);

static abut_status write_stream(const char *path, stream_writer writer, const mesh *m,
                                abut_error *err)
{
    atomic_file file;
    TRY(atomic_open(&file, path, err));
    abut_status status = writer(file.stream, m, err);
    if (status == ABUT_OK) return atomic_commit(&file, err);
    atomic_discard(&file);
    return status;
}

abut_status mesh_write(const char *path, const mesh *m, abut_error *err)
{
    static const struct {
        const char *extension;
        stream_writer writer;
    } writers[] = {
        {"obj", write_obj}, {"ply", write_ply}, {"msh", write_msh}, {"msh2", write_msh2}};
    const char *extension = path_extension(path);
    abut_status status = ABUT_ERROR_INPUT;
    bool known = strcasecmp(extension, "vtu") == 0;
    if (known) status = write_vtu(path, m, err);
    for (size_t i = 0; i < sizeof writers / sizeof *writers && !known; i++) {
        if (strcasecmp(extension, writers[i].extension) != 0) continue;
        known = true;
        status = write_stream(path, writers[i].writer, m, err);
    }
    if (!known)
        return error_set(
            err, ABUT_ERROR_INPUT, path,
            "meshes cannot be written as '%s'; allowed are vtu, obj, ply, msh and msh2", extension);
    if (status != ABUT_OK && err && !strstr(err->place, path)) error_add_place(err, path, status);
    return status;
}

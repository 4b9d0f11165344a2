#include "mesh/vtu_stream.h"
#include "output/frame.h"

#include <string.h>

static abut_status add_field(vtu_stream *vtu, const frame *f, const frame_field *field,
                             abut_error *err)
{
    bool on_points = field->place == FRAME_POINTS;
    return vtu_add(vtu, on_points ? VTU_POINT_DATA : VTU_CELL_DATA, field->name,
                   field->doubles ? VTU_FLOAT64 : VTU_INT32, field->components,
                   on_points ? f->point_count : frame_cell_count(f),
                   field->doubles ? (const void *)field->doubles : field->ints, err);
}

/* ---- cells that stay the same ---- */

struct frame_cells {
    vtu_stream packed; /* connectivity, offsets, types */
    size_t block_count;
    cell_block *blocks; /* copies, to compare with */
};

void frame_cells_free(frame_cells *cells)
{
    if (!cells) return;
    for (size_t b = 0; b < cells->block_count; b++) mem_free(cells->blocks[b].nodes);
    mem_free(cells->blocks);
    vtu_free(&cells->packed);
    mem_free(cells);
}

static size_t node_bytes(const cell_block *block)
{
    return block->count * (size_t)block->nodes_per_cell * sizeof *block->nodes;
}

static bool same_cells(const frame_cells *cells, const frame *f)
{
    if (!cells || cells->block_count != f->block_count) return false;
    for (size_t b = 0; b < f->block_count; b++) {
        const cell_block *old = &cells->blocks[b], *new = &f->blocks[b];
        if (old->kind != new->kind || old->order != new->order || old->count != new->count ||
            memcmp(old->nodes, new->nodes, node_bytes(new)) != 0)
            return false;
    }
    return true;
}

static abut_status copy_blocks(frame_cells *cells, const frame *f, abut_error *err)
{
    cells->blocks = mem_calloc(f->block_count, sizeof *cells->blocks);
    if (!cells->blocks) return error_memory(err, "keeping the cells of a frame");
    for (size_t b = 0; b < f->block_count; b++) {
        cells->blocks[b] = f->blocks[b];
        cells->blocks[b].nodes = mem_alloc(node_bytes(&f->blocks[b]), 1);
        cells->block_count++;
        if (!cells->blocks[b].nodes) return error_memory(err, "keeping the cells of a frame");
        memcpy(cells->blocks[b].nodes, f->blocks[b].nodes, node_bytes(&f->blocks[b]));
    }
    return ABUT_OK;
}

/* Makes *cells those of the frame. */
static abut_status update_cells(frame_cells **cells, const frame *f, abut_error *err)
{
    if (same_cells(*cells, f)) return ABUT_OK;
    frame_cells_free(*cells);
    *cells = mem_calloc(1, sizeof **cells);
    if (!*cells) return error_memory(err, "keeping the cells of a frame");
    abut_status status = copy_blocks(*cells, f, err);
    if (status == ABUT_OK)
        status = vtu_add_cells(&(*cells)->packed, f->blocks, f->block_count, err);
    if (status != ABUT_OK) {
        frame_cells_free(*cells);
        *cells = NULL;
    }
    return status;
}

/* ---- frames ---- */

static abut_status add_cells(vtu_stream *vtu, const frame *f, frame_cells **cells, abut_error *err)
{
    if (!cells) return vtu_add_cells(vtu, f->blocks, f->block_count, err);
    TRY(update_cells(cells, f, err));
    for (size_t i = 0; i < (*cells)->packed.arrays.count; i++)
        TRY(vtu_add_packed(vtu, &(*cells)->packed.arrays.data[i], err));
    return ABUT_OK;
}

static abut_status add_path_data(vtu_stream *vtu, const frame_paths *path, abut_error *err)
{
    if (path->step_count == 0) return ABUT_OK;
    TRY(vtu_add(vtu, VTU_FIELD_DATA, "path", VTU_FLOAT64, 1, path->number_count, path->numbers,
                err));
    TRY(vtu_add(vtu, VTU_FIELD_DATA, "path_configurations", VTU_INT32, 1, path->step_count,
                path->configurations, err));
    TRY(vtu_add(vtu, VTU_FIELD_DATA, "path_kinds", VTU_INT32, 1, path->body_count, path->kinds,
                err));
    if (path->near_count == 0) return ABUT_OK;
    return vtu_add(vtu, VTU_FIELD_DATA, "path_points", VTU_INT32, 1, path->near_count, path->near,
                   err);
}

/* Time goes where ParaView looks for it. */
static abut_status add_frame(vtu_stream *vtu, const frame *f, frame_cells **cells, abut_error *err)
{
    TRY(vtu_add(vtu, VTU_FIELD_DATA, "TimeValue", VTU_FLOAT64, 1, 1, &f->time, err));
    TRY(vtu_add(vtu, VTU_FIELD_DATA, "step", VTU_INT64, 1, 1, &f->step, err));
    TRY(add_path_data(vtu, &f->path, err));
    TRY(vtu_add(vtu, VTU_POINTS, "Points", VTU_FLOAT64, 3, f->point_count, f->points, err));
    TRY(add_cells(vtu, f, cells, err));
    for (size_t i = 0; i < f->field_count; i++) TRY(add_field(vtu, f, &f->fields[i], err));
    return ABUT_OK;
}

abut_status frame_write_next_vtu(const frame *f, frame_cells **cells, const char *path,
                                 abut_error *err)
{
    vtu_stream vtu = {0};
    abut_status status = add_frame(&vtu, f, cells, err);
    if (status != ABUT_OK) error_add_place(err, path, status);
    if (status == ABUT_OK) status = vtu_write(&vtu, path, err);
    vtu_free(&vtu);
    return status;
}

abut_status frame_write_vtu(const frame *f, const char *path, abut_error *err)
{
    return frame_write_next_vtu(f, NULL, path, err);
}

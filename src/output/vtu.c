#include "mesh/vtu_stream.h"
#include "output/frame.h"

static abut_status add_field(vtu_stream *vtu, const frame *f, const frame_field *field,
                             abut_error *err)
{
    bool on_points = field->place == FRAME_POINTS;
    return vtu_add(vtu, on_points ? VTU_POINT_DATA : VTU_CELL_DATA, field->name,
                   field->doubles ? VTU_FLOAT64 : VTU_INT32, field->components,
                   on_points ? f->point_count : frame_cell_count(f),
                   field->doubles ? (const void *)field->doubles : field->ints, err);
}

/* Time goes where ParaView looks for it. */
static abut_status add_frame(vtu_stream *vtu, const frame *f, abut_error *err)
{
    TRY(vtu_add(vtu, VTU_FIELD_DATA, "TimeValue", VTU_FLOAT64, 1, 1, &f->time, err));
    TRY(vtu_add(vtu, VTU_FIELD_DATA, "step", VTU_INT64, 1, 1, &f->step, err));
    TRY(vtu_add(vtu, VTU_POINTS, "Points", VTU_FLOAT64, 3, f->point_count, f->points, err));
    TRY(vtu_add_cells(vtu, f->blocks, f->block_count, err));
    for (size_t i = 0; i < f->field_count; i++) TRY(add_field(vtu, f, &f->fields[i], err));
    return ABUT_OK;
}

abut_status frame_write_vtu(const frame *f, const char *path, abut_error *err)
{
    vtu_stream vtu = {0};
    abut_status status = add_frame(&vtu, f, err);
    if (status != ABUT_OK) error_add_place(err, path, status);
    if (status == ABUT_OK) status = vtu_write(&vtu, path, err);
    vtu_free(&vtu);
    return status;
}

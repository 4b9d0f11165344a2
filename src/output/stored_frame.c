#include "base/memory.h"
#include "output/frame.h"

#include <stdio.h>
#include <string.h>

static size_t field_bytes(const frame *f, const frame_field *field)
{
    size_t items = field->place == FRAME_POINTS ? f->point_count : frame_cell_count(f);
    return items * (size_t)field->components * (field->ints ? sizeof(int32_t) : sizeof(double));
}

static size_t block_bytes(const cell_block *b)
{
    return b->count * (size_t)b->nodes_per_cell * sizeof *b->nodes;
}

/* Also for nothing: NULL is no memory. */
static void *copy_bytes(const void *from, size_t bytes)
{
    void *to = mem_alloc(bytes + 1, 1);
    if (to && bytes > 0) memcpy(to, from, bytes);
    return to;
}

static bool copy_field(const frame *f, int i, stored_frame *out)
{
    const frame_field *from = &f->fields[i];
    frame_field *to = &out->frame.fields[i];
    *to = *from;
    snprintf(out->names[i], sizeof out->names[i], "%s", from->name);
    to->name = out->names[i];
    const void *data = from->ints ? (const void *)from->ints : from->doubles;
    out->arrays[i] = copy_bytes(data, field_bytes(f, from));
    if (from->ints)
        to->ints = out->arrays[i];
    else
        to->doubles = out->arrays[i];
    return out->arrays[i] != NULL;
}

abut_status stored_frame_copy(const frame *f, stored_frame *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    out->frame = (frame){.time = f->time, .step = f->step, .point_count = f->point_count};
    out->points = copy_bytes(f->points, f->point_count * sizeof *f->points);
    out->blocks = mem_calloc(f->block_count + 1, sizeof *out->blocks);
    bool good = out->points && out->blocks;
    for (size_t b = 0; good && b < f->block_count; b++) {
        out->blocks[b] = f->blocks[b];
        out->blocks[b].tags = NULL;
        out->blocks[b].nodes = copy_bytes(f->blocks[b].nodes, block_bytes(&f->blocks[b]));
        good = out->blocks[b].nodes != NULL;
        out->frame.block_count = b + 1;
    }
    out->frame.points = out->points;
    out->frame.blocks = out->blocks;
    for (size_t i = 0; good && i < f->field_count; i++) {
        good = copy_field(f, (int)i, out);
        out->frame.field_count = i + 1;
    }
    if (good) return ABUT_OK;
    stored_frame_free(out);
    return error_memory(err, "keeping a frame");
}

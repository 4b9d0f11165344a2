#include "output/frame_copy.h"

#include <string.h>

/* Where the next array goes; without memory the arrays are only counted. */
typedef struct copy_cursor {
    unsigned char *memory;
    size_t used;
} copy_cursor;

static const void *copy_array(copy_cursor *c, const void *data, size_t size)
{
    enum { ALIGNMENT = 16 };
    unsigned char *to = c->memory ? c->memory + c->used : NULL;
    if (!data) return NULL;
    c->used += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!to) return data;
    if (size > 0) memcpy(to, data, size);
    return to;
}

static void copy_path(copy_cursor *c, const frame_paths *from, frame_paths *to)
{
    to->numbers = copy_array(c, from->numbers, from->number_count * sizeof *from->numbers);
    to->configurations =
        copy_array(c, from->configurations, from->step_count * sizeof *from->configurations);
    to->kinds = copy_array(c, from->kinds, from->body_count * sizeof *from->kinds);
    to->near = copy_array(c, from->near, from->near_count * sizeof *from->near);
}

static void copy_arrays(copy_cursor *c, const frame *from, frame *to)
{
    to->points = copy_array(c, from->points, from->point_count * sizeof *from->points);
    for (size_t i = 0; i < from->field_count; i++) {
        const frame_field *field = &from->fields[i];
        size_t count = field->place == FRAME_POINTS ? from->point_count : frame_cell_count(from);
        count *= (size_t)field->components;
        to->fields[i].doubles = copy_array(c, field->doubles, count * sizeof *field->doubles);
        to->fields[i].ints = copy_array(c, field->ints, count * sizeof *field->ints);
    }
    copy_path(c, &from->path, &to->path);
}

abut_status frame_copy_take(frame_copy *copy, const frame *f, abut_error *err)
{
    copy_cursor counted = {0};
    copy->frame = *f;
    copy_arrays(&counted, f, &copy->frame);
    if (!array_resize(&copy->bytes, counted.used + 1)) return error_memory(err, "copying a frame");
    copy_cursor cursor = {.memory = copy->bytes.data};
    copy_arrays(&cursor, f, &copy->frame);
    return ABUT_OK;
}

void frame_copy_free(frame_copy *copy)
{
    array_free(&copy->bytes);
    memset(copy, 0, sizeof *copy);
}

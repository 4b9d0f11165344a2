#include "output/frame.h"

#include <assert.h>
#include <string.h>

static frame_field *new_field(frame *f)
{
    assert(f->field_count < FRAME_MAX_FIELDS);
    return &f->fields[f->field_count++];
}

void frame_add_doubles(frame *f, frame_location place, const char *name, int components,
                       const double *data)
{
    *new_field(f) = (frame_field){name, place, components, data, NULL};
}

void frame_add_ints(frame *f, frame_location place, const char *name, int components,
                    const int32_t *data)
{
    *new_field(f) = (frame_field){name, place, components, NULL, data};
}

const frame_field *frame_find(const frame *f, frame_location place, const char *name)
{
    for (size_t i = 0; i < f->field_count; i++)
        if (f->fields[i].place == place && strcmp(f->fields[i].name, name) == 0)
            return &f->fields[i];
    return NULL;
}

size_t frame_cell_count(const frame *f)
{
    size_t count = 0;
    for (size_t b = 0; b < f->block_count; b++) count += f->blocks[b].count;
    return count;
}

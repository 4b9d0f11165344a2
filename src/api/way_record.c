#include "api/way_record.h"

#include <string.h>

void way_record_enable(way_record *r, stepper *s, bool wanted)
{
    r->enabled = s->way.enabled = wanted && s->contact && !s->mlcp && s->model->rigids.count > 0;
}

void way_record_free(way_record *r)
{
    array_free(&r->way);
    array_free(&r->places);
}

static abut_status append(way_record *r, const double *way, size_t length, abut_error *err)
{
    size_t at = r->way.count;
    if (!array_resize(&r->way, at + length)) return error_memory(err, "noting the way of a step");
    memcpy(r->way.data + at, way, length * sizeof *way);
    return ABUT_OK;
}

abut_status way_record_note(way_record *r, const stepper *s, abut_error *err)
{
    if (!r->enabled) return ABUT_OK;
    TRY(append(r, s->way.places.data, s->way.places.count, err));
    if (!array_push(&r->places, (int32_t)step_way_count(&s->way)))
        return error_memory(err, "noting the way of a step");
    return ABUT_OK;
}

void way_record_give(const way_record *r, frame *f)
{
    if (r->places.count == 0) return;
    f->way = r->way.data;
    f->way_length = r->way.count;
    f->way_places = r->places.data;
    f->way_steps = r->places.count;
}

void way_record_clear(way_record *r)
{
    array_clear(&r->way);
    array_clear(&r->places);
}

void way_record_save(const way_record *r, checkpoint_writer *w)
{
    if (!r->enabled) return;
    checkpoint_add_doubles(w, "run_way", r->way.data, r->way.count);
    checkpoint_add_ints(w, "run_way_places", r->places.data, r->places.count);
}

abut_status way_record_load(way_record *r, const checkpoint_reader *c, abut_error *err)
{
    way_record_clear(r);
    if (!r->enabled) return ABUT_OK;
    const double *way;
    const int32_t *places;
    size_t length, steps;
    TRY(checkpoint_get_doubles(c, "run_way", &way, &length, err));
    TRY(checkpoint_get_ints(c, "run_way_places", &places, &steps, err));
    TRY(append(r, way, length, err));
    if (!array_resize(&r->places, steps)) return error_memory(err, "reading a checkpoint");
    if (steps > 0) memcpy(r->places.data, places, steps * sizeof *places);
    return ABUT_OK;
}

#include "api/way_record.h"

#include "output/frame_way.h"

#include <string.h>

void way_record_enable(way_record *r, stepper *s, bool wanted)
{
    r->enabled = s->way.enabled = wanted && s->contact && !s->mlcp && s->model->rigids.count > 0;
    r->scalars = s->state.scalars;
}

void way_record_free(way_record *r)
{
    array_free(&r->places);
    array_free(&r->counts);
    array_free(&r->numbers);
    array_free(&r->kinds);
    array_free(&r->points);
}

static abut_status append(way_record *r, const double *places, size_t length, abut_error *err)
{
    size_t at = r->places.count;
    if (!array_resize(&r->places, at + length))
        return error_memory(err, "noting the way of a step");
    if (length > 0) memcpy(r->places.data + at, places, length * sizeof *places);
    return ABUT_OK;
}

abut_status way_record_note(way_record *r, const stepper *s, abut_error *err)
{
    if (!r->enabled) return ABUT_OK;
    r->mixed = r->mixed || (s->rigid.reframed != r->reframed && r->counts.count > 0);
    r->reframed = s->rigid.reframed;
    TRY(append(r, s->way.places.data, s->way.places.count, err));
    if (!array_push(&r->counts, (int32_t)step_way_count(&s->way)))
        return error_memory(err, "noting the way of a step");
    return ABUT_OK;
}

/* Whether the coordinates of a body change in the record. */
static bool body_moves(const way_record *r, const model_body *body)
{
    size_t first = 3 * (size_t)body->first_block, count = 3 * (size_t)body->block_count;
    for (size_t at = r->scalars; at < r->places.count; at += r->scalars)
        if (memcmp(r->places.data + first, r->places.data + at + first,
                   count * sizeof *r->places.data) != 0)
            return true;
    return false;
}

static abut_status choose_kinds(way_record *r, const model *m, bool *points, abut_error *err)
{
    *points = false;
    if (!array_resize(&r->kinds, m->bodies.count)) return error_memory(err, "writing ways");
    for (size_t b = 0; b < m->bodies.count; b++) {
        const model_body *body = &m->bodies.data[b];
        way_kind kind = WAY_STAYS;
        if (body_moves(r, body))
            kind = body->rigid < 0                      ? WAY_POINTS
                   : m->rigids.data[body->rigid].affine ? WAY_AFFINE
                                                        : WAY_RIGID;
        r->kinds.data[b] = kind;
        *points = *points || kind == WAY_POINTS;
    }
    return ABUT_OK;
}

static bool add_numbers(way_record *r, const double *numbers, size_t count)
{
    size_t at = r->numbers.count;
    if (!array_resize(&r->numbers, at + count)) return false;
    memcpy(r->numbers.data + at, numbers, count * sizeof *numbers);
    return true;
}

/* The numbers of one place, body by body. */
static bool add_place(way_record *r, const model_frame *mf, const model *m, const double *x)
{
    bool ok = true;
    size_t point = 0;
    for (size_t b = 0; ok && b < m->bodies.count; b++) {
        size_t first = point;
        while (point < mf->body.count && (size_t)mf->body.data[point] == b) point++;
        if (r->kinds.data[b] == WAY_POINTS)
            ok = add_numbers(r, (const double *)(r->points.data + first), 3 * (point - first));
        else if (r->kinds.data[b] != WAY_STAYS)
            ok = add_numbers(r, x + 3 * (size_t)m->bodies.data[b].first_block,
                             (size_t)r->kinds.data[b]);
    }
    return ok;
}

abut_status way_record_give(way_record *r, model_frame *mf, const model *m, frame *f,
                            abut_error *err)
{
    if (r->counts.count == 0 || r->mixed) return ABUT_OK;
    bool points;
    TRY(choose_kinds(r, m, &points, err));
    array_clear(&r->numbers);
    if (!array_resize(&r->points, mf->source.count)) return error_memory(err, "writing ways");
    for (size_t at = 0; at < r->places.count; at += r->scalars) {
        const double *x = r->places.data + at;
        if (points) model_frame_positions(mf, m, x, r->points.data);
        if (!add_place(r, mf, m, x)) return error_memory(err, "writing ways");
    }
    f->way = (frame_way){.numbers = r->numbers.data,
                         .number_count = r->numbers.count,
                         .places = r->counts.data,
                         .step_count = r->counts.count,
                         .kinds = r->kinds.data,
                         .body_count = r->kinds.count};
    return ABUT_OK;
}

void way_record_clear(way_record *r)
{
    r->mixed = false;
    array_clear(&r->places);
    array_clear(&r->counts);
}

void way_record_save(const way_record *r, checkpoint_writer *w)
{
    if (!r->enabled) return;
    checkpoint_add_doubles(w, "run_way", r->places.data, r->places.count);
    checkpoint_add_ints(w, "run_way_places", r->counts.data, r->counts.count);
}

abut_status way_record_load(way_record *r, const checkpoint_reader *c, abut_error *err)
{
    way_record_clear(r);
    if (!r->enabled) return ABUT_OK;
    const double *places;
    const int32_t *counts;
    size_t length, steps;
    TRY(checkpoint_get_doubles(c, "run_way", &places, &length, err));
    TRY(checkpoint_get_ints(c, "run_way_places", &counts, &steps, err));
    TRY(append(r, places, length, err));
    if (!array_resize(&r->counts, steps)) return error_memory(err, "reading a checkpoint");
    if (steps > 0) memcpy(r->counts.data, counts, steps * sizeof *counts);
    return ABUT_OK;
}

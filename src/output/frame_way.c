#include "output/frame_way.h"

#include "math/rotation.h"

#include <string.h>

static size_t numbers_of(int32_t kind, size_t points)
{
    return kind == WAY_POINTS ? 3 * points : (size_t)kind;
}

static bool known(int32_t kind)
{
    return kind == WAY_STAYS || kind == WAY_POINTS || kind == WAY_RIGID || kind == WAY_AFFINE;
}

/* Offsets of bodies; false when bodies or counts do not fit. */
static bool find_offsets(way_follower *w, size_t *point_count)
{
    const frame_way *way = &w->next->way;
    for (size_t i = 0; i < w->next->point_count; i++) {
        if (w->body[i] < 0 || (size_t)w->body[i] >= way->body_count) return false;
        w->slot.data[i] = point_count[w->body[i]]++;
    }
    size_t places = 0;
    w->size = 0;
    for (size_t b = 0; b < way->body_count; b++) {
        if (!known(way->kinds[b])) return false;
        w->offset.data[b] = w->size;
        w->size += numbers_of(way->kinds[b], point_count[b]);
    }
    for (size_t i = 0; i < way->step_count; i++) {
        if (way->places[i] < 1) return false;
        places += (size_t)way->places[i];
    }
    if ((int64_t)way->step_count != w->next->step - w->last->step) return false;
    return w->size == 0 ? way->number_count == 0
                        : way->number_count % w->size == 0 && way->number_count / w->size == places;
}

static mat3 map_of(int32_t kind, const double *numbers)
{
    if (kind == WAY_RIGID) return rotation_matrix(vec3_load(numbers + 3));
    return mat3_from_columns(vec3_load(numbers + 3), vec3_load(numbers + 6),
                             vec3_load(numbers + 9));
}

/* Arms from the frame before and the first place. */
static void find_arms(way_follower *w)
{
    const frame_way *way = &w->next->way;
    for (size_t i = 0; i < w->last->point_count; i++) {
        int32_t kind = way->kinds[w->body[i]];
        if (kind != WAY_RIGID && kind != WAY_AFFINE) continue;
        const double *numbers = way->numbers + w->offset.data[w->body[i]];
        mat3 map = map_of(kind, numbers);
        vec3 off = vec3_sub(w->last->points[i], vec3_load(numbers));
        w->arms.data[i] =
            kind == WAY_RIGID ? mat3_tmul_vec(map, off) : mat3_mul_vec(mat3_inverse(map), off);
    }
}

static abut_status open(way_follower *w, abut_error *err)
{
    const frame_field *field = frame_find(w->next, FRAME_POINTS, FIELD_BODY);
    size_t points = w->next->point_count, bodies = w->next->way.body_count;
    w->body = field ? field->ints : NULL;
    bool fits = w->body && w->last->point_count == points;
    if (fits) {
        size_t *counts = mem_calloc(bodies + 1, sizeof *counts);
        if (!counts || !array_resize(&w->offset, bodies + 1) ||
            !array_resize(&w->slot, points + 1) || !array_resize(&w->arms, points + 1)) {
            mem_free(counts);
            return error_memory(err, "following a way");
        }
        fits = find_offsets(w, counts);
        mem_free(counts);
    }
    if (!fits)
        return error_set(err, ABUT_ERROR_INPUT, "way",
                         "the way that is kept with step %lld does not fit its frame and that of "
                         "step %lld",
                         (long long)w->next->step, (long long)w->last->step);
    if (!array_resize(&w->numbers, w->size + 1)) return error_memory(err, "following a way");
    find_arms(w);
    return ABUT_OK;
}

abut_status way_follower_open(way_follower *w, const frame *last, const frame *next,
                              abut_error *err)
{
    *w = (way_follower){.last = last, .next = next};
    abut_status status = open(w, err);
    if (status != ABUT_OK) way_follower_free(w);
    return status;
}

void way_follower_free(way_follower *w)
{
    array_free(&w->offset);
    array_free(&w->slot);
    array_free(&w->arms);
    array_free(&w->numbers);
}

void way_follower_points(way_follower *w, size_t place, double s, vec3 *points)
{
    const frame_way *way = &w->next->way;
    const double *a = way->numbers + place * w->size, *b = s > 0 ? a + w->size : a;
    double *x = w->numbers.data;
    for (size_t i = 0; i < w->size; i++) x[i] = a[i] + s * (b[i] - a[i]);
    int32_t body = -1; /* points of one body follow each other: its map is computed once */
    mat3 map = mat3_identity();
    for (size_t i = 0; i < w->next->point_count; i++) {
        int32_t kind = way->kinds[w->body[i]];
        const double *numbers = x + w->offset.data[w->body[i]];
        if (kind == WAY_STAYS) {
            points[i] = w->last->points[i];
        } else if (kind == WAY_POINTS) {
            points[i] = vec3_load(numbers + 3 * w->slot.data[i]);
        } else {
            if (w->body[i] != body) map = map_of(kind, numbers);
            body = w->body[i];
            points[i] = vec3_add(vec3_load(numbers), mat3_mul_vec(map, w->arms.data[i]));
        }
    }
}

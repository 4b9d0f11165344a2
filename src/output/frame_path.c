#include "output/frame_path.h"

#include "math/rotation.h"

#include <string.h>

static bool known(int32_t kind)
{
    return kind == PATH_STAYS || kind == PATH_NEAR || kind == PATH_POINTS || kind == PATH_RIGID ||
           kind == PATH_AFFINE;
}

/* Which points are given, and how many of each body; false when that makes no sense. */
static bool find_points(path_follower *w, size_t *given)
{
    const frame_paths *path = &w->next->path;
    size_t points = w->next->point_count;
    memset(w->given.data, 0, points);
    for (size_t k = 0; k < path->near_count; k++) {
        int32_t i = path->near[k];
        if (i < 0 || (size_t)i >= points || (k > 0 && i <= path->near[k - 1])) return false;
        w->given.data[i] = 1;
    }
    for (size_t i = 0; i < points; i++) {
        if (w->body[i] < 0 || (size_t)w->body[i] >= path->body_count) return false;
        int32_t kind = path->kinds[w->body[i]];
        if (w->given.data[i] && kind != PATH_NEAR) return false;
        if (kind == PATH_POINTS) w->given.data[i] = 1;
        w->slot.data[i] = given[w->body[i]];
        given[w->body[i]] += w->given.data[i];
    }
    return true;
}

/* Offsets of bodies; false when bodies or counts do not fit. */
static bool find_offsets(path_follower *w, size_t *given)
{
    const frame_paths *path = &w->next->path;
    for (size_t b = 0; b < path->body_count; b++) {
        if (!known(path->kinds[b])) return false;
        /* Points that are not given are taken from both frames. */
        if (path->kinds[b] == PATH_NEAR && w->changed) return false;
    }
    if (!find_points(w, given)) return false;
    w->size = 0;
    for (size_t b = 0; b < path->body_count; b++) {
        w->offset.data[b] = w->size;
        bool points = path->kinds[b] == PATH_NEAR || path->kinds[b] == PATH_POINTS;
        w->size += points ? 3 * given[b] : (size_t)path->kinds[b];
    }
    w->configuration_count = 0;
    for (size_t i = 0; i < path->step_count; i++) {
        if (path->configurations[i] < 1) return false;
        w->configuration_count += (size_t)path->configurations[i];
    }
    /* Steps in sub-steps have one entry for each. */
    if ((int64_t)path->step_count < w->next->step - w->last->step) return false;
    return w->size == 0 ? path->number_count == 0
                        : path->number_count % w->size == 0 &&
                              path->number_count / w->size == w->configuration_count;
}

/* Pieces are of equal length; from the end of a step to the start of the next there is none. */
static bool find_parts(path_follower *w)
{
    const frame_paths *path = &w->next->path;
    size_t pieces = w->configuration_count - path->step_count, configuration = 0, behind = 0;
    if (!array_resize(&w->part, w->configuration_count + 1)) return false;
    for (size_t i = 0; i < path->step_count; i++)
        for (int32_t k = 0; k < path->configurations[i]; k++) {
            behind += k > 0;
            w->part.data[configuration++] = pieces > 0 ? (double)behind / (double)pieces : 0;
        }
    return true;
}

static mat3 map_of(int32_t kind, const double *numbers)
{
    if (kind == PATH_RIGID) return rotation_matrix(vec3_load(numbers + 3));
    return mat3_from_columns(vec3_load(numbers + 3), vec3_load(numbers + 6),
                             vec3_load(numbers + 9));
}

/* Arms from the frame before and the first configuration, or from the other end when meshes differ.
 */
static void find_arms(path_follower *w)
{
    const frame_paths *path = &w->next->path;
    const vec3 *points = w->changed ? w->next->points : w->last->points;
    const double *configuration =
        path->numbers +
        (w->changed && w->configuration_count > 0 ? (w->configuration_count - 1) * w->size : 0);
    for (size_t i = 0; i < w->next->point_count; i++) {
        int32_t kind = path->kinds[w->body[i]];
        if (kind != PATH_RIGID && kind != PATH_AFFINE) continue;
        const double *numbers = configuration + w->offset.data[w->body[i]];
        mat3 map = map_of(kind, numbers);
        vec3 off = vec3_sub(points[i], vec3_load(numbers));
        w->arms.data[i] =
            kind == PATH_RIGID ? mat3_tmul_vec(map, off) : mat3_mul_vec(mat3_inverse(map), off);
    }
}

static abut_status open(path_follower *w, abut_error *err)
{
    const frame_field *field = frame_find(w->next, FRAME_POINTS, FIELD_BODY);
    size_t points = w->next->point_count, bodies = w->next->path.body_count;
    w->body = field ? field->ints : NULL;
    bool fits = w->body && (w->changed || w->last->point_count == points);
    if (fits) {
        size_t *counts = mem_calloc(bodies + 1, sizeof *counts);
        if (!counts || !array_resize(&w->offset, bodies + 1) ||
            !array_resize(&w->slot, points + 1) || !array_resize(&w->given, points + 1) ||
            !array_resize(&w->arms, points + 1)) {
            mem_free(counts);
            return error_memory(err, "following a path");
        }
        fits = find_offsets(w, counts);
        mem_free(counts);
    }
    if (!fits)
        return error_set(err, ABUT_ERROR_INPUT, "path",
                         "the path that is kept with step %lld does not fit its frame and that of "
                         "step %lld",
                         (long long)w->next->step, (long long)w->last->step);
    if (!find_parts(w) || !array_resize(&w->numbers, w->size + 1))
        return error_memory(err, "following a path");
    find_arms(w);
    return ABUT_OK;
}

abut_status path_follower_open(path_follower *w, const frame *last, const frame *next, bool changed,
                               abut_error *err)
{
    *w = (path_follower){.last = last, .next = next, .changed = changed};
    abut_status status = open(w, err);
    if (status != ABUT_OK) path_follower_free(w);
    return status;
}

void path_follower_free(path_follower *w)
{
    array_free(&w->offset);
    array_free(&w->slot);
    array_free(&w->given);
    array_free(&w->part);
    array_free(&w->arms);
    array_free(&w->numbers);
}

vec3 path_straight(vec3 from, vec3 to, double part)
{
    if (part <= 0 || part >= 1) return part <= 0 ? from : to;
    return vec3_add(vec3_scale(1 - part, from), vec3_scale(part, to));
}

void path_follower_points(path_follower *w, size_t configuration, double s, vec3 *points)
{
    const frame_paths *path = &w->next->path;
    const double *a = path->numbers + configuration * w->size, *b = s > 0 ? a + w->size : a;
    double *x = w->numbers.data;
    for (size_t i = 0; i < w->size; i++) x[i] = s < 1 ? a[i] + s * (b[i] - a[i]) : b[i];
    double part = w->part.data[configuration];
    if (s > 0) part += s * (w->part.data[configuration + 1] - part);
    int32_t body = -1; /* points of one body follow each other: its map is computed once */
    mat3 map = mat3_identity();
    for (size_t i = 0; i < w->next->point_count; i++) {
        int32_t kind = path->kinds[w->body[i]];
        const double *numbers = x + w->offset.data[w->body[i]];
        if (kind == PATH_STAYS) {
            points[i] = w->changed ? w->next->points[i] : w->last->points[i];
        } else if (w->given.data[i]) {
            points[i] = vec3_load(numbers + 3 * w->slot.data[i]);
        } else if (kind == PATH_NEAR) {
            points[i] = path_straight(w->last->points[i], w->next->points[i], part);
        } else {
            if (w->body[i] != body) map = map_of(kind, numbers);
            body = w->body[i];
            points[i] = vec3_add(vec3_load(numbers), mat3_mul_vec(map, w->arms.data[i]));
        }
    }
}

bool path_follower_turn(const path_follower *w, size_t configuration, size_t body, vec3 q[2],
                        vec3 theta[2])
{
    const frame_paths *path = &w->next->path;
    if (path->kinds[body] != PATH_RIGID) return false;
    for (size_t k = 0; k < 2; k++) {
        const double *numbers =
            path->numbers + (configuration + k) * w->size + w->offset.data[body];
        q[k] = vec3_load(numbers);
        theta[k] = vec3_load(numbers + 3);
    }
    return memcmp(&theta[0], &theta[1], sizeof *theta) != 0;
}

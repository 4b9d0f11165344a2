#include "output/between.h"

#include "base/memory.h"
#include "output/body_poses.h"

typedef struct body_path {
    double count;
    vec3 from, to; /* centres */
    mat3 product;  /* sum of y x^T, then the rotation all the path */
    mat3 turn;     /* at s */
} body_path;

static size_t count_bodies(const int32_t *body, size_t points)
{
    size_t count = 1;
    for (size_t i = 0; body && i < points; i++)
        if (body[i] >= 0 && (size_t)body[i] >= count) count = (size_t)body[i] + 1;
    return count;
}

static void find_paths(const frame *a, const frame *b, const int32_t *body, size_t count, double s,
                       body_path *paths)
{
    for (size_t i = 0; i < a->point_count; i++) {
        body_path *w = &paths[body ? body[i] : 0];
        w->count++;
        w->from = vec3_add(w->from, a->points[i]);
        w->to = vec3_add(w->to, b->points[i]);
    }
    for (size_t k = 0; k < count; k++) {
        double share = paths[k].count > 0 ? 1 / paths[k].count : 0;
        paths[k].from = vec3_scale(share, paths[k].from);
        paths[k].to = vec3_scale(share, paths[k].to);
    }
    for (size_t i = 0; i < a->point_count; i++) {
        body_path *w = &paths[body ? body[i] : 0];
        mat3 outer = mat3_outer(vec3_sub(b->points[i], w->to), vec3_sub(a->points[i], w->from));
        w->product = mat3_add(w->product, outer);
    }
    for (size_t k = 0; k < count; k++) {
        paths[k].product = body_best_turn(paths[k].product);
        paths[k].turn = rotation_matrix(vec3_scale(s, rotation_vector(paths[k].product)));
    }
}

abut_status frame_between(const frame *from, const frame *to, double s, vec3 *points,
                          abut_error *err)
{
    const frame_field *field = frame_find(from, FRAME_POINTS, FIELD_BODY);
    const int32_t *body = field ? field->ints : NULL;
    size_t count = count_bodies(body, from->point_count);
    for (size_t i = 0; body && i < from->point_count; i++)
        if (body[i] < 0) return error_set(err, ABUT_ERROR_INPUT, "", "point %zu has no body", i);
    body_path *paths = mem_calloc(count, sizeof *paths);
    if (!paths) return error_memory(err, "interpolating frames");
    find_paths(from, to, body, count, s, paths);
    for (size_t i = 0; i < from->point_count; i++) {
        const body_path *w = &paths[body ? body[i] : 0];
        vec3 x = vec3_sub(from->points[i], w->from);
        vec3 end = mat3_tmul_vec(w->product, vec3_sub(to->points[i], w->to));
        x = vec3_mul_add(x, s, vec3_sub(end, x));
        vec3 center = vec3_mul_add(w->from, s, vec3_sub(w->to, w->from));
        points[i] = vec3_add(center, mat3_mul_vec(w->turn, x));
    }
    mem_free(paths);
    return ABUT_OK;
}

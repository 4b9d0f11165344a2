#include "output/body_poses.h"

#include "base/memory.h"
#include "math/svd.h"

#include <string.h>

void body_poses_free(body_poses *p)
{
    for (size_t b = 0; p->tracks && b < p->body_count; b++) mem_free(p->tracks[b].poses);
    mem_free(p->tracks);
    mem_free(p->times);
    mem_free(p->places);
    stored_frame_free(&p->first);
    memset(p, 0, sizeof *p);
}

/* Sums over the points of each body. */
typedef struct body_sum {
    vec3 center;
    mat3 product; /* of positions there and at the start, both from their centres */
    double residual2;
} body_sum;

static abut_status start(const frame_series *series, body_poses *out, abut_error *err)
{
    char path[4096];
    series_path(series, 0, path, sizeof path);
    TRY(frame_read(path, &out->first, err));
    const frame_field *field = frame_find(&out->first.frame, FRAME_POINTS, FIELD_BODY);
    if (!field || !field->ints)
        return error_set(err, ABUT_ERROR_INPUT, path, "the points have no field \"%s\"",
                         FIELD_BODY);
    out->body = field->ints;
    for (size_t i = 0; i < out->first.frame.point_count; i++) {
        if (out->body[i] < 0 || out->body[i] > 10000000)
            return error_set(err, ABUT_ERROR_INPUT, path, "point %zu is of body %d", i,
                             (int)out->body[i]);
        if ((size_t)out->body[i] >= out->body_count) out->body_count = (size_t)out->body[i] + 1;
    }
    out->frame_count = series->entries.count;
    out->times = mem_calloc(out->frame_count, sizeof *out->times);
    out->tracks = mem_calloc(out->body_count + 1, sizeof *out->tracks);
    size_t count = out->first.frame.point_count;
    if ((double)count * (double)out->frame_count * sizeof *out->places > 4e9)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, series->folder,
                         "%zu frames of %zu points are more than this can hold (4 GB); write fewer "
                         "frames (output.every)",
                         out->frame_count, count);
    out->places = mem_alloc(count * out->frame_count, sizeof *out->places);
    if (!out->times || !out->tracks || !out->places) return error_memory(err, "reading frames");
    for (size_t b = 0; b < out->body_count; b++) {
        out->tracks[b].poses = mem_calloc(out->frame_count, sizeof *out->tracks[b].poses);
        if (!out->tracks[b].poses) return error_memory(err, "reading frames");
    }
    for (size_t i = 0; i < out->first.frame.point_count; i++)
        out->tracks[out->body[i]].point_count++;
    return ABUT_OK;
}

static void find_centers(const body_poses *p, const vec3 *x, body_sum *sums)
{
    memset(sums, 0, p->body_count * sizeof *sums);
    for (size_t i = 0; i < p->first.frame.point_count; i++) {
        body_sum *s = &sums[p->body[i]];
        s->center = vec3_add(s->center, x[i]);
    }
    for (size_t b = 0; b < p->body_count; b++)
        if (p->tracks[b].point_count > 0)
            sums[b].center = vec3_scale(1.0 / (double)p->tracks[b].point_count, sums[b].center);
}

/* The smallest rotation that takes one unit vector to another. */
static mat3 turn_between(vec3 from, vec3 to)
{
    vec3 axis = vec3_cross(from, to);
    double sine = vec3_norm(axis), angle = atan2(sine, vec3_dot(from, to));
    return sine > 1e-150 ? rotation_matrix(vec3_scale(angle / sine, axis)) : mat3_identity();
}

/* The rotation nearest to the sum of y x^T: U V^T of its singular value decomposition. Points on a
 * line leave the turn about it open, a point leaves everything open. */
mat3 body_best_turn(mat3 product)
{
    mat3 u, v;
    double sigma[3];
    svd3(product, &u, sigma, &v);
    if (sigma[1] > 1e-10 * sigma[0]) return mat3_mul(u, mat3_transpose(v));
    return sigma[0] > 0 ? turn_between(mat3_column(v, 0), mat3_column(u, 0)) : mat3_identity();
}

static void keep_places(body_poses *p, size_t f, const vec3 *x)
{
    size_t count = p->first.frame.point_count;
    float(*to)[3] = p->places + f * count;
    for (size_t i = 0; i < count; i++) {
        to[i][0] = (float)x[i].x;
        to[i][1] = (float)x[i].y;
        to[i][2] = (float)x[i].z;
    }
}

static void fit_frame(body_poses *p, size_t f, const vec3 *x, body_sum *sums)
{
    const vec3 *rest = p->first.points;
    keep_places(p, f, x);
    find_centers(p, x, sums);
    for (size_t i = 0; i < p->first.frame.point_count; i++) {
        body_sum *s = &sums[p->body[i]];
        vec3 a = vec3_sub(rest[i], p->tracks[p->body[i]].poses[0].center);
        s->product = mat3_add(s->product, mat3_outer(vec3_sub(x[i], s->center), a));
    }
    for (size_t b = 0; b < p->body_count; b++) {
        mat3 turn = f == 0 ? mat3_identity() : body_best_turn(sums[b].product);
        sums[b].product = turn;
        p->tracks[b].poses[f] = (body_pose){sums[b].center, rotation_quaternion(turn)};
    }
    for (size_t i = 0; i < p->first.frame.point_count; i++) {
        body_sum *s = &sums[p->body[i]];
        vec3 a = vec3_sub(rest[i], p->tracks[p->body[i]].poses[0].center);
        vec3 off = vec3_sub(vec3_sub(x[i], s->center), mat3_mul_vec(s->product, a));
        body_track *t = &p->tracks[p->body[i]];
        t->residual = fmax(t->residual, vec3_norm(off));
        t->size = fmax(t->size, vec3_norm(a));
    }
}

abut_status body_poses_read(const frame_series *series, body_poses *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    abut_status status = start(series, out, err);
    body_sum *sums = status == ABUT_OK ? mem_calloc(out->body_count + 1, sizeof *sums) : NULL;
    if (status == ABUT_OK && !sums) status = error_memory(err, "reading frames");
    if (status == ABUT_OK) {
        find_centers(out, out->first.points, sums);
        for (size_t b = 0; b < out->body_count; b++)
            out->tracks[b].poses[0].center = sums[b].center;
        fit_frame(out, 0, out->first.points, sums);
        out->times[0] = out->first.frame.time;
    }
    for (size_t f = 1; status == ABUT_OK && f < out->frame_count; f++) {
        char path[4096];
        stored_frame next = {0};
        series_path(series, f, path, sizeof path);
        status = frame_read(path, &next, err);
        if (status == ABUT_OK && next.frame.point_count != out->first.frame.point_count)
            status =
                error_set(err, ABUT_ERROR_INPUT, path, "has %zu points, the first frame has %zu",
                          next.frame.point_count, out->first.frame.point_count);
        if (status == ABUT_OK) {
            fit_frame(out, f, next.points, sums);
            out->times[f] = next.frame.time;
        }
        stored_frame_free(&next);
    }
    mem_free(sums);
    if (status != ABUT_OK) body_poses_free(out);
    return status;
}

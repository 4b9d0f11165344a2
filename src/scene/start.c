#include "scene/start.h"

#include "base/memory.h"
#include "scene/start_surface.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

double start_size(const scene_def *scene, const mesh *meshes)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!start_takes_part(scene, meshes, i) || body_rows[scene->bodies[i].type]->obstacle)
            continue;
        vec3 a, b;
        mesh_bounds(&meshes[i], &a, &b);
        low = vec3_min(low, a);
        high = vec3_max(high, b);
    }
    return low.x <= high.x ? vec3_norm(vec3_sub(high, low)) : 0;
}

double start_length(length_def length, double size)
{
    return length.relative ? length.value * size : length.value;
}

/* --- Problems in words --- */

static void show(start_report *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void show(start_report *out, const char *format, ...)
{
    if (out->shown == START_SHOWN) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out->text[out->shown++], START_TEXT, format, arguments);
    va_end(arguments);
}

/* "triangle 4 7 9 of "ball"", with the numbers the nodes have in the mesh of the body. */
static void describe(const scene_def *scene, const start_surface *s, const char *what,
                     const int32_t *nodes, int count, char *text, size_t size)
{
    int32_t body = s->body.data[nodes[0]];
    int length = snprintf(text, size, "%s", what);
    for (int k = 0; k < count && length > 0 && (size_t)length < size; k++)
        length += snprintf(text + length, size - (size_t)length, " %zu",
                           (size_t)nodes[k] - s->offsets.data[body]);
    if (length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, " of \"%.40s\"", scene->bodies[body].name);
}

/* close: within the thickness of the bodies, not meeting. */
static void show_pair(const scene_def *scene, const start_surface *s, const check_surface *surface,
                      const check_pair *pair, bool close, start_report *out)
{
    bool first_edge = pair->kind == CHECK_EDGE_TRIANGLE || pair->kind == CHECK_EDGE_EDGE;
    char a[90], b[90];
    if (first_edge)
        describe(scene, s, "edge", s->edges.data[pair->first], 2, a, sizeof a);
    else
        describe(scene, s, "node", &pair->first, 1, a, sizeof a);
    if (pair->kind == CHECK_EDGE_TRIANGLE || pair->kind == CHECK_POINT_TRIANGLE)
        describe(scene, s, "triangle", s->triangles.data[pair->second], 3, b, sizeof b);
    else if (pair->kind == CHECK_POINT_POINT)
        describe(scene, s, "node", &pair->second, 1, b, sizeof b);
    else
        describe(scene, s, "edge", s->edges.data[pair->second], 2, b, sizeof b);
    vec3 at;
    double depth;
    check_locate(surface, pair, &at, &depth);
    if (close)
        show(out, "%s is within its offset of %s at (%.6g, %.6g, %.6g)", a, b, at.x, at.y, at.z);
    else
        show(out, "%s meets %s at (%.6g, %.6g, %.6g), %.3g m deep", a, b, at.x, at.y, at.z, depth);
}

/* --- The check --- */

static void check_half_spaces(const scene_def *scene, const start_surface *s, start_report *out)
{
    for (size_t p = 0; p < s->points.count; p++) {
        int32_t v = s->points.data[p], body = s->body.data[v];
        if (body_rows[scene->bodies[body].type]->obstacle) continue;
        for (size_t h = 0; h < scene->half_space_count; h++) {
            const half_space_def *plane = &scene->half_spaces[h];
            double height = vec3_dot(plane->normal, vec3_sub(s->vertices.data[v], plane->origin));
            double least = 0.5 * scene->bodies[body].offset;
            if (height > least) continue;
            out->behind_planes++;
            show(out, "node %zu of \"%.40s\" is %g m behind half space %zu%s",
                 (size_t)v - s->offsets.data[body], scene->bodies[body].name, least - height, h,
                 least > 0 ? " with its offset" : "");
        }
    }
}

/* Pairs that are nearer than the mean of their offsets. */
static abut_status check_offsets(const scene_def *scene, const start_surface *s,
                                 const check_surface *surface, size_t most, start_report *out,
                                 abut_error *err)
{
    double *offsets = mem_calloc(scene->body_count + 1, sizeof *offsets);
    if (!offsets) return error_memory(err, "checking the start");
    for (size_t i = 0; i < scene->body_count; i++) offsets[i] = scene->bodies[i].offset;
    check_pair *pairs;
    abut_status status =
        check_too_close(surface, offsets, scene->body_count, &pairs, &out->too_close, err);
    mem_free(offsets);
    TRY(status);
    for (size_t i = 0; i < out->too_close && i + out->intersections < most; i++)
        show_pair(scene, s, surface, &pairs[i], true, out);
    mem_free(pairs);
    return ABUT_OK;
}

static abut_status check_joined(const scene_def *scene, const start_surface *s, double radius,
                                start_report *out, abut_error *err)
{
    check_surface surface = start_surface_view(s);
    check_pair *pairs;
    TRY(check_intersections(&surface, &pairs, &out->intersections, err));
    /* Leave room to speak of half spaces, too. */
    size_t most = scene->half_space_count > 0 ? START_SHOWN - 3 : START_SHOWN;
    for (size_t i = 0; i < out->intersections && i < most; i++)
        show_pair(scene, s, &surface, &pairs[i], false, out);
    mem_free(pairs);
    TRY(check_offsets(scene, s, &surface, most, out, err));
    check_half_spaces(scene, s, out);
    if (out->intersections > 0) return ABUT_OK;
    check_gap gap;
    TRY(check_min_distance(&surface, radius, &gap, err));
    out->min_distance = gap.distance;
    return ABUT_OK;
}

abut_status start_check(const scene_def *scene, const mesh *meshes, start_report *out,
                        abut_error *err)
{
    memset(out, 0, sizeof *out);
    out->min_distance = INFINITY;
    if (!scene->options.contact) return ABUT_OK;
    start_surface surface;
    double size = start_size(scene, meshes), radius = 2 * start_length(scene->lengths.dhat, size);
    abut_status status = start_surface_make(scene, meshes, size, &surface, err);
    if (status == ABUT_OK && surface.vertices.count > 0)
        status = check_joined(scene, &surface, radius, out, err);
    start_surface_free(&surface);
    return status;
}

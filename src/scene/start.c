#include "scene/start.h"

#include "geometry/check_attached.h"
#include "scene/attached.h"
#include "scene/joined.h"

#include "base/array.h"
#include "base/memory.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool takes_part(const scene_def *scene, const mesh *meshes, size_t body)
{
    return scene->bodies[body].enabled && meshes[body].vertex_count > 0;
}

double start_size(const scene_def *scene, const mesh *meshes)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < scene->body_count; i++) {
        if (!takes_part(scene, meshes, i) || body_rows[scene->bodies[i].type]->obstacle) continue;
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

/* --- One surface of all bodies --- */

typedef int32_t triangle_nodes[3];
typedef int32_t edge_nodes[2];

typedef struct joined_surface {
    ARRAY(vec3) vertices;
    ARRAY(int32_t) body; /* per vertex */
    ARRAY(triangle_nodes) triangles;
    ARRAY(edge_nodes) edges;
    ARRAY(int32_t) points;
    ARRAY(uint8_t) flags;
    ARRAY(int32_t) groups; /* per body */
    ARRAY(size_t) offsets; /* first vertex per body */
} joined_surface;

static void joined_free(joined_surface *s)
{
    array_free(&s->vertices);
    array_free(&s->body);
    array_free(&s->triangles);
    array_free(&s->edges);
    array_free(&s->points);
    array_free(&s->flags);
    array_free(&s->groups);
    array_free(&s->offsets);
}

static bool join_vertices(joined_surface *s, const mesh *m, size_t body)
{
    for (size_t v = 0; v < m->vertex_count; v++)
        if (!array_push(&s->vertices, m->vertices[v]) || !array_push(&s->body, (int32_t)body))
            return false;
    return true;
}

static bool join_parts(joined_surface *s, const surface_parts *parts, int32_t offset)
{
    size_t t = s->triangles.count, e = s->edges.count, p = s->points.count;
    if (!array_resize(&s->triangles, t + parts->triangle_count) ||
        !array_resize(&s->edges, e + parts->edge_count) ||
        !array_resize(&s->points, p + parts->point_count))
        return false;
    for (size_t i = 0; i < parts->triangle_count; i++)
        for (int k = 0; k < 3; k++) s->triangles.data[t + i][k] = offset + parts->triangles[i][k];
    for (size_t i = 0; i < parts->edge_count; i++)
        for (int k = 0; k < 2; k++) s->edges.data[e + i][k] = offset + parts->edges[i][k];
    for (size_t i = 0; i < parts->point_count; i++)
        s->points.data[p + i] = offset + parts->points[i];
    return true;
}

static abut_status join_body(joined_surface *s, const mesh *m, size_t body, abut_error *err)
{
    size_t offset = s->vertices.count;
    surface_parts parts;
    TRY(mesh_surface(m, &parts, err));
    bool good = join_vertices(s, m, body) && join_parts(s, &parts, (int32_t)offset);
    surface_parts_free(&parts);
    return good ? ABUT_OK : error_memory(err, "checking the start");
}

uint8_t start_flags(body_kind kind)
{
    const body_row *row = body_rows[kind];
    if (row->obstacle) return CHECK_BODY_OBSTACLE | CHECK_BODY_RIGID;
    return row->whole ? CHECK_BODY_RIGID : 0;
}

static abut_status join(const scene_def *scene, const mesh *meshes, joined_surface *s,
                        abut_error *err)
{
    for (size_t i = 0; i < scene->body_count; i++) {
        size_t offset = s->vertices.count;
        if (!array_push(&s->offsets, offset) ||
            !array_push(&s->flags, start_flags(scene->bodies[i].type)) ||
            !array_push(&s->groups, (int32_t)scene->bodies[i].collision_group))
            return error_memory(err, "checking the start");
        if (!takes_part(scene, meshes, i)) continue;
        if (offset + meshes[i].vertex_count > INT32_MAX)
            return error_set(err, ABUT_ERROR_INPUT, scene->path,
                             "all bodies together have too many vertices");
        mesh surface = {0}; /* what collides, where that is not the surface of the mesh itself */
        const body_row *row = body_rows[scene->bodies[i].type];
        if (row->surface) TRY(row->surface(scene, i, &meshes[i], &surface, err));
        abut_status status = join_body(s, surface.vertex_count > 0 ? &surface : &meshes[i], i, err);
        mesh_free(&surface);
        TRY(status);
    }
    return ABUT_OK;
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
static void describe(const scene_def *scene, const joined_surface *s, const char *what,
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
static void show_pair(const scene_def *scene, const joined_surface *s, const check_surface *surface,
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

static void check_half_spaces(const scene_def *scene, const joined_surface *s, start_report *out)
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
static abut_status check_offsets(const scene_def *scene, const joined_surface *s,
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

typedef ARRAY(int32_t) excluded_list; /* two numbers each, as the checker wants them */

/* Attached vertices, then pairs of bodies. */
static abut_status find_excluded(const scene_def *scene, const joined_surface *s, double size,
                                 excluded_list *out, abut_error *err)
{
    attached_node_list nodes = {0};
    body_pair_list pairs = {0};
    bool ok = true;
    abut_status status = scene_attached_nodes(scene, size, &nodes, err);
    if (status == ABUT_OK) status = scene_joined_pairs(scene, &pairs, err);
    for (size_t i = 0; ok && i < nodes.count; i++)
        ok = array_push(out, (int32_t)s->offsets.data[nodes.data[i].body] + nodes.data[i].node) &&
             array_push(out, nodes.data[i].to);
    check_encode_attached((int32_t(*)[2])out->data, out->count / 2);
    for (size_t i = 0; ok && i < pairs.count; i++)
        ok = array_push(out, pairs.data[i].first) && array_push(out, pairs.data[i].second);
    array_free(&nodes);
    array_free(&pairs);
    return status == ABUT_OK && !ok ? error_memory(err, "checking the start") : status;
}

static abut_status check_joined(const scene_def *scene, const joined_surface *s,
                                const excluded_list *apart, double radius, start_report *out,
                                abut_error *err)
{
    check_surface surface = {.vertices = s->vertices.data,
                             .vertex_count = s->vertices.count,
                             .triangles = (const triangle_nodes *)s->triangles.data,
                             .triangle_count = s->triangles.count,
                             .edges = (const edge_nodes *)s->edges.data,
                             .edge_count = s->edges.count,
                             .points = s->points.data,
                             .point_count = s->points.count,
                             .body = s->body.data,
                             .body_flags = s->flags.data,
                             .body_group = s->groups.data,
                             .excluded = (const int32_t(*)[2])apart->data,
                             .excluded_count = apart->count / 2};
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
    joined_surface surface = {0};
    abut_status status = join(scene, meshes, &surface, err);
    double size = start_size(scene, meshes), radius = 2 * start_length(scene->lengths.dhat, size);
    excluded_list apart = {0};
    if (status == ABUT_OK) status = find_excluded(scene, &surface, size, &apart, err);
    if (status == ABUT_OK && surface.vertices.count > 0)
        status = check_joined(scene, &surface, &apart, radius, out, err);
    array_free(&apart);
    joined_free(&surface);
    return status;
}

#include "scene/start_surface.h"

#include "geometry/check_attached.h"
#include "mesh/topology.h"
#include "scene/attached.h"
#include "scene/joined.h"

#include <string.h>

bool start_takes_part(const scene_def *scene, const mesh *meshes, size_t body)
{
    return scene->bodies[body].enabled && meshes[body].vertex_count > 0;
}

void start_surface_free(start_surface *s)
{
    array_free(&s->vertices);
    array_free(&s->body);
    array_free(&s->triangles);
    array_free(&s->edges);
    array_free(&s->points);
    array_free(&s->flags);
    array_free(&s->groups);
    array_free(&s->offsets);
    array_free(&s->excluded);
}

static bool join_vertices(start_surface *s, const mesh *m, size_t body)
{
    for (size_t v = 0; v < m->vertex_count; v++)
        if (!array_push(&s->vertices, m->vertices[v]) || !array_push(&s->body, (int32_t)body))
            return false;
    return true;
}

static bool join_parts(start_surface *s, const surface_parts *parts, int32_t offset)
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

static abut_status join_body(start_surface *s, const mesh *m, size_t body, abut_error *err)
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

static abut_status join(const scene_def *scene, const mesh *meshes, start_surface *s,
                        abut_error *err)
{
    for (size_t i = 0; i < scene->body_count; i++) {
        size_t offset = s->vertices.count;
        if (!array_push(&s->offsets, offset) ||
            !array_push(&s->flags, start_flags(scene->bodies[i].type)) ||
            !array_push(&s->groups, (int32_t)scene->bodies[i].collision_group))
            return error_memory(err, "checking the start");
        if (!start_takes_part(scene, meshes, i)) continue;
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

/* Attached vertices, then pairs of bodies. */
static abut_status find_excluded(const scene_def *scene, start_surface *s, double size,
                                 abut_error *err)
{
    attached_node_list nodes = {0};
    body_pair_list pairs = {0};
    bool ok = true;
    abut_status status = scene_attached_nodes(scene, size, &nodes, err);
    if (status == ABUT_OK) status = scene_joined_pairs(scene, &pairs, err);
    for (size_t i = 0; ok && i < nodes.count; i++)
        ok = array_push(&s->excluded,
                        (int32_t)s->offsets.data[nodes.data[i].body] + nodes.data[i].node) &&
             array_push(&s->excluded, nodes.data[i].to);
    check_encode_attached((int32_t(*)[2])s->excluded.data, s->excluded.count / 2);
    for (size_t i = 0; ok && i < pairs.count; i++)
        ok = array_push(&s->excluded, pairs.data[i].first) &&
             array_push(&s->excluded, pairs.data[i].second);
    array_free(&nodes);
    array_free(&pairs);
    return status == ABUT_OK && !ok ? error_memory(err, "checking the start") : status;
}

abut_status start_surface_make(const scene_def *scene, const mesh *meshes, double size,
                               start_surface *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    TRY(join(scene, meshes, out, err));
    return find_excluded(scene, out, size, err);
}

check_surface start_surface_view(const start_surface *s)
{
    return (check_surface){.vertices = s->vertices.data,
                           .vertex_count = s->vertices.count,
                           .triangles = (const start_triangle *)s->triangles.data,
                           .triangle_count = s->triangles.count,
                           .edges = (const start_edge *)s->edges.data,
                           .edge_count = s->edges.count,
                           .points = s->points.data,
                           .point_count = s->points.count,
                           .body = s->body.data,
                           .body_flags = s->flags.data,
                           .body_group = s->groups.data,
                           .excluded = (const int32_t(*)[2])s->excluded.data,
                           .excluded_count = s->excluded.count / 2};
}

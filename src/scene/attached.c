#include "scene/attached.h"

#include "geometry/check_gap.h"
#include "mesh/topology.h"
#include "scene/select.h"
#include "scene/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

abut_status body_collides_by_nodes(const scene_def *scene, size_t body, bool *yes, abut_error *err)
{
    const body_row *row = body_rows[scene->bodies[body].type];
    mesh shape, surface = {0};
    *yes = !row->whole;
    if (row->whole || !row->surface) return ABUT_OK;
    TRY(scene_body_mesh(scene, body, &shape, err));
    abut_status status = row->surface(scene, body, &shape, &surface, err);
    *yes = surface.vertex_count == 0;
    mesh_free(&surface);
    mesh_free(&shape);
    return status;
}

/* Distance of a point from the surface of a mesh. */
static double distance_from(const mesh *m, const surface_parts *parts, vec3 p)
{
    double least = INFINITY;
    for (size_t i = 0; i < parts->triangle_count; i++) {
        vec3 t[3];
        for (int k = 0; k < 3; k++) t[k] = m->vertices[parts->triangles[i][k]];
        least = fmin(least, gap_point_triangle(p, t));
    }
    for (size_t i = parts->free_edge_first; i < parts->edge_count; i++)
        least = fmin(least, gap_point_segment(p, m->vertices[parts->edges[i][0]],
                                              m->vertices[parts->edges[i][1]]));
    for (size_t i = 0; i < parts->point_count; i++)
        least = fmin(least, gap_point_point(p, m->vertices[parts->points[i]]));
    return least;
}

static int32_t find_body(const scene_def *scene, const char *name)
{
    for (size_t i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].name, name) == 0) return (int32_t)i;
    return -1;
}

/* How many of the vertices before each one are used by some cell. */
static abut_status count_used(const mesh *m, int32_t **out, abut_error *err)
{
    int32_t *before = mem_calloc(m->vertex_count + 1, sizeof *before);
    *out = before;
    if (!before) return error_memory(err, "looking at attachments");
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        size_t nodes = block->count * (size_t)block->nodes_per_cell;
        for (size_t i = 0; i < nodes; i++) before[block->nodes[i] + 1] = 1;
    }
    for (size_t v = 0; v < m->vertex_count; v++) before[v + 1] += before[v];
    return ABUT_OK;
}

typedef struct attached_work {
    const scene_def *scene;
    const attachment_def *def;
    int32_t body, to;
    double size;
    mesh shape, other;
    surface_parts parts;
    int32_t *before;
} attached_work;

static abut_status add_nodes(const attached_work *w, attached_node_list *out, abut_error *err)
{
    int32_t *nodes = NULL;
    size_t count = 0;
    double within = INFINITY;
    if (w->def->has_within) within = start_length(w->def->within, w->size);
    TRY(select_nodes(&w->def->nodes, &w->scene->bodies[w->body], &w->shape, &nodes, &count, err));
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        vec3 p = w->shape.vertices[nodes[i]];
        if (isfinite(within) && distance_from(&w->other, &w->parts, p) > within) continue;
        ok = array_push(out, ((attached_node){w->body, nodes[i], w->to, w->before[nodes[i]]}));
    }
    mem_free(nodes);
    return ok ? ABUT_OK : error_memory(err, "looking at attachments");
}

static abut_status add_attachment(const scene_def *scene, const attachment_def *def, double size,
                                  attached_node_list *out, abut_error *err)
{
    bool by_nodes;
    attached_work w = {.scene = scene,
                       .def = def,
                       .size = size,
                       .body = find_body(scene, def->body),
                       .to = find_body(scene, def->to)};
    if (w.body < 0 || w.to < 0) return ABUT_OK;
    TRY(body_collides_by_nodes(scene, (size_t)w.body, &by_nodes, err));
    if (!by_nodes) return ABUT_OK;
    TRY(scene_body_mesh(scene, (size_t)w.body, &w.shape, err));
    abut_status status = scene_body_mesh(scene, (size_t)w.to, &w.other, err);
    if (status == ABUT_OK) status = mesh_surface(&w.other, &w.parts, err);
    if (status == ABUT_OK) status = count_used(&w.shape, &w.before, err);
    if (status == ABUT_OK) status = add_nodes(&w, out, err);
    mem_free(w.before);
    surface_parts_free(&w.parts);
    mesh_free(&w.other);
    mesh_free(&w.shape);
    return status;
}

static int compare(const void *a, const void *b)
{
    const attached_node *p = a, *q = b;
    if (p->body != q->body) return p->body < q->body ? -1 : 1;
    if (p->node != q->node) return p->node < q->node ? -1 : 1;
    return (p->to > q->to) - (p->to < q->to);
}

abut_status scene_attached_nodes(const scene_def *scene, double size, attached_node_list *out,
                                 abut_error *err)
{
    array_clear(out);
    if (!scene->options.contact) return ABUT_OK;
    for (size_t i = 0; i < scene->attachment_count; i++)
        TRY(add_attachment(scene, &scene->attachments[i], size, out, err));
    if (out->count > 1) qsort(out->data, out->count, sizeof *out->data, compare);
    return ABUT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Frames                                                                                         */

/* Points of a body in frames: its nodes, or what collides of it. */
static abut_status count_points(const scene_def *scene, size_t body, int32_t *out, abut_error *err)
{
    const body_row *row = body_rows[scene->bodies[body].type];
    mesh shape, surface = {0};
    surface_parts parts = {0};
    int32_t *before = NULL;
    TRY(scene_body_mesh(scene, body, &shape, err));
    abut_status status = ABUT_OK;
    if (row->surface) status = row->surface(scene, body, &shape, &surface, err);
    bool by_nodes = !row->whole && surface.vertex_count == 0;
    if (status == ABUT_OK && by_nodes) status = count_used(&shape, &before, err);
    if (status == ABUT_OK && !by_nodes)
        status = mesh_surface(surface.vertex_count > 0 ? &surface : &shape, &parts, err);
    if (status == ABUT_OK)
        *out = by_nodes ? before[shape.vertex_count] : (int32_t)parts.point_count;
    mem_free(before);
    surface_parts_free(&parts);
    mesh_free(&surface);
    mesh_free(&shape);
    return status;
}

static int32_t built_number(const scene_def *scene, int32_t body)
{
    int32_t built = 0;
    for (int32_t b = 0; b < body; b++) built += scene->bodies[b].enabled;
    return built;
}

static abut_status to_points(const scene_def *scene, const attached_node_list *nodes,
                             int32_t (*out)[2], abut_error *err)
{
    int32_t first = 0;
    size_t i = 0;
    for (size_t b = 0; b < scene->body_count && i < nodes->count; b++) {
        int32_t count = 0;
        for (; i < nodes->count && nodes->data[i].body == (int32_t)b; i++) {
            out[i][0] = first + nodes->data[i].used;
            out[i][1] = built_number(scene, nodes->data[i].to);
        }
        if (scene->bodies[b].enabled) TRY(count_points(scene, b, &count, err));
        first += count;
    }
    return ABUT_OK;
}

abut_status scene_attached_points(const scene_def *scene, double size, int32_t (**out)[2],
                                  size_t *count, abut_error *err)
{
    attached_node_list nodes = {0};
    *out = NULL;
    *count = 0;
    abut_status status = scene_attached_nodes(scene, size, &nodes, err);
    if (status == ABUT_OK && nodes.count > 0) {
        *out = mem_calloc(nodes.count, sizeof **out);
        status = *out ? to_points(scene, &nodes, *out, err)
                      : error_memory(err, "looking at attachments");
        *count = nodes.count;
    }
    array_free(&nodes);
    return status;
}

/* The collision surface of a patch: its own boundary and what is near, with the weights that the
 * whole surface gives. */
#include "base/sort.h"
#include "remesh/local_internal.h"
#include "remesh/patch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static abut_status surface_vertex(patch *p, int32_t block, int32_t *vertex, abut_error *err)
{
    *vertex = number_map_get(&p->on_surface, block);
    if (*vertex >= 0) return ABUT_OK;
    collision_surface *s = &p->model.surface;
    const remesh_problem *q = p->problem;
    int32_t body = p->model.body.data[block], first = (int32_t)q->scene->bodies.count;
    if (body >= first) body = q->materials[body - first].body;
    const model_body *from = &q->scene->bodies.data[body];
    int32_t group = from->surface.vertex_count > 0
                        ? q->scene->surface.vertex_group.data[from->surface.first_vertex]
                        : body;
    *vertex = (int32_t)s->rows.count;
    TRY(surface_add_node(s, block, err));
    if (!array_push(&s->vertex_body, body) || !array_push(&s->vertex_group, group) ||
        !array_push(&s->vertex_on_edge, (uint8_t)0) ||
        !number_map_set(&p->on_surface, block, *vertex))
        return error_memory(err, "preparing a patch");
    if (q->scene->surface.thickness.count > 0 && !array_push(&s->thickness, from->offset))
        return error_memory(err, "preparing a patch");
    return ABUT_OK;
}

static bool add_edge(patch *p, int32_t a, int32_t b)
{
    uint64_t key = a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
    p->model.surface.vertex_on_edge.data[a] = p->model.surface.vertex_on_edge.data[b] = 1;
    return array_push(&p->edge_keys, key);
}

/* A facet of surface vertices: a triangle with its edges, an edge, or a point. */
static abut_status add_facet(patch *p, const int32_t *blocks, int count, abut_error *err)
{
    int32_t v[3];
    for (int k = 0; k < count; k++) TRY(surface_vertex(p, blocks[k], &v[k], err));
    bool ok = true;
    for (int k = 0; count == 3 && k < 3; k++)
        ok = ok && array_push(&p->model.surface.triangles, v[k]) &&
             add_edge(p, v[k], v[(k + 1) % 3]);
    if (count == 2) ok = add_edge(p, v[0], v[1]);
    return ok ? ABUT_OK : error_memory(err, "preparing a patch");
}

static abut_status add_local_facet(patch *p, int32_t cell, int corner, abut_error *err)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    static const int edge[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    const local_mesh *m = p->mesh;
    int32_t blocks[3];
    for (int k = 0; k < m->dimension; k++) {
        int at = m->dimension == 3 ? face[corner][k] : edge[corner][k];
        TRY(patch_local_block(p, m->cells.data[cell].vertex[at], &blocks[k], err));
    }
    return add_facet(p, blocks, m->dimension, err);
}

static abut_status add_scene_facet(patch *p, surround_kind kind, int32_t facet, abut_error *err)
{
    const collision_surface *s = &p->problem->scene->surface;
    int count = kind == SURROUND_TRIANGLE ? 3 : kind == SURROUND_EDGE ? 2 : 1;
    int32_t blocks[3];
    for (int k = 0; k < count; k++) {
        size_t at = (size_t)count * (size_t)facet + (size_t)k;
        int32_t v = kind == SURROUND_TRIANGLE ? s->triangles.data[at]
                    : kind == SURROUND_EDGE   ? s->edges.data[at]
                                              : facet;
        TRY(patch_scene_block(p, v, &blocks[k], err));
    }
    return add_facet(p, blocks, count, err);
}

static abut_status fill_edges(patch *p, abut_error *err)
{
    collision_surface *s = &p->model.surface;
    if (p->edge_keys.count == 0) return ABUT_OK;
    qsort(p->edge_keys.data, p->edge_keys.count, sizeof *p->edge_keys.data, compare_uint64);
    for (size_t i = 0; i < p->edge_keys.count; i++) {
        uint64_t key = p->edge_keys.data[i];
        if (i > 0 && key == p->edge_keys.data[i - 1]) continue;
        int32_t a = (int32_t)(key >> 32), b = (int32_t)(key & 0xffffffffu);
        vec3 along = vec3_sub(p->model.rest.data[s->rows.data[a].block],
                              p->model.rest.data[s->rows.data[b].block]);
        if (!array_push(&s->edges, a) || !array_push(&s->edges, b) ||
            !array_push(&s->edge_length2, vec3_norm2(along)))
            return error_memory(err, "preparing a patch");
    }
    return ABUT_OK;
}

abut_status patch_fill_surface(patch *p, const local_list *cells, abut_error *err)
{
    const local_mesh *m = p->mesh;
    array_clear(&p->edge_keys);
    for (size_t i = 0; i < cells->count; i++)
        for (int k = 0; k <= m->dimension; k++)
            if (m->cells.data[cells->data[i]].facet[k] >= 0)
                TRY(add_local_facet(p, cells->data[i], k, err));
    const local_list *near = &p->near.found[SURROUND_LOCAL];
    for (size_t i = 0; i < near->count; i++) {
        int32_t cell = near->data[i] / 4;
        if (bsearch(&cell, cells->data, cells->count, sizeof cell, compare_int32)) continue;
        TRY(add_local_facet(p, cell, near->data[i] % 4, err));
    }
    for (int kind = SURROUND_TRIANGLE; kind < SURROUND_KINDS; kind++)
        for (size_t i = 0; i < p->near.found[kind].count; i++)
            TRY(add_scene_facet(p, (surround_kind)kind, p->near.found[kind].data[i], err));
    return fill_edges(p, err);
}

/* --- weights -------------------------------------------------------------------------------- */

/* Boundary facets of a vertex, or of an edge when b >= 0, divided by the corners that share them.
 */
static double area_around(const local_mesh *m, int32_t a, int32_t b)
{
    double sum = 0;
    for (int32_t r = m->vertices.data[a].first; r >= 0; r = m->cells.data[r / 4].next[r % 4]) {
        const local_cell *c = &m->cells.data[r / 4];
        int other = -1;
        for (int k = 0; b >= 0 && k <= m->dimension; k++)
            if (c->vertex[k] == b) other = k;
        if (b >= 0 && other < 0) continue;
        for (int k = 0; k <= m->dimension; k++)
            if (k != r % 4 && k != other && c->facet[k] >= 0) sum += local_facet_area(m, c, k);
    }
    if (m->dimension == 2) return b >= 0 ? sum : sum / 2;
    return sum / 3;
}

abut_status patch_set_areas(patch *p, abut_error *err)
{
    const collision_surface *s = &p->model.surface;
    const surface_areas *whole = &p->problem->contact->areas;
    surface_areas *areas = &p->contact->areas;
    if (!array_resize(&areas->vertex, s->rows.count) ||
        !array_resize(&areas->edge, s->edges.count / 2))
        return error_memory(err, "preparing a patch");
    p->contact->weights.areas = areas;
    p->contact->options.area_weighted = true;
    for (size_t i = 0; i < s->rows.count; i++) {
        int32_t block = s->rows.data[i].block, v = p->vertices.data[block];
        areas->vertex.data[i] =
            v >= 0 ? area_around(p->mesh, v, -1) : whole->vertex.data[p->scene_vertex.data[block]];
    }
    for (size_t i = 0; i < s->edges.count / 2; i++) {
        int32_t a = s->rows.data[s->edges.data[2 * i]].block;
        int32_t b = s->rows.data[s->edges.data[2 * i + 1]].block;
        if (p->vertices.data[a] >= 0)
            areas->edge.data[i] = area_around(p->mesh, p->vertices.data[a], p->vertices.data[b]);
        else {
            int32_t edge =
                surround_scene_edge(p->around, p->scene_vertex.data[a], p->scene_vertex.data[b]);
            areas->edge.data[i] = edge >= 0 ? whole->edge.data[edge] : 0;
        }
    }
    return ABUT_OK;
}

#include "base/memory.h"
#include "mesh/topology.h"

/* Points of the surface that are part of no edge. */
static size_t free_points(const surface_parts *s, bool *on_edge, int32_t *out)
{
    size_t count = 0;
    for (size_t e = 0; e < s->edge_count; e++)
        on_edge[s->edges[e][0]] = on_edge[s->edges[e][1]] = true;
    for (size_t p = 0; p < s->point_count; p++)
        if (!on_edge[s->points[p]]) out[count++] = s->points[p];
    return count;
}

/* Adds a block of cells with renumbered vertices, unless it is empty. */
static abut_status add_block(mesh *out, cell_kind kind, const int32_t *nodes, size_t cells,
                             const int32_t *number, abut_error *err)
{
    if (cells == 0) return ABUT_OK;
    cell_block *block;
    TRY(mesh_add_block(out, kind, 1, cells, false, &block, err));
    for (size_t i = 0; i < cells * (size_t)block->nodes_per_cell; i++)
        block->nodes[i] = number[nodes[i]];
    return ABUT_OK;
}

static abut_status copy_stitches(const mesh *m, const int32_t *number, mesh *out, abut_error *err)
{
    if (m->stitch_count == 0) return ABUT_OK;
    out->stitch_vertices = mem_alloc(m->stitch_count, sizeof *out->stitch_vertices);
    out->stitch_ratio = mem_alloc(m->stitch_count, sizeof *out->stitch_ratio);
    if (!out->stitch_vertices || !out->stitch_ratio) return error_memory(err, "copying stitches");
    for (size_t s = 0; s < m->stitch_count; s++) {
        const int32_t *v = m->stitch_vertices[s];
        if (number[v[0]] < 0 || number[v[1]] < 0 || number[v[2]] < 0) continue;
        for (int k = 0; k < 3; k++) out->stitch_vertices[out->stitch_count][k] = number[v[k]];
        out->stitch_ratio[out->stitch_count++] = m->stitch_ratio[s];
    }
    return ABUT_OK;
}

static abut_status build_surface(const mesh *m, const surface_parts *s, int32_t *number,
                                 int32_t *points, bool *on_edge, mesh *out, abut_error *err)
{
    TRY(mesh_init(out, s->point_count, err));
    if (m->rest) {
        out->rest = mem_alloc(s->point_count, sizeof *out->rest);
        if (!out->rest) return error_memory(err, "extracting a surface");
    }
    for (size_t v = 0; v < m->vertex_count; v++) number[v] = -1;
    for (size_t p = 0; p < s->point_count; p++) {
        number[s->points[p]] = (int32_t)p;
        out->vertices[p] = m->vertices[s->points[p]];
        if (m->rest) out->rest[p] = m->rest[s->points[p]];
    }
    size_t point_count = free_points(s, on_edge, points);
    size_t edge_count = s->edge_count - s->free_edge_first;
    TRY(add_block(out, CELL_TRIANGLE, (const int32_t *)s->triangles, s->triangle_count, number,
                  err));
    TRY(add_block(out, CELL_EDGE, (const int32_t *)(s->edges + s->free_edge_first), edge_count,
                  number, err));
    TRY(add_block(out, CELL_POINT, points, point_count, number, err));
    return copy_stitches(m, number, out, err);
}

abut_status mesh_extract_surface(const mesh *m, mesh *out, abut_error *err)
{
    *out = (mesh){0};
    surface_parts s;
    TRY(mesh_surface(m, &s, err));
    int32_t *number = mem_alloc(m->vertex_count, sizeof *number);
    int32_t *points = mem_alloc(s.point_count, sizeof *points);
    bool *on_edge = mem_calloc(m->vertex_count, sizeof *on_edge);
    abut_status status = number && points && on_edge
                             ? build_surface(m, &s, number, points, on_edge, out, err)
                             : error_memory(err, "extracting a surface");
    if (status != ABUT_OK) mesh_free(out);
    mem_free(number);
    mem_free(points);
    mem_free(on_edge);
    surface_parts_free(&s);
    return status;
}

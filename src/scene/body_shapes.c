#include "scene/body_shapes.h"

#include "mesh/topology.h"
#include "scene/body_mesh.h"
#include "scene/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Facets that belong to one cell only, with sorted corners. */
typedef struct facet {
    int32_t node[3]; /* planar: the third is -1 */
} facet;

static int compare_facets(const void *a, const void *b) { return memcmp(a, b, sizeof(facet)); }

static void sort_nodes(int32_t *n, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && n[k] < n[k - 1]; k--) {
            int32_t keep = n[k];
            n[k] = n[k - 1];
            n[k - 1] = keep;
        }
}

/* The boundary of linear simplices; *out comes from mem_alloc. */
static abut_status boundary_facets(const mesh *m, bool planar, facet **out, size_t *count,
                                   abut_error *err)
{
    const cell_block *cells = mesh_find(m, planar ? CELL_TRIANGLE : CELL_TET);
    size_t corners = planar ? 3 : 4, n = 0;
    facet *all = mem_calloc(cells->count * corners + 1, sizeof *all);
    if (!all) return error_memory(err, "finding a boundary");
    for (size_t c = 0; c < cells->count; c++)
        for (size_t k = 0; k < corners; k++, n++) {
            int at = 0;
            for (size_t j = 0; j < corners; j++)
                if (j != k) all[n].node[at++] = cells->nodes[corners * c + j];
            sort_nodes(all[n].node, at);
        }
    qsort(all, n, sizeof *all, compare_facets);
    *count = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && compare_facets(&all[i], &all[end]) == 0) end++;
        if (end == i + 1) all[(*count)++] = all[i];
        i = end;
    }
    *out = all;
    return ABUT_OK;
}

static double facet_area(const mesh *m, const facet *f, bool planar)
{
    vec3 a = m->vertices[f->node[0]], b = vec3_sub(m->vertices[f->node[1]], a);
    if (planar) return vec3_norm(b);
    return 0.5 * vec3_norm(vec3_cross(b, vec3_sub(m->vertices[f->node[2]], a)));
}

abut_status share_by_area(const body_shape *now, bool planar, size_t set, load *l, abut_error *err)
{
    facet *facets = NULL;
    size_t count = 0, corners = planar ? 2 : 3;
    TRY(boundary_facets(&now->shape, planar, &facets, &count, err));
    double *area = mem_calloc(now->shape.vertex_count + 1, sizeof *area), total = 0;
    bool ok = area != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        bool all = true;
        for (size_t k = 0; k < corners; k++) all = all && (now->sets[facets[i].node[k]] >> set & 1);
        double part = all ? facet_area(&now->shape, &facets[i], planar) / (double)corners : 0;
        for (size_t k = 0; k < corners; k++) area[facets[i].node[k]] += part;
        total += (double)corners * part;
    }
    for (size_t v = 0; ok && total > 0 && v < now->shape.vertex_count; v++)
        if (now->sets[v] >> set & 1)
            ok = array_push(&l->share, (double)l->nodes.count * area[v] / total);
    mem_free(area);
    mem_free(facets);
    return ok ? ABUT_OK : error_memory(err, "spreading a load");
}

/* ---- the start ---- */

void body_shapes_free(body_shapes *shapes)
{
    for (size_t i = 0; shapes->bodies && i < shapes->count; i++) {
        mesh_free(&shapes->bodies[i].shape);
        mem_free(shapes->bodies[i].sets);
    }
    mem_free(shapes->bodies);
    *shapes = (body_shapes){0};
}

static abut_status refuse(const scene_def *scene, size_t i, const char *what, abut_error *err)
{
    char place[256];
    snprintf(place, sizeof place, "%s: bodies[%zu].mesh", scene->path, i);
    return error_set(err, ABUT_ERROR_UNSUPPORTED, place,
                     "%s; only linear %s are remeshed (give the body \"remesh\": false to keep its "
                     "mesh)",
                     what, scene->planar ? "triangles" : "tetrahedra");
}

/* Only the cells of the body, all in one block, and only vertices that they use. */
static abut_status reduce(const scene_def *scene, size_t i, const mesh *m, mesh *out,
                          int32_t *number, abut_error *err)
{
    cell_kind kind = scene->planar ? CELL_TRIANGLE : CELL_TET;
    size_t cells = 0, corners = scene->planar ? 3 : 4, used = 0;
    bool tags = false;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        bool solid = block->kind == CELL_TET || block->kind == CELL_HEX ||
                     (scene->planar && (block->kind == CELL_TRIANGLE || block->kind == CELL_QUAD));
        if (!solid || block->count == 0) continue;
        if (block->kind != kind || block->order != 1)
            return refuse(scene, i, "the mesh has other cells, or cells of a higher order", err);
        cells += block->count;
        tags = tags || block->tags;
        for (size_t k = 0; k < corners * block->count; k++) number[block->nodes[k]] = 1;
    }
    for (size_t v = 0; v < m->vertex_count; v++) number[v] = number[v] ? (int32_t)used++ : -1;
    TRY(mesh_init(out, used, err));
    for (size_t v = 0; v < m->vertex_count; v++)
        if (number[v] >= 0) out->vertices[number[v]] = m->vertices[v];
    cell_block *to;
    abut_status status = mesh_add_block(out, kind, 1, cells, tags, &to, err);
    size_t at = 0;
    for (int b = 0; status == ABUT_OK && b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        if (block->kind != kind) continue;
        for (size_t c = 0; c < block->count; c++, at++) {
            for (size_t k = 0; k < corners; k++)
                to->nodes[corners * at + k] = number[block->nodes[corners * c + k]];
            if (tags) to->tags[at] = block->tags ? block->tags[c] : 0;
        }
    }
    if (status != ABUT_OK) mesh_free(out);
    return status;
}

/* Triangles in the plane run counter-clockwise. */
static void orient(mesh *m)
{
    cell_block *cells = &m->blocks[0];
    for (size_t c = 0; cells->kind == CELL_TRIANGLE && c < cells->count; c++) {
        int32_t *n = cells->nodes + 3 * c, keep = n[1];
        vec3 a = m->vertices[n[0]], b = vec3_sub(m->vertices[n[1]], a),
             d = vec3_sub(m->vertices[n[2]], a);
        if (b.x * d.y - b.y * d.x >= 0) continue;
        n[1] = n[2];
        n[2] = keep;
    }
}

static abut_status mark_set(const scene_def *scene, size_t i, const mesh *m,
                            const selector_def *selector, const char *field, size_t entry,
                            size_t bit, const int32_t *number, uint64_t *sets, abut_error *err)
{
    int32_t *nodes;
    size_t count;
    abut_status status = select_nodes(selector, &scene->bodies[i], m, &nodes, &count, err);
    if (status != ABUT_OK) {
        char place[256];
        snprintf(place, sizeof place, "%s: bodies[%zu].%s[%zu].nodes", scene->path, i, field,
                 entry);
        return error_add_place(err, place, status);
    }
    for (size_t k = 0; k < count; k++)
        if (number[nodes[k]] >= 0) sets[number[nodes[k]]] |= UINT64_C(1) << bit;
    mem_free(nodes);
    return ABUT_OK;
}

static abut_status take(const scene_def *scene, size_t i, const mesh *m, int32_t *number,
                        body_shape *out, abut_error *err)
{
    const body_def *def = &scene->bodies[i];
    TRY(reduce(scene, i, m, &out->shape, number, err));
    orient(&out->shape);
    out->sets = mem_calloc(out->shape.vertex_count + 1, sizeof *out->sets);
    if (!out->sets) return error_memory(err, "preparing remeshing");
    for (size_t k = 0; k < def->fix_count; k++)
        TRY(mark_set(scene, i, m, &def->fixes[k].nodes, "fix", k, k, number, out->sets, err));
    for (size_t k = 0; k < def->force_count; k++)
        TRY(mark_set(scene, i, m, &def->forces[k].nodes, "force", k, def->fix_count + k, number,
                     out->sets, err));
    return ABUT_OK;
}

abut_status body_shapes_init(body_shapes *shapes, const scene_def *scene, abut_error *err)
{
    *shapes =
        (body_shapes){scene->body_count, mem_calloc(scene->body_count + 1, sizeof *shapes->bodies)};
    abut_status status = shapes->bodies ? ABUT_OK : error_memory(err, "preparing remeshing");
    for (size_t i = 0; status == ABUT_OK && i < scene->body_count; i++) {
        if (!scene->bodies[i].remesh) continue;
        mesh m;
        status = scene_body_mesh(scene, i, &m, err);
        if (status != ABUT_OK) break;
        int32_t *number = mem_calloc(m.vertex_count + 1, sizeof *number);
        status = number ? take(scene, i, &m, number, &shapes->bodies[i], err)
                        : error_memory(err, "preparing remeshing");
        mem_free(number);
        mesh_free(&m);
    }
    if (status != ABUT_OK) body_shapes_free(shapes);
    return status;
}

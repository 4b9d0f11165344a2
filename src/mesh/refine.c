#include "mesh/refine.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct split_edge {
    int32_t a, b; /* a < b */
} split_edge;

static int compare_edges(const void *x, const void *y)
{
    const split_edge *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static split_edge edge_of(int32_t a, int32_t b)
{
    return a < b ? (split_edge){a, b} : (split_edge){b, a};
}

typedef struct edge_table {
    split_edge *edges; /* sorted, unique */
    size_t count;
    int32_t first; /* vertex in the middle of edge 0 */
} edge_table;

static int32_t middle_of(const edge_table *t, int32_t a, int32_t b)
{
    split_edge key = edge_of(a, b);
    const split_edge *found = bsearch(&key, t->edges, t->count, sizeof key, compare_edges);
    return t->first + (int32_t)(found - t->edges);
}

static int edges_per_cell(cell_kind kind)
{
    return kind == CELL_TET ? 6 : kind == CELL_TRIANGLE ? 3 : kind == CELL_EDGE ? 1 : 0;
}

static int children_per_cell(cell_kind kind)
{
    return kind == CELL_TET ? 8 : kind == CELL_TRIANGLE ? 4 : kind == CELL_EDGE ? 2 : 1;
}

static abut_status collect_edges(const mesh *m, edge_table *t, abut_error *err)
{
    size_t room = 0;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        bool known =
            block->order == 1 && (block->kind == CELL_POINT || edges_per_cell(block->kind));
        if (!known)
            return error_set(err, ABUT_ERROR_UNSUPPORTED, "",
                             "refinement is for points, edges, triangles and tetrahedra of order "
                             "1; the mesh has %ss of order %d",
                             cell_kind_name(block->kind), block->order);
        room += block->count * (size_t)edges_per_cell(block->kind);
    }
    if (m->stitch_count > 0)
        return error_set(err, ABUT_ERROR_UNSUPPORTED, "", "a mesh with stitches is not refined");
    t->edges = mem_alloc(room + 1, sizeof *t->edges);
    if (!t->edges) return error_memory(err, "refining a mesh");
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        int corners = block->nodes_per_cell;
        for (size_t i = 0; i < block->count; i++)
            for (int k = 0; k < corners; k++)
                for (int l = k + 1; l < corners; l++) {
                    const int32_t *n = block->nodes + i * (size_t)corners;
                    t->edges[t->count++] = edge_of(n[k], n[l]);
                }
    }
    qsort(t->edges, t->count, sizeof *t->edges, compare_edges);
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++)
        if (i == 0 || compare_edges(&t->edges[kept - 1], &t->edges[i]) != 0)
            t->edges[kept++] = t->edges[i];
    t->count = kept;
    t->first = (int32_t)m->vertex_count;
    if (m->vertex_count + t->count > INT32_MAX)
        return error_set(err, ABUT_ERROR_INPUT, "", "the refined mesh would be too large");
    return ABUT_OK;
}

static int32_t *put(int32_t *to, int32_t a, int32_t b, int32_t c, int32_t d)
{
    to[0] = a;
    to[1] = b;
    to[2] = c;
    to[3] = d;
    return to + 4;
}

/* The corners, then the octahedron of the edge middles around its shortest diagonal. */
static void split_tet(const edge_table *t, const vec3 *x, const int32_t *n, int32_t *to)
{
    int32_t ab = middle_of(t, n[0], n[1]), ac = middle_of(t, n[0], n[2]);
    int32_t ad = middle_of(t, n[0], n[3]), bc = middle_of(t, n[1], n[2]);
    int32_t bd = middle_of(t, n[1], n[3]), cd = middle_of(t, n[2], n[3]);
    to = put(to, n[0], ab, ac, ad);
    to = put(to, ab, n[1], bc, bd);
    to = put(to, ac, bc, n[2], cd);
    to = put(to, ad, bd, cd, n[3]);
    /* Opposite middles and, around each diagonal, the other four so that the tets are positive. */
    const int32_t ends[3][2] = {{ab, cd}, {ac, bd}, {ad, bc}};
    const int32_t around[3][4] = {{ac, bc, bd, ad}, {ab, ad, cd, bc}, {ab, bd, cd, ac}};
    int best = 0;
    double length2[3];
    for (int k = 0; k < 3; k++) {
        length2[k] = vec3_norm2(vec3_sub(x[ends[k][0]], x[ends[k][1]]));
        if (length2[k] < length2[best] * (1 - 1e-12)) best = k;
    }
    for (int k = 0; k < 4; k++) {
        int32_t c = around[best][k], d = around[best][(k + 1) % 4];
        int32_t *tet = to;
        to = put(to, ends[best][0], ends[best][1], c, d);
        vec3 u = vec3_sub(x[tet[1]], x[tet[0]]), v = vec3_sub(x[c], x[tet[0]]);
        vec3 w = vec3_sub(x[d], x[tet[0]]);
        if (vec3_dot(u, vec3_cross(v, w)) < 0) {
            tet[2] = d;
            tet[3] = c;
        }
    }
}

static void split_triangle(const edge_table *t, const int32_t *n, int32_t *to)
{
    int32_t ab = middle_of(t, n[0], n[1]), bc = middle_of(t, n[1], n[2]);
    int32_t ca = middle_of(t, n[2], n[0]);
    const int32_t cells[12] = {n[0], ab, ca, ab, n[1], bc, ca, bc, n[2], ab, bc, ca};
    memcpy(to, cells, sizeof cells);
}

static abut_status split_block(const edge_table *t, const cell_block *from, mesh *out,
                               abut_error *err)
{
    cell_block *block = NULL;
    int children = children_per_cell(from->kind);
    size_t corners = (size_t)from->nodes_per_cell, per_cell = (size_t)children * corners;
    TRY(mesh_add_block(out, from->kind, 1, from->count * (size_t)children, from->tags != NULL,
                       &block, err));
    for (size_t i = 0; i < from->count; i++) {
        const int32_t *n = from->nodes + i * corners;
        int32_t *to = block->nodes + i * per_cell;
        if (from->kind == CELL_TET) {
            split_tet(t, out->vertices, n, to);
        } else if (from->kind == CELL_TRIANGLE) {
            split_triangle(t, n, to);
        } else if (from->kind == CELL_EDGE) {
            to[0] = n[0];
            to[1] = to[2] = middle_of(t, n[0], n[1]);
            to[3] = n[1];
        } else {
            to[0] = n[0];
        }
        for (int k = 0; from->tags && k < children; k++)
            block->tags[i * (size_t)children + (size_t)k] = from->tags[i];
    }
    return ABUT_OK;
}

static void fill_middles(const edge_table *t, size_t old_count, const vec3 *from, vec3 *to)
{
    memcpy(to, from, old_count * sizeof *to);
    for (size_t i = 0; i < t->count; i++)
        to[old_count + i] = vec3_scale(0.5, vec3_add(from[t->edges[i].a], from[t->edges[i].b]));
}

abut_status mesh_refine(mesh *m, abut_error *err)
{
    edge_table table = {0};
    mesh fine = {0};
    abut_status status = collect_edges(m, &table, err);
    if (status == ABUT_OK) status = mesh_init(&fine, m->vertex_count + table.count, err);
    if (status == ABUT_OK) fill_middles(&table, m->vertex_count, m->vertices, fine.vertices);
    if (status == ABUT_OK && m->rest) {
        fine.rest = mem_alloc(fine.vertex_count, sizeof *fine.rest);
        if (!fine.rest) status = error_memory(err, "refining a mesh");
        if (fine.rest) fill_middles(&table, m->vertex_count, m->rest, fine.rest);
    }
    for (int b = 0; status == ABUT_OK && b < m->block_count; b++)
        status = split_block(&table, &m->blocks[b], &fine, err);
    mem_free(table.edges);
    if (status != ABUT_OK) {
        mesh_free(&fine);
        return status;
    }
    mesh_free(m);
    *m = fine;
    return ABUT_OK;
}

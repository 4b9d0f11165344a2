#include "body/proxy.h"

#include "body/proxy_build.h"
#include "fem/node_key.h"
#include "fem/sides.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weights below this are round-off: the point is on a face that the node is not on. */
static const double NO_WEIGHT = 1e-13;

void proxy_free(proxy *p)
{
    array_free(&p->vertices);
    array_free(&p->row_start);
    array_free(&p->node);
    array_free(&p->weight);
    array_free(&p->triangles);
    array_free(&p->edges);
    memset(p, 0, sizeof *p);
}

bool proxy_add_vertex(proxy *p, const mesh *nodes, int block, size_t cell, const double xi[3],
                      vec3 position)
{
    const cell_block *b = &nodes->blocks[block];
    const int32_t *node = b->nodes + cell * (size_t)b->nodes_per_cell;
    double weight[CELL_MAX_NODES], total = 0;
    lagrange_evaluate(b->kind, b->order, xi, weight, NULL);
    bool ok = array_push(&p->vertices, position) && array_push(&p->row_start, p->node.count);
    for (int a = 0; ok && a < b->nodes_per_cell; a++) {
        total += fabs(weight[a]);
        if (fabs(weight[a]) <= NO_WEIGHT) continue;
        double w = fabs(weight[a] - 1) <= NO_WEIGHT ? 1 : weight[a];
        ok = array_push(&p->node, node[a]) && array_push(&p->weight, w);
    }
    p->largest_weight = fmax(p->largest_weight, total);
    return ok;
}

abut_status proxy_finish(proxy *p, const proxy_edge *extra, size_t extra_count, abut_error *err)
{
    int32_t(*edges)[2] = NULL;
    size_t count = 0;
    TRY(unique_edges((const int32_t(*)[3])p->triangles.data, p->triangles.count,
                     (const int32_t(*)[2])extra, extra_count, &edges, &count, err));
    bool ok = array_resize(&p->edges, count) && array_push(&p->row_start, p->node.count);
    if (ok && count) memcpy(p->edges.data, edges, count * sizeof *edges);
    mem_free(edges);
    return ok ? ABUT_OK : error_memory(err, "making the collision surface");
}

/* ---- sampling ---- */

/* A sample of a side: its lattice coordinates there, and its number when welded. */
typedef struct sample {
    node_key key;
    size_t side;
    int16_t i, j;
    size_t index; /* in the order of sampling */
} sample;
typedef ARRAY(sample) sample_list;

static int compare_samples(const void *left, const void *right)
{
    const sample *a = left, *b = right;
    int order = node_key_compare(&a->key, &b->key);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

/* Where lattice point (i, j) of a side is in its cell. */
static void point_in_cell(cell_kind kind, int face, int segments, int i, int j, double xi[3])
{
    int corners[4], lattice[CELL_MAX_NODES][3];
    int count = side_corners(kind, face, corners);
    cell_lattice(kind, 1, lattice);
    double at[3] = {(double)i / segments, (double)j / segments, 0}, weight[4];
    lagrange_evaluate(side_kind(kind), 1, at, weight, NULL);
    for (int k = 0; k < 3; k++) {
        xi[k] = 0;
        for (int c = 0; c < count; c++) xi[k] += weight[c] * lattice[corners[c]][k];
    }
}

/* Lattice points of a side of `kind` in rows of i. */
static bool in_lattice(cell_kind kind, int segments, int i, int j)
{
    if (kind == CELL_EDGE) return j == 0;
    return kind == CELL_QUAD || i + j <= segments;
}

static abut_status list_samples(const mesh *shape, const side_list *sides, int segments,
                                sample_list *out, abut_error *err)
{
    for (size_t s = 0; s < sides->count; s++) {
        const cell_side *f = &sides->data[s];
        const cell_block *block = &shape->blocks[f->block];
        int local[4], count = side_corners(block->kind, f->face, local);
        int32_t corners[4];
        for (int k = 0; k < count; k++)
            corners[k] = block->nodes[f->cell * (size_t)block->nodes_per_cell + (size_t)local[k]];
        cell_kind kind = side_kind(block->kind);
        for (int j = 0; j <= segments; j++)
            for (int i = 0; i <= segments; i++) {
                if (!in_lattice(kind, segments, i, j)) continue;
                sample at = {.side = s, .i = (int16_t)i, .j = (int16_t)j, .index = out->count};
                at.key = node_key_make(kind, segments, (int[3]){i, j, 0}, corners);
                if (!array_push(out, at)) return error_memory(err, "sampling the boundary");
            }
    }
    return ABUT_OK;
}

/* Welds: number[index] of every sample; the vertices in the order in which they first occur. */
static abut_status weld_samples(sample_list *samples, int32_t *number, size_t *first_index,
                                size_t *count, abut_error *err)
{
    (void)err;
    if (samples->count) qsort(samples->data, samples->count, sizeof(sample), compare_samples);
    *count = 0;
    size_t first = 0;
    for (size_t k = 0; k < samples->count; k++) {
        if (k == 0 || node_key_compare(&samples->data[k].key, &samples->data[k - 1].key) != 0)
            first = samples->data[k].index;
        number[samples->data[k].index] = (int32_t)first; /* index of the first, for now */
    }
    for (size_t index = 0; index < samples->count; index++) {
        if (number[index] != (int32_t)index) continue;
        first_index[(*count)++] = index;
    }
    for (size_t k = 0; k < *count; k++) number[first_index[k]] = -1 - (int32_t)k;
    for (size_t index = 0; index < samples->count; index++)
        if (number[index] >= 0) number[index] = number[number[index]];
    for (size_t index = 0; index < samples->count; index++) number[index] = -1 - number[index];
    return ABUT_OK;
}

/* Triangles of one side from the numbers of its samples, or one row of edges. */
static bool add_side_cells(proxy *p, cell_kind kind, int segments, const int32_t *number,
                           int32_t (*edges)[2])
{
    if (kind == CELL_EDGE) {
        for (int i = 0; i < segments; i++) {
            edges[i][0] = number[i];
            edges[i][1] = number[i + 1];
        }
        return true;
    }
    bool ok = true;
    const int32_t *row = number;
    for (int j = 0; ok && j < segments; j++) {
        int length = kind == CELL_QUAD ? segments : segments - j;
        const int32_t *next = row + length + 1;
        for (int i = 0; ok && i < length; i++) {
            proxy_triangle lower = {row[i], row[i + 1], next[i]};
            ok = array_resize(&p->triangles, p->triangles.count + 1);
            if (ok) memcpy(p->triangles.data[p->triangles.count - 1], lower, sizeof lower);
            if (kind != CELL_QUAD && i + 1 == length) continue;
            proxy_triangle upper = {row[i + 1], next[i + 1], next[i]};
            ok = ok && array_resize(&p->triangles, p->triangles.count + 1);
            if (ok) memcpy(p->triangles.data[p->triangles.count - 1], upper, sizeof upper);
        }
        row = next;
    }
    return ok;
}

static size_t samples_per_side(cell_kind kind, int segments)
{
    size_t n = (size_t)segments + 1;
    return kind == CELL_EDGE ? n : kind == CELL_QUAD ? n * n : n * (n + 1) / 2;
}

static abut_status fill_boundary(const mesh *shape, const mesh *nodes, const side_list *sides,
                                 int segments, sample_list *samples, int32_t *number,
                                 size_t *first_index, proxy *out, abut_error *err)
{
    size_t count = 0;
    TRY(weld_samples(samples, number, first_index, &count, err));
    /* The list is sorted by key now; samples are needed by index. */
    sample *by_index = mem_alloc(samples->count, sizeof *by_index);
    bool ok = by_index != NULL;
    for (size_t k = 0; ok && k < samples->count; k++)
        by_index[samples->data[k].index] = samples->data[k];
    for (size_t k = 0; ok && k < count; k++) {
        const sample *s = &by_index[first_index[k]];
        const cell_side *f = &sides->data[s->side];
        vec3 cell[CELL_MAX_NODES];
        double xi[3];
        const cell_block *block = &shape->blocks[f->block];
        proxy_cell_nodes(shape, f->block, f->cell, cell);
        point_in_cell(block->kind, f->face, segments, s->i, s->j, xi);
        ok = proxy_add_vertex(out, nodes, f->block, f->cell, xi,
                              lagrange_position(block->kind, block->order, cell, xi, NULL));
    }
    mem_free(by_index);
    int32_t(*edges)[2] = mem_alloc(sides->count * (size_t)segments, sizeof *edges);
    ok = ok && edges;
    size_t index = 0, edge_count = 0;
    for (size_t s = 0; ok && s < sides->count; s++) {
        cell_kind kind = side_kind(shape->blocks[sides->data[s].block].kind);
        ok = add_side_cells(out, kind, segments, number + index, edges + edge_count);
        index += samples_per_side(kind, segments);
        if (kind == CELL_EDGE) edge_count += (size_t)segments;
    }
    abut_status status = ok ? proxy_finish(out, (const proxy_edge *)edges, edge_count, err)
                            : error_memory(err, "sampling the boundary");
    mem_free(edges);
    return status;
}

static abut_status sample_boundary(const mesh *shape, const mesh *nodes, const side_list *sides,
                                   int segments, proxy *out, abut_error *err)
{
    sample_list samples = {0};
    abut_status status = list_samples(shape, sides, segments, &samples, err);
    if (status == ABUT_OK && samples.count > INT32_MAX / 2)
        status = error_set(err, ABUT_ERROR_INPUT, "",
                           "the collision surface would have more than %d vertices", INT32_MAX / 2);
    if (status == ABUT_OK) {
        int32_t *number = mem_alloc(samples.count, sizeof *number);
        size_t *first = mem_alloc(samples.count, sizeof *first);
        status = number && first ? fill_boundary(shape, nodes, sides, segments, &samples, number,
                                                 first, out, err)
                                 : error_memory(err, "sampling the boundary");
        mem_free(number);
        mem_free(first);
    }
    array_free(&samples);
    return status;
}

static double longest_edge(const proxy *p)
{
    double longest = 0;
    for (size_t e = 0; e < p->edges.count; e++)
        longest = fmax(longest, vec3_norm(vec3_sub(p->vertices.data[p->edges.data[e][0]],
                                                   p->vertices.data[p->edges.data[e][1]])));
    return longest;
}

enum { MAX_SEGMENTS = 1000 };

abut_status proxy_of_boundary(const mesh *shape, const mesh *nodes, int dimension, int segments,
                              double max_edge, proxy *out, abut_error *err)
{
    memset(out, 0, sizeof *out);
    side_list sides = {0};
    abut_status status = boundary_sides(shape, dimension, &sides, err);
    if (segments < 1) segments = 1;
    for (bool done = false; status == ABUT_OK && !done;) {
        if (segments > MAX_SEGMENTS) {
            status = error_set(err, ABUT_ERROR_INPUT, "",
                               "edges no longer than %g need more than %d segments per edge",
                               max_edge, MAX_SEGMENTS);
            break;
        }
        status = sample_boundary(shape, nodes, &sides, segments, out, err);
        double longest = status == ABUT_OK ? longest_edge(out) : 0;
        done = !(max_edge > 0) || longest <= max_edge;
        if (done || status != ABUT_OK) break;
        int wanted = (int)fmin(ceil(segments * longest / max_edge), MAX_SEGMENTS + 1);
        segments = wanted > segments ? wanted : segments + 1;
        proxy_free(out);
    }
    array_free(&sides);
    if (status != ABUT_OK) proxy_free(out);
    return status;
}

/* ---- given surfaces ---- */

abut_status proxy_take_cells(proxy *p, const mesh *surface, int dimension, abut_error *err)
{
    surface_parts parts;
    TRY(mesh_surface(surface, &parts, err));
    bool ok = array_resize(&p->triangles, dimension == 3 ? parts.triangle_count : 0);
    if (ok && p->triangles.count)
        memcpy(p->triangles.data, parts.triangles, p->triangles.count * sizeof *parts.triangles);
    abut_status status =
        ok ? proxy_finish(p, (const proxy_edge *)parts.edges, parts.edge_count, err)
           : error_memory(err, "taking the collision surface");
    surface_parts_free(&parts);
    return status;
}

static abut_status check_map(const mesh *nodes, const mesh *surface, const proxy_map *map,
                             abut_error *err)
{
    if (map->rows != surface->vertex_count || map->columns != nodes->vertex_count)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "the map has %zu rows and %zu columns, but the surface has %zu vertices "
                         "and the body %zu nodes",
                         map->rows, map->columns, surface->vertex_count, nodes->vertex_count);
    for (size_t k = 0; k < map->count; k++) {
        if (map->row[k] < 0 || (size_t)map->row[k] >= map->rows || map->column[k] < 0 ||
            (size_t)map->column[k] >= map->columns)
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "entry %zu is at (%d, %d), outside of the %zu x %zu map", k,
                             map->row[k], map->column[k], map->rows, map->columns);
        if (!isfinite(map->value[k]))
            return error_set(err, ABUT_ERROR_INPUT, "", "entry %zu at (%d, %d) is not a number", k,
                             map->row[k], map->column[k]);
    }
    return ABUT_OK;
}

abut_status proxy_of_map(const mesh *nodes, const mesh *surface, const proxy_map *map, proxy *out,
                         abut_error *err)
{
    memset(out, 0, sizeof *out);
    TRY(check_map(nodes, surface, map, err));
    size_t *next = mem_calloc(map->rows + 1, sizeof *next);
    bool ok = next && array_resize(&out->vertices, map->rows) &&
              array_resize(&out->row_start, map->rows) && array_resize(&out->node, map->count) &&
              array_resize(&out->weight, map->count);
    if (!ok) {
        mem_free(next);
        proxy_free(out);
        return error_memory(err, "reading the map of a collision surface");
    }
    for (size_t k = 0; k < map->count; k++) next[map->row[k] + 1]++;
    for (size_t r = 0; r < map->rows; r++) {
        next[r + 1] += next[r];
        out->row_start.data[r] = next[r];
        out->vertices.data[r] = surface->vertices[r];
    }
    for (size_t k = 0; k < map->count; k++) {
        size_t at = next[map->row[k]]++;
        out->node.data[at] = map->column[k];
        out->weight.data[at] = map->value[k];
    }
    abut_status status = ABUT_OK;
    for (size_t r = 0; status == ABUT_OK && r < map->rows; r++) {
        double sum = 0, size = 0;
        for (size_t k = out->row_start.data[r]; k < next[r]; k++) {
            sum += out->weight.data[k];
            size += fabs(out->weight.data[k]);
        }
        out->largest_weight = fmax(out->largest_weight, size);
        if (!(fabs(sum - 1) <= 1e-6 * fmax(size, 1)))
            status = error_set(err, ABUT_ERROR_INPUT, "",
                               "the weights of vertex %zu sum to %g; they must sum to 1", r, sum);
    }
    mem_free(next);
    if (status == ABUT_OK) status = proxy_take_cells(out, surface, 3, err);
    if (status != ABUT_OK) proxy_free(out);
    return status;
}

#include "mesh/measure.h"

#include "base/memory.h"
#include "base/sort.h"
#include "mesh/cell.h"
#include "mesh/topology.h"

/* Relative to the cube (square) of the longest edge, below this a volume (area) is rounding. */
static const double degenerate_limit = 1e-13;

/* ---- cells --------------------------------------------------------------------------------- */

static double longest_edge(const vec3 *x, cell_kind kind)
{
    double longest = 0.0;
    for (int e = 0; e < cell_edge_count(kind); e++) {
        const int *ends = cell_edge(kind, e);
        longest = fmax(longest, vec3_norm(vec3_sub(x[ends[0]], x[ends[1]])));
    }
    return longest;
}

static double triangle_area(vec3 a, vec3 b, vec3 c)
{
    return 0.5 * vec3_norm(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
}

/* The neighbours of each corner of a hex, right-handed. */
static const int hex_corner[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                     {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};

/* Volume of a hex with flat sides: six tets around the diagonal from corner 0 to 6. */
static double hex_volume(const vec3 *x)
{
    static const int ring[6] = {1, 2, 3, 7, 4, 5};
    double volume = 0.0;
    for (int i = 0; i < 6; i++) volume += tet_volume(x[0], x[ring[i]], x[ring[(i + 1) % 6]], x[6]);
    return volume;
}

static void measure_solid(const vec3 *x, cell_kind kind, mesh_measures *out)
{
    double size = longest_edge(x, kind), volume, least;
    if (kind == CELL_TET) {
        volume = least = tet_volume(x[0], x[1], x[2], x[3]);
    } else {
        volume = hex_volume(x);
        least = INFINITY;
        for (int i = 0; i < 8; i++) {
            const int *n = hex_corner[i];
            least = fmin(least, tet_volume(x[i], x[n[0]], x[n[1]], x[n[2]]));
        }
    }
    out->volume += volume;
    if (fabs(least) <= degenerate_limit * size * size * size)
        out->degenerate++;
    else if (least < 0.0)
        out->inverted++;
}

static void measure_flat(const vec3 *x, cell_kind kind, mesh_measures *out)
{
    double size = longest_edge(x, kind);
    double area = triangle_area(x[0], x[1], x[2]);
    if (kind == CELL_QUAD) area += triangle_area(x[0], x[2], x[3]);
    if (area <= degenerate_limit * size * size) out->degenerate++;
}

static void measure_cells(const mesh *m, const cell_block *block, bool *used, mesh_measures *out)
{
    int corners = cell_corner_count(block->kind);
    for (size_t c = 0; c < block->count; c++) {
        const int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
        vec3 x[8];
        for (int i = 0; i < corners; i++) x[i] = m->vertices[nodes[i]];
        for (int i = 0; i < block->nodes_per_cell; i++) used[nodes[i]] = true;
        for (int e = 0; e < cell_edge_count(block->kind); e++) {
            const int *ends = cell_edge(block->kind, e);
            double length = vec3_norm(vec3_sub(x[ends[0]], x[ends[1]]));
            out->min_edge = fmin(out->min_edge, length);
            out->max_edge = fmax(out->max_edge, length);
            if (block->kind == CELL_EDGE && length == 0.0) out->degenerate++;
        }
        if (block->kind == CELL_TET || block->kind == CELL_HEX)
            measure_solid(x, block->kind, out);
        else if (block->kind == CELL_TRIANGLE || block->kind == CELL_QUAD)
            measure_flat(x, block->kind, out);
    }
}

/* ---- surface ------------------------------------------------------------------------------- */

/* Looks at the triangles of each edge, which stand together after sorting. The value of a side
 * tells its direction. */
static void classify_edges(const uint64_t *keys, const uint32_t *forward, size_t n,
                           mesh_measures *out)
{
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && keys[end] == keys[begin];) end++;
        if (end - begin == 1) out->border_edges++;
        if (end - begin > 2) out->nonmanifold_edges++;
        if (end - begin == 2 && forward[begin] == forward[begin + 1]) out->unoriented_edges++;
    }
}

static abut_status measure_edges(const surface_parts *s, mesh_measures *out, abut_error *err)
{
    size_t n = 3 * s->triangle_count;
    uint64_t *keys = mem_alloc(2 * n, sizeof *keys);
    uint32_t *forward = mem_alloc(2 * n, sizeof *forward);
    abut_status status = keys && forward ? ABUT_OK : error_memory(err, "measuring a mesh");
    for (size_t i = 0; status == ABUT_OK && i < n; i++) {
        uint32_t a = (uint32_t)s->triangles[i / 3][i % 3];
        uint32_t b = (uint32_t)s->triangles[i / 3][(i + 1) % 3];
        forward[i] = a < b;
        keys[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
    if (status == ABUT_OK) {
        sort_u64_with_u32(keys, forward, keys + n, forward + n, n);
        classify_edges(keys, forward, n, out);
    }
    mem_free(keys);
    mem_free(forward);
    return status;
}

static double enclosed_volume(const mesh *m, const surface_parts *s, vec3 origin)
{
    double sum = 0.0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        vec3 x[3];
        for (int i = 0; i < 3; i++) x[i] = vec3_sub(m->vertices[s->triangles[t][i]], origin);
        sum += vec3_dot(x[0], vec3_cross(x[1], x[2])) / 6.0;
    }
    return sum;
}

static abut_status measure_surface(const mesh *m, mesh_measures *out, abut_error *err)
{
    surface_parts s;
    TRY(mesh_surface(m, &s, err));
    out->surface_triangles = s.triangle_count;
    out->surface_edges = s.edge_count;
    out->surface_points = s.point_count;
    out->free_edges = s.edge_count - s.free_edge_first;
    for (size_t t = 0; t < s.triangle_count; t++) {
        const int32_t *v = s.triangles[t];
        out->area += triangle_area(m->vertices[v[0]], m->vertices[v[1]], m->vertices[v[2]]);
    }
    abut_status status = measure_edges(&s, out, err);
    out->closed = s.triangle_count > 0 && out->border_edges == 0 && out->nonmanifold_edges == 0;
    out->oriented = out->unoriented_edges == 0;
    bool solid = mesh_find(m, CELL_TET) || mesh_find(m, CELL_HEX);
    if (!solid)
        out->volume = out->closed && out->oriented
                          ? enclosed_volume(m, &s, vec3_scale(0.5, vec3_add(out->low, out->high)))
                          : NAN;
    surface_parts_free(&s);
    return status;
}

static abut_status count_components(const mesh *m, const bool *used, bool any_cell,
                                    mesh_measures *out, abut_error *err)
{
    int32_t *component = mem_alloc(m->vertex_count, sizeof *component);
    if (!component) return error_memory(err, "measuring a mesh");
    abut_status status = connected_components(m, component, &out->components, err);
    for (size_t v = 0; v < m->vertex_count; v++)
        if (!used[v]) out->unused_vertices++;
    if (any_cell) out->components -= out->unused_vertices;
    mem_free(component);
    return status;
}

abut_status mesh_measure(const mesh *m, mesh_measures *out, abut_error *err)
{
    *out = (mesh_measures){.min_edge = INFINITY, .max_edge = -INFINITY};
    TRY(mesh_validate(m, err));
    mesh_bounds(m, &out->low, &out->high);
    out->diagonal = vec3_norm(vec3_sub(out->high, out->low));
    bool *used = mem_calloc(m->vertex_count, sizeof *used);
    if (!used) return error_memory(err, "measuring a mesh");
    bool any_cell = false;
    for (int b = 0; b < m->block_count; b++) {
        measure_cells(m, &m->blocks[b], used, out);
        any_cell = any_cell || m->blocks[b].count > 0;
    }
    if (out->max_edge < 0.0) out->min_edge = out->max_edge = NAN;
    abut_status status = count_components(m, used, any_cell, out, err);
    mem_free(used);
    return status == ABUT_OK ? measure_surface(m, out, err) : status;
}

abut_status block_tags(const cell_block *block, tag_count **tags, size_t *count, abut_error *err)
{
    *tags = NULL;
    *count = 0;
    if (!block->tags) return ABUT_OK;
    uint64_t *keys = mem_alloc(2 * block->count, sizeof *keys);
    *tags = mem_alloc(block->count, sizeof **tags);
    if (!keys || !*tags) {
        mem_free(keys);
        mem_free(*tags);
        *tags = NULL;
        return error_memory(err, "counting tags");
    }
    /* The offset makes negative tags sort before positive ones. */
    for (size_t c = 0; c < block->count; c++)
        keys[c] = (uint64_t)((int64_t)block->tags[c] - INT32_MIN);
    sort_u64(keys, keys + block->count, block->count);
    for (size_t c = 0; c < block->count; c++) {
        if (c == 0 || keys[c] != keys[c - 1])
            (*tags)[(*count)++] = (tag_count){(int32_t)((int64_t)keys[c] + INT32_MIN), 0};
        (*tags)[*count - 1].cells++;
    }
    mem_free(keys);
    return ABUT_OK;
}

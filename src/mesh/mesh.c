#include "mesh/mesh.h"

#include "base/memory.h"

#include <string.h>

int cell_node_count(cell_kind kind, int order)
{
    int p = order;
    switch (kind) {
    case CELL_POINT: return p == 1 ? 1 : 0;
    case CELL_EDGE: return p >= 1 && p <= 4 ? p + 1 : 0;
    case CELL_TRIANGLE: return p >= 1 && p <= 4 ? (p + 1) * (p + 2) / 2 : 0;
    case CELL_QUAD: return p >= 1 && p <= 2 ? (p + 1) * (p + 1) : 0;
    case CELL_TET: return p >= 1 && p <= 4 ? (p + 1) * (p + 2) * (p + 3) / 6 : 0;
    case CELL_HEX: return p >= 1 && p <= 2 ? (p + 1) * (p + 1) * (p + 1) : 0;
    }
    return 0;
}

int cell_corner_count(cell_kind kind) { return cell_node_count(kind, 1); }

const char *cell_kind_name(cell_kind kind)
{
    switch (kind) {
    case CELL_POINT: return "point";
    case CELL_EDGE: return "edge";
    case CELL_TRIANGLE: return "triangle";
    case CELL_QUAD: return "quad";
    case CELL_TET: return "tet";
    case CELL_HEX: return "hex";
    }
    return "unknown";
}

void mesh_free(mesh *m)
{
    if (!m) return;
    for (int b = 0; b < m->block_count; b++) {
        mem_free(m->blocks[b].nodes);
        mem_free(m->blocks[b].tags);
    }
    mem_free(m->vertices);
    mem_free(m->rest);
    mem_free(m->stitch_vertices);
    mem_free(m->stitch_ratio);
    *m = (mesh){0};
}

static abut_status check_vertex_count(size_t count, abut_error *err)
{
    if (count <= INT32_MAX) return ABUT_OK;
    return error_set(err, ABUT_ERROR_INPUT, "", "%zu vertices are too many: at most %d are allowed",
                     count, INT32_MAX);
}

abut_status mesh_init(mesh *m, size_t vertex_count, abut_error *err)
{
    *m = (mesh){0};
    TRY(check_vertex_count(vertex_count, err));
    m->vertices = mem_alloc(vertex_count, sizeof *m->vertices);
    if (!m->vertices) return error_memory(err, "making room for the vertices of a mesh");
    m->vertex_count = vertex_count;
    return ABUT_OK;
}

abut_status mesh_add_block(mesh *m, cell_kind kind, int order, size_t count, bool with_tags,
                           cell_block **out, abut_error *err)
{
    if (out) *out = NULL;
    int nodes_per_cell = cell_node_count(kind, order);
    if (nodes_per_cell == 0)
        return error_set(err, ABUT_ERROR_INPUT, "", "there are no %s cells of order %d",
                         cell_kind_name(kind), order);
    if (m->block_count == MESH_MAX_BLOCKS)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "the mesh has more than %d different kinds and orders of cells",
                         MESH_MAX_BLOCKS);
    if (count > INT32_MAX)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "%zu %s cells are too many: at most %d are allowed", count,
                         cell_kind_name(kind), INT32_MAX);
    cell_block block = {.kind = kind, .order = order, .nodes_per_cell = nodes_per_cell};
    block.nodes = mem_alloc(count, (size_t)nodes_per_cell * sizeof *block.nodes);
    if (with_tags) block.tags = mem_alloc(count, sizeof *block.tags);
    if (!block.nodes || (with_tags && !block.tags)) {
        mem_free(block.nodes);
        mem_free(block.tags);
        return error_memory(err, "making room for the cells of a mesh");
    }
    block.count = count;
    m->blocks[m->block_count] = block;
    if (out) *out = &m->blocks[m->block_count];
    m->block_count++;
    return ABUT_OK;
}

const cell_block *mesh_find(const mesh *m, cell_kind kind)
{
    for (int b = 0; b < m->block_count; b++)
        if (m->blocks[b].kind == kind && m->blocks[b].count > 0) return &m->blocks[b];
    return NULL;
}

/* ---- appending ----------------------------------------------------------------------------- */

static cell_block *find_exact(mesh *m, cell_kind kind, int order)
{
    for (int b = 0; b < m->block_count; b++)
        if (m->blocks[b].kind == kind && m->blocks[b].order == order) return &m->blocks[b];
    return NULL;
}

/* Cells of that kind and order in all blocks; sets *with_tags when some of them have tags. */
static size_t count_cells(const mesh *m, cell_kind kind, int order, bool *with_tags)
{
    size_t count = 0;
    for (int b = 0; b < m->block_count; b++)
        if (m->blocks[b].kind == kind && m->blocks[b].order == order) {
            count += m->blocks[b].count;
            *with_tags = *with_tags || m->blocks[b].tags;
        }
    return count;
}

/* A copy of `array` with room for `total` items; NULL when out of memory. */
static void *grown_copy(const void *array, size_t count, size_t total, size_t size)
{
    char *copy = mem_alloc(total, size);
    if (copy && count > 0) memcpy(copy, array, count * size);
    return copy;
}

/* Copies `m` into `to` with room for the extra vertices, stitches and cells of `extra` (whose
 * counts are not yet included). Blocks that only `extra` has are added with count 0. */
static abut_status copy_with_room(const mesh *m, const mesh *extra, mesh *to, abut_error *err)
{
    size_t total = m->vertex_count + extra->vertex_count;
    TRY(mesh_init(to, total, err));
    to->vertex_count = m->vertex_count;
    if (m->vertex_count) memcpy(to->vertices, m->vertices, m->vertex_count * sizeof *m->vertices);
    if (m->rest || extra->rest) {
        const vec3 *rest = m->rest ? m->rest : m->vertices;
        to->rest = grown_copy(rest, m->vertex_count, total, sizeof *rest);
        if (!to->rest) return error_memory(err, "copying a mesh");
    }
    size_t stitches = m->stitch_count + extra->stitch_count;
    if (stitches > 0) {
        to->stitch_vertices =
            grown_copy(m->stitch_vertices, m->stitch_count, stitches, sizeof *m->stitch_vertices);
        to->stitch_ratio =
            grown_copy(m->stitch_ratio, m->stitch_count, stitches, sizeof *m->stitch_ratio);
        if (!to->stitch_vertices || !to->stitch_ratio) return error_memory(err, "copying a mesh");
        to->stitch_count = m->stitch_count;
    }
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *from = &m->blocks[b];
        bool with_tags = from->tags != NULL;
        size_t more = 0;
        if (!find_exact(to, from->kind, from->order))
            more = count_cells(extra, from->kind, from->order, &with_tags);
        cell_block *block;
        TRY(mesh_add_block(to, from->kind, from->order, from->count + more, with_tags, &block,
                           err));
        block->count = from->count;
        size_t values = from->count * (size_t)from->nodes_per_cell;
        if (values) memcpy(block->nodes, from->nodes, values * sizeof *block->nodes);
        if (with_tags && from->count) {
            if (from->tags)
                memcpy(block->tags, from->tags, from->count * sizeof *block->tags);
            else
                memset(block->tags, 0, from->count * sizeof *block->tags);
        }
    }
    for (int b = 0; b < extra->block_count; b++) {
        const cell_block *from = &extra->blocks[b];
        if (find_exact(to, from->kind, from->order)) continue;
        bool with_tags = false;
        size_t more = count_cells(extra, from->kind, from->order, &with_tags);
        cell_block *block;
        TRY(mesh_add_block(to, from->kind, from->order, more, with_tags, &block, err));
        block->count = 0;
    }
    return ABUT_OK;
}

/* Adds the cells of one block behind those of another that has room for them. */
static void append_cells(cell_block *block, const cell_block *more, int32_t offset)
{
    size_t first = block->count * (size_t)block->nodes_per_cell;
    size_t values = more->count * (size_t)more->nodes_per_cell;
    for (size_t i = 0; i < values; i++) block->nodes[first + i] = more->nodes[i] + offset;
    if (block->tags)
        for (size_t c = 0; c < more->count; c++)
            block->tags[block->count + c] = more->tags ? more->tags[c] : 0;
    block->count += more->count;
}

abut_status mesh_append(mesh *m, const mesh *other, abut_error *err)
{
    TRY(check_vertex_count(m->vertex_count + other->vertex_count, err));
    mesh joined;
    abut_status status = copy_with_room(m, other, &joined, err);
    if (status != ABUT_OK) {
        mesh_free(&joined);
        return status;
    }
    int32_t offset = (int32_t)m->vertex_count;
    if (other->vertex_count) {
        size_t bytes = other->vertex_count * sizeof *other->vertices;
        memcpy(joined.vertices + offset, other->vertices, bytes);
        if (joined.rest)
            memcpy(joined.rest + offset, other->rest ? other->rest : other->vertices, bytes);
    }
    joined.vertex_count += other->vertex_count;
    for (size_t s = 0; s < other->stitch_count; s++) {
        for (int k = 0; k < 3; k++)
            joined.stitch_vertices[joined.stitch_count][k] = other->stitch_vertices[s][k] + offset;
        joined.stitch_ratio[joined.stitch_count++] = other->stitch_ratio[s];
    }
    for (int b = 0; b < other->block_count; b++) {
        const cell_block *more = &other->blocks[b];
        append_cells(find_exact(&joined, more->kind, more->order), more, offset);
    }
    mesh_free(m);
    *m = joined;
    return ABUT_OK;
}

abut_status mesh_copy(const mesh *from, mesh *to, abut_error *err)
{
    const mesh nothing = {0};
    mesh copy;
    abut_status status = copy_with_room(from, &nothing, &copy, err);
    if (status != ABUT_OK) {
        mesh_free(&copy);
        return status;
    }
    *to = copy;
    return ABUT_OK;
}

void mesh_bounds(const mesh *m, vec3 *low, vec3 *high)
{
    if (m->vertex_count == 0) {
        *low = *high = vec3_make(0, 0, 0);
        return;
    }
    *low = *high = m->vertices[0];
    for (size_t v = 1; v < m->vertex_count; v++) {
        *low = vec3_min(*low, m->vertices[v]);
        *high = vec3_max(*high, m->vertices[v]);
    }
}

/* ---- validation ---------------------------------------------------------------------------- */

static abut_status validate_cell(const cell_block *block, size_t cell, size_t vertex_count,
                                 abut_error *err)
{
    const int32_t *nodes = block->nodes + cell * (size_t)block->nodes_per_cell;
    for (int i = 0; i < block->nodes_per_cell; i++) {
        if (nodes[i] < 0 || (size_t)nodes[i] >= vertex_count)
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "%s %zu uses vertex %d, but the mesh has only %zu vertices "
                             "(counted from 0)",
                             cell_kind_name(block->kind), cell, nodes[i], vertex_count);
        for (int j = 0; j < i; j++)
            if (nodes[i] == nodes[j])
                return error_set(err, ABUT_ERROR_INPUT, "",
                                 "%s %zu uses vertex %d twice (counted from 0)",
                                 cell_kind_name(block->kind), cell, nodes[i]);
    }
    return ABUT_OK;
}

static abut_status validate_block(const cell_block *block, size_t vertex_count, abut_error *err)
{
    int expected = cell_node_count(block->kind, block->order);
    if (expected == 0)
        return error_set(err, ABUT_ERROR_INPUT, "", "there are no %s cells of order %d",
                         cell_kind_name(block->kind), block->order);
    if (block->nodes_per_cell != expected)
        return error_set(
            err, ABUT_ERROR_INPUT, "", "%s cells of order %d have %d nodes each, but must have %d",
            cell_kind_name(block->kind), block->order, block->nodes_per_cell, expected);
    for (size_t c = 0; c < block->count; c++) TRY(validate_cell(block, c, vertex_count, err));
    return ABUT_OK;
}

static abut_status validate_stitches(const mesh *m, abut_error *err)
{
    for (size_t s = 0; s < m->stitch_count; s++) {
        for (int k = 0; k < 3; k++)
            if (m->stitch_vertices[s][k] < 0 || (size_t)m->stitch_vertices[s][k] >= m->vertex_count)
                return error_set(err, ABUT_ERROR_INPUT, "",
                                 "stitch %zu uses vertex %d, but the mesh has only %zu vertices "
                                 "(counted from 0)",
                                 s, m->stitch_vertices[s][k], m->vertex_count);
        double ratio = m->stitch_ratio[s];
        if (!(ratio >= 0.0 && ratio <= 1.0))
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "stitch %zu has ratio %g; it must be between 0 and 1", s, ratio);
    }
    return ABUT_OK;
}

abut_status mesh_validate(const mesh *m, abut_error *err)
{
    TRY(check_vertex_count(m->vertex_count, err));
    for (size_t v = 0; v < m->vertex_count; v++) {
        vec3 x = m->vertices[v];
        if (!vec3_is_finite(x))
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "vertex %zu is at (%g, %g, %g); coordinates must be finite", v, x.x,
                             x.y, x.z);
        if (m->rest && !vec3_is_finite(m->rest[v]))
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "the rest position of vertex %zu is not finite", v);
    }
    for (int b = 0; b < m->block_count; b++)
        TRY(validate_block(&m->blocks[b], m->vertex_count, err));
    return validate_stitches(m, err);
}

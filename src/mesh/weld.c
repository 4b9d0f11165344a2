/* Merging vertices at the same position, as in STL files, which repeat them per triangle. */
#include "mesh/read.h"

/* Vertices are hashed by cell of a grid; with a tolerance, the cells are that large, and the 27
 * around a vertex are searched. Exact welding uses the coordinates themselves as the cell. */
typedef struct weld_grid {
    const vec3 *vertices;
    double tolerance;
    vec3 low;
    int32_t *heads, *next; /* chains of kept vertices per bucket */
    size_t mask;
} weld_grid;

typedef struct weld_key {
    int64_t k[3];
} weld_key;

static weld_key key_of(const weld_grid *grid, vec3 x)
{
    weld_key key;
    double c[3];
    if (grid->tolerance > 0.0) {
        vec3_store(c, vec3_scale(1.0 / grid->tolerance, vec3_sub(x, grid->low)));
        for (int i = 0; i < 3; i++) key.k[i] = c[i] < 9e15 ? (int64_t)floor(c[i]) : INT64_MAX / 2;
        return key;
    }
    vec3_store(c, x);
    for (int i = 0; i < 3; i++) {
        c[i] += 0.0; /* -0 and 0 are one position */
        memcpy(&key.k[i], &c[i], sizeof c[i]);
    }
    return key;
}

static size_t bucket_of(const weld_grid *grid, weld_key key)
{
    uint64_t h = 0;
    for (int i = 0; i < 3; i++) {
        h = (h ^ (uint64_t)key.k[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (size_t)h & grid->mask;
}

static int32_t find_in_bucket(const weld_grid *grid, weld_key key, vec3 x)
{
    int32_t best = -1;
    for (int32_t i = grid->heads[bucket_of(grid, key)]; i >= 0; i = grid->next[i]) {
        vec3 y = grid->vertices[i];
        bool near = grid->tolerance > 0.0 ? vec3_norm(vec3_sub(x, y)) <= grid->tolerance
                                          : x.x == y.x && x.y == y.y && x.z == y.z;
        if (near && (best < 0 || i < best)) best = i;
    }
    return best;
}

/* The first kept vertex at this position, or -1. */
static int32_t find_near(const weld_grid *grid, vec3 x)
{
    weld_key key = key_of(grid, x);
    if (grid->tolerance == 0.0) return find_in_bucket(grid, key, x);
    int32_t best = -1;
    for (int n = 0; n < 27; n++) {
        weld_key near = {{key.k[0] + n % 3 - 1, key.k[1] + n / 3 % 3 - 1, key.k[2] + n / 9 - 1}};
        int32_t found = find_in_bucket(grid, near, x);
        if (found >= 0 && (best < 0 || found < best)) best = found;
    }
    return best;
}

/* target[v] = the vertex that v is merged into, in the old numbering. */
static abut_status find_targets(const mesh *m, double relative_tolerance, int32_t *target,
                                abut_error *err)
{
    vec3 low, high;
    mesh_bounds(m, &low, &high);
    weld_grid grid = {.vertices = m->vertices, .low = low, .mask = 1};
    /* Below the rounding of coordinates only equal ones are near. */
    if (relative_tolerance > 1e-15)
        grid.tolerance = relative_tolerance * vec3_norm(vec3_sub(high, low));
    while (grid.mask < 2 * m->vertex_count) grid.mask *= 2;
    grid.heads = mem_alloc(grid.mask, sizeof *grid.heads);
    grid.next = mem_alloc(m->vertex_count, sizeof *grid.next);
    abut_status status = ABUT_OK;
    if (grid.heads && grid.next) {
        for (size_t i = 0; i < grid.mask; i++) grid.heads[i] = -1;
        grid.mask--;
        for (size_t v = 0; v < m->vertex_count; v++) {
            target[v] = find_near(&grid, m->vertices[v]);
            if (target[v] >= 0) continue;
            size_t bucket = bucket_of(&grid, key_of(&grid, m->vertices[v]));
            target[v] = (int32_t)v;
            grid.next[v] = grid.heads[bucket];
            grid.heads[bucket] = (int32_t)v;
        }
    } else {
        status = error_memory(err, "welding a mesh");
    }
    mem_free(grid.heads);
    mem_free(grid.next);
    return status;
}

/* Old numbering to new, where merged vertices are left out; moves positions and rest positions. */
static void compact_vertices(mesh *m, int32_t *target)
{
    size_t kept = 0;
    for (size_t v = 0; v < m->vertex_count; v++) {
        if (target[v] != (int32_t)v) {
            target[v] = target[target[v]]; /* an earlier vertex: already renumbered */
            continue;
        }
        m->vertices[kept] = m->vertices[v];
        if (m->rest) m->rest[kept] = m->rest[v];
        target[v] = (int32_t)kept++;
    }
    m->vertex_count = kept;
}

static bool repeats_a_corner(const cell_block *block, const int32_t *nodes)
{
    int corners = cell_corner_count(block->kind);
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < i; j++)
            if (nodes[i] == nodes[j]) return true;
    return false;
}

static void renumber_block(cell_block *block, const int32_t *target)
{
    bool flat =
        block->kind == CELL_EDGE || block->kind == CELL_TRIANGLE || block->kind == CELL_QUAD;
    size_t n = (size_t)block->nodes_per_cell, kept = 0;
    for (size_t c = 0; c < block->count; c++) {
        int32_t *to = block->nodes + kept * n;
        for (size_t i = 0; i < n; i++) to[i] = target[block->nodes[c * n + i]];
        if (flat && repeats_a_corner(block, to)) continue;
        if (block->tags) block->tags[kept] = block->tags[c];
        kept++;
    }
    block->count = kept;
}

abut_status mesh_weld(mesh *m, double relative_tolerance, abut_error *err)
{
    if (!(relative_tolerance >= 0.0 && relative_tolerance < 1.0))
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "the welding tolerance is %g; it must be at least 0 and less than 1",
                         relative_tolerance);
    int32_t *target = mem_alloc(m->vertex_count, sizeof *target);
    if (!target) return error_memory(err, "welding a mesh");
    abut_status status = find_targets(m, relative_tolerance, target, err);
    if (status == ABUT_OK) {
        compact_vertices(m, target);
        for (int b = 0; b < m->block_count; b++) renumber_block(&m->blocks[b], target);
        for (size_t s = 0; s < m->stitch_count; s++)
            for (int k = 0; k < 3; k++) m->stitch_vertices[s][k] = target[m->stitch_vertices[s][k]];
    }
    mem_free(target);
    return status;
}

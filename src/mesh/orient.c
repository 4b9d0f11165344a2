/* Components and orientation. */
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/cell.h"
#include "mesh/topology.h"

/* ---- components ---------------------------------------------------------------------------- */

static int32_t find_root(int32_t *parent, int32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

abut_status connected_components(const mesh *m, int32_t *component, size_t *count, abut_error *err)
{
    *count = 0;
    TRY(mesh_validate(m, err));
    /* The smaller vertex becomes the root, so components are numbered by their first vertex. */
    for (size_t v = 0; v < m->vertex_count; v++) component[v] = (int32_t)v;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        for (size_t c = 0; c < block->count; c++) {
            const int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
            for (int i = 1; i < block->nodes_per_cell; i++) {
                int32_t x = find_root(component, nodes[0]), y = find_root(component, nodes[i]);
                if (x < y) component[y] = x;
                if (y < x) component[x] = y;
            }
        }
    }
    /* Roots come before their members, so they are numbered first. */
    int32_t *number = mem_alloc(m->vertex_count, sizeof *number);
    if (!number) return error_memory(err, "finding connected components");
    for (size_t v = 0; v < m->vertex_count; v++) {
        int32_t root = find_root(component, (int32_t)v);
        number[v] = (size_t)root == v ? (int32_t)(*count)++ : number[root];
    }
    for (size_t v = 0; v < m->vertex_count; v++) component[v] = number[v];
    mem_free(number);
    return ABUT_OK;
}

/* ---- triangles ----------------------------------------------------------------------------- */

enum { NO_NEIGHBOUR = -1 };

/* All triangles of a mesh by their corners, with what the walk over them needs. */
typedef struct triangle_walk {
    size_t count;
    int32_t (*corners)[3];
    int32_t (*neighbour)[3]; /* across the edge from corner i to i + 1 */
    bool *flip;
    bool *seen;
    bool *on_border; /* has an edge with an odd number of triangles */
    int32_t *queue;
} triangle_walk;

static void walk_free(triangle_walk *w)
{
    mem_free(w->corners);
    mem_free(w->neighbour);
    mem_free(w->flip);
    mem_free(w->seen);
    mem_free(w->on_border);
    mem_free(w->queue);
}

static abut_status walk_init(triangle_walk *w, const mesh *m, abut_error *err)
{
    *w = (triangle_walk){0};
    for (int b = 0; b < m->block_count; b++)
        if (m->blocks[b].kind == CELL_TRIANGLE) w->count += m->blocks[b].count;
    if (w->count > INT32_MAX)
        return error_set(err, ABUT_ERROR_INPUT, "", "%zu triangles are too many", w->count);
    w->corners = mem_alloc(w->count, sizeof *w->corners);
    w->neighbour = mem_alloc(w->count, sizeof *w->neighbour);
    w->flip = mem_calloc(w->count, sizeof *w->flip);
    w->seen = mem_calloc(w->count, sizeof *w->seen);
    w->on_border = mem_calloc(w->count, sizeof *w->on_border);
    w->queue = mem_alloc(w->count, sizeof *w->queue);
    if (!w->corners || !w->neighbour || !w->flip || !w->seen || !w->on_border || !w->queue)
        return error_memory(err, "orienting triangles");
    size_t t = 0;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        for (size_t c = 0; block->kind == CELL_TRIANGLE && c < block->count; c++, t++)
            for (int i = 0; i < 3; i++) {
                w->corners[t][i] = block->nodes[c * (size_t)block->nodes_per_cell + i];
                w->neighbour[t][i] = NO_NEIGHBOUR;
            }
    }
    return ABUT_OK;
}

/* Finds the neighbours: the triangles of each edge stand together after sorting. Where more than
 * two meet, orientation does not cross. */
static abut_status find_neighbours(triangle_walk *w, abut_error *err)
{
    size_t n = 3 * w->count;
    uint64_t *keys = mem_alloc(2 * n, sizeof *keys);
    uint32_t *sides = mem_alloc(2 * n, sizeof *sides); /* 3 * triangle + side */
    if (!keys || !sides || n > UINT32_MAX) {
        mem_free(keys);
        mem_free(sides);
        return error_memory(err, "orienting triangles");
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t a = (uint32_t)w->corners[i / 3][i % 3];
        uint32_t b = (uint32_t)w->corners[i / 3][(i + 1) % 3];
        keys[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        sides[i] = (uint32_t)i;
    }
    sort_u64_with_u32(keys, sides, keys + n, sides + n, n);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && keys[end] == keys[begin];) end++;
        if (end - begin == 2) {
            uint32_t p = sides[begin], q = sides[begin + 1];
            w->neighbour[p / 3][p % 3] = (int32_t)(q / 3);
            w->neighbour[q / 3][q % 3] = (int32_t)(p / 3);
        }
        for (size_t i = begin; (end - begin) % 2 == 1 && i < end; i++)
            w->on_border[sides[i] / 3] = true;
    }
    mem_free(keys);
    mem_free(sides);
    return ABUT_OK;
}

/* Whether triangle t runs along the edge a -> b in this direction, as it is stored. */
static bool runs_along(const triangle_walk *w, int32_t t, int32_t a, int32_t b)
{
    for (int i = 0; i < 3; i++)
        if (w->corners[t][i] == a && w->corners[t][(i + 1) % 3] == b) return true;
    return false;
}

/* Collects the component of `seed` in the queue, with flips that make it agree with the seed.
 * Returns false when it cannot be oriented. */
static bool walk_component(triangle_walk *w, int32_t seed, size_t *size)
{
    bool orientable = true;
    *size = 0;
    w->queue[(*size)++] = seed;
    w->seen[seed] = true;
    for (size_t next = 0; next < *size; next++) {
        int32_t t = w->queue[next];
        for (int i = 0; i < 3; i++) {
            int32_t other = w->neighbour[t][i];
            if (other == NO_NEIGHBOUR) continue;
            bool same_direction =
                runs_along(w, other, w->corners[t][i], w->corners[t][(i + 1) % 3]);
            bool flip = w->flip[t] != same_direction;
            if (!w->seen[other]) {
                w->seen[other] = true;
                w->flip[other] = flip;
                w->queue[(*size)++] = other;
            } else if (w->flip[other] != flip) {
                orientable = false;
            }
        }
    }
    return orientable;
}

/* Six times the volume enclosed by the component in the queue. */
static double component_volume(const triangle_walk *w, const vec3 *vertices, size_t size)
{
    vec3 origin = vertices[w->corners[w->queue[0]][0]];
    double sum = 0.0;
    for (size_t i = 0; i < size; i++) {
        int32_t t = w->queue[i];
        vec3 a = vec3_sub(vertices[w->corners[t][0]], origin);
        vec3 b = vec3_sub(vertices[w->corners[t][1]], origin);
        vec3 c = vec3_sub(vertices[w->corners[t][2]], origin);
        double volume = vec3_dot(a, vec3_cross(b, c));
        sum += w->flip[t] ? -volume : volume;
    }
    return sum;
}

/* Closed: outward. Open: whichever of the two orientations changes fewer triangles. */
static void orient_component(triangle_walk *w, const vec3 *vertices, size_t size, bool orientable)
{
    bool closed = true;
    size_t flips = 0;
    for (size_t i = 0; i < size; i++) {
        closed = closed && !w->on_border[w->queue[i]];
        flips += w->flip[w->queue[i]];
    }
    bool reverse = closed ? component_volume(w, vertices, size) < 0.0 : 2 * flips > size;
    for (size_t i = 0; i < size; i++) {
        bool *flip = &w->flip[w->queue[i]];
        *flip = orientable && (*flip != reverse);
    }
}

static void apply_flips(mesh *m, const bool *flip, size_t *flipped)
{
    size_t t = 0;
    for (int b = 0; b < m->block_count; b++) {
        cell_block *block = &m->blocks[b];
        if (block->kind != CELL_TRIANGLE) continue;
        int permutation[CELL_MAX_NODES];
        cell_reversal(CELL_TRIANGLE, block->order, permutation);
        for (size_t c = 0; c < block->count; c++, t++)
            if (flip[t]) {
                cell_reverse(block, c, permutation);
                (*flipped)++;
            }
    }
}

abut_status orient_triangles(mesh *m, size_t *flipped, bool *orientable, abut_error *err)
{
    *flipped = 0;
    *orientable = true;
    TRY(mesh_validate(m, err));
    triangle_walk w;
    abut_status status = walk_init(&w, m, err);
    if (status == ABUT_OK) status = find_neighbours(&w, err);
    for (size_t t = 0; status == ABUT_OK && t < w.count; t++) {
        if (w.seen[t]) continue;
        size_t size;
        bool consistent = walk_component(&w, (int32_t)t, &size);
        orient_component(&w, m->vertices, size, consistent);
        *orientable = *orientable && consistent;
    }
    if (status == ABUT_OK) apply_flips(m, w.flip, flipped);
    walk_free(&w);
    return status;
}

/* ---- tets ---------------------------------------------------------------------------------- */

double tet_volume(vec3 a, vec3 b, vec3 c, vec3 d)
{
    return vec3_dot(vec3_sub(d, a), vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / 6.0;
}

size_t orient_tets(mesh *m)
{
    size_t flipped = 0;
    for (int b = 0; b < m->block_count; b++) {
        cell_block *block = &m->blocks[b];
        if (block->kind != CELL_TET) continue;
        int permutation[CELL_MAX_NODES];
        cell_reversal(CELL_TET, block->order, permutation);
        for (size_t c = 0; c < block->count; c++) {
            const int32_t *n = block->nodes + c * (size_t)block->nodes_per_cell;
            const vec3 *x = m->vertices;
            if (tet_volume(x[n[0]], x[n[1]], x[n[2]], x[n[3]]) >= 0.0) continue;
            cell_reverse(block, c, permutation);
            flipped++;
        }
    }
    return flipped;
}

/* Faces are grouped by counting sort on their smallest vertex, then by comparison within the short
 * list of each vertex: linear time on ordinary meshes, n log n on any, and four bytes of memory per
 * face. Edges are 64-bit keys in a radix sort. */
#include "mesh/topology.h"

#include "base/memory.h"
#include "base/sort.h"
#include "mesh/cell.h"

#include <string.h>

/* ---- faces --------------------------------------------------------------------------------- */

/* A run of faces with consecutive numbers: all faces of a block of solid cells, or the cells of a
 * block of triangles or quads. */
typedef struct face_source {
    cell_kind kind;
    bool solid;
    int faces_per_cell;
    int stride;
    const int32_t *nodes;
    size_t first, count; /* numbers of its faces */
} face_source;

typedef struct face_set {
    face_source sources[MESH_MAX_BLOCKS];
    int source_count;
    size_t face_count;
    size_t vertex_limit; /* largest vertex index + 1 */
} face_set;

static void add_source(face_set *set, cell_kind kind, const int32_t *nodes, int stride,
                       size_t cells)
{
    bool solid = kind == CELL_TET || kind == CELL_HEX;
    int per_cell = solid ? cell_face_count(kind) : 1;
    set->sources[set->source_count++] = (face_source){
        .kind = kind,
        .solid = solid,
        .faces_per_cell = per_cell,
        .stride = stride,
        .nodes = nodes,
        .first = set->face_count,
        .count = cells * (size_t)per_cell,
    };
    set->face_count += cells * (size_t)per_cell;
}

static const face_source *source_of(const face_set *set, size_t face)
{
    int s = 0;
    while (face >= set->sources[s].first + set->sources[s].count) s++;
    return &set->sources[s];
}

static size_t cell_of(const face_source *source, size_t face)
{
    return (face - source->first) / (size_t)source->faces_per_cell;
}

/* The corners of a face in outward order; a triangle's fourth is -1. */
static void face_corners(const face_source *source, size_t face, int32_t corners[4])
{
    const int32_t *nodes = source->nodes + cell_of(source, face) * (size_t)source->stride;
    if (source->solid) {
        size_t local = (face - source->first) % (size_t)source->faces_per_cell;
        const int *table = cell_face(source->kind, (int)local);
        for (int i = 0; i < 4; i++) corners[i] = table[i] < 0 ? -1 : nodes[table[i]];
    } else {
        for (int i = 0; i < 3; i++) corners[i] = nodes[i];
        corners[3] = source->kind == CELL_QUAD ? nodes[3] : -1;
    }
}

typedef struct face_key {
    int32_t vertex[4]; /* ascending from the smallest; a triangle has -1 at the end */
    uint32_t face;
} face_key;

static void swap_if_greater(int32_t *a, int32_t *b)
{
    if (*a <= *b) return;
    int32_t keep = *a;
    *a = *b;
    *b = keep;
}

static face_key make_key(const face_source *source, size_t face)
{
    face_key key = {.face = (uint32_t)face};
    int32_t *v = key.vertex;
    face_corners(source, face, v);
    if (v[3] >= 0) {
        swap_if_greater(&v[0], &v[3]);
        swap_if_greater(&v[1], &v[3]);
        swap_if_greater(&v[2], &v[3]);
    }
    swap_if_greater(&v[0], &v[1]);
    swap_if_greater(&v[1], &v[2]);
    swap_if_greater(&v[0], &v[1]);
    return key;
}

static bool same_vertices(const face_key *a, const face_key *b)
{
    return memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0;
}

static bool key_less(const face_key *a, const face_key *b)
{
    for (int i = 1; i < 4; i++)
        if (a->vertex[i] != b->vertex[i]) return a->vertex[i] < b->vertex[i];
    return a->face < b->face;
}

static void sift_down(face_key *keys, size_t root, size_t count)
{
    face_key moving = keys[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && key_less(&keys[child], &keys[child + 1])) child++;
        if (!key_less(&moving, &keys[child])) break;
        keys[root] = keys[child];
        root = child;
    }
    keys[root] = moving;
}

/* Insertion for the short list that is the common case; a heap when one vertex has very many faces.
 */
static void sort_keys(face_key *keys, size_t count)
{
    if (count > 48) {
        for (size_t i = count / 2; i-- > 0;) sift_down(keys, i, count);
        for (size_t end = count - 1; end > 0; end--) {
            face_key top = keys[0];
            keys[0] = keys[end];
            keys[end] = top;
            sift_down(keys, 0, end);
        }
        return;
    }
    for (size_t i = 1; i < count; i++) {
        face_key key = keys[i];
        size_t j = i;
        for (; j > 0 && key_less(&key, &keys[j - 1]); j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

static abut_status check_sources(face_set *set, abut_error *err)
{
    if (set->face_count >= UINT32_MAX)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "%zu faces are too many: at most %u are allowed", set->face_count,
                         UINT32_MAX - 1);
    for (int s = 0; s < set->source_count; s++) {
        const face_source *source = &set->sources[s];
        int corners = cell_corner_count(source->kind);
        for (size_t c = 0; c < source->count / (size_t)source->faces_per_cell; c++) {
            const int32_t *nodes = source->nodes + c * (size_t)source->stride;
            for (int i = 0; i < corners; i++) {
                if (nodes[i] < 0)
                    return error_set(err, ABUT_ERROR_INPUT, "", "%s %zu uses vertex %d",
                                     cell_kind_name(source->kind), c, nodes[i]);
                if ((size_t)nodes[i] >= set->vertex_limit) set->vertex_limit = (size_t)nodes[i] + 1;
            }
        }
    }
    return ABUT_OK;
}

/* The face numbers in the order of their smallest vertex; first[v] .. first[v + 1] are those of v.
 */
static abut_status bucket_faces(const face_set *set, uint32_t **faces, uint32_t **first,
                                abut_error *err)
{
    *faces = mem_alloc(set->face_count, sizeof **faces);
    *first = mem_calloc(set->vertex_limit + 2, sizeof **first);
    if (!*faces || !*first) return error_memory(err, "finding the surface of a mesh");
    for (int pass = 0; pass < 2; pass++) {
        for (int s = 0; s < set->source_count; s++) {
            const face_source *source = &set->sources[s];
            for (size_t f = source->first; f < source->first + source->count; f++) {
                int32_t low = make_key(source, f).vertex[0];
                if (pass == 0)
                    (*first)[low + 2]++;
                else
                    (*faces)[(*first)[low + 1]++] = (uint32_t)f;
            }
        }
        for (size_t v = 2; pass == 0 && v < set->vertex_limit + 2; v++)
            (*first)[v] += (*first)[v - 1];
    }
    return ABUT_OK;
}

static int32_t opposite_vertex(const face_set *set, const face_key *key)
{
    const face_source *source = source_of(set, key->face);
    const int32_t *nodes = source->nodes + cell_of(source, key->face) * (size_t)source->stride;
    int32_t sum = 0;
    for (int i = 0; i < 4; i++) sum ^= nodes[i];
    return sum ^ key->vertex[0] ^ key->vertex[1] ^ key->vertex[2];
}

static abut_status shared_too_often(const face_set *set, const face_key *group, abut_error *err)
{
    size_t cell[3];
    for (int i = 0; i < 3; i++) cell[i] = cell_of(source_of(set, group[i].face), group[i].face);
    return error_set(
        err, ABUT_ERROR_INPUT, "",
        "%ss %zu, %zu and %zu share the face of vertices %d, %d and %d; at most two may "
        "share a face (all counted from 0)",
        cell_kind_name(source_of(set, group[0].face)->kind), cell[0], cell[1], cell[2],
        group[0].vertex[0], group[0].vertex[1], group[0].vertex[2]);
}

/* Decides about faces with the same vertices, sorted by number: solid ones come first. A single
 * solid face is boundary; a triangle or quad counts when no solid has it, and only once. */
static abut_status classify_group(const face_set *set, const face_key *group, size_t count,
                                  bool *on_surface, abut_error *err)
{
    size_t solid = 0;
    while (solid < count && source_of(set, group[solid].face)->solid) solid++;
    if (solid > 2) return shared_too_often(set, group, err);
    if (solid == 2 && group[0].vertex[3] < 0 &&
        opposite_vertex(set, &group[0]) == opposite_vertex(set, &group[1])) {
        const face_source *a = source_of(set, group[0].face), *b = source_of(set, group[1].face);
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "tets %zu and %zu have the same four vertices (counted from 0)",
                         cell_of(a, group[0].face), cell_of(b, group[1].face));
    }
    if (solid < 2) on_surface[group[0].face] = true;
    return ABUT_OK;
}

static abut_status classify_bucket(const face_set *set, const uint32_t *faces, size_t count,
                                   face_key *keys, bool *on_surface, abut_error *err)
{
    for (size_t i = 0; i < count; i++) keys[i] = make_key(source_of(set, faces[i]), faces[i]);
    sort_keys(keys, count);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && same_vertices(&keys[begin], &keys[end]);) end++;
        TRY(classify_group(set, keys + begin, end - begin, on_surface, err));
    }
    return ABUT_OK;
}

static abut_status classify_all(const face_set *set, const uint32_t *faces, const uint32_t *first,
                                bool *on_surface, abut_error *err)
{
    size_t longest = 0;
    for (size_t v = 0; v < set->vertex_limit; v++)
        if (first[v + 1] - first[v] > longest) longest = first[v + 1] - first[v];
    face_key *keys = mem_alloc(longest, sizeof *keys);
    if (!keys) return error_memory(err, "finding the surface of a mesh");
    abut_status status = ABUT_OK;
    for (size_t v = 0; v < set->vertex_limit && status == ABUT_OK; v++)
        status =
            classify_bucket(set, faces + first[v], first[v + 1] - first[v], keys, on_surface, err);
    mem_free(keys);
    return status;
}

static abut_status mark_surface(const face_set *set, bool *on_surface, abut_error *err)
{
    uint32_t *faces = NULL, *first = NULL;
    abut_status status = bucket_faces(set, &faces, &first, err);
    if (status == ABUT_OK) status = classify_all(set, faces, first, on_surface, err);
    mem_free(faces);
    mem_free(first);
    return status;
}

/* A quad is cut at the diagonal of its smallest vertex, so that neighbours agree. */
static size_t write_triangles(const int32_t corners[4], int32_t (*out)[3])
{
    int start = 0;
    if (corners[3] >= 0)
        for (int i = 1; i < 4; i++)
            if (corners[i] < corners[start]) start = i;
    int sides = corners[3] >= 0 ? 4 : 3;
    for (int t = 0; t < sides - 2; t++) {
        out[t][0] = corners[start];
        out[t][1] = corners[(start + t + 1) % sides];
        out[t][2] = corners[(start + t + 2) % sides];
    }
    return (size_t)sides - 2;
}

static abut_status emit_triangles(const face_set *set, const bool *on_surface,
                                  int32_t (**triangles)[3], size_t *count, abut_error *err)
{
    int32_t corners[4], scratch[2][3];
    *count = 0;
    *triangles = NULL;
    for (int pass = 0; pass < 2; pass++) {
        size_t written = 0;
        for (int s = 0; s < set->source_count; s++) {
            const face_source *source = &set->sources[s];
            for (size_t f = source->first; f < source->first + source->count; f++) {
                if (!on_surface[f]) continue;
                face_corners(source, f, corners);
                written += write_triangles(corners, pass == 0 ? scratch : *triangles + written);
            }
        }
        *count = written;
        if (pass == 0) *triangles = mem_alloc(written, sizeof **triangles);
        if (!*triangles) return error_memory(err, "finding the surface of a mesh");
    }
    return ABUT_OK;
}

static abut_status surface_of_faces(face_set *set, int32_t (**triangles)[3], size_t *count,
                                    abut_error *err)
{
    *triangles = NULL;
    *count = 0;
    TRY(check_sources(set, err));
    bool *on_surface = mem_calloc(set->face_count, sizeof *on_surface);
    if (!on_surface) return error_memory(err, "finding the surface of a mesh");
    abut_status status = mark_surface(set, on_surface, err);
    if (status == ABUT_OK) status = emit_triangles(set, on_surface, triangles, count, err);
    mem_free(on_surface);
    return status;
}

abut_status surface_of_tets(const int32_t *tets, int nodes_per_tet, size_t tet_count,
                            int32_t (**triangles)[3], size_t *count, abut_error *err)
{
    face_set set = {0};
    add_source(&set, CELL_TET, tets, nodes_per_tet, tet_count);
    return surface_of_faces(&set, triangles, count, err);
}

/* ---- edges --------------------------------------------------------------------------------- */

static uint64_t edge_key(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

static abut_status check_edge(int32_t a, int32_t b, const char *kind, size_t cell, abut_error *err)
{
    if (a >= 0 && b >= 0 && a != b) return ABUT_OK;
    if (a == b)
        return error_set(err, ABUT_ERROR_INPUT, "", "%s %zu uses vertex %d twice (counted from 0)",
                         kind, cell, a);
    return error_set(err, ABUT_ERROR_INPUT, "", "%s %zu uses vertex %d", kind, cell, a < b ? a : b);
}

/* Sorted unique keys of the edges; *keys is allocated, also on failure freed by the caller. */
static abut_status unique_edge_keys(const int32_t (*triangles)[3], size_t triangle_count,
                                    const int32_t (*extra)[2], size_t extra_count, uint64_t **keys,
                                    size_t *count, abut_error *err)
{
    size_t total = 3 * triangle_count + extra_count, n = 0;
    *keys = mem_alloc(total, sizeof **keys);
    uint64_t *spare = mem_alloc(total, sizeof *spare);
    abut_status status = *keys && spare ? ABUT_OK : error_memory(err, "finding edges");
    for (size_t t = 0; t < triangle_count && status == ABUT_OK; t++)
        for (int i = 0; i < 3 && status == ABUT_OK; i++) {
            int32_t a = triangles[t][i], b = triangles[t][(i + 1) % 3];
            status = check_edge(a, b, "triangle", t, err);
            (*keys)[n++] = edge_key(a, b);
        }
    for (size_t e = 0; e < extra_count && status == ABUT_OK; e++) {
        status = check_edge(extra[e][0], extra[e][1], "edge", e, err);
        (*keys)[n++] = edge_key(extra[e][0], extra[e][1]);
    }
    if (status == ABUT_OK) *count = sort_unique_u64(*keys, spare, n);
    mem_free(spare);
    return status;
}

static void store_edge(int32_t edge[2], uint64_t key)
{
    edge[0] = (int32_t)(key >> 32);
    edge[1] = (int32_t)(key & UINT32_MAX);
}

abut_status unique_edges(const int32_t (*triangles)[3], size_t triangle_count,
                         const int32_t (*extra)[2], size_t extra_count, int32_t (**edges)[2],
                         size_t *count, abut_error *err)
{
    uint64_t *keys;
    *edges = NULL;
    *count = 0;
    abut_status status =
        unique_edge_keys(triangles, triangle_count, extra, extra_count, &keys, count, err);
    if (status == ABUT_OK) {
        *edges = mem_alloc(*count, sizeof **edges);
        if (!*edges) status = error_memory(err, "finding edges");
    }
    for (size_t e = 0; status == ABUT_OK && e < *count; e++) store_edge((*edges)[e], keys[e]);
    mem_free(keys);
    return status;
}

/* ---- the collision surface ----------------------------------------------------------------- */

/* Position of a key in a sorted list, or `count` when it is not there. */
static size_t find_key(const uint64_t *keys, size_t count, uint64_t wanted)
{
    size_t at = sorted_place_u64(keys, count, wanted);
    return at < count && keys[at] == wanted ? at : count;
}

/* Sorted unique keys of the edge cells of a mesh. */
static abut_status edge_cell_keys(const mesh *m, uint64_t **keys, size_t *count, abut_error *err)
{
    size_t total = 0;
    for (int b = 0; b < m->block_count; b++)
        if (m->blocks[b].kind == CELL_EDGE) total += m->blocks[b].count;
    int32_t(*ends)[2] = mem_alloc(total, sizeof *ends);
    *keys = NULL;
    if (!ends) return error_memory(err, "finding free edges");
    size_t n = 0;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        for (size_t c = 0; block->kind == CELL_EDGE && c < block->count; c++, n++)
            for (int i = 0; i < 2; i++) ends[n][i] = block->nodes[c * block->nodes_per_cell + i];
    }
    abut_status status = unique_edge_keys(NULL, 0, (const int32_t(*)[2])ends, n, keys, count, err);
    mem_free(ends);
    return status;
}

/* Marks those edges that a triangle, quad or solid has. */
static void mark_covered_edges(const mesh *m, const uint64_t *keys, size_t count, bool *covered)
{
    for (int b = 0; b < m->block_count && count > 0; b++) {
        const cell_block *block = &m->blocks[b];
        if (block->kind == CELL_EDGE || block->kind == CELL_POINT) continue;
        int edges = cell_edge_count(block->kind);
        for (size_t c = 0; c < block->count; c++) {
            const int32_t *nodes = block->nodes + c * (size_t)block->nodes_per_cell;
            for (int e = 0; e < edges; e++) {
                const int *ends = cell_edge(block->kind, e);
                size_t index = find_key(keys, count, edge_key(nodes[ends[0]], nodes[ends[1]]));
                if (index < count) covered[index] = true;
            }
        }
    }
}

/* The edges of the triangles, then those edge cells that are part of nothing larger. */
static abut_status join_edges(const mesh *m, const uint64_t *own, size_t own_count,
                              const uint64_t *cells, size_t cell_count, surface_parts *out,
                              abut_error *err)
{
    bool *covered = mem_calloc(cell_count, sizeof *covered);
    out->edges = mem_alloc(own_count + cell_count, sizeof *out->edges);
    if (!covered || !out->edges) {
        mem_free(covered);
        return error_memory(err, "finding edges");
    }
    mark_covered_edges(m, cells, cell_count, covered);
    for (size_t e = 0; e < own_count; e++) store_edge(out->edges[e], own[e]);
    out->free_edge_first = out->edge_count = own_count;
    for (size_t e = 0; e < cell_count; e++)
        if (!covered[e]) store_edge(out->edges[out->edge_count++], cells[e]);
    mem_free(covered);
    return ABUT_OK;
}

static abut_status collect_edges(const mesh *m, surface_parts *out, abut_error *err)
{
    uint64_t *own = NULL, *cells = NULL;
    size_t own_count = 0, cell_count = 0;
    abut_status status = unique_edge_keys((const int32_t(*)[3])out->triangles, out->triangle_count,
                                          NULL, 0, &own, &own_count, err);
    if (status == ABUT_OK) status = edge_cell_keys(m, &cells, &cell_count, err);
    if (status == ABUT_OK) status = join_edges(m, own, own_count, cells, cell_count, out, err);
    mem_free(own);
    mem_free(cells);
    return status;
}

/* Marks the vertices of the surface: of its edges (triangles have theirs among them), and points
 * that no other cell uses. */
static void mark_points(const mesh *m, const surface_parts *parts, bool *used, bool *marked)
{
    size_t cells = 0;
    for (int b = 0; b < m->block_count; b++) {
        const cell_block *block = &m->blocks[b];
        cells += block->count;
        if (block->kind == CELL_POINT) continue;
        for (size_t i = 0; i < block->count * (size_t)block->nodes_per_cell; i++)
            used[block->nodes[i]] = true;
    }
    for (size_t e = 0; e < parts->edge_count; e++)
        marked[parts->edges[e][0]] = marked[parts->edges[e][1]] = true;
    for (int b = 0; b < m->block_count; b++)
        for (size_t c = 0; m->blocks[b].kind == CELL_POINT && c < m->blocks[b].count; c++) {
            int32_t v = m->blocks[b].nodes[c];
            if (!used[v]) marked[v] = true;
        }
    if (cells == 0) memset(marked, true, m->vertex_count * sizeof *marked);
}

static abut_status collect_points(const mesh *m, surface_parts *out, abut_error *err)
{
    bool *used = mem_calloc(m->vertex_count, sizeof *used);
    bool *marked = mem_calloc(m->vertex_count, sizeof *marked);
    abut_status status = used && marked ? ABUT_OK : error_memory(err, "finding surface points");
    size_t total = 0;
    if (status == ABUT_OK) {
        mark_points(m, out, used, marked);
        for (size_t v = 0; v < m->vertex_count; v++) total += marked[v];
        out->points = mem_alloc(total, sizeof *out->points);
        if (!out->points) status = error_memory(err, "finding surface points");
    }
    for (size_t v = 0; status == ABUT_OK && v < m->vertex_count; v++)
        if (marked[v]) out->points[out->point_count++] = (int32_t)v;
    mem_free(used);
    mem_free(marked);
    return status;
}

static abut_status collect_triangles(const mesh *m, surface_parts *out, abut_error *err)
{
    face_set set = {0};
    for (int solid = 1; solid >= 0; solid--)
        for (int b = 0; b < m->block_count; b++) {
            const cell_block *block = &m->blocks[b];
            cell_kind kind = block->kind;
            bool wanted = solid ? kind == CELL_TET || kind == CELL_HEX
                                : kind == CELL_TRIANGLE || kind == CELL_QUAD;
            if (wanted) add_source(&set, kind, block->nodes, block->nodes_per_cell, block->count);
        }
    return surface_of_faces(&set, &out->triangles, &out->triangle_count, err);
}

abut_status mesh_surface(const mesh *m, surface_parts *out, abut_error *err)
{
    *out = (surface_parts){0};
    TRY(mesh_validate(m, err));
    abut_status status = collect_triangles(m, out, err);
    if (status == ABUT_OK) status = collect_edges(m, out, err);
    if (status == ABUT_OK) status = collect_points(m, out, err);
    if (status != ABUT_OK) surface_parts_free(out);
    return status;
}

void surface_parts_free(surface_parts *s)
{
    if (!s) return;
    mem_free(s->triangles);
    mem_free(s->edges);
    mem_free(s->points);
    *s = (surface_parts){0};
}

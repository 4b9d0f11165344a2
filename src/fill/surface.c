#include "fill/surface.h"

#include "base/memory.h"
#include "base/sort.h"
#include "geometry/check.h"
#include "mesh/read.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- taking ---- */

static abut_status count_triangles(const mesh *in, size_t *count, abut_error *err)
{
    *count = 0;
    for (int b = 0; b < in->block_count; b++) {
        const cell_block *block = &in->blocks[b];
        if ((block->kind == CELL_TET || block->kind == CELL_HEX) && block->count)
            return error_set(err, ABUT_ERROR_INPUT, "",
                             "the mesh has %zu %ss: it is filled already", block->count,
                             cell_kind_name(block->kind));
        if (block->kind == CELL_TRIANGLE) *count += block->count;
        if (block->kind == CELL_QUAD) *count += 2 * block->count;
    }
    if (*count == 0)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "the mesh has no triangles; a surface is needed to fill it");
    if (*count > INT32_MAX / 6)
        return error_set(err, ABUT_ERROR_INPUT, "", "%zu triangles are too many", *count);
    return ABUT_OK;
}

static abut_status check_input(const mesh *in, abut_error *err)
{
    for (size_t v = 0; v < in->vertex_count; v++)
        if (!vec3_is_finite(in->vertices[v]))
            return error_set(err, ABUT_ERROR_INPUT, "", "vertex %zu is at (%g, %g, %g)", v,
                             in->vertices[v].x, in->vertices[v].y, in->vertices[v].z);
    for (int b = 0; b < in->block_count; b++) {
        const cell_block *block = &in->blocks[b];
        for (size_t i = 0; i < block->count * (size_t)block->nodes_per_cell; i++)
            if (block->nodes[i] < 0 || (size_t)block->nodes[i] >= in->vertex_count)
                return error_set(err, ABUT_ERROR_INPUT, "", "a %s has the vertex %d; there are %zu",
                                 cell_kind_name(block->kind), block->nodes[i], in->vertex_count);
    }
    return ABUT_OK;
}

static abut_status copy_triangles(const mesh *in, size_t count, mesh *out, abut_error *err)
{
    cell_block *block;
    TRY(mesh_init(out, in->vertex_count, err));
    memcpy(out->vertices, in->vertices, in->vertex_count * sizeof *in->vertices);
    abut_status status = mesh_add_block(out, CELL_TRIANGLE, 1, count, false, &block, err);
    if (status != ABUT_OK) {
        mesh_free(out);
        return status;
    }
    int32_t *to = block->nodes;
    for (int b = 0; b < in->block_count; b++) {
        const cell_block *from = &in->blocks[b];
        if (from->kind != CELL_TRIANGLE && from->kind != CELL_QUAD) continue;
        for (size_t c = 0; c < from->count; c++) {
            const int32_t *n = from->nodes + c * (size_t)from->nodes_per_cell;
            for (int k = 0; k < 3; k++) *to++ = n[k];
            if (from->kind == CELL_TRIANGLE) continue;
            *to++ = n[0];
            *to++ = n[2];
            *to++ = n[3];
        }
    }
    return ABUT_OK;
}

/* Largest tolerance that cannot merge the ends of an edge, up to 1e-7. */
static double safe_weld(const mesh *m, double diagonal)
{
    double shortest = INFINITY;
    const int32_t(*t)[3] = surface_triangles(m);
    for (size_t i = 0; i < surface_triangle_count(m); i++)
        for (int k = 0; k < 3; k++) {
            vec3 edge = vec3_sub(m->vertices[t[i][k]], m->vertices[t[i][(k + 1) % 3]]);
            double length = vec3_norm(edge);
            if (length > 0) shortest = fmin(shortest, length);
        }
    return fmin(1e-7, 0.25 * shortest / diagonal);
}

/* ---- what is there for nothing ---- */

typedef struct keyed_triangle {
    int32_t corner[3]; /* ascending */
    int32_t number;
    bool odd; /* runs against ascending corners */
} keyed_triangle;

static int compare_keyed(const void *left, const void *right)
{
    const keyed_triangle *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a->corner[k] != b->corner[k]) return a->corner[k] < b->corner[k] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static keyed_triangle key_of(const int32_t t[3], size_t number)
{
    keyed_triangle key = {{t[0], t[1], t[2]}, (int32_t)number, false};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 - i; k++)
            if (key.corner[k] > key.corner[k + 1]) {
                int32_t swap = key.corner[k];
                key.corner[k] = key.corner[k + 1];
                key.corner[k + 1] = swap;
                key.odd = !key.odd;
            }
    return key;
}

static bool has_area(const mesh *m, const int32_t t[3], double diagonal)
{
    vec3 a = m->vertices[t[0]], b = m->vertices[t[1]], c = m->vertices[t[2]];
    return vec3_norm(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) > 2e-14 * diagonal * diagonal;
}

/* Of triangles with the same corners those of one orientation cancel those of the other, as they do
 * in a winding number; of what is left, one stays. */
static void settle_repeats(const keyed_triangle *keys, size_t count, bool *drop,
                           surface_report *report)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        size_t odd = 0;
        for (end = begin; end < count && memcmp(keys[end].corner, keys[begin].corner,
                                                sizeof keys[begin].corner) == 0;
             end++)
            odd += keys[end].odd;
        size_t total = end - begin, even = total - odd;
        if (total == 1) continue;
        bool stays = odd != even, which = odd > even, kept = false;
        size_t pairs = odd < even ? odd : even;
        report->cancelled += 2 * pairs;
        report->repeated += total - 2 * pairs - (stays ? 1 : 0);
        for (size_t i = begin; i < end; i++) {
            bool keep = stays && !kept && keys[i].odd == which;
            kept = kept || keep;
            if (!keep) drop[keys[i].number] = true;
        }
    }
}

static abut_status drop_useless(mesh *m, double diagonal, surface_report *report, abut_error *err)
{
    cell_block *block = &m->blocks[0];
    size_t count = block->count, kept = 0;
    keyed_triangle *keys = mem_alloc(count, sizeof *keys);
    bool *drop = mem_calloc(count, sizeof *drop);
    if (!keys || !drop) {
        mem_free(keys);
        mem_free(drop);
        return error_memory(err, "reading a surface");
    }
    for (size_t i = 0; i < count; i++) keys[i] = key_of(surface_triangles(m)[i], i);
    if (count) qsort(keys, count, sizeof *keys, compare_keyed);
    settle_repeats(keys, count, drop, report);
    for (size_t i = 0; i < count; i++) {
        const int32_t *t = block->nodes + 3 * i;
        if (drop[i]) continue;
        if (!has_area(m, t, diagonal)) {
            report->degenerate++;
            continue;
        }
        memmove(block->nodes + 3 * kept++, t, 3 * sizeof *t);
    }
    block->count = kept;
    mem_free(keys);
    mem_free(drop);
    return ABUT_OK;
}

void surface_compact(mesh *m, int32_t *scratch)
{
    cell_block *block = &m->blocks[0];
    size_t kept = 0;
    for (size_t v = 0; v < m->vertex_count; v++) scratch[v] = 0;
    for (size_t i = 0; i < 3 * block->count; i++) scratch[block->nodes[i]] = 1;
    for (size_t v = 0; v < m->vertex_count; v++) {
        if (!scratch[v]) continue;
        m->vertices[kept] = m->vertices[v];
        scratch[v] = (int32_t)kept++;
    }
    for (size_t i = 0; i < 3 * block->count; i++) block->nodes[i] = scratch[block->nodes[i]];
    m->vertex_count = kept;
}

static abut_status clean(mesh *m, double weld, surface_report *report, abut_error *err)
{
    mesh_bounds(m, &report->low, &report->high);
    double diagonal = vec3_norm(vec3_sub(report->high, report->low));
    if (!(diagonal > 1e-100) || !isfinite(diagonal * diagonal))
        return error_set(err, ABUT_ERROR_INPUT, "", "the surface has the size %g", diagonal);
    size_t before = surface_triangle_count(m);
    double tolerance = weld >= 0 ? weld : safe_weld(m, diagonal);
    TRY(mesh_weld(m, tolerance, err));
    report->weld = tolerance * diagonal;
    report->degenerate = before - surface_triangle_count(m);
    TRY(drop_useless(m, diagonal, report, err));
    if (surface_triangle_count(m) == 0)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "none of the %zu triangles is left: %zu have no area, %zu cancel each "
                         "other",
                         report->given_triangles, report->degenerate, report->cancelled);
    int32_t *scratch = mem_alloc(m->vertex_count, sizeof *scratch);
    if (!scratch) return error_memory(err, "reading a surface");
    surface_compact(m, scratch);
    mem_free(scratch);
    mesh_bounds(m, &report->low, &report->high);
    report->vertices = m->vertex_count;
    report->triangles = surface_triangle_count(m);
    return ABUT_OK;
}

abut_status surface_take(const mesh *in, double weld, mesh *out, surface_report *report,
                         abut_error *err)
{
    size_t count;
    *report = (surface_report){0};
    *out = (mesh){0};
    TRY(check_input(in, err));
    TRY(count_triangles(in, &count, err));
    report->given_vertices = in->vertex_count;
    report->given_triangles = count;
    TRY(copy_triangles(in, count, out, err));
    abut_status status = clean(out, weld, report, err);
    if (status != ABUT_OK) mesh_free(out);
    return status;
}

/* ---- edges ---- */

abut_status surface_count_edges(const int32_t (*triangles)[3], size_t count, surface_edges *out,
                                abut_error *err)
{
    *out = (surface_edges){0};
    size_t n = 3 * count;
    uint64_t *keys = mem_alloc(2 * n, sizeof *keys);
    uint32_t *forwards = mem_alloc(2 * n, sizeof *forwards);
    if (!keys || !forwards) {
        mem_free(keys);
        mem_free(forwards);
        return error_memory(err, "counting edges");
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t a = (uint32_t)triangles[i / 3][i % 3], b = (uint32_t)triangles[i / 3][(i + 1) % 3];
        keys[i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        forwards[i] = a < b;
    }
    sort_u64_with_u32(keys, forwards, keys + n, forwards + n, n);
    for (size_t begin = 0, end; begin < n; begin = end) {
        size_t forward = 0;
        for (end = begin; end < n && keys[end] == keys[begin]; end++) forward += forwards[end];
        out->border += end - begin == 1;
        out->nonmanifold += end - begin > 2;
        out->unbalanced += 2 * forward != end - begin;
    }
    mem_free(keys);
    mem_free(forwards);
    return ABUT_OK;
}

/* ---- crossings ---- */

/* A triangle of every edge. */
static abut_status triangle_of_edges(const mesh *m, const int32_t (*edges)[2], size_t edge_count,
                                     int32_t *owner)
{
    const int32_t(*t)[3] = surface_triangles(m);
    for (size_t i = 0; i < 3 * surface_triangle_count(m); i++) {
        int32_t a = t[i / 3][i % 3], b = t[i / 3][(i + 1) % 3], low = a < b ? a : b;
        int32_t high = a + b - low;
        size_t first = 0, last = edge_count;
        while (first < last) {
            size_t middle = first + (last - first) / 2;
            if (edges[middle][0] < low || (edges[middle][0] == low && edges[middle][1] < high))
                first = middle + 1;
            else
                last = middle;
        }
        owner[first] = (int32_t)(i / 3);
    }
    return ABUT_OK;
}

abut_status surface_crossings(const mesh *surface, int32_t (**pairs)[2], size_t *count, vec3 *first,
                              abut_error *err)
{
    const int32_t(*triangles)[3] = surface_triangles(surface);
    int32_t(*edges)[2] = NULL;
    size_t edge_count = 0;
    check_pair *found = NULL;
    *count = 0;
    if (pairs) *pairs = NULL;
    TRY(unique_edges(triangles, surface_triangle_count(surface), NULL, 0, &edges, &edge_count,
                     err));
    check_surface s = {.vertices = surface->vertices,
                       .vertex_count = surface->vertex_count,
                       .triangles = triangles,
                       .triangle_count = surface_triangle_count(surface),
                       .edges = (const int32_t(*)[2])edges,
                       .edge_count = edge_count};
    abut_status status = check_intersections(&s, &found, count, err);
    if (status == ABUT_OK && *count && first) {
        double depth;
        check_locate(&s, &found[0], first, &depth);
    }
    if (status == ABUT_OK && *count && pairs) {
        int32_t *owner = mem_alloc(edge_count, sizeof *owner);
        *pairs = mem_alloc(*count, sizeof **pairs);
        if (owner && *pairs) {
            triangle_of_edges(surface, (const int32_t(*)[2])edges, edge_count, owner);
            for (size_t i = 0; i < *count; i++) {
                (*pairs)[i][0] = owner[found[i].first];
                (*pairs)[i][1] = found[i].second;
            }
        } else {
            mem_free(*pairs);
            *pairs = NULL;
            status = error_memory(err, "checking a surface");
        }
        mem_free(owner);
    }
    mem_free(edges);
    mem_free(found);
    return status;
}

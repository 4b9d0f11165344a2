#include "broad/parts_build.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART_SIZE = 16 }; /* elements of a part at most */

/* What parts are made of: a triangle, an edge in no triangle, a point in no edge. */
typedef struct element {
    int32_t id, body;
    int8_t arity;
    vec3 center;
} element;

typedef struct part_builder {
    part_lists *out;
    const broad_surface *s;
    const int32_t *body;
    const vec3 *rest;
    ARRAY(element) elements;
    ARRAY(int32_t) element_part; /* per element */
    ARRAY(int32_t) point_part;   /* per vertex, -1: none yet */
    ARRAY(int32_t) edge_part, triangle_part;
    ARRAY(uint8_t) vertex_arity; /* of the largest element of a vertex */
    ARRAY(uint8_t) edge_solid;   /* the edge is in a triangle */
    ARRAY(uint64_t) keys, spare; /* sides of triangles: their vertices */
    ARRAY(uint32_t) sides, spare_sides;
} part_builder;

void part_lists_free(part_lists *l)
{
    array_free(&l->parts);
    for (int k = 0; k < PART_LIST_COUNT; k++) {
        array_free(&l->items[k]);
        array_free(&l->begin[k]);
    }
}

static void builder_free(part_builder *b)
{
    array_free(&b->elements);
    array_free(&b->element_part);
    array_free(&b->point_part);
    array_free(&b->edge_part);
    array_free(&b->triangle_part);
    array_free(&b->vertex_arity);
    array_free(&b->edge_solid);
    array_free(&b->keys);
    array_free(&b->spare);
    array_free(&b->sides);
    array_free(&b->spare_sides);
}

static uint64_t side_key(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

/* The sides of all triangles, sorted, with the triangle of each. */
static bool list_sides(part_builder *b)
{
    const broad_surface *s = b->s;
    size_t n = 3 * s->triangle_count;
    if (!array_resize(&b->keys, n + 1) || !array_resize(&b->spare, n + 1) ||
        !array_resize(&b->sides, n + 1) || !array_resize(&b->spare_sides, n + 1))
        return false;
    for (size_t i = 0; i < n; i++) {
        const int32_t *t = s->triangles[i / 3];
        b->keys.data[i] = side_key(t[i % 3], t[(i + 1) % 3]);
        b->sides.data[i] = (uint32_t)(i / 3);
    }
    b->keys.count = n;
    if (n > 1)
        sort_u64_with_u32(b->keys.data, b->sides.data, b->spare.data, b->spare_sides.data, n);
    return true;
}

/* A triangle with this edge, or -1. */
static int32_t triangle_of_edge(const part_builder *b, const int32_t *edge)
{
    uint64_t key = side_key(edge[0], edge[1]);
    size_t at = sorted_place_u64(b->keys.data, b->keys.count, key);
    return at < b->keys.count && b->keys.data[at] == key ? (int32_t)b->sides.data[at] : -1;
}

static bool add_element(part_builder *b, int32_t id, int arity)
{
    const int32_t *v = primitive_vertices(b->s, arity, &id);
    vec3 center = {0};
    for (int c = 0; c < arity; c++) {
        center = vec3_mul_add(center, 1.0 / arity, b->rest[v[c]]);
        if (b->vertex_arity.data[v[c]] < arity) b->vertex_arity.data[v[c]] = (uint8_t)arity;
    }
    return array_push(&b->elements, (element){id, b->body[v[0]], (int8_t)arity, center});
}

static bool list_elements(part_builder *b)
{
    const broad_surface *s = b->s;
    if (!list_sides(b) || !array_resize(&b->vertex_arity, s->vertex_count + 1) ||
        !array_resize(&b->edge_solid, s->edge_count + 1))
        return false;
    memset(b->vertex_arity.data, 0, s->vertex_count);
    for (size_t i = 0; i < s->triangle_count; i++)
        if (!add_element(b, (int32_t)i, 3)) return false;
    for (size_t i = 0; i < s->edge_count; i++) {
        b->edge_solid.data[i] = triangle_of_edge(b, s->edges[i]) >= 0;
        if (!b->edge_solid.data[i] && !add_element(b, (int32_t)i, 2)) return false;
    }
    for (size_t i = 0; i < s->vertex_count; i++)
        if (b->vertex_arity.data[i] == 0 && !add_element(b, (int32_t)i, 1)) return false;
    return true;
}

/* ---- cutting -------------------------------------------------------------------------------- */

static int compare_bodies(const void *a, const void *b)
{
    const element *x = a, *y = b;
    if (x->body != y->body) return x->body < y->body ? -1 : 1;
    if (x->arity != y->arity) return x->arity < y->arity ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

static int longest_axis(const element *e, size_t count)
{
    vec3 low = e[0].center, high = e[0].center;
    for (size_t i = 1; i < count; i++) {
        low = vec3_min(low, e[i].center);
        high = vec3_max(high, e[i].center);
    }
    vec3 extent = vec3_sub(high, low);
    return extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
}

#define COMPARE_ALONG(axis)                                                                        \
    static int compare_##axis(const void *a, const void *b)                                        \
    {                                                                                              \
        const element *x = a, *y = b;                                                              \
        if (x->center.axis != y->center.axis) return x->center.axis < y->center.axis ? -1 : 1;     \
        return (x->id > y->id) - (x->id < y->id);                                                  \
    }
COMPARE_ALONG(x)
COMPARE_ALONG(y)
COMPARE_ALONG(z)

/* Halves until the pieces are small; they keep the order of the list. */
static bool cut(part_builder *b, size_t first, size_t count)
{
    static int (*const compare[])(const void *, const void *) = {compare_x, compare_y, compare_z};
    element *e = b->elements.data + first;
    if (count > PART_SIZE) {
        qsort(e, count, sizeof *e, compare[longest_axis(e, count)]);
        return cut(b, first, count / 2) && cut(b, first + count / 2, count - count / 2);
    }
    int32_t part = (int32_t)b->out->parts.count;
    for (size_t i = 0; i < count; i++) b->element_part.data[first + i] = part;
    const int32_t *v = primitive_vertices(b->s, e[0].arity, &e[0].id);
    return array_push(&b->out->parts, (broad_part){.vertex = v[0], .arity = e[0].arity});
}

static bool cut_bodies(part_builder *b)
{
    size_t n = b->elements.count;
    if (!array_resize(&b->element_part, n + 1)) return false;
    if (n > 1) qsort(b->elements.data, n, sizeof *b->elements.data, compare_bodies);
    for (size_t first = 0, next; first < n; first = next) {
        const element *e = b->elements.data;
        for (next = first; next < n; next++)
            if (e[next].body != e[first].body || e[next].arity != e[first].arity) break;
        if (!cut(b, first, next - first)) return false;
    }
    return true;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* Every edge and point goes to the first part that has it. */
static bool share_out(part_builder *b)
{
    const broad_surface *s = b->s;
    if (!array_resize(&b->point_part, s->vertex_count + 1) ||
        !array_resize(&b->edge_part, s->edge_count + 1) ||
        !array_resize(&b->triangle_part, s->triangle_count + 1))
        return false;
    for (size_t i = 0; i < s->vertex_count; i++) b->point_part.data[i] = -1;
    for (size_t i = 0; i < s->edge_count; i++) b->edge_part.data[i] = -1;
    for (size_t i = 0; i < b->elements.count; i++) {
        const element *e = &b->elements.data[i];
        const int32_t *v = primitive_vertices(s, e->arity, &e->id);
        for (int c = 0; c < e->arity; c++)
            if (b->point_part.data[v[c]] < 0) b->point_part.data[v[c]] = b->element_part.data[i];
        if (e->arity == 3) b->triangle_part.data[e->id] = b->element_part.data[i];
        if (e->arity == 2) b->edge_part.data[e->id] = b->element_part.data[i];
    }
    for (size_t i = 0; i < s->edge_count; i++)
        if (b->edge_part.data[i] < 0)
            b->edge_part.data[i] = b->triangle_part.data[triangle_of_edge(b, s->edges[i])];
    return true;
}

/* Makes one list from the part of each item (-1: not in the list). */
static bool make_list(part_lists *l, part_list_kind kind, const int32_t *part, size_t count)
{
    size_t parts = l->parts.count, total = 0;
    if (!array_resize(&l->begin[kind], parts + 2)) return false;
    size_t *begin = l->begin[kind].data;
    memset(begin, 0, (parts + 2) * sizeof *begin);
    for (size_t i = 0; i < count; i++)
        if (part[i] >= 0) begin[part[i] + 2]++, total++;
    for (size_t i = 2; i < parts + 2; i++) begin[i] += begin[i - 1];
    if (!array_resize(&l->items[kind], total + 1)) return false;
    for (size_t i = 0; i < count; i++)
        if (part[i] >= 0) l->items[kind].data[begin[part[i] + 1]++] = (int32_t)i;
    return true;
}

/* Vertices of the part's primitives, each once, and the box around them. */
static bool list_vertices(part_builder *b)
{
    part_lists *l = b->out;
    const broad_surface *s = b->s;
    int32_t *seen = mem_alloc(s->vertex_count + 1, sizeof *seen);
    bool ok = seen && array_resize(&l->begin[PART_VERTICES], l->parts.count + 1);
    for (size_t i = 0; ok && i < s->vertex_count; i++) seen[i] = -1;
    size_t next = 0;
    for (size_t p = 0; ok && p < l->parts.count; p++) {
        l->begin[PART_VERTICES].data[p] = l->items[PART_VERTICES].count;
        vec3 low = b->rest[l->parts.data[p].vertex], high = low;
        for (; ok && next < b->elements.count && b->element_part.data[next] == (int32_t)p; next++) {
            const element *e = &b->elements.data[next];
            const int32_t *v = primitive_vertices(s, e->arity, &e->id);
            for (int c = 0; ok && c < e->arity; c++) {
                if (seen[v[c]] == (int32_t)p) continue;
                seen[v[c]] = (int32_t)p;
                ok = array_push(&l->items[PART_VERTICES], v[c]);
                low = vec3_min(low, b->rest[v[c]]);
                high = vec3_max(high, b->rest[v[c]]);
            }
        }
        l->parts.data[p].arm =
            vec3_sub(vec3_scale(0.5, vec3_add(low, high)), b->rest[l->parts.data[p].vertex]);
        l->parts.data[p].half = vec3_scale(0.5, vec3_sub(high, low));
    }
    if (ok) l->begin[PART_VERTICES].data[l->parts.count] = l->items[PART_VERTICES].count;
    mem_free(seen);
    return ok;
}

static bool build(part_builder *b)
{
    part_lists *l = b->out;
    const broad_surface *s = b->s;
    if (!list_elements(b) || !cut_bodies(b) || !share_out(b)) return false;
    return make_list(l, PART_POINTS, b->point_part.data, s->vertex_count) &&
           make_list(l, PART_EDGES, b->edge_part.data, s->edge_count) &&
           make_list(l, PART_TRIANGLES, b->triangle_part.data, s->triangle_count) &&
           list_vertices(b);
}

abut_status part_lists_build(part_lists *l, const broad_surface *s, const int32_t *body,
                             const vec3 *rest, abut_error *err)
{
    part_builder b = {.out = l, .s = s, .body = body, .rest = rest};
    bool ok = build(&b);
    builder_free(&b);
    return ok ? ABUT_OK : error_memory(err, "cutting bodies into parts");
}

#include "geometry/check.h"

#include "geometry/check_attached.h"

#include "base/array.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "geometry/box_tree.h"
#include "geometry/check_exact.h"
#include "geometry/check_gap.h"
#include "geometry/check_near.h"

#include <stdlib.h>
#include <string.h>

/* Elements of one kind: `size` vertices each. */
typedef struct element_set {
    int size;
    const int32_t *vertices;
    const int32_t *id; /* number to report, NULL for its own */
    size_t count;
    tree_box *boxes;
    bool in_boxes; /* the vertices may be anywhere in boxes */
} element_set;

typedef struct element_sets {
    element_set triangles, edges, free_edges, points, free_points;
    int32_t *point_vertices, *free_point_vertices, (*free_edge_vertices)[2], *free_edge_ids;
    int32_t *kept[5][2];    /* vertices and numbers of sets of which only a part is needed */
    const vec3 *low, *high; /* boxes of the vertices; NULL: their positions */
} element_sets;

const char *check_kind_name(check_kind kind)
{
    static const char *const names[] = {"edge-triangle", "edge-edge", "point-triangle",
                                        "point-edge", "point-point"};
    return names[kind];
}

/* ---- Elements ---- */

static abut_status validate(const check_surface *s, abut_error *err)
{
    for (size_t i = 0; i < s->vertex_count; i++)
        if (!vec3_is_finite(s->vertices[i]))
            return error_set(err, ABUT_ERROR_INPUT, "", "vertex %zu is not finite", i);
    const struct {
        const char *name;
        const int32_t *vertices;
        size_t count, size;
    } lists[3] = {{"triangle", (const int32_t *)s->triangles, s->triangle_count, 3},
                  {"edge", (const int32_t *)s->edges, s->edge_count, 2},
                  {"point", s->points, s->point_count, 1}};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < lists[k].count * lists[k].size; i++) {
            int32_t v = lists[k].vertices[i];
            if (v < 0 || (size_t)v >= s->vertex_count)
                return error_set(err, ABUT_ERROR_INPUT, "",
                                 "%s %zu has vertex %d, but there are %zu vertices", lists[k].name,
                                 i / lists[k].size, (int)v, s->vertex_count);
        }
    return ABUT_OK;
}

static uint64_t edge_key(int32_t a, int32_t b)
{
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    return low << 32 | high;
}

/* Edges that belong to no triangle. */
static abut_status find_free_edges(const check_surface *s, element_sets *sets, abut_error *err)
{
    uint64_t *keys = mem_alloc(3 * s->triangle_count, sizeof *keys);
    sets->free_edge_vertices = mem_alloc(s->edge_count, sizeof *sets->free_edge_vertices);
    sets->free_edge_ids = mem_alloc(s->edge_count, sizeof *sets->free_edge_ids);
    if (!keys || !sets->free_edge_vertices || !sets->free_edge_ids) {
        mem_free(keys);
        return error_memory(err, "checking edges");
    }
    for (size_t i = 0; i < s->triangle_count; i++)
        for (int k = 0; k < 3; k++)
            keys[3 * i + (size_t)k] = edge_key(s->triangles[i][k], s->triangles[i][(k + 1) % 3]);
    qsort(keys, 3 * s->triangle_count, sizeof *keys, compare_uint64);
    size_t n = 0;
    for (size_t i = 0; i < s->edge_count; i++) {
        uint64_t key = edge_key(s->edges[i][0], s->edges[i][1]);
        if (bsearch(&key, keys, 3 * s->triangle_count, sizeof *keys, compare_uint64)) continue;
        memcpy(sets->free_edge_vertices[n], s->edges[i], sizeof s->edges[i]);
        sets->free_edge_ids[n++] = (int32_t)i;
    }
    mem_free(keys);
    sets->free_edges = (element_set){.size = 2,
                                     .vertices = (const int32_t *)sets->free_edge_vertices,
                                     .id = sets->free_edge_ids,
                                     .count = n};
    return ABUT_OK;
}

/* All vertices in use, and those in no edge or triangle. */
static abut_status find_points(const check_surface *s, element_sets *sets, abut_error *err)
{
    enum { UNUSED, FREE, CONNECTED };
    uint8_t *use = mem_calloc(s->vertex_count, 1);
    sets->point_vertices = mem_alloc(s->vertex_count, sizeof *sets->point_vertices);
    sets->free_point_vertices = mem_alloc(s->vertex_count, sizeof *sets->free_point_vertices);
    if (!use || !sets->point_vertices || !sets->free_point_vertices) {
        mem_free(use);
        return error_memory(err, "checking points");
    }
    for (size_t i = 0; i < s->point_count; i++) use[s->points[i]] = FREE;
    for (size_t i = 0; i < s->edge_count; i++)
        for (int k = 0; k < 2; k++) use[s->edges[i][k]] = CONNECTED;
    for (size_t i = 0; i < s->triangle_count; i++)
        for (int k = 0; k < 3; k++) use[s->triangles[i][k]] = CONNECTED;
    size_t all = 0, loose = 0;
    for (size_t i = 0; i < s->vertex_count; i++) {
        if (use[i] != UNUSED) sets->point_vertices[all++] = (int32_t)i;
        if (use[i] == FREE) sets->free_point_vertices[loose++] = (int32_t)i;
    }
    mem_free(use);
    sets->points = (element_set){
        .size = 1, .vertices = sets->point_vertices, .id = sets->point_vertices, .count = all};
    sets->free_points = (element_set){.size = 1,
                                      .vertices = sets->free_point_vertices,
                                      .id = sets->free_point_vertices,
                                      .count = loose};
    return ABUT_OK;
}

static abut_status make_boxes(const check_surface *s, const element_sets *sets, element_set *set,
                              abut_error *err)
{
    const vec3 *low = sets->low ? sets->low : s->vertices;
    const vec3 *high = sets->high ? sets->high : s->vertices;
    set->boxes = mem_alloc(set->count, sizeof *set->boxes);
    if (!set->boxes) return error_memory(err, "checking boxes");
    for (size_t i = 0; i < set->count; i++) {
        const int32_t *v = set->vertices + i * (size_t)set->size;
        tree_box box = {low[v[0]], high[v[0]]};
        for (int k = 1; k < set->size; k++) {
            box.low = vec3_min(box.low, low[v[k]]);
            box.high = vec3_max(box.high, high[v[k]]);
        }
        set->boxes[i] = box;
    }
    set->in_boxes = sets->low != NULL;
    return ABUT_OK;
}

static void sets_free(element_sets *sets)
{
    mem_free(sets->triangles.boxes);
    mem_free(sets->edges.boxes);
    mem_free(sets->free_edges.boxes);
    mem_free(sets->points.boxes);
    mem_free(sets->free_points.boxes);
    mem_free(sets->point_vertices);
    mem_free(sets->free_point_vertices);
    mem_free(sets->free_edge_vertices);
    mem_free(sets->free_edge_ids);
    for (int k = 0; k < 5; k++) {
        mem_free(sets->kept[k][0]);
        mem_free(sets->kept[k][1]);
    }
}

static tree_box grown(tree_box box, double by)
{
    vec3 margin = {by, by, by};
    return (tree_box){vec3_sub(box.low, margin), vec3_add(box.high, margin)};
}

/* Geometric mean of the sizes of the boxes: what a typical query is. */
static double typical_size(const element_set *set)
{
    double sum = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < set->count; i++) {
        double size = vec3_max_abs(vec3_sub(set->boxes[i].high, set->boxes[i].low));
        if (!(size > 0.0)) continue;
        sum += log(size);
        n++;
    }
    return n ? exp(sum / (double)n) : 0.0;
}

static bool meets_itself(const check_surface *s, int32_t body)
{
    return !(s->body_flags[body] & (CHECK_BODY_RIGID | CHECK_BODY_OBSTACLE));
}

static abut_status mark_set(const check_surface *s, const element_set *set, double half,
                            check_near *near, abut_error *err)
{
    for (size_t i = 0; i < set->count; i++)
        TRY(check_near_mark(near, grown(set->boxes[i], half),
                            s->body[set->vertices[i * (size_t)set->size]], err));
    return ABUT_OK;
}

/* Keeps the elements that something else may be near to. */
static abut_status keep_near(const check_surface *s, element_set *set, double half,
                             const check_near *near, int32_t *kept[2], abut_error *err)
{
    size_t size = (size_t)set->size, n = 0;
    kept[0] = mem_alloc(size * set->count + 1, sizeof *kept[0]);
    kept[1] = mem_alloc(set->count + 1, sizeof *kept[1]);
    if (!kept[0] || !kept[1]) return error_memory(err, "checking boxes");
    for (size_t i = 0; i < set->count; i++) {
        const int32_t *v = set->vertices + i * size;
        int32_t body = s->body[v[0]];
        if (!meets_itself(s, body) && !check_near_test(near, grown(set->boxes[i], half), body))
            continue;
        memcpy(kept[0] + n * size, v, size * sizeof *v);
        kept[1][n] = set->id ? set->id[i] : (int32_t)i;
        set->boxes[n++] = set->boxes[i];
    }
    set->vertices = kept[0];
    set->id = kept[1];
    set->count = n;
    return ABUT_OK;
}

static abut_status mark_sets(const check_surface *s, const element_sets *sets, double half,
                             check_near *near, abut_error *err)
{
    TRY(mark_set(s, &sets->triangles, half, near, err));
    TRY(mark_set(s, &sets->free_edges, half, near, err));
    return mark_set(s, &sets->free_points, half, near, err);
}

/* Drops what is further than the radius from all other bodies, where bodies do not meet
 * themselves. Nothing that the searches below could find is lost. */
static abut_status drop_far(const check_surface *s, element_sets *sets, double radius,
                            abut_error *err)
{
    if (!s->body || !s->body_flags || !isfinite(radius)) return ABUT_OK;
    double half = 0.5 * radius * (1 + 1e-9);
    double cell = fmax(fmax(typical_size(&sets->edges), typical_size(&sets->free_points)), radius);
    size_t expected = sets->triangles.count + sets->free_edges.count + sets->free_points.count;
    check_near near;
    TRY(check_near_init(&near, cell, expected, err));
    abut_status status = mark_sets(s, sets, half, &near, err);
    element_set *all[] = {&sets->triangles, &sets->edges, &sets->free_edges, &sets->points,
                          &sets->free_points};
    for (int k = 0; status == ABUT_OK && k < 5; k++)
        status = keep_near(s, all[k], half, &near, sets->kept[k], err);
    check_near_free(&near);
    return status;
}

static abut_status sets_fill(const check_surface *s, element_sets *sets, double radius,
                             abut_error *err)
{
    TRY(validate(s, err));
    TRY(find_free_edges(s, sets, err));
    TRY(find_points(s, sets, err));
    sets->triangles = (element_set){
        .size = 3, .vertices = (const int32_t *)s->triangles, .count = s->triangle_count};
    sets->edges =
        (element_set){.size = 2, .vertices = (const int32_t *)s->edges, .count = s->edge_count};
    TRY(make_boxes(s, sets, &sets->triangles, err));
    TRY(make_boxes(s, sets, &sets->edges, err));
    TRY(make_boxes(s, sets, &sets->free_edges, err));
    TRY(make_boxes(s, sets, &sets->points, err));
    TRY(make_boxes(s, sets, &sets->free_points, err));
    return drop_far(s, sets, radius, err);
}

static abut_status sets_init_in(const check_surface *s, element_sets *sets, double radius,
                                const vec3 *low, const vec3 *high, abut_error *err)
{
    *sets = (element_sets){.low = low, .high = high};
    abut_status status = sets_fill(s, sets, radius, err);
    if (status != ABUT_OK) sets_free(sets);
    return status;
}

/* radius: pairs that are further apart do not matter. */
static abut_status sets_init(const check_surface *s, element_sets *sets, double radius,
                             abut_error *err)
{
    return sets_init_in(s, sets, radius, NULL, NULL, err);
}

/* ---- Pairs of two sets ---- */

enum { CHUNK = 1024 };

typedef ARRAY(check_pair) pair_list;

/* What one chunk of queries found. */
typedef struct chunk_result {
    pair_list pairs;
    check_gap gap;
    bool out_of_memory;
} chunk_result;

typedef struct pair_search {
    const check_surface *surface;
    const element_set *queries, *items;
    check_kind kind;
    bool measure;  /* distances up to radius instead of intersections */
    double radius; /* 0 for intersections */
    box_tree tree; /* of the items */
    chunk_result *chunks;
    const double *thickness; /* per body: pairs nearer than their mean are wanted */
    bool all;                /* whose boxes meet are wanted */
} pair_search;

static inline const int32_t *element(const element_set *set, size_t i)
{
    return set->vertices + i * (size_t)set->size;
}

static inline int32_t number(const element_set *set, size_t i)
{
    return set->id ? set->id[i] : (int32_t)i;
}

static bool has_marked(const uint8_t *marks, const int32_t *v, int count)
{
    for (int i = 0; i < count; i++)
        if (marks[v[i]]) return true;
    return false;
}

bool check_excludes(const check_surface *s, int32_t a, int32_t b)
{
    for (size_t i = s->excluded_count; i > 0 && s->excluded[i - 1][0] >= 0;)
        if (--i, (s->excluded[i][0] == a && s->excluded[i][1] == b) ||
                     (s->excluded[i][0] == b && s->excluded[i][1] == a))
            return true;
    return false;
}

static int compare_excluded(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

void check_encode_attached(int32_t (*pairs)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) pairs[i][0] = -1 - pairs[i][0];
    if (count > 1) qsort(pairs, count, sizeof *pairs, compare_excluded);
}

bool check_attached(const check_surface *s, const int32_t *vertices, int count, int32_t body)
{
    for (int i = 0; s->excluded_count > 0 && s->excluded[0][0] < 0 && i < count; i++) {
        const int32_t key[2] = {-1 - vertices[i], body};
        size_t low = 0, high = s->excluded_count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            int order = compare_excluded(s->excluded[middle], key);
            if (order == 0) return true;
            if (order < 0)
                low = middle + 1;
            else
                high = middle;
        }
    }
    return false;
}

static bool is_wanted(const pair_search *search, const int32_t *a, const int32_t *b)
{
    const uint8_t *only = search->surface->only;
    if (only && !has_marked(only, a, search->queries->size) &&
        !has_marked(only, b, search->items->size))
        return false;
    for (int i = 0; i < search->queries->size; i++)
        for (int j = 0; j < search->items->size; j++)
            if (a[i] == b[j]) return false;
    const check_surface *s = search->surface;
    if (!s->body || !s->body_flags) return true;
    int32_t body_a = s->body[a[0]], body_b = s->body[b[0]];
    uint8_t flags_a = s->body_flags[body_a], flags_b = s->body_flags[body_b];
    if (s->body_group && body_a != body_b && s->body_group[body_a] >= 0 &&
        s->body_group[body_a] == s->body_group[body_b])
        return false;
    if (s->excluded_count > 0 && check_excludes(s, body_a, body_b)) return false;
    if (s->excluded_count > 0 && s->excluded[0][0] < 0 && body_a != body_b &&
        (check_attached(s, a, search->queries->size, body_b) ||
         check_attached(s, b, search->items->size, body_a)))
        return false;
    if (flags_a & flags_b & CHECK_BODY_OBSTACLE) return false;
    return !(body_a == body_b && flags_a & CHECK_BODY_RIGID);
}

static bool intersects(const check_surface *s, check_kind kind, const int32_t *a, const int32_t *b)
{
    const vec3 *x = s->vertices;
    int na = kind == CHECK_EDGE_TRIANGLE || kind == CHECK_EDGE_EDGE ? 2 : 1;
    int nb = kind == CHECK_EDGE_TRIANGLE || kind == CHECK_POINT_TRIANGLE ? 3
             : kind == CHECK_POINT_POINT                                 ? 1
                                                                         : 2;
    vec3 first[2], second[3];
    for (int i = 0; i < na; i++) first[i] = x[a[i]];
    for (int i = 0; i < nb; i++) second[i] = x[b[i]];
    switch (kind) {
    case CHECK_EDGE_TRIANGLE: return check_segment_meets_triangle(first, second);
    case CHECK_EDGE_EDGE: return check_segments_meet(first, second);
    case CHECK_POINT_TRIANGLE: return check_point_on_triangle(first[0], second);
    case CHECK_POINT_EDGE: return check_point_on_segment(first[0], second[0], second[1]);
    case CHECK_POINT_POINT: return vec3_max_abs(vec3_sub(first[0], second[0])) == 0.0;
    }
    return false;
}

static double gap_of(const pair_search *search, const int32_t *a, const int32_t *b)
{
    const vec3 *x = search->surface->vertices;
    vec3 first[3], second[3];
    for (int i = 0; i < search->queries->size; i++) first[i] = x[a[i]];
    for (int i = 0; i < search->items->size; i++) second[i] = x[b[i]];
    switch (search->kind) {
    case CHECK_EDGE_EDGE: return gap_segment_segment(first, second);
    case CHECK_POINT_TRIANGLE: return gap_point_triangle(first[0], second);
    case CHECK_POINT_EDGE: return gap_point_segment(first[0], second[0], second[1]);
    default: return gap_point_point(first[0], second[0]);
    }
}

/* Pairs of a set with itself are found from one side, the earlier one in the order of the tree; or
 * from that of marked vertices where only some matter, and then from both when both are marked. */
static bool counts_here(const pair_search *search, const int32_t *b, check_pair *pair)
{
    if (search->queries != search->items) return true;
    if (pair->first == pair->second) return false;
    if (pair->first < pair->second) return true;
    const uint8_t *only = search->surface->only;
    if (only && has_marked(only, b, search->items->size)) return false;
    *pair = (check_pair){pair->kind, pair->second, pair->first};
    return true;
}

/* Tests one query element, the one at `place`, against its candidates. */
static bool search_one(const pair_search *search, size_t place, box_list *candidates,
                       chunk_result *out)
{
    array_clear(candidates);
    bool itself = search->queries == search->items;
    size_t q = itself ? (size_t)search->tree.order.data[place] : place;
    const int32_t *a = element(search->queries, q);
    const uint8_t *only = search->surface->only;
    if (only && itself && !has_marked(only, a, search->queries->size)) return true;
    double reach = search->measure     ? out->gap.distance * (1.0 + 1e-12)
                   : search->thickness ? search->radius * (1.0 + 1e-12)
                                       : 0.0;
    tree_box where = grown(search->queries->boxes[q], reach);
    if (!box_tree_collect(&search->tree, &where, itself && !only ? place + 1 : 0, candidates))
        return false;
    for (size_t c = 0; c < candidates->count; c++) {
        size_t item = (size_t)candidates->data[c];
        const int32_t *b = element(search->items, item);
        check_pair pair = {search->kind, number(search->queries, q), number(search->items, item)};
        if (!counts_here(search, b, &pair) || !is_wanted(search, a, b)) continue;
        if (search->measure) {
            double distance = gap_of(search, a, b);
            if (distance < out->gap.distance) out->gap = (check_gap){distance, pair};
        } else if (search->thickness) {
            const int32_t *body = search->surface->body;
            double mean = 0.5 * (search->thickness[body ? body[a[0]] : 0] +
                                 search->thickness[body ? body[b[0]] : 0]);
            if (mean > 0 && gap_of(search, a, b) <= mean && !array_push(&out->pairs, pair))
                return false;
        } else if ((search->all || intersects(search->surface, search->kind, a, b)) &&
                   !array_push(&out->pairs, pair))
            return false;
    }
    return true;
}

static void search_chunk(void *context, size_t begin, size_t end)
{
    pair_search *search = context;
    chunk_result *out = &search->chunks[begin / CHUNK];
    box_list candidates = {0};
    out->gap.distance = search->radius;
    for (size_t q = begin; q < end && !out->out_of_memory; q++)
        out->out_of_memory = !search_one(search, q, &candidates, out);
    array_free(&candidates);
}

/* Moves what the chunks found to the results, in order. */
static abut_status gather(pair_search *search, size_t chunks, pair_list *pairs, check_gap *gap,
                          abut_error *err)
{
    abut_status status = ABUT_OK;
    for (size_t c = 0; c < chunks; c++) {
        chunk_result *chunk = &search->chunks[c];
        if (chunk->out_of_memory) status = error_memory(err, "checking pairs");
        if (search->measure && chunk->gap.distance < gap->distance) *gap = chunk->gap;
        for (size_t i = 0; i < chunk->pairs.count && status == ABUT_OK; i++)
            if (!array_push(pairs, chunk->pairs.data[i]))
                status = error_memory(err, "list of intersections");
        array_free(&chunk->pairs);
    }
    return status;
}

/* Intersections, or with thickness pairs that are too close, are appended to pairs; or, if gap is
 * not NULL, gap is lowered. */
static abut_status search_all(pair_search search, double radius, pair_list *pairs, check_gap *gap,
                              abut_error *err)
{
    const element_set *queries = search.queries, *items = search.items;
    if (!queries->count || !items->count) return ABUT_OK;
    search.measure = gap != NULL;
    search.radius = gap ? gap->distance : radius;
    if (!array_resize(&search.tree.boxes, items->count)) return error_memory(err, "checking pairs");
    memcpy(search.tree.boxes.data, items->boxes, items->count * sizeof *items->boxes);
    abut_status status = box_tree_build(&search.tree, err);
    size_t chunks = (queries->count + CHUNK - 1) / CHUNK;
    search.chunks = mem_calloc(chunks, sizeof *search.chunks);
    if (status == ABUT_OK && !search.chunks) status = error_memory(err, "checking pairs");
    if (status == ABUT_OK) {
        parallel_for(queries->count, CHUNK, search_chunk, &search);
        status = gather(&search, chunks, pairs, gap, err);
    }
    mem_free(search.chunks);
    box_tree_free(&search.tree);
    return status;
}

static abut_status search_pairs(const check_surface *s, check_kind kind, const element_set *queries,
                                const element_set *items, pair_list *pairs, check_gap *gap,
                                abut_error *err)
{
    pair_search search = {.surface = s, .queries = queries, .items = items, .kind = kind};
    search.all = queries->in_boxes;
    return search_all(search, 0.0, pairs, gap, err);
}

/* ---- Entry points ---- */

static int compare_pairs(const void *a, const void *b)
{
    const check_pair *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

static abut_status search_intersections(const check_surface *s, const element_sets *sets,
                                        pair_list *pairs, abut_error *err)
{
    const element_set *rods = &sets->free_edges, *grains = &sets->free_points;
    TRY(search_pairs(s, CHECK_EDGE_TRIANGLE, &sets->edges, &sets->triangles, pairs, NULL, err));
    TRY(search_pairs(s, CHECK_EDGE_EDGE, rods, rods, pairs, NULL, err));
    TRY(search_pairs(s, CHECK_POINT_TRIANGLE, grains, &sets->triangles, pairs, NULL, err));
    TRY(search_pairs(s, CHECK_POINT_EDGE, grains, rods, pairs, NULL, err));
    return search_pairs(s, CHECK_POINT_POINT, grains, grains, pairs, NULL, err);
}

/* All kinds of pairs that have a distance of their own: measured, or with boxes listed. */
static abut_status search_near(const check_surface *s, const element_sets *sets, pair_list *pairs,
                               check_gap *gap, abut_error *err)
{
    const element_set *rods = &sets->free_edges, *grains = &sets->free_points;
    TRY(search_pairs(s, CHECK_POINT_TRIANGLE, &sets->points, &sets->triangles, pairs, gap, err));
    TRY(search_pairs(s, CHECK_EDGE_EDGE, &sets->edges, &sets->edges, pairs, gap, err));
    TRY(search_pairs(s, CHECK_POINT_EDGE, &sets->points, rods, pairs, gap, err));
    return search_pairs(s, CHECK_POINT_POINT, grains, grains, pairs, gap, err);
}

/* The list as a result, sorted; freed when something went wrong. */
static abut_status hand_over(abut_status status, pair_list *found, check_pair **pairs,
                             size_t *count, abut_error *err)
{
    if (status == ABUT_OK && !array_reserve(found, 1)) status = error_memory(err, "list of pairs");
    if (status != ABUT_OK) {
        array_free(found);
        return status;
    }
    qsort(found->data, found->count, sizeof *found->data, compare_pairs);
    *pairs = found->data;
    *count = found->count;
    return ABUT_OK;
}

/* Intersections, or with boxes the pairs that can intersect. */
static abut_status pairs_of_sets(const check_surface *surface, const vec3 *low, const vec3 *high,
                                 check_pair **pairs, size_t *count, abut_error *err)
{
    element_sets sets;
    *pairs = NULL;
    *count = 0;
    TRY(sets_init_in(surface, &sets, 0, low, high, err));
    pair_list found = {0};
    abut_status status = search_intersections(surface, &sets, &found, err);
    sets_free(&sets);
    return hand_over(status, &found, pairs, count, err);
}

abut_status check_intersections(const check_surface *surface, check_pair **pairs, size_t *count,
                                abut_error *err)
{
    return pairs_of_sets(surface, NULL, NULL, pairs, count, err);
}

abut_status check_candidates_in(const check_surface *surface, const vec3 *low, const vec3 *high,
                                check_pair **pairs, size_t *count, abut_error *err)
{
    return pairs_of_sets(surface, low, high, pairs, count, err);
}

abut_status check_near_pairs_in(const check_surface *surface, const vec3 *low, const vec3 *high,
                                check_pair **pairs, size_t *count, abut_error *err)
{
    element_sets sets;
    *pairs = NULL;
    *count = 0;
    TRY(sets_init_in(surface, &sets, 0, low, high, err));
    pair_list found = {0};
    abut_status status = search_near(surface, &sets, &found, NULL, err);
    sets_free(&sets);
    return hand_over(status, &found, pairs, count, err);
}

static bool boxes_apart(const vec3 *x, const int32_t *a, size_t na, const int32_t *b, size_t nb)
{
    for (int axis = 0; axis < 3; axis++) {
        double alow = INFINITY, ahigh = -INFINITY, blow = INFINITY, bhigh = -INFINITY;
        for (size_t k = 0; k < na; k++) {
            double at = vec3_get(x[a[k]], axis);
            alow = at < alow ? at : alow;
            ahigh = at > ahigh ? at : ahigh;
        }
        for (size_t k = 0; k < nb; k++) {
            double at = vec3_get(x[b[k]], axis);
            blow = at < blow ? at : blow;
            bhigh = at > bhigh ? at : bhigh;
        }
        if (alow > bhigh || blow > ahigh) return true;
    }
    return false;
}

abut_status check_listed(const check_surface *surface, const check_pair *candidates,
                         size_t candidate_count, check_pair **pairs, size_t *count, abut_error *err)
{
    pair_list found = {0};
    abut_status status = ABUT_OK;
    *pairs = NULL;
    *count = 0;
    for (size_t i = 0; status == ABUT_OK && i < candidate_count; i++) {
        int32_t a[3], b[3];
        size_t nb, na = check_pair_vertices(surface, &candidates[i], a, b, &nb);
        if (boxes_apart(surface->vertices, a, na, b, nb)) continue;
        if (intersects(surface, candidates[i].kind, a, b) && !array_push(&found, candidates[i]))
            status = error_memory(err, "list of intersections");
    }
    return hand_over(status, &found, pairs, count, err);
}

abut_status check_too_close(const check_surface *surface, const double *thickness,
                            size_t body_count, check_pair **pairs, size_t *count, abut_error *err)
{
    element_sets sets;
    double most = 0;
    *pairs = NULL;
    *count = 0;
    for (size_t b = 0; b < body_count; b++) most = fmax(most, thickness[b]);
    if (!(most > 0)) return ABUT_OK;
    TRY(sets_init(surface, &sets, most, err));
    const struct {
        check_kind kind;
        const element_set *queries, *items;
    } kinds[] = {{CHECK_EDGE_EDGE, &sets.edges, &sets.edges},
                 {CHECK_POINT_TRIANGLE, &sets.points, &sets.triangles},
                 {CHECK_POINT_EDGE, &sets.points, &sets.free_edges},
                 {CHECK_POINT_POINT, &sets.free_points, &sets.free_points}};
    pair_list found = {0};
    abut_status status = ABUT_OK;
    for (size_t k = 0; status == ABUT_OK && k < sizeof kinds / sizeof kinds[0]; k++) {
        pair_search search = {.surface = surface,
                              .queries = kinds[k].queries,
                              .items = kinds[k].items,
                              .kind = kinds[k].kind,
                              .thickness = thickness};
        status = search_all(search, most, &found, NULL, err);
    }
    sets_free(&sets);
    return hand_over(status, &found, pairs, count, err);
}

abut_status check_min_distance(const check_surface *surface, double radius, check_gap *out,
                               abut_error *err)
{
    element_sets sets;
    *out = (check_gap){.distance = INFINITY, .pair = {.first = -1, .second = -1}};
    TRY(sets_init(surface, &sets, radius, err));
    /* A pair at exactly the radius counts. */
    check_gap gap = {.distance = nextafter(radius, INFINITY), .pair = {.first = -1, .second = -1}};
    abut_status status = search_near(surface, &sets, NULL, &gap, err);
    sets_free(&sets);
    if (status == ABUT_OK && gap.pair.first >= 0) *out = gap;
    return status;
}

abut_status check_inverted_tets(const vec3 *vertices, size_t vertex_count, const int32_t *nodes,
                                size_t stride, size_t tet_count, int32_t **inverted, size_t *count,
                                abut_error *err)
{
    ARRAY(int32_t) found = {0};
    *count = 0;
    if (inverted) *inverted = NULL;
    for (size_t i = 0; i < tet_count; i++) {
        const int32_t *v = nodes + i * stride;
        vec3 x[4];
        for (int k = 0; k < 4; k++) {
            if (v[k] < 0 || (size_t)v[k] >= vertex_count || !vec3_is_finite(vertices[v[k]])) {
                array_free(&found);
                return error_set(err, ABUT_ERROR_INPUT, "",
                                 "tet %zu has vertex %d, which does not exist or is not finite", i,
                                 (int)v[k]);
            }
            x[k] = vertices[v[k]];
        }
        if (check_volume_sign(x[0], x[1], x[2], x[3]) > 0) continue;
        ++*count;
        if (inverted && !array_push(&found, (int32_t)i)) {
            array_free(&found);
            return error_memory(err, "list of inverted tets");
        }
    }
    if (!inverted) return ABUT_OK;
    if (!array_reserve(&found, 1)) return error_memory(err, "list of inverted tets");
    *inverted = found.data;
    return ABUT_OK;
}

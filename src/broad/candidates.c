#include "broad/candidates.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "broad/rank_pairs.h"
#include "broad/walk.h"

#include <math.h>
#include <string.h>

enum {
    TREE_POINTS,     /* all points, against triangles */
    TREE_TRIANGLES,  /* all triangles */
    TREE_EDGES,      /* all edges, against each other */
    TREE_ROD_POINTS, /* points for vertex-edge pairs */
    TREE_ROD_EDGES,  /* edges for vertex-edge pairs */
    TREE_PARTICLES,  /* points for vertex-vertex pairs */
    TREE_COUNT
};

struct broad_phase {
    broad_surface surface;
    bvh trees[TREE_COUNT];
    bvh_primitives primitives[TREE_COUNT];
    ARRAY(int32_t) subsets[TREE_COUNT];
    int levels; /* of all trees */
    bool built; /* trees have an order */
    size_t chunk_begin[TREE_COUNT + 1];
    vertex_boxes boxes;
    pair_collector collector;
    walk walk;
    ARRAY(int32_t) keys;
    ARRAY(uint8_t) kinematic;
    ARRAY(size_t) counts; /* scratch: triangles of each vertex; kept pairs of each chunk */
    ARRAY(int32_t) incident;
    pair_list unused[PAIR_KINDS - 1]; /* kinds that a check of crossings does not ask for */
};

void candidate_set_free(candidate_set *set)
{
    array_free(&set->vt);
    array_free(&set->ee);
    array_free(&set->ve);
    array_free(&set->vv);
}

size_t candidate_set_count(const candidate_set *set)
{
    return set->vt.count + set->ee.count + set->ve.count + set->vv.count;
}

double candidate_set_reach(const candidate_set *set, double inflation)
{
    /* A little less than half the difference, for the rounding of displacements. */
    return 0.5 * (set->inflation - inflation) * (1.0 - 0x1p-50);
}

typedef struct displacement_context {
    const vec3 *a, *b;
} displacement_context;

static double largest_displacement(void *context, size_t begin, size_t end)
{
    displacement_context *c = context;
    double largest = 0.0;
    for (size_t v = begin; v < end; v++) {
        vec3 moved = vec3_sub(c->b[v], c->a[v]);
        largest = fmax(largest, vec3_is_finite(moved) ? vec3_norm(moved) : INFINITY);
    }
    return largest;
}

double broad_displacement(const vec3 *a, const vec3 *b, size_t count)
{
    displacement_context c = {a, b};
    return count > 0 ? parallel_max(count, largest_displacement, &c) : 0.0;
}

/* ---- surface -------------------------------------------------------------------------------- */

static abut_status check_indices(const int32_t *indices, size_t count, size_t per_item,
                                 size_t vertex_count, const char *what, abut_error *err)
{
    for (size_t i = 0; i < count * per_item; i++)
        if (indices[i] < 0 || (size_t)indices[i] >= vertex_count)
            return error_set(err, ABUT_ERROR_INPUT, "", "%s %zu has vertex %d, allowed: 0 .. %zu",
                             what, i / per_item, (int)indices[i], vertex_count - 1);
    return ABUT_OK;
}

static abut_status check_surface(const broad_surface *s, abut_error *err)
{
    size_t limit = INT32_MAX / 8;
    if (s->vertex_count > limit || s->edge_count > limit || s->triangle_count > limit)
        return error_set(err, ABUT_ERROR_INPUT, "",
                         "the surface has %zu vertices, %zu edges and %zu triangles, allowed: %zu",
                         s->vertex_count, s->edge_count, s->triangle_count, limit);
    if (s->points) TRY(check_indices(s->points, s->point_count, 1, s->vertex_count, "point", err));
    if (s->edges) TRY(check_indices(s->edges[0], s->edge_count, 2, s->vertex_count, "edge", err));
    if (s->triangles)
        TRY(check_indices(s->triangles[0], s->triangle_count, 3, s->vertex_count, "triangle", err));
    return ABUT_OK;
}

/* Lists for each vertex its triangles: incident[counts[v] .. counts[v + 1]). */
static bool list_triangles_of_vertices(broad_phase *b)
{
    const broad_surface *s = &b->surface;
    if (!array_resize(&b->counts, s->vertex_count + 2) ||
        !array_resize(&b->incident, 3 * s->triangle_count))
        return false;
    size_t *begin = b->counts.data;
    memset(begin, 0, (s->vertex_count + 2) * sizeof *begin);
    for (size_t t = 0; t < s->triangle_count; t++)
        for (int c = 0; c < 3; c++) begin[s->triangles[t][c] + 2]++;
    for (size_t v = 2; v < s->vertex_count + 2; v++) begin[v] += begin[v - 1];
    for (size_t t = 0; t < s->triangle_count; t++)
        for (int c = 0; c < 3; c++) b->incident.data[begin[s->triangles[t][c] + 1]++] = (int32_t)t;
    return true;
}

static bool vertex_in_triangle(const broad_phase *b, int32_t v)
{
    return b->counts.data[v + 1] > b->counts.data[v];
}

static bool edge_in_triangle(const broad_phase *b, const int32_t edge[2])
{
    for (size_t i = b->counts.data[edge[0]]; i < b->counts.data[edge[0] + 1]; i++) {
        const int32_t *t = b->surface.triangles[b->incident.data[i]];
        if (t[0] == edge[1] || t[1] == edge[1] || t[2] == edge[1]) return true;
    }
    return false;
}

/* Chooses what goes into the trees of the codimensional pairs. */
static bool choose_codimensional(broad_phase *b)
{
    const broad_surface *s = &b->surface;
    if (!list_triangles_of_vertices(b) || !array_resize(&b->kinematic, s->vertex_count))
        return false;
    uint8_t *in_edge = b->kinematic.data; /* scratch */
    memset(in_edge, 0, s->vertex_count);
    for (size_t e = 0; e < s->edge_count; e++) {
        in_edge[s->edges[e][0]] = in_edge[s->edges[e][1]] = 1;
        if ((s->planar || !edge_in_triangle(b, s->edges[e])) &&
            !array_push(&b->subsets[TREE_ROD_EDGES], (int32_t)e))
            return false;
    }
    for (size_t i = 0; i < s->point_count; i++) {
        int32_t v = s->points ? s->points[i] : (int32_t)i;
        bool free_point = !vertex_in_triangle(b, v);
        if ((s->planar || free_point) && !array_push(&b->subsets[TREE_ROD_POINTS], v)) return false;
        if (free_point && !in_edge[v] && !array_push(&b->subsets[TREE_PARTICLES], v)) return false;
    }
    return true;
}

static void set_primitives(broad_phase *b, int tree, int arity, size_t count, const int32_t *subset,
                           const void *vertices)
{
    b->primitives[tree] = (bvh_primitives){arity, count, subset, vertices};
}

/* A tree without a partner stays empty. */
static void choose_primitives(broad_phase *b)
{
    const broad_surface *s = &b->surface;
    const bool solid = !s->planar && s->triangle_count > 0 && s->point_count > 0;
    const size_t edges = b->subsets[TREE_ROD_EDGES].count,
                 points = b->subsets[TREE_ROD_POINTS].count;
    const bool rods = edges > 0 && points > 0;
    set_primitives(b, TREE_POINTS, 1, solid ? s->point_count : 0, s->points, NULL);
    set_primitives(b, TREE_TRIANGLES, 3, solid ? s->triangle_count : 0, NULL, s->triangles);
    set_primitives(b, TREE_EDGES, 2, s->planar ? 0 : s->edge_count, NULL, s->edges);
    set_primitives(b, TREE_ROD_POINTS, 1, rods ? points : 0, b->subsets[TREE_ROD_POINTS].data,
                   NULL);
    set_primitives(b, TREE_ROD_EDGES, 2, rods ? edges : 0, b->subsets[TREE_ROD_EDGES].data,
                   s->edges);
    set_primitives(b, TREE_PARTICLES, 1, b->subsets[TREE_PARTICLES].count,
                   b->subsets[TREE_PARTICLES].data, NULL);
    b->levels = 0;
    for (int t = 0; t < TREE_COUNT; t++) {
        int levels = bvh_levels_needed(b->primitives[t].count);
        if (levels > b->levels) b->levels = levels;
    }
}

abut_status broad_set_surface(broad_phase *b, const broad_surface *surface, abut_error *err)
{
    TRY(check_surface(surface, err));
    b->surface = *surface;
    if (!b->surface.points) b->surface.point_count = surface->vertex_count;
    b->built = false;
    for (int t = 0; t < TREE_COUNT; t++) array_clear(&b->subsets[t]);
    if (!choose_codimensional(b) || !array_resize(&b->keys, surface->vertex_count))
        return error_memory(err, "preparing the collision surface");
    choose_primitives(b);
    return ABUT_OK;
}

abut_status broad_create(const broad_surface *surface, broad_phase **out, abut_error *err)
{
    *out = NULL;
    broad_phase *b = mem_calloc(1, sizeof *b);
    if (!b) return error_memory(err, "preparing the collision surface");
    abut_status status = broad_set_surface(b, surface, err);
    if (status != ABUT_OK)
        broad_destroy(b);
    else
        *out = b;
    return status;
}

void broad_destroy(broad_phase *b)
{
    if (!b) return;
    for (int t = 0; t < TREE_COUNT; t++) {
        bvh_free(&b->trees[t]);
        array_free(&b->subsets[t]);
    }
    vertex_boxes_free(&b->boxes);
    pairs_free(&b->collector);
    walk_free(&b->walk);
    array_free(&b->keys);
    array_free(&b->kinematic);
    array_free(&b->counts);
    array_free(&b->incident);
    for (int kind = 0; kind < PAIR_KINDS - 1; kind++) array_free(&b->unused[kind]);
    mem_free(b);
}

/* ---- filter --------------------------------------------------------------------------------- */

static unsigned group_flags(const broad_surface *s, int32_t group)
{
    return s->group_flags && group >= 0 && (size_t)group < s->group_count ? s->group_flags[group]
                                                                          : 0u;
}

static void set_tree_filter(broad_phase *b, int tree)
{
    bvh_set_filter(&b->trees[tree], b->keys.data, b->kinematic.data);
}

void broad_update_filter(broad_phase *b)
{
    const broad_surface *s = &b->surface;
    for (size_t v = 0; v < s->vertex_count; v++) {
        int32_t group = s->group ? s->group[v] : 0;
        unsigned flags = group_flags(s, group);
        b->keys.data[v] = flags & BROAD_GROUP_NO_SELF ? group : BVH_NO_KEY;
        b->kinematic.data[v] =
            (flags & BROAD_GROUP_KINEMATIC) != 0 || (s->kinematic && s->kinematic[v]);
    }
    if (!b->built) return;
    for (int t = 0; t < TREE_COUNT; t++) set_tree_filter(b, t);
}

/* ---- query ---------------------------------------------------------------------------------- */

static abut_status build_tree(broad_phase *b, int tree, abut_error *err)
{
    TRY(bvh_build(&b->trees[tree], &b->primitives[tree], b->boxes.stored.data, b->levels, err));
    set_tree_filter(b, tree);
    return ABUT_OK;
}

static abut_status build_trees(broad_phase *b, abut_error *err)
{
    broad_update_filter(b);
    for (int t = 0; t < TREE_COUNT; t++) TRY(build_tree(b, t, err));
    b->built = true;
    return ABUT_OK;
}

static void refit_chunks(void *context, size_t begin, size_t end)
{
    broad_phase *b = context;
    int tree = 0;
    for (size_t i = begin; i < end; i++) {
        while (i >= b->chunk_begin[tree + 1]) tree++;
        size_t chunk = i - b->chunk_begin[tree];
        bvh_refit_chunk(&b->trees[tree], b->boxes.stored.data, chunk);
        if (b->walk.query->tight)
            bvh_refit_diagonals(&b->trees[tree], b->boxes.stored_diagonals.data, chunk);
    }
}

/* All trees in one parallel loop, as they are small in small scenes. */
static abut_status refit_trees(broad_phase *b, abut_error *err)
{
    size_t chunks = 0;
    for (int t = 0; t < TREE_COUNT; t++) {
        if (b->walk.query->tight) TRY(bvh_reserve_diagonals(&b->trees[t], err));
        b->chunk_begin[t] = chunks;
        chunks += bvh_chunk_count(&b->trees[t]);
    }
    b->chunk_begin[TREE_COUNT] = chunks;
    parallel_for(chunks, 2, refit_chunks, b);
    for (int t = 0; t < TREE_COUNT; t++) bvh_refit_top(&b->trees[t], 1.0 / b->boxes.frame.scale);
    return ABUT_OK;
}

static abut_status rebuild_loose_trees(broad_phase *b, int *rebuilds, abut_error *err)
{
    bool any = false;
    for (int t = 0; t < TREE_COUNT; t++) {
        if (!bvh_is_loose(&b->trees[t])) continue;
        TRY(build_tree(b, t, err));
        any = true;
        (*rebuilds)++;
    }
    return any ? refit_trees(b, err) : ABUT_OK;
}

static void note_query(const broad_phase *b, const broad_query *q, candidate_set *out)
{
    out->inflation = q->inflation;
    out->divided = q->divided && ranks_divided();
    double largest[3] = {0.0, 0.0, 0.0};
    if (b->surface.vertex_count > 0)
        for (int d = 0; d < 3; d++)
            largest[d] = fmax(fabs(b->boxes.low[d]), fabs(b->boxes.high[d]));
    out->largest = vec3_load(largest);
}

/* Brings the trees to the positions of the query. */
static abut_status fit_trees(broad_phase *b, const broad_query *query, int *rebuilds,
                             abut_error *err)
{
    b->walk.query = query;
    b->walk.excluded = b->surface.excluded;
    b->walk.excluded_count = b->surface.excluded_count;
    b->walk.body = b->surface.body;
    TRY(vertex_boxes_store(&b->boxes, query, b->surface.vertex_count, err));
    if (!b->built) {
        *rebuilds = TREE_COUNT;
        TRY(build_trees(b, err));
    }
    TRY(refit_trees(b, err));
    return rebuild_loose_trees(b, rebuilds, err);
}

abut_status broad_candidates(broad_phase *b, const broad_query *query, candidate_set *out,
                             abut_error *err)
{
    const broad_surface *s = &b->surface;
    out->rebuilds = 0;
    TRY(fit_trees(b, query, &out->rebuilds, err));
    const size_t firsts[PAIR_KINDS] = {s->vertex_count, s->edge_count, s->vertex_count,
                                       s->vertex_count};
    TRY(pairs_begin(&b->collector, firsts, parallel_threads(), err));
    bvh *t = b->trees;
    walk *w = &b->walk;
    w->trees[CANDIDATE_VT] = (walk_trees){&t[TREE_POINTS], &t[TREE_TRIANGLES]};
    w->trees[CANDIDATE_EE] = (walk_trees){&t[TREE_EDGES], &t[TREE_EDGES]};
    w->trees[CANDIDATE_VE] = (walk_trees){&t[TREE_ROD_POINTS], &t[TREE_ROD_EDGES]};
    w->trees[CANDIDATE_VV] = (walk_trees){&t[TREE_PARTICLES], &t[TREE_PARTICLES]};
    w->collector = &b->collector;
    TRY(walk_run(w, err));
    note_query(b, query, out);
    pair_list *const lists[PAIR_KINDS] = {&out->vt, &out->ee, &out->ve, &out->vv};
    TRY(pairs_finish(&b->collector, lists, err));
    for (int kind = 0; kind < PAIR_KINDS && out->divided; kind++)
        TRY(rank_pairs_gather(lists[kind], &b->unused[0], err));
    return ABUT_OK;
}

abut_status broad_crossing_candidates(broad_phase *b, const vec3 *y, pair_list *out,
                                      abut_error *err)
{
    broad_query query = {.y = y, .tight = true};
    int rebuilds = 0;
    TRY(fit_trees(b, &query, &rebuilds, err));
    const size_t firsts[PAIR_KINDS] = {b->surface.edge_count, 0, 0, 0};
    TRY(pairs_begin(&b->collector, firsts, parallel_threads(), err));
    walk *w = &b->walk;
    for (int kind = 0; kind < PAIR_KINDS; kind++) w->trees[kind] = (walk_trees){0};
    w->trees[0] = (walk_trees){&b->trees[TREE_EDGES], &b->trees[TREE_TRIANGLES]};
    w->collector = &b->collector;
    TRY(walk_run(w, err));
    pair_list *none = b->unused;
    pair_list *const lists[PAIR_KINDS] = {out, &none[0], &none[1], &none[2]};
    return pairs_finish(&b->collector, lists, err);
}

/* ---- selection ------------------------------------------------------------------------------ */

enum { SELECT_CHUNK = 1024 };

typedef struct select_context {
    const broad_phase *broad;
    const index_pair *from;
    index_pair *to;
    size_t *kept;
    candidate_kind kind;
    bool tight;
} select_context;

/* Bounds of the primitive with these vertices. */
static inline exact_box box_of(const exact_box *boxes, const int32_t *vertices, int arity)
{
    exact_box box = boxes[vertices[0]];
    for (int c = 1; c < arity; c++) exact_box_include(&box, &boxes[vertices[c]]);
    return box;
}

static inline exact_diagonals diagonals_of(const exact_diagonals *boxes, const int32_t *vertices,
                                           int arity)
{
    exact_diagonals box = boxes[vertices[0]];
    for (int c = 1; c < arity; c++) exact_diagonals_include(&box, &boxes[vertices[c]]);
    return box;
}

static inline bool pair_overlaps(const select_context *c, candidate_kind kind, index_pair pair)
{
    const broad_surface *s = &c->broad->surface;
    const vertex_boxes *boxes = &c->broad->boxes;
    const int32_t *a = kind == CANDIDATE_EE ? s->edges[pair.first] : &pair.first;
    const int32_t *b = kind == CANDIDATE_VT   ? s->triangles[pair.second]
                       : kind == CANDIDATE_VV ? &pair.second
                                              : s->edges[pair.second];
    const int arity_a = kind == CANDIDATE_EE ? 2 : 1;
    const int arity_b = kind == CANDIDATE_VT ? 3 : kind == CANDIDATE_VV ? 1 : 2;
    exact_box first = box_of(boxes->exact.data, a, arity_a);
    exact_box second = box_of(boxes->exact.data, b, arity_b);
    if (!exact_box_overlap(&first, &second)) return false;
    if (!c->tight) return true;
    exact_diagonals third = diagonals_of(boxes->exact_diagonals.data, a, arity_a);
    exact_diagonals fourth = diagonals_of(boxes->exact_diagonals.data, b, arity_b);
    return exact_diagonals_overlap(&third, &fourth);
}

/* Keeps the pairs of one chunk, in order, at the beginning of the same chunk of the output. */
static inline void select_of_kind(select_context *c, candidate_kind kind, size_t begin, size_t end)
{
    size_t kept = begin;
    for (size_t i = begin; i < end; i++) {
        c->to[kept] = c->from[i];
        kept += pair_overlaps(c, kind, c->from[i]);
    }
    c->kept[begin / SELECT_CHUNK] = kept - begin;
}

static void select_chunk(void *context, size_t begin, size_t end)
{
    select_context *c = context;
    switch (c->kind) {
    case CANDIDATE_VT: select_of_kind(c, CANDIDATE_VT, begin, end); break;
    case CANDIDATE_EE: select_of_kind(c, CANDIDATE_EE, begin, end); break;
    case CANDIDATE_VE: select_of_kind(c, CANDIDATE_VE, begin, end); break;
    case CANDIDATE_VV: select_of_kind(c, CANDIDATE_VV, begin, end); break;
    }
}

static abut_status select_kind(broad_phase *b, candidate_kind kind, bool tight,
                               const pair_list *from, pair_list *to, abut_error *err)
{
    size_t chunks = (from->count + SELECT_CHUNK - 1) / SELECT_CHUNK;
    if (!array_resize(to, from->count) || !array_resize(&b->counts, chunks))
        return error_memory(err, "selecting candidate pairs");
    select_context c = {b, from->data, to->data, b->counts.data, kind, tight};
    parallel_for(from->count, SELECT_CHUNK, select_chunk, &c);
    size_t total = 0;
    for (size_t i = 0; i < chunks; i++) {
        memmove(to->data + total, to->data + i * SELECT_CHUNK, c.kept[i] * sizeof *to->data);
        total += c.kept[i];
    }
    to->count = total;
    return ABUT_OK;
}

abut_status broad_select(broad_phase *b, const broad_query *query, const candidate_set *from,
                         candidate_set *out, abut_error *err)
{
    TRY(vertex_boxes_exact(&b->boxes, query, b->surface.vertex_count, err));
    TRY(select_kind(b, CANDIDATE_VT, query->tight, &from->vt, &out->vt, err));
    TRY(select_kind(b, CANDIDATE_EE, query->tight, &from->ee, &out->ee, err));
    TRY(select_kind(b, CANDIDATE_VE, query->tight, &from->ve, &out->ve, err));
    TRY(select_kind(b, CANDIDATE_VV, query->tight, &from->vv, &out->vv, err));
    out->rebuilds = 0;
    note_query(b, query, out);
    return ABUT_OK;
}

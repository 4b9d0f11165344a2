#include "broad/parts.h"

#include "base/parallel.h"
#include "base/sort.h"
#include "broad/parts_build.h"

#include <math.h>
#include <string.h>

typedef ARRAY(uint64_t) pair_keys; /* first index in the upper half, second in the lower */

/* Scratch of a thread. */
typedef struct meeting_scratch {
    ARRAY(int32_t) near[2]; /* primitives of the two parts of a pair that are near the other */
    ARRAY(exact_diagonals) near_diagonals; /* of those of the second part, as far as known */
    ARRAY(uint8_t) near_known;
    pair_keys keys[PAIR_KINDS]; /* that it found */
    bool failed;                /* out of memory */
} meeting_scratch;

struct broad_parts {
    broad_surface surface;
    part_lists lists;
    ARRAY(part_box) boxes;
    /* The tree over the boxes: every part is an edge between two corners of its box. */
    broad_phase *tree;
    ARRAY(vec3) corners;
    ARRAY(int32_t) corner_edges, corner_group, corner_body;
    ARRAY(uint8_t) corner_kinematic, group_flags;
    candidate_set meetings; /* of parts */
    ARRAY(exact_box) vertex_box;
    ARRAY(exact_diagonals) vertex_diagonals;
    ARRAY(uint32_t) stamp; /* of the query that filled a vertex' boxes */
    uint32_t query_number;
    ARRAY(int32_t) vertices;        /* to fill in this query */
    ARRAY(int32_t) active;          /* parts that meet another one */
    ARRAY(int32_t) slot;            /* per part: where its boxes are, -1: not active */
    ARRAY(exact_box) boxes_of;      /* of the points, edges and triangles of the active parts */
    ARRAY(meeting_scratch) scratch; /* per thread */
    pair_keys spare;
};

size_t broad_parts_count(const broad_parts *p) { return p->lists.parts.count; }
const broad_part *broad_parts_list(const broad_parts *p) { return p->lists.parts.data; }
part_box *broad_parts_boxes(broad_parts *p) { return p->boxes.data; }
size_t broad_parts_meetings(const broad_parts *p) { return p->meetings.ee.count; }

const int32_t *broad_parts_vertices(const broad_parts *p, size_t part, size_t *count)
{
    return part_list_of(&p->lists, PART_VERTICES, part, count);
}

/* ---- lifecycle ------------------------------------------------------------------------------ */

static abut_status create_tree(broad_parts *p, abut_error *err)
{
    size_t n = p->lists.parts.count;
    if (!array_resize(&p->boxes, n + 1) || !array_resize(&p->corners, 2 * n + 1) ||
        !array_resize(&p->corner_edges, 2 * n + 1) || !array_resize(&p->corner_group, 2 * n + 1) ||
        !array_resize(&p->corner_body, 2 * n + 1) || !array_resize(&p->corner_kinematic, 2 * n + 1))
        return error_memory(err, "preparing the parts of bodies");
    int32_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t group = p->surface.group[p->lists.parts.data[i].vertex];
        if (group >= groups) groups = group + 1;
        for (size_t k = 2 * i; k < 2 * i + 2; k++) {
            p->corner_edges.data[k] = (int32_t)k;
            p->corner_group.data[k] = group;
            p->corner_body.data[k] =
                p->surface.body ? p->surface.body[p->lists.parts.data[i].vertex] : 0;
            p->corner_kinematic.data[k] = 0;
        }
    }
    if (!array_resize(&p->group_flags, (size_t)groups + 1))
        return error_memory(err, "preparing the parts of bodies");
    memset(p->group_flags.data, BROAD_GROUP_NO_SELF, (size_t)groups + 1);
    broad_surface boxes = {.vertex_count = 2 * n,
                           .edge_count = n,
                           .edges = (const int32_t(*)[2])p->corner_edges.data,
                           .group = p->corner_group.data,
                           .group_count = (size_t)groups,
                           .group_flags = p->group_flags.data,
                           .kinematic = p->corner_kinematic.data,
                           .excluded = p->surface.excluded,
                           .excluded_count = p->surface.excluded_count,
                           .body = p->corner_body.data};
    return broad_create(&boxes, &p->tree, err);
}

static abut_status create(broad_parts *p, const int32_t *body, const vec3 *rest, abut_error *err)
{
    size_t n = p->surface.vertex_count;
    TRY(part_lists_build(&p->lists, &p->surface, body, rest, err));
    TRY(create_tree(p, err));
    if (!array_resize(&p->vertex_box, n + 1) || !array_resize(&p->vertex_diagonals, n + 1) ||
        !array_resize(&p->stamp, n + 1) || !array_resize(&p->slot, p->lists.parts.count + 1))
        return error_memory(err, "preparing the parts of bodies");
    for (size_t i = 0; i < p->lists.parts.count; i++) p->slot.data[i] = -1;
    memset(p->stamp.data, 0, (n + 1) * sizeof *p->stamp.data);
    broad_parts_update_filter(p);
    return ABUT_OK;
}

abut_status broad_parts_create(const broad_surface *surface, const int32_t *body, const vec3 *rest,
                               broad_parts **out, abut_error *err)
{
    *out = NULL;
    broad_parts *p = mem_calloc(1, sizeof *p);
    if (!p) return error_memory(err, "preparing the parts of bodies");
    p->surface = *surface;
    abut_status status = create(p, body, rest, err);
    if (status != ABUT_OK)
        broad_parts_destroy(p);
    else
        *out = p;
    return status;
}

static void free_scratch(meeting_scratch *s)
{
    for (int k = 0; k < 2; k++) array_free(&s->near[k]);
    array_free(&s->near_diagonals);
    array_free(&s->near_known);
    for (int k = 0; k < PAIR_KINDS; k++) array_free(&s->keys[k]);
}

void broad_parts_destroy(broad_parts *p)
{
    if (!p) return;
    part_lists_free(&p->lists);
    broad_destroy(p->tree);
    candidate_set_free(&p->meetings);
    array_free(&p->boxes);
    array_free(&p->corners);
    array_free(&p->corner_edges);
    array_free(&p->corner_group);
    array_free(&p->corner_body);
    array_free(&p->corner_kinematic);
    array_free(&p->group_flags);
    array_free(&p->vertex_box);
    array_free(&p->vertex_diagonals);
    array_free(&p->stamp);
    array_free(&p->vertices);
    array_free(&p->active);
    array_free(&p->slot);
    array_free(&p->boxes_of);
    for (size_t i = 0; i < p->scratch.count; i++) free_scratch(&p->scratch.data[i]);
    array_free(&p->scratch);
    array_free(&p->spare);
    mem_free(p);
}

void broad_parts_update_filter(broad_parts *p)
{
    for (size_t i = 0; i < p->lists.parts.count; i++) {
        size_t count;
        const int32_t *v = broad_parts_vertices(p, i, &count);
        uint8_t kinematic = p->surface.kinematic != NULL;
        for (size_t k = 0; kinematic && k < count; k++) kinematic = p->surface.kinematic[v[k]];
        p->corner_kinematic.data[2 * i] = p->corner_kinematic.data[2 * i + 1] = kinematic;
    }
    broad_update_filter(p->tree);
}

/* ---- which parts meet ----------------------------------------------------------------------- */

static abut_status find_meetings(broad_parts *p, abut_error *err)
{
    for (size_t i = 0; i < p->lists.parts.count; i++) {
        p->corners.data[2 * i] = p->boxes.data[i].low;
        p->corners.data[2 * i + 1] = p->boxes.data[i].high;
    }
    broad_query query = {.y = p->corners.data};
    return broad_candidates(p->tree, &query, &p->meetings, err);
}

typedef struct fill_work {
    broad_parts *p;
    const broad_query *query;
} fill_work;

static void fill_vertices(void *context, size_t begin, size_t end)
{
    const fill_work *w = context;
    for (size_t i = begin; i < end; i++) {
        size_t v = (size_t)w->p->vertices.data[i];
        w->p->vertex_box.data[v] = vertex_exact_box(w->query, v);
        if (w->query->tight) w->p->vertex_diagonals.data[v] = vertex_exact_diagonals(w->query, v);
    }
}

static size_t count_of(const broad_parts *p, part_list_kind list, size_t part)
{
    return p->lists.begin[list].data[part + 1] - p->lists.begin[list].data[part];
}

/* The boxes of a part's points, then edges, then triangles. */
static const exact_box *boxes_of(const broad_parts *p, part_list_kind list, size_t part)
{
    size_t at = (size_t)p->slot.data[part];
    for (int k = PART_POINTS; k < (int)list; k++) at += count_of(p, (part_list_kind)k, part);
    return p->boxes_of.data + at;
}

static void fill_parts(void *context, size_t begin, size_t end)
{
    const broad_parts *p = ((const fill_work *)context)->p;
    for (size_t i = begin; i < end; i++) {
        size_t part = (size_t)p->active.data[i];
        exact_box *box = p->boxes_of.data + p->slot.data[part];
        for (int arity = 1; arity <= 3; arity++) {
            size_t count;
            const int32_t *ids =
                part_list_of(&p->lists, (part_list_kind)(PART_VERTICES + arity), part, &count);
            for (size_t k = 0; k < count; k++, box++) {
                const int32_t *v = primitive_vertices(&p->surface, arity, &ids[k]);
                *box = p->vertex_box.data[v[0]];
                for (int c = 1; c < arity; c++) exact_box_include(box, &p->vertex_box.data[v[c]]);
            }
        }
    }
}

/* Notes a part as active, with its vertices. */
static bool activate(broad_parts *p, size_t part)
{
    if (p->slot.data[part] >= 0) return true;
    size_t count, at = p->boxes_of.count;
    p->slot.data[part] = (int32_t)at;
    for (int k = PART_POINTS; k <= PART_TRIANGLES; k++) at += count_of(p, (part_list_kind)k, part);
    if (!array_push(&p->active, (int32_t)part) || !array_resize(&p->boxes_of, at)) return false;
    const int32_t *v = broad_parts_vertices(p, part, &count);
    for (size_t k = 0; k < count; k++) {
        if (p->stamp.data[v[k]] == p->query_number) continue;
        p->stamp.data[v[k]] = p->query_number;
        if (!array_push(&p->vertices, v[k])) return false;
    }
    return true;
}

/* Boxes of all primitives of the parts that meet another one. */
static abut_status fill_boxes(broad_parts *p, const broad_query *query, abut_error *err)
{
    if (++p->query_number == 0) { /* all numbers were used */
        memset(p->stamp.data, 0, p->stamp.count * sizeof *p->stamp.data);
        p->query_number = 1;
    }
    for (size_t i = 0; i < p->active.count; i++) p->slot.data[p->active.data[i]] = -1;
    array_clear(&p->active);
    array_clear(&p->boxes_of);
    array_clear(&p->vertices);
    for (size_t i = 0; i < p->meetings.ee.count; i++)
        if (!activate(p, (size_t)p->meetings.ee.data[i].first) ||
            !activate(p, (size_t)p->meetings.ee.data[i].second))
            return error_memory(err, "listing candidate pairs");
    fill_work work = {p, query};
    parallel_for(p->vertices.count, 512, fill_vertices, &work);
    parallel_for(p->active.count, 32, fill_parts, &work);
    return ABUT_OK;
}

/* ---- pairs of two parts --------------------------------------------------------------------- */

/* Primitives of two kinds whose pairs are wanted, from parts whose elements are of some kinds. */
typedef struct pairing {
    int kind;            /* list of the result */
    part_list_kind a, b; /* lists of the parts; the arity of their primitives as a number */
    int least_a, most_a; /* arity of the elements of the parts */
    int least_b, most_b;
} pairing;

static exact_diagonals primitive_diagonals(const broad_parts *p, int arity, const int32_t *id)
{
    const int32_t *v = primitive_vertices(&p->surface, arity, id);
    exact_diagonals box = p->vertex_diagonals.data[v[0]];
    for (int c = 1; c < arity; c++) exact_diagonals_include(&box, &p->vertex_diagonals.data[v[c]]);
    return box;
}

static bool is_kinematic(const broad_parts *p, int arity, const int32_t *id)
{
    const int32_t *v = primitive_vertices(&p->surface, arity, id);
    if (!p->surface.kinematic) return false;
    for (int c = 0; c < arity; c++)
        if (!p->surface.kinematic[v[c]]) return false;
    return true;
}

/* Primitives of a part that meet the box of another one, as numbers within the part. */
static bool list_near(const broad_parts *p, meeting_scratch *s, part_list_kind list, size_t part,
                      size_t other, int side)
{
    const part_box *o = &p->boxes.data[other];
    exact_box limit = {{o->low.x, o->low.y, o->low.z, 0}, {o->high.x, o->high.y, o->high.z, 0}};
    const exact_box *boxes = boxes_of(p, list, part);
    size_t count = count_of(p, list, part), kept = 0;
    if (!array_resize(&s->near[side], count)) return false;
    for (size_t i = 0; i < count; i++) {
        s->near[side].data[kept] = (int32_t)i;
        kept += exact_box_overlap(&boxes[i], &limit);
    }
    s->near[side].count = kept;
    return true;
}

static bool add_pair(pair_keys *keys, bool ordered, int32_t a, int32_t b)
{
    int32_t first = ordered || a < b ? a : b, second = ordered || a < b ? b : a;
    return array_push(keys, (uint64_t)(uint32_t)first << 32 | (uint32_t)second);
}

/* Pairs of primitives that are near, the first of part `one`. */
static bool pairs_of_lists(const broad_parts *p, meeting_scratch *s, const pairing *pair,
                           size_t one, size_t two, bool tight)
{
    const exact_box *a = boxes_of(p, pair->a, one), *b = boxes_of(p, pair->b, two);
    size_t unused;
    const int32_t *ids_a = part_list_of(&p->lists, pair->a, one, &unused);
    const int32_t *ids_b = part_list_of(&p->lists, pair->b, two, &unused);
    int arity_a = (int)pair->a, arity_b = (int)pair->b;
    size_t near_b = s->near[1].count;
    if (!array_resize(&s->near_diagonals, near_b) || !array_resize(&s->near_known, near_b))
        return false;
    memset(s->near_known.data, 0, near_b);
    for (size_t i = 0; i < s->near[0].count; i++) {
        exact_diagonals mine;
        bool known = false;
        for (size_t j = 0; j < near_b; j++) {
            int32_t m = s->near[0].data[i], n = s->near[1].data[j];
            if (!exact_box_overlap(&a[m], &b[n])) continue;
            const int32_t *x = &ids_a[m], *y = &ids_b[n];
            exact_diagonals *other = &s->near_diagonals.data[j];
            if (tight) {
                if (!known) mine = primitive_diagonals(p, arity_a, x);
                if (!s->near_known.data[j]) *other = primitive_diagonals(p, arity_b, y);
                known = true;
                s->near_known.data[j] = 1;
                if (!exact_diagonals_overlap(&mine, other)) continue;
            }
            if (is_kinematic(p, arity_a, x) && is_kinematic(p, arity_b, y)) continue;
            if (!add_pair(&s->keys[pair->kind], pair->a != pair->b, *x, *y)) return false;
        }
    }
    return true;
}

static bool within(int arity, int least, int most) { return arity >= least && arity <= most; }

/* Pairs of one kind between two parts, the first primitive of part `one`. */
static bool pairs_of_parts(const broad_parts *p, meeting_scratch *s, const pairing *pair,
                           size_t one, size_t two, bool tight)
{
    const broad_part *parts = p->lists.parts.data;
    if (!within(parts[one].arity, pair->least_a, pair->most_a) ||
        !within(parts[two].arity, pair->least_b, pair->most_b))
        return true;
    if (!list_near(p, s, pair->a, one, two, 0)) return false;
    if (s->near[0].count == 0) return true;
    return list_near(p, s, pair->b, two, one, 1) && pairs_of_lists(p, s, pair, one, two, tight);
}

/* In both roles when the kinds of primitives differ. */
static bool pairs_of_meeting(const broad_parts *p, meeting_scratch *s, const pairing *pair,
                             index_pair meeting, bool tight)
{
    size_t one = (size_t)meeting.first, two = (size_t)meeting.second;
    if (!pairs_of_parts(p, s, pair, one, two, tight)) return false;
    return pair->a == pair->b || pairs_of_parts(p, s, pair, two, one, tight);
}

typedef struct meet_work {
    broad_parts *p;
    const pairing *pairings;
    size_t count; /* of these */
    bool tight;
} meet_work;

/* The pairs of some meetings. Each thread has its own lists: these are put together and sorted. */
static void meet_range(void *context, size_t begin, size_t end)
{
    const meet_work *w = context;
    meeting_scratch *s = &w->p->scratch.data[parallel_worker()];
    for (size_t i = begin; i < end && !s->failed; i++)
        for (size_t k = 0; k < w->count && !s->failed; k++)
            s->failed =
                !pairs_of_meeting(w->p, s, &w->pairings[k], w->p->meetings.ee.data[i], w->tight);
}

static bool begin_meetings(broad_parts *p)
{
    size_t threads = (size_t)parallel_threads(), had = p->scratch.count;
    if (threads > had) {
        if (!array_resize(&p->scratch, threads)) return false;
        for (size_t i = had; i < threads; i++) p->scratch.data[i] = (meeting_scratch){0};
    }
    for (size_t i = 0; i < p->scratch.count; i++) {
        p->scratch.data[i].failed = false;
        for (int k = 0; k < PAIR_KINDS; k++) array_clear(&p->scratch.data[i].keys[k]);
    }
    return true;
}

/* All keys of a kind to the first thread's list, in ascending order. */
static abut_status take_pairs(broad_parts *p, int kind, pair_list *out, abut_error *err)
{
    pair_keys *keys = &p->scratch.data[0].keys[kind];
    for (size_t i = 1; i < p->scratch.count; i++) {
        const pair_keys *more = &p->scratch.data[i].keys[kind];
        size_t had = keys->count;
        if (more->count == 0) continue;
        if (!array_resize(keys, had + more->count))
            return error_memory(err, "listing candidate pairs");
        memcpy(keys->data + had, more->data, more->count * sizeof *keys->data);
    }
    size_t n = keys->count;
    if (!array_resize(out, n) || !array_resize(&p->spare, n + 1))
        return error_memory(err, "listing candidate pairs");
    if (n > 1) sort_u64(keys->data, p->spare.data, n);
    for (size_t i = 0; i < n; i++)
        out->data[i] =
            (index_pair){(int32_t)(keys->data[i] >> 32), (int32_t)(uint32_t)keys->data[i]};
    return ABUT_OK;
}

static abut_status find_pairs(broad_parts *p, const pairing *pairings, size_t count,
                              const broad_query *query, abut_error *err)
{
    if (!begin_meetings(p)) return error_memory(err, "listing candidate pairs");
    TRY(find_meetings(p, err));
    TRY(fill_boxes(p, query, err));
    meet_work work = {p, pairings, count, query->tight};
    parallel_for(p->meetings.ee.count, 64, meet_range, &work);
    for (size_t i = 0; i < p->scratch.count; i++)
        if (p->scratch.data[i].failed) return error_memory(err, "listing candidate pairs");
    return ABUT_OK;
}

abut_status broad_parts_candidates(broad_parts *p, const broad_query *query, candidate_set *out,
                                   abut_error *err)
{
    static const pairing solid[] = {
        {CANDIDATE_VT, PART_POINTS, PART_TRIANGLES, 1, 3, 3, 3},
        {CANDIDATE_EE, PART_EDGES, PART_EDGES, 2, 3, 2, 3},
        {CANDIDATE_VE, PART_POINTS, PART_EDGES, 1, 2, 2, 2},
        {CANDIDATE_VV, PART_POINTS, PART_POINTS, 1, 1, 1, 1},
    };
    static const pairing planar[] = {{CANDIDATE_VE, PART_POINTS, PART_EDGES, 1, 3, 2, 3},
                                     {CANDIDATE_VV, PART_POINTS, PART_POINTS, 1, 1, 1, 1}};
    if (p->surface.planar)
        TRY(find_pairs(p, planar, sizeof planar / sizeof *planar, query, err));
    else
        TRY(find_pairs(p, solid, sizeof solid / sizeof *solid, query, err));
    pair_list *const lists[PAIR_KINDS] = {&out->vt, &out->ee, &out->ve, &out->vv};
    for (int kind = 0; kind < PAIR_KINDS; kind++) TRY(take_pairs(p, kind, lists[kind], err));
    out->inflation = query->inflation;
    out->rebuilds = p->meetings.rebuilds;
    out->largest = p->meetings.largest;
    return ABUT_OK;
}

abut_status broad_parts_crossings(broad_parts *p, const vec3 *y, pair_list *out, abut_error *err)
{
    static const pairing crossing[] = {{0, PART_EDGES, PART_TRIANGLES, 2, 3, 3, 3}};
    broad_query query = {.y = y, .tight = true};
    TRY(find_pairs(p, crossing, 1, &query, err));
    return take_pairs(p, 0, out, err);
}

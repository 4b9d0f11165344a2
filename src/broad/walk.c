#include "broad/walk.h"

#include "broad/attached.h"

#include "base/parallel.h"
#include "base/ranks.h"
#include "base/sort.h"

enum {
    TASKS_WANTED = 192, /* per kind; depends on no thread count */
    TASK_CHUNK = 4,
    SERIAL_PACKETS = 256, /* scenes with fewer packets are not worth waking threads for */
    ALL_LANES = 0xff,
};

void walk_free(walk *w)
{
    array_free(&w->tasks);
    array_free(&w->next);
}

typedef struct walker {
    walk *walk;
    const bvh *a, *b;
    pair_collector *collector;
    pair_sink *sink;
    int kind;
} walker;

static inline int take_lane(unsigned *lanes)
{
    int lane = __builtin_ctz(*lanes);
    *lanes &= *lanes - 1;
    return lane;
}

/* Lanes of packet q of tree b that the filter lets this lane of packet p of tree a meet. */
static inline unsigned allowed_lanes(const bvh *a, size_t p, int lane, const bvh *b, size_t q)
{
    unsigned allowed = ALL_LANES;
    int32_t key = a->keys.data[p * BOX8_WIDTH + (size_t)lane];
    if (key >= 0) allowed &= ~int8_equal(&b->keys.data[q * BOX8_WIDTH], key);
    if (a->kinematic.data[p] >> lane & 1) allowed &= ~(unsigned)b->kinematic.data[q];
    return allowed;
}

/* Lanes of packet j of tree b at this level that this lane of packet i of tree a meets. In a tree
 * against itself only lanes from this one on count. */
static inline unsigned meeting_lanes(const walker *w, int level, size_t i, int lane, size_t j)
{
    size_t p = w->a->level_first[level] + i, q = w->b->level_first[level] + j;
    unsigned hit = box8_overlap(&w->a->packets.data[p], lane, &w->b->packets.data[q]);
    if (w->a == w->b && i == j) hit &= ~0u << lane;
    return hit ? hit & allowed_lanes(w->a, p, lane, w->b, q) : 0;
}

/* Lanes of packet i of tree a that meet the box around packet j of tree b. */
static inline unsigned active_lanes(const walker *w, int level, size_t i, size_t j)
{
    if (level + 1 >= w->b->levels || (w->a == w->b && i == j)) return ALL_LANES;
    const box8 *bound = &w->b->packets.data[w->b->level_first[level + 1] + j / BOX8_WIDTH];
    return box8_overlap(bound, (int)(j % BOX8_WIDTH),
                        &w->a->packets.data[w->a->level_first[level] + i]);
}

/* ---- pairs of primitives -------------------------------------------------------------------- */

static exact_box primitive_box(const bvh *tree, const broad_query *query, size_t slot)
{
    exact_box box = vertex_exact_box(query, (size_t)tree->vertices[0].data[slot]);
    for (int c = 1; c < tree->primitives.arity; c++) {
        exact_box other = vertex_exact_box(query, (size_t)tree->vertices[c].data[slot]);
        exact_box_include(&box, &other);
    }
    return box;
}

static exact_diagonals primitive_diagonals(const bvh *tree, const broad_query *query, size_t slot)
{
    exact_diagonals box = vertex_exact_diagonals(query, (size_t)tree->vertices[0].data[slot]);
    for (int c = 1; c < tree->primitives.arity; c++) {
        exact_diagonals other = vertex_exact_diagonals(query, (size_t)tree->vertices[c].data[slot]);
        exact_diagonals_include(&box, &other);
    }
    return box;
}

static bool exactly_overlap(const walker *w, size_t slot_a, size_t slot_b)
{
    const broad_query *query = w->walk->query;
    exact_box a = primitive_box(w->a, query, slot_a), b = primitive_box(w->b, query, slot_b);
    if (!exact_box_overlap(&a, &b)) return false;
    if (!query->tight) return true;
    exact_diagonals c = primitive_diagonals(w->a, query, slot_a);
    exact_diagonals d = primitive_diagonals(w->b, query, slot_b);
    return exact_diagonals_overlap(&c, &d);
}

static inline void add_pair(const walker *w, int32_t a, int32_t b)
{
    int32_t lesser = a < b ? a : b, greater = a < b ? b : a;
    bool ordered = w->a == w->b;
    pairs_add(w->collector, w->sink, w->kind, ordered ? lesser : a, ordered ? greater : b);
}

/* Lanes of packet j that share a vertex with this lane of packet i. */
static inline unsigned adjacent_lanes(const walker *w, size_t i, int lane, size_t j, int arity_a,
                                      int arity_b)
{
    unsigned adjacent = 0;
    for (int ca = 0; ca < arity_a; ca++) {
        int32_t v = w->a->vertices[ca].data[i * BOX8_WIDTH + (size_t)lane];
        for (int cb = 0; cb < arity_b; cb++)
            adjacent |= int8_equal(&w->b->vertices[cb].data[j * BOX8_WIDTH], v);
    }
    return adjacent;
}

static bool is_listed(const uint64_t *list, size_t count, uint64_t key)
{
    size_t at = sorted_place_u64(list, count, key);
    return at < count && list[at] == key;
}

/* Whether a vertex of a primitive is attached to a body. */
static bool is_attached(const walk *all, const bvh *tree, size_t slot, int32_t body)
{
    for (int k = 0; k < tree->primitives.arity; k++)
        if (is_listed(all->excluded, all->excluded_count,
                      broad_attached(tree->vertices[k].data[slot], body)))
            return true;
    return false;
}

/* Whether the bodies of two primitives do not meet, or not there. */
static bool is_excluded(const walker *w, size_t slot, size_t other)
{
    const walk *all = w->walk;
    int32_t a = all->body[w->a->vertices[0].data[slot]];
    int32_t b = all->body[w->b->vertices[0].data[other]];
    if (is_listed(all->excluded, all->excluded_count, broad_pair(a, b))) return true;
    return broad_has_attached(all->excluded, all->excluded_count) && a != b &&
           (is_attached(all, w->a, slot, b) || is_attached(all, w->b, other, a));
}

/* All pairs of two packets are found as one mask of 64 bits (eight lanes for each lane of the
 * first) before any is written, so that there are few branches to guess wrong. */
static inline void meet_packets(const walker *w, size_t i, size_t j, int arity_a, int arity_b,
                                bool tight)
{
    const box8 *a = &w->a->packets.data[i], *b = &w->b->packets.data[j];
    uint64_t hits = 0, sure = 0;
    for (unsigned lanes = active_lanes(w, 0, i, j); lanes;) {
        int lane = take_lane(&lanes);
        unsigned strict, hit = box8_meet(a, lane, b, &strict);
        hit &= allowed_lanes(w->a, i, lane, w->b, j);
        hit &= ~adjacent_lanes(w, i, lane, j, arity_a, arity_b);
        if (w->a == w->b && i == j) hit &= ~0u << lane;
        if (tight && hit) {
            unsigned also;
            hit &= diagonals8_meet(&w->a->diagonals.data[i], lane, &w->b->diagonals.data[j], &also);
            strict &= also;
        }
        hits |= (uint64_t)hit << (8 * lane);
        sure |= (uint64_t)strict << (8 * lane);
    }
    for (; hits; hits &= hits - 1) {
        int bit = __builtin_ctzll(hits);
        size_t slot = i * BOX8_WIDTH + (size_t)(bit / 8),
               other = j * BOX8_WIDTH + (size_t)(bit % 8);
        if (w->walk->excluded_count > 0 && is_excluded(w, slot, other)) continue;
        if ((sure >> bit & 1) || exactly_overlap(w, slot, other))
            add_pair(w, w->a->ids.data[slot], w->b->ids.data[other]);
    }
}

/* One copy of the loop for each pair of arities. */
static inline void meet_leaves(const walker *w, size_t i, size_t j, bool tight)
{
    int a = w->a->primitives.arity, b = w->b->primitives.arity;
    if (a == 2 && b == 2)
        meet_packets(w, i, j, 2, 2, tight);
    else if (a == 1 && b == 3)
        meet_packets(w, i, j, 1, 3, tight);
    else if (a == 1 && b == 2)
        meet_packets(w, i, j, 1, 2, tight);
    else
        meet_packets(w, i, j, a, b, tight);
}

/* ---- descent -------------------------------------------------------------------------------- */

static void descend(const walker *w, int level, size_t i, size_t j)
{
    if (level == 0) {
        if (w->walk->query->tight)
            meet_leaves(w, i, j, true);
        else
            meet_leaves(w, i, j, false);
        return;
    }
    unsigned lanes = active_lanes(w, level, i, j);
    while (lanes) {
        int lane = take_lane(&lanes);
        unsigned hit = meeting_lanes(w, level, i, lane, j);
        while (hit)
            descend(w, level - 1, i * BOX8_WIDTH + (size_t)lane,
                    j * BOX8_WIDTH + (size_t)take_lane(&hit));
    }
}

static void run_tasks(void *context, size_t begin, size_t end)
{
    walk *w = context;
    if (pairs_too_many(w->collector)) return;
    for (size_t t = begin; t < end; t++) {
        if (w->query->divided && (int)(t % (size_t)ranks_count()) != ranks_index()) continue;
        walk_task task = w->tasks.data[t];
        walker pair = {w,
                       w->trees[task.kind].a,
                       w->trees[task.kind].b,
                       w->collector,
                       &w->collector->sinks.data[parallel_worker()],
                       task.kind};
        descend(&pair, task.level, (size_t)task.i, (size_t)task.j);
    }
}

/* Replaces the tasks of one kind by those of the level below. */
static bool expand_tasks(walk *w, size_t first)
{
    array_clear(&w->next);
    for (size_t t = first; t < w->tasks.count; t++) {
        walk_task task = w->tasks.data[t];
        walker pair = {w, w->trees[task.kind].a, w->trees[task.kind].b, NULL, NULL, task.kind};
        for (int lane = 0; lane < BOX8_WIDTH; lane++) {
            unsigned hit = meeting_lanes(&pair, task.level, (size_t)task.i, lane, (size_t)task.j);
            while (hit) {
                walk_task child = {task.i * BOX8_WIDTH + lane,
                                   task.j * BOX8_WIDTH + take_lane(&hit), task.kind,
                                   (int16_t)(task.level - 1)};
                if (!array_push(&w->next, child)) return false;
            }
        }
    }
    if (!array_resize(&w->tasks, first + w->next.count)) return false;
    for (size_t t = 0; t < w->next.count; t++) w->tasks.data[first + t] = w->next.data[t];
    return true;
}

static bool make_tasks(walk *w)
{
    array_clear(&w->tasks);
    for (int kind = 0; kind < PAIR_KINDS; kind++) {
        const walk_trees *trees = &w->trees[kind];
        if (!trees->a || trees->a->levels == 0 || trees->b->levels == 0) continue;
        size_t first = w->tasks.count;
        int level = trees->a->levels - 1;
        if (!array_push(&w->tasks, (walk_task){0, 0, (int16_t)kind, (int16_t)level})) return false;
        for (; level > 1 && w->tasks.count - first < TASKS_WANTED; level--)
            if (!expand_tasks(w, first)) return false;
    }
    return true;
}

static size_t packet_count(const walk *w)
{
    size_t count = 0;
    for (int kind = 0; kind < PAIR_KINDS; kind++)
        if (w->trees[kind].b && w->trees[kind].b->levels > 0)
            count += bvh_level_count(w->trees[kind].b, 0);
    return count;
}

abut_status walk_run(walk *w, abut_error *err)
{
    if (!make_tasks(w)) return error_memory(err, "listing candidate pairs");
    size_t chunk = packet_count(w) < SERIAL_PACKETS ? w->tasks.count : TASK_CHUNK;
    for (bool repeat = true; repeat;) {
        parallel_for(w->tasks.count, chunk, run_tasks, w);
        TRY(pairs_must_repeat(w->collector, &repeat, err));
    }
    return ABUT_OK;
}

#include "broad/bvh.h"

#include "base/parallel.h"

#include <string.h>

/* The order is made anew when the primitives of a packet are this much farther apart than just
 * after the build, and far apart compared to their own boxes. */
#define LOOSE_FACTOR 1.8
#define LOOSE_SHARE 0.5

void bvh_free(bvh *tree)
{
    array_free(&tree->packets);
    array_free(&tree->diagonals);
    array_free(&tree->keys);
    array_free(&tree->kinematic);
    array_free(&tree->ids);
    for (int i = 0; i < 3; i++) array_free(&tree->vertices[i]);
    array_free(&tree->chunk_sums);
    array_free(&tree->items);
    for (int i = 0; i < 2; i++) array_free(&tree->segments[i]);
    *tree = (bvh){0};
}

static size_t divide_up(size_t a, size_t b) { return (a + b - 1) / b; }

int bvh_levels_needed(size_t primitive_count)
{
    int levels = 0;
    for (size_t n = primitive_count; n > 0; levels++) {
        n = divide_up(n, BOX8_WIDTH);
        if (n == 1) return levels + 1;
    }
    return levels;
}

/* ---- order ---------------------------------------------------------------------------------- */

static int32_t primitive_id(const bvh_primitives *p, size_t i)
{
    return p->subset ? p->subset[i] : (int32_t)i;
}

static int32_t primitive_vertex(const bvh_primitives *p, size_t i, int corner)
{
    int32_t id = primitive_id(p, i);
    return p->vertices ? p->vertices[(size_t)id * (size_t)p->arity + (size_t)corner] : id;
}

typedef struct build_context {
    bvh *tree;
    const vertex_box *boxes;
    bvh_segment *from, *to;
} build_context;

static void fill_items(void *context, size_t begin, size_t end)
{
    build_context *c = context;
    const bvh_primitives *p = &c->tree->primitives;
    for (size_t i = begin; i < end; i++) {
        bvh_item item = {.primitive = (int32_t)i};
        const vertex_box *first = &c->boxes[primitive_vertex(p, i, 0)];
        for (int d = 0; d < 3; d++) {
            float low = first->low[d], high = first->high[d];
            for (int corner = 1; corner < p->arity; corner++) {
                const vertex_box *b = &c->boxes[primitive_vertex(p, i, corner)];
                low = b->low[d] < low ? b->low[d] : low;
                high = b->high[d] > high ? b->high[d] : high;
            }
            item.center[d] = 0.5f * low + 0.5f * high;
        }
        c->tree->items.data[i] = item;
    }
}

/* The axis along which the centres of items [begin, end) spread most. */
static int longest_axis(const bvh_item *items, int32_t begin, int32_t end)
{
    float low[3], high[3];
    memcpy(low, items[begin].center, sizeof low);
    memcpy(high, items[begin].center, sizeof high);
    for (int32_t i = begin + 1; i < end; i++)
        for (int d = 0; d < 3; d++) {
            float c = items[i].center[d];
            low[d] = c < low[d] ? c : low[d];
            high[d] = c > high[d] ? c : high[d];
        }
    int axis = 0;
    for (int d = 1; d < 3; d++)
        if (high[d] - low[d] > high[axis] - low[axis]) axis = d;
    return axis;
}

/* Total order along an axis; equal centres are ordered by index. */
static bool item_before(const bvh_item *a, const bvh_item *b, int axis)
{
    if (a->center[axis] != b->center[axis]) return a->center[axis] < b->center[axis];
    return a->primitive < b->primitive;
}

static void item_swap(bvh_item *a, bvh_item *b)
{
    bvh_item t = *a;
    *a = *b;
    *b = t;
}

/* Median of three items at positions scattered by a hash, so that no input order is bad for long.
 */
static bvh_item choose_pivot(const bvh_item *items, int32_t begin, int32_t end, int axis)
{
    uint32_t span = (uint32_t)(end - begin), state = span * 2654435769u;
    bvh_item p[3];
    for (int k = 0; k < 3; k++) {
        state = state * 1664525u + 1013904223u;
        p[k] = items[begin + (int32_t)((state >> 3) % span)];
    }
    if (item_before(&p[1], &p[0], axis)) item_swap(&p[0], &p[1]);
    if (item_before(&p[2], &p[1], axis)) item_swap(&p[1], &p[2]);
    return item_before(&p[1], &p[0], axis) ? p[0] : p[1];
}

/* Brings the items that come first along the axis to [begin, middle), the others behind. */
static void select_items(bvh_item *items, int32_t begin, int32_t middle, int32_t end, int axis)
{
    while (end - begin > 1) {
        bvh_item pivot = choose_pivot(items, begin, end, axis);
        int32_t i = begin, j = end - 1;
        while (i <= j) {
            while (item_before(&items[i], &pivot, axis)) i++;
            while (item_before(&pivot, &items[j], axis)) j--;
            if (i <= j) item_swap(&items[i++], &items[j--]);
        }
        /* [begin, j] <= pivot <= [i, end), and what is between equals the pivot */
        if (middle <= j)
            end = j + 1;
        else if (middle >= i)
            begin = i;
        else
            return;
    }
}

/* Cuts a segment in two: on the left as many packets as make a full binary subtree. */
static void split_segment(const bvh_segment *whole, bvh_item *items, bvh_segment out[2])
{
    int32_t packets = (int32_t)divide_up((size_t)(whole->end - whole->begin), BOX8_WIDTH);
    int32_t left = 1;
    while (left * 2 < packets) left *= 2;
    int32_t middle = whole->begin + left * BOX8_WIDTH;
    int axis = longest_axis(items, whole->begin, whole->end);
    select_items(items, whole->begin, middle, whole->end, axis);
    out[0] = (bvh_segment){whole->begin, middle};
    out[1] = (bvh_segment){middle, whole->end};
}

static void split_segments(void *context, size_t begin, size_t end)
{
    build_context *c = context;
    for (size_t i = begin; i < end; i++)
        split_segment(&c->from[i], c->tree->items.data, &c->to[2 * i]);
}

/* Keeps the segments that are larger than a packet. */
static size_t compact_segments(bvh_segment *s, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (s[i].end - s[i].begin > BOX8_WIDTH) s[kept++] = s[i];
    return kept;
}

static abut_status order_items(bvh *tree, const vertex_box *boxes, abut_error *err)
{
    size_t count = tree->primitives.count;
    if (!array_resize(&tree->items, count) ||
        !array_reserve(&tree->segments[0], count / BOX8_WIDTH + 2) ||
        !array_reserve(&tree->segments[1], count / BOX8_WIDTH + 2))
        return error_memory(err, "ordering the primitives of the collision surface");
    build_context c = {.tree = tree, .boxes = boxes};
    parallel_for(count, 4096, fill_items, &c);
    c.from = tree->segments[0].data;
    c.to = tree->segments[1].data;
    c.from[0] = (bvh_segment){0, (int32_t)count};
    size_t segments = compact_segments(c.from, 1);
    while (segments > 0) {
        size_t chunk = segments < 64 ? 1 : 16;
        parallel_for(segments, chunk, split_segments, &c);
        segments = compact_segments(c.to, 2 * segments);
        bvh_segment *swap = c.from;
        c.from = c.to;
        c.to = swap;
    }
    return ABUT_OK;
}

/* ---- layout --------------------------------------------------------------------------------- */

static abut_status lay_out_levels(bvh *tree, int min_levels, abut_error *err)
{
    size_t count = tree->primitives.count, packets = divide_up(count, BOX8_WIDTH), total = 0;
    int levels = 0;
    while (count > 0) {
        tree->level_first[levels++] = total;
        total += packets;
        if (packets == 1 && levels >= min_levels) break;
        packets = divide_up(packets, BOX8_WIDTH);
    }
    tree->levels = levels;
    tree->level_first[levels] = total;
    size_t slots = levels > 0 ? tree->level_first[1] * BOX8_WIDTH : 0;
    bool ok = array_resize(&tree->packets, total) &&
              array_resize(&tree->keys, total * BOX8_WIDTH) &&
              array_resize(&tree->kinematic, total) && array_resize(&tree->ids, slots) &&
              array_resize(&tree->chunk_sums, 2 * bvh_chunk_count(tree));
    for (int i = 0; i < 3; i++) ok = ok && array_resize(&tree->vertices[i], slots);
    return ok ? ABUT_OK : error_memory(err, "building the tree over the collision surface");
}

static void fill_slots(void *context, size_t begin, size_t end)
{
    bvh *tree = context;
    const bvh_primitives *p = &tree->primitives;
    for (size_t slot = begin; slot < end; slot++) {
        bool present = slot < p->count;
        size_t i = present ? (size_t)tree->items.data[slot].primitive : 0;
        tree->ids.data[slot] = present ? primitive_id(p, i) : -1;
        for (int corner = 0; corner < 3; corner++)
            tree->vertices[corner].data[slot] =
                present && corner < p->arity ? primitive_vertex(p, i, corner) : -1;
    }
}

static void clear_packets(bvh *tree)
{
    for (size_t i = 0; i < tree->packets.count; i++)
        for (int lane = 0; lane < BOX8_WIDTH; lane++) box8_clear_lane(&tree->packets.data[i], lane);
}

abut_status bvh_build(bvh *tree, const bvh_primitives *primitives, const vertex_box *boxes,
                      int min_levels, abut_error *err)
{
    tree->primitives = *primitives;
    tree->spread = tree->spread_built = tree->extent = 0.0;
    tree->fresh = true;
    TRY(lay_out_levels(tree, min_levels, err));
    if (tree->levels == 0) return ABUT_OK;
    TRY(order_items(tree, boxes, err));
    parallel_for(tree->ids.count, 4096, fill_slots, tree);
    clear_packets(tree);
    bvh_set_filter(tree, NULL, NULL);
    return ABUT_OK;
}

/* ---- filter --------------------------------------------------------------------------------- */

static void set_primitive_filter(bvh *tree, const int32_t *keys, const uint8_t *kinematic)
{
    size_t packets = bvh_level_count(tree, 0);
    for (size_t i = 0; i < packets; i++) {
        unsigned bits = 0;
        for (int lane = 0; lane < BOX8_WIDTH; lane++) {
            size_t slot = i * BOX8_WIDTH + (size_t)lane;
            int32_t first = tree->vertices[0].data[slot];
            tree->keys.data[slot] = first >= 0 && keys ? keys[first] : BVH_NO_KEY;
            if (!kinematic || first < 0) continue;
            bool all = true;
            for (int corner = 0; corner < tree->primitives.arity; corner++)
                all = all && kinematic[tree->vertices[corner].data[slot]];
            bits |= (unsigned)all << lane;
        }
        tree->kinematic.data[i] = (uint8_t)bits;
    }
}

/* Key and flag that all used lanes of packet i of the level share. */
static void shared_filter(const bvh *tree, int level, size_t i, int32_t *key, bool *kinematic)
{
    size_t below = level == 0 ? tree->primitives.count : bvh_level_count(tree, level - 1);
    size_t used = below - i * BOX8_WIDTH;
    if (used > BOX8_WIDTH) used = BOX8_WIDTH;
    size_t packet = tree->level_first[level] + i;
    const int32_t *keys = &tree->keys.data[packet * BOX8_WIDTH];
    *key = keys[0];
    for (size_t lane = 1; lane < used; lane++)
        if (keys[lane] != *key) *key = BVH_NO_KEY;
    unsigned all = (1u << used) - 1u;
    *kinematic = (tree->kinematic.data[packet] & all) == all;
}

void bvh_set_filter(bvh *tree, const int32_t *vertex_keys, const uint8_t *vertex_kinematic)
{
    if (tree->levels == 0) return;
    set_primitive_filter(tree, vertex_keys, vertex_kinematic);
    for (int level = 1; level < tree->levels; level++) {
        size_t below = bvh_level_count(tree, level - 1);
        for (size_t i = 0; i < bvh_level_count(tree, level); i++) {
            size_t packet = tree->level_first[level] + i;
            unsigned bits = 0;
            for (size_t lane = 0; lane < BOX8_WIDTH; lane++) {
                size_t child = i * BOX8_WIDTH + lane;
                int32_t key = BVH_NO_KEY;
                bool kinematic = false;
                if (child < below) shared_filter(tree, level - 1, child, &key, &kinematic);
                tree->keys.data[packet * BOX8_WIDTH + lane] = key;
                bits |= (unsigned)kinematic << lane;
            }
            tree->kinematic.data[packet] = (uint8_t)bits;
        }
    }
}

/* ---- refit ---------------------------------------------------------------------------------- */

static float smaller(float a, float b) { return a < b ? a : b; }
static float larger(float a, float b) { return a > b ? a : b; }

/* Boxes of the primitives of one packet; returns the mean of their extents. */
static inline float refit_primitives(box8 *out, const vertex_box *boxes, int arity, size_t used,
                                     const int32_t *v0, const int32_t *v1, const int32_t *v2)
{
    float sum = 0.0f;
    for (size_t lane = 0; lane < used; lane++) {
        vertex_box b = boxes[v0[lane]];
        const vertex_box *b1 = arity > 1 ? &boxes[v1[lane]] : &b;
        const vertex_box *b2 = arity > 2 ? &boxes[v2[lane]] : &b;
        for (int d = 0; d < 4; d++) {
            if (arity > 1) b.low[d] = smaller(b.low[d], b1->low[d]);
            if (arity > 1) b.high[d] = larger(b.high[d], b1->high[d]);
            if (arity > 2) b.low[d] = smaller(b.low[d], b2->low[d]);
            if (arity > 2) b.high[d] = larger(b.high[d], b2->high[d]);
        }
        for (int d = 0; d < 3; d++) {
            out->low[d][lane] = b.low[d];
            out->high[d][lane] = b.high[d];
            sum += b.high[d] - b.low[d];
        }
    }
    return sum / (float)used;
}

static float refit_leaf(bvh *tree, const vertex_box *boxes, size_t i)
{
    size_t slot = i * BOX8_WIDTH, used = tree->primitives.count - slot;
    if (used > BOX8_WIDTH) used = BOX8_WIDTH;
    box8 *out = &tree->packets.data[i];
    const int32_t *v0 = &tree->vertices[0].data[slot], *v1 = &tree->vertices[1].data[slot],
                  *v2 = &tree->vertices[2].data[slot];
    switch (tree->primitives.arity) {
    case 1: return refit_primitives(out, boxes, 1, used, v0, v1, v2);
    case 2: return refit_primitives(out, boxes, 2, used, v0, v1, v2);
    default: return refit_primitives(out, boxes, 3, used, v0, v1, v2);
    }
}

/* Bounds packet `child` of the level below into its lane; returns its extent. */
static float refit_lane(bvh *tree, int level, size_t child)
{
    const box8 *from = &tree->packets.data[tree->level_first[level - 1] + child];
    box8 *to = &tree->packets.data[tree->level_first[level] + child / BOX8_WIDTH];
    size_t lane = child % BOX8_WIDTH;
    float sum = 0.0f;
    for (int d = 0; d < 3; d++) {
        float low[4], high[4];
        for (int k = 0; k < 4; k++) {
            low[k] = smaller(from->low[d][k], from->low[d][k + 4]);
            high[k] = larger(from->high[d][k], from->high[d][k + 4]);
        }
        float least = smaller(smaller(low[0], low[1]), smaller(low[2], low[3]));
        float most = larger(larger(high[0], high[1]), larger(high[2], high[3]));
        to->low[d][lane] = least;
        to->high[d][lane] = most;
        sum += most - least;
    }
    return sum;
}

size_t bvh_chunk_count(const bvh *tree)
{
    return tree->levels > 0 ? divide_up(bvh_level_count(tree, 0), BVH_CHUNK) : 0;
}

/* A chunk of level 0 fills whole packets of level 1 and one lane of level 2. */
void bvh_refit_chunk(bvh *tree, const vertex_box *boxes, size_t chunk)
{
    size_t begin = chunk * BVH_CHUNK, end = begin + BVH_CHUNK;
    if (end > bvh_level_count(tree, 0)) end = bvh_level_count(tree, 0);
    double spread = 0.0, extent = 0.0;
    for (size_t i = begin; i < end; i++) {
        double own = (double)refit_leaf(tree, boxes, i);
        extent += own;
        if (tree->levels > 1) spread += (double)refit_lane(tree, 1, i) - own;
    }
    if (tree->levels > 2)
        for (size_t i = begin / BOX8_WIDTH; i < divide_up(end, BOX8_WIDTH); i++)
            refit_lane(tree, 2, i);
    tree->chunk_sums.data[2 * chunk] = spread;
    tree->chunk_sums.data[2 * chunk + 1] = extent;
}

abut_status bvh_reserve_diagonals(bvh *tree, abut_error *err)
{
    size_t packets = tree->levels > 0 ? bvh_level_count(tree, 0) : 0;
    if (array_resize(&tree->diagonals, packets)) return ABUT_OK;
    return error_memory(err, "building the tree over the collision surface");
}

/* A lane without a primitive keeps what it has: its box overlaps nothing anyway. */
static inline void refit_diagonal_packet(diagonals8 *out, const vertex_diagonals *from, int arity,
                                         size_t used, const int32_t *v0, const int32_t *v1,
                                         const int32_t *v2)
{
    for (size_t lane = 0; lane < used; lane++) {
        vertex_diagonals b = from[v0[lane]];
        const vertex_diagonals *b1 = arity > 1 ? &from[v1[lane]] : &b;
        const vertex_diagonals *b2 = arity > 2 ? &from[v2[lane]] : &b;
        for (int d = 0; d < 8; d++) {
            if (arity > 1) b.low[d] = smaller(b.low[d], b1->low[d]);
            if (arity > 1) b.high[d] = larger(b.high[d], b1->high[d]);
            if (arity > 2) b.low[d] = smaller(b.low[d], b2->low[d]);
            if (arity > 2) b.high[d] = larger(b.high[d], b2->high[d]);
        }
        for (int d = 0; d < DIAGONAL_COUNT; d++) {
            out->low[d][lane] = b.low[d];
            out->high[d][lane] = b.high[d];
        }
    }
}

void bvh_refit_diagonals(bvh *tree, const vertex_diagonals *diagonals, size_t chunk)
{
    size_t begin = chunk * BVH_CHUNK, end = begin + BVH_CHUNK;
    if (end > bvh_level_count(tree, 0)) end = bvh_level_count(tree, 0);
    for (size_t i = begin; i < end; i++) {
        size_t slot = i * BOX8_WIDTH, used = tree->primitives.count - slot;
        if (used > BOX8_WIDTH) used = BOX8_WIDTH;
        diagonals8 *out = &tree->diagonals.data[i];
        const int32_t *v0 = &tree->vertices[0].data[slot], *v1 = &tree->vertices[1].data[slot],
                      *v2 = &tree->vertices[2].data[slot];
        switch (tree->primitives.arity) {
        case 1: refit_diagonal_packet(out, diagonals, 1, used, v0, v1, v2); break;
        case 2: refit_diagonal_packet(out, diagonals, 2, used, v0, v1, v2); break;
        default: refit_diagonal_packet(out, diagonals, 3, used, v0, v1, v2); break;
        }
    }
}

void bvh_refit_top(bvh *tree, double unit)
{
    for (int level = 3; level < tree->levels; level++)
        for (size_t i = 0; i < bvh_level_count(tree, level - 1); i++) refit_lane(tree, level, i);
    tree->spread = tree->extent = 0.0;
    for (size_t c = 0; c < bvh_chunk_count(tree); c++) {
        tree->spread += unit * tree->chunk_sums.data[2 * c];
        tree->extent += unit * tree->chunk_sums.data[2 * c + 1];
    }
    if (tree->fresh) tree->spread_built = tree->spread;
    tree->fresh = false;
}

void bvh_refit(bvh *tree, const vertex_box *boxes, double unit)
{
    for (size_t c = 0; c < bvh_chunk_count(tree); c++) bvh_refit_chunk(tree, boxes, c);
    bvh_refit_top(tree, unit);
}

bool bvh_is_loose(const bvh *tree)
{
    return tree->spread > LOOSE_FACTOR * tree->spread_built &&
           tree->spread > LOOSE_SHARE * tree->extent;
}

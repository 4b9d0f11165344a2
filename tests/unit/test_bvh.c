/* The tree over moving primitives: every box is inside the lane above it, the order is a
 * permutation, refitting follows the motion, and looseness is noticed. */
#include "base/random.h"
#include "broad/bvh.h"
#include "test.h"

enum { MAX = 5000 };

static vertex_box boxes[3 * MAX];
static int32_t vertices[MAX][3];

static void random_boxes(random_state *r, size_t count, double size)
{
    for (size_t v = 0; v < count; v++)
        for (int d = 0; d < 3; d++) {
            float c = (float)random_range(r, -1.0, 1.0);
            boxes[v].low[d] = c - (float)random_range(r, 0.0, size);
            boxes[v].high[d] = c + (float)random_range(r, 0.0, size);
        }
}

/* Every vertex box must lie in its primitive's lane, every lane in the lane above. */
static size_t boxes_outside(const bvh *t)
{
    size_t outside = 0;
    for (size_t slot = 0; slot < t->ids.count; slot++) {
        if (t->ids.data[slot] < 0) continue;
        const box8 *p = &t->packets.data[slot / 8];
        for (int c = 0; c < t->primitives.arity; c++)
            for (int d = 0; d < 3; d++) {
                const vertex_box *b = &boxes[t->vertices[c].data[slot]];
                outside += b->low[d] < p->low[d][slot % 8] || b->high[d] > p->high[d][slot % 8];
            }
    }
    for (int level = 1; level < t->levels; level++)
        for (size_t i = 0; i < bvh_level_count(t, level - 1); i++)
            for (int lane = 0; lane < 8; lane++)
                for (int d = 0; d < 3; d++) {
                    const box8 *child = &t->packets.data[t->level_first[level - 1] + i];
                    const box8 *parent = &t->packets.data[t->level_first[level] + i / 8];
                    if (child->low[d][lane] > child->high[d][lane]) continue;
                    outside += child->low[d][lane] < parent->low[d][i % 8] ||
                               child->high[d][lane] > parent->high[d][i % 8];
                }
    return outside;
}

static bool is_permutation(const bvh *t, size_t count)
{
    static bool seen[3 * MAX];
    memset(seen, 0, sizeof seen);
    size_t found = 0;
    for (size_t slot = 0; slot < t->ids.count; slot++) {
        int32_t id = t->ids.data[slot];
        if (id < 0) continue;
        if (seen[id]) return false;
        seen[id] = true;
        found++;
    }
    return found == count;
}

TEST(levels)
{
    CHECK(bvh_levels_needed(0) == 0);
    CHECK(bvh_levels_needed(1) == 1);
    CHECK(bvh_levels_needed(8) == 1);
    CHECK(bvh_levels_needed(9) == 2);
    CHECK(bvh_levels_needed(64) == 2);
    CHECK(bvh_levels_needed(65) == 3);
    CHECK(bvh_levels_needed(512 * 8) == 4);
    CHECK(bvh_levels_needed(512 * 8 + 1) == 5);
}

TEST(lanes_bound_what_is_below)
{
    const size_t counts[] = {0, 1, 3, 8, 9, 64, 65, 511, 512, 513, 4097, MAX};
    random_state r = {1};
    bvh tree = {0};
    abut_error err = {0};
    for (size_t v = 0; v < MAX; v++)
        for (int c = 0; c < 3; c++) vertices[v][c] = (int32_t)(3 * v) + c;
    for (int arity = 1; arity <= 3; arity++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            random_boxes(&r, 3 * MAX, 0.1);
            bvh_primitives p = {arity, counts[i], NULL, arity == 1 ? NULL : vertices[0]};
            CHECK_OK(bvh_build(&tree, &p, boxes, (int)(i % 7), &err), err);
            CHECK(tree.levels >= bvh_levels_needed(counts[i]));
            CHECK(is_permutation(&tree, counts[i]));
            bvh_refit(&tree, boxes, 1.0);
            CHECK(boxes_outside(&tree) == 0);
            random_boxes(&r, 3 * MAX, 0.1);
            if (counts[i] > 64) CHECK(boxes_outside(&tree) > 0);
            bvh_refit(&tree, boxes, 1.0);
            CHECK(boxes_outside(&tree) == 0);
        }
    bvh_free(&tree);
}

TEST(neighbours_share_packets)
{
    bvh tree = {0};
    abut_error err = {0};
    /* 64 x 64 points on a square: 8 neighbours lie within 4 x 2 cells, 4 + 2 - 2 wide in all. */
    for (int i = 0; i < 4096; i++) {
        float c[3] = {(float)(i % 64), 0.0f, (float)(i / 64)};
        for (int d = 0; d < 3; d++) boxes[i].low[d] = boxes[i].high[d] = c[d];
    }
    bvh_primitives p = {1, 4096, NULL, NULL};
    CHECK_OK(bvh_build(&tree, &p, boxes, 0, &err), err);
    bvh_refit(&tree, boxes, 1.0);
    CHECK(tree.spread == 512.0 * 4.0);
    CHECK(!bvh_is_loose(&tree));
    /* Stretching to twice the size is noticed, whatever unit the boxes are stored in. */
    for (int i = 0; i < 4096; i++)
        for (int d = 0; d < 3; d++) boxes[i].low[d] = boxes[i].high[d] = 0.5f * boxes[i].low[d];
    bvh_refit(&tree, boxes, 2.0);
    CHECK(!bvh_is_loose(&tree));
    bvh_refit(&tree, boxes, 4.0);
    CHECK(bvh_is_loose(&tree));
    bvh_free(&tree);
}

TEST(equal_centres_are_no_problem)
{
    bvh tree = {0};
    abut_error err = {0};
    for (int i = 0; i < MAX; i++)
        for (int d = 0; d < 3; d++) boxes[i].low[d] = boxes[i].high[d] = 1.0f;
    bvh_primitives p = {1, MAX, NULL, NULL};
    CHECK_OK(bvh_build(&tree, &p, boxes, 0, &err), err);
    bvh_refit(&tree, boxes, 1.0);
    CHECK(is_permutation(&tree, MAX));
    CHECK(boxes_outside(&tree) == 0);
    bvh_free(&tree);
}

TEST(filter_is_shared_upward)
{
    enum { COUNT = 1000 };
    static int32_t keys[COUNT];
    static uint8_t kinematic[COUNT];
    bvh tree = {0};
    abut_error err = {0};
    /* Two far clusters, each with one key; the first is kinematic. 512 fill the first half. */
    for (int i = 0; i < COUNT; i++) {
        keys[i] = i < 512 ? 7 : 9;
        kinematic[i] = i < 512;
        for (int d = 0; d < 3; d++)
            boxes[i].low[d] = boxes[i].high[d] = (float)(i < 512 ? i : 100000 + i);
    }
    bvh_primitives p = {1, COUNT, NULL, NULL};
    CHECK_OK(bvh_build(&tree, &p, boxes, 0, &err), err);
    bvh_set_filter(&tree, keys, kinematic);
    size_t top = tree.level_first[tree.levels - 1];
    CHECK(tree.levels == 4);
    const int32_t *level2 = &tree.keys.data[top * 8];
    CHECK(level2[0] == 7 && level2[1] == 9);
    CHECK(level2[2] == BVH_NO_KEY);
    CHECK(tree.kinematic.data[top] == 1);
    keys[100] = 3;
    kinematic[3] = 0;
    bvh_set_filter(&tree, keys, kinematic);
    CHECK(level2[0] == BVH_NO_KEY && level2[1] == 9);
    CHECK(tree.kinematic.data[top] == 0);
    bvh_free(&tree);
}

TEST(eight_boxes_at_once)
{
    random_state r = {3};
    for (int round = 0; round < 2000; round++) {
        box8 a, b;
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 8; k++) {
                /* small integers touch often */
                a.low[d][k] = (float)random_below(&r, 6);
                a.high[d][k] = a.low[d][k] + (float)random_below(&r, 3);
                b.low[d][k] = (float)random_below(&r, 6);
                b.high[d][k] = b.low[d][k] + (float)random_below(&r, 3);
            }
        if (round % 3 == 0) box8_clear_lane(&b, round % 8);
        for (int lane = 0; lane < 8; lane++) {
            unsigned touch = 0, overlap = 0;
            for (int k = 0; k < 8; k++) {
                bool t = true, o = true;
                for (int d = 0; d < 3; d++) {
                    t = t && a.low[d][lane] <= b.high[d][k] && b.low[d][k] <= a.high[d][lane];
                    o = o && a.low[d][lane] < b.high[d][k] && b.low[d][k] < a.high[d][lane];
                }
                touch |= (unsigned)t << k;
                overlap |= (unsigned)o << k;
            }
            unsigned strict;
            CHECK(box8_overlap(&a, lane, &b) == touch);
            CHECK(box8_meet(&a, lane, &b, &strict) == touch);
            CHECK(strict == overlap);
        }
    }
    _Alignas(32) int32_t values[8] = {1, 2, 3, 1, -1, 0, 1, 8};
    CHECK(int8_equal(values, 1) == 0x49);
    CHECK(int8_equal(values, 5) == 0);
}

int main(void)
{
    RUN(levels);
    RUN(lanes_bound_what_is_below);
    RUN(neighbours_share_packets);
    RUN(equal_centres_are_no_problem);
    RUN(filter_is_shared_upward);
    RUN(eight_boxes_at_once);
    return TEST_END();
}

#include "geometry/box_tree.h"

#include "base/memory.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

void box_tree_free(box_tree *t)
{
    array_free(&t->boxes);
    array_free(&t->order);
    array_free(&t->nodes);
}

static inline bool meet(const tree_box *a, const tree_box *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static double box_distance(tree_box b, vec3 v)
{
    vec3 nearest = vec3_max(b.low, vec3_min(b.high, v));
    return vec3_norm(vec3_sub(v, nearest));
}

/* ---- building ---- */

typedef struct keyed {
    double key;
    int32_t box;
} keyed;

static bool is_before(keyed a, keyed b) { return a.key != b.key ? a.key < b.key : a.box < b.box; }

static keyed middle_of(keyed a, keyed b, keyed c)
{
    if (is_before(b, a)) return is_before(c, b) ? b : is_before(c, a) ? c : a;
    return is_before(c, a) ? a : is_before(c, b) ? c : b;
}

/* Reorders so that those before `place` belong before it, and those from there on behind. */
static void part_at(keyed *x, size_t count, size_t place)
{
    while (count > 1) {
        keyed pivot = middle_of(x[0], x[count / 2], x[count - 1]);
        size_t i = 0, j = count - 1;
        for (;;) {
            while (is_before(x[i], pivot)) i++;
            while (is_before(pivot, x[j])) j--;
            if (i >= j) break;
            keyed other = x[i];
            x[i++] = x[j];
            x[j--] = other;
        }
        /* x[0 .. i) <= pivot <= x[i ..] */
        if (place == i) return;
        if (place < i) {
            count = i;
        } else {
            x += i;
            count -= i;
            place -= i;
        }
    }
}

static tree_box bounds_of(const box_tree *t, size_t begin, size_t end)
{
    tree_box all = t->boxes.data[t->order.data[begin]];
    for (size_t i = begin + 1; i < end; i++) {
        const tree_box *b = &t->boxes.data[t->order.data[i]];
        all.low = vec3_min(all.low, b->low);
        all.high = vec3_max(all.high, b->high);
    }
    return all;
}

static void split(box_tree *t, keyed *work, size_t node, size_t begin, size_t end)
{
    tree_box all = t->nodes.data[node] = bounds_of(t, begin, end);
    if (end - begin <= BOX_TREE_LEAF) return;
    vec3 size = vec3_sub(all.high, all.low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (size_t i = begin; i < end; i++) {
        int32_t box = t->order.data[i];
        const tree_box *b = &t->boxes.data[box];
        work[i] = (keyed){vec3_get(b->low, axis) + vec3_get(b->high, axis), box};
    }
    size_t middle = begin + (end - begin) / 2;
    part_at(work + begin, end - begin, middle - begin);
    for (size_t i = begin; i < end; i++) t->order.data[i] = work[i].box;
    split(t, work, 2 * node + 1, begin, middle);
    split(t, work, 2 * node + 2, middle, end);
}

abut_status box_tree_build(box_tree *t, abut_error *err)
{
    size_t count = t->boxes.count, nodes = 1;
    /* Halves differ by one at most: all leaves are on the last two levels. */
    for (size_t most = count; most > BOX_TREE_LEAF; most = (most + 1) / 2) nodes = 2 * nodes + 1;
    keyed *work = mem_alloc(count + 1, sizeof *work);
    if (!work || !array_resize(&t->order, count) || !array_resize(&t->nodes, nodes)) {
        mem_free(work);
        return error_memory(err, "sorting cells");
    }
    for (size_t i = 0; i < count; i++) t->order.data[i] = (int32_t)i;
    if (count > 0) split(t, work, 0, 0, count);
    mem_free(work);
    return ABUT_OK;
}

/* ---- queries ---- */

/* A range of the order, and its node. */
typedef struct branch {
    size_t node, begin, end;
} branch;

static bool collect_leaf(const box_tree *t, const tree_box *where, size_t begin, size_t end,
                         box_list *out)
{
    for (size_t i = begin; i < end; i++)
        if (meet(&t->boxes.data[t->order.data[i]], where) && !array_push(out, t->order.data[i]))
            return false;
    return true;
}

bool box_tree_collect(const box_tree *t, const tree_box *where, size_t from, box_list *out)
{
    branch stack[64] = {{0, 0, t->boxes.count}};
    for (size_t depth = t->boxes.count > from; depth > 0;) {
        branch b = stack[--depth];
        while (meet(&t->nodes.data[b.node], where)) {
            if (b.end - b.begin <= BOX_TREE_LEAF) {
                size_t begin = from > b.begin ? from : b.begin;
                if (!collect_leaf(t, where, begin, b.end, out)) return false;
                break;
            }
            size_t middle = b.begin + (b.end - b.begin) / 2;
            branch right = {2 * b.node + 2, middle, b.end};
            if (middle <= from) {
                b = right;
                continue;
            }
            stack[depth++] = right;
            b = (branch){2 * b.node + 1, b.begin, middle};
        }
    }
    return true;
}

abut_status box_tree_find(const box_tree *t, vec3 low, vec3 high, box_list *out, abut_error *err)
{
    const tree_box where = {low, high};
    array_clear(out);
    if (!box_tree_collect(t, &where, 0, out)) return error_memory(err, "finding cells");
    if (out->count > 1) qsort(out->data, out->count, sizeof *out->data, compare_int32);
    return ABUT_OK;
}

typedef struct nearest_work {
    const box_tree *t;
    vec3 v;
    double (*distance)(const void *context, size_t i);
    const void *context;
} nearest_work;

static double descend(const nearest_work *w, size_t node, size_t begin, size_t end, double best)
{
    const box_tree *t = w->t;
    if (end - begin <= BOX_TREE_LEAF) {
        for (size_t i = begin; i < end; i++)
            if (box_distance(t->boxes.data[t->order.data[i]], w->v) <= best)
                best = fmin(best, w->distance(w->context, (size_t)t->order.data[i]));
        return best;
    }
    size_t middle = begin + (end - begin) / 2, left = 2 * node + 1;
    double near = box_distance(t->nodes.data[left], w->v);
    double far = box_distance(t->nodes.data[left + 1], w->v);
    bool left_first = near <= far;
    for (int k = 0; k < 2; k++) {
        bool go_left = (k == 0) == left_first;
        if ((go_left ? near : far) > best) continue;
        best = go_left ? descend(w, left, begin, middle, best)
                       : descend(w, left + 1, middle, end, best);
    }
    return best;
}

double box_tree_nearest(const box_tree *t, vec3 v,
                        double (*distance)(const void *context, size_t i), const void *context)
{
    nearest_work w = {t, v, distance, context};
    return t->boxes.count ? descend(&w, 0, 0, t->boxes.count, INFINITY) : INFINITY;
}

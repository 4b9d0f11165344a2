#include "body/box_tree.h"

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

static bool meet(tree_box a, tree_box b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
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

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->box < y->box ? -1 : x->box > y->box;
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
    qsort(work + begin, end - begin, sizeof *work, by_key);
    for (size_t i = begin; i < end; i++) t->order.data[i] = work[i].box;
    size_t middle = begin + (end - begin) / 2;
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

static bool collect(const box_tree *t, tree_box where, size_t node, size_t begin, size_t end,
                    box_list *out)
{
    if (!meet(t->nodes.data[node], where)) return true;
    bool ok = true;
    if (end - begin <= BOX_TREE_LEAF) {
        for (size_t i = begin; ok && i < end; i++)
            if (meet(t->boxes.data[t->order.data[i]], where))
                ok = array_push(out, t->order.data[i]);
        return ok;
    }
    size_t middle = begin + (end - begin) / 2;
    return collect(t, where, 2 * node + 1, begin, middle, out) &&
           collect(t, where, 2 * node + 2, middle, end, out);
}

abut_status box_tree_find(const box_tree *t, vec3 low, vec3 high, box_list *out, abut_error *err)
{
    array_clear(out);
    if (t->boxes.count == 0) return ABUT_OK;
    if (!collect(t, (tree_box){low, high}, 0, 0, t->boxes.count, out))
        return error_memory(err, "finding cells");
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

/* A complete binary tree over the cells: node k has the children 2 k + 1 and 2 k + 2, and every
 * leaf has a run of the ordered cells. */
#include "remesh/overlap.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF_CELLS = 4, MAX_DEPTH = 64 };

static void cell_box(const simplex_mesh *m, size_t c, vec3 *low, vec3 *high)
{
    const int32_t *n = m->cells + c * (size_t)(m->dimension + 1);
    *low = *high = m->vertices[n[0]];
    for (int k = 1; k <= m->dimension; k++) {
        *low = vec3_min(*low, m->vertices[n[k]]);
        *high = vec3_max(*high, m->vertices[n[k]]);
    }
}

typedef struct placed {
    double key;
    int32_t cell;
} placed;

static int by_key(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->cell > q->cell) - (p->cell < q->cell);
}

/* Orders cells first..first+count-1 below `node` along the longest side of their centres. */
static void split(cell_tree *t, const simplex_mesh *m, placed *work, size_t node, size_t first,
                  size_t count, size_t leaves)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    vec3 center_low = low, center_high = high;
    for (size_t i = first; i < first + count; i++) {
        vec3 a, b;
        cell_box(m, (size_t)t->order.data[i], &a, &b);
        low = vec3_min(low, a);
        high = vec3_max(high, b);
        vec3 center = vec3_scale(0.5, vec3_add(a, b));
        center_low = vec3_min(center_low, center);
        center_high = vec3_max(center_high, center);
    }
    t->low.data[node] = low;
    t->high.data[node] = high;
    if (leaves == 1) return;
    vec3 size = vec3_sub(center_high, center_low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (size_t i = 0; i < count; i++) {
        vec3 a, b;
        int32_t cell = t->order.data[first + i];
        cell_box(m, (size_t)cell, &a, &b);
        work[i] = (placed){vec3_get(vec3_add(a, b), axis), cell};
    }
    qsort(work, count, sizeof *work, by_key);
    for (size_t i = 0; i < count; i++) t->order.data[first + i] = work[i].cell;
    size_t half = count / 2;
    split(t, m, work, 2 * node + 1, first, half, leaves / 2);
    split(t, m, work, 2 * node + 2, first + half, count - half, leaves / 2);
}

abut_status cell_tree_build(cell_tree *t, const simplex_mesh *m, abut_error *err)
{
    *t = (cell_tree){.leaves = 1};
    while (t->leaves * LEAF_CELLS < m->cell_count) t->leaves *= 2;
    placed *work = mem_alloc(m->cell_count + 1, sizeof *work);
    bool ok = work && array_resize(&t->order, m->cell_count) &&
              array_resize(&t->low, 2 * t->leaves) && array_resize(&t->high, 2 * t->leaves);
    for (size_t i = 0; ok && i < m->cell_count; i++) t->order.data[i] = (int32_t)i;
    if (ok) split(t, m, work, 0, 0, m->cell_count, t->leaves);
    mem_free(work);
    if (ok) return ABUT_OK;
    cell_tree_free(t);
    return error_memory(err, "ordering cells");
}

void cell_tree_free(cell_tree *t)
{
    array_free(&t->order);
    array_free(&t->low);
    array_free(&t->high);
}

static bool boxes_meet(vec3 low, vec3 high, vec3 a, vec3 b)
{
    return low.x <= b.x && a.x <= high.x && low.y <= b.y && a.y <= high.y && low.z <= b.z &&
           a.z <= high.z;
}

abut_status cell_tree_find(const cell_tree *t, const simplex_mesh *m, vec3 low, vec3 high,
                           cell_list *out, abut_error *err)
{
    struct {
        size_t node, first, count, leaves;
    } stack[MAX_DEPTH] = {{0, 0, m->cell_count, t->leaves}};
    int depth = 1;
    bool ok = true;
    array_clear(out);
    while (ok && depth > 0) {
        depth--;
        size_t node = stack[depth].node, first = stack[depth].first, count = stack[depth].count,
               leaves = stack[depth].leaves;
        if (count == 0 || !boxes_meet(low, high, t->low.data[node], t->high.data[node])) continue;
        if (leaves > 1) {
            size_t half = count / 2;
            stack[depth].node = 2 * node + 1;
            stack[depth].first = first;
            stack[depth].count = half;
            stack[depth++].leaves = leaves / 2;
            stack[depth].node = 2 * node + 2;
            stack[depth].first = first + half;
            stack[depth].count = count - half;
            stack[depth++].leaves = leaves / 2;
            continue;
        }
        for (size_t i = first; ok && i < first + count; i++) {
            vec3 a, b;
            cell_box(m, (size_t)t->order.data[i], &a, &b);
            if (boxes_meet(low, high, a, b)) ok = array_push(out, t->order.data[i]);
        }
    }
    if (!ok) return error_memory(err, "finding cells");
    if (out->count) qsort(out->data, out->count, sizeof *out->data, compare_int32);
    return ABUT_OK;
}

#include "remesh/edge_table.h"

#include <string.h>

void edge_table_free(edge_table *t)
{
    array_free(&t->notes);
    array_free(&t->slots);
}

static uint64_t key_of(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

static size_t slot_of(uint64_t key, size_t slots)
{
    key *= 0x9E3779B97F4A7C15u;
    return (size_t)(key >> 32) & (slots - 1);
}

/* Index of the slot that holds the key, or of the empty one where it belongs. */
static size_t probe(const edge_table *t, uint64_t key)
{
    size_t at = slot_of(key, t->slots.count);
    while (t->slots.data[at] >= 0 && t->notes.data[t->slots.data[at]].key != key)
        at = (at + 1) & (t->slots.count - 1);
    return at;
}

static bool grow(edge_table *t)
{
    size_t slots = t->slots.count ? 2 * t->slots.count : 1024;
    if (!array_resize(&t->slots, slots)) return false;
    memset(t->slots.data, 0xff, slots * sizeof *t->slots.data);
    for (size_t i = 0; i < t->notes.count; i++)
        t->slots.data[probe(t, t->notes.data[i].key)] = (int32_t)i;
    return true;
}

edge_note *edge_table_find(const edge_table *t, int32_t a, int32_t b)
{
    if (t->slots.count == 0) return NULL;
    int32_t at = t->slots.data[probe(t, key_of(a, b))];
    return at < 0 ? NULL : &t->notes.data[at];
}

edge_note *edge_table_note(edge_table *t, int32_t a, int32_t b)
{
    edge_note *known = edge_table_find(t, a, b);
    if (known) return known;
    if (2 * (t->notes.count + 1) > t->slots.count && !grow(t)) return NULL;
    edge_note fresh = {.key = key_of(a, b)};
    if (!array_push(&t->notes, fresh)) return NULL;
    t->slots.data[probe(t, fresh.key)] = (int32_t)t->notes.count - 1;
    return &t->notes.data[t->notes.count - 1];
}

static bool goes_first(const queue_item *p, const queue_item *q)
{
    if (p->priority != q->priority) return p->priority > q->priority;
    if (p->a != q->a) return p->a < q->a;
    return p->b < q->b;
}

static void exchange(queue_item *p, queue_item *q)
{
    queue_item t = *p;
    *p = *q;
    *q = t;
}

bool edge_queue_push(edge_queue *q, queue_item item)
{
    if (!array_push(q, item)) return false;
    for (size_t i = q->count - 1; i > 0; i = (i - 1) / 2) {
        if (!goes_first(&q->data[i], &q->data[(i - 1) / 2])) break;
        exchange(&q->data[i], &q->data[(i - 1) / 2]);
    }
    return true;
}

bool edge_queue_pop(edge_queue *q, queue_item *out)
{
    if (q->count == 0) return false;
    *out = q->data[0];
    q->data[0] = q->data[--q->count];
    for (size_t i = 0;;) {
        size_t best = i, left = 2 * i + 1, right = left + 1;
        if (left < q->count && goes_first(&q->data[left], &q->data[best])) best = left;
        if (right < q->count && goes_first(&q->data[right], &q->data[best])) best = right;
        if (best == i) return true;
        exchange(&q->data[i], &q->data[best]);
        i = best;
    }
}

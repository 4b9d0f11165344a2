/* Cells of the (u, v) domain waiting for their turn in ccd/tight_inclusion.c: a binary heap of
 * fixed size, earliest time first. */
#ifndef CCD_CELLS_H
#define CCD_CELLS_H

#include <stdbool.h>

enum { MAX_CELLS = 96 };

/* For edge-edge the rectangle [p0, p1] x [p2, p3], for point-triangle the triangle (p0, p1) (p2,
 * p3) (p4, p5). It is proved free of contact for all times before t. */
typedef struct cell {
    double t;
    double p[6];
} cell;

typedef struct cell_heap {
    cell item[MAX_CELLS];
    int count;
} cell_heap;

/* Ties are broken by the parameters, so that the order does not depend on anything else. */
static inline bool cell_earlier(const cell *a, const cell *b)
{
    if (a->t != b->t) return a->t < b->t;
    for (int i = 0; i < 6; i++)
        if (a->p[i] != b->p[i]) return a->p[i] < b->p[i];
    return false;
}

static inline void heap_push(cell_heap *heap, const cell *added)
{
    int i = heap->count++;
    for (; i > 0 && cell_earlier(added, &heap->item[(i - 1) / 2]); i = (i - 1) / 2)
        heap->item[i] = heap->item[(i - 1) / 2];
    heap->item[i] = *added;
}

static inline cell heap_pop(cell_heap *heap)
{
    cell top = heap->item[0], last = heap->item[--heap->count];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= heap->count) break;
        if (child + 1 < heap->count && cell_earlier(&heap->item[child + 1], &heap->item[child]))
            child++;
        if (!cell_earlier(&heap->item[child], &last)) break;
        heap->item[i] = heap->item[child];
        i = child;
    }
    heap->item[i] = last;
    return top;
}

#endif

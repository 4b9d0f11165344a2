/* Two simple broad phases to compare with: a uniform grid (cells as long as the mean box, entries
 * sorted by cell) and all pairs. They count vertex-triangle and edge-edge pairs that share no
 * vertex, by the same boxes as src/broad. One thread. */
#ifndef BENCH_BROAD_GRID_H
#define BENCH_BROAD_GRID_H

#include "base/memory.h"
#include "broad/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct grid_list {
    size_t count;
    int arity;
    const int32_t *vertices; /* NULL: the vertex itself */
    exact_box *boxes;
} grid_list;

static inline grid_list grid_boxes(const broad_query *q, const void *vertices, int arity,
                                   size_t count)
{
    grid_list list = {count, arity, vertices, mem_alloc(count, sizeof(exact_box))};
    for (size_t i = 0; list.boxes && i < count; i++) {
        const int32_t *v = list.vertices ? list.vertices + i * (size_t)arity : NULL;
        list.boxes[i] = vertex_exact_box(q, v ? (size_t)v[0] : i);
        for (int c = 1; c < arity; c++) {
            exact_box other = vertex_exact_box(q, (size_t)v[c]);
            exact_box_include(&list.boxes[i], &other);
        }
    }
    return list;
}

static inline bool grid_pair(const grid_list *a, size_t i, const grid_list *b, size_t j)
{
    if (!exact_box_overlap(&a->boxes[i], &b->boxes[j])) return false;
    for (int c = 0; c < a->arity; c++)
        for (int d = 0; d < b->arity; d++) {
            int32_t v = a->vertices ? a->vertices[i * (size_t)a->arity + (size_t)c] : (int32_t)i;
            int32_t w = b->vertices ? b->vertices[j * (size_t)b->arity + (size_t)d] : (int32_t)j;
            if (v == w) return false;
        }
    return true;
}

static inline void brute_candidates(const broad_surface *s, const broad_query *q, size_t *vt,
                                    size_t *ee)
{
    grid_list v = grid_boxes(q, NULL, 1, s->vertex_count);
    grid_list e = grid_boxes(q, s->edges, 2, s->edge_count);
    grid_list t = grid_boxes(q, s->triangles, 3, s->triangle_count);
    *vt = *ee = 0;
    for (size_t i = 0; i < v.count; i++)
        for (size_t j = 0; j < t.count; j++) *vt += grid_pair(&v, i, &t, j);
    for (size_t i = 0; i < e.count; i++)
        for (size_t j = i + 1; j < e.count; j++) *ee += grid_pair(&e, i, &e, j);
    mem_free(v.boxes);
    mem_free(e.boxes);
    mem_free(t.boxes);
}

typedef struct grid {
    double origin[3], cell;
    int64_t size[3];
    size_t cells;
    uint32_t *begin; /* per cell, one more at the end */
    int32_t *items;
} grid;

static inline int64_t grid_coordinate(const grid *g, int d, double x)
{
    int64_t i = (int64_t)floor((x - g->origin[d]) / g->cell);
    return i < 0 ? 0 : i >= g->size[d] ? g->size[d] - 1 : i;
}

static inline void grid_range(const grid *g, const exact_box *b, int64_t low[3], int64_t high[3])
{
    for (int d = 0; d < 3; d++) {
        low[d] = grid_coordinate(g, d, b->low[d]);
        high[d] = grid_coordinate(g, d, b->high[d]);
    }
}

#define GRID_FOR_CELLS(g, box, low, high, cell)                                                    \
    int64_t low[3], high[3];                                                                       \
    grid_range(g, box, low, high);                                                                 \
    for (int64_t x_ = low[0]; x_ <= high[0]; x_++)                                                 \
        for (int64_t y_ = low[1]; y_ <= high[1]; y_++)                                             \
            for (int64_t z_ = low[2], cell = (x_ * (g)->size[1] + y_) * (g)->size[2] + z_;         \
                 z_ <= high[2]; z_++, cell++)

/* Enters every box into the cells it touches. */
static inline grid grid_build(const grid_list *list)
{
    grid g = {.cell = 0.0};
    double high[3];
    for (int d = 0; d < 3; d++) {
        g.origin[d] = INFINITY;
        high[d] = -INFINITY;
    }
    for (size_t i = 0; i < list->count; i++)
        for (int d = 0; d < 3; d++) {
            const exact_box *b = &list->boxes[i];
            g.origin[d] = fmin(g.origin[d], b->low[d]);
            high[d] = fmax(high[d], b->high[d]);
            g.cell += (b->high[d] - b->low[d]) / (3.0 * (double)list->count);
        }
    g.cell *= 1.5;
    for (;; g.cell *= 1.26) { /* at most 16 cells per box */
        g.cells = 1;
        for (int d = 0; d < 3; d++) {
            g.size[d] = (int64_t)((high[d] - g.origin[d]) / g.cell) + 1;
            g.cells *= (size_t)g.size[d];
        }
        if (g.cells <= 16 * list->count + 1024) break;
    }
    g.begin = mem_calloc(g.cells + 2, sizeof *g.begin);
    for (size_t i = 0; i < list->count; i++) {
        GRID_FOR_CELLS(&g, &list->boxes[i], lo, hi, cell) g.begin[cell + 2]++;
    }
    for (size_t c = 2; c < g.cells + 2; c++) g.begin[c] += g.begin[c - 1];
    g.items = mem_alloc(g.begin[g.cells + 1], sizeof *g.items);
    for (size_t i = 0; i < list->count; i++) {
        GRID_FOR_CELLS(&g, &list->boxes[i], lo, hi, cell)
        g.items[g.begin[cell + 1]++] = (int32_t)i;
    }
    return g;
}

/* Pairs of a with the boxes in the grid; each is counted in the first cell that both touch. */
static inline size_t grid_count(const grid *g, const grid_list *a, const grid_list *b, bool self)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        GRID_FOR_CELLS(g, &a->boxes[i], low, high, cell)
        {
            const int64_t here[3] = {x_, y_, z_};
            for (uint32_t k = g->begin[cell]; k < g->begin[cell + 1]; k++) {
                size_t j = (size_t)g->items[k];
                if ((self && j <= i) || !grid_pair(a, i, b, j)) continue;
                bool first = true;
                for (int d = 0; d < 3; d++) {
                    int64_t other = grid_coordinate(g, d, b->boxes[j].low[d]);
                    first &= here[d] == (other > low[d] ? other : low[d]);
                }
                count += first;
            }
        }
    }
    return count;
}

static inline void grid_candidates(const broad_surface *s, const broad_query *q, size_t *vt,
                                   size_t *ee)
{
    grid_list v = grid_boxes(q, NULL, 1, s->vertex_count);
    grid_list e = grid_boxes(q, s->edges, 2, s->edge_count);
    grid_list t = grid_boxes(q, s->triangles, 3, s->triangle_count);
    grid triangles = grid_build(&t), edges = grid_build(&e);
    *vt = grid_count(&triangles, &v, &t, false);
    *ee = grid_count(&edges, &e, &e, true);
    mem_free(triangles.begin);
    mem_free(triangles.items);
    mem_free(edges.begin);
    mem_free(edges.items);
    mem_free(v.boxes);
    mem_free(e.boxes);
    mem_free(t.boxes);
}

#endif

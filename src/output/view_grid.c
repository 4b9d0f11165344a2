#include "output/view_grid.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32, STEPS = 65535 };

void grid_memory_free(grid_memory *m)
{
    for (int i = 0; i < GRID_KEPT; i++) mem_free(m->kept[i].values);
    memset(m, 0, sizeof *m);
}

static bool holds(const grid_points *g, vec3 low, vec3 high)
{
    for (int k = 0; k < 3; k++)
        if (vec3_get(low, k) < vec3_get(g->low, k) || vec3_get(high, k) > vec3_get(g->high, k))
            return false;
    return true;
}

/* An eighth of the extent on every side is room for the next frames: without it every frame of a
 * moving body would need a grid of its own. */
static void choose_grid(grid_points *g, vec3 low, vec3 high)
{
    vec3 extent = vec3_sub(high, low);
    double room = fmax(extent.x, fmax(extent.y, extent.z)) / 8;
    g->low = vec3_sub(low, (vec3){room, room, room});
    g->high = vec3_add(high, (vec3){room, room, room});
}

/* The nearest of the steps; what is no number becomes the lowest. */
static uint16_t nearest(double x, double low, double high)
{
    double t = high > low ? (x - low) / (high - low) : 0.0;
    return (uint16_t)(t > 0.0 ? fmin(STEPS, floor(STEPS * t + 0.5)) : 0.0);
}

const grid_points *grid_place(grid_memory *m, uint64_t surface, const vec3 *points, size_t count,
                              vec3 low, vec3 high, uint64_t base, const grid_points **before)
{
    grid_points made = {.id = m->last + 1, .surface = surface, .count = count};
    grid_points *slot = &m->kept[made.id % GRID_KEPT];
    *before = base > 0 ? &m->kept[base % GRID_KEPT] : NULL;
    if (*before && ((*before)->id != base || *before == slot || (*before)->surface != surface ||
                    (*before)->count != count || !holds(*before, low, high)))
        *before = NULL;
    choose_grid(&made, low, high);
    if (*before) made.low = (*before)->low, made.high = (*before)->high;
    made.values = mem_alloc(3 * count + 1, sizeof *made.values);
    if (!made.values) return NULL;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < count; i++)
            made.values[(size_t)k * count + i] =
                nearest(vec3_get(points[i], k), vec3_get(made.low, k), vec3_get(made.high, k));
    mem_free(slot->values);
    *slot = made;
    m->last = made.id;
    return slot;
}

/* Change against the point before, as a number that is small when the change is. */
static uint32_t change(const uint16_t *now, const uint16_t *before, size_t i)
{
    uint16_t d = now[i];
    if (i > 0) d = (uint16_t)(d - now[i - 1]);
    if (before) d = (uint16_t)(d - (i > 0 ? before[i] - before[i - 1] : before[i]));
    return d & 0x8000 ? (uint32_t)(2 * (0xFFFF - d) + 1) : (uint32_t)(2 * d);
}

static int bits_of(uint32_t all)
{
    int bits = 0;
    while (all >> bits) bits++;
    return bits;
}

/* One number of `bits` bits after the other; `bits` words for a whole block. */
static void put_block(const uint32_t *numbers, int bits, unsigned char *to)
{
    uint64_t waiting = 0;
    int have = 0;
    for (int i = 0; i < BLOCK; i++) {
        waiting |= (uint64_t)numbers[i] << have;
        have += bits;
        for (; have >= 32; have -= 32, waiting >>= 32, to += 4)
            for (int b = 0; b < 4; b++) to[b] = (unsigned char)(waiting >> (8 * b));
    }
}

bool grid_pack(const grid_points *now, const grid_points *before, grid_bytes *out)
{
    size_t n = now->count, blocks = (n + BLOCK - 1) / BLOCK, first = out->count;
    size_t widths = (3 * blocks + 3) / 4 * 4;
    if (!array_resize(out, first + widths)) return false;
    memset(out->data + first, 0, widths);
    for (size_t b = 0; b < 3 * blocks; b++) {
        size_t begin = b % blocks * BLOCK, size = n - begin < BLOCK ? n - begin : BLOCK;
        const uint16_t *from = now->values + b / blocks * n;
        const uint16_t *old = before ? before->values + b / blocks * n : NULL;
        uint32_t numbers[BLOCK] = {0}, all = 0;
        for (size_t i = 0; i < size; i++) all |= numbers[i] = change(from, old, begin + i);
        int bits = bits_of(all);
        out->data[first + b] = (unsigned char)bits;
        size_t at = out->count;
        if (!array_resize(out, at + 4 * (size_t)bits)) return false;
        put_block(numbers, bits, out->data + at);
    }
    return true;
}

#include "output/outline.h"

#include "base/sort.h"

#include <stdlib.h>

/* A line within a slice: where it enters below and leaves above. */
typedef struct crossing {
    double low, high;
    size_t line;
} crossing;

static int compare_crossings(const void *a, const void *b)
{
    const crossing *x = a, *y = b;
    double left = x->low + x->high, right = y->low + y->high;
    return left < right ? -1 : left > right;
}

static double x_at(const vec3 line[2], double y)
{
    double t = (y - line[0].y) / (line[1].y - line[0].y);
    return line[0].x + t * (line[1].x - line[0].x);
}

static bool push_trapezoid(flat_triangles *out, const crossing *a, const crossing *b, double low,
                           double high)
{
    vec3 corner[4] = {{a->low, low, 0}, {b->low, low, 0}, {b->high, high, 0}, {a->high, high, 0}};
    flat_triangle first = {{corner[0], corner[1], corner[2]}, a->line};
    flat_triangle second = {{corner[0], corner[2], corner[3]}, a->line};
    return array_push(out, first) && array_push(out, second);
}

static bool fill_slice(const vec3 (*lines)[2], size_t count, double low, double high,
                       crossing *found, flat_triangles *out)
{
    size_t crossings = 0;
    double middle = 0.5 * (low + high);
    for (size_t i = 0; i < count; i++) {
        double a = lines[i][0].y, b = lines[i][1].y;
        if ((a < middle) == (b < middle)) continue;
        found[crossings++] = (crossing){x_at(lines[i], low), x_at(lines[i], high), i};
    }
    qsort(found, crossings, sizeof *found, compare_crossings);
    bool ok = true;
    for (size_t i = 0; ok && i + 1 < crossings; i += 2)
        ok = push_trapezoid(out, &found[i], &found[i + 1], low, high);
    return ok;
}

bool outline_fill(const vec3 (*lines)[2], size_t count, flat_triangles *out)
{
    double *heights = mem_alloc(2 * count + 1, sizeof *heights);
    crossing *found = mem_alloc(count + 1, sizeof *found);
    bool ok = heights && found;
    for (size_t i = 0; ok && i < 2 * count; i++) heights[i] = lines[i / 2][i % 2].y;
    if (ok) qsort(heights, 2 * count, sizeof *heights, compare_double);
    for (size_t i = 0; ok && i + 1 < 2 * count; i++)
        if (heights[i] < heights[i + 1])
            ok = fill_slice(lines, count, heights[i], heights[i + 1], found, out);
    mem_free(heights);
    mem_free(found);
    return ok;
}

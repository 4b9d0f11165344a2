#include "contact/stiffness.h"

#include <stdlib.h>
#include <string.h>

void stiffness_bounds(barrier_kind kind, double dhat, double extent, double mean_mass, double scale,
                      double *lowest, double *highest)
{
    double shat = dhat * dhat, s = 1e-16 * extent * extent;
    /* The rule looks at a distance of 1e-8 l; a dhat that small itself needs a closer look. */
    if (s > 1e-4 * shat) s = 1e-4 * shat;
    double curvature = scale * 4 * s * barrier_second(kind, s, shat);
    *lowest = 1e11 * mean_mass / curvature;
    *highest = 100 * *lowest;
}

double stiffness_balance(const double *contact_gradient, const double *other_gradient,
                         size_t scalars)
{
    double dot = 0, square = 0;
    for (size_t i = 0; i < scalars; i++) {
        dot += contact_gradient[i] * other_gradient[i];
        square += contact_gradient[i] * contact_gradient[i];
    }
    return square > 0 ? -dot / square : 0;
}

void close_pairs_free(close_pairs *pairs)
{
    array_free(&pairs->before);
    array_free(&pairs->now);
}

void close_pairs_begin(close_pairs *pairs) { array_clear(&pairs->now); }

double stiffness_tiny_gap(double extent) { return 1e-9 * extent; }

bool close_pairs_add(close_pairs *pairs, const int32_t vertex[4], double distance2, double limit)
{
    if (distance2 >= limit * limit) return true;
    close_pair pair = {.distance2 = distance2};
    memcpy(pair.vertex, vertex, sizeof pair.vertex);
    return array_push(&pairs->now, pair);
}

bool close_pairs_add_set(close_pairs *pairs, const active_set *set, double limit)
{
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < set->lists[k].count; i++) {
            const contact_stencil *c = &set->lists[k].data[i];
            if (!close_pairs_add(pairs, c->vertex, stencil_gap2(c), limit)) return false;
        }
    return true;
}

static int by_vertices(const void *a, const void *b)
{
    const close_pair *first = a, *second = b;
    return memcmp(first->vertex, second->vertex, sizeof first->vertex);
}

bool close_pairs_shrink(close_pairs *pairs, int patience)
{
    bool shrunk = false;
    if (pairs->now.count > 1)
        qsort(pairs->now.data, pairs->now.count, sizeof *pairs->now.data, by_vertices);
    for (size_t i = 0, j = 0; i < pairs->now.count; i++) {
        close_pair *now = &pairs->now.data[i];
        while (j < pairs->before.count && by_vertices(&pairs->before.data[j], now) < 0) j++;
        if (j == pairs->before.count) break;
        const close_pair *before = &pairs->before.data[j];
        if (by_vertices(before, now) != 0) continue;
        now->age = before->age + 1;
        shrunk = shrunk || (now->age >= patience && now->distance2 < before->distance2);
    }
    close_pair *data = pairs->before.data;
    size_t capacity = pairs->before.capacity;
    pairs->before.data = pairs->now.data;
    pairs->before.count = pairs->now.count;
    pairs->before.capacity = pairs->now.capacity;
    pairs->now.data = data;
    pairs->now.capacity = capacity;
    pairs->now.count = 0;
    return shrunk;
}

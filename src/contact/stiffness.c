#include "contact/stiffness.h"

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

bool close_pairs_add(close_pairs *pairs, const int32_t vertex[4], double distance2, double extent)
{
    double limit = 1e-9 * extent;
    if (distance2 >= limit * limit) return true;
    close_pair pair = {.distance2 = distance2};
    memcpy(pair.vertex, vertex, sizeof pair.vertex);
    return array_push(&pairs->now, pair);
}

bool close_pairs_add_set(close_pairs *pairs, const active_set *set, double extent)
{
    for (int k = 0; k < STENCIL_LISTS; k++)
        for (size_t i = 0; i < set->lists[k].count; i++) {
            const contact_stencil *c = &set->lists[k].data[i];
            if (!close_pairs_add(pairs, c->vertex, stencil_gap2(c), extent)) return false;
        }
    return true;
}

bool close_pairs_shrink(close_pairs *pairs)
{
    bool shrunk = false;
    for (size_t i = 0; i < pairs->now.count && !shrunk; i++)
        for (size_t j = 0; j < pairs->before.count && !shrunk; j++) {
            const close_pair *now = &pairs->now.data[i], *before = &pairs->before.data[j];
            shrunk = memcmp(now->vertex, before->vertex, sizeof now->vertex) == 0 &&
                     now->distance2 < before->distance2;
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

/* Vertices that are attached to a body, as keys beside the pairs of bodies that do not collide
 * (broad_surface.excluded, ascending): the highest bit, the vertex, the body. What such a vertex
 * belongs to does not collide with that body. */
#ifndef BROAD_ATTACHED_H
#define BROAD_ATTACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t broad_attached(int32_t vertex, int32_t body)
{
    return (uint64_t)1 << 63 | (uint64_t)vertex << 32 | (uint32_t)body;
}

/* Whether a list has any. */
static inline bool broad_has_attached(const uint64_t *excluded, size_t count)
{
    return count > 0 && excluded[count - 1] >> 63;
}

#endif

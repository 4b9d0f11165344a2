/* Cutting bodies into parts (parts.h): a part has a few neighbouring triangles, or free edges, or
 * free points of one body, and with them every edge and point that belongs to no earlier part. */
#ifndef BROAD_PARTS_BUILD_H
#define BROAD_PARTS_BUILD_H

#include "broad/parts.h"

typedef enum part_list_kind {
    PART_VERTICES, /* of all primitives of the part */
    PART_POINTS,
    PART_EDGES,
    PART_TRIANGLES,
    PART_LIST_COUNT
} part_list_kind;

typedef struct part_lists {
    ARRAY(broad_part) parts;
    ARRAY(int32_t) items[PART_LIST_COUNT];
    ARRAY(size_t) begin[PART_LIST_COUNT]; /* per part, one more than parts */
} part_lists;

/* body: per vertex. */
abut_status part_lists_build(part_lists *l, const broad_surface *s, const int32_t *body,
                             const vec3 *rest, abut_error *err);
void part_lists_free(part_lists *l);

static inline const int32_t *part_list_of(const part_lists *l, part_list_kind kind, size_t part,
                                          size_t *count)
{
    size_t begin = l->begin[kind].data[part];
    *count = l->begin[kind].data[part + 1] - begin;
    return l->items[kind].data + begin;
}

/* Vertices of a point, an edge or a triangle. */
static inline const int32_t *primitive_vertices(const broad_surface *s, int arity,
                                                const int32_t *id)
{
    return arity == 1 ? id : arity == 2 ? s->edges[*id] : s->triangles[*id];
}

#endif

/* From the node numbers of a file, which may be sparse and in any order, to vertex indices. */
#ifndef MESH_NODE_MAP_H
#define MESH_NODE_MAP_H

#include "base/array.h"
#include "base/status.h"

typedef struct node_map_entry {
    int64_t tag;
    int32_t index;
} node_map_entry;

typedef struct node_map {
    size_t count;               /* nodes so far */
    int64_t first;              /* while `tags` is empty, node i has the tag first + i */
    ARRAY(int64_t) tags;        /* the tags of all nodes, once one is out of sequence */
    int32_t *dense;             /* index of each tag from `first` on, -1 for none; or NULL */
    size_t dense_count;         /* ... when their range is not much larger than their number */
    ARRAY(node_map_entry) list; /* otherwise sorted by tag */
} node_map;

void node_map_free(node_map *map);
/* The next node has this tag. False when out of memory. */
bool node_map_add(node_map *map, int64_t tag);
/* To be called once after the last node and before the first search. *twice is a tag that was given
 * to two nodes, when it returns ABUT_ERROR_INPUT; otherwise ABUT_OK or ABUT_ERROR_MEMORY. */
abut_status node_map_finish(node_map *map, int64_t *twice);

int32_t node_map_search(const node_map *map, int64_t tag);

/* Index of the node with this tag, or -1. */
static inline int32_t node_map_find(const node_map *map, int64_t tag)
{
    uint64_t offset = (uint64_t)tag - (uint64_t)map->first;
    if (map->tags.count == 0) return offset < map->count ? (int32_t)offset : -1;
    if (map->dense) return offset < map->dense_count ? map->dense[offset] : -1;
    return node_map_search(map, tag);
}

#endif

#include "mesh/node_map.h"

#include <stdlib.h>

void node_map_free(node_map *map)
{
    array_free(&map->tags);
    array_free(&map->list);
    mem_free(map->dense);
    *map = (node_map){0};
}

bool node_map_add(node_map *map, int64_t tag)
{
    if (map->count == 0) map->first = tag;
    bool in_sequence = map->tags.count == 0 && (uint64_t)tag - (uint64_t)map->first == map->count;
    if (!in_sequence) {
        if (map->tags.count == 0) {
            if (!array_reserve(&map->tags, map->count + 1)) return false;
            for (size_t i = 0; i < map->count; i++)
                map->tags.data[i] = (int64_t)((uint64_t)map->first + i);
            map->tags.count = map->count;
        }
        if (!array_push(&map->tags, tag)) return false;
    }
    map->count++;
    return true;
}

static abut_status fill_dense(node_map *map, int64_t low, uint64_t range, int64_t *twice)
{
    map->dense_count = (size_t)range;
    map->dense = mem_alloc(map->dense_count, sizeof *map->dense);
    if (!map->dense) return ABUT_ERROR_MEMORY;
    for (size_t i = 0; i < map->dense_count; i++) map->dense[i] = -1;
    map->first = low;
    for (size_t i = 0; i < map->count; i++) {
        int32_t *slot = &map->dense[(uint64_t)map->tags.data[i] - (uint64_t)low];
        *twice = map->tags.data[i];
        if (*slot >= 0) return ABUT_ERROR_INPUT;
        *slot = (int32_t)i;
    }
    return ABUT_OK;
}

static int compare_entries(const void *a, const void *b)
{
    int64_t x = ((const node_map_entry *)a)->tag, y = ((const node_map_entry *)b)->tag;
    return (x > y) - (x < y);
}

static abut_status fill_list(node_map *map, int64_t *twice)
{
    if (!array_resize(&map->list, map->count)) return ABUT_ERROR_MEMORY;
    for (size_t i = 0; i < map->count; i++)
        map->list.data[i] = (node_map_entry){map->tags.data[i], (int32_t)i};
    qsort(map->list.data, map->count, sizeof *map->list.data, compare_entries);
    for (size_t i = 1; i < map->count; i++) {
        *twice = map->list.data[i].tag;
        if (map->list.data[i - 1].tag == *twice) return ABUT_ERROR_INPUT;
    }
    return ABUT_OK;
}

abut_status node_map_finish(node_map *map, int64_t *twice)
{
    if (map->tags.count == 0) return ABUT_OK;
    int64_t low = map->tags.data[0], high = low;
    for (size_t i = 1; i < map->count; i++) {
        if (map->tags.data[i] < low) low = map->tags.data[i];
        if (map->tags.data[i] > high) high = map->tags.data[i];
    }
    uint64_t range = (uint64_t)high - (uint64_t)low + 1;
    if (range != 0 && range / 4 <= map->count) return fill_dense(map, low, range, twice);
    return fill_list(map, twice);
}

int32_t node_map_search(const node_map *map, int64_t tag)
{
    size_t low = 0, high = map->list.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->list.data[middle].tag < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low < map->list.count && map->list.data[low].tag == tag ? map->list.data[low].index : -1;
}

#include "linear/scatter.h"

#include "base/parallel.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

void scatter_map_free(scatter_map *map)
{
    array_free(&map->entries);
    array_free(&map->chunk_start);
    memset(map, 0, sizeof *map);
}

/* Stable counting sort by destination bytes; scratch has room for n entries. */
static void sort_entries(scatter_entry *entries, scatter_entry *scratch, size_t n)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t d = (uint32_t)entries[i].destination;
        low = d < low ? d : low;
        high = d > high ? d : high;
    }
    if (n < 2) return;
    scatter_entry *from = entries, *to = scratch;
    for (int shift = 0; shift < 32 && (high - low) >> shift > 0; shift += 11) {
        uint32_t start[2048] = {0};
        for (size_t i = 0; i < n; i++)
            start[((uint32_t)from[i].destination - low) >> shift & 2047]++;
        uint32_t sum = 0;
        for (int b = 0; b < 2048; b++) {
            uint32_t count = start[b];
            start[b] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[start[((uint32_t)from[i].destination - low) >> shift & 2047]++] = from[i];
        scatter_entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) memcpy(entries, from, n * sizeof *entries);
}

/* Reserves room for all entries of the map, `per_item` each, as if none was dropped, and
 * behind them for those of a chunk that is sorted. */
abut_status scatter_map_begin(scatter_map *map, int width, size_t count, size_t per_item,
                              abut_error *err)
{
    map->width = width;
    map->item_count = count;
    size_t size = scatter_chunk(width), chunks = (count + size - 1) / size;
    size_t sorted = (count < size ? count : size) * per_item;
    if (!array_resize(&map->chunk_start, chunks + 1) ||
        !array_reserve(&map->entries, count * per_item + sorted))
        return error_memory(err, "mapping element contributions");
    map->entries.count = 0;
    map->chunk_start.data[0] = 0;
    return ABUT_OK;
}

void scatter_map_end_chunk(scatter_map *map, size_t chunk)
{
    size_t begin = map->chunk_start.data[chunk], n = map->entries.count - begin;
    sort_entries(map->entries.data + begin, map->entries.data + map->entries.count, n);
    map->chunk_start.data[chunk + 1] = map->entries.count;
}

/* A map whose chunks are filled side by side: each begins where it would if no entry before it were
 * dropped, and they are moved together afterwards. */
typedef struct chunk_maker {
    scatter_map *map;
    size_t per_item;
    const int32_t *blocks;
    const block_matrix *matrix; /* NULL: a map for gradients */
} chunk_maker;

static size_t fill_gradient_chunk(const chunk_maker *w, size_t first, size_t last,
                                  scatter_entry *out)
{
    size_t width = (size_t)w->map->width, n = 0;
    for (size_t i = first; i < last; i++)
        for (size_t a = 0; a < width; a++) {
            int32_t block = w->blocks[i * width + a];
            if (block < 0) continue;
            out[n++] = (scatter_entry){block, (int32_t)((i - first) * width + a) << 2};
        }
    return n;
}

static uint64_t pair_key(int32_t a, int32_t b, int32_t *row, int32_t *column)
{
    *row = a > b ? a : b;
    *column = a > b ? b : a;
    return block_key(*row, *column);
}

/* *complete: no key was missing. */
static size_t fill_matrix_chunk(const chunk_maker *w, size_t first, size_t last, scatter_entry *out,
                                bool *complete)
{
    int width = w->map->width;
    size_t n = 0, source = 0;
    *complete = true;
    for (size_t i = first; i < last; i++) {
        const int32_t *item = w->blocks + i * (size_t)width;
        for (int a = 0; a < width; a++)
            for (int b = a; b < width; b++, source++) {
                if (item[a] < 0 || item[b] < 0) continue;
                int32_t row, column;
                pair_key(item[a], item[b], &row, &column);
                int32_t slot = block_matrix_find(w->matrix, row, column);
                if (slot < 0) {
                    *complete = false;
                    continue;
                }
                int flags = item[a] < item[b] ? SCATTER_TRANSPOSE : 0;
                if (a != b && item[a] == item[b]) flags = SCATTER_BOTH;
                out[n++] = (scatter_entry){slot, (int32_t)source << 2 | flags};
            }
    }
    return n;
}

/* chunk_start[chunk + 1] <- the number of entries, INCOMPLETE added when keys were missing. */
static const size_t INCOMPLETE = (size_t)1 << 62;

static void make_chunks(void *context, size_t begin, size_t end)
{
    const chunk_maker *w = context;
    scatter_map *map = w->map;
    size_t size = scatter_chunk(map->width), room = size * w->per_item;
    size_t worker = map->chunk_start.count > 2 ? (size_t)parallel_worker() : 0;
    scatter_entry *scratch = map->entries.data + map->item_count * w->per_item + worker * room;
    for (size_t chunk = begin; chunk < end; chunk++) {
        size_t first = chunk * size, last = first + size;
        if (last > map->item_count) last = map->item_count;
        scatter_entry *own = map->entries.data + chunk * room;
        bool complete = true;
        size_t n = w->matrix ? fill_matrix_chunk(w, first, last, own, &complete)
                             : fill_gradient_chunk(w, first, last, own);
        sort_entries(own, scratch, n);
        map->chunk_start.data[chunk + 1] = n + (complete ? 0 : INCOMPLETE);
    }
}

/* Keys of a chunk's items that the pattern lacks, appended. */
static abut_status list_missing(const chunk_maker *w, size_t chunk, key_list *missing,
                                abut_error *err)
{
    int width = w->map->width;
    size_t size = scatter_chunk(width);
    for (size_t i = chunk * size; i < (chunk + 1) * size && i < w->map->item_count; i++) {
        const int32_t *item = w->blocks + i * (size_t)width;
        for (int a = 0; a < width; a++)
            for (int b = a; b < width; b++) {
                if (item[a] < 0 || item[b] < 0) continue;
                int32_t row, column;
                uint64_t key = pair_key(item[a], item[b], &row, &column);
                if (block_matrix_find(w->matrix, row, column) >= 0) continue;
                if (!array_push(missing, key))
                    return error_memory(err, "extending the sparse matrix");
            }
    }
    return ABUT_OK;
}

static abut_status make_map(const chunk_maker *w, int width, size_t count, key_list *missing,
                            abut_error *err)
{
    scatter_map *map = w->map;
    size_t size = scatter_chunk(width), room = size * w->per_item;
    TRY(scatter_map_begin(map, width, count, w->per_item, err));
    size_t chunks = map->chunk_start.count - 1, at_once = (size_t)parallel_threads();
    if (chunks > 1 && !array_reserve(&map->entries, count * w->per_item + at_once * room))
        return error_memory(err, "mapping element contributions");
    parallel_for(chunks, 1, make_chunks, (void *)w);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        size_t begin = map->entries.count, n = map->chunk_start.data[chunk + 1];
        if (n >= INCOMPLETE) {
            n -= INCOMPLETE;
            TRY(list_missing(w, chunk, missing, err));
        }
        if (begin != chunk * room && n > 0)
            memmove(map->entries.data + begin, map->entries.data + chunk * room,
                    n * sizeof *map->entries.data);
        map->chunk_start.data[chunk + 1] = map->entries.count = begin + n;
    }
    return ABUT_OK;
}

abut_status scatter_map_gradient(scatter_map *map, int width, size_t count, const int32_t *blocks,
                                 abut_error *err)
{
    chunk_maker maker = {map, (size_t)width, blocks, NULL};
    return make_map(&maker, width, count, NULL, err);
}

abut_status scatter_map_matrix(scatter_map *map, int width, size_t count, const int32_t *blocks,
                               const block_matrix *matrix, key_list *missing, abut_error *err)
{
    chunk_maker maker = {map, (size_t)(width * (width + 1) / 2), blocks, matrix};
    return make_map(&maker, width, count, missing, err);
}

abut_status scatter_append_keys(key_list *keys, int width, size_t count, const int32_t *blocks,
                                abut_error *err)
{
    size_t pairs = (size_t)(width * (width - 1) / 2);
    if (!array_reserve(keys, keys->count + count * pairs))
        return error_memory(err, "listing matrix entries");
    for (size_t i = 0; i < count; i++) {
        const int32_t *item = blocks + i * (size_t)width;
        for (int a = 0; a < width; a++)
            for (int b = a + 1; b < width; b++)
                if (item[a] >= 0 && item[b] >= 0 && item[a] != item[b])
                    keys->data[keys->count++] = block_key(item[a], item[b]);
    }
    return ABUT_OK;
}

void key_list_unique(key_list *keys)
{
    if (keys->count < 2) return;
    if (keys->capacity - keys->count >= keys->count) { /* room to sort in linear time */
        keys->count = sort_unique_u64(keys->data, keys->data + keys->count, keys->count);
        return;
    }
    qsort(keys->data, keys->count, sizeof *keys->data, compare_uint64);
    size_t kept = 1;
    for (size_t i = 1; i < keys->count; i++)
        if (keys->data[i] != keys->data[kept - 1]) keys->data[kept++] = keys->data[i];
    keys->count = kept;
}

abut_status key_list_thin(key_list *keys, size_t *distinct, abut_error *err)
{
    enum { FEW_KEYS = 1 << 16 };
    if (keys->count < 2 * *distinct + FEW_KEYS) return ABUT_OK;
    if (!array_reserve(keys, 2 * keys->count)) return error_memory(err, "listing matrix entries");
    key_list_unique(keys);
    *distinct = keys->count;
    return ABUT_OK;
}

abut_status key_list_trim(key_list *keys, abut_error *err)
{
    uint64_t *data = mem_realloc(keys->data, keys->count, sizeof *keys->data);
    if (!data) return error_memory(err, "listing matrix entries");
    keys->data = data;
    keys->capacity = keys->count;
    return ABUT_OK;
}

/* Work of one gather: the entries of a chunk, cut at destination boundaries. */
typedef struct gather {
    const scatter_entry *entries;
    size_t count;
    const double *buffer;
    double *gradient;
    block_matrix *matrix;
} gather;

void scatter_align(const scatter_entry *entries, size_t count, size_t *begin, size_t *end)
{
    while (*begin > 0 && *begin < count &&
           entries[*begin].destination == entries[*begin - 1].destination)
        ++*begin;
    while (*end > 0 && *end < count && entries[*end].destination == entries[*end - 1].destination)
        ++*end;
}

static void gather_gradient(void *context, size_t begin, size_t end)
{
    gather *g = context;
    scatter_align(g->entries, g->count, &begin, &end);
    for (size_t k = begin; k < end; k++) {
        const double *part = g->buffer + 3 * (size_t)(g->entries[k].source >> 2);
        double *to = g->gradient + 3 * (size_t)g->entries[k].destination;
        to[0] += part[0];
        to[1] += part[1];
        to[2] += part[2];
    }
}

static void gather_matrix(void *context, size_t begin, size_t end)
{
    gather *g = context;
    scatter_align(g->entries, g->count, &begin, &end);
    for (size_t k = begin; k < end; k++) {
        int32_t slot = g->entries[k].destination;
        int flags = g->entries[k].source & 3;
        const double *b = g->buffer + 9 * (size_t)(g->entries[k].source >> 2);
        int32_t column = g->matrix->column[slot];
        size_t stride = (size_t)block_matrix_stride(g->matrix, column);
        double *to = g->matrix->value + block_matrix_offset(g->matrix, column, slot);
        if (flags & SCATTER_BOTH) {
            for (size_t c = 0; c < 3; c++)
                for (size_t r = 0; r < 3; r++) to[c * stride + r] += b[3 * r + c] + b[3 * c + r];
        } else if (flags & SCATTER_TRANSPOSE) {
            for (size_t c = 0; c < 3; c++)
                for (size_t r = 0; r < 3; r++) to[c * stride + r] += b[3 * c + r];
        } else {
            for (size_t c = 0; c < 3; c++)
                for (size_t r = 0; r < 3; r++) to[c * stride + r] += b[3 * r + c];
        }
    }
}

static gather gather_of_chunk(const scatter_map *map, size_t chunk, const double *buffer)
{
    size_t begin = map->chunk_start.data[chunk];
    return (gather){.entries = map->entries.data + begin,
                    .count = map->chunk_start.data[chunk + 1] - begin,
                    .buffer = buffer};
}

void scatter_add_gradient(const scatter_map *map, size_t chunk, const double *buffer,
                          double *gradient)
{
    gather g = gather_of_chunk(map, chunk, buffer);
    g.gradient = gradient;
    parallel_for(g.count, 2048, gather_gradient, &g);
}

void scatter_add_matrix(const scatter_map *map, size_t chunk, const double *buffer,
                        block_matrix *matrix)
{
    gather g = gather_of_chunk(map, chunk, buffer);
    g.matrix = matrix;
    parallel_for(g.count, 1024, gather_matrix, &g);
}

/* Adding many small contributions into shared destinations in parallel, with the same bits for any
 * number of threads.
 *
 * Items (elements, contact stencils) come in chunks of fixed size. For a chunk the contributions
 * are first computed into a buffer, then every destination gathers its own in the order of the
 * items. The map says which contribution goes where; it is built once for fixed meshes, and
 * whenever the contact set changes. */
#ifndef LINEAR_SCATTER_H
#define LINEAR_SCATTER_H

#include "base/array.h"
#include "base/status.h"
#include "linear/block_matrix.h"

/* Items of a chunk: few of those that fill much of the buffer. */
static inline size_t scatter_chunk(int width)
{
    return width <= 12 ? 1024 : width <= 24 ? 256 : width <= 48 ? 64 : 16;
}

typedef struct scatter_entry {
    int32_t destination; /* block (gradient) or slot (matrix) */
    int32_t source;      /* contribution within the chunk, shifted left by 2, and SCATTER flags */
} scatter_entry;

enum { SCATTER_TRANSPOSE = 1, SCATTER_BOTH = 2 }; /* BOTH: add the block and its transpose */

typedef struct scatter_map {
    int width;
    size_t item_count;
    ARRAY(scatter_entry) entries; /* sorted by destination within each chunk */
    ARRAY(size_t) chunk_start;    /* chunk count + 1 */
} scatter_map;

void scatter_map_free(scatter_map *map);

/* Map for gradients: item i adds its part a to block blocks[i * width + a]; -1 is dropped. */
abut_status scatter_map_gradient(scatter_map *map, int width, size_t count, const int32_t *blocks,
                                 abut_error *err);

/* Map for matrices: item i adds its block pair (a, b), a <= b, pairs in row order of the upper
 * triangle. Keys that the pattern lacks are appended to *missing and their entries dropped. */
typedef struct key_list {
    uint64_t *data;
    size_t count, capacity;
} key_list;
abut_status scatter_map_matrix(scatter_map *map, int width, size_t count, const int32_t *blocks,
                               const block_matrix *matrix, key_list *missing, abut_error *err);

/* All keys of a list of stencils, appended (not sorted, not unique). */
abut_status scatter_append_keys(key_list *keys, int width, size_t count, const int32_t *blocks,
                                abut_error *err);
/* Sorts and removes duplicates. */
void key_list_unique(key_list *keys);
/* For long lists that are filled piece by piece: drops duplicates when there may be many. A mesh
 * names each of its keys several times. *distinct: 0 at first. */
abut_status key_list_thin(key_list *keys, size_t *distinct, abut_error *err);
/* Gives back the room that is not used. */
abut_status key_list_trim(key_list *keys, abut_error *err);
/* Stencils of a piece. */
enum { KEY_PIECE = 8192 };

/* For maps of other destinations (row_matrix.h). A map is begun with room for all its entries,
 * per_item each, filled chunk by chunk, and every chunk ended: its entries are sorted. */
abut_status scatter_map_begin(scatter_map *map, int width, size_t count, size_t per_item,
                              abut_error *err);
void scatter_map_end_chunk(scatter_map *map, size_t chunk);
/* Moves the ends of a piece of a chunk to the next destination, so that none is shared. */
void scatter_align(const scatter_entry *entries, size_t count, size_t *begin, size_t *end);

/* Adds the contributions of one chunk; buffer holds 3 doubles per part of an item. */
void scatter_add_gradient(const scatter_map *map, size_t chunk, const double *buffer,
                          double *gradient);
/* Adds the blocks of one chunk; buffer holds 9 doubles (row-major 3x3) per block pair. */
void scatter_add_matrix(const scatter_map *map, size_t chunk, const double *buffer,
                        block_matrix *matrix);

#endif

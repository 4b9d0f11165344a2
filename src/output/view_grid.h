/* Positions of the points of large frames, in few bytes: on a grid of 65536 steps per coordinate,
 * and as what changed since a frame that the page has already.
 *
 * The change of a point is nearly that of the point before it in the list, so what is sent is the
 * difference of the two, 0, -1, 1, -2, ... as 0, 1, 2, 3, ..., in blocks of 32 numbers that take as
 * many bits each as the largest of the block needs. Nothing is lost beyond the step of the grid,
 * which stays the same from frame to frame until a point leaves it, so that errors do not add up.
 */
#ifndef OUTPUT_VIEW_GRID_H
#define OUTPUT_VIEW_GRID_H

#include "base/array.h"
#include "math/vec3.h"

#include <stdbool.h>
#include <stdint.h>

/* A frame that was sent. */
typedef struct grid_points {
    uint64_t id; /* counts what was sent; 0: nothing */
    uint64_t surface;
    vec3 low, high; /* of the grid */
    size_t count;
    uint16_t *values; /* x of all points, then y, then z */
} grid_points;

/* Pages load the frames that follow the shown one, a few at a time. */
enum { GRID_KEPT = 8 };

/* The latest frames that were sent; zero at first. */
typedef struct grid_memory {
    grid_points kept[GRID_KEPT];
    uint64_t last;
} grid_memory;

void grid_memory_free(grid_memory *m);

/* Puts points between low and high onto a grid and keeps them: that of the frame `base`, when it
 * was sent, is still kept, has the same surface, and has room for them; *before is that frame then,
 * NULL otherwise. NULL when memory runs out. */
const grid_points *grid_place(grid_memory *m, uint64_t surface, const vec3 *points, size_t count,
                              vec3 low, vec3 high, uint64_t base, const grid_points **before);

typedef ARRAY(unsigned char) grid_bytes;

/* Appends the points as described above: one byte per block with its bits per number, zeros up to a
 * multiple of 4, the blocks, in words of 32 bits, from the lowest bit on. Without `before`
 * all of it is change. */
bool grid_pack(const grid_points *now, const grid_points *before, grid_bytes *out);

#endif

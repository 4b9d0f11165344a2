/* Boxes in a hierarchy of uniform grids, for the independent checker only (the solver has its own
 * broad phase, which this must not share). A box is stored once, in the cell of its low corner on
 * the level whose cells are at least as large as the box; a query looks at every level, and scans a
 * level from end to end when that is cheaper than visiting cells. Cell sizes are powers of two, so
 * that cell numbers are exact. */
#ifndef GEOMETRY_CHECK_GRID_H
#define GEOMETRY_CHECK_GRID_H

#include "base/array.h"
#include "base/status.h"
#include "math/vec3.h"

typedef struct check_box {
    vec3 low, high;
} check_box;

typedef ARRAY(int32_t) check_candidates;

typedef struct check_level {
    double cells_per_length; /* a power of two */
    size_t first, count;     /* boxes of this level, sorted by bucket */
    size_t bucket_first, bucket_mask;
} check_level;

typedef struct check_grid {
    size_t count;
    check_box *boxes; /* in grid order */
    int32_t *index;   /* number of the box as given */
    int64_t (*cell)[3];
    size_t *bucket; /* start of each bucket, per level one more than it has */
    ARRAY(check_level) levels;
} check_grid;

/* Coordinates must be finite. Cells are not smaller than cell_floor, which should be the size of a
 * typical query. */
abut_status check_grid_build(check_grid *grid, const check_box *boxes, size_t count,
                             double cell_floor, abut_error *err);
void check_grid_free(check_grid *grid);

/* Appends the numbers of all boxes that meet the closed box; false when out of memory. */
bool check_grid_query(const check_grid *grid, check_box box, check_candidates *out);

#endif

#include "geometry/check_grid.h"

#include <string.h>

enum { EXPONENT_LOW = -1100, EXPONENT_COUNT = 2300 };

static double box_size(const check_box *box) { return vec3_max_abs(vec3_sub(box->high, box->low)); }

/* An exponent e with 2^e >= size. */
static int size_exponent(double size)
{
    int e;
    frexp(size, &e);
    return size > 0.0 ? e : EXPONENT_LOW;
}

static inline int64_t cell_of(double x, double cells_per_length)
{
    return (int64_t)floor(x * cells_per_length);
}

static inline size_t cell_hash(int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^
                 (uint64_t)z * 0x165667b19e3779f9u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (size_t)(h ^ (h >> 32));
}

/* Smallest exponent of a cell: cell numbers stay below 2^51. */
static int lowest_exponent(const check_box *boxes, size_t count, double cell_floor)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fmax(vec3_max_abs(boxes[i].low), vec3_max_abs(boxes[i].high)));
    int lowest = size_exponent(largest) - 50;
    int wanted = size_exponent(cell_floor);
    if (wanted > lowest) lowest = wanted;
    return lowest < -1000 ? -1000 : lowest;
}

static int box_exponent(const check_box *box, int lowest)
{
    int e = size_exponent(box_size(box));
    return e > lowest ? e : lowest;
}

/* One level per exponent that occurs; counts become the places where its boxes begin. */
static abut_status make_levels(check_grid *grid, const check_box *boxes, int lowest,
                               size_t level_of[EXPONENT_COUNT], size_t *bucket_total,
                               abut_error *err)
{
    size_t counts[EXPONENT_COUNT] = {0};
    for (size_t i = 0; i < grid->count; i++)
        counts[box_exponent(&boxes[i], lowest) - EXPONENT_LOW]++;
    size_t first = 0;
    *bucket_total = 0;
    for (int e = 0; e < EXPONENT_COUNT; e++) {
        if (!counts[e]) continue;
        size_t buckets = 1;
        while (buckets < counts[e]) buckets *= 2;
        check_level level = {ldexp(1.0, -(e + EXPONENT_LOW)), first, counts[e], *bucket_total,
                             buckets - 1};
        level_of[e] = grid->levels.count;
        if (!array_push(&grid->levels, level)) return error_memory(err, "checking grid");
        first += counts[e];
        *bucket_total += buckets + 1;
    }
    return ABUT_OK;
}

static size_t bucket_of(const check_level *level, const int64_t cell[3])
{
    return level->bucket_first + (cell_hash(cell[0], cell[1], cell[2]) & level->bucket_mask);
}

/* Counting sort of the boxes by level and bucket. */
static void place_boxes(check_grid *grid, const check_box *boxes, int lowest,
                        const size_t level_of[EXPONENT_COUNT], size_t *slot)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < grid->count; i++) {
            const check_level *level =
                &grid->levels.data[level_of[box_exponent(&boxes[i], lowest) - EXPONENT_LOW]];
            int64_t cell[3];
            for (int k = 0; k < 3; k++)
                cell[k] = cell_of(vec3_get(boxes[i].low, k), level->cells_per_length);
            if (pass == 0) {
                slot[i] = bucket_of(level, cell);
                grid->bucket[slot[i] + 1]++;
                continue;
            }
            size_t place = grid->bucket[slot[i]]++;
            grid->boxes[place] = boxes[i];
            grid->index[place] = (int32_t)i;
            memcpy(grid->cell[place], cell, sizeof cell);
        }
        for (size_t l = 0; l < grid->levels.count; l++) {
            const check_level *level = &grid->levels.data[l];
            size_t *bucket = grid->bucket + level->bucket_first, n = level->bucket_mask + 1;
            if (pass == 0) {
                bucket[0] = level->first;
                for (size_t b = 0; b < n; b++) bucket[b + 1] += bucket[b];
            } else { /* every start has moved to the next start */
                memmove(bucket + 1, bucket, n * sizeof *bucket);
                bucket[0] = level->first;
            }
        }
    }
}

abut_status check_grid_build(check_grid *grid, const check_box *boxes, size_t count,
                             double cell_floor, abut_error *err)
{
    *grid = (check_grid){.count = count};
    size_t level_of[EXPONENT_COUNT] = {0}, bucket_total;
    int lowest = lowest_exponent(boxes, count, cell_floor);
    abut_status status = make_levels(grid, boxes, lowest, level_of, &bucket_total, err);
    if (status == ABUT_OK) {
        grid->boxes = mem_alloc(count, sizeof *grid->boxes);
        grid->index = mem_alloc(count, sizeof *grid->index);
        grid->cell = mem_alloc(count, sizeof *grid->cell);
        grid->bucket = mem_calloc(bucket_total, sizeof *grid->bucket);
        size_t *slot = mem_alloc(count, sizeof *slot);
        if (grid->boxes && grid->index && grid->cell && grid->bucket && slot)
            place_boxes(grid, boxes, lowest, level_of, slot);
        else
            status = error_memory(err, "checking grid");
        mem_free(slot);
    }
    if (status != ABUT_OK) check_grid_free(grid);
    return status;
}

void check_grid_free(check_grid *grid)
{
    mem_free(grid->boxes);
    mem_free(grid->index);
    mem_free(grid->cell);
    mem_free(grid->bucket);
    array_free(&grid->levels);
    *grid = (check_grid){0};
}

static inline bool boxes_meet(const check_box *a, const check_box *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static bool add_if_met(const check_grid *grid, size_t i, const check_box *box,
                       check_candidates *out)
{
    return !boxes_meet(&grid->boxes[i], box) || array_push(out, grid->index[i]);
}

static bool query_cell(const check_grid *grid, const check_level *level, const int64_t cell[3],
                       const check_box *box, check_candidates *out)
{
    size_t b = bucket_of(level, cell);
    for (size_t i = grid->bucket[b]; i < grid->bucket[b + 1]; i++)
        if (memcmp(grid->cell[i], cell, sizeof grid->cell[i]) == 0 &&
            !add_if_met(grid, i, box, out))
            return false;
    return true;
}

static bool query_level(const check_grid *grid, const check_level *level, const check_box *box,
                        check_candidates *out)
{
    /* A box that reaches into the query begins in one of its cells or in the one before. */
    double low[3], high[3], cells = 1.0;
    for (int k = 0; k < 3; k++) {
        low[k] = floor(vec3_get(box->low, k) * level->cells_per_length) - 1.0;
        high[k] = floor(vec3_get(box->high, k) * level->cells_per_length);
        cells *= high[k] - low[k] + 1.0;
    }
    if (!(cells < (double)level->count)) {
        for (size_t i = level->first; i < level->first + level->count; i++)
            if (!add_if_met(grid, i, box, out)) return false;
        return true;
    }
    int64_t cell[3];
    for (cell[2] = (int64_t)low[2]; cell[2] <= (int64_t)high[2]; cell[2]++)
        for (cell[1] = (int64_t)low[1]; cell[1] <= (int64_t)high[1]; cell[1]++)
            for (cell[0] = (int64_t)low[0]; cell[0] <= (int64_t)high[0]; cell[0]++)
                if (!query_cell(grid, level, cell, box, out)) return false;
    return true;
}

bool check_grid_query(const check_grid *grid, check_box box, check_candidates *out)
{
    for (size_t l = 0; l < grid->levels.count; l++)
        if (!query_level(grid, &grid->levels.data[l], &box, out)) return false;
    return true;
}

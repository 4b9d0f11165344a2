#include "geometry/check_near.h"

#include <string.h>

enum { EMPTY = -1, SEVERAL = -2 };         /* bodies of a cell */
enum { MOST_CELLS = 64, MOST_LARGE = 64 }; /* cells of a box; boxes with more */

abut_status check_near_init(check_near *n, double cell, size_t expected, abut_error *err)
{
    int exponent;
    frexp(cell > 0 ? cell : 1, &exponent);
    *n = (check_near){.cells_per_length = ldexp(1.0, -exponent), .mask = 1023};
    while (n->mask < 2 * expected) n->mask = 2 * n->mask + 1;
    n->cells = mem_alloc(n->mask + 1, sizeof *n->cells);
    if (!n->cells) return error_memory(err, "checking cells");
    for (size_t i = 0; i <= n->mask; i++) n->cells[i].body = EMPTY;
    return ABUT_OK;
}

void check_near_free(check_near *n)
{
    mem_free(n->cells);
    array_free(&n->large);
    *n = (check_near){0};
}

static size_t hash(const int64_t cell[3])
{
    uint64_t h = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu ^
                 (uint64_t)cell[2] * 0x165667b19e3779f9u;
    h ^= h >> 31;
    h *= 0xd6e8feb86659fd93u;
    return (size_t)(h ^ h >> 32);
}

/* The cell, or the empty one where it belongs. */
static near_cell *find(const check_near *n, const int64_t cell[3])
{
    size_t at = hash(cell) & n->mask;
    while (n->cells[at].body != EMPTY &&
           memcmp(n->cells[at].cell, cell, sizeof n->cells[at].cell) != 0)
        at = (at + 1) & n->mask;
    return &n->cells[at];
}

/* The range of cells of a box; false when they are many. */
static bool cells_of(const check_near *n, const tree_box *box, int64_t low[3], int64_t high[3])
{
    double cells = 1;
    for (int k = 0; k < 3; k++) {
        double from = floor(vec3_get(box->low, k) * n->cells_per_length);
        double to = floor(vec3_get(box->high, k) * n->cells_per_length);
        if (!(fabs(from) < 1e15 && fabs(to) < 1e15)) return false;
        low[k] = (int64_t)from;
        high[k] = (int64_t)to;
        cells *= to - from + 1;
    }
    return cells <= MOST_CELLS;
}

static abut_status grow(check_near *n, abut_error *err)
{
    check_near larger = *n;
    larger.mask = 2 * n->mask + 1;
    larger.cells = mem_alloc(larger.mask + 1, sizeof *larger.cells);
    if (!larger.cells) return error_memory(err, "checking cells");
    for (size_t i = 0; i <= larger.mask; i++) larger.cells[i].body = EMPTY;
    for (size_t i = 0; i <= n->mask; i++)
        if (n->cells[i].body != EMPTY) *find(&larger, n->cells[i].cell) = n->cells[i];
    mem_free(n->cells);
    *n = larger;
    return ABUT_OK;
}

static abut_status mark_cell(check_near *n, const int64_t cell[3], int32_t body, abut_error *err)
{
    near_cell *c = find(n, cell);
    if (c->body == EMPTY) {
        memcpy(c->cell, cell, sizeof c->cell);
        c->body = body;
        return ++n->used > n->mask / 2 ? grow(n, err) : ABUT_OK;
    }
    if (c->body != body) c->body = SEVERAL;
    return ABUT_OK;
}

abut_status check_near_mark(check_near *n, tree_box box, int32_t body, abut_error *err)
{
    int64_t low[3], high[3], cell[3];
    if (n->useless) return ABUT_OK;
    if (!cells_of(n, &box, low, high)) {
        n->useless = n->large.count == MOST_LARGE;
        if (!n->useless && !array_push(&n->large, (near_box){box, body}))
            return error_memory(err, "checking cells");
        return ABUT_OK;
    }
    for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
                TRY(mark_cell(n, cell, body, err));
    return ABUT_OK;
}

static bool boxes_meet(const tree_box *a, const tree_box *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

bool check_near_test(const check_near *n, tree_box box, int32_t body)
{
    int64_t low[3], high[3], cell[3];
    if (n->useless || !cells_of(n, &box, low, high)) return true;
    for (size_t i = 0; i < n->large.count; i++)
        if (n->large.data[i].body != body && boxes_meet(&n->large.data[i].box, &box)) return true;
    for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++) {
                const near_cell *c = find(n, cell);
                if (c->body != EMPTY && c->body != body) return true;
            }
    return false;
}

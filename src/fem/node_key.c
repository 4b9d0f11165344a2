#include "fem/node_key.h"

#include "fem/lagrange.h"

#include <string.h>

static bool is_cube(cell_kind kind) { return kind == CELL_QUAD || kind == CELL_HEX; }

/* Weight of a corner in a lattice point, in steps: 0 when the point is on a part of the boundary
 * that does not have the corner. */
static int corner_steps(cell_kind kind, int order, const int *point, const int *corner)
{
    int dimension = cell_dimension(kind);
    if (is_cube(kind)) {
        int steps = 1;
        for (int k = 0; k < dimension; k++) {
            int at = corner[k] ? point[k] : order - point[k];
            if (at == 0) return 0;
            if (at != order) steps *= at; /* on an edge only the steps along it are left */
        }
        return steps;
    }
    int first = order, axis = -1;
    for (int k = 0; k < dimension; k++) {
        first -= point[k];
        if (corner[k]) axis = k;
    }
    return axis < 0 ? first : point[axis];
}

node_key node_key_make(cell_kind kind, int order, const int *point, const int32_t *corners)
{
    int lattice[CELL_MAX_NODES][3];
    int count = cell_corner_count(kind);
    cell_lattice(kind, 1, lattice);
    node_key key;
    memset(&key, 0, sizeof key);
    for (int c = 0; c < count; c++) {
        int steps = corner_steps(kind, order, point, lattice[c]);
        if (steps == 0) continue;
        int at = key.count++;
        for (; at > 0 && key.corner[at - 1] > corners[c]; at--) {
            key.corner[at] = key.corner[at - 1];
            key.steps[at] = key.steps[at - 1];
        }
        key.corner[at] = corners[c];
        key.steps[at] = steps;
    }
    if (key.count == 1) key.steps[0] = 0; /* a corner, whatever the number of steps */
    return key;
}

int node_key_compare(const node_key *a, const node_key *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = 0; i < a->count; i++)
        if (a->corner[i] != b->corner[i]) return a->corner[i] < b->corner[i] ? -1 : 1;
    for (int i = 0; i < a->count; i++)
        if (a->steps[i] != b->steps[i]) return a->steps[i] > b->steps[i] ? -1 : 1;
    return 0;
}
